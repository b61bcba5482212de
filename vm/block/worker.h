// Workers of block mode: threads that run the callee on one group at a time, each with an interpreter of its
// own, without a step in common.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "vm/block/join.h"
#include "vm/block/split.h"
#include "vm/interp/interp.h"

namespace nvm::vm::block {

class Workers {
 public:
  // `code`, `inputs` and what `machine` points to must outlive this. The primitives of a worker run on its
  // own thread; nothing is compiled or offered there; observed is
  // each group as a whole.
  Workers(const Code& code, const Machine& machine, std::span<const Value> inputs);

  [[nodiscard]] int threads() const { return threads_; }
  // Runs `function` on every group of `layout` between two `bounds`; results by group. Nothing if a group
  // fails in any way, which the whole call need not (see ssa::LiftedInfo), or the run is to stop.
  [[nodiscard]] std::optional<GroupResults> run(ssa::FunctionId function, std::int64_t depth,
                                                const Layout& layout, std::span<const std::int64_t> bounds);

 private:
  [[nodiscard]] bool run_group(ssa::FunctionId function, std::int64_t depth, std::vector<Value> arguments,
                               std::vector<Value>& results);
  [[nodiscard]] std::unique_ptr<Interp> take();
  void give_back(std::unique_ptr<Interp> interp);

  const Code& code_;
  Machine machine_;
  std::span<const Value> inputs_;
  int threads_;
  Observer* observer_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Interp>> idle_;
};

}  // namespace nvm::vm::block
