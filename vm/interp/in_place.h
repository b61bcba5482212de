// What REPLACE does not move (prims/gather.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bytecode/table/op_kind.h"
#include "vm/interp/work.h"

namespace nvm::vm {

// REPLACE changes a vector where it lies if nobody else has it: then only the elements put there move. Made
// before the instruction is executed, asked behind it.
class InPlace {
 public:
  [[nodiscard]] static bool may(Op op) { return op_kind(op) == OpKind::kReplace; }
  InPlace() = default;
  InPlace(Op op, std::span<const Value> operands) {
    if (!may(op)) return;
    const auto* v = std::get_if<Vector>(&operands[0]);
    if (v == nullptr || v->length() < 2 || v->is_repeated()) return;
    place_ = v->place();
    bytes_ = v->bytes();
    put_ = length_of(operands[1]) * (bytes_ / v->length());
  }
  // Of what bytes_read() and vector_bytes() say, what did not move.
  [[nodiscard]] std::int64_t unmoved(std::span<const Value> results) const {
    if (place_ == nullptr) return 0;
    const auto* v = std::get_if<Vector>(&results[0]);
    return v != nullptr && v->place() == place_ ? bytes_ + v->bytes() - put_ : 0;
  }

 private:
  const std::byte* place_ = nullptr;
  std::int64_t bytes_ = 0, put_ = 0;
};

}  // namespace nvm::vm
