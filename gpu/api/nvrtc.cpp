#include "gpu/api/nvrtc.h"

#include <cstdlib>

#include "gpu/api/library.h"

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
  std::string path;
  std::string reason;
  bool ok = false;
};

// Names from new to old; CUDA_PATH, or else the usual folder, for a toolkit that is not on the loader's path.
std::vector<std::string> candidates() {
  std::vector<std::string> names;
  std::vector<std::string> folders{""};
  if (const char* path = std::getenv("CUDA_PATH"); path != nullptr)
    folders.push_back(std::string(path) + "/lib64/");
  else
    folders.push_back("/usr/local/cuda/lib64/");
  for (const std::string& folder : folders)
    for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"})
      names.push_back(folder + name);
  return names;
}

template <typename Function>
void bind(void* library, const char* symbol, Function& function, bool& ok) {
  function = reinterpret_cast<Function>(find_symbol(library, symbol));
  ok = ok && function != nullptr;
}

Nvrtc load() {
  Nvrtc n;
  void* library = open_library(candidates(), n.path, n.reason);
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
  if (!n.ok) n.reason = n.path + " is too old: CUDA 11.2 or later is needed";
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
  return std::to_string(major) + "." + std::to_string(minor);
}

Compiled compile_cuda(const std::string& source, const std::string& name, int arch) {
  return compile(source, name, "sm_" + std::to_string(arch), nvrtc().cubin_size, nvrtc().cubin);
}

std::string ptx_of_cuda(const std::string& source, int arch) {
  const Compiled text =
      compile(source, "ptx.cu", "compute_" + std::to_string(arch), nvrtc().ptx_size, nvrtc().ptx);
  return {text.cubin.begin(), text.cubin.end()};
}

}  // namespace nvm::gpu
