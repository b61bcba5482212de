// Lifted functions that are loops of each of their instances alone, compiled as masked loops
// (bytecode/plan/masked_loop.h): calls of them are kernels over their instances.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "bytecode/plan/masked_loop.h"
#include "vm/interp/code.h"
#include "vm/interp/function_hook.h"
#include "vm/tier/jit.h"

namespace nvm::vm {

struct MaskedLoopCounters {
  std::uint64_t compiled = 0;
  std::uint64_t compile_ns = 0;
  std::uint64_t calls = 0;     // made so
  std::uint64_t given_up = 0;  // an instance ended the program, or went round too often
};

class MaskedLoops final : public FunctionTier {
 public:
  // All must outlive this.
  MaskedLoops(const Code& code, plan::Engine& engine, const JitOptions& options);
  ~MaskedLoops() override;

  [[nodiscard]] std::unique_ptr<FunctionHook> hook(Caller caller, const PrimContext& context,
                                                   std::int64_t max_depth,
                                                   std::size_t max_frame_bytes) override;
  [[nodiscard]] MaskedLoopCounters counters() const;
  // A line for each recursive lifted function that was called: how often it was a masked loop, or why it is
  // none.
  [[nodiscard]] std::string explain() const;

 private:
  friend class MaskedRunner;
  struct Compiled;  // for arguments of certain storages
  struct Function {
    std::atomic<bool> looked_at{false}, loops{false};
    std::atomic<int> lost{0};           // calls given up, one after the other
    std::atomic<std::int64_t> seen{0};  // instances, before it was compiled
    std::atomic<std::uint64_t> calls{0};
    std::string refusal;  // written before looked_at
  };

  [[nodiscard]] bool loops(ssa::FunctionId function);
  [[nodiscard]] bool hot(ssa::FunctionId function, std::int64_t instances);
  [[nodiscard]] const Compiled* find(ssa::FunctionId function, const std::vector<Storage>& storages);
  void count(ssa::FunctionId function, bool done);

  const Code& code_;
  plan::Engine& engine_;
  JitOptions options_;
  std::vector<Function> functions_;
  std::atomic<std::uint64_t> given_up_{0};
  mutable std::mutex mutex_;  // of all that follows
  std::map<std::pair<ssa::FunctionId, std::vector<Storage>>, std::unique_ptr<const Compiled>> compiled_;
  std::uint64_t compile_ns_ = 0;
};

}  // namespace nvm::vm
