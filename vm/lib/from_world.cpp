#include "vm/lib/from_world.h"

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace nvm::lib {

FromWorld::FromWorld(vm::World* world, const std::string& path) : path_(path) {
  if (world == nullptr) return;
  const auto text = world->read_file(path, vm::read_outside);
  if (!text) return;
  const std::size_t dot = path.find_last_of("./");
  const std::string ending = dot == std::string::npos || path[dot] == '/' ? "" : path.substr(dot);
  std::string name = (std::filesystem::temp_directory_path() / "nvm_XXXXXX").string() + ending;
  const int file = ::mkstemps(name.data(), static_cast<int>(ending.size()));
  if (file < 0) return;
  ::close(file);
  path_ = name;
  made_ = true;
  std::ofstream(path_, std::ios::binary) << *text;
}

FromWorld::~FromWorld() {
  if (made_) ::unlink(path_.c_str());
}

}  // namespace nvm::lib
