// Numbers that come over and over, each time greater by the same, and instructions on such: views that are
// periodic (vm/data/view.h), where segments are equally long the lengths and starts of their parts.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "vm/prims/views.h"

namespace nvm::vm {

// Of `length` elements the first `count`, and so on, in each period by `growth` more.
struct Periodic {
  static constexpr std::int64_t kLongest = View::kLongestPeriod;
  std::array<std::int64_t, kLongest> x{};
  std::int64_t count = 0;
  std::int64_t length = 0;
  std::int64_t growth = 0;

  void fill(std::int64_t n, std::int64_t one) {
    count = n;
    std::fill_n(x.begin(), n, one);
  }
  // Lets it have periods of n numbers. False if it can not.
  [[nodiscard]] bool spread_over(std::int64_t n) {
    if (count == n) return true;
    if (count != 1 || growth != 0) return false;
    fill(n, x[0]);
    return true;
  }
  [[nodiscard]] std::span<const std::int64_t> numbers() const {
    return {x.data(), static_cast<std::size_t>(count)};
  }
  // By how much the last period is greater than the first.
  [[nodiscard]] std::int64_t last() const { return (length / count - 1) * growth; }
};

// An INT vector of equal elements (count 1), or a period.
[[nodiscard]] bool take_periodic(const Value& value, Periodic& c);
// Numbers that are INTs of the machine, as narrow as they fit: what is written without being copied is a
// vector as any other.
[[nodiscard]] Vector narrow_vector(Pool& pool, std::span<const std::int64_t> numbers);
// `times` times the elements of x, each time by `growth` greater, as narrow as they fit.
[[nodiscard]] Vector written_out(const Vector& x, std::int64_t times, std::int64_t growth,
                                 const PrimContext& context);
// Writes such an operand, and one that DIST left; others stay.
void write_periodic(const PrimCall& call, int i);

// Of a call's operand 0 that grows by a number for each segment. False if it is something else.
[[nodiscard]] bool dist_periodic(const PrimCall& call);
// As find_periodic_maker, find_periodic_reader (vm/prims/periodic_moves.h), for all but INDEX.
[[nodiscard]] PrimFn find_number_maker(Op op);
[[nodiscard]] PrimFn find_number_reader(Op op);

}  // namespace nvm::vm
