// Elementwise primitives by the storage logic they share; which instruction uses which stands in
// dispatch.cpp.
#pragma once

#include <cstring>

#include "vm/prims/kernels/kernels.h"
#include "vm/prims/prims.h"

namespace nvm::vm {

// How an elementwise instruction that does not trap computes from operands that are stored so, unboxed ones
// taken as the run's INT. One of the loops is set; none where the result is the operand seen differently.
struct MapLoop {
  Storage operand = Storage::kI64;  // what the loop reads, of SELECT behind the flags
  Storage result = Storage::kI64;
  kernels::Unary unary = nullptr;
  kernels::Binary binary = nullptr;
  kernels::Select select = nullptr;

  // n elements of the operands, which are as many as the loop reads; without a loop: a copy.
  void run(const std::byte* a, const std::byte* b, const std::byte* c, std::byte* to, std::int64_t n) const {
    if (unary != nullptr)
      unary(a, to, n);
    else if (binary != nullptr)
      binary(a, b, to, n);
    else if (select != nullptr)
      select(reinterpret_cast<const std::uint8_t*>(a), b, c, to, n);
    else
      std::memcpy(to, a, static_cast<std::size_t>(n) * storage_bytes(result));
  }
};
[[nodiscard]] MapLoop map_loop(const PrimContext& context, Op op, TypeWord word, const Storage* operands);

void int_arithmetic(const PrimCall& call);  // in the run's width
void int_closed(const PrimCall& call);      // results fit the wider operand's storage
void int_compare(const PrimCall& call);
void int_divide(const PrimCall& call);  // / and %
void float_arithmetic(const PrimCall& call);
void float_compare(const PrimCall& call);
void bool_logic(const PrimCall& call);
void select(const PrimCall& call);
void same_unary(const PrimCall& call);  // NOT and the elementary functions
void from_int(const PrimCall& call);    // I_TO_F, I_TO_B
void float_to_int(const PrimCall& call);
void bool_to_int(const PrimCall& call);

}  // namespace nvm::vm
