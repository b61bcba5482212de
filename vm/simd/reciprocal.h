// What division of INTs by a number that is known beforehand is computed from, without division instructions.
//
// For |x| <= kSmallDividend the quotient is that of multiplying by a reciprocal, toward zero: the reciprocal
// is rounded away from zero, so no product falls short of an integer that it should reach, and its error of
// at most 1.5 ulp, times x / d, stays below the distance 1 / d to the next integer.
//
// For all 64-bit x and |d| > 1 (Granlund and Montgomery, Division by Invariant Integers using Multiplication,
// section 5): with l = ceil(log2 |d|) and m = floor(2^(63 + l) / |d|) + 1, which is below 2^64,
//     x / |d| = (floor(x * m / 2^64) >> (l - 1)) - (x < 0 ? -1 : 0)        ">>" keeps the sign
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace nvm::vm {

inline constexpr std::int64_t kSmallDividend = std::int64_t{1} << 50;

// For |x| < 2^51 a sum with it has x in its low bits; kMagicBits are those of the number itself.
inline constexpr double kMagic = 0x1.8p52;
inline constexpr std::int64_t kMagicBits = 0x4338'0000'0000'0000;

// Cells of 8 bytes, as machine code reads them.
struct Reciprocal {
  double inverse = 0.0;                                     // of d; of zero anything
  double divisor = 0.0;                                     // d where it has 53 bits; else as far from zero
  std::uint64_t multiplier = 0;                             // m
  std::int64_t shift = 0;                                   // l - 1
  std::int64_t bias = 0;                                    // 2^63 >> shift, unsigned
  std::int64_t magnitude = 0;                               // |d|, wrapped
  std::int64_t sign = 0;                                    // -1 if d < 0, else 0
  std::int64_t is_zero = 0, is_unit = 0, is_minus_one = 0;  // flags; a unit is 1 or -1
};

// In a namespace of its own for each instruction set that it is compiled for.
namespace {

[[nodiscard]] inline Reciprocal reciprocal_of(std::int64_t d) {
  constexpr auto kTop = std::uint64_t{1} << 63;
  __extension__ using Wide = unsigned __int128;
  Reciprocal r;
  r.divisor = static_cast<double>(d);
  r.sign = d < 0 ? -1 : 0;
  r.is_zero = d == 0 ? 1 : 0;
  r.is_unit = d == 1 || d == -1 ? 1 : 0;
  r.is_minus_one = d == -1 ? 1 : 0;
  const std::uint64_t magnitude = d < 0 ? -static_cast<std::uint64_t>(d) : static_cast<std::uint64_t>(d);
  r.magnitude = static_cast<std::int64_t>(magnitude);
  if (magnitude == 0) return r;
  r.inverse = std::nextafter(1.0 / r.divisor, d < 0 ? -1.0 : 2.0);
  const int log = magnitude == 1 ? 1 : 64 - std::countl_zero(magnitude - 1);
  const auto power = Wide{1} << (63 + log);
  r.multiplier = static_cast<std::uint64_t>(power / magnitude + 1);
  r.shift = log - 1;
  r.bias = static_cast<std::int64_t>(kTop >> r.shift);
  return r;
}

}  // namespace

}  // namespace nvm::vm
