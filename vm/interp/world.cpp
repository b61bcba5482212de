#include "vm/interp/world.h"

#include <cstdio>
#include <memory>

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
  if (std::ferror(file) != 0) return std::nullopt;
  return text;
}

std::optional<std::string> read_file(World* world, const std::string& path, const World::Reader& outside) {
  return world != nullptr ? world->read_file(path, outside) : outside(path);
}

std::optional<std::string> read_outside(const std::string& path) {
  if (path == "-") return read_rest(stdin);
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "re"));
  if (!file) return std::nullopt;
  return read_rest(file.get());
}

}  // namespace nvm::vm
