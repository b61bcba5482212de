#include "vm/block/block_mode.h"

#include <algorithm>
#include <chrono>

#include "vm/block/group_engine.h"
#include "vm/block/join.h"
#include "vm/block/split.h"

namespace nvm::vm::block {

namespace {

constexpr std::size_t kSampleOf = 32;              // this part of a call is made both ways to find what pays
constexpr std::int64_t kWorthMeasuring = 8 << 20;  // bytes of a call; below, the policy's guess has to do

// Of the vectors among the arguments.
std::int64_t elements_bytes(std::span<const Value> arguments) {
  std::int64_t bytes = 0;
  for (const Value& argument : arguments)
    if (const auto* v = std::get_if<Vector>(&argument)) bytes += v->bytes();
  return bytes;
}

// What decides besides the function.
std::string setting_of(const Machine& machine, bool on_device) {
  const PrimContext& c = machine.prims;
  return "threads " + std::to_string(c.threads) + " isa " + std::to_string(static_cast<int>(c.isa)) +
         " int " + (c.int_bits == IntBits::k32 ? "32" : "64") +
         (machine.hook != nullptr ? " compiled" : " eager") + (on_device ? " device" : "");
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

// What is counted while it lives does not count: it was an attempt, or is counted otherwise.
class BlockMode::Trial {
 public:
  explicit Trial(const BlockMode& mode) : mode_(mode) {
    if (tally() == nullptr) return;
    if (mode_.hook_ != nullptr) mode_.hook_->finish();
    before_ = *tally();
  }
  ~Trial() {
    if (tally() != nullptr) *tally() = before_;
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;
  // So far.
  [[nodiscard]] Cost cost() const {
    if (tally() == nullptr) return {};
    return {tally()->work - before_.work, tally()->instructions - before_.instructions};
  }

 private:
  [[nodiscard]] Tally* tally() const { return mode_.machine_.tally; }

  const BlockMode& mode_;
  Tally before_;
};

BlockMode::BlockMode(const Code& code, const Machine& machine, std::span<const Value> inputs,
                     const Options& options)
    : code_(code),
      machine_(machine),
      inputs_(inputs),
      hook_(machine.hook),
      observer_(machine.observer),
      options_(options),
      policy_(*code.module, options, machine.prims.threads),
      tuning_(*code.module, setting_of(machine, options.device != nullptr), options.cache, options.afresh),
      workers_(code, machine, inputs, policy_) {
  machine_.calls = nullptr;
  machine_.observer = nullptr;
  machine_.host = nullptr;
}

std::string_view BlockMode::refuses(ssa::FunctionId function, std::span<Value> arguments) {
  if (!policy_.considers(function)) return "it calls no recursive function, or failed in groups";
  const std::vector<ssa::Split>& splits =
      code_.functions[static_cast<std::size_t>(function)].source->lifted.parameters;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (splits[i].kind != ssa::Split::Kind::kFrame) continue;
    if (hook_ != nullptr) hook_->force(arguments[i]);
    const auto* frame = std::get_if<Segdes>(&arguments[i]);
    if (frame == nullptr || !enough(function, frame->total())) return "few instances";
  }
  return "";
}

bool BlockMode::call(ssa::FunctionId function, std::int64_t depth, std::span<Value> arguments,
                     std::vector<Value>& results) {
  const std::string_view refused = refuses(function, arguments);
  if (!refused.empty()) {
    if (observer_ != nullptr) observer_->left_whole(function, refused);
    return false;
  }
  if (hook_ != nullptr)
    for (Value& value : arguments) hook_->force(value);
  try {
    return run(function, depth, arguments, results);
  } catch (const Fault&) {  // memory for cutting and joining: the ordinary call may need less
    policy_.give_up(function);
    return false;
  }
}

bool BlockMode::enough(ssa::FunctionId function, std::int64_t instances) {
  return policy_.enough(instances) || (policy_.enough_early(instances) && tuning_.clear(function));
}

bool BlockMode::run(ssa::FunctionId function, std::int64_t depth, std::span<const Value> arguments,
                    std::vector<Value>& results) {
  const ssa::LiftedInfo& info = code_.functions[static_cast<std::size_t>(function)].source->lifted;
  const auto layout = Layout::of(info.parameters, arguments);
  if (!layout || layout->instances() == 0) return false;
  std::vector<std::int64_t> bounds;
  const bool loops = policy_.loops(function);
  const bool small_loop = loops && elements_bytes(arguments) < kWorthMeasuring;
  if (policy_.enough(layout->instances()))
    bounds = small_loop ? policy_.cut_loop(*layout) : policy_.cut(*layout, loops);
  const bool loses = !bounds.empty() && !small_loop && !pays(function, depth, *layout, bounds);
  if (bounds.empty() && tuning_.clear(function)) bounds = policy_.cut_early(*layout);
  if (loses || bounds.empty()) {
    if (observer_ != nullptr)
      observer_->left_whole(function,
                            loses ? "kernel mode is faster" : "its data is small or lies in one instance");
    return false;
  }
  if (observer_ != nullptr)
    observer_->begin_groups({function, nullptr, arguments, false}, layout->instances(), bounds.size() - 1);
  GroupResults parts;
  Spent spent;
  if (!run_groups(function, depth, *layout, bounds, parts, spent)) {
    if (observer_ != nullptr) observer_->end_groups(false);
    ++counters_.failed;
    policy_.give_up(function);
    return false;
  }
  counters_.groups += bounds.size() - 1;
  ++counters_.calls;
  if (machine_.tally != nullptr)
    machine_.tally->add(static_cast<std::int64_t>(spent.cost.work), spent.cost.depth);
  if (!spent.by_line.empty()) observer_->groups_spent(spent.by_line);
  results = join(machine_.prims, parts);
  if (observer_ != nullptr) observer_->end_groups(true);
  return true;
}

// A part of the call is made both ways, once for each function and size of instances; kernel mode once before
// that, so that its regions are compiled.
bool BlockMode::pays(ssa::FunctionId function, std::int64_t depth, const Layout& layout,
                     std::span<const std::int64_t> bounds) {
  if (options_.threshold != Options::kAuto) return true;
  const std::int64_t average = layout.bytes() / layout.instances();
  const Tuning::Verdict known = tuning_.of(function, average);
  if (known != Tuning::Verdict::kUnknown) return known == Tuning::Verdict::kPays;
  const std::size_t groups = bounds.size() - 1;
  const std::size_t sample =
      std::max<std::size_t>(groups / kSampleOf, static_cast<std::size_t>(workers_.threads()));
  if (layout.bytes() < kWorthMeasuring || sample > groups / 8) return !policy_.loops(function);
  const Trial trial(*this);
  std::vector<Value> ignored;
  if (hook_ != nullptr &&
      !run_whole(function, depth, layout.group(0, bounds[1], *machine_.prims.pool), ignored))
    return false;
  auto begin = std::chrono::steady_clock::now();
  if (!run_whole(function, depth, layout.group(0, bounds[sample], *machine_.prims.pool), ignored))
    return false;
  const double whole = seconds_since(begin);
  GroupResults parts;
  const std::uint64_t on_device = counters_.on_device;
  begin = std::chrono::steady_clock::now();
  Spent unused;
  if (!run_groups(function, depth, layout, bounds.first(sample + 1), parts, unused)) return false;
  const double cut = seconds_since(begin);
  // The workers' time says nothing of a device that has no kernel yet.
  if (options_.device != nullptr && counters_.on_device == on_device) return cut < whole;
  tuning_.learn(function, average, cut, whole);
  return tuning_.of(function, average) == Tuning::Verdict::kPays;
}

// Groups whose worker ran out of memory are made in kernel mode, one after the other.
bool BlockMode::run_groups(ssa::FunctionId function, std::int64_t depth, const Layout& layout,
                           std::span<const std::int64_t> bounds, GroupResults& results, Spent& spent) {
  std::optional<Groups> on_device;
  if (options_.device != nullptr)
    on_device = options_.device->run(function, layout, bounds, *machine_.prims.pool,
                                     observer_ != nullptr && observer_->sees_device_groups());
  Groups groups = on_device ? std::move(*on_device) : workers_.run(function, depth, layout, bounds);
  if (groups.failed) return false;
  if (on_device) counters_.on_device += bounds.size() - 1;
  spent = {groups.cost, std::move(groups.spent)};
  for (const std::size_t g : groups.over_budget) {
    const Trial trial(*this);
    std::vector<Value> part = layout.group(bounds[g], bounds[g + 1], *machine_.prims.pool);
    if (!run_whole(function, depth, std::move(part), groups.results[g])) return false;
    spent.cost.beside(trial.cost());
    ++counters_.whole;
  }
  results = std::move(groups.results);
  return true;
}

bool BlockMode::run_whole(ssa::FunctionId function, std::int64_t depth, std::vector<Value> arguments,
                          std::vector<Value>& results) {
  if (hook_ != nullptr) hook_->finish();
  Outcome outcome = Interp(code_, machine_, inputs_).call(function, std::move(arguments), depth);
  results = std::move(outcome.values);
  return !outcome.error && !outcome.exited;
}

}  // namespace nvm::vm::block
