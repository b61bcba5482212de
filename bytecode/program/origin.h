// Lines of NESL sources as one number: above the line stands the number of the text it is of, 0 if that is
// the program's own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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

// The NESL files that a program was compiled from.
struct OriginFiles {
  std::string own;                  // "" if it was not
  std::vector<std::string> others;  // by the number of the text, from 1

  // Of a line; the program's own if there is none of its number.
  [[nodiscard]] const std::string& of(std::uint32_t number) const {
    const std::uint32_t source = origin_source_of(number);
    return source == 0 || source > others.size() ? own : others[source - 1];
  }
  // Whether a line is of another file than the program's own.
  [[nodiscard]] bool elsewhere(std::uint32_t number) const { return of(number) != own; }
  // "FILE:LINE"
  [[nodiscard]] std::string place(std::uint32_t number) const {
    return of(number) + ":" + std::to_string(origin_line_of(number));
  }
};

}  // namespace nvm
