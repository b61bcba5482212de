// Moves of vectors that are written, each by the way that is there for it; equal elements computed once.
#include <catch2/catch.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "tests/support/fast_paths.h"
#include "vm/data/compare.h"
#include "vm/prims/prims.h"
#include "vm/prims/repeated.h"

using namespace nvm;
using namespace nvm::vm;
using testing::check_taken;

namespace {

using Numbers = std::vector<std::int64_t>;

struct Fixture {
  Fixture() {
    context.pool = &pool;
    context.isa = best_isa();
    context.threads = 3;
    context.grain = 64;
    context.fast_paths = &fast_paths;
  }
  [[nodiscard]] Vector vector(const Numbers& x) { return int_vector(pool, x, Storage::kI32); }
  Value run(Op op, std::vector<Value> operands) {
    Value result;
    run_primitive(context, op, TypeWord::kInt, operands, {&result, 1});
    return result;
  }
  // PERMUTE puts x[i] at places[i] of its segment, by the way `path`.
  void check_permute(const Numbers& places, const Segdes& s, FastPath path) {
    Numbers x(places.size());
    std::iota(x.begin(), x.end(), 1000);
    Numbers want(places.size());
    for (std::int64_t k = 0; k < s.segments(); ++k)
      for (std::int64_t i = s.offset(k); i < s.offset(k) + s.length(k); ++i)
        want[static_cast<std::size_t>(s.offset(k) + places[static_cast<std::size_t>(i)])] =
            x[static_cast<std::size_t>(i)];
    CHECK(difference(run(Op::kPermute, {vector(x), vector(places), s}), vector(want)).empty());
    check_taken(fast_paths, {path});
  }

  Pool pool;
  FastPathCounts fast_paths;
  PrimContext context;
};

template <typename F>
Numbers numbers(std::int64_t n, F f) {
  Numbers x;
  for (std::int64_t i = 0; i < n; ++i) x.push_back(f(i));
  return x;
}
Numbers counted(std::int64_t n, std::int64_t from = 0) {
  return numbers(n, [&](std::int64_t i) { return from + i; });
}

}  // namespace

TEST_CASE("PERMUTE goes the way that its places allow") {
  constexpr std::int64_t n = 30'000;
  const Segdes one = Segdes::regular(1, n);
  const auto shuffled = [](std::int64_t i, std::int64_t of) { return i * 7919 % of; };
  Fixture().check_permute(counted(n), one, FastPath::kMoveNothing);
  Fixture().check_permute(numbers(n, [](std::int64_t i) { return (i + n / 3) % n; }), one,
                          FastPath::kMoveRuns);
  Fixture().check_permute(numbers(n, [](std::int64_t i) { return i % 2 == 0 ? i / 2 : n / 2 + i / 2; }), one,
                          FastPath::kMoveSplit);
  constexpr std::int64_t many = 300'000, third = many / 3;
  Fixture().check_permute(numbers(many, [&](std::int64_t i) { return shuffled(i, many); }),
                          Segdes::regular(1, many), FastPath::kScatterRanges);
  // Two threads gain nothing where all places stay in a cache.
  for (const std::int64_t few : {400, 40'000}) {
    Fixture f;
    f.context.threads = 2;
    const Vector at = f.vector(numbers(few, [&](std::int64_t i) { return shuffled(i, few); }));
    static_cast<void>(f.run(Op::kPermute, {at, at, Segdes::regular(1, few)}));
    CHECK((f.fast_paths[FastPath::kScatterRanges] > 0) == (few == 40'000));
  }
  Fixture().check_permute(
      numbers(many, [&](std::int64_t i) { return i / third * third + shuffled(i % third, third); }),
      Segdes::regular(1, many), FastPath::kScatterDisjoint);
  Fixture().check_permute(numbers(many, [](std::int64_t i) { return third - 1 - i % third; }),
                          Segdes::regular(3, third), FastPath::kScatterSegments);
}

TEST_CASE("one element of each segment") {
  constexpr std::int64_t k = 500, n = 3;
  const Segdes ones = Segdes::regular(k, 1), s = Segdes::regular(k, n);
  const Numbers at = numbers(k, [](std::int64_t i) { return i % n; });
  Fixture f;
  CHECK(difference(f.run(Op::kBpermute, {f.vector(counted(k * n)), f.vector(at), s, ones}),
                   f.vector(numbers(k, [](std::int64_t i) { return i * n + i % n; })))
            .empty());
  check_taken(f.fast_paths, {FastPath::kGatherSingles});
  CHECK(difference(
            f.run(Op::kDpermute,
                  {f.vector(counted(k, 7000)), f.vector(at), f.vector(Numbers(k * n, 5)), ones, s}),
            f.vector(numbers(k * n, [](std::int64_t i) { return i / n % n == i % n ? 7000 + i / n : 5; })))
            .empty());
  check_taken(f.fast_paths, {FastPath::kScatterSingles});
}

TEST_CASE("the same element of each segment") {
  constexpr std::int64_t k = 500, n = 3;
  const Segdes s = Segdes::regular(k, n);
  const Value second = Vector::repeated(Vector::of_int(1), k);
  Fixture f;
  CHECK(difference(f.run(Op::kExtract, {f.vector(counted(k * n)), second, s}),
                   f.vector(numbers(k, [](std::int64_t i) { return i * n + 1; })))
            .empty());
  check_taken(f.fast_paths, {FastPath::kExtractAt});
  CHECK(difference(f.run(Op::kReplace, {f.vector(counted(k * n)), second, f.vector(counted(k, 7000)), s}),
                   f.vector(numbers(k * n, [](std::int64_t i) { return i % n == 1 ? 7000 + i / n : i; })))
            .empty());
  check_taken(f.fast_paths, {FastPath::kReplaceAt});
}

TEST_CASE("a part lies in the memory of the whole") {
  Fixture f;
  const Vector v = f.vector(counted(10'000));
  const Value part = f.run(Op::kBpermute, {v, f.vector(counted(6'000, 100)), Segdes::regular(1, 10'000),
                                           Segdes::regular(1, 6'000)});
  CHECK(difference(part, f.vector(counted(6'000, 100))).empty());
  CHECK(std::get<Vector>(part).place() == v.place() + 100 * sizeof(std::int32_t));
  check_taken(f.fast_paths, {FastPath::kSharePart});
}

TEST_CASE("equal elements are computed once, and written for those who read them") {
  Fixture f;
  Value operands[2] = {Vector::repeated(Vector::of_int(3), 1000), Vector::repeated(Vector::of_int(4), 1000)};
  Value sum;
  REQUIRE(run_repeated({f.context, Op::kAdd, TypeWord::kInt, operands, &sum}));
  CHECK(std::get<Vector>(sum).is_repeated());
  check_taken(f.fast_paths, {FastPath::kComputeRepeated, FastPath::kLeaveRepeated});
  write_repeated(f.context, sum);
  CHECK(difference(sum, f.vector(Numbers(1000, 7))).empty());
  CHECK_FALSE(std::get<Vector>(sum).is_repeated());
  check_taken(f.fast_paths, {FastPath::kWriteRepeated});
}
