#include "tests/support/emu_build.h"

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "bytecode/base/hash.h"

namespace nvm::testing {

namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

const std::string& header() {
  static const std::string kText = read_file(fs::path(NVM_EMU_INCLUDE) / "cuda_emu.h");
  return kText;
}

}  // namespace

std::string name_of_source(const std::string& source) {
  char name[32];
  std::snprintf(name, sizeof name, "%016llx",
                static_cast<unsigned long long>(hash_bytes(source, hash_bytes(header()))));
  return name;
}

std::string build_emulated(const std::string& source, std::string& log) {
  const std::string all = "#include \"cuda_emu.h\"\n#line 1 \"kernels.cu\"\n" + source;
  const fs::path folder = fs::path(NVM_EMU_CACHE);
  fs::create_directories(folder);
  const std::string name = name_of_source(source);
  const fs::path text = folder / (name + ".cc");
  const fs::path library = folder / (name + ".so");
  if (fs::exists(library) && read_file(text) == all) return library.string();
  const std::string own = name + "." + std::to_string(getpid());
  const fs::path fresh_text = folder / (own + ".cc");
  const fs::path fresh = folder / (own + ".so");
  std::ofstream(fresh_text, std::ios::binary) << all;
  const std::string command = std::string(NVM_EMU_COMPILER) +
                              " " NVM_EMU_FLAGS " -I " NVM_EMU_INCLUDE " -o " + fresh.string() + " " +
                              fresh_text.string() + " -lboost_context -lsleef";
  if (std::system(command.c_str()) != 0) {
    log = "the emulated source does not compile: " + fresh_text.string();
    return {};
  }
  fs::rename(fresh_text, text);
  fs::rename(fresh, library);
  return library.string();
}

}  // namespace nvm::testing
