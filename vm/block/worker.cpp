#include "vm/block/worker.h"

#include <algorithm>
#include <new>

#include "vm/prims/parallel.h"

namespace nvm::vm::block {

namespace {

// Tells an observer, if there is one, when a group begins and ends.
class Watch {
 public:
  Watch(Observer* observer, std::size_t group, std::int64_t instances) : observer_(observer), group_(group) {
    if (observer_ != nullptr) observer_->begin_group(group, instances);
  }
  ~Watch() {
    if (observer_ != nullptr) observer_->end_group(group_);
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  Observer* observer_;
  std::size_t group_;
};

}  // namespace

Workers::Workers(const Code& code, const Machine& machine, std::span<const Value> inputs)
    : code_(code),
      machine_(machine),
      inputs_(inputs),
      threads_(std::max(machine.prims.threads, 1)),
      observer_(machine.observer) {
  machine_.prims.threads = 1;
  machine_.prims.random = nullptr;
  machine_.host = nullptr;
  machine_.hook = nullptr;
  machine_.calls = nullptr;
  machine_.observer = nullptr;
  machine_.max_frame_bytes /= static_cast<std::size_t>(threads_);
}

std::unique_ptr<Interp> Workers::take() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return std::make_unique<Interp>(code_, machine_, inputs_);
  std::unique_ptr<Interp> interp = std::move(idle_.back());
  idle_.pop_back();
  return interp;
}

void Workers::give_back(std::unique_ptr<Interp> interp) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(interp));
}

bool Workers::run_group(ssa::FunctionId function, std::int64_t depth, std::vector<Value> arguments,
                        std::vector<Value>& results) {
  std::unique_ptr<Interp> interp = take();
  Outcome outcome = interp->call(function, std::move(arguments), depth);
  give_back(std::move(interp));
  results = std::move(outcome.values);
  return !outcome.error && !outcome.exited;
}

std::optional<GroupResults> Workers::run(ssa::FunctionId function, std::int64_t depth, const Layout& layout,
                                         std::span<const std::int64_t> bounds) {
  GroupResults results(bounds.size() - 1);
  std::atomic<bool> failed{false};
  for_chunks(threads_, static_cast<std::int64_t>(results.size()), [&](std::int64_t i) {
    if (failed.load(std::memory_order_relaxed)) return;
    const auto g = static_cast<std::size_t>(i);
    const Watch watch(observer_, g, bounds[g + 1] - bounds[g]);
    try {
      std::vector<Value> arguments = layout.group(bounds[g], bounds[g + 1], *machine_.prims.pool);
      if (run_group(function, depth, std::move(arguments), results[g])) return;
    } catch (const Fault&) {
    } catch (const std::bad_alloc&) {
    }
    failed.store(true, std::memory_order_relaxed);
  });
  if (failed.load()) return std::nullopt;
  return results;
}

}  // namespace nvm::vm::block
