// Block mode on the CPU (cuNesl's hybrid execution): a lifted call with many instances is cut into groups
// that fit a worker's L2, every worker runs the callee, with the rest of its recursion, on a group alone, and
// the results are put end to end. Results are those of the ordinary call; where a group fails, the ordinary
// call is made and fails or not.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "vm/block/policy.h"
#include "vm/block/tuning.h"
#include "vm/block/worker.h"
#include "vm/interp/call_hook.h"
#include "vm/interp/function_hook.h"
#include "vm/interp/level_loop.h"

namespace nvm::vm::block {

struct Counters {
  std::uint64_t calls = 0;   // made in groups
  std::uint64_t groups = 0;  // of these calls
  std::uint64_t whole = 0;   // of these groups, those made in kernel mode because a worker ran out of memory
  std::uint64_t on_device = 0;  // of these groups, those a device was given
  std::uint64_t failed = 0;     // calls given back because a group failed
  std::uint64_t together = 0;   // calls made by all threads together, as far as they could not be cut
};

class BlockMode final : public CallHook {
 public:
  // `machine` is that of the interpreter that will ask. `code`, `inputs` and what `machine` and `options`
  // point to must outlive this.
  BlockMode(const Code& code, const Machine& machine, std::span<const Value> inputs, const Options& options);

  bool call(ssa::FunctionId function, std::int64_t depth, std::span<Value> arguments,
            std::vector<Value>& results) override;
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] const Tuning& tuning() const { return tuning_; }
  // Of tail-parallel recursion, made as a loop.
  [[nodiscard]] std::int64_t levels() const { return levels_.levels(); }

 private:
  struct Spent {
    Cost cost;
    std::int64_t moved = 0;  // bytes, if somebody asked
    GroupsSpent by_line;
  };
  // Is asked about the calls within a call that all threads make together.
  class Within final : public CallHook {
   public:
    Within(BlockMode& mode, LineMeter* meter, std::int64_t* moved)
        : mode_(mode), meter_(meter), moved_(moved) {}
    bool call(ssa::FunctionId function, std::int64_t depth, std::span<Value> arguments,
              std::vector<Value>& results) override {
      return mode_.call_within(function, depth, arguments, *this, nullptr, results);
    }
    bool call_into(ssa::FunctionId function, std::int64_t depth, std::span<Value> arguments,
                   const Destination& destination) override {
      std::vector<Value> none;
      return mode_.call_within(function, depth, arguments, *this, &destination, none);
    }

   private:
    friend class BlockMode;
    BlockMode& mode_;
    LineMeter* meter_;     // of the call; null: nobody asked
    std::int64_t* moved_;  // likewise
  };

  // By compiled code for the function, if there is some and instances are enough.
  [[nodiscard]] bool run_compiled(ssa::FunctionId function, std::int64_t depth, std::span<Value> arguments,
                                  std::vector<Value>& results);
  // The fewest that a frame has; without a frame, as many as there can be.
  [[nodiscard]] std::int64_t instances_of(ssa::FunctionId function, std::span<Value> arguments);
  [[nodiscard]] bool enough(ssa::FunctionId function, std::int64_t instances,
                            std::span<const Value> arguments);
  // Are a few large instances worth groups?
  [[nodiscard]] bool gains_early(ssa::FunctionId function, std::span<const Value> arguments);
  [[nodiscard]] bool even(std::span<const Value> arguments) const;
  [[nodiscard]] bool large(ssa::FunctionId function, std::span<Value> arguments);
  [[nodiscard]] std::int64_t longest(std::span<Value> arguments);
  // What is not cut is made by all threads, with one interpreter; calls within it are cut as soon as they can
  // be.
  [[nodiscard]] bool run_together(ssa::FunctionId function, std::int64_t depth, const Layout& layout,
                                  std::vector<Value>& results);
  [[nodiscard]] bool call_within(ssa::FunctionId function, std::int64_t depth,
                                 std::span<const Value> arguments, const Within& within,
                                 const Destination* destination, std::vector<Value>& results);
  void count(std::uint64_t work, std::uint64_t depth, std::int64_t moved);
  // Why the call is made as a whole, or "" if it may be cut.
  [[nodiscard]] std::string_view refuses(ssa::FunctionId function, std::span<Value> arguments);
  [[nodiscard]] bool run(ssa::FunctionId function, std::int64_t depth, std::span<const Value> arguments,
                         std::vector<Value>& results);
  [[nodiscard]] bool run_cut(ssa::FunctionId function, std::int64_t depth, const Layout& layout,
                             std::span<const std::int64_t> bounds, std::vector<Value>& results);
  [[nodiscard]] bool tries(ssa::FunctionId function, const Layout& layout);
  [[nodiscard]] bool try_out(ssa::FunctionId function, std::int64_t depth, const Layout& layout,
                             std::span<const std::int64_t> bounds, std::vector<Value>& results);
  [[nodiscard]] bool try_step(ssa::FunctionId function, std::int64_t depth, const Layout& layout,
                              std::span<const std::int64_t> bounds, std::vector<Value>& results);
  [[nodiscard]] std::optional<double> run_timed(Way way, ssa::FunctionId function, std::int64_t depth,
                                                const Layout& layout, std::span<const std::int64_t> bounds,
                                                std::vector<Value>& results);
  [[nodiscard]] bool run_counted(ssa::FunctionId function, std::int64_t depth, const Layout& layout,
                                 std::vector<Value>& results);
  [[nodiscard]] bool pays(ssa::FunctionId function, std::int64_t depth, const Layout& layout,
                          std::span<const std::int64_t> bounds);
  [[nodiscard]] bool guess(ssa::FunctionId function, const Choice& tried) const;
  struct Timed {
    double whole = 0, cut = 0;  // seconds
  };
  [[nodiscard]] bool try_part(ssa::FunctionId function, std::int64_t depth, const Layout& layout,
                              std::span<const std::int64_t> bounds, Tuning::Reach reach);
  [[nodiscard]] std::optional<Timed> time_both(ssa::FunctionId function, std::int64_t depth,
                                               const Layout& layout, std::span<const std::int64_t> bounds);
  [[nodiscard]] bool run_groups(ssa::FunctionId function, std::int64_t depth, const Layout& layout,
                                std::span<const std::int64_t> bounds, GroupResults& results, Spent& spent,
                                std::optional<std::int32_t> level = {},
                                const Destination* destination = nullptr);
  [[nodiscard]] bool run_whole(ssa::FunctionId function, std::int64_t depth, std::vector<Value> arguments,
                               std::vector<Value>& results, Path* path = nullptr,
                               std::int64_t* moved = nullptr);

  const Code& code_;
  // Counts what kernel mode computes; nothing is left there of what is thrown away.
  class Trial;

  Machine machine_;  // for parts in kernel mode: nothing is cut or observed there, and nothing has effects
  std::span<const Value> inputs_;
  RegionHook* hook_;
  Observer* observer_;
  bool counts_moved_;
  Options options_;
  Policy policy_;
  Tuning tuning_;
  StepTuning steps_;
  FunctionHooks functions_;
  LevelLoops levels_;
  Workers workers_;
  Counters counters_;
};

}  // namespace nvm::vm::block
