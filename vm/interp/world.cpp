#include "vm/interp/world.h"

#include <cstdio>

#include "bytecode/base/budget.h"
#include "bytecode/base/read_file.h"

namespace nvm::vm {

std::optional<std::string> read_rest(std::FILE* file) {
  constexpr std::size_t kPiece = 1 << 16;
  std::string text;
  for (;;) {
    const std::size_t before = text.size();
    text.resize(before + kPiece);
    const std::size_t n = std::fread(text.data() + before, 1, kPiece, file);
    text.resize(before + n);
    if (n < kPiece) break;
  }
  Budget::look();  // the wait for more may have been ended by the deadline
  if (std::ferror(file) != 0) return std::nullopt;
  return text;
}

std::optional<std::string> read_file(World* world, const std::string& path, const World::Reader& outside) {
  return world != nullptr ? world->read_file(path, outside) : outside(path);
}

std::optional<std::string> read_outside(const std::string& path) {
  return path == "-" ? read_rest(stdin) : read_all(path);
}

}  // namespace nvm::vm
