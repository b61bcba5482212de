// Totals on their way up the fixed tree, shrunk so that few make many levels.
#include "vm/simd/tree_totals.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

namespace nvm::vm {
namespace {

struct Small {
  static constexpr std::int64_t kBlock = 8, kLanes = 4, kGroup = 4;
};
using Words = std::vector<double>;

// A sum that tells orders and identities apart.
struct Mix {
  static double apply(double a, double b) { return a * 0.75 + b + 1.0 / 3.0; }
  template <typename T>
  static constexpr T identity() {
    return 0.5;
  }
};
double op(double a, double b) { return Mix::apply(a, b); }

double lanes(const Words& x) {
  Words lane(4, 0.5);
  for (std::size_t i = 0; i < x.size(); ++i) lane[i % 4] = op(lane[i % 4], x[i]);
  return op(op(lane[0], lane[2]), op(lane[1], lane[3]));
}
std::vector<Words> in_blocks(const Words& x) {
  std::vector<Words> blocks;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i % 8 == 0) blocks.emplace_back();
    blocks.back().push_back(x[i]);
  }
  return blocks;
}
double combined(const Words& totals) {
  double all = 0.5;
  if (totals.size() <= 8) {
    for (const double t : totals) all = op(all, t);
    return all;
  }
  Words above;
  for (const Words& block : in_blocks(totals)) above.push_back(lanes(block));
  return combined(above);
}
// Exclusive, element by element; of more than a block by the rule for elements.
Words carried(const Words& totals) {
  Words out;
  if (totals.size() <= 8) {
    double all = 0.5;
    for (const double t : totals) {
      out.push_back(all);
      all = op(all, t);
    }
    return out;
  }
  Words above;
  for (const Words& block : in_blocks(totals)) {
    double local = 0.5;
    for (std::size_t i = 0; i < block.size(); i += 4) {
      const auto x = [&](std::size_t k) { return i + k < block.size() ? block[i + k] : 0.0; };
      const double two = op(x(0), x(1));
      const Words before = {0.5, x(0), two, op(two, x(2))};
      for (std::size_t k = 0; i + k < block.size() && k < 4; ++k) out.push_back(op(local, before[k]));
      local = op(local, op(two, op(x(2), x(3))));
    }
    above.push_back(local);
  }
  const Words carries = carried(above);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = op(carries[i / 8], out[i]);
  return out;
}

// Up to four levels.
constexpr std::size_t kMany[] = {0,  1,  7,  8,   9,   11,  12,  13,   16,   63,
                                 64, 65, 72, 511, 512, 513, 600, 1023, 2000, 4095};

Words drawn(std::size_t n) {
  std::mt19937_64 rng(n);
  Words x;
  for (std::size_t i = 0; i < n; ++i) x.push_back(static_cast<double>(rng() % 1000) / 7);
  return x;
}

TEST_CASE("totals that come one after the other are combined by the rule of all of them") {
  using Combine = simd::CombineTotals<Mix, double, Small>;
  for (const std::size_t n : kMany) {
    INFO(n);
    const Words x = drawn(n);
    TotalsOf<Small> state;
    Combine::start(state);
    for (std::size_t i = 0; i < n; ++i) {
      const Words so_far(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(i));
      if (i % 5 == 0) REQUIRE(Combine::finish(state) == combined(so_far));
      Combine::push(state, x[i]);
    }
    CHECK(Combine::finish(state) == combined(x));
  }
}

TEST_CASE("a block's carry is its element of the scan of all totals") {
  using Carry = simd::CarryTotals<Mix, double, Small>;
  for (const std::size_t n : kMany) {
    INFO(n);
    const Words x = drawn(n);
    CarriesOf<Small> state;
    Carry::start(state, static_cast<std::int64_t>(n));
    Words got;
    for (const double t : x) {
      got.push_back(simd::from_bits<double>(state.carries[0]));
      Carry::push(state, t);
    }
    CHECK(got == carried(x));
  }
}

}  // namespace
}  // namespace nvm::vm
