// Values as a block plan's run keeps them: in the arena of its group, in the widest storage of their types.
#pragma once

#include <span>
#include <vector>

#include "bytecode/plan/block_plan.h"
#include "bytecode/plan/engine.h"
#include "vm/data/pool.h"
#include "vm/tier/arena.h"

namespace nvm::vm {

// A vector, or a descriptor: whoever has it knows which, and of what type.
struct Register {
  Arena::Block* memory = nullptr;  // what keeps `data`; null: nothing, or somebody who stays until the end
  void* data = nullptr;            // elements; offsets of a descriptor, null if all segments are `each` long
  std::int64_t length = 0;         // elements, segments
  std::int64_t total = 0;          // of a descriptor
  union {
    std::int64_t number = 0;  // the element of a vector of one, which has no data: INT and BOOL
    double real;              // FLOAT
    std::int64_t each;
  };

  [[nodiscard]] std::int64_t* offsets() const { return static_cast<std::int64_t*>(data); }
};

// Goes between values and registers. Whatever asks for memory is false or null where there is none.
class BlockValues {
 public:
  BlockValues(Arena& arena, IntBits bits) : arena_(arena), bits_(bits) {}

  [[nodiscard]] Storage widest(Type type) const {
    if (type == Type::kFloat) return Storage::kF64;
    if (type == Type::kBool) return Storage::kB8;
    return bits_ == IntBits::k32 ? Storage::kI32 : Storage::kI64;
  }
  // False, too, if the value is no vector or descriptor that is written. It must outlive the register.
  [[nodiscard]] bool enter(const Value& value, Type type, Register& to);
  // The same of a vector that need not outlive it.
  [[nodiscard]] bool copy(const Value& vector, Type type, Register& to);
  // Throws Fault (memory).
  [[nodiscard]] Value leave(const Register& from, Type type, Pool& pool) const;

  // Offsets of a descriptor that has none yet.
  [[nodiscard]] bool spell_out(Register& segments);
  // The lengths of segments as a vector.
  [[nodiscard]] bool lengths_of(const Register& segments, Register& to);
  // A descriptor with these INTs as lengths; false, too, if it cannot have them.
  [[nodiscard]] bool segments_of(const plan::Array& lengths, Register& to);

 private:
  [[nodiscard]] bool make(Register& to, std::int64_t count, std::size_t size);
  [[nodiscard]] bool widen(const Vector& from, Storage storage, Register& to);

  Arena& arena_;
  IntBits bits_;
};

}  // namespace nvm::vm
