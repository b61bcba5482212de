#include "frontend/remora/library.h"

#include <array>
#include <unordered_map>

namespace nvm::remora {

namespace {

constexpr auto kEntries = std::to_array<LibraryEntry>({
#define LIBRARY(id, name, type, rule, documentation) {name, type, rule, documentation},
#include "frontend/remora/library.def"
});

const std::unordered_map<std::string_view, std::int32_t>& rows() {
  static const std::unordered_map<std::string_view, std::int32_t> all = {
#define LIBRARY(id, name, ...) {name, static_cast<std::int32_t>(Library::id)},
#define SYNONYM(name, id) {name, static_cast<std::int32_t>(Library::id)},
#include "frontend/remora/library.def"
  };
  return all;
}

}  // namespace

std::span<const LibraryEntry> library() { return kEntries; }

std::int32_t library_row(std::string_view name) {
  const auto it = rows().find(name);
  return it == rows().end() ? -1 : it->second;
}

std::vector<std::string_view> library_names() {
  std::vector<std::string_view> names;
  for (const auto& [name, row] : rows()) names.push_back(name);
  return names;
}

}  // namespace nvm::remora
