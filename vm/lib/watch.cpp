#include "vm/lib/watch.hpp"

#include <fstream>
#include <sstream>

#include "vm/interp/world.h"

namespace nvm::lib {

vm::World* world_of(std::span<const std::shared_ptr<Watcher>> watchers) {
  for (const auto& watcher : watchers)
    if (vm::World* world = watcher->world()) return world;
  return nullptr;
}

std::optional<std::string> read_file(const std::string& path,
                                     std::span<const std::shared_ptr<Watcher>> watchers) {
  if (vm::World* world = world_of(watchers)) return world->read_file(path);
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

}  // namespace nvm::lib
