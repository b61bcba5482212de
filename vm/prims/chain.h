// Straight lines of elementwise instructions on vectors of one length, executed strip by strip: a few
// thousand elements go through all instructions before the next ones are read, so that what lies between
// stays in the cache and never gets memory of its own. Results are those of the instructions one by one, bit
// for bit: the same loops run, and sums combine in the order of reduce_tree.h.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vm/prims/prims.h"

namespace nvm::vm {

// One line: collected, then run. Only instructions that cannot fail take part, so that it may run later than
// they stand.
class Chain {
 public:
  // A value of the line: an instruction's result if >= 0, else an operand from outside.
  using Ref = std::int32_t;

  // May this instruction take part? Elementwise ones that do not trap, and DIST.
  [[nodiscard]] static bool admits(Op op, TypeWord word);
  // May a reduction of `n` elements in one segment end a line?
  [[nodiscard]] static bool reduces(Op op, std::int64_t n);

  [[nodiscard]] bool empty() const { return ops_.empty(); }
  [[nodiscard]] bool full() const { return ops_.size() >= kMost; }
  [[nodiscard]] std::size_t size() const { return ops_.size(); }
  // For an empty line: vectors have `length` > 1 elements.
  void start(const PrimContext& context, std::int64_t length);
  [[nodiscard]] std::int64_t length() const { return length_; }

  // A vector of that length from outside, in memory or repeated.
  Ref operand(Value vector);
  Ref map(Op op, TypeWord word, std::span<const Ref> operands);
  // DIST of one element per segment of `s`, whose total is the length.
  Ref dist(TypeWord word, Value elements, Value s);
  // Of all elements as one segment; nothing may read its result.
  Ref reduce(Op op, TypeWord word, Ref operand);

  [[nodiscard]] bool is_reduction(Ref instruction) const;

  // Values from outside that it reads.
  [[nodiscard]] std::span<const Value> operands() const { return operands_; }

  // Computes results[i] of instruction i where wanted[i]; afterwards the line is empty. Throws Fault kMemory.
  void run(const std::vector<bool>& wanted, std::vector<Value>& results);
  void clear();

 private:
  static constexpr std::size_t kMost = 64;

  struct Instr {
    Op op;
    TypeWord word;
    int operands = 0;
    Ref from[3] = {};
    Storage storage = Storage::kI64;  // of the result
  };
  [[nodiscard]] Storage storage(Ref r) const;
  void run_alone(Value& result);

  const PrimContext* context_ = nullptr;
  std::int64_t length_ = 0;
  std::vector<Instr> ops_;
  std::vector<Value> operands_;

  friend class ChainRun;
};

}  // namespace nvm::vm
