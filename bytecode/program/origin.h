// Lines of NESL sources as one number: above the line stands the number of the text it is of, 0 if that is
// the program's own.
#pragma once

#include <cstdint>

namespace nvm {

inline constexpr unsigned kOriginLineBits = 22;
inline constexpr std::uint32_t kMostOriginLine = (1U << kOriginLineBits) - 1;
inline constexpr std::uint32_t kMostOriginSource = (1U << (32 - kOriginLineBits)) - 1;

// 0, unknown, for what has no room.
constexpr std::uint32_t origin_number(std::uint32_t source, std::uint32_t line) {
  return source > kMostOriginSource || line > kMostOriginLine ? 0 : source << kOriginLineBits | line;
}
constexpr std::uint32_t origin_line_of(std::uint32_t number) { return number & kMostOriginLine; }
constexpr std::uint32_t origin_source_of(std::uint32_t number) { return number >> kOriginLineBits; }

}  // namespace nvm
