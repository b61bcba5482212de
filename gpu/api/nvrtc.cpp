#include "gpu/api/nvrtc.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "bytecode/base/library.h"
#include "gpu/api/driver.h"

namespace nvm::gpu {

namespace {

using Program = struct ProgramHandle*;

struct Nvrtc {
  int (*version)(int*, int*) = nullptr;
  int (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  int (*destroy)(Program*) = nullptr;
  int (*compile)(Program, int, const char* const*) = nullptr;
  int (*cubin_size)(Program, std::size_t*) = nullptr;
  int (*cubin)(Program, char*) = nullptr;
  int (*ptx_size)(Program, std::size_t*) = nullptr;
  int (*ptx)(Program, char*) = nullptr;
  int (*log_size)(Program, std::size_t*) = nullptr;
  int (*log)(Program, char*) = nullptr;
  const char* (*error)(int) = nullptr;
  std::vector<int> archs;  // that it knows, ascending; empty: it does not say
  std::string path;
  std::string reason;
  bool ok = false;
};

// The CUDA version that the driver is for, 12040 for 12.4; without one, the newest.
int version_of_driver() {
  std::string reason;
  const Driver* driver = load_driver(reason);
  int version = 0;
  if (driver == nullptr || driver->driver_version(&version) != 0) return 1 << 30;
  return version;
}
std::string version_text(int major, int minor) { return std::to_string(major) + "." + std::to_string(minor); }

// Names from new to old, those first whose code the driver loads; CUDA_PATH, or else the usual folder, for a
// toolkit that is not on the loader's path.
std::vector<std::string> candidates(int most_major) {
  constexpr std::pair<int, const char*> kNames[] = {
      {13, "libnvrtc.so.13"}, {12, "libnvrtc.so.12"}, {11, "libnvrtc.so.11.2"}, {0, "libnvrtc.so"}};
  std::vector<std::string> folders{""};
  if (const char* path = std::getenv("CUDA_PATH"); path != nullptr)
    folders.push_back(std::string(path) + "/lib64/");
  else
    folders.push_back("/usr/local/cuda/lib64/");
  std::vector<std::string> names;
  for (const bool fits : {true, false})
    for (const std::string& folder : folders)
      for (const auto& [major, name] : kNames)
        if ((major <= most_major) == fits) names.push_back(folder + name);
  return names;
}

template <typename Function>
void bind(void* library, const char* symbol, Function& function, bool& ok) {
  function = reinterpret_cast<Function>(find_symbol(library, symbol));
  ok = ok && function != nullptr;
}

// Which devices it can compile for.
std::vector<int> known_archs(void* library) {
  int (*count_of)(int*) = nullptr;
  int (*archs_of)(int*) = nullptr;
  bool says = true;
  bind(library, "nvrtcGetNumSupportedArchs", count_of, says);
  bind(library, "nvrtcGetSupportedArchs", archs_of, says);
  int count = 0;
  if (!says || count_of(&count) != 0 || count <= 0) return {};
  std::vector<int> archs(static_cast<std::size_t>(count));
  if (archs_of(archs.data()) != 0) return {};
  std::sort(archs.begin(), archs.end());
  return archs;
}

Nvrtc load() {
  Nvrtc n;
  const int driver = version_of_driver();
  void* library = open_library(candidates(driver / 1000), n.path, n.reason);
  if (library == nullptr) {
    n.reason = "no NVRTC (" + n.reason + "): install the CUDA toolkit's nvrtc package, or set CUDA_PATH";
    return n;
  }
  n.ok = true;
  bind(library, "nvrtcVersion", n.version, n.ok);
  bind(library, "nvrtcCreateProgram", n.create, n.ok);
  bind(library, "nvrtcDestroyProgram", n.destroy, n.ok);
  bind(library, "nvrtcCompileProgram", n.compile, n.ok);
  bind(library, "nvrtcGetCUBINSize", n.cubin_size, n.ok);
  bind(library, "nvrtcGetCUBIN", n.cubin, n.ok);
  bind(library, "nvrtcGetPTXSize", n.ptx_size, n.ok);
  bind(library, "nvrtcGetPTX", n.ptx, n.ok);
  bind(library, "nvrtcGetProgramLogSize", n.log_size, n.ok);
  bind(library, "nvrtcGetProgramLog", n.log, n.ok);
  bind(library, "nvrtcGetErrorString", n.error, n.ok);
  if (!n.ok) {
    n.reason = n.path + " is too old: CUDA 11.2 or later is needed";
    return n;
  }
  n.archs = known_archs(library);
  int major = 0;
  int minor = 0;
  if (n.version(&major, &minor) != 0 || major <= driver / 1000) return n;
  n.ok = false;
  n.reason = "NVRTC " + version_text(major, minor) + " (" + n.path +
             ") is too new for the driver, which is for CUDA " +
             version_text(driver / 1000, driver % 1000 / 10) + ": install a newer driver, or NVRTC " +
             std::to_string(driver / 1000);
  return n;
}

const Nvrtc& nvrtc() {
  static const Nvrtc kNvrtc = load();
  return kNvrtc;
}

std::string log_of(const Nvrtc& n, Program program) {
  std::size_t size = 0;
  if (n.log_size(program, &size) != 0 || size <= 1) return {};
  std::string log(size - 1, '\0');
  n.log(program, log.data());
  return log;
}

Compiled compile(const std::string& source, const std::string& name, const std::string& architecture,
                 int (*size_of)(Program, std::size_t*), int (*get)(Program, char*)) {
  const Nvrtc& n = nvrtc();
  Compiled out;
  if (!n.ok) {
    out.log = n.reason;
    return out;
  }
  Program program = nullptr;
  if (const int e = n.create(&program, source.c_str(), name.c_str(), 0, nullptr, nullptr); e != 0) {
    out.log = n.error(e);
    return out;
  }
  // No contraction: a multiplication and an addition are two roundings, as on the CPU.
  const std::string target = "--gpu-architecture=" + architecture;
  const char* options[] = {target.c_str(), "--std=c++17", "--fmad=false", "--prec-div=true",
                           "--prec-sqrt=true"};
  const int e = n.compile(program, static_cast<int>(std::size(options)), options);
  out.log = log_of(n, program);
  std::size_t size = 0;
  if (e != 0) {
    if (out.log.empty()) out.log = n.error(e);
  } else if (size_of(program, &size) == 0 && size > 0) {
    out.cubin.resize(size);
    get(program, out.cubin.data());
  }
  n.destroy(&program);
  return out;
}

}  // namespace

bool nvrtc_available(std::string& words) {
  const Nvrtc& n = nvrtc();
  words = n.ok ? "NVRTC " + nvrtc_version() + " (" + n.path + ")" : n.reason;
  return n.ok;
}

std::string nvrtc_version() {
  const Nvrtc& n = nvrtc();
  int major = 0;
  int minor = 0;
  if (!n.ok || n.version(&major, &minor) != 0) return {};
  return version_text(major, minor);
}

Compiled compile_cuda(const std::string& source, const std::string& name, int arch) {
  const std::vector<int>& known = nvrtc().archs;
  // Of a device that is newer than the compiler the driver makes the code, from PTX.
  if (!known.empty() && known.back() < arch)
    return compile(source, name, "compute_" + std::to_string(known.back()), nvrtc().ptx_size, nvrtc().ptx);
  return compile(source, name, "sm_" + std::to_string(arch), nvrtc().cubin_size, nvrtc().cubin);
}

std::string ptx_of_cuda(const std::string& source, int arch) {
  const Compiled text =
      compile(source, "ptx.cu", "compute_" + std::to_string(arch), nvrtc().ptx_size, nvrtc().ptx);
  return {text.cubin.begin(), text.cubin.end()};
}

}  // namespace nvm::gpu
