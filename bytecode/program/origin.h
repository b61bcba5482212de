// Places in the sources that a program was compiled from, as one number: line, number of the text (0 if that
// is the program's own) and column (0 where whole lines are told apart).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nvm {

using Origin = std::uint64_t;  // 0: unknown

inline constexpr unsigned kOriginLineBits = 22, kOriginSourceBits = 10;
inline constexpr unsigned kOriginColumnAt = kOriginLineBits + kOriginSourceBits;
inline constexpr std::uint32_t kMostOriginLine = (1U << kOriginLineBits) - 1;
inline constexpr std::uint32_t kMostOriginSource = (1U << kOriginSourceBits) - 1;

// Unknown for what has no room.
constexpr Origin origin_number(std::uint32_t source, std::uint32_t line, std::uint32_t column = 0) {
  if (line == 0 || line > kMostOriginLine || source > kMostOriginSource) return 0;
  return Origin{column} << kOriginColumnAt | Origin{source} << kOriginLineBits | line;
}
constexpr std::uint32_t origin_line_of(Origin o) { return static_cast<std::uint32_t>(o) & kMostOriginLine; }
constexpr std::uint32_t origin_source_of(Origin o) {
  return static_cast<std::uint32_t>(o >> kOriginLineBits) & kMostOriginSource;
}
constexpr std::uint32_t origin_column_of(Origin o) {
  return static_cast<std::uint32_t>(o >> kOriginColumnAt);
}

// "LINE" or "LINE:COLUMN"
inline std::string line_text(std::uint32_t line, std::uint32_t column) {
  return std::to_string(line) + (column == 0 ? "" : ":" + std::to_string(column));
}
inline std::string line_text(Origin o) { return line_text(origin_line_of(o), origin_column_of(o)); }

// The source files that a program was compiled from.
struct OriginFiles {
  std::string own;                  // "" if it was not
  std::vector<std::string> others;  // by the number of the text, from 1

  // Of a place; the program's own if there is none of its number.
  [[nodiscard]] const std::string& of(Origin o) const {
    const std::uint32_t source = origin_source_of(o);
    return source == 0 || source > others.size() ? own : others[source - 1];
  }
  // Whether a place is in another file than the program's own.
  [[nodiscard]] bool elsewhere(Origin o) const { return of(o) != own; }
  // "FILE:LINE" or "FILE:LINE:COLUMN"
  [[nodiscard]] std::string place(Origin o) const { return of(o) + ":" + line_text(o); }
};

}  // namespace nvm
