// The constants of a module, each stored once.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "bytecode/ssa/ssa.h"

namespace nvm::ssa {

// Bits of `v` kept by a run with this width of INT, sign-extended.
[[nodiscard]] constexpr std::int64_t wrap_int(std::int64_t v, IntBits bits) {
  return bits == IntBits::k32 ? static_cast<std::int32_t>(v) : v;
}

// Finds or adds constants of one module. Equal means equal to the last bit: 0.0 and -0.0 differ. The index
// is of the module's constants at construction; nobody else may add any meanwhile.
class ConstantPool {
 public:
  explicit ConstantPool(Module& module);
  // CHAR becomes INT: the word matters to text only. Ints are wrapped to the module's width.
  [[nodiscard]] std::int32_t add(Constant constant);

 private:
  Module& module_;
  std::unordered_map<std::string, std::int32_t> index_;  // by type and bytes
};

}  // namespace nvm::ssa
