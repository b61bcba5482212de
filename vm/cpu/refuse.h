#pragma once

#include <cstdint>
#include <string>

namespace nvm::vm::cpu {

enum class Refuse : std::uint8_t {
#define REFUSE(id, words) id,
#include "vm/cpu/refuse.def"
};

[[nodiscard]] inline std::string refuse_text(Refuse r) {
  static constexpr const char* kWords[] = {
#define REFUSE(id, words) words,
#include "vm/cpu/refuse.def"
  };
  return kWords[static_cast<std::size_t>(r)];
}

}  // namespace nvm::vm::cpu
