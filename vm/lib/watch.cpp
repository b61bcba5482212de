#include "vm/lib/watch.hpp"

#include "vm/interp/world.h"
#include "vm/lib/impl.h"

namespace nvm::lib {

vm::World* world_of(std::span<const std::shared_ptr<Watcher>> watchers) {
  for (const auto& watcher : watchers)
    if (vm::World* world = watcher->world()) return world;
  return nullptr;
}

std::optional<std::string> read_file(const std::string& path,
                                     std::span<const std::shared_ptr<Watcher>> watchers) {
  return vm::read_file(world_of(watchers), path);
}

}  // namespace nvm::lib
