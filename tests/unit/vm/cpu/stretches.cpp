// Gathers by indices that are affine piece by piece: which stretches are found, and what engines make of
// them.
#include "vm/cpu/codegen/stretches.h"

#include <catch2/catch.hpp>
#include <random>

#include "tests/support/isas.h"
#include "tests/support/plan_runner.h"
#include "tests/support/plan_writer.h"

namespace {

using namespace nvm;
using soac::BodyInst;
using soac::Pull;
using testing::Bindings;
using testing::BodyWriter;
using testing::PlanWriter;
using vm::cpu::EngineOptions;
using vm::cpu::Isa;
using vm::cpu::Stretch;

// i - k, wrapped by `back` below zero, as the prelude's rotate computes it.
std::int32_t rotated(BodyWriter& w, std::int32_t k, std::int32_t back) {
  const std::int32_t early = w.apply(Scalar::kLt, Type::kBool, w.index(), k);
  const std::int32_t wrapped = w.apply(Scalar::kAdd, Type::kInt, w.index(), back);
  return w.apply(Scalar::kSelect, Type::kInt, early, wrapped,
                 w.apply(Scalar::kSub, Type::kInt, w.index(), k));
}

constexpr std::int64_t kUniformValue = 37;

std::vector<Stretch> stretches(const soac::Body& body, std::int32_t gather, std::int64_t n,
                               std::int64_t length, IntBits bits = IntBits::k64) {
  vm::cpu::StageSpec spec;
  spec.body = &body;
  spec.int_bits = bits;
  spec.outputs.push_back({gather, Storage::kF64, {vm::cpu::SlotKind::kOut, 0}});
  return find_stretches(stretch_indices(spec), body, bits, n,
                        {[](std::int32_t) { return kUniformValue; }, [&](const BodyInst&) { return length; },
                         nullptr, nullptr});
}

// What a value of INT or BOOL is at iteration i, and whether something it depends on divides by zero.
struct Plain {
  const soac::Body& body;
  std::int64_t i;
  bool trapped = false;
  std::int64_t of(std::int32_t v) {
    const BodyInst& in = body.insts[static_cast<std::size_t>(v)];
    if (in.pull == Pull::kIndex) return i;
    if (in.pull == Pull::kConst) return in.imm;
    if (in.pull == Pull::kUniform) return kUniformValue;
    const std::int64_t a = of(in.a), b = in.b < 0 ? 0 : of(in.b), c = in.c < 0 ? 0 : of(in.c);
    switch (in.scalar) {
      case Scalar::kAdd: return a + b;
      case Scalar::kSub: return a - b;
      case Scalar::kMul: return a * b;
      case Scalar::kDiv: trapped |= b == 0; return b == 0 ? 0 : a / b;
      case Scalar::kRem: trapped |= b == 0; return b == 0 ? 0 : a % b;
      case Scalar::kLt: return a < b;
      case Scalar::kLe: return a <= b;
      case Scalar::kGt: return a > b;
      case Scalar::kGe: return a >= b;
      case Scalar::kEq: return a == b;
      case Scalar::kNe: return a != b;
      case Scalar::kMax: return std::max(a, b);
      case Scalar::kMin: return std::min(a, b);
      case Scalar::kAnd: return a & b;
      case Scalar::kOr: return a | b;
      case Scalar::kXor: return a ^ b;
      case Scalar::kNot: return 1 - a;
      case Scalar::kSelect: return a != 0 ? b : c;
      default: throw std::logic_error("an operation of no index");
    }
  }
};

// A random index: sums, quotients, remainders, selections, of small numbers.
std::int32_t random_index(BodyWriter& w, std::mt19937_64& random, std::int64_t n) {
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
  std::vector<std::int32_t> ints{w.index(), w.uniform(0)};
  for (const std::int64_t v :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{-1}, n / 2, n - 1, n})
    ints.push_back(w.number(v));
  std::vector<std::int32_t> flags{w.apply(Scalar::kLt, Type::kBool, ints[0], ints[6])};
  static constexpr Scalar kInts[] = {Scalar::kAdd, Scalar::kAdd, Scalar::kSub, Scalar::kMul,
                                     Scalar::kDiv, Scalar::kRem, Scalar::kMax, Scalar::kMin};
  static constexpr Scalar kTests[] = {Scalar::kLt, Scalar::kLe, Scalar::kGt,
                                      Scalar::kGe, Scalar::kEq, Scalar::kNe};
  static constexpr Scalar kLogic[] = {Scalar::kAnd, Scalar::kOr, Scalar::kXor};
  const auto some = [&] { return below(3) == 0 ? ints[0] : ints[below(ints.size())]; };
  for (std::size_t k = 2 + below(8); k > 0; --k) {
    switch (below(4)) {
      case 0: flags.push_back(w.apply(kTests[below(6)], Type::kBool, some(), some())); break;
      case 1:
        flags.push_back(w.apply(kLogic[below(3)], Type::kBool, flags.back(), flags[below(flags.size())]));
        flags.push_back(w.apply(Scalar::kNot, Type::kBool, flags.back()));
        ints.push_back(w.apply(Scalar::kSelect, Type::kInt, flags.back(), some(), some()));
        break;
      default: ints.push_back(w.apply(kInts[below(8)], Type::kInt, some(), some()));
    }
  }
  return ints.back();
}

// A kernel over n elements of one storage, drawn.
struct Drawn : PlanWriter {
  Type type;
  std::int32_t values = soac::kNone;
  Drawn(Storage storage, IntBits bits, std::int64_t n, std::int64_t seed)
      : PlanWriter(bits, n),
        type(storage == Storage::kF64  ? Type::kFloat
             : storage == Storage::kB8 ? Type::kBool
                                       : Type::kInt) {
    values = add_var(plan::VarRole::kInput, type, storage, 0);
    std::mt19937_64 random(static_cast<std::uint64_t>(n * 31 + seed));
    for (std::int64_t i = 0; i < n; ++i) {
      const auto x = static_cast<std::int64_t>(random() % (type == Type::kBool ? 2 : 100));
      bindings.vectors[0].push_back({x, static_cast<double>(x) / 7});
    }
  }
};

// Elements of one storage turned by k: stored, packed where they are above the unturned ones, folded.
struct Turned : Drawn {
  Turned(Storage storage, IntBits bits, std::int64_t n, std::int64_t k) : Drawn(storage, bits, n, k) {
    const std::int32_t by = w.uniform(add_number(k));
    const std::int32_t turned = w.gather(values, rotated(w, by, w.uniform(add_number(n - k))), type);
    const std::int32_t same = w.pull(Pull::kElement, values, type);
    const std::int32_t kept = w.apply(Scalar::kGt, Type::kBool, turned, same);
    const std::int32_t inner = w.apply(Scalar::kGe, Type::kBool, w.index(), by);
    const std::int32_t back = w.apply(Scalar::kSub, Type::kInt, w.index(), by);
    const std::int32_t shifted = w.gather(values, back, type, inner);
    store(turned, type, storage, 0, soac::kNone);
    store(shifted, type, storage, 0, soac::kNone);
    const std::int32_t count = add_sink(plan::SinkKind::kCount, kept, Type::kBool);
    kernel.sinks.back().out_length = 2;
    store(turned, type, storage, 2, count);
    if (type != Type::kBool) reduce(Scalar::kAdd, shifted, type);
  }
};

// Every `stride`th element from some places on, around and around; and forward from behind the fifth,
// guarded.
struct Strided : Drawn {
  Strided(Storage storage, IntBits bits, std::int64_t n, std::int64_t stride)
      : Drawn(storage, bits, n, stride) {
    const std::int32_t by = w.uniform(add_number(stride < 0 ? -stride : stride));
    const std::int32_t far = w.apply(Scalar::kMul, Type::kInt, w.index(), by);
    std::vector<std::int32_t> read;
    for (const std::int64_t from : {5, 0, 1, 2, 3, 4, 100}) {  // the order in which they are read is another
      const std::int32_t place = w.apply(Scalar::kRem, Type::kInt,
                                         w.apply(Scalar::kAdd, Type::kInt, far, w.number(from)), w.number(n));
      const std::int32_t back = w.apply(Scalar::kSub, Type::kInt, w.number(n - 1), place);
      read.push_back(w.gather(values, stride < 0 ? back : place, type));
    }
    const std::int32_t around = w.apply(Scalar::kRem, Type::kInt, far, w.number(n));
    const std::int32_t before = w.apply(Scalar::kSub, Type::kInt, around, w.number(5));
    const std::int32_t inside = w.apply(Scalar::kGe, Type::kBool, before, w.number(0));
    read.push_back(w.gather(values, before, type, inside));
    for (const std::int32_t v : read) store(v, type, storage, 0, soac::kNone);
    const std::int32_t kept = w.apply(Scalar::kGt, Type::kBool, read[0], read[1]);
    const std::int32_t count = add_sink(plan::SinkKind::kCount, kept, Type::kBool);
    kernel.sinks.back().out_length = 2;
    store(read[2], type, storage, 2, count);
    if (type != Type::kBool) reduce(Scalar::kAdd, read[3], type);
  }
};

}  // namespace

TEST_CASE("a rotation is two stretches, wherever the seam is") {
  constexpr std::int64_t kN = 1000;
  for (const std::int64_t k : {64, 100, 500, 936}) {
    BodyWriter w;
    const auto g = w.gather(0, rotated(w, w.number(k), w.number(kN - k)), Type::kFloat);
    const auto found = stretches(w.body, g, kN, kN);
    REQUIRE(found.size() == 2);
    CHECK((found[0].begin == 0 && found[0].end == k && found[0].of(g).by == kN - k));
    CHECK((found[1].begin == k && found[1].end == kN && found[1].of(g).by == -k));
  }
}

TEST_CASE("remainders, clamped neighbours and guarded shifts have stretches, too") {
  constexpr std::int64_t kN = 1000;
  BodyWriter w;
  const auto next = w.apply(Scalar::kAdd, Type::kInt, w.index(), w.number(300));
  const auto by_rem = w.gather(0, w.apply(Scalar::kRem, Type::kInt, next, w.number(kN)), Type::kFloat);
  const auto before = w.apply(Scalar::kSub, Type::kInt, w.index(), w.number(1));
  const auto clamped = w.gather(0, w.apply(Scalar::kMax, Type::kInt, before, w.number(0)), Type::kFloat);
  const auto guarded =
      w.gather(0, before, Type::kFloat, w.apply(Scalar::kGt, Type::kBool, w.index(), w.number(0)));
  const auto two = stretches(w.body, by_rem, kN, kN);
  REQUIRE(two.size() == 2);
  CHECK((two[0].end == 700 && two[1].begin == 700 && two[1].of(by_rem).by == -700));
  for (const std::int32_t g : {clamped, guarded}) {
    const auto one = stretches(w.body, g, kN, kN);
    REQUIRE(one.size() == 1);
    CHECK((one[0].begin <= 2 && one[0].end == kN && one[0].of(g).by == -1));
  }
}

TEST_CASE("short pieces and places outside are no stretches, other slopes are") {
  constexpr std::int64_t kN = 1000;
  BodyWriter w;
  const auto turn = w.gather(0, w.apply(Scalar::kRem, Type::kInt, w.index(), w.number(8)), Type::kFloat);
  const auto back = w.gather(0, w.apply(Scalar::kSub, Type::kInt, w.number(kN - 1), w.index()), Type::kFloat);
  const auto behind = w.gather(0, w.apply(Scalar::kAdd, Type::kInt, w.index(), w.number(kN)), Type::kFloat);
  const auto by_zero = w.gather(0, w.apply(Scalar::kRem, Type::kInt, w.index(), w.number(0)), Type::kFloat);
  for (const std::int32_t g : {turn, behind, by_zero}) CHECK(stretches(w.body, g, kN, kN).empty());
  const auto backward = stretches(w.body, back, kN, kN);
  REQUIRE(backward.size() == 1);
  CHECK((backward[0].end == kN && backward[0].of(back).at(0) == kN - 1 && backward[0].of(back).stride == -1));
  // 32-bit INT wraps at 2^31.
  const auto far = w.apply(Scalar::kAdd, Type::kInt, w.index(), w.number(INT32_MAX));
  const auto wraps = w.gather(0, w.apply(Scalar::kSub, Type::kInt, far, w.number(INT32_MAX)), Type::kFloat);
  CHECK(stretches(w.body, wraps, kN, kN, IntBits::k64).size() == 1);
  CHECK(stretches(w.body, wraps, kN, kN, IntBits::k32).empty());
}

TEST_CASE("over a stretch the index of a random gather goes up evenly inside of the vector") {
  std::mt19937_64 random(20261122);
  int found = 0, strided = 0;
  for (int k = 0; k < 20000; ++k) {
    const auto n = static_cast<std::int64_t>(100 + random() % 400);
    BodyWriter w;
    const std::int32_t index = random_index(w, random, n);
    const auto g = w.gather(0, index, Type::kFloat);
    for (const Stretch& s : stretches(w.body, g, n, n)) {
      ++(s.of(g).stride == 1 ? found : strided);
      for (std::int64_t i = s.begin; i < s.end; ++i) {
        Plain plain{w.body, i};
        const std::int64_t at = plain.of(index);
        if (at == s.of(g).at(i) && at >= 0 && at < n && !plain.trapped) continue;
        FAIL("at " << i << " of " << s.begin << " to " << s.end << ": " << at << "\n" << print(w.body));
      }
    }
  }
  CHECK(found > 2000);
  CHECK(strided > 500);
}

TEST_CASE("an index that is made of itself again and again is looked at in no time") {
  Turned t(Storage::kF64, IntBits::k64, 1000, 0);
  std::int32_t v = t.w.index();
  for (int k = 0; k < 200; ++k) {
    const auto none = t.w.apply(Scalar::kSub, Type::kInt, v, v);
    v = t.w.apply(Scalar::kSub, Type::kInt, v, none);
  }
  const auto g = t.w.gather(0, v, Type::kFloat);
  CHECK(stretches(t.w.body, g, 1000, 1000).size() == 1);
  t.store(g, Type::kFloat, Storage::kF64, 0, soac::kNone);
  const plan::Plan plan = t.finished();
  std::string reason;
  const auto code = vm::cpu::make_engine({})->compile(plan, reason);
  REQUIRE(code != nullptr);
  CHECK(run_plan(*code, plan, t.bindings, 1).status == plan::RunStatus::kDone);
}

TEST_CASE("turned vectors are what the reference says, seams in every lane") {
  for (const Storage storage : {Storage::kF64, Storage::kI64, Storage::kI32, Storage::kI8, Storage::kB8})
    for (const IntBits bits : {IntBits::k64, IntBits::k32}) {
      if (bits == IntBits::k32 && storage == Storage::kI64) continue;
      for (const std::int64_t n : {0, 1, 3, 4, 5, 63, 64, 65, 71, 72, 73, 1024, 1101, 2049, 4099, 70001})
        for (const std::int64_t k :
             {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{4},
              std::int64_t{5}, std::int64_t{7}, std::int64_t{8}, std::int64_t{9}, n / 2, n - 1, n}) {
          if (k < 0 || k > n) continue;
          Turned t(storage, bits, n, k);
          const plan::Plan plan = t.finished();
          Bindings wanted = t.bindings;
          REQUIRE(evaluate(plan, wanted));
          for (const Isa isa : testing::isas()) {
            const auto code = testing::compiled(plan, isa);
            CHECK(code->listing().find("where gathers are loads") != std::string::npos);
            for (const int threads : {1, 2}) {
              const auto run = run_plan(*code, plan, t.bindings, threads);
              INFO(isa_name(isa) << ", n " << n << ", by " << k << ", threads " << threads);
              REQUIRE(run.status == plan::RunStatus::kDone);
              REQUIRE(run.trouble + differences(plan, wanted, run.results) == "");
            }
          }
        }
    }
}

TEST_CASE("elements read with strides are what the reference says, whoever shares their loads") {
  for (const Storage storage : {Storage::kF64, Storage::kI64, Storage::kI32, Storage::kI8, Storage::kB8})
    for (const IntBits bits : {IntBits::k64, IntBits::k32}) {
      if (bits == IntBits::k32 && storage == Storage::kI64) continue;
      for (const std::int64_t stride : {-7, -1, 2, 3, 8, 13})
        for (const std::int64_t n : {33000, 40001}) {
          Strided t(storage, bits, n, stride);
          const plan::Plan plan = t.finished();
          Bindings wanted = t.bindings;
          REQUIRE(evaluate(plan, wanted));
          for (const Isa isa : testing::isas()) {
            const auto code = testing::compiled(plan, isa);
            for (const int threads : {1, 2}) {
              const auto run = run_plan(*code, plan, t.bindings, threads);
              INFO(isa_name(isa) << ", n " << n << ", stride " << stride << ", threads " << threads);
              REQUIRE(run.status == plan::RunStatus::kDone);
              REQUIRE(run.trouble + differences(plan, wanted, run.results) == "");
              CHECK(run.kernels(plan::KernelWay::kStridedLoads) == 1);
            }
          }
        }
    }
}

TEST_CASE("few iterations are not worth a function with strides, other loads than the first keep gathers") {
  const auto strided = [](const plan::Code& code, const plan::Plan& plan, const Bindings& bindings) {
    const auto run = run_plan(code, plan, bindings, 1);
    Bindings wanted = bindings;
    REQUIRE(evaluate(plan, wanted));
    CHECK(run.trouble + differences(plan, wanted, run.results) == "");
    return run.kernels(plan::KernelWay::kStridedLoads);
  };
  for (const Isa isa : testing::isas()) {
    Strided t(Storage::kF64, IntBits::k64, 20000, 2);
    const plan::Plan plan = t.finished();
    const auto code = testing::compiled(plan, isa);
    CHECK(strided(*code, plan, t.bindings) == 0);
    CHECK(strided(*code, plan, t.bindings) == 1);
    CHECK(strided(*code, plan, t.bindings) == 1);
    t.bindings.vectors[1][0].i = 3;  // other strides, the same places
    CHECK(strided(*code, plan, t.bindings) == 1);
    t.bindings.vectors[1][0].i = 1;  // neighbours
    CHECK(strided(*code, plan, t.bindings) == 0);
  }
}

TEST_CASE("a turn that leaves its vector traps, beside stretches that do not") {
  Turned t(Storage::kF64, IntBits::k64, 5000, 1000);
  t.bindings.vectors[2][0].i += 1;  // the last of the first piece is behind the end
  const plan::Plan plan = t.finished();
  for (const Isa isa : testing::isas()) {
    EngineOptions options;
    options.isa = isa;
    std::string reason;
    const auto code = make_engine(options)->compile(plan, reason);
    REQUIRE(code != nullptr);
    for (const int threads : {1, 2})
      CHECK(run_plan(*code, plan, t.bindings, threads).status == plan::RunStatus::kTrapped);
  }
}

TEST_CASE("rows whose numbers are the first's have its stretches") {
  constexpr std::int32_t kRow = 0, kElements = 1, kTurns = 2, kTable = 3;
  BodyWriter w;
  const auto of_row = [&](Pull how, std::int32_t var) {
    BodyInst in{how, Type::kInt};
    in.var = var;
    in.desc = kRow;
    return w.body.add(in);
  };
  const std::int32_t within = of_row(Pull::kWithin, soac::kNone);
  const std::int32_t turn = of_row(Pull::kPerSegment, kTurns);
  const std::int32_t place = w.apply(Scalar::kAdd, Type::kInt, within, turn);
  const std::int32_t turned = w.apply(Scalar::kRem, Type::kInt, place, w.number(100));
  BodyInst own{Pull::kSegGather, Type::kInt};
  own.var = kElements;
  own.a = turned;
  own.desc = own.desc2 = kRow;
  const std::int32_t mine = w.body.add(own);
  const std::int32_t shared = w.gather(kTable, turned, Type::kInt);
  vm::cpu::StageSpec spec;
  spec.body = &w.body;
  spec.row = kRow;
  for (const std::int32_t v : {mine, shared})
    spec.outputs.push_back({v, Storage::kI64, {vm::cpu::SlotKind::kOut, 0}});
  const vm::cpu::StretchIndices indices = stretch_indices(spec);
  REQUIRE(indices.gathers.size() == 2);
  const vm::cpu::StretchFacts facts{nullptr, [](const BodyInst&) { return std::int64_t{100}; },
                                    [](std::int32_t, std::int64_t row) { return row == 7 ? 3 : 1; }, nullptr};
  const vm::cpu::RowStretches same(indices, w.body, IntBits::k64, 100, facts);
  for (const std::int64_t number : {0, 1, 6, 7, 8}) {
    const vm::cpu::Row row{number, number * 100, number * 100 + 100};
    REQUIRE(same.hold(row, facts) == (number != 7));
    for (std::int64_t i = row.begin; number != 7 && i < row.end; ++i) {
      Stretch found, wanted;
      CHECK(same.find(i, row, found) == find_stretch(indices, w.body, IntBits::k64, i, row, facts, wanted));
      CHECK(found.begin == wanted.begin);
      CHECK(found.end == wanted.end);
      for (const std::int32_t g : indices.gathers) CHECK(found.of(g).by == wanted.of(g).by);
    }
  }
  // An index that is of the row's number has stretches of its own in each.
  soac::Body numbered = w.body;
  numbered.insts[static_cast<std::size_t>(turn)].pull = Pull::kSegment;
  CHECK_FALSE(vm::cpu::RowStretches(indices, numbered, IntBits::k64, 100, facts).hold({0, 0, 100}, facts));
}
