// BPERMUTE that leaves a pull (View::is_gather), moves of one, and what is done before others read it.
#pragma once

#include "vm/interp/room.h"

namespace nvm::vm {

class Pulls : private Room {
 public:
  explicit Pulls(const Room& shared) : Room(shared) {}
  // True: done. False: the instruction is to be executed, on written operands.
  [[nodiscard]] bool take(const Step& step);
  // Writes the pulls among the operands.
  void write(const Step& step);
  // Of another call: what is remembered.
  void forget();

 private:
  [[nodiscard]] bool leave(const Step& step);
  [[nodiscard]] bool move(const Step& step, const View& pull);
  [[nodiscard]] bool move_indices(const Step& step, const Vector& indices, Value& result);
  void finish(const Step& step, Value made);
  void write_one(Value& value, const Site& reader) const;
  void force_operands(const Step& step);

  // Indices that were looked at last, and up to where they may go; those that were moved last, how, and what
  // came out. Kept for the next field of the same record.
  struct Checked {
    Value indices;
    std::int64_t length = 0;
  } checked_;
  struct Moved {
    Value indices, by;
    Segdes first, second;
    Op op = Op::kExit;
    Value result;
  } moved_;
};

}  // namespace nvm::vm
