// Sizes of small blocks: four to a power of two, so that at most a fifth of a block is waste.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace nvm::vm {

inline constexpr std::size_t kMinBlockLog = 8;

[[nodiscard]] constexpr std::size_t class_size(std::uint32_t c) {
  return (std::size_t{4} + c % 4) << (c / 4 + kMinBlockLog - 2);
}
// The smallest class of at least `bytes`.
[[nodiscard]] constexpr std::uint32_t class_of(std::size_t bytes) {
  if (bytes <= (std::size_t{1} << kMinBlockLog)) return 0;
  const auto log = static_cast<std::uint32_t>(std::bit_width(bytes - 1) - 1);
  const std::size_t quarter = std::size_t{1} << (log - 2);
  const auto sub = static_cast<std::uint32_t>((bytes + quarter - 1) / quarter - 4);  // 1..4
  return (log - static_cast<std::uint32_t>(kMinBlockLog)) * 4 + sub;
}
inline constexpr std::uint32_t kSmallClasses = 25;  // up to 16 KB
static_assert(class_size(kSmallClasses - 1) == 16 * 1024);

}  // namespace nvm::vm
