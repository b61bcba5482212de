// Tail-parallel functions compiled as loop nests (bytecode/plan/nest.h): a call of one is executed level by
// level, each by one function of machine code, and writes its results where they belong.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "bytecode/plan/nest.h"
#include "vm/interp/code.h"
#include "vm/interp/function_hook.h"
#include "vm/tier/jit.h"

namespace nvm::vm {

struct NestCounters {
  std::uint64_t compiled = 0;
  std::uint64_t compile_ns = 0;
  std::uint64_t calls = 0;     // made so
  std::uint64_t given_up = 0;  // something failed that an interpreter tells
};

class Nests final : public FunctionTier {
 public:
  // All must outlive this.
  Nests(const Code& code, plan::Engine& engine, const JitOptions& options);
  ~Nests() override;

  [[nodiscard]] std::unique_ptr<FunctionHook> hook(Caller caller, const PrimContext& context,
                                                   std::int64_t max_depth,
                                                   std::size_t max_frame_bytes) override;
  [[nodiscard]] NestCounters counters() const;
  // A line for each tail-parallel function that was called: how often it was a nest, or why it is none.
  [[nodiscard]] std::string explain() const;

 private:
  friend class NestRunner;
  struct Compiled;  // for arguments and results of certain storages
  struct Function {
    std::atomic<bool> looked_at{false};
    std::atomic<const plan::Nest*> nest{nullptr};
    std::atomic<int> lost{0};           // calls given up, one after the other
    std::atomic<std::int64_t> seen{0};  // bytes, before it was compiled
    std::atomic<std::uint64_t> calls{0};
    std::unique_ptr<const plan::Nest> built;  // these are written before looked_at
    std::string refusal;
  };
  using Storages = std::pair<std::vector<Storage>, std::vector<Storage>>;  // of parameters, of targets

  [[nodiscard]] const plan::Nest* nest_of(ssa::FunctionId function);
  [[nodiscard]] bool hot(ssa::FunctionId function, std::int64_t bytes);
  // Null if there is no code.
  [[nodiscard]] const Compiled* find(ssa::FunctionId function, const Storages& storages);
  void count(ssa::FunctionId function, bool done);

  const Code& code_;
  plan::NestEngine* engine_;  // null: it has none
  JitOptions options_;
  std::vector<Function> functions_;
  std::atomic<std::uint64_t> given_up_{0};
  mutable std::mutex mutex_;  // of all that follows
  std::map<std::pair<ssa::FunctionId, Storages>, std::unique_ptr<const Compiled>> compiled_;
  std::uint64_t compile_ns_ = 0;
};

}  // namespace nvm::vm
