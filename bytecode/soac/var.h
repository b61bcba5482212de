// Vectors, descriptors and symbolic lengths, as regions, graphs and plans share them.
#pragma once

#include <cstdint>

#include "bytecode/soac/body.h"
#include "bytecode/table/types.h"

namespace nvm::soac {

// What a symbolic length is bound to when a plan runs.
enum class LengthKind : std::uint8_t {
  kOne,      // 1
  kBound,    // given by the caller
  kCounted,  // number of elements a filter keeps; known after its kernel
};

// How much is known of a descriptor when the code is made; a guard on the inputs.
enum class DescForm : std::uint8_t { kOneSegment, kRegular, kIrregular };

enum class VarRole : std::uint8_t {
  kInput,   // bound by the caller
  kTemp,    // made inside, dead after its last reader
  kOutput,  // made inside, wanted by the caller
};

// A vector or descriptor. A vector of length symbol kOne is a scalar: engines keep it unboxed.
struct Var {
  VarRole role = VarRole::kInput;
  bool is_desc = false;
  Type type = Type::kInt;                // vectors
  Storage storage = Storage::kI64;       // vectors: exact for inputs; what to store for the others
  bool guessed = false;                  // vectors: `storage` may not do; whoever stores checks
  LengthId length = kNone;               // elements, or number of segments
  LengthId total = kNone;                // descriptors
  DescForm form = DescForm::kIrregular;  // descriptors
  bool is_fixed = false;                 // INT scalars: the code relies on the value `fixed`
  std::int64_t fixed = 0;
};

}  // namespace nvm::soac
