// For tests of vectors that are not written: random operands, and instructions executed with and without
// formulas.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/property/fast_paths.h"
#include "tests/property/gen_segdes.h"
#include "vm/data/compare.h"
#include "vm/prims/views.h"

namespace nvm::testing {

using vm::PrimFn;
using vm::Segdes;
using vm::Value;
using vm::Vector;
using Lengths = std::vector<std::int64_t>;

struct Chain {
  explicit Chain(std::uint64_t seed) : rng(seed) {
    context.pool = &pool;
    context.isa = static_cast<vm::Isa>(below(rng, static_cast<std::int64_t>(vm::best_isa()) + 1));
    context.int_bits = below(rng, 3) == 0 ? IntBits::k32 : IntBits::k64;
  }

  [[nodiscard]] bool chance(std::int64_t one_in) { return below(rng, one_in) == 0; }
  Lengths lengths() {
    Lengths out = testing::gen_lengths(static_cast<testing::SegShape>(below(rng, testing::kSegShapes)), rng);
    return out;
  }
  Segdes segdes(const Lengths& lengths) {
    const bool same = !lengths.empty() && std::count(lengths.begin(), lengths.end(), lengths[0]) ==
                                              static_cast<std::ptrdiff_t>(lengths.size());
    if (same && chance(2)) return Segdes::regular(static_cast<std::int64_t>(lengths.size()), lengths[0]);
    std::int64_t total = 0;
    for (const std::int64_t n : lengths) total += n;
    return Segdes::from_lengths(vm::int_vector(pool, lengths), total);
  }
  // Few values, so that they are often equal.
  Vector vector(TypeWord word, std::int64_t n) {
    if (word == TypeWord::kFloat) {
      constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
      const double values[] = {0.0, -0.0, 1.5, -2.0, kNan, std::numeric_limits<double>::infinity()};
      std::vector<double> v;
      for (std::int64_t i = 0; i < n; ++i) v.push_back(values[below(rng, 6)]);
      return vm::float_vector(pool, v);
    }
    const bool flags = word == TypeWord::kBool;
    const std::int64_t range = flags ? 2 : chance(3) ? 100000 : 5;
    std::vector<std::int64_t> v;
    for (std::int64_t i = 0; i < n; ++i) v.push_back(below(rng, range) - (flags ? 0 : range / 2));
    if (flags) {
      Value result[1];
      Value operand[1] = {vm::int_vector(pool, v)};
      run_primitive(context, Op::kItoB, TypeWord::kNone, operand, result);
      return std::get<Vector>(result[0]);
    }
    const bool narrow = context.int_bits == IntBits::k32 || chance(2);
    return vm::int_vector(pool, v,
                          range <= 100 && chance(4) ? Storage::kI8
                          : narrow                  ? Storage::kI32
                                                    : Storage::kI64);
  }

  // The strides of n runs, delayed where an interpreter would leave them so.
  Value ones(std::size_t n, bool formulas) {
    if (formulas && n > 1) return Vector::repeated(Vector::of_int(1), static_cast<std::int64_t>(n));
    return vm::int_vector(pool, Lengths(n, 1));
  }

  // One instruction; `special` instead of the primitive, if there is one.
  std::vector<Value> run(Op op, TypeWord word, std::vector<Value> operands, PrimFn special) {
    std::vector<Value> results(op_info(op).results.size());
    if (special != nullptr)
      special({context, op, word, operands.data(), results.data()});
    else
      run_primitive(context, op, word, operands, results);
    return results;
  }

  vm::Pool pool;
  vm::PrimContext context;
  Rng rng;
};

// The values of f(formulas) or what it throws.
template <typename F>
std::pair<std::vector<Value>, std::string> outcome(F f, bool formulas) {
  try {
    return {f(formulas), ""};
  } catch (const vm::Fault& fault) {
    return {{}, fault.message};
  }
}

template <typename F>
void same_both_ways(F f) {
  const auto [want, wrong] = outcome(f, false);
  const auto [got, fault] = outcome(f, true);
  RC_ASSERT(fault == wrong);
  RC_ASSERT(got.size() == want.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    if (!std::holds_alternative<std::monostate>(got[i])) RC_ASSERT(vm::difference(want[i], got[i]) == "");
}

// check_property of what is done with the operands of a Chain.
template <typename F>
void check_chains(const std::string& name, FastPaths paths, F property) {
  vm::FastPathCounts counts;
  check_property(name, counts, paths, [&counts, property](std::uint64_t seed) {
    Chain c(seed);
    c.context.fast_paths = &counts;
    property(c);
  });
}

}  // namespace nvm::testing
