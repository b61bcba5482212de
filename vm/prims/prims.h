// The eager primitives: every pure instruction of the table as one call on whole vectors. The reference for
// all other tiers, and fast: multi-core (oneTBB) and SIMD with run-time dispatch.
//
// Shapes, types and errors are those of the instruction table. Floating-point reductions and scans combine in
// a tree that depends only on the segment's length: segments of up to 32 elements strictly left to right from
// the identity, longer ones by the fixed blocking of reduce_tree.h. Results do not depend on the number of
// threads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "bytecode/base/draws.h"
#include "bytecode/base/orderer.h"
#include "bytecode/table/op_info.h"
#include "vm/data/fast_paths.h"
#include "vm/data/pool.h"
#include "vm/data/stop.h"
#include "vm/data/value.h"

namespace nvm::vm {

// Instruction sets a primitive may be forced to, for tests and the portable fallback.
enum class Isa : std::uint8_t { kPortable, kAvx2, kAvx512 };
[[nodiscard]] Isa best_isa();

// Draws of RAND; one per element in element order (design: values).
class RandomSource {
 public:
  virtual ~RandomSource() = default;
  virtual void seed(std::int64_t seed) = 0;
  // out[i] = draw number (i from the current position), each 31 bits and >= 0; advances by n.
  virtual void draw(std::int64_t* out, std::int64_t n) = 0;
  // Advances by n without drawing, and says where those n may be drawn later; nothing of a generator whose
  // draws follow from those before.
  [[nodiscard]] virtual std::optional<Draws> take(std::int64_t /*n*/) { return {}; }
};

// What a primitive needs besides its operands. One per interpreter; a block-mode worker has its own.
struct PrimContext {
  Pool* pool = nullptr;
  IntBits int_bits = IntBits::k64;
  Isa isa = Isa::kPortable;
  int threads = 1;  // 1: run on the calling thread only
  RandomSource* random = nullptr;
  // As the legacy interpreter without -c: operands of elementwise instructions that are longer than the first
  // one give their first elements. Otherwise unequal lengths are a fault.
  bool prefix_lengths = false;
  Orderer* orderer = nullptr;               // who ranks and sorts beside the processor, if anybody does
  std::int64_t grain = 1 << 15;             // elements below which a primitive stays on one thread
  FastPathCounts* fast_paths = nullptr;     // null: nobody counts
  const std::atomic<Stop>* stop = nullptr;  // looked at between chunks; null: nobody asks
  std::int64_t first = 0;  // number of the operands' first element, where they are parts, for messages
};

// The operation that is under way goes this way.
inline void took(const PrimContext& context, FastPath path, std::uint64_t times = 1) {
  if (context.fast_paths != nullptr) context.fast_paths->count(path, times);
}

// One execution: operands and results as the table lists them; results do not overlap operands.
struct PrimCall {
  const PrimContext& context;
  Op op;
  TypeWord word;
  Value* operands;
  Value* results;
};
using PrimFn = void (*)(const PrimCall& call);

// The function behind an instruction of kind kMap .. kRandom, for callers that look it up once; null for
// other kinds and for words the grammar does not allow.
[[nodiscard]] PrimFn find_primitive(Op op, TypeWord word);

// DIST to a vector that will only be read where the table allows it (Form::kUniform): it may stay one number
// (Vector::repeated), always so of one, and if all elements are known to be `equal`. Otherwise as
// run_primitive.
void run_repeating_dist(const PrimContext& context, TypeWord word, std::span<Value> operands,
                        std::span<Value> results, bool equal = false);

// Executes one instruction of kind kMap .. kRandom. `operands` are moved from or left as they were: the
// caller lets go of them. An operand whose buffer is unique() may be overwritten by a result. Operand types
// are verified statically; lengths, descriptors and element values are checked here. Throws Fault; then no
// result is set and the operands' values are unspecified.
void run_primitive(const PrimContext& context, Op op, TypeWord word, std::span<Value> operands,
                   std::span<Value> results);

}  // namespace nvm::vm
