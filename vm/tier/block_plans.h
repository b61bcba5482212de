// Lifted functions compiled as block plans, for the workers of block mode: each planned and compiled by the
// first worker that comes to it, and run by all of them, on the thread of each.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "vm/interp/code.h"
#include "vm/interp/function_hook.h"
#include "vm/tier/block_run.h"
#include "vm/tier/jit.h"

namespace nvm::vm {

inline constexpr std::string_view kGaveUpNames[] = {
#define GAVE_UP(id, why) why,
#include "vm/tier/gave_up.def"
};

struct BlockPlanCounters {
  std::uint64_t compiled = 0;  // functions
  std::uint64_t compile_ns = 0;
  std::uint64_t groups = 0;                                      // run to the end
  std::uint64_t blocks = 0;                                      // entered, by all groups
  std::array<std::uint64_t, std::size(kGaveUpNames)> gave_up{};  // groups, by GaveUp
};

class BlockPlans final : public FunctionTier {
 public:
  // All must outlive this.
  BlockPlans(const Code& code, plan::Engine& engine, const JitOptions& options);

  [[nodiscard]] std::unique_ptr<FunctionHook> hook(Caller caller, const PrimContext& context,
                                                   std::int64_t max_depth,
                                                   std::size_t max_frame_bytes) override;
  [[nodiscard]] BlockPlanCounters counters() const;
  // By name of those that have no code: why.
  [[nodiscard]] std::map<std::string, std::string> refusals() const;

 private:
  friend class FunctionRunner;
  struct Function {
    std::atomic<bool> tried{false};
    std::atomic<const FunctionCode*> code{nullptr};
    std::atomic<int> lost{0};  // groups given up, one after the other
  };

  [[nodiscard]] const FunctionCode* find(ssa::FunctionId function);
  [[nodiscard]] std::unique_ptr<const FunctionCode> compile(ssa::FunctionId function, std::string& reason);
  void count(ssa::FunctionId function, const BlockRun& run, bool done);

  const Code& code_;
  plan::Engine& engine_;
  JitOptions options_;
  std::vector<Function> functions_;
  std::array<std::atomic<std::uint64_t>, std::size(kGaveUpNames)> gave_up_{};
  std::atomic<std::uint64_t> groups_{0}, blocks_{0};
  mutable std::mutex mutex_;  // of all that follows
  CodeByPlan known_;
  std::vector<std::unique_ptr<const FunctionCode>> codes_;
  std::map<std::string, std::string> refusals_;
  std::uint64_t compile_ns_ = 0;
};

}  // namespace nvm::vm
