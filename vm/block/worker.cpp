#include "vm/block/worker.h"

#include <algorithm>
#include <new>
#include <numeric>

#include "vm/prims/parallel.h"

namespace nvm::vm::block {

namespace {

// Tells an observer, if there is one, when a group begins and ends.
class Watch {
 public:
  Watch(Observer* observer, std::size_t group, std::int64_t instances, const std::int64_t& moved)
      : observer_(observer), group_(group), moved_(moved) {
    if (observer_ != nullptr) observer_->begin_group(group, instances);
  }
  ~Watch() {
    if (observer_ != nullptr) observer_->end_group(group_, moved_);
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  Observer* observer_;
  std::size_t group_;
  const std::int64_t& moved_;  // bytes, in the end
};

// More or fewer busy threads for as long as it lives.
class Busy {
 public:
  Busy(std::atomic<int>& count, int change) : count_(count), change_(change) {
    count_.fetch_add(change_, std::memory_order_relaxed);
  }
  ~Busy() { count_.fetch_sub(change_, std::memory_order_relaxed); }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  std::atomic<int>& count_;
  int change_;
};

}  // namespace

Cost::Cost(const Tally& tally, PathBytes path, std::span<const Mark> marks)
    : of_pieces_(tally.work - sum_of(marks, path).work), path_(std::move(path)), marks_(marks) {}

void Cost::beside(Cost&& other) {
  of_pieces_ += other.of_pieces_;
  path_ = unite(marks_.empty() ? other.marks_ : marks_, path_, other.path_);
  if (marks_.empty()) marks_ = other.marks_;
}

Workers::Workers(const Code& code, const Machine& machine, std::span<const Value> inputs,
                 const Policy& policy)
    : code_(code),
      machine_(machine),
      inputs_(inputs),
      policy_(policy),
      threads_(std::max(machine.prims.threads, 1)),
      observer_(machine.observer),
      counts_(machine.tally != nullptr),
      counts_moved_((counts_ && machine.tally->counts_bytes) ||
                    (observer_ != nullptr && observer_->sees_group_bytes())) {
  machine_.prims.threads = 1;
  machine_.prims.random = nullptr;
  machine_.prims.orderer = nullptr;
  machine_.host = nullptr;
  machine_.hook = nullptr;
  machine_.calls = nullptr;
  machine_.observer = nullptr;
  machine_.tally = nullptr;
  machine_.max_frame_bytes /= static_cast<std::size_t>(threads_);
}

std::unique_ptr<Workers::Worker> Workers::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Worker> worker = std::move(idle_.back());
      idle_.pop_back();
      return worker;
    }
  }
  auto worker = std::make_unique<Worker>();
  Machine machine = machine_;
  machine.prims.fast_paths = &worker->fast_paths;
  if (counts_) {
    machine.tally = &worker->tally;
    machine.path = &worker->path;
  }
  if (counts_moved_) machine.moved = &worker->moved;
  if (observer_ != nullptr && observer_->sees_group_lines())
    worker->meter = std::make_unique<LineMeter>(*code_.module);
  machine.meter = worker->meter.get();
  worker->cuts = std::make_unique<Cuts>(*this, machine);
  machine.calls = worker->cuts.get();
  worker->interp = std::make_unique<Interp>(code_, machine, inputs_);
  return worker;
}

void Workers::give_back(std::unique_ptr<Worker> worker) {
  worker->fast_paths.count(FastPath::kGroup);
  if (machine_.prims.fast_paths != nullptr) machine_.prims.fast_paths->take(worker->fast_paths);
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(worker));
}

Workers::End Workers::run_group(ssa::FunctionId function, std::int64_t depth, const Layout& layout,
                                std::int64_t first, std::int64_t last, std::int32_t level,
                                const Destination* destination, GroupRun& run) {
  try {
    std::vector<Value> arguments = layout.group(first, last, *machine_.prims.pool);
    std::unique_ptr<Worker> worker = take();
    worker->tally = {};
    worker->moved = 0;
    worker->path.clear();
    if (worker->meter != nullptr) worker->meter->begin_group(function, level);
    Outcome outcome = run_call(*worker, function, depth, std::move(arguments), destination);
    if (outcome.exited) return End::kFailed;
    if (outcome.error) return outcome.error->kind == Fault::Kind::kMemory ? End::kMemory : End::kFailed;
    run.moved = worker->moved;
    if (counts_) run.cost = Cost(worker->tally, worker->path.take(), code_.marks);
    if (worker->meter != nullptr) worker->meter->end_group();
    give_back(std::move(worker));  // one that failed is not used again
    run.results = std::move(outcome.values);
    return End::kDone;
  } catch (const Fault& fault) {
    return fault.kind == Fault::Kind::kMemory ? End::kMemory : End::kFailed;
  } catch (const std::bad_alloc&) {
    return End::kMemory;
  }
}

Outcome Workers::run_call(Worker& worker, ssa::FunctionId function, std::int64_t depth,
                          std::vector<Value> arguments, const Destination* destination) const {
  Interp& interp = *worker.interp;
  if (destination != nullptr) {
    if (worker.cuts->run_compiled_into(function, depth, arguments, *destination)) return {};
    if (!interp.goes_by_levels(function, arguments))
      throw Fault{Fault::Kind::kDenied, "it does not go by levels"};
    return interp.call_into(function, std::move(arguments), depth, *destination);
  }
  if (auto results = worker.cuts->run_compiled(function, depth, arguments)) {
    Outcome done;
    done.values = std::move(*results);
    return done;
  }
  for (Value& argument : arguments)
    if (const auto* v = std::get_if<Vector>(&argument)) {
      Vector narrow = narrowed(machine_.prims, *v);
      if (narrow.storage() != v->storage()) worker.moved += v->bytes() + narrow.bytes();
      argument = std::move(narrow);
    }
  return interp.call(function, std::move(arguments), depth);
}

// A group that fails takes the call, and the group that it is in, with it.
std::optional<Groups> Workers::Cuts::run(ssa::FunctionId function, std::int64_t depth,
                                         std::span<Value> arguments, const Destination* destination) {
  if (!workers_.policy_.considers_alone(function)) return std::nullopt;
  const auto& info = workers_.code_.functions[static_cast<std::size_t>(function)].source->lifted;
  const auto layout = Layout::of(info.parameters, arguments);
  if (!layout) return std::nullopt;
  const bool idle = workers_.busy_.load(std::memory_order_relaxed) < workers_.threads_;
  const std::vector<std::int64_t> bounds = workers_.policy_.cut_alone(function, *layout, idle);
  if (bounds.empty()) return std::nullopt;
  const Busy waits(workers_.busy_, -1);
  const std::int32_t level = meter_ != nullptr ? meter_->level_of(function) : 0;
  if (meter_ != nullptr) meter_->note(function, level, arguments);
  Groups groups = workers_.run_groups(function, depth, *layout, bounds, nullptr, level, destination);
  if (groups.failed) throw Fault{Fault::Kind::kDenied, "a group failed"};
  if (!groups.over_budget.empty()) throw Fault{Fault::Kind::kMemory, "a group ran out of memory"};
  if (tally_ != nullptr) {
    tally_->add(static_cast<std::int64_t>(groups.cost.work()), groups.cost.depth());
    path_->append(groups.cost.path());
  }
  if (moved_ != nullptr) *moved_ += groups.moved;
  return groups;
}

std::optional<std::vector<Value>> Workers::Cuts::run_compiled(ssa::FunctionId function, std::int64_t depth,
                                                              std::span<const Value> arguments) const {
  auto made = functions_.run(function, depth, arguments);
  if (made && moved_ != nullptr) *moved_ += vector_bytes(arguments) + vector_bytes(*made);
  return made;
}

bool Workers::Cuts::run_compiled_into(ssa::FunctionId function, std::int64_t depth,
                                      std::span<const Value> arguments,
                                      const Destination& destination) const {
  if (!functions_.run_into(function, depth, arguments, destination)) return false;
  if (moved_ != nullptr) *moved_ += 2 * vector_bytes(arguments);
  return true;
}

bool Workers::Cuts::call(ssa::FunctionId function, std::int64_t depth, std::span<Value> arguments,
                         std::vector<Value>& results) {
  if (auto made = run_compiled(function, depth, arguments)) {
    results = std::move(*made);
    return true;
  }
  auto groups = run(function, depth, arguments, nullptr);
  if (groups) results = join(workers_.machine_.prims, groups->results, moved_);
  return groups.has_value();
}

bool Workers::Cuts::call_into(ssa::FunctionId function, std::int64_t depth, std::span<Value> arguments,
                              const Destination& destination) {
  return run_compiled_into(function, depth, arguments, destination) ||
         run(function, depth, arguments, &destination).has_value();
}

Groups Workers::run(ssa::FunctionId function, std::int64_t depth, const Layout& layout,
                    std::span<const std::int64_t> bounds, std::optional<std::int32_t> level,
                    const Destination* destination) {
  Groups groups = run_groups(function, depth, layout, bounds, level ? nullptr : observer_, level.value_or(0),
                             destination);
  if (!level && observer_ != nullptr && observer_->sees_group_lines()) groups.spent = take_spent();
  return groups;
}

GroupsSpent Workers::take_spent() {
  const std::lock_guard lock(mutex_);
  GroupsSpent all;
  for (const auto& worker : idle_)
    if (worker->meter != nullptr) all.add(worker->meter->take());
  return all;
}

Groups Workers::run_groups(ssa::FunctionId function, std::int64_t depth, const Layout& layout,
                           std::span<const std::int64_t> bounds, Observer* observer, std::int32_t level,
                           const Destination* destination) {
  Groups groups;
  groups.results.resize(bounds.size() - 1);
  std::vector<End> ends(groups.results.size(), End::kDone);
  std::vector<GroupRun> runs(ends.size());
  std::vector<std::size_t> order(ends.size());  // the largest first, so that none is begun late
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::int64_t> sizes(ends.size());
  for (std::size_t g = 0; g < sizes.size(); ++g)
    sizes[g] = layout.bytes_before(bounds[g + 1]) - layout.bytes_before(bounds[g]);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
  std::atomic<bool> failed{false};
  for_chunks_of(nullptr, threads_, static_cast<std::int64_t>(ends.size()), 1, [&](std::int64_t i) {
    if (failed.load(std::memory_order_relaxed)) return;
    const std::size_t g = order[static_cast<std::size_t>(i)];
    const Watch watch(observer, g, bounds[g + 1] - bounds[g], runs[g].moved);
    const Busy works(busy_, 1);
    const std::optional<Destination> part =
        destination != nullptr ? std::optional(destination->from(bounds[g])) : std::nullopt;
    ends[g] =
        run_group(function, depth, layout, bounds[g], bounds[g + 1], level, part ? &*part : nullptr, runs[g]);
    if (ends[g] == End::kFailed) failed.store(true, std::memory_order_relaxed);
  });
  groups.failed = failed.load();
  for (std::size_t step = 1; step < runs.size() && counts_; step *= 2)  // pairs, so that paths stay short
    for (std::size_t i = 0; i + step < runs.size(); i += 2 * step)
      runs[i].cost.beside(std::move(runs[i + step].cost));
  if (counts_ && !runs.empty()) groups.cost = std::move(runs[0].cost);
  for (std::size_t g = 0; g < runs.size(); ++g) {
    groups.results[g] = std::move(runs[g].results);
    groups.moved += runs[g].moved;
  }
  for (std::size_t g = 0; g < ends.size(); ++g)
    if (ends[g] == End::kMemory) groups.over_budget.push_back(g);
  return groups;
}

}  // namespace nvm::vm::block
