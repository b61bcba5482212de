// Libraries that nvm uses if they are there: looked for when they are needed, not when nvm starts.
#pragma once

#include <string>

#include "bytecode/base/library.h"

namespace nvm::vm {

// One of them, for what a file needs.
class Component {
 public:
  // `name`: such as "libpng16.so.16"; `package`: Debian's; `built`: whether its header was there when nvm was
  // built, from `package`-dev.
  Component(const char* name, const char* package, bool built)
      : name_(name), package_(package), built_(built) {}

  // Why it cannot be used, and what to do; "" if it can.
  [[nodiscard]] const std::string& missing();
  // Throws Fault kIo, with the path, if it cannot be used.
  void need(const std::string& path);
  // Of a component that is there, of the type that its header declares; nothing is linked. Throws Fault kIo
  // if there is none, as in a library of another version.
  template <typename F>
  [[nodiscard]] F* function(const char* name) {
    return reinterpret_cast<F*>(symbol(name));
  }

 private:
  // Throws Fault kIo if the library has none.
  [[nodiscard]] void* symbol(const char* name);

  const char* name_;
  const char* package_;
  bool built_;
  bool looked_ = false;
  void* library_ = nullptr;
  std::string missing_;
};

}  // namespace nvm::vm
