// Workers of block mode: threads that run the callee on one group at a time, each with an interpreter of its
// own, without a step in common.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "vm/block/join.h"
#include "vm/block/policy.h"
#include "vm/block/split.h"
#include "vm/interp/function_hook.h"
#include "vm/interp/interp.h"

namespace nvm::vm::block {

// What the cost model counts for groups of a call that run beside each other: what the whole would count.
class Cost {
 public:
  Cost() = default;
  // Of one group, that executed `tally` on `path`.
  Cost(const Tally& tally, PathBytes path, std::span<const Mark> marks);

  void beside(Cost&& other);
  [[nodiscard]] std::uint64_t work() const { return of_pieces_ + sum_of(marks_, path_).work; }
  [[nodiscard]] std::uint64_t depth() const { return sum_of(marks_, path_).depth; }
  [[nodiscard]] const PathBytes& path() const { return path_; }

 private:
  std::uint64_t of_pieces_ = 0;  // work that adds up
  PathBytes path_;               // all of theirs
  std::span<const Mark> marks_;
};

// How the groups of a call went.
struct Groups {
  GroupResults results;                  // by group; empty where memory ran out
  std::vector<std::size_t> over_budget;  // groups that ran out of memory
  bool failed =
      false;  // a group failed otherwise, which the whole need not (see ssa::LiftedInfo), or is to stop
  Cost cost;  // of the groups that have results, if somebody counts
  std::int64_t moved = 0;  // bytes, by all groups, if somebody asked
  GroupsSpent spent;       // where the workers' time went, if somebody asked
  bool joined = false;     // the only entry of `results` is that of all groups, end to end
};

class Workers {
 public:
  // `code`, `inputs`, `policy` and what `machine` points to must outlive this. The primitives of a worker run
  // on its own thread, and so does the code that `machine.functions` have; nothing has effects; observed is
  // each group as a whole, and by line where its time goes. Calls within a group that are too large for the
  // cache are cut in turn, and so are those that idle threads can take a share of.
  Workers(const Code& code, const Machine& machine, std::span<const Value> inputs, const Policy& policy);

  [[nodiscard]] int threads() const { return threads_; }
  // Runs `function` on every group of `layout` between two `bounds`. Observed as groups of their own, unless
  // they are part of a call that is: then its `level` above that call. With `destination`, the results are
  // written there, and there are none.
  [[nodiscard]] Groups run(ssa::FunctionId function, std::int64_t depth, const Layout& layout,
                           std::span<const std::int64_t> bounds, std::optional<std::int32_t> level = {},
                           const Destination* destination = nullptr);

  // Of all workers that are idle, since the last time.
  [[nodiscard]] GroupsSpent take_spent();

 private:
  // Cuts the calls of one worker.
  class Cuts final : public CallHook {
   public:
    Cuts(Workers& workers, const Machine& machine)
        : workers_(workers),
          tally_(machine.tally),
          path_(machine.path),
          meter_(machine.meter),
          moved_(machine.moved),
          functions_(machine.functions, Caller::kWorker, machine.prims, machine.max_depth,
                     machine.max_frame_bytes) {}
    bool call(ssa::FunctionId function, std::int64_t depth, std::span<Value> arguments,
              std::vector<Value>& results) override;
    bool call_into(ssa::FunctionId function, std::int64_t depth, std::span<Value> arguments,
                   const Destination& destination) override;
    // By compiled code for the function, if there is some.
    [[nodiscard]] std::optional<std::vector<Value>> run_compiled(ssa::FunctionId function, std::int64_t depth,
                                                                 std::span<const Value> arguments) const;
    [[nodiscard]] bool run_compiled_into(ssa::FunctionId function, std::int64_t depth,
                                         std::span<const Value> arguments,
                                         const Destination& destination) const;

   private:
    // Nothing if the call is not cut.
    std::optional<Groups> run(ssa::FunctionId function, std::int64_t depth, std::span<Value> arguments,
                              const Destination* destination);

    Workers& workers_;
    Tally* tally_;  // of the worker; null: nobody counts
    Path* path_;    // likewise
    LineMeter* meter_;
    std::int64_t* moved_;
    FunctionHooks functions_;
  };
  struct Worker {
    FastPathCounts fast_paths;
    Tally tally;
    std::int64_t moved = 0;
    Path path;
    std::unique_ptr<Cuts> cuts;
    std::unique_ptr<LineMeter> meter;  // null: nobody asked
    std::unique_ptr<Interp> interp;
  };
  enum class End : std::uint8_t { kDone, kMemory, kFailed };
  struct GroupRun {
    std::vector<Value> results;
    Cost cost;
    std::int64_t moved = 0;
  };

  // `level` of `function`, above that of the call that was cut first.
  [[nodiscard]] Groups run_groups(ssa::FunctionId function, std::int64_t depth, const Layout& layout,
                                  std::span<const std::int64_t> bounds, Observer* observer,
                                  std::int32_t level, const Destination* destination);
  [[nodiscard]] End run_group(ssa::FunctionId function, std::int64_t depth, const Layout& layout,
                              std::int64_t first, std::int64_t last, std::int32_t level,
                              const Destination* destination, GroupRun& run);
  // The call for one group.
  [[nodiscard]] Outcome run_call(Worker& worker, ssa::FunctionId function, std::int64_t depth,
                                 std::vector<Value> arguments, const Destination* destination) const;
  [[nodiscard]] std::unique_ptr<Worker> take();
  void give_back(std::unique_ptr<Worker> worker);

  const Code& code_;
  Machine machine_;
  std::span<const Value> inputs_;
  const Policy& policy_;
  int threads_;
  Observer* observer_;
  bool counts_;
  bool counts_moved_;
  std::atomic<int> busy_{0};  // threads that compute groups and do not wait for parts of them
  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> idle_;
};

}  // namespace nvm::vm::block
