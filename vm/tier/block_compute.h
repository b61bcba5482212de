// Runs the plan of one block: binds what it reads, has its machine code run, takes what it makes.
#pragma once

#include <atomic>
#include <optional>
#include <span>
#include <vector>

#include "vm/interp/machine.h"
#include "vm/tier/block_code.h"
#include "vm/tier/block_values.h"

namespace nvm::vm {

// Why a group was given up: an interpreter does it then, and tells what is wrong if something is.
enum class GaveUp : std::uint8_t {
#define GAVE_UP(id, why) id,
#include "vm/tier/gave_up.def"
};

// What a block reads and writes.
struct BlockFrame {
  Register* values;     // by ValueId
  Register* constants;  // by number of the module
  [[nodiscard]] Register& operator[](const plan::BlockSource& s) const {
    return (s.constant ? constants : values)[static_cast<std::size_t>(s.number)];
  }
};

class BlockCompute final : private plan::Host {
 public:
  // All must outlive this. `stop` may be null.
  BlockCompute(const FunctionCode& code, Arena& arena, const PrimContext& context,
               const std::atomic<Stop>* stop);

  // The block's outputs, in the frame; nothing if all went well. What was given up has no result.
  [[nodiscard]] std::optional<GaveUp> run(const BlockCode& block, BlockFrame frame);
  [[nodiscard]] bool stopped() const {
    return stop_ != nullptr && stop_->load(std::memory_order_relaxed) != Stop::kNo;
  }

 private:
  [[nodiscard]] std::optional<GaveUp> bind(const plan::BlockInput& in, Register& from);
  [[nodiscard]] bool bind_vector(const plan::Var& v, std::size_t x);
  [[nodiscard]] bool bind_segments(const plan::Var& v, std::size_t x);
  [[nodiscard]] bool fits(plan::LengthId id, std::int64_t n);
  [[nodiscard]] std::optional<GaveUp> execute(const BlockCode& block);
  [[nodiscard]] bool take(std::size_t x);
  void take_vector(const plan::Var& v, std::size_t x);
  [[nodiscard]] bool take_segments(const plan::Var& v, std::size_t x);
  void let_go();

  void* allocate(plan::VarId var, Storage storage, std::int64_t length) override;
  [[nodiscard]] bool hand_over(plan::VarId from, plan::VarId to) override;
  void release(plan::VarId var) override;
  [[nodiscard]] bool cancelled() const override { return stopped(); }
  [[nodiscard]] plan::RunStatus primitive(plan::PrimitiveStep& step) override;
  [[nodiscard]] plan::RunStatus rank(plan::PrimitiveStep& step, const plan::Sink& sink);
  [[nodiscard]] plan::RunStatus segments(plan::PrimitiveStep& step, const plan::Sink& sink);

  Arena& arena_;
  const PrimContext& context_;
  const std::atomic<Stop>* stop_;
  BlockValues values_;
  const plan::Plan* plan_ = nullptr;  // the block's
  std::vector<plan::Array> arrays_;
  std::vector<plan::Desc> descs_;
  std::vector<std::int64_t> lengths_;
  std::vector<Register> bound_;  // by VarId; a length of kNone: not yet a value, but may have memory
};

}  // namespace nvm::vm
