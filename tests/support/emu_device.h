// The emulated driver that the process found in place of a real one (LD_LIBRARY_PATH has its folder; see
// tests/emu).
#pragma once

#include <dlfcn.h>

#include <catch2/catch.hpp>
#include <string>

#include "gpu/compiler.h"
#include "tests/emu/device/control.h"

namespace nvm::testing {

template <typename Function>
Function* emulated(const char* name) {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  auto* function = library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
  if (function == nullptr) FAIL("the driver that was found is not the emulated one");
  return function;
}
// From now on; the counts begin anew.
inline void control(const std::string& settings) {
  emulated<void(const char*)>("emu_control")(settings.c_str());
}
inline emu::Counts counts() {
  emu::Counts out;
  emulated<void(emu::Counts*)>("emu_counts")(&out);
  return out;
}
// What the engines' device has kept for vectors to come goes back to the driver.
inline void empty_device() {
  std::string reason;
  static_cast<void>(gpu::shared_device(reason)->make_room(0));
}

}  // namespace nvm::testing
