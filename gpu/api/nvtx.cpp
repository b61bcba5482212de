#include "gpu/api/nvtx.h"

#include "bytecode/base/library.h"

namespace nvm::gpu {

namespace {

struct Nvtx {
  int (*push)(const char* name) = nullptr;
  int (*pop)() = nullptr;
};

Nvtx load() {
  std::string opened, reason;
  void* library = open_library({"libnvToolsExt.so.1", "libnvToolsExt.so"}, opened, reason);
  if (library == nullptr) return {};
  Nvtx nvtx;
  nvtx.push = reinterpret_cast<decltype(nvtx.push)>(find_symbol(library, "nvtxRangePushA"));
  nvtx.pop = reinterpret_cast<decltype(nvtx.pop)>(find_symbol(library, "nvtxRangePop"));
  return nvtx.push != nullptr && nvtx.pop != nullptr ? nvtx : Nvtx{};
}

const Nvtx& nvtx() {
  static const Nvtx kNvtx = load();
  return kNvtx;
}

}  // namespace

NvtxRange::NvtxRange(const std::string& name) {
  if (nvtx().push != nullptr) nvtx().push(name.c_str());
}
NvtxRange::~NvtxRange() {
  if (nvtx().pop != nullptr) nvtx().pop();
}

}  // namespace nvm::gpu
