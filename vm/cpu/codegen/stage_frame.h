// What the machine code of a stage finds in its arguments: the iteration, and words that it asks for by slot.
#pragma once

#include <asmjit/x86.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "vm/cpu/codegen/stage.h"

namespace nvm::vm::cpu {

class StageFrame {
 public:
  StageFrame(asmjit::x86::Compiler& cc, std::vector<Slot>& slots) : cc_(cc), slots_(slots) {}

  // In front of everything else: i from 0 on, below n.
  void begin(const asmjit::x86::Gp& args) {
    args_ = args;
    n_ = cc_.newInt64("n");
    i_ = cc_.newInt64("i");
    cc_.mov(n_, field(offsetof(StageArgs, n)));
    cc_.xor_(i_.r32(), i_.r32());
  }
  [[nodiscard]] const asmjit::x86::Gp& n() const { return n_; }
  [[nodiscard]] const asmjit::x86::Gp& i() const { return i_; }

  [[nodiscard]] asmjit::x86::Mem field(std::size_t offset) const {
    return asmjit::x86::ptr(args_, static_cast<std::int32_t>(offset));
  }
  [[nodiscard]] asmjit::x86::Mem cell(const Slot& slot) {
    return field(offsetof(StageArgs, slots) + 8 * number_of(slot));
  }
  // The address in `slot`, in a register for the whole loop; first asked for in front of it.
  [[nodiscard]] asmjit::x86::Gp pointer(const Slot& slot) {
    const std::size_t number = number_of(slot);
    if (!pointers_[number].isValid()) {
      pointers_[number] = cc_.newIntPtr();
      cc_.mov(pointers_[number], field(offsetof(StageArgs, slots) + 8 * number));
    }
    return pointers_[number];
  }
  // Element i behind that address.
  [[nodiscard]] asmjit::x86::Mem element(const Slot& slot, Storage storage) {
    return asmjit::x86::ptr(pointer(slot), i_, scale(storage));
  }
  // Of an index of such elements.
  [[nodiscard]] static std::uint32_t scale(Storage storage) {
    const std::size_t bytes = storage_bytes(storage);
    return bytes == 8 ? 3 : bytes == 4 ? 2 : 0;
  }

 private:
  [[nodiscard]] std::size_t number_of(const Slot& slot) {
    const auto it = std::find(slots_.begin(), slots_.end(), slot);
    if (it != slots_.end()) return static_cast<std::size_t>(it - slots_.begin());
    slots_.push_back(slot);
    pointers_.emplace_back();
    return slots_.size() - 1;
  }

  asmjit::x86::Compiler& cc_;
  std::vector<Slot>& slots_;
  std::vector<asmjit::x86::Gp> pointers_;  // by slot
  asmjit::x86::Gp args_, n_, i_;
};

}  // namespace nvm::vm::cpu
