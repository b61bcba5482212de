// FLOAT folds of segments with more than 2048 blocks.
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "tests/support/fixed_tree.h"
#include "vm/prims/prims.h"

namespace nvm::vm {
namespace {

using testing::Floats;
using testing::Lengths;

// The longest, one that ends with its second superblock, and some that know no superblocks.
const Lengths kLengths = {100, 2048 * (2048 + 39) + 5, 7, 3000, 2 * 2048 * 2048, 4000};

Floats drawn() {
  std::mt19937_64 rng(1);
  std::int64_t total = 0;
  for (const std::int64_t n : kLengths) total += n;
  Floats x;
  for (std::int64_t i = 0; i < total; ++i)
    x.push_back(std::ldexp(static_cast<double>(rng() % 2001) - 1000, static_cast<int>(rng() % 40)));
  return x;
}

TEST_CASE("the totals of long segments are combined by the fixed tree", "[tree]") {
  const Floats x = drawn();
  Pool pool;
  const auto total = static_cast<std::int64_t>(x.size());
  Vector v = pool.vector(Storage::kF64, total);
  std::copy(x.begin(), x.end(), v.mutable_data<double>());
  const Segdes s = Segdes::from_lengths(int_vector(pool, kLengths, Storage::kI64), total);
  for (const bool scan : {false, true}) {
    const Floats want = testing::folded(Scalar::kAdd, scan, x, kLengths);
    for (const Isa isa : {Isa::kPortable, best_isa()}) {
      for (const int threads : {1, 2, 3}) {
        PrimContext context;
        context.pool = &pool;
        context.isa = isa;
        context.threads = threads;
        std::vector<Value> operands = {v, s}, results(1);
        run_primitive(context, scan ? Op::kAddScan : Op::kAddReduce, TypeWord::kFloat, operands, results);
        const auto& got = std::get<Vector>(results[0]);
        INFO(scan << " " << threads);
        REQUIRE(got.length() == static_cast<std::int64_t>(want.size()));
        CHECK(std::equal(want.begin(), want.end(), got.data<double>(), [](double a, double b) {
          return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
        }));
      }
    }
  }
}

}  // namespace
}  // namespace nvm::vm
