#include "gpu/api/driver.h"

#include <mutex>

#include "bytecode/base/library.h"

namespace nvm::gpu {

namespace {

struct Loaded {
  Driver driver;
  bool ok = false;
  std::string reason;
};

template <typename Function>
bool bind(void* library, const char* symbol, Function& function, std::string& reason) {
  function = reinterpret_cast<Function>(find_symbol(library, symbol));
  if (function == nullptr)
    reason = std::string("the driver lacks ") + symbol + ": install a newer one (525 or later)";
  return function != nullptr;
}

Loaded load() {
  Loaded l;
  // Containers on some clouds have it where the loader does not look.
  void* library = open_library({"libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1", "libcuda.so"},
                               l.driver.path, l.reason);
  if (library == nullptr) {
    l.reason = "no NVIDIA driver (" + l.reason + "): install the driver of your GPU";
    return l;
  }
#define DRIVER(name, symbol, parameters) \
  if (!bind(library, symbol, l.driver.name, l.reason)) return l;
#include "gpu/api/driver.def"
  if (const int error = l.driver.init(0); error != 0) {
    l.reason = "the NVIDIA driver does not start: " + l.driver.error(error);
    return l;
  }
  l.ok = true;
  return l;
}

}  // namespace

std::string Driver::error(int code) const {
  const char* text = nullptr;
  if (error_text == nullptr || error_text(code, &text) != 0 || text == nullptr)
    return "CUDA error " + std::to_string(code);
  return text;
}

const Driver* load_driver(std::string& reason) {
  static const Loaded kLoaded = load();
  reason = kLoaded.reason;
  return kLoaded.ok ? &kLoaded.driver : nullptr;
}

}  // namespace nvm::gpu
