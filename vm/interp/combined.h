// Several instructions executed as one, and equal elements computed once.
#pragma once

#include <utility>
#include <vector>

#include "vm/interp/room.h"

namespace nvm::vm {

class Combined : private Room {
 public:
  explicit Combined(const Room& shared) : Room(shared) {}
  // Computes equal elements once. False: operands that are to be read one by one are written, for all
  // readers.
  [[nodiscard]] bool repeated(const Step& step, std::int32_t slot);
  void write_repeated_operands(const Step& step);
  void repeat_equal(std::span<Value> arguments) const;
  // One element repeated is written for those that read it one by one.
  void write_repeated(Value& value) const;
  // Nothing that only instructions understand.
  void written(Value& value) const;
  // Writes those that the instruction does not take repeated.
  void write_untaken(const Step& step, std::span<Value> operands) const;
  // PACKs of the same elements.
  [[nodiscard]] bool pack_group(const Step& step);
  // Has the first of its group made what this instruction gives?
  [[nodiscard]] bool has_packed(const Step& step) const;
  // RANK and PERMUTE.
  [[nodiscard]] bool sort(const Step& step, std::span<Value> operands, std::span<Value> results);
  void forget() { packed_.clear(); }

 private:
  std::vector<std::pair<const ssa::Inst*, Packing>> packed_;  // made by the first of their group
};

}  // namespace nvm::vm
