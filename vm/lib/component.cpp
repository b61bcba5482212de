#include "vm/lib/component.h"

#include "vm/data/value.h"

namespace nvm::vm {

const std::string& Component::missing() {
  if (looked_) return missing_;
  looked_ = true;
  std::string opened, reason;
  if (built_) library_ = open_library({name_}, opened, reason);
  if (!built_)
    missing_ =
        std::string("nvm was built without lib") + package_ + ": install its development files, build again";
  else if (library_ == nullptr)
    missing_ = std::string("this needs ") + name_ + " (apt install " + package_ + "): " + reason;
  return missing_;
}

void* Component::symbol(const char* name) {
  void* found = find_symbol(library_, name);
  if (found == nullptr)
    throw Fault{Fault::Kind::kIo, std::string(name_) + " has no " + name + ": install that of " + package_};
  return found;
}

void Component::need(const std::string& path) {
  if (!missing().empty()) throw Fault{Fault::Kind::kIo, path + ": " + missing_};
}

}  // namespace nvm::vm
