// The library's names (library.def).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nvm::remora {

enum class Library : std::int32_t {
#define LIBRARY(id, ...) id,
#include "frontend/remora/library.def"
};

struct LibraryEntry {
  std::string_view name, type, rule, documentation;
};
[[nodiscard]] std::span<const LibraryEntry> library();
// The row of a name or synonym, -1: none.
[[nodiscard]] std::int32_t library_row(std::string_view name);
[[nodiscard]] std::vector<std::string_view> library_names();

// Of `equal`, to both the checker and what finds out later what a type variable stands for.
inline constexpr const char* kNoEquality = "functions have no equality";

}  // namespace nvm::remora
