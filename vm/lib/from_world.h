// Files of a recorded run, for readers that want a path.
#pragma once

#include <string>

#include "vm/interp/world.h"

namespace nvm::lib {

// The file itself, or if it comes from a world a copy that goes with this object.
class FromWorld {
 public:
  FromWorld(vm::World* world, const std::string& path);
  ~FromWorld();
  FromWorld(const FromWorld&) = delete;
  FromWorld& operator=(const FromWorld&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool made_ = false;
};

}  // namespace nvm::lib
