#include "bytecode/base/library.h"

#include <dlfcn.h>

namespace nvm {

void* open_library(const std::vector<std::string>& names, std::string& opened, std::string& reason) {
  reason.clear();
  for (const std::string& name : names) {
    if (void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL); library != nullptr) {
      opened = name;
      return library;
    }
    // What is there and cannot be used says more than what is not there.
    const char* text = dlerror();
    const std::string why = text == nullptr ? name + " cannot be opened" : text;
    if (reason.empty() || reason.find("No such file") != std::string::npos) reason = why;
  }
  return nullptr;
}

void* find_symbol(void* library, const char* name) { return dlsym(library, name); }

}  // namespace nvm
