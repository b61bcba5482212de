// Indices that only say where one value is put, along runs of places a stride apart, as in a sieve.
#pragma once

#include "vm/interp/room.h"

namespace nvm::vm {

class StridedPlaces : private Room {
 public:
  explicit StridedPlaces(const Room& shared) : Room(shared) {}
  // Of the places, or of the DIST of that value. False: the instruction is to be executed.
  [[nodiscard]] bool leave(const Step& step, std::span<Value> operands, std::span<Value> results);
  // Of the scatter. False: the indices are there, and the instruction is to be executed by them.
  [[nodiscard]] bool put(std::span<Value> operands, std::span<Value> results) const;
};

}  // namespace nvm::vm
