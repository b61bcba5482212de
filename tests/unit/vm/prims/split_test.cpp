// PERMUTE by permutations that part a vector in two, and by near misses, against a loop; slices by BPERMUTE.
#include <catch2/catch.hpp>

#include "vm/prims/prims.h"

using namespace nvm;
using namespace nvm::vm;

namespace {

struct Fixture {
  Pool pool;
  PrimContext context;
  Fixture(IntBits bits, Isa isa) {
    context.pool = &pool;
    context.int_bits = bits;
    context.isa = isa;
    context.threads = 2;
    context.grain = 100;
  }
  [[nodiscard]] Vector ints(const std::vector<std::int64_t>& x) const {
    return int_vector(*context.pool, x, context.int_bits == IntBits::k32 ? Storage::kI32 : Storage::kI64);
  }
  [[nodiscard]] Vector run(Op op, TypeWord word, std::vector<Value> operands) const {
    Value result[1];
    run_primitive(context, op, word, operands, result);
    return std::get<Vector>(result[0]);
  }
  void check_permute(const std::vector<std::int64_t>& idx) const {
    const auto n = static_cast<std::int64_t>(idx.size());
    std::vector<std::int64_t> numbers;
    std::vector<double> reals;
    for (std::int64_t i = 0; i < n; ++i) {
      numbers.push_back(i * 7 - 3);
      reals.push_back(static_cast<double>(i) + 0.25);
    }
    std::vector<std::int64_t> placed(idx.size(), 0);
    std::vector<double> placed_reals(idx.size(), 0.0);
    for (std::size_t i = 0; i < idx.size(); ++i) {
      placed[static_cast<std::size_t>(idx[i])] = numbers[i];
      placed_reals[static_cast<std::size_t>(idx[i])] = reals[i];
    }
    const Segdes s = Segdes::regular(1, n);
    const Vector a = run(Op::kPermute, TypeWord::kInt, {ints(numbers), ints(idx), s});
    const Vector b = run(Op::kPermute, TypeWord::kFloat, {float_vector(*context.pool, reals), ints(idx), s});
    for (std::int64_t i = 0; i < n; ++i) {
      REQUIRE(a.int_at(i) == placed[static_cast<std::size_t>(i)]);
      REQUIRE(b.float_at(i) == placed_reals[static_cast<std::size_t>(i)]);
    }
  }
};

// Where the elements go if those with flag go behind the others.
std::vector<std::int64_t> parted(std::int64_t n, std::uint64_t seed) {
  std::vector<bool> flags;
  std::int64_t high = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    seed = seed * 6364136223846793005 + 1442695040888963407;
    flags.push_back((seed >> 60) < 5);
    high += flags.back() ? 0 : 1;
  }
  std::int64_t low = 0;
  std::vector<std::int64_t> idx;
  for (const bool flag : flags) idx.push_back(flag ? high++ : low++);
  return idx;
}

}  // namespace

TEST_CASE("permutations that part a vector") {
  const Fixture f(GENERATE(IntBits::k32, IntBits::k64), GENERATE(Isa::kPortable, best_isa()));
  for (const std::int64_t n : {2, 63, 64, 65, 200, 1000, 5003}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      std::vector<std::int64_t> idx = parted(n, seed);
      f.check_permute(idx);
      std::swap(idx[idx.size() / 2], idx[idx.size() - 1]);  // no longer in order
      f.check_permute(idx);
      idx[idx.size() / 3] = idx[idx.size() / 2];  // two to one place
      f.check_permute(idx);
    }
  }
}

TEST_CASE("a wild index in a permutation that parts is a fault") {
  const Fixture f(IntBits::k32, best_isa());
  for (const std::int64_t wild : {std::int64_t{-1}, std::int64_t{1000}, std::int64_t{1} << 30}) {
    std::vector<std::int64_t> idx = parted(1000, 4);
    idx[900] = wild;
    CHECK_THROWS_AS(f.run(Op::kPermute, TypeWord::kInt, {f.ints(idx), f.ints(idx), Segdes::regular(1, 1000)}),
                    Fault);
  }
}

TEST_CASE("slices by BPERMUTE") {
  const Fixture f(GENERATE(IntBits::k32, IntBits::k64), GENERATE(Isa::kPortable, best_isa()));
  constexpr std::int64_t kLength = 5000;
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < kLength; ++i) numbers.push_back(i * i);
  for (const std::int64_t first : {0, 1, 1000})
    for (const std::int64_t n : {2, 15, 16, 1024, 3001, 4000}) {
      std::vector<std::int64_t> idx;
      for (std::int64_t i = 0; i < n; ++i) idx.push_back(first + i);
      const Vector v =
          f.run(Op::kBpermute, TypeWord::kInt,
                {f.ints(numbers), f.ints(idx), Segdes::regular(1, kLength), Segdes::regular(1, n)});
      for (std::int64_t i = 0; i < n; ++i) REQUIRE(v.int_at(i) == (first + i) * (first + i));
      idx.back() = kLength;
      CHECK_THROWS_AS(
          f.run(Op::kBpermute, TypeWord::kInt,
                {f.ints(numbers), f.ints(idx), Segdes::regular(1, kLength), Segdes::regular(1, n)}),
          Fault);
    }
}
