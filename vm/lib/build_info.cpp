#include <asmjit/core/api-config.h>
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <tbb/version.h>
#include <unistd.h>

#include <cmath>

#include "bytecode/plan/linear.h"
#include "vm/lib/confine.hpp"
#include "vm/lib/impl.h"
#include "vm/lib/nvm.hpp"
#include "vm/prims/prims.h"
#include "vm/profile/machine_limits.h"

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

// As "Linux 6.1.0, glibc 2.36".
std::string system_text() {
  struct utsname name = {};
  const bool known = ::uname(&name) == 0;
  return (known ? std::string(name.sysname) + " " + name.release : "unknown") + ", glibc " +
         ::gnu_get_libc_version();
}

std::string memory_text() {
  const double bytes =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGE_SIZE));
  return std::to_string(std::lround(bytes / 1073741824.0)) + " GiB of memory";
}

// The name of a program that was found along the PATH is no path.
std::string find_build_name() {
  std::string name = NVM_VERSION;
  Dl_info here;
  struct stat file;
  const bool known =
      dladdr(reinterpret_cast<const void*>(&find_build_name), &here) != 0 && here.dli_fname != nullptr;
  const bool library = known && std::string_view(here.dli_fname).find(".so") != std::string_view::npos;
  if (::stat(library ? here.dli_fname : "/proc/self/exe", &file) == 0)
    name += " of " + std::to_string(file.st_mtim.tv_sec) + "." + std::to_string(file.st_mtim.tv_nsec);
  return name;
}

}  // namespace

// The version, and when the file that holds this code was made.
const std::string& build_name() {
  static const std::string name = find_build_name();  // every run asks
  return name;
}

std::string describe_build() {
  std::string out = "compiler: " NVM_COMPILER "\nbuild: " NVM_BUILD_TYPE ", " NVM_BUILD_FLAGS "\n";
  out += "packages: oneTBB " TBB_VERSION_STRING " (running " + std::string(TBB_runtime_version()) +
         "), asmjit " + asmjit_version() + ", lp_solve " + plan::solver_version() + "\n";
  out += "processor: " + vm::processor_model() + ", " + isa_text() + ", " +
         std::to_string(::sysconf(_SC_NPROCESSORS_ONLN)) + " online, " + memory_text() + "\n";
  out += "system: " + system_text() + "\n";
  out += "walls of the kernel: " + describe_confinement() + "\n";
  return out + describe_devices();
}

}  // namespace nvm::lib
