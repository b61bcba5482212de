// What is known of instructions by their addresses, where one is looked up for each instruction that runs: a
// table with open places, half of them free.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "bytecode/ssa/ssa.h"

namespace nvm::vm {

template <typename T>
class ByInst {
 public:
  // Null: nothing is known. Valid until another is added.
  [[nodiscard]] T* find(const ssa::Inst* inst) {
    if (used_ == 0) return nullptr;
    Place& p = place(inst);
    return p.inst == inst ? &p.known : nullptr;
  }
  // Adds it if need be.
  [[nodiscard]] T& operator[](const ssa::Inst* inst) {
    if (2 * used_ >= places_.size()) grow();
    Place& p = place(inst);
    if (p.inst == nullptr) ++used_;
    p.inst = inst;
    return p.known;
  }
  void clear() {
    places_.clear();
    used_ = 0;
  }

 private:
  struct Place {
    const ssa::Inst* inst = nullptr;
    T known;
  };
  // That of the instruction, or the free one where it belongs.
  [[nodiscard]] Place& place(const ssa::Inst* inst) {
    const std::size_t mask = places_.size() - 1;
    const std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(inst) * 0x9E3779B97F4A7C15U;
    for (auto i = static_cast<std::size_t>(mixed >> 32) & mask;; i = (i + 1) & mask)
      if (places_[i].inst == inst || places_[i].inst == nullptr) return places_[i];
  }
  void grow() {
    std::vector<Place> old =
        std::exchange(places_, std::vector<Place>(std::max<std::size_t>(2 * places_.size(), 16)));
    for (Place& p : old)
      if (p.inst != nullptr) place(p.inst) = std::move(p);
  }

  std::vector<Place> places_;  // as many as a power of two
  std::size_t used_ = 0;
};

}  // namespace nvm::vm
