// What stays a formula gives what the written vectors give: the same results, or the same fault.
#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "tests/property/gen_formula.h"

namespace nvm {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

constexpr Op kComparisons[] = {Op::kLt, Op::kLe, Op::kGt, Op::kGe, Op::kEq, Op::kNe};

// One thread, or several that share few elements.
void share(Chain& c) {
  if (c.chance(3)) c.context.threads = 3, c.context.grain = 64;
}

// Lengths as they come, or few long ones for several threads to share.
Lengths short_or_long(Chain& c) {
  if (!c.chance(3)) return c.lengths();
  c.context.threads = 3;
  c.context.grain = 64;
  Lengths lengths;
  for (std::int64_t k = 1 + below(c.rng, 4); k > 0; --k)
    lengths.push_back(below(c.rng, c.chance(4) ? 2 : 90000));
  return lengths;
}

TEST_CASE("elements that compare with a value of their segment") {
  check_chains(
      "PACK by a comparison",
      {FastPath::kLeaveRepeated, FastPath::kLeaveSpread, FastPath::kLeaveCompare, FastPath::kPackCompared,
       FastPath::kPackGroupSplit, FastPath::kWriteSpread, FastPath::kWriteCompare},
      [](Chain& c) {
        const TypeWord word = c.chance(2) ? TypeWord::kFloat : TypeWord::kInt;
        const Lengths lengths = short_or_long(c);
        const Segdes s = c.segdes(lengths);
        const Segdes compared = c.chance(4) ? Segdes::regular(1, s.total()) : s;
        const Value x = c.vector(word, compared.segments() + (c.chance(30) ? 1 : 0));
        const Value v = c.vector(word, s.total());
        const Value packed = c.chance(4) ? Value(c.vector(TypeWord::kInt, s.total())) : v;
        const Segdes by = c.chance(8)   ? c.segdes(c.lengths())
                          : c.chance(8) ? Segdes::regular(1, s.total())
                                        : s;
        const Op op = kComparisons[below(c.rng, 6)];
        const bool left = c.chance(2);
        const bool second = !c.chance(3);
        const TypeWord packs =
            std::get<Vector>(packed).type() == Type::kFloat ? TypeWord::kFloat : TypeWord::kInt;
        same_both_ways([&](bool formulas) {
          const auto maker = [&](Op o) { return formulas ? vm::find_maker(o) : PrimFn(); };
          Value y = c.run(Op::kDist, word, {x, compared}, maker(Op::kDist))[0];
          Value f = c.run(op, word, left ? std::vector<Value>{y, v} : std::vector<Value>{v, y}, maker(op))[0];
          return c.run(Op::kPack, packs, {packed, f, by},
                       formulas ? vm::find_reader(Op::kPack, second) : nullptr);
        });
      });
}

TEST_CASE("elements that several comparisons with the same values take") {
  check_chains("PACKs in one pass", {FastPath::kPackGroup}, [](Chain& c) {
    share(c);
    const TypeWord word = c.chance(2) ? TypeWord::kFloat : TypeWord::kInt;
    const Segdes s = c.segdes(c.lengths());
    const Segdes compared = c.chance(4) ? Segdes::regular(1, s.total()) : s;
    const Value x = c.vector(word, compared.segments());
    const Value v = c.vector(word, s.total() + (c.chance(30) ? 1 : 0));
    const bool left = c.chance(2);
    std::vector<Op> ops;
    for (std::int64_t n = 2 + below(c.rng, 2); n > 0; --n) ops.push_back(kComparisons[below(c.rng, 6)]);
    same_both_ways([&](bool formulas) {
      const auto maker = [&](Op o) { return formulas ? vm::find_maker(o) : PrimFn(); };
      const Value y = c.run(Op::kDist, word, {x, compared}, maker(Op::kDist))[0];
      const auto flags = [&](Op o) {
        return c.run(o, word, left ? std::vector<Value>{y, v} : std::vector<Value>{v, y}, maker(o))[0];
      };
      std::vector<vm::Packing> packings(ops.size());
      for (std::size_t i = 0; i < ops.size(); ++i)
        packings[i].relation = left ? mirrored(op_info(ops[i]).scalar) : op_info(ops[i]).scalar;
      std::vector<Value> operands = {v, flags(ops[0]), s};
      const bool together =
          formulas && pack_together({c.context, Op::kPack, word, operands.data(), nullptr}, packings);
      std::vector<Value> all;
      for (std::size_t i = 0; i < ops.size(); ++i) {
        const std::vector<Value> packed =
            together ? std::vector<Value>{packings[i].results[0], packings[i].results[1]}
                     : c.run(Op::kPack, word, {v, flags(ops[i]), s},
                             formulas ? vm::find_reader(Op::kPack, true) : nullptr);
        all.insert(all.end(), packed.begin(), packed.end());
      }
      return all;
    });
  });
}

Lengths lengths_of(const Value& value) {
  const auto& s = std::get<Segdes>(value);
  Lengths lengths;
  for (std::int64_t k = 0; k < s.segments(); ++k) lengths.push_back(s.length(k));
  return lengths;
}

TEST_CASE("two packs of one pass that are joined") {
  check_chains(
      "DPERMUTE of a PACK over one of another",
      {FastPath::kPackGroup, FastPath::kPackGroupSplit, FastPath::kLeaveHalves, FastPath::kLeaveJoin,
       FastPath::kJoinHalves, FastPath::kWriteHalf, FastPath::kWriteJoin},
      [](Chain& c) {
        const TypeWord word = c.chance(2) ? TypeWord::kFloat : TypeWord::kInt;
        const Lengths lengths = short_or_long(c);
        const Segdes s = c.segdes(lengths);
        const Segdes compared = c.chance(4) ? Segdes::regular(1, s.total()) : s;
        const Value x = c.vector(word, compared.segments());
        const Value v = c.vector(word, s.total());
        std::vector<Op> ops;
        while (ops.size() < 2 || !vm::exclude(op_info(ops[0]).scalar, op_info(ops[1]).scalar))
          ops = {kComparisons[below(c.rng, 6)], kComparisons[below(c.rng, 6)]};
        if (c.chance(2)) ops.push_back(kComparisons[below(c.rng, 6)]);
        const bool other_order = c.chance(8);
        const std::int64_t wrong_start = c.chance(8) ? below(c.rng, s.segments() + 1) : -1;
        const std::int64_t wrong_length = c.chance(8) ? below(c.rng, s.segments() + 1) : -1;
        const std::size_t wrong_part = c.chance(2) ? 0 : 1;
        const bool halves = !c.chance(8);
        const Value d = c.vector(word, 1);
        same_both_ways([&](bool formulas) {
          const auto maker = [&](Op o) { return formulas ? vm::find_maker(o) : PrimFn(); };
          const Value y = c.run(Op::kDist, word, {x, compared}, maker(Op::kDist))[0];
          std::vector<vm::Packing> packings(ops.size());
          for (std::size_t i = 0; i < ops.size(); ++i) packings[i].relation = op_info(ops[i]).scalar;
          if (halves)
            packings[0].half = vm::Packing::Half::kFirst, packings[1].half = vm::Packing::Half::kSecond;
          std::vector<Value> operands = {v, c.run(ops[0], word, {v, y}, maker(ops[0]))[0], s};
          const bool together =
              formulas && pack_together({c.context, Op::kPack, word, operands.data(), nullptr}, packings);
          std::vector<std::vector<Value>> packed;
          for (std::size_t i = 0; i < ops.size(); ++i)
            packed.push_back(together ? std::vector<Value>{packings[i].results[0], packings[i].results[1]}
                                      : c.run(Op::kPack, word,
                                              {v, c.run(ops[i], word, {v, y}, maker(ops[i]))[0], s},
                                              formulas ? vm::find_reader(Op::kPack, true) : nullptr));
          const Lengths first_lengths = lengths_of(packed[0][1]);
          Lengths dest = lengths_of(packed[1][1]);
          for (std::size_t k = 0; k < dest.size(); ++k) dest[k] += first_lengths[k];
          Lengths starts[2] = {Lengths(dest.size(), 0), first_lengths};
          if (wrong_start >= 0 && wrong_start < s.segments())
            ++starts[wrong_part][static_cast<std::size_t>(wrong_start)];
          if (wrong_length >= 0 && wrong_length < s.segments())
            ++dest[static_cast<std::size_t>(wrong_length)];
          const Segdes to = c.segdes(dest);
          Value result;
          Value filled[2] = {d, Segdes::regular(1, to.total())};
          if (formulas)
            run_repeating_dist(c.context, word, filled, {&result, 1});
          else
            run_primitive(c.context, Op::kDist, word, filled, {&result, 1});
          for (std::size_t i = 0; i < 2; ++i) {
            const std::size_t which = other_order ? 1 - i : i;
            const Value first = vm::int_vector(c.pool, starts[which]);
            const Value ones = c.ones(dest.size(), formulas);
            const Value places =
                c.run(Op::kIndex, TypeWord::kNone, {first, ones, packed[which][1]}, maker(Op::kIndex))[0];
            result = c.run(Op::kDpermute, word, {packed[which][0], places, result, packed[which][1], to},
                           !formulas ? nullptr
                           : i == 0  ? vm::find_maker(Op::kDpermute)
                                     : vm::find_reader(Op::kDpermute, true))[0];
          }
          std::vector<Value> all = {result, packed[0][1], packed[1][1]};
          if (ops.size() > 2) all.insert(all.end(), packed[2].begin(), packed[2].end());
          return all;
        });
      });
}

TEST_CASE("segments that are packed as a whole") {
  check_chains("PACK by a distributed flag", {FastPath::kPackSegments}, [](Chain& c) {
    constexpr TypeWord kWords[] = {TypeWord::kInt, TypeWord::kFloat, TypeWord::kBool};
    const TypeWord word = kWords[below(c.rng, 3)];
    share(c);
    const Segdes s = c.segdes(c.lengths());
    const Value flags = c.vector(TypeWord::kBool, s.segments());
    const Value v = c.vector(word, s.total());
    const Segdes by = c.chance(8) ? Segdes::regular(1, s.total()) : s;
    const bool second = !c.chance(3);
    same_both_ways([&](bool formulas) {
      const Value f =
          c.run(Op::kDist, TypeWord::kBool, {flags, s}, formulas ? vm::find_maker(Op::kDist) : nullptr)[0];
      return c.run(Op::kPack, word, {v, f, by}, formulas ? vm::find_reader(Op::kPack, second) : nullptr);
    });
  });
}

TEST_CASE("segments that are packed as a whole and lie side by side") {
  check_chains("PACK by a distributed flag, of long segments",
               {FastPath::kPackSegments, FastPath::kSharePart}, [](Chain& c) {
                 share(c);
                 Lengths lengths;
                 for (std::int64_t k = 1 + below(c.rng, 5); k > 0; --k)
                   lengths.push_back(c.chance(2) ? below(c.rng, 3) : 1000 + below(c.rng, 3000));
                 const Segdes s = c.segdes(lengths);
                 const Value flags = c.vector(TypeWord::kBool, s.segments());
                 const Value v = c.vector(TypeWord::kInt, s.total());
                 same_both_ways([&](bool formulas) {
                   const Value f = c.run(Op::kDist, TypeWord::kBool, {flags, s},
                                         formulas ? vm::find_maker(Op::kDist) : nullptr)[0];
                   return c.run(Op::kPack, TypeWord::kInt, {v, f, s},
                                formulas ? vm::find_reader(Op::kPack, true) : nullptr);
                 });
               });
}

// Runs one after the other in segments of a result, some places too far now and then, under the segments that
// hold `each` runs.
struct Runs {
  Lengths runs, source, dest, first;
  Runs(Chain& c, std::int64_t each) {
    for (const std::int64_t n : c.lengths()) {
      if (runs.size() % static_cast<std::size_t>(each) == 0) {
        source.push_back(0);
        dest.push_back(below(c.rng, 4));
      }
      first.push_back(dest.back() - (c.chance(50) ? 1 : 0));
      runs.push_back(n);
      source.back() += n;
      dest.back() += n + (c.chance(3) ? below(c.rng, 3) : 0) - (c.chance(200) ? 1 : 0);
    }
    for (std::int64_t& n : dest) n = std::max<std::int64_t>(n, 0);
  }
};

TEST_CASE("runs that move over defaults") {
  check_chains("DPERMUTE by runs of places", {FastPath::kLeaveRuns, FastPath::kPutRuns, FastPath::kWriteRuns},
               [](Chain& c) {
                 constexpr TypeWord kWords[] = {TypeWord::kInt, TypeWord::kFloat, TypeWord::kBool};
                 const TypeWord word = kWords[below(c.rng, 3)];
                 share(c);
                 const Runs r(c, 1 + below(c.rng, 3));
                 const Segdes runs = c.segdes(r.runs);
                 const Segdes source = c.chance(10) ? c.segdes(c.lengths()) : c.segdes(r.source);
                 const Segdes dest = c.chance(20) ? c.segdes(c.lengths()) : c.segdes(r.dest);
                 const Value first =
                     vm::int_vector(c.pool, r.first, c.chance(2) ? Storage::kI32 : Storage::kI64);
                 const Value v = c.vector(word, runs.total());
                 const bool repeats = c.chance(2) && dest.total() > 1;
                 const Value d = c.vector(word, repeats ? 1 : dest.total());
                 same_both_ways([&](bool formulas) {
                   Value defaults = d;
                   if (repeats) {
                     Value operands[2] = {d, Segdes::regular(1, dest.total())};
                     Value result[1];
                     if (formulas)
                       run_repeating_dist(c.context, word, operands, result);
                     else
                       run_primitive(c.context, Op::kDist, word, operands, result);
                     defaults = result[0];
                   }
                   const Value places =
                       c.run(Op::kIndex, TypeWord::kNone, {first, c.ones(r.runs.size(), formulas), runs},
                             formulas ? vm::find_maker(Op::kIndex) : nullptr)[0];
                   return c.run(Op::kDpermute, word, {v, places, defaults, source, dest},
                                formulas ? vm::find_reader(Op::kDpermute, true) : nullptr);
                 });
               });
}

// Places in segments of a result, cut into runs that two vectors fill between them: alternately, at random,
// or with gaps and overlaps now and then.
struct Joined {
  Lengths runs[2], first[2], source[2], dest;
  explicit Joined(Chain& c) {
    const std::int64_t each = below(c.rng, 4);  // runs of each segment; 0: any number
    const bool regular = c.chance(3);
    const std::int64_t length = 1 + below(c.rng, 9);
    const bool far = c.context.threads > 1 && c.chance(2);  // long enough for several threads
    for (std::int64_t segments = 1 + below(c.rng, far ? 3 : 60); segments > 0; --segments) {
      dest.push_back(0);
      for (auto& sources : source) sources.push_back(0);
      const std::int64_t pieces = each > 0 ? 2 * each : below(c.rng, 7);
      for (std::int64_t i = 0; i < pieces; ++i)
        add(each > 0 ? i % 2 : below(c.rng, 2), far       ? 1500 + below(c.rng, 900)
                                                : regular ? length
                                                          : below(c.rng, c.chance(20) ? 300 : 5));
      if (c.chance(300) && !first[0].empty()) first[0].back() += c.chance(2) ? 1 : -1;
      if (c.chance(300)) ++dest.back();
    }
  }
  void add(std::int64_t which, std::int64_t n) {
    runs[which].push_back(n);
    first[which].push_back(dest.back());
    source[which].back() += n;
    dest.back() += n;
  }
};

TEST_CASE("segments that are joined from two vectors") {
  check_chains("DPERMUTE over DPERMUTE",
               {FastPath::kLeaveJoin, FastPath::kJoinRegular, FastPath::kJoinPieces, FastPath::kJoinSplit,
                FastPath::kJoinWhole, FastPath::kWriteJoin},
               [](Chain& c) {
                 constexpr TypeWord kWords[] = {TypeWord::kInt, TypeWord::kFloat, TypeWord::kBool};
                 const TypeWord word = kWords[below(c.rng, 3)];
                 share(c);
                 const Joined j(c);
                 const Segdes dest = c.segdes(j.dest);
                 const bool second = !c.chance(5);
                 const bool one_segment = c.chance(5);  // of all sources, and so of the result
                 Value v[2], first[2];
                 Segdes runs[2], source[2];
                 for (const int i : {0, 1}) {
                   runs[i] = c.segdes(j.runs[i]);
                   source[i] = one_segment ? Segdes::regular(1, runs[i].total()) : c.segdes(j.source[i]);
                   v[i] = c.vector(word, runs[i].total());
                   first[i] = vm::int_vector(c.pool, j.first[i], c.chance(2) ? Storage::kI32 : Storage::kI64);
                 }
                 const Value d = c.vector(word, 1);
                 same_both_ways([&](bool formulas) {
                   Value result;
                   Value operands[2] = {d, Segdes::regular(1, dest.total())};
                   if (formulas)
                     run_repeating_dist(c.context, word, operands, {&result, 1});
                   else
                     run_primitive(c.context, Op::kDist, word, operands, {&result, 1});
                   for (int i = 0; i < (second ? 2 : 1); ++i) {
                     const Value places = c.run(Op::kIndex, TypeWord::kNone,
                                                {first[i], c.ones(j.runs[i].size(), formulas), runs[i]},
                                                formulas ? vm::find_maker(Op::kIndex) : nullptr)[0];
                     const bool waits = second && i == 0;
                     result = c.run(Op::kDpermute, word, {v[i], places, result, source[i], dest},
                                    !formulas ? nullptr
                                    : waits   ? vm::find_maker(Op::kDpermute)
                                              : vm::find_reader(Op::kDpermute, true))[0];
                   }
                   return std::vector<Value>{result};
                 });
               });
}

TEST_CASE("pieces that are taken from segments") {
  check_chains("BPERMUTE by runs", {FastPath::kTakeRegular, FastPath::kTakeRuns}, [](Chain& c) {
    share(c);
    constexpr TypeWord kWords[] = {TypeWord::kInt, TypeWord::kFloat, TypeWord::kBool};
    const TypeWord word = kWords[below(c.rng, 3)];
    Lengths lengths = c.lengths();
    if (c.chance(3)) lengths.assign(lengths.size() + 2, 2 * below(c.rng, 20));
    const bool halves = c.chance(2);
    Lengths first;
    Lengths taken;
    for (const std::int64_t n : lengths) {
      taken.push_back(halves ? n / 2 : below(c.rng, n + 1));
      first.push_back(halves ? n / 2 * below(c.rng, 2)
                             : below(c.rng, n - taken.back() + 1) + (c.chance(300) ? 1 : 0));
    }
    if (halves && c.chance(2))
      for (std::int64_t& x : first) x = first[0];
    const Segdes from = c.chance(20) ? c.segdes(c.lengths()) : c.segdes(lengths);
    const Segdes along = c.segdes(taken);
    const Value v = c.vector(word, from.total());
    const Value starts = vm::int_vector(c.pool, first, c.chance(2) ? Storage::kI32 : Storage::kI64);
    same_both_ways([&](bool formulas) {
      const Value places = c.run(Op::kIndex, TypeWord::kNone, {starts, c.ones(first.size(), formulas), along},
                                 formulas ? vm::find_maker(Op::kIndex) : nullptr)[0];
      return c.run(Op::kBpermute, word, {v, places, from, along},
                   formulas ? vm::find_reader(Op::kBpermute, true) : nullptr);
    });
  });
}

}  // namespace
}  // namespace nvm
