// Values of an outer loop's inner one that depend on the place in a segment alone, the coefficients of a
// polynomial, say: the same in all segments, so computed once, in front of both loops, into a table by place.
// The inner loop takes them from there into all lanes.
#pragma once

#include <vector>

#include "vm/cpu/codegen/lanes.h"
#include "vm/cpu/codegen/stage.h"

namespace nvm::vm::cpu {

class OuterTable {
 public:
  OuterTable(Lanes& lanes, const StageSpec& spec, const std::vector<bool>& needed)
      : lanes_(lanes), values_(values_by_place(spec, needed)), columns_(values_.tabled.size()) {}

  [[nodiscard]] bool empty() const { return values_.tabled.empty(); }
  // Is value i computed in front; taken from the table; computed by the inner loop?
  [[nodiscard]] bool in_front(std::size_t i) const { return !empty() && values_.in_front[i]; }
  [[nodiscard]] bool tabled(std::size_t i) const { return !empty() && values_.tabled[i]; }
  [[nodiscard]] bool inside(std::size_t i) const { return empty() || values_.inside[i]; }

  // In front of the elements of a segment, and behind each.
  void begin() {
    if (empty()) return;
    place_ = lanes_.cc().newInt64();
    lanes_.cc().xor_(place_, place_);
  }
  void step() {
    if (!empty()) lanes_.cc().add(place_, 8);
  }
  void put(std::size_t i, const Lane& value) {
    columns_[i] = lanes_.cc().newStack(8 * kFewElements, 64);
    if (value.type == Type::kFloat)
      lanes_.cc().vmovsd(cell(i), value.v.xmm());
    else
      lanes_.store_first(cell(i), value);
  }
  [[nodiscard]] Lane get(std::size_t i, Type type) const { return lanes_.broadcast(type, cell(i)); }

 private:
  [[nodiscard]] x86::Mem cell(std::size_t i) const {
    x86::Mem at = columns_[i];
    at.setIndex(place_);
    at.setSize(0);
    return at;
  }

  Lanes& lanes_;
  ValuesByPlace values_;
  std::vector<x86::Mem> columns_;  // by value
  x86::Gp place_;                  // bytes to the element's cells
};

}  // namespace nvm::vm::cpu
