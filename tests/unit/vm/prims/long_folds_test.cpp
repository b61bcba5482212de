// FLOAT folds of segments with more than 2048 blocks, and of those whose lanes are not all full.
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

// Elements that fill only some lanes are combined there, and no others are combined.
TEST_CASE("left-over elements are combined in their lanes", "[tree]") {
  const double special[] = {-0.0, 0.0, INFINITY, -INFINITY, NAN, 1e308, -1e308, 5e-324};
  std::mt19937_64 rng(2);
  for (std::int64_t n = 33; n <= 100; ++n) {
    const Lengths lengths = {n, n, n};
    Floats x;
    for (std::int64_t i = 0; i < 3 * n; ++i)  // the first are all -0, the last are anything
      x.push_back(i < n                          ? -0.0
                  : i >= 2 * n && rng() % 4 == 0 ? special[rng() % 8]
                                                 : 0.1 * static_cast<double>(i));
    Pool pool;
    Vector v = pool.vector(Storage::kF64, 3 * n);
    std::copy(x.begin(), x.end(), v.mutable_data<double>());
    for (const auto& [scalar, op] : {std::pair(Scalar::kAdd, Op::kAddReduce),
                                     {Scalar::kMul, Op::kMulReduce},
                                     {Scalar::kMax, Op::kMaxReduce},
                                     {Scalar::kMin, Op::kMinReduce}}) {
      const Floats want = testing::folded(scalar, false, x, lengths);
      for (const Isa isa : {Isa::kPortable, Isa::kAvx2, Isa::kAvx512}) {
        if (isa > best_isa()) continue;
        PrimContext context;
        context.pool = &pool;
        context.isa = isa;
        std::vector<Value> operands = {v, Segdes::regular(3, n)}, results(1);
        run_primitive(context, op, TypeWord::kFloat, operands, results);
        const auto* got = std::get<Vector>(results[0]).data<double>();
        INFO(n << " elements, " << op_info(op).text << ", " << static_cast<int>(isa));
        for (std::size_t k = 0; k < 3; ++k)
          CHECK((std::isnan(want[k])
                     ? std::isnan(got[k])
                     : std::bit_cast<std::uint64_t>(want[k]) == std::bit_cast<std::uint64_t>(got[k])));
      }
    }
  }
}

}  // namespace
}  // namespace nvm::vm
