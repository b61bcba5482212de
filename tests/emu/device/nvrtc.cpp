// libnvrtc.so.13 for machines without a GPU: sources are built for the host against cuda_emu.h. A "cubin"
// names the library that came of it. Built before, by content, or one of a batch (see corpus.py), it is not
// built again.
//
//   NVM_EMU_GATHER=FOLDER   only writes the sources there
//   NVM_EMU_BATCH=FOLDER    where batches stand: NAME.batch has the image of source NAME
//   NVM_EMU_SLOW=FILE       compiles no further until FILE exists
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/emu_build.h"

namespace {

namespace fs = std::filesystem;

struct EmuProgram {
  std::string source;
  std::string image;
  std::string log;
};

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

const char* setting(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr && *text != '\0' ? text : nullptr;
}

int compile(EmuProgram& p) {
  const std::string name = nvm::testing::name_of_source(p.source);
  if (const char* file = setting("NVM_EMU_SLOW"))
    while (!fs::exists(file)) usleep(1000);
  if (const char* folder = setting("NVM_EMU_BATCH")) {
    p.image = read_file(fs::path(folder) / (name + ".batch"));
    if (!p.image.empty()) return 0;
  }
  if (const char* folder = setting("NVM_EMU_GATHER")) {
    std::ofstream(fs::path(folder) / (name + ".cu"), std::ios::binary) << p.source;
    p.log = "only gathered";
    return 6;
  }
  const std::string library = nvm::testing::build_emulated(p.source, p.log);
  if (library.empty()) return 6;
  p.image = "emulated\n" + library + "\n";
  return 0;
}

}  // namespace

extern "C" {

int nvrtcVersion(int* major, int* minor) {
  *major = 13;
  *minor = 99;
  return 0;
}
int nvrtcCreateProgram(void** out, const char* source, const char*, int, const char* const*,
                       const char* const*) {
  *out = new EmuProgram{source, {}, {}};
  return 0;
}
int nvrtcDestroyProgram(void** p) {
  delete static_cast<EmuProgram*>(*p);
  return 0;
}
int nvrtcCompileProgram(void* p, int, const char* const*) { return compile(*static_cast<EmuProgram*>(p)); }
int nvrtcGetCUBINSize(void* p, std::size_t* size) {
  *size = static_cast<EmuProgram*>(p)->image.size() + 1;
  return 0;
}
int nvrtcGetCUBIN(void* p, char* to) {
  std::strcpy(to, static_cast<EmuProgram*>(p)->image.c_str());
  return 0;
}
int nvrtcGetPTXSize(void*, std::size_t*) { return 7; }
int nvrtcGetPTX(void*, char*) { return 7; }
int nvrtcGetProgramLogSize(void* p, std::size_t* size) {
  *size = static_cast<EmuProgram*>(p)->log.size() + 1;
  return 0;
}
int nvrtcGetProgramLog(void* p, char* to) {
  std::strcpy(to, static_cast<EmuProgram*>(p)->log.c_str());
  return 0;
}
const char* nvrtcGetErrorString(int) { return "the emulated compiler refuses"; }

}  // extern "C"
