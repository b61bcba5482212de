// Numbers that come over and over, and what is computed with parts of segments: delayed as written.
#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "tests/property/gen_formula.h"
#include "tests/support/nesl_module.h"
#include "vm/interp/code.h"
#include "vm/prims/part_maps.h"

namespace nvm {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

// n times x, as an interpreter on one thread has it with formulas.
Value alike(Chain& c, std::int64_t x, std::int64_t n, bool formulas) {
  if (n == 1) return Vector::of_int(x);
  if (formulas && n > 1) return Vector::repeated(Vector::of_int(x, Storage::kI32), n);
  return vm::int_vector(c.pool, Lengths(static_cast<std::size_t>(n), x), Storage::kI32);
}

// Equally long segments, of which `parts` numbers each are made by REPLACE.
struct Over {
  std::int64_t segments, parts, first;
  std::vector<std::pair<std::int64_t, std::int64_t>> replaced;

  Value make(Chain& c, bool formulas) const {
    Value v = alike(c, first, segments * parts, formulas);
    for (const auto& [at, x] : replaced)
      v = c.run(Op::kReplace, TypeWord::kInt,
                {v, alike(c, at, segments, formulas), alike(c, x, segments, formulas),
                 Segdes::regular(segments, parts)},
                formulas ? vm::find_maker(Op::kReplace) : nullptr)[0];
    return v;
  }
};

Over over(Chain& c, std::int64_t segments, std::int64_t parts, std::int64_t n) {
  Over o{segments, parts, 0, {}};
  for (std::int64_t k = 1; k < parts; ++k) o.replaced.emplace_back(k, k * n);
  if (c.chance(3)) o.replaced.emplace_back(below(c.rng, parts + (c.chance(20) ? 1 : 0)), below(c.rng, 5) - 1);
  return o;
}

TEST_CASE("lengths that come over and over") {
  check_chains("MAKE_SEGDES of REPLACE",
               {FastPath::kComputePeriodic, FastPath::kLeavePeriodic, FastPath::kWritePeriodic},
               [](Chain& c) {
                 Over o = over(c, 1 + below(c.rng, 60), 1 + below(c.rng, 10), c.chance(2) ? 0 : 3);
                 o.first = c.chance(3) ? below(c.rng, 4) - (c.chance(10) ? 1 : 0) : 0;
                 same_both_ways([&](bool formulas) {
                   const auto reader = formulas ? vm::find_reader(Op::kMakeSegdes, true) : nullptr;
                   return c.run(Op::kMakeSegdes, TypeWord::kNone, {o.make(c, formulas)}, reader);
                 });
               });
}

TEST_CASE("sums that come over and over") {
  check_chains("EXTRACT of +_SCAN", {FastPath::kComputePeriodic, FastPath::kLeavePeriodic}, [](Chain& c) {
    const std::int64_t segments = 1 + below(c.rng, 60);
    const std::int64_t parts = 1 + below(c.rng, 10);
    const Segdes s = Segdes::regular(segments, parts);
    const std::int64_t each = below(c.rng, 1000) - 500;
    const std::int64_t at = below(c.rng, parts + (c.chance(20) ? 1 : 0)) - (c.chance(20) ? 1 : 0);
    same_both_ways([&](bool formulas) {
      const Value sums = c.run(Op::kAddScan, TypeWord::kInt, {alike(c, each, s.total(), formulas), s},
                               formulas ? vm::find_maker(Op::kAddScan) : nullptr)[0];
      return c.run(Op::kExtract, TypeWord::kInt, {sums, alike(c, at, segments, formulas), s},
                   formulas ? vm::find_reader(Op::kExtract, true) : nullptr);
    });
  });
}

TEST_CASE("places that begin over and over") {
  check_chains(
      "moves by INDEX of REPLACE",
      {FastPath::kLeavePeriodicRuns, FastPath::kTakePeriodic, FastPath::kShuffle, FastPath::kKeepPeriodic,
       FastPath::kWritePeriodicRuns},
      [](Chain& c) {
        if (c.chance(3)) c.context.threads = 3, c.context.grain = 64;
        const std::int64_t segments = 1 + below(c.rng, 60);
        const std::int64_t parts = 2 + below(c.rng, c.chance(5) ? 8 : 2);
        const std::int64_t n =
            c.chance(3) ? std::int64_t{1} << below(c.rng, 6) : below(c.rng, c.chance(4) ? 300 : 20);
        Over starts = over(c, segments, parts, n);
        Over strides{segments, parts, 1, {}};
        if (c.chance(2)) {
          const std::int64_t turned = below(c.rng, parts);
          strides.replaced.emplace_back(turned, c.chance(8) ? 2 : -1);
          starts.replaced.emplace_back(turned, (turned + 1) * n - (c.chance(20) ? 0 : 1));
        }
        const Segdes runs = Segdes::regular(segments * parts, n);
        const Segdes along = Segdes::regular(segments, parts * n);
        const Segdes other =
            Segdes::regular(c.chance(30) ? segments + 1 : segments,
                            std::max<std::int64_t>(parts * n + (c.chance(4) ? below(c.rng, 9) - 1 : 0), 0));
        constexpr TypeWord kWords[] = {TypeWord::kInt, TypeWord::kFloat, TypeWord::kBool};
        const TypeWord word = kWords[below(c.rng, 3)];
        const bool gathers = c.chance(2);
        const bool leaves = !c.chance(5);
        const Value v = c.vector(word, gathers ? other.total() : along.total());
        const Value d = c.vector(word, 1);
        same_both_ways([&](bool formulas) {
          const auto with = [&](PrimFn f) { return formulas ? f : nullptr; };
          const Value places =
              c.run(Op::kIndex, TypeWord::kNone, {starts.make(c, formulas), strides.make(c, formulas), runs},
                    with(leaves ? vm::find_maker(Op::kIndex) : vm::find_reader(Op::kIndex, true)))[0];
          if (gathers)
            return c.run(Op::kBpermute, word, {v, places, other, along},
                         with(vm::find_reader(Op::kBpermute, true)));
          Value filled[2] = {d, Segdes::regular(1, other.total())};
          Value defaults;
          if (formulas)
            run_repeating_dist(c.context, word, filled, {&defaults, 1});
          else
            run_primitive(c.context, Op::kDist, word, filled, {&defaults, 1});
          return c.run(Op::kDpermute, word, {v, places, defaults, along, other},
                       with(vm::find_reader(Op::kDpermute, true)));
        });
      });
}

// One vector in which segments of n follow each other `parts` at a time, put together anew as
// `a ++ reverse(b)` is where all segments lie in one: their starts grow by the same.
TEST_CASE("places that begin evenly") {
  check_chains(
      "BPERMUTE by INDEX of REPLACE of EXTRACTs of +_SCAN",
      {FastPath::kLeavePeriodic, FastPath::kLeavePeriodicRuns, FastPath::kTakePeriodic}, [](Chain& c) {
        if (c.chance(3)) c.context.threads = 3, c.context.grain = 64;
        const std::int64_t instances = 1 + below(c.rng, 40);
        const std::int64_t parts = 2 + below(c.rng, c.chance(4) ? 8 : 2);
        const std::int64_t n = c.chance(3) ? std::int64_t{1} << below(c.rng, 7) : 1 + below(c.rng, 40);
        const Segdes each = Segdes::regular(instances, parts);
        const Segdes all = Segdes::regular(1, each.total());
        const std::int64_t turned = below(c.rng, parts);
        const std::int64_t other = below(c.rng, parts);
        const std::int64_t wrong = c.chance(10) ? below(c.rng, 5) - 2 : 0;
        const bool subtracts = c.chance(3);
        const std::int64_t by = c.chance(8) ? std::int64_t{1} << 30 : n - 1 + wrong;  // that far nothing lies
        const std::int64_t stride = c.chance(10) ? 2 : c.chance(3) ? 1 : -1;
        const std::int64_t total = instances * parts * n;
        constexpr TypeWord kWords[] = {TypeWord::kInt, TypeWord::kFloat, TypeWord::kBool};
        const TypeWord word = kWords[below(c.rng, 3)];
        const Value v = c.vector(word, total);
        const bool leaves = !c.chance(4);
        const std::int64_t along = c.chance(20) ? total + 1 : total;
        Lengths uneven;
        for (std::int64_t k = c.chance(4) ? each.total() : 0; k > 0; --k)
          uneven.push_back(below(c.rng, n + 1));
        same_both_ways([&](bool formulas) {
          const auto with = [&](PrimFn f) { return formulas ? f : nullptr; };
          const auto reads = [&](Op op) { return with(vm::find_reader(op, true)); };
          const auto makes = [&](Op op) {
            return with(leaves ? vm::find_maker(op) : vm::find_reader(op, true));
          };
          const auto same = [&](std::int64_t x, std::int64_t times) { return alike(c, x, times, formulas); };
          const Value sums = c.run(
              Op::kAddScan, TypeWord::kInt,
              {uneven.empty() ? same(n, each.total()) : Value(vm::int_vector(c.pool, uneven, Storage::kI32)),
               all},
              with(vm::find_maker(Op::kAddScan)))[0];
          const auto start = [&](std::int64_t part) {
            return c.run(Op::kExtract, TypeWord::kInt, {sums, same(part, instances), each},
                         makes(Op::kExtract))[0];
          };
          Value last = start(turned);
          if (stride < 0 || wrong != 0) {
            const Op op = subtracts ? Op::kSub : Op::kAdd;
            const Value x = same(subtracts ? -by : by, instances);
            const PrimFn add = leaves ? with(vm::find_maker(op)) : nullptr;
            last = c.run(op, TypeWord::kInt, {last, x}, add)[0];
          }
          Value starts =
              c.run(Op::kDist, TypeWord::kInt, {start(other), each}, leaves ? makes(Op::kDist) : nullptr)[0];
          Value strides = same(1, each.total());
          for (std::int64_t k = 0; k < parts; ++k) {
            if (k == other && k != turned) continue;
            starts = c.run(Op::kReplace, TypeWord::kInt,
                           {starts, same(k, instances), k == turned ? last : start(k), each},
                           makes(Op::kReplace))[0];
          }
          strides = c.run(Op::kReplace, TypeWord::kInt,
                          {strides, same(turned, instances), same(stride, instances), each},
                          makes(Op::kReplace))[0];
          const Value places =
              c.run(Op::kIndex, TypeWord::kNone, {starts, strides, Segdes::regular(each.total(), n)},
                    makes(Op::kIndex))[0];
          return c.run(Op::kBpermute, word, {v, places, Segdes::regular(1, total), Segdes::regular(1, along)},
                       reads(Op::kBpermute));
        });
      });
}

TEST_CASE("halves that are compared and exchanged") {
  check_chains(
      "the lesser and the greater of two parts",
      {FastPath::kLeavePart, FastPath::kLeaveMap, FastPath::kJoinParts, FastPath::kJoinExchange},
      [](Chain& c) {
        if (c.chance(3)) c.context.threads = 3, c.context.grain = 64;
        const std::int64_t n = c.chance(2)   ? std::int64_t{1} << below(c.rng, 8)
                               : c.chance(2) ? 16 * (1 + below(c.rng, 6))
                                             : 1 + below(c.rng, 70);
        const std::int64_t segments = 1 + below(c.rng, c.chance(4) ? 700 : 40);
        const Segdes along = Segdes::regular(segments, n), from = Segdes::regular(segments, 2 * n);
        const Vector v = c.vector(TypeWord::kInt, from.total());
        const bool only = c.chance(2);  // nobody else sees the vector that is exchanged
        const Op compared = c.chance(2) ? Op::kLt : Op::kGe;
        const bool turned = c.chance(2), swapped = c.chance(2);
        same_both_ways([&](bool formulas) {
          const auto with = [&](PrimFn f) { return formulas ? f : nullptr; };
          const auto runs = [&](std::int64_t start) {
            return c.run(Op::kIndex, TypeWord::kNone,
                         {alike(c, start, segments, formulas), alike(c, 1, segments, formulas), along},
                         with(vm::find_maker(Op::kIndex)))[0];
          };
          Value mine = v;
          if (only) {
            std::vector<std::int64_t> numbers;
            for (std::int64_t i = 0; i < v.length(); ++i) numbers.push_back(v.int_at(i));
            mine = vm::int_vector(c.pool, numbers, v.storage());
          }
          const auto part = [&](std::int64_t start) {
            return c.run(Op::kBpermute, TypeWord::kInt, {mine, runs(start), from, along},
                         with(vm::find_part_maker(Op::kBpermute, TypeWord::kInt)))[0];
          };
          Value low = part(swapped ? n : 0), high = part(swapped ? 0 : n);
          Value flags = c.run(compared, TypeWord::kInt, {low, high},
                              with(vm::find_part_maker(compared, TypeWord::kInt)))[0];
          const auto chosen = [&](const Value& a, const Value& b) {
            return c.run(Op::kSelect, TypeWord::kInt, {flags, a, b},
                         with(vm::find_part_maker(Op::kSelect, TypeWord::kInt)))[0];
          };
          Value parts[2] = {chosen(low, high), chosen(high, low)};
          if (only) mine = low = high = flags = Value();
          Value filled[2] = {Vector::of_int(0), Segdes::regular(1, from.total())};
          Value to;
          if (formulas)
            run_repeating_dist(c.context, TypeWord::kInt, filled, {&to, 1});
          else
            run_primitive(c.context, Op::kDist, TypeWord::kInt, filled, {&to, 1});
          for (const std::size_t i : {0U, 1U}) {
            std::vector<Value> operands = {Value(), runs(i == 0 ? 0 : n), Value(), along, from};
            operands[0] = std::move(parts[turned ? 1 - i : i]);
            operands[2] = std::move(to);
            to =
                c.run(Op::kDpermute, TypeWord::kInt, std::move(operands),
                      with(i == 0 ? vm::find_maker(Op::kDpermute) : vm::find_reader(Op::kDpermute, true)))[0];
          }
          return std::vector<Value>{to};
        });
      });
}

// A computation with parts of segments: which instructions, on which of the vectors made before.
struct Script {
  struct Line {
    Op op;
    TypeWord word;
    std::size_t from[3];
  };
  std::vector<Line> lines;
  std::vector<std::size_t> numbers, flags;  // what has been made

  Script(Chain& c, TypeWord word, std::size_t known) {
    for (std::size_t i = 0; i < known; ++i) numbers.push_back(i);
    constexpr Op kComparisons[] = {Op::kLt, Op::kLe, Op::kGt, Op::kGe, Op::kEq, Op::kNe};
    for (std::int64_t n = below(c.rng, 7); n > 0; --n) {
      const auto any = [&](const std::vector<std::size_t>& of) {
        return of[static_cast<std::size_t>(below(c.rng, static_cast<std::int64_t>(of.size())))];
      };
      const std::size_t made = known + lines.size();
      if (c.chance(3)) {
        lines.push_back({c.chance(2) ? Op::kAdd : Op::kSub, word, {any(numbers), any(numbers), 0}});
        numbers.push_back(made);
        continue;
      }
      const std::size_t a = any(numbers);
      const std::size_t b = any(numbers);
      const bool swaps = c.chance(2);
      lines.push_back({kComparisons[below(c.rng, 6)], word, {a, b, 0}});
      const bool other = c.chance(4);
      lines.push_back({Op::kSelect, word, {made, swaps ? b : a, other ? any(numbers) : swaps ? a : b}});
      if (c.chance(2)) lines.push_back({Op::kSelect, word, {made, swaps ? a : b, swaps ? b : a}});
      for (std::size_t i = made + 1; i < known + lines.size(); ++i) numbers.push_back(i);
    }
  }
};

TEST_CASE("what is computed with parts of segments and joined") {
  check_chains(
      "maps of BPERMUTEs in DPERMUTEs",
      {FastPath::kLeavePart, FastPath::kLeaveMap, FastPath::kJoinParts, FastPath::kWritePart,
       FastPath::kWriteMap},
      [](Chain& c) {
        if (c.chance(3)) c.context.threads = 3, c.context.grain = 64;
        const TypeWord word = c.chance(3) ? TypeWord::kFloat : TypeWord::kInt;
        const bool large = c.chance(4);
        const std::int64_t segments = 1 + below(c.rng, large ? 4 : 70);
        const std::int64_t n =
            c.chance(3) ? std::int64_t{1} << below(c.rng, 6) : 1 + below(c.rng, large ? 5000 : 130);
        const Segdes along = Segdes::regular(segments, n);
        struct Part {
          Value v;
          Segdes from;
          std::int64_t offset;
        };
        std::vector<Part> parts;
        for (std::int64_t i = 2 + below(c.rng, 2); i > 0; --i) {
          const Segdes from = Segdes::regular(segments, c.chance(4) ? n + below(c.rng, 9) : 2 * n);
          const std::int64_t room = from.regular_length() - n;
          parts.push_back({c.vector(word, from.total()), from,
                           c.chance(2) ? room : below(c.rng, room + 1) + (c.chance(60) ? 1 : 0)});
        }
        if (c.chance(2)) parts[1].v = parts[0].v, parts[1].from = parts[0].from;
        parts[1].offset = std::min(parts[1].offset, parts[1].from.regular_length() - n);
        const Value whole = c.vector(word, along.total() + (c.chance(60) ? 1 : 0));
        const Script script(c, word, parts.size() + 1);
        const auto result = [&] {
          return script.numbers[static_cast<std::size_t>(
              below(c.rng, static_cast<std::int64_t>(script.numbers.size())))];
        };
        const std::size_t joined[2] = {result(), result()};
        const bool other_order = c.chance(4);
        const Segdes dest = Segdes::regular(segments, c.chance(20) ? 2 * n + 1 : 2 * n);
        const Value d = c.vector(word, 1);
        same_both_ways([&](bool formulas) {
          const auto with = [&](PrimFn f) { return formulas ? f : nullptr; };
          const auto runs = [&](std::int64_t start) {
            return c.run(Op::kIndex, TypeWord::kNone,
                         {alike(c, start, segments, formulas), alike(c, 1, segments, formulas), along},
                         with(vm::find_maker(Op::kIndex)))[0];
          };
          std::vector<Value> made;
          for (const Part& p : parts)
            made.push_back(c.run(Op::kBpermute, word, {p.v, runs(p.offset), p.from, along},
                                 with(vm::find_part_maker(Op::kBpermute, word)))[0]);
          made.push_back(whole);
          for (const Script::Line& line : script.lines) {
            std::vector<Value> operands;
            for (std::size_t i = 0; i < op_info(line.op).operands.size(); ++i)
              operands.push_back(made[line.from[i]]);
            made.push_back(
                c.run(line.op, line.word, operands, with(vm::find_part_maker(line.op, line.word)))[0]);
          }
          Value filled[2] = {d, Segdes::regular(1, dest.total())};
          Value to;
          if (formulas)
            run_repeating_dist(c.context, word, filled, {&to, 1});
          else
            run_primitive(c.context, Op::kDist, word, filled, {&to, 1});
          for (const std::size_t i : {0U, 1U}) {
            const std::size_t which = other_order ? 1 - i : i;
            to =
                c.run(Op::kDpermute, word, {made[joined[which]], runs(which == 0 ? 0 : n), to, along, dest},
                      with(i == 0 ? vm::find_maker(Op::kDpermute) : vm::find_reader(Op::kDpermute, true)))[0];
          }
          return std::vector<Value>{to};
        });
      });
}

// Else the time would double with each of these.
TEST_CASE("what two operands have in common is written once") {
  Chain c(1);
  const Segdes along = Segdes::regular(4, 32), from = Segdes::regular(4, 64);
  const Value v = c.vector(TypeWord::kInt, from.total());
  const auto doubled = [&](bool formulas) {
    const auto with = [&](PrimFn f) { return formulas ? f : nullptr; };
    const Value runs =
        c.run(Op::kIndex, TypeWord::kNone, {alike(c, 0, 4, formulas), alike(c, 1, 4, formulas), along},
              with(vm::find_maker(Op::kIndex)))[0];
    Value x = c.run(Op::kBpermute, TypeWord::kInt, {v, runs, from, along},
                    with(vm::find_part_maker(Op::kBpermute, TypeWord::kInt)))[0];
    for (int i = 0; i < 40; ++i)
      x = c.run(Op::kAdd, TypeWord::kInt, {x, x}, with(vm::find_part_maker(Op::kAdd, TypeWord::kInt)))[0];
    CHECK(std::holds_alternative<vm::ViewRef>(x) == formulas);
    vm::write_part(c.context, x);
    return x;
  };
  CHECK(vm::difference(doubled(false), doubled(true)).empty());
}

// How many elementwise instructions may be left to who puts their results together.
int count_maps(const std::string& body) {
  const ssa::Module module = test::nesl_module(
      "function step(v) = let low = take(v, #v / 2); high = drop(v, #v / 2); "
      "least = {min(a, b) : a in low; b in high}; most = {max(a, b) : a in low; b in high} in " +
      body + " $ {step({i * k : i in [0:8]}) : k in [0:9]} $");
  vm::Pool pool;
  const vm::Code code = vm::make_code(module, pool);
  int count = 0;
  for (const vm::CodeFunction& f : code.functions)
    for (const vm::Step& step : f.steps) count += step.chains && step.leaves.has(Form::kSlices) ? 1 : 0;
  return count;
}

TEST_CASE("what may be left to who puts it together") {
  CHECK(count_maps("least ++ most") == 3);  // a comparison and two choices
  CHECK(count_maps("{a + 1 : a in least} ++ most") == 4);
  SECTION("not what others read") {
    CHECK(count_maps("let s = sum(least) in {x + s : x in least ++ most}") == 0);
    CHECK(count_maps("least") == 0);
    CHECK(count_maps("sort(least) ++ most") == 0);
  }
}

// How many EXTRACTs may leave what grows evenly.
int count_growing(const std::string& body) {
  const ssa::Module module =
      test::nesl_module("function step(v) = let parts = {x : x in [take(v, #v / 2), drop(v, #v / 2)]} in " +
                        body + " $ {step({i * k : i in [0:8]}) : k in [0:9]} $");
  vm::Pool pool;
  const vm::Code code = vm::make_code(module, pool);
  int count = 0;
  for (const vm::CodeFunction& f : code.functions)
    for (const vm::Step& step : f.steps)
      count += step.op == Op::kExtract && step.alone == vm::find_maker(Op::kExtract) ? 1 : 0;
  return count;
}

TEST_CASE("starts that may be left growing") {
  CHECK(count_growing("parts[0] ++ reverse(parts[1])") > 0);
  CHECK(count_growing("#parts[0] + #parts[1]") == 0);
}

}  // namespace
}  // namespace nvm
