// Between which numbers INT and BOOL elements are. The one definition of what instructions make of that: the
// front end, whose code runs with INTs of either width, and the analysis of SSA ask here. A sum, product or
// shift that may leave the width wraps, and then nothing is known of it.
#pragma once

#include <cstdint>
#include <span>

#include "bytecode/table/op_info.h"

namespace nvm {

// From `low` to `high`, both included; never empty.
struct Range {
  std::int64_t low = INT64_MIN, high = INT64_MAX;

  [[nodiscard]] constexpr bool contains(std::int64_t x) const { return low <= x && x <= high; }
  [[nodiscard]] constexpr bool inside(const Range& other) const {
    return other.low <= low && high <= other.high;
  }
  [[nodiscard]] constexpr bool is_one() const { return low == high; }
  friend bool operator==(const Range&, const Range&) = default;
};

// Every number that is in one of them.
[[nodiscard]] Range hull(const Range& a, const Range& b);
// What is in both. Where that is nothing, no run gets there, and the first stands for it.
[[nodiscard]] Range meet(const Range& a, const Range& b);

// INTs of so many bits, 2 to 64; a power of two.
[[nodiscard]] Range all_ints(int bits);
// `x` as an INT of so many bits.
[[nodiscard]] std::int64_t wrapped(std::int64_t x, int bits);
// Lengths of vectors, and totals of descriptors: no run makes longer ones.
[[nodiscard]] Range all_lengths(int bits);

// Results of a scalar operation on INTs (of `word` BOOL: on 0 and 1) of these ranges, over all operands for
// which it has one: / and % have none where they fault. FLOAT operands are not looked at.
[[nodiscard]] Range scalar_range(Scalar scalar, TypeWord word, int bits, std::span<const Range> operands);

// Do / and % by this constant fault for no INT of 32 or 64 bits?
[[nodiscard]] constexpr bool divides_all(std::int64_t divisor) {
  const auto narrow = static_cast<std::int32_t>(divisor);
  return divisor != 0 && divisor != -1 && narrow != 0 && narrow != -1;
}

// May a + b, a - b or a * b of these leave the width?
[[nodiscard]] bool may_wrap(Scalar scalar, int bits, const Range& a, const Range& b);

// What is known of the elements of a vector, of a descriptor's lengths.
struct Numbers {
  Range each;
  // Exact sums of any of the elements, each taken at most once. INT64_MIN or INT64_MAX: no bound.
  Range sums;
  friend bool operator==(const Numbers&, const Numbers&) = default;
};

// Of values of which nothing else is known than the type: FLOAT and pairs like INT.
[[nodiscard]] Numbers all_numbers(Type type, int bits);
// Of a constant of these elements.
[[nodiscard]] Numbers constant_numbers(Type type, int bits, std::span<const std::int64_t> elements);
[[nodiscard]] Numbers hull(const Numbers& a, const Numbers& b);
[[nodiscard]] Numbers meet(const Numbers& a, const Numbers& b);
// As hull(), but such that a value which is joined again and again changes a few times only.
[[nodiscard]] Numbers widened(const Numbers& before, const Numbers& more, int bits);

// Are these lengths for a descriptor in any case, each by itself? That there are too many in all is lack of
// memory.
[[nodiscard]] inline bool are_lengths(const Numbers& numbers, int bits) {
  return numbers.each.inside(all_lengths(bits));
}

// Of the first result of an instruction that has one.
[[nodiscard]] Numbers result_numbers(Op op, TypeWord word, int bits, std::span<const Numbers> operands);

}  // namespace nvm
