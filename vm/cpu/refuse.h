#pragma once

#include <cstdint>
#include <string>

namespace nvm::vm::cpu {

enum class Refuse : std::uint8_t {
#define REFUSE(id, words) id,
#include "vm/cpu/refuse.def"
};

[[nodiscard]] inline std::string refuse_text(Refuse r) {
  switch (r) {
#define REFUSE(id, words) \
  case Refuse::id: return words;
#include "vm/cpu/refuse.def"
  }
  return {};
}

}  // namespace nvm::vm::cpu
