// Scatters that combine: which way they go, whose memory they take, what they say of wrong indices.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/fast_paths.h"
#include "vm/data/compare.h"
#include "vm/prims/prims.h"

using namespace nvm;
using namespace nvm::vm;
using testing::check_taken;

namespace {

using Numbers = std::vector<std::int64_t>;
using Reals = std::vector<double>;
constexpr TypeWord kI = TypeWord::kInt, kF = TypeWord::kFloat;

struct Fixture {
  explicit Fixture(int threads = 3) {
    context.pool = &pool;
    context.isa = best_isa();
    context.threads = threads;
    context.grain = 64;
    context.fast_paths = &fast_paths;
  }
  [[nodiscard]] Vector ints(const Numbers& x, Storage storage = Storage::kI64) {
    return int_vector(pool, x, storage);
  }
  [[nodiscard]] Vector floats(const Reals& x) { return float_vector(pool, x); }
  Vector run(Op op, TypeWord word, std::vector<Value> operands) {
    Value result;
    run_primitive(context, op, word, operands, {&result, 1});
    return std::get<Vector>(result);
  }
  // Of one segment to one.
  Vector run_one(Op op, TypeWord word, Vector v, Vector at, Vector d) {
    const Segdes from = Segdes::regular(1, v.length()), to = Segdes::regular(1, d.length());
    std::vector<Value> operands;  // with no copies, which would share their memory
    for (Vector* x : {&v, &at, &d}) operands.emplace_back(std::move(*x));
    operands.emplace_back(from);
    operands.emplace_back(to);
    return run(op, word, std::move(operands));
  }
  std::string fault(Op op, TypeWord word, std::vector<Value> operands) {
    try {
      run(op, word, std::move(operands));
    } catch (const Fault& fault) {
      return fault.message;
    }
    return "no fault";
  }

  Pool pool;
  FastPathCounts fast_paths;
  PrimContext context;
};

constexpr std::int64_t kMany = 300'000;

Numbers places(std::int64_t bins) {
  Numbers at;
  for (std::int64_t i = 0; i < kMany; ++i) at.push_back(i * 7919 % bins);
  return at;
}
Reals reals() {
  Reals x;
  for (std::int64_t i = 0; i < kMany; ++i) x.push_back(1.0 / static_cast<double>(1 + i * 31 % 1000) - 0.3);
  return x;
}

}  // namespace

TEST_CASE("several threads combine into copies of few places, or each a range of many") {
  for (const auto& [bins, path] : {std::pair{std::int64_t{1}, FastPath::kCombineCopies},
                                   std::pair{std::int64_t{10}, FastPath::kCombineCopies},
                                   std::pair{std::int64_t{200'000}, FastPath::kCombineRanges}}) {
    const Numbers at = places(bins);
    Numbers want(static_cast<std::size_t>(bins), 5), values;
    for (std::size_t i = 0; i < at.size(); ++i) {
      values.push_back(static_cast<std::int64_t>(i) % 100);
      want[static_cast<std::size_t>(at[i])] += values[i];
    }
    Fixture f;
    const Vector got = f.run_one(Op::kAddDpermute, kI, f.ints(values, Storage::kI8), f.ints(at),
                                 f.ints(Numbers(static_cast<std::size_t>(bins), 5)));
    CHECK(difference(got, f.ints(want)).empty());
    check_taken(f.fast_paths, {path});
  }
}

TEST_CASE("the bits of FLOATs are those of one after the other, for any number of threads") {
  const Reals x = reals();
  for (const std::int64_t bins : {1, 7, 100'000}) {
    const Numbers at = places(bins);
    Reals want(static_cast<std::size_t>(bins), 0.25);
    for (std::size_t i = 0; i < at.size(); ++i) want[static_cast<std::size_t>(at[i])] += x[i];
    for (const int threads : {1, 2, 5}) {
      Fixture f(threads);
      const Vector got = f.run_one(Op::kAddDpermute, kF, f.floats(x), f.ints(at, Storage::kI32),
                                   f.floats(Reals(static_cast<std::size_t>(bins), 0.25)));
      CHECK(difference(got, f.floats(want)).empty());
      // Two threads gain nothing where all places stay in a cache.
      const bool ranges = threads > 3 || (threads > 1 && bins == 100'000);
      CHECK((f.fast_paths[FastPath::kCombineRanges] > 0) == ranges);
    }
  }
}

TEST_CASE("one value for all is not written out, nor are defaults before they are copied") {
  const Numbers at = places(1000);
  for (const int threads : {1, 3}) {
    Fixture f(threads);
    const Vector got = f.run_one(Op::kAddDpermute, kI, Vector::repeated(Vector::of_int(1), kMany), f.ints(at),
                                 Vector::repeated(Vector::of_int(0), 1000));
    CHECK(difference(got, f.ints(Numbers(1000, kMany / 1000))).empty());
    CHECK(f.fast_paths[FastPath::kCombineRepeated] == 1);
  }
}

TEST_CASE("the result takes over the defaults' memory if nobody else reads them") {
  Fixture f;
  Vector d = f.ints({10, 20, 30});
  const std::byte* const memory = d.raw();
  const Vector kept = f.run_one(Op::kMaxDpermute, kI, f.ints({25, 1}), f.ints({1, 1}), d);
  CHECK(kept.raw() != memory);
  CHECK(difference(d, f.ints({10, 20, 30})).empty());
  const Vector taken = f.run_one(Op::kMaxDpermute, kI, f.ints({25, 1}), f.ints({1, 1}), std::move(d));
  CHECK(taken.raw() == memory);
  CHECK(difference(taken, f.ints({10, 25, 30})).empty());
}

TEST_CASE("sums and products wrap as INT does, however narrow what they are of is stored") {
  Fixture f;
  const auto sum = [&] {
    return f.run_one(Op::kAddDpermute, kI, f.ints({1, 1}, Storage::kI8), f.ints({0, 0}),
                     f.ints({INT32_MAX, 0}, Storage::kI32));
  };
  CHECK(sum().int_at(0) == std::int64_t{INT32_MAX} + 2);
  f.context.int_bits = IntBits::k32;
  CHECK(sum().int_at(0) == INT32_MIN + 1);
}

TEST_CASE(
    "of two values the reductions' choice, from the left: NaN stays only if it is last, and the later zero") {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  Fixture f;
  const Vector got = f.run_one(Op::kMaxDpermute, kF, f.floats({kNan, 1.0, 5.0, kNan, -0.0}),
                               f.ints({0, 0, 1, 1, 2}), f.floats({9.0, 3.0, 0.0}));
  CHECK(got.float_at(0) == 1.0);
  CHECK(got.float_at(1) != got.float_at(1));
  CHECK(std::signbit(got.float_at(2)));
}

TEST_CASE(
    "segments are combined by themselves, an index outside of its own is an error, and the first is told") {
  Fixture f;
  const Segdes from = Segdes::from_lengths(f.ints({3, 0, 2}), 5),
               to = Segdes::from_lengths(f.ints({2, 0, 1}), 3);
  const auto run = [&](const Numbers& at) {
    return std::vector<Value>{f.ints({1, 2, 4, 8, 16}), f.ints(at), f.ints({100, 200, 300}), from, to};
  };
  CHECK(difference(f.run(Op::kAddDpermute, kI, run({1, 1, 0, 0, 0})), f.ints({104, 203, 324})).empty());
  CHECK(f.fault(Op::kAddDpermute, kI, run({1, 1, 0, 1, -1})) ==
        "index out of range in +_DPERMUTE: index 1 at position 3, segment 2 has 1 element");
  for (const std::int64_t bins : {10, 200'000}) {
    Numbers at = places(bins);
    at[250'000] = -1;
    at[100'001] = bins;
    const Numbers d(static_cast<std::size_t>(bins), 0);
    CHECK(f.fault(Op::kMinDpermute, kI,
                  {f.ints(at), f.ints(at), f.ints(d), Segdes::regular(1, kMany), Segdes::regular(1, bins)}) ==
          "index out of range in MIN_DPERMUTE: index " + std::to_string(bins) +
              " at position 100001, segment 0 has " + std::to_string(bins) + " elements");
  }
}

TEST_CASE("nothing to combine leaves the defaults, and no place takes anything") {
  Fixture f;
  CHECK(difference(f.run_one(Op::kOrDpermute, kI, f.ints({}), f.ints({}), f.ints({1, 2})), f.ints({1, 2}))
            .empty());
  CHECK(f.run_one(Op::kOrDpermute, kI, f.ints({}), f.ints({}), f.ints({})).length() == 0);
  CHECK(f.fault(Op::kOrDpermute, kI,
                {f.ints({1, 2}), f.ints({0, 0}), f.ints({}), Segdes::regular(1, 2), Segdes::regular(1, 0)}) ==
        "index out of range in OR_DPERMUTE: index 0 at position 0, segment 0 has 0 elements");
}
