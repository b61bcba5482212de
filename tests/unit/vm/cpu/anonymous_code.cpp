#include "vm/cpu/anonymous_code.h"

#include <asmjit/x86.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

namespace nvm::vm::cpu {
namespace {

using Function = int (*)();

Function returning(asmjit::JitRuntime& runtime, int number) {
  asmjit::CodeHolder code;
  code.init(runtime.environment());
  asmjit::x86::Assembler assembler(&code);
  assembler.mov(asmjit::x86::eax, number);
  assembler.ret();
  Function f = nullptr;
  REQUIRE(runtime.add(&f, &code) == asmjit::kErrorOk);
  return f;
}

// What the system says of the mapping at an address: permissions, then the name if it has one; "" if none is.
std::string mapping(const void* at) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    char dash = 0;
    std::string permissions, offset, device, inode, name;
    std::istringstream in(line);
    in >> std::hex >> begin >> dash >> end >> permissions >> offset >> device >> inode >> name;
    const auto p = reinterpret_cast<std::uintptr_t>(at);
    if (begin <= p && p < end) return permissions + name;
  }
  return "";
}

TEST_CASE("code without a file is executable, not writable, and gone when it is released") {
  AnonymousCode runtime;
  const Function seven = returning(runtime, 7), eight = returning(runtime, 8);
  CHECK(seven() == 7);
  CHECK(eight() == 8);
  const auto* at = reinterpret_cast<const void*>(seven);
  CHECK(mapping(at) == "r-xp");
  CHECK(runtime.release(seven) == asmjit::kErrorOk);
  CHECK(mapping(at).find('x') == std::string::npos);
  CHECK(eight() == 8);
  CHECK(runtime.release(seven) != asmjit::kErrorOk);
}

TEST_CASE("code without instructions is refused") {
  AnonymousCode runtime;
  asmjit::CodeHolder code;
  code.init(runtime.environment());
  Function f = nullptr;
  CHECK(runtime.add(&f, &code) != asmjit::kErrorOk);
  CHECK(f == nullptr);
}

}  // namespace
}  // namespace nvm::vm::cpu
