// Numbers of every magnitude, to be data. What is a length or an index is drawn small, and elsewhere.
#pragma once

#include <bit>
#include <cstdint>
#include <iterator>
#include <limits>

#include "bytecode/table/op_info.h"

namespace nvm::test {

// Where widths end: of the storages, of what a double holds exactly, of INT.
inline constexpr std::int64_t kEdgeInts[] = {0,
                                             -1,
                                             INT8_MAX,
                                             INT8_MIN - 1,
                                             INT32_MAX,
                                             INT32_MIN,
                                             std::int64_t{INT32_MAX} + 1,
                                             std::int64_t{INT32_MIN} - 1,
                                             std::int64_t{UINT32_MAX} + 1,
                                             (std::int64_t{1} << 53) - 1,
                                             (std::int64_t{1} << 53) + 1,
                                             -(std::int64_t{1} << 53) - 1,
                                             INT64_MAX,
                                             INT64_MAX - 1,
                                             INT64_MIN,
                                             INT64_MIN + 1};

// bits() gives 64 random bits.
template <typename Bits>
std::int64_t any_int(Bits bits, IntBits width) {
  const std::uint64_t how = bits();
  const std::uint64_t more = how >> 8;
  const auto fit = [width](std::int64_t x) {
    return width == IntBits::k32 ? static_cast<std::int32_t>(x) : x;
  };
  switch (how % 4) {
    case 0: return fit(kEdgeInts[more % std::size(kEdgeInts)]);
    case 1: return fit(static_cast<std::int64_t>(bits()) >> more % 64);  // as many bits as you like
    case 2: return fit((std::int64_t{1} << more % 63) + static_cast<std::int64_t>((more >> 8) % 5) - 2);
    default: return static_cast<std::int64_t>(more % 9) - 4;
  }
}

template <typename Bits>
double any_float(Bits bits) {
  using Limits = std::numeric_limits<double>;
  static constexpr double kEdges[] = {-0.0,
                                      0.0,
                                      Limits::quiet_NaN(),
                                      -Limits::quiet_NaN(),
                                      Limits::infinity(),
                                      -Limits::infinity(),
                                      Limits::max(),
                                      Limits::min(),
                                      -Limits::denorm_min(),
                                      0x1p53,
                                      -0x1p63,
                                      0x1p63,
                                      2147483647.5,
                                      0.49999999999999994,
                                      1e36};
  const std::uint64_t how = bits();
  const std::uint64_t more = how >> 8;
  switch (how % 4) {
    case 0: return kEdges[more % std::size(kEdges)];
    case 1: return std::bit_cast<double>(bits());  // every exponent
    case 2: return static_cast<double>(any_int(bits, IntBits::k64));
    default: return static_cast<double>(static_cast<std::int64_t>(more % 17) - 8) / 2;
  }
}

}  // namespace nvm::test
