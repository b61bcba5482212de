#include <asmjit/core/api-config.h>
#include <tbb/version.h>
#include <unistd.h>

#include "vm/lib/nvm.hpp"
#include "vm/prims/prims.h"

namespace nvm::lib {

namespace {

const char* isa_text() {
  switch (vm::best_isa()) {
    case vm::Isa::kAvx512: return "avx512";
    case vm::Isa::kAvx2: return "avx2";
    case vm::Isa::kPortable: break;
  }
  return "portable";
}

// asmjit writes its version as 0xMMmmpp.
std::string asmjit_version() {
  const unsigned v = ASMJIT_LIBRARY_VERSION;
  return std::to_string(v >> 16) + "." + std::to_string(v >> 8 & 255) + "." + std::to_string(v & 255);
}

}  // namespace

std::string describe_build() {
  std::string out = "compiler: " NVM_COMPILER "\nbuild: " NVM_BUILD_TYPE ", " NVM_BUILD_FLAGS "\n";
  out += "packages: oneTBB " TBB_VERSION_STRING " (running " + std::string(TBB_runtime_version()) +
         "), asmjit " + asmjit_version() + "\n";
  out += "processor: " + std::string(isa_text()) + ", " + std::to_string(::sysconf(_SC_NPROCESSORS_ONLN)) +
         " online\n";
  return out + describe_devices();
}

}  // namespace nvm::lib
