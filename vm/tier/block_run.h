// Runs a lifted function's plan for one group: its blocks one after the other, frames on a stack, decisions
// read where they are made. On one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "vm/tier/block_compute.h"

namespace nvm::vm {

class BlockRun {
 public:
  struct Limits {
    std::int64_t calls = 0;       // open at a time, 0: no limit
    std::size_t frame_bytes = 0;  // of open calls
    std::size_t arena_bytes = 0;  // live at a time
    std::size_t arena_piece = 0;  // taken at a time
    const std::atomic<Stop>* stop = nullptr;
  };

  // All must outlive this. `constants` are those of the module.
  BlockRun(const FunctionCode& code, std::span<const Value> constants, const PrimContext& context,
           const Limits& limits);

  // Once, with arguments that outlive this. Nothing: given up. Throws Fault (memory), std::bad_alloc.
  [[nodiscard]] std::optional<std::vector<Value>> run(std::span<const Value> arguments);
  [[nodiscard]] GaveUp why() const { return why_; }
  [[nodiscard]] std::uint64_t blocks() const { return blocks_; }  // that were run

 private:
  struct Frame {
    const ProcedureCode* procedure = nullptr;
    std::size_t base = 0;             // of its registers
    std::int64_t depth = 0;           // calls that led here, those whose frames were taken over included
    const BlockCode* call = nullptr;  // of the caller's frame, which goes on behind it
  };

  [[nodiscard]] bool give_up(GaveUp why) {
    why_ = why;
    return false;
  }
  [[nodiscard]] Register& reg(plan::ValueId v) {
    return registers_[frame_.base + static_cast<std::size_t>(v)];
  }
  [[nodiscard]] const Register& source(const plan::BlockSource& s) const {
    return s.constant ? constants_[static_cast<std::size_t>(s.number)]
                      : registers_[frame_.base + static_cast<std::size_t>(s.number)];
  }
  void forget(std::span<const plan::ValueId> dead);

  [[nodiscard]] bool enter_arguments(std::span<const Value> arguments);
  [[nodiscard]] bool enter_constants();
  [[nodiscard]] bool step(const BlockCode& block);
  void pass(std::span<const plan::BlockSource> from);
  [[nodiscard]] bool call(const BlockCode& block);
  [[nodiscard]] bool open(std::int32_t procedure, const BlockCode* call, std::int64_t depth);
  void leave();

  const FunctionCode& code_;
  std::span<const Value> given_constants_;
  const PrimContext& context_;
  Limits limits_;
  Arena arena_;
  BlockValues values_;
  BlockCompute compute_;
  std::vector<Register> registers_, constants_;
  std::vector<Frame> callers_;
  Frame frame_;
  std::size_t block_ = 0;         // of frame_
  std::vector<Register> passed_;  // from frame to frame, or from block to block
  bool returned_ = false;
  GaveUp why_ = GaveUp::kNoCode;
  std::uint64_t blocks_ = 0;
};

}  // namespace nvm::vm
