// Numbers counted up, runs, strided places and numbers repeated that all threads leave delayed: who leaves
// and who reads them.
#pragma once

#include "vm/interp/room.h"

namespace nvm::vm {

class Delayed : private Room {
 public:
  explicit Delayed(const Room& shared) : Room(shared) {}
  // Of an elementwise instruction whose operands are there: does its result follow from what is known?
  [[nodiscard]] bool follows(const Step& step) const;
  // Operands are in scratch. True: the result is there, or left. Those that only others would understand are
  // written.
  [[nodiscard]] bool stays(const Step& step, Value& result);
  void finish(const Step& step, std::int32_t slot);
  // Strided places of a scatter of one value, with the DIST of that.
  [[nodiscard]] bool leave_strided(const Step& step, std::span<Value> operands, std::span<Value> results);
  [[nodiscard]] bool put_strided(std::span<Value> operands, std::span<Value> results) const;

 private:
  [[nodiscard]] bool leave(const Step& step, Value& result);
};

}  // namespace nvm::vm
