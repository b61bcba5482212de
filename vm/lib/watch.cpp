#include "vm/lib/watch.hpp"

#include <cerrno>

#include "bytecode/base/read_file.h"
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

InFile input_file(vm::World* world, const std::string& path) {
  if (world == nullptr) return InFile(path);
  if (auto text = world->read_file(path, vm::read_outside)) return InFile(path, std::move(text));
  if (world->plays())
    throw vm::Fault{vm::Fault::Kind::kIo, path + ": is not in the record, and a replay reads no other files"};
  return InFile(errno);
}

}  // namespace nvm::lib
