#include "gpu/api/library.h"

#include <dlfcn.h>

namespace nvm::gpu {

void* open_library(const std::vector<std::string>& names, std::string& opened, std::string& reason) {
  for (const std::string& name : names) {
    if (void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL); library != nullptr) {
      opened = name;
      return library;
    }
    const char* text = dlerror();
    reason = text == nullptr ? name + " cannot be opened" : text;
  }
  return nullptr;
}

void* find_symbol(void* library, const char* name) { return dlsym(library, name); }

}  // namespace nvm::gpu
