// Kernels over many short segments of one length: a lane takes a segment. The reference's results, and which
// way was taken, for every operation, storage and length.
#include <catch2/catch.hpp>
#include <limits>
#include <random>

#include "tests/support/isas.h"
#include "tests/support/plan_runner.h"
#include "tests/support/plan_writer.h"
#include "vm/cpu/codegen/stage.h"

namespace {

using namespace nvm;
using soac::Pull;
using testing::PlanWriter;
using vm::cpu::Isa;

constexpr std::int64_t kMany = 4099;  // segments: a tail behind whole vectors, in several chunks

// Space 0 in segments of `each` elements, of which there are as many as length 3 says.
struct Segments : PlanWriter {
  Segments(IntBits bits, std::int64_t segments, std::int64_t each) : PlanWriter(bits, segments * each) {
    plan.lengths.push_back(plan::LengthKind::kBound);
    bindings.lengths.push_back(segments);
    desc = add_var(plan::VarRole::kInput, Type::kInt, Storage::kI64, 3);
    plan.vars.back().is_desc = true;
    plan.vars.back().total = 0;
    plan.vars.back().form = plan::DescForm::kRegular;
    bindings.descs.back().assign(static_cast<std::size_t>(segments), each);
  }
  std::int32_t by_segment(Pull pull, Type type = Type::kInt, std::int32_t var = soac::kNone) {
    soac::BodyInst in{pull, type};
    in.desc = desc;
    in.var = var;
    return w.body.add(in);
  }
  template <typename Fill>
  std::int32_t input(Type type, Storage storage, plan::LengthId length, Fill fill) {
    const std::int32_t v = add_var(plan::VarRole::kInput, type, storage, length);
    for (std::int64_t i = 0; i < bindings.lengths[static_cast<std::size_t>(length)]; ++i) {
      if (type == Type::kFloat)
        bindings.vectors.back().push_back({0, static_cast<double>(fill(i))});
      else
        bindings.vectors.back().push_back({static_cast<std::int64_t>(fill(i)), 0});
    }
    return v;
  }
  std::int32_t scan_by(Scalar op, std::int32_t value, Type type) {
    soac::BodyInst in{Pull::kScanned, type};
    in.a = add_sink(plan::SinkKind::kSegScan, value, type);
    kernel.sinks.back().combine = op;
    kernel.sinks.back().desc = desc;
    return w.body.add(in);
  }
  void reduce_by(Scalar op, std::int32_t value, Type type) {
    add_sink(plan::SinkKind::kSegReduce, value, type);
    kernel.sinks.back().combine = op;
    kernel.sinks.back().desc = desc;
    const Storage storage = type == Type::kFloat  ? Storage::kF64
                            : type == Type::kBool ? Storage::kB8
                                                  : ints();
    kernel.sinks.back().out = add_var(plan::VarRole::kOutput, type, storage, 3);
  }
  std::int32_t desc = soac::kNone;
};

void compare(Segments& s, int lane_per_segment, int in_tiles = 0) {
  const plan::Plan plan = s.finished();
  testing::Bindings wanted = s.bindings;
  const bool fine = evaluate(plan, wanted);
  for (const Isa isa : testing::isas())
    for (const int threads : {1, 2}) {
      INFO(isa_name(isa) << ", threads " << threads);
      const auto run = run_plan(*testing::compiled(plan, isa), plan, s.bindings, threads);
      REQUIRE(run.kernels(plan::KernelWay::kLanePerSegment) == lane_per_segment);
      REQUIRE(run.kernels(plan::KernelWay::kTiles) == in_tiles);
      REQUIRE(run.status == (fine ? plan::RunStatus::kDone : plan::RunStatus::kTrapped));
      const std::string wrong = fine ? run.trouble + differences(plan, wanted, run.results) : "";
      INFO(wrong);
      REQUIRE(wrong.empty());
    }
}

}  // namespace

TEST_CASE("scans and reductions of short segments, a lane for each") {
  std::mt19937_64 random(5);
  for (const IntBits bits : {IntBits::k64, IntBits::k32})
    for (const Storage storage : {Storage::kI8, Storage::kI32, Storage::kI64})
      for (const std::int64_t each : {1, 2, 8, 31, 64, 65})
        for (const std::int64_t segments : {std::int64_t{2047}, kMany}) {
          if (bits == IntBits::k32 && storage == Storage::kI64) continue;
          INFO("storage " << static_cast<int>(storage) << ", " << segments << " of " << each);
          Segments s(bits, segments, each);
          const auto any = [&](std::int64_t) { return static_cast<std::int64_t>(random() % 255) - 127; };
          const std::int32_t x = s.w.pull(Pull::kElement, s.input(Type::kInt, storage, 0, any), Type::kInt);
          const std::int32_t y =
              s.by_segment(Pull::kPerSegment, Type::kInt, s.input(Type::kInt, storage, 3, any));
          const std::int32_t table = s.input(Type::kInt, storage, 3, any);
          const std::int32_t powers = s.scan_by(Scalar::kMul, y, Type::kInt);
          const std::int32_t places =
              s.w.apply(Scalar::kAdd, Type::kInt, s.by_segment(Pull::kWithin), s.w.number(3));
          const std::int32_t factor = s.w.gather(table, places, Type::kInt);
          const std::int32_t near = s.w.gather(table, s.by_segment(Pull::kSegment), Type::kInt);
          const auto times = [&](std::int32_t a, std::int32_t b) {
            return s.w.apply(Scalar::kMul, Type::kInt, a, b);
          };
          s.reduce_by(Scalar::kAdd, times(powers, times(factor, x)), Type::kInt);
          s.reduce_by(Scalar::kMax, s.w.apply(Scalar::kSub, Type::kInt, near, s.w.index()), Type::kInt);
          s.reduce_by(Scalar::kAnd, s.w.apply(Scalar::kLt, Type::kBool, x, y), Type::kBool);
          compare(s, each <= 64 && segments >= 2048 ? 1 : 0);
        }
}

TEST_CASE("FLOAT is combined from left to right in segments that are short enough for it") {
  constexpr double kOdd[] = {-0.0,
                             0.0,
                             1e300,
                             -1e300,
                             std::numeric_limits<double>::infinity(),
                             1.0,
                             1e-300,
                             std::numeric_limits<double>::quiet_NaN()};
  std::mt19937_64 random(6);
  for (const std::int64_t each : {1, 2, 7, 32, 33}) {
    INFO("segments of " << each);
    Segments s(IntBits::k64, kMany, each);
    const auto any = [&](std::int64_t i) {
      return i % 5 == 0 ? kOdd[random() % std::size(kOdd)] : static_cast<double>(random() % 1000) * 0.1;
    };
    const std::int32_t x =
        s.w.pull(Pull::kElement, s.input(Type::kFloat, Storage::kF64, 0, any), Type::kFloat);
    const std::int32_t before = s.scan_by(Scalar::kAdd, x, Type::kFloat);
    s.reduce_by(Scalar::kAdd, x, Type::kFloat);
    s.reduce_by(Scalar::kMin, x, Type::kFloat);
    s.reduce_by(Scalar::kMax, s.w.apply(Scalar::kMul, Type::kFloat, before, x), Type::kFloat);
    compare(s, each <= 32 ? 1 : 0);
  }
}

TEST_CASE("what follows the place in a segment alone is the same in all segments") {
  std::mt19937_64 random(8);
  const auto any = [&](std::int64_t) { return static_cast<std::int64_t>(random() % 255) - 127; };
  for (const IntBits bits : {IntBits::k64, IntBits::k32})
    for (const Storage storage : {Storage::kI8, Storage::kI32, Storage::kI64})
      for (const std::int64_t each : {1, 8, 32})
        for (const bool outside : {false, true}) {
          if (bits == IntBits::k32 && storage == Storage::kI64) continue;
          INFO("storage " << static_cast<int>(storage) << ", " << each << " each, outside " << outside);
          Segments s(bits, kMany, each);
          const auto place = [&](std::int64_t i) { return i == each - 1 && outside ? kMany : i * 3 % 100; };
          const std::int32_t list = s.input(Type::kInt, s.ints(), 3, place);
          const std::int32_t numbers = s.input(Type::kInt, storage, 3, any);
          const std::int32_t reals = s.input(Type::kFloat, Storage::kF64, 3, any);
          const std::int32_t flags =
              s.input(Type::kBool, Storage::kB8, 3, [](std::int64_t i) { return i % 2; });
          const std::int32_t y =
              s.by_segment(Pull::kPerSegment, Type::kInt, s.input(Type::kInt, storage, 3, any));
          const std::int32_t powers = s.scan_by(Scalar::kMul, y, Type::kInt);
          const std::int32_t index = s.w.gather(list, s.by_segment(Pull::kWithin), Type::kInt);
          const std::int32_t number = s.w.gather(numbers, index, Type::kInt);  // looked up twice
          const std::int32_t real =
              s.w.apply(Scalar::kMul, Type::kFloat, s.w.gather(reals, index, Type::kFloat),
                        s.w.apply(Scalar::kItoF, Type::kFloat, number));
          const std::int32_t flag =
              s.w.apply(Scalar::kAnd, Type::kBool, s.w.gather(flags, index, Type::kBool),
                        s.w.apply(Scalar::kLt, Type::kBool, number, s.w.number(100)));
          const std::int32_t other = s.w.apply(Scalar::kLt, Type::kBool, y, number);
          s.reduce_by(Scalar::kAdd, s.w.apply(Scalar::kMul, Type::kInt, powers, number), Type::kInt);
          s.reduce_by(Scalar::kAdd,
                      s.w.apply(Scalar::kMul, Type::kFloat, s.w.apply(Scalar::kItoF, Type::kFloat, y), real),
                      Type::kFloat);
          s.reduce_by(Scalar::kXor, s.w.apply(Scalar::kAnd, Type::kBool, flag, other), Type::kBool);
          s.reduce_by(Scalar::kMax, number, Type::kInt);  // the same in all of them
          compare(s, 1);
        }
}

TEST_CASE("values by place are computed in front of the loops, and taken from a table") {
  Segments s(IntBits::k64, kMany, 8);
  const std::int32_t y = s.by_segment(
      Pull::kPerSegment, Type::kInt, s.input(Type::kInt, Storage::kI32, 3, [](std::int64_t i) { return i; }));
  const std::int32_t within = s.by_segment(Pull::kWithin);
  const std::int32_t looked_up =
      s.w.gather(s.input(Type::kInt, Storage::kI32, 3, [](std::int64_t i) { return i; }), within, Type::kInt);
  const std::int32_t small = s.w.apply(Scalar::kLt, Type::kBool, looked_up, s.w.number(5));
  const std::int32_t product = s.w.apply(Scalar::kMul, Type::kInt, looked_up, y);
  const std::int32_t chosen = s.w.apply(Scalar::kSelect, Type::kInt, small, product, y);
  vm::cpu::OuterSpec outer;
  outer.folds.push_back({0, chosen, Scalar::kAdd, Type::kInt, soac::kNone, Storage::kI64});
  vm::cpu::StageSpec spec;
  spec.body = &s.w.body;
  spec.vars = &s.plan.vars;
  spec.outer = &outer;
  const auto where = [&](bool in_front, bool tabled, bool inside, std::int32_t v) {
    const auto values = values_by_place(spec, needed_values(spec));
    const auto at = static_cast<std::size_t>(v);
    return values.in_front[at] == in_front && values.tabled[at] == tabled && values.inside[at] == inside;
  };
  CHECK(where(true, false, false, within));
  CHECK(where(true, true, false, looked_up));
  CHECK(where(true, false, true, small));  // BOOL is in no table
  CHECK(where(false, false, true, product));
  CHECK(where(false, false, true, chosen));
  CHECK(where(false, false, false, y));  // in front of the elements
  outer.many = true;
  CHECK(values_by_place(spec, needed_values(spec)).tabled.empty());
}

TEST_CASE("elements that are only added up are read in their order") {
  Segments s(IntBits::k64, kMany, 5);
  const std::int32_t x = s.input(Type::kInt, Storage::kI32, 0, [](std::int64_t i) { return i; });
  s.reduce_by(Scalar::kAdd, s.w.pull(Pull::kElement, x, Type::kInt), Type::kInt);
  compare(s, 0);
}

TEST_CASE("what traps in a lane that counts traps, and in no other") {
  for (const bool bad : {false, true}) {
    Segments s(IntBits::k64, kMany, 3);
    const std::int32_t table = s.input(Type::kInt, Storage::kI32, 3, [](std::int64_t i) { return i; });
    const std::int32_t by = s.w.apply(Scalar::kDiv, Type::kInt, s.w.index(), s.w.number(3));
    const std::int32_t past = s.w.apply(Scalar::kAdd, Type::kInt, by, s.w.number(bad ? 1 : 0));
    s.reduce_by(Scalar::kAdd, s.w.gather(table, past, Type::kInt), Type::kInt);
    compare(s, 1);
  }
}

TEST_CASE("one index for all is one place in a vector, and one in each segment of it") {
  for (const bool by_segment : {false, true}) {
    Segments s(IntBits::k64, kMany, 3);
    const std::int32_t x = s.input(Type::kInt, Storage::kI32, 0, [](std::int64_t i) { return 7 * i; });
    soac::BodyInst in{by_segment ? Pull::kSegGather : Pull::kGather, Type::kInt};
    in.var = x;
    in.a = s.w.number(2);
    if (by_segment) in.desc = in.desc2 = s.desc;
    const std::int32_t picked = s.w.body.add(in);
    s.store(s.w.apply(Scalar::kSub, Type::kInt, picked, s.w.index()), Type::kInt, Storage::kI64, 0,
            soac::kNone);
    compare(s, 0);
  }
}

namespace {

// Places that begin at a number for each segment and go up by `stride`.
struct Steps : Segments {
  Steps(IntBits bits, std::int64_t segments, std::int64_t each) : Segments(bits, segments, each) {}
  plan::LengthId length(std::int64_t n) {
    plan.lengths.push_back(plan::LengthKind::kBound);
    bindings.lengths.push_back(n);
    return static_cast<plan::LengthId>(plan.lengths.size() - 1);
  }
  template <typename Start>
  std::int32_t places(std::int32_t stride, Start start) {
    const std::int32_t first = by_segment(Pull::kPerSegment, Type::kInt, input(Type::kInt, ints(), 3, start));
    const std::int32_t up = w.apply(Scalar::kMul, Type::kInt, stride, by_segment(Pull::kWithin));
    return w.apply(Scalar::kAdd, Type::kInt, up, first);
  }
};

double odd_or_any(std::mt19937_64& random, std::int64_t i) {
  constexpr double kOdd[] = {-0.0,   1e300,
                             -1e300, std::numeric_limits<double>::infinity(),
                             1e-300, std::numeric_limits<double>::quiet_NaN()};
  return i % 97 == 0 ? kOdd[random() % std::size(kOdd)] : static_cast<double>(random() % 1000) * 0.1;
}

}  // namespace

TEST_CASE("segments of many elements take a lane each where places step over elements") {
  std::mt19937_64 random(7);
  for (const IntBits bits : {IntBits::k64, IntBits::k32})
    for (const std::int64_t each : {33, 48, 2051}) {
      if (bits == IntBits::k32 && each > 48) continue;
      INFO("segments of " << each);
      Steps s(bits, kMany, each);
      const plan::LengthId rows = s.length(kMany + 3 * each), narrow = s.length(64 + each);
      const auto real = [&](std::int64_t i) { return odd_or_any(random, i); };
      const auto small = [&](std::int64_t) { return static_cast<std::int64_t>(random() % 255) - 127; };
      const std::int32_t matrix = s.input(Type::kFloat, Storage::kF64, rows, real);
      const std::int32_t vector = s.input(Type::kFloat, Storage::kF64, narrow, real);
      const std::int32_t bytes = s.input(Type::kInt, Storage::kI8, narrow, small);
      const std::int32_t words = s.input(Type::kInt, Storage::kI32, rows, small);
      const auto number = [](std::int64_t i) { return i; };
      const auto up = s.places(s.w.uniform(s.add_number(3)), number);  // neighbours
      const auto down =
          s.places(s.w.number(-3), [&](std::int64_t i) { return i * 7919 % kMany + 3 * each - 3; });
      const auto alike = s.places(s.w.number(1), [](std::int64_t i) { return i / 100; });  // mostly
      const std::int32_t x = s.w.gather(matrix, up, Type::kFloat),
                         y = s.w.gather(vector, alike, Type::kFloat);
      const std::int32_t product = s.w.apply(Scalar::kMul, Type::kFloat, x, y);
      s.reduce_by(Scalar::kAdd, product, Type::kFloat);
      if (each <= 48) {
        s.reduce_by(Scalar::kMax, s.w.gather(matrix, down, Type::kFloat), Type::kFloat);
        const std::int32_t a = s.w.gather(words, down, Type::kInt), b = s.w.gather(bytes, alike, Type::kInt);
        s.reduce_by(Scalar::kAdd, s.w.apply(Scalar::kMul, Type::kInt, a, b), Type::kInt);
        s.reduce_by(Scalar::kOr, s.w.apply(Scalar::kLt, Type::kBool, x, y), Type::kBool);
      }
      compare(s, 1);
    }
}

TEST_CASE("segments that read the same again are taken in tiles") {
  for (const auto& [turn, each] : {std::pair<std::int64_t, std::int64_t>{16, 70}, {100, 700}, {1001, 70}}) {
    INFO("every " << turn << ", segments of " << each);
    Steps s(IntBits::k64, kMany, each);
    const auto real = [](std::int64_t i) { return static_cast<double>(i % 1009) * 0.3; };
    const std::int32_t a = s.input(Type::kFloat, Storage::kF64, s.length((kMany / turn + 1) * each), real);
    const std::int32_t b = s.input(Type::kFloat, Storage::kF64, s.length(turn * each), real);
    const auto row = s.places(s.w.number(1), [&](std::int64_t i) { return i / turn * each; });
    const auto column = s.places(s.w.uniform(s.add_number(turn)), [&](std::int64_t i) { return i % turn; });
    s.reduce_by(Scalar::kAdd,
                s.w.apply(Scalar::kMul, Type::kFloat, s.w.gather(a, row, Type::kFloat),
                          s.w.gather(b, column, Type::kFloat)),
                Type::kFloat);
    s.reduce_by(Scalar::kMax, s.by_segment(Pull::kSegment), Type::kInt);
    const bool cached = turn * each <= 1 << 16;
    compare(s, cached ? 1 : 0, cached ? 0 : 1);
  }
}

TEST_CASE("a stride of its own for each segment") {
  Steps s(IntBits::k64, kMany, 40);
  const std::int32_t strides =
      s.input(Type::kInt, Storage::kI32, 3, [](std::int64_t i) { return i == 0 ? 2 : i % 3 - 1; });
  const auto places =
      s.places(s.by_segment(Pull::kPerSegment, Type::kInt, strides), [](std::int64_t i) { return 40 + i; });
  const auto real = [](std::int64_t i) { return static_cast<double>(i) * 0.3; };
  s.reduce_by(
      Scalar::kAdd,
      s.w.gather(s.input(Type::kFloat, Storage::kF64, s.length(kMany + 200), real), places, Type::kFloat),
      Type::kFloat);
  compare(s, 1);
}

TEST_CASE("neighbours in a long segment are read in its order") {
  Steps s(IntBits::k64, kMany, 40);
  const auto places = s.places(s.w.number(1), [](std::int64_t i) { return i; });
  const auto real = [](std::int64_t i) { return static_cast<double>(i) * 0.3; };
  s.reduce_by(
      Scalar::kAdd,
      s.w.gather(s.input(Type::kFloat, Storage::kF64, s.length(kMany + 40), real), places, Type::kFloat),
      Type::kFloat);
  compare(s, 0);
}

TEST_CASE("places that leave their vector in a long segment trap, wherever they do and come back") {
  constexpr std::int64_t kEach = 81, kLength = kMany + 2 * kEach;
  constexpr std::int64_t kAround = std::numeric_limits<std::int64_t>::min();
  struct Case {
    std::int64_t stride, first, of_last;  // where segments begin, and one of them
    bool fine;
  };
  for (const Case c : {Case{2, 0, kMany - 1, true}, Case{2, 0, kLength - 2 * kEach + 2, false},
                       Case{2, 0, -1, false}, Case{-2, 2 * kEach - 2, 2 * kEach - 3, false},
                       Case{kAround, 0, 7, false}, Case{kLength, 0, 0, false}, Case{-kLength, 0, 0, false}}) {
    INFO("stride " << c.stride << ", one begins at " << c.of_last);
    Steps s(IntBits::k64, kMany, kEach);
    const auto places = s.places(s.w.uniform(s.add_number(c.stride)),
                                 [&](std::int64_t i) { return i == kMany - 2 ? c.of_last : c.first + i; });
    const auto number = [](std::int64_t i) { return i % 1000; };
    const std::int32_t x = s.input(Type::kInt, Storage::kI32, s.length(kLength), number);
    s.reduce_by(Scalar::kAdd, s.w.gather(x, places, Type::kInt), Type::kInt);
    const plan::Plan plan = s.finished();
    testing::Bindings wanted = s.bindings;
    REQUIRE(evaluate(plan, wanted) == c.fine);
    compare(s, 1);
  }
}

TEST_CASE("segments without elements are left to the other code") {
  Segments s(IntBits::k64, kMany, 0);
  s.reduce_by(Scalar::kMax, s.w.index(), Type::kInt);
  compare(s, 0);
}
