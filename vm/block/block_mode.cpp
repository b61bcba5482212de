#include "vm/block/block_mode.h"

#include <algorithm>
#include <chrono>

#include "vm/block/group_engine.h"
#include "vm/block/join.h"
#include "vm/block/split.h"

namespace nvm::vm::block {

namespace {

constexpr std::int64_t kWorthMeasuring = 8 << 20;  // bytes of a call; below, the policy's guess has to do

constexpr std::int64_t kStreams =
    32 << 20;  // bytes of a call that the caches of most machines do not hold with its results

// Of the vectors among the arguments.
std::int64_t elements_bytes(std::span<const Value> arguments) {
  std::int64_t bytes = 0;
  for (const Value& argument : arguments)
    if (const auto* v = std::get_if<Vector>(&argument)) bytes += v->bytes();
  return bytes;
}

// What decides besides the function.
std::string setting_of(const Machine& machine, const Options& options) {
  const PrimContext& c = machine.prims;
  return "build " + options.build + " threads " + std::to_string(c.threads) + " isa " +
         std::to_string(static_cast<int>(c.isa)) + " int " + (c.int_bits == IntBits::k32 ? "32" : "64") +
         (machine.hook != nullptr ? " compiled" : " eager") + (options.device != nullptr ? " device" : "");
}

Machine with_levels(Machine machine, LevelLoops& levels) {
  machine.levels = &levels;
  return machine;
}

// Bytes of an instance.
std::int64_t average_of(const Layout& layout) { return layout.bytes() / layout.instances(); }

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
  [[nodiscard]] Tally counted() const {
    Tally since;
    if (tally() == nullptr) return since;
    since.work = tally()->work - before_.work;
    since.instructions = tally()->instructions - before_.instructions;
    since.bytes = tally()->bytes - before_.bytes;
    return since;
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
      counts_moved_((machine.tally != nullptr && machine.tally->counts_bytes) ||
                    (machine.observer != nullptr && machine.observer->sees_group_bytes())),
      options_(options),
      policy_(*code.module, options, machine.prims.threads),
      tuning_(*code.module, setting_of(machine, options), options.cache, options.afresh),
      functions_(machine.functions, Caller::kRun, machine.prims, machine.max_depth, machine.max_frame_bytes),
      levels_(code),
      workers_(code, with_levels(machine, levels_), inputs, policy_) {
  machine_.calls = nullptr;
  machine_.observer = nullptr;
  machine_.host = nullptr;
}

std::string_view BlockMode::refuses(ssa::FunctionId function, std::span<Value> arguments) {
  if (!policy_.considers(function)) return "it calls no recursive function, or failed in groups";
  const std::int64_t instances = instances_of(function, arguments);
  return enough(function, instances, arguments) || large(function, arguments) ? "" : "few instances";
}

bool BlockMode::call(ssa::FunctionId function, std::int64_t depth, std::span<Value> arguments,
                     std::vector<Value>& results) {
  if (run_compiled(function, depth, arguments, results)) return true;
  const std::string_view refused = refuses(function, arguments);
  if (!refused.empty()) {
    if (observer_ != nullptr) observer_->left_whole(function, refused);
    return false;
  }
  if (hook_ != nullptr) {
    for (Value& value : arguments) hook_->force(value);
    hook_->finish();  // who is timed in kernel mode offers, too, and what fails of earlier lines fails here
  }
  try {
    return run(function, depth, arguments, results);
  } catch (const Fault&) {  // memory for cutting and joining: the ordinary call may need less
    policy_.give_up(function);
    return false;
  }
}

bool BlockMode::run_compiled(ssa::FunctionId function, std::int64_t depth, std::span<Value> arguments,
                             std::vector<Value>& results) {
  const std::int64_t least = functions_.least(function);
  if (least == FunctionHook::kNever) return false;
  const std::int64_t instances = instances_of(function, arguments);
  if (instances < least || !functions_.may_take(function, longest(arguments))) return false;
  if (hook_ != nullptr) {
    for (Value& value : arguments) hook_->force(value);
    hook_->finish();
  }
  if (observer_ != nullptr) observer_->begin_groups({function, nullptr, arguments, false}, instances, 1);
  auto made = functions_.run(function, depth, arguments);
  const std::int64_t moved = made ? vector_bytes(arguments) + vector_bytes(*made) : 0;
  if (observer_ != nullptr) observer_->end_groups(made.has_value(), counts_moved_ ? moved : 0);
  if (!made) return false;
  count(0, 0, moved);
  results = std::move(*made);
  return true;
}

// Looked at without computing what is promised but descriptors.
std::int64_t BlockMode::instances_of(ssa::FunctionId function, std::span<Value> arguments) {
  const std::vector<ssa::Split>& splits =
      code_.functions[static_cast<std::size_t>(function)].source->lifted.parameters;
  std::int64_t instances = INT64_MAX;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (splits[i].kind != ssa::Split::Kind::kFrame) continue;
    if (hook_ != nullptr) hook_->force(arguments[i]);
    const auto* frame = std::get_if<Segdes>(&arguments[i]);
    instances = std::min(instances, frame == nullptr ? 0 : frame->total());
  }
  return instances;
}

bool BlockMode::large(ssa::FunctionId function, std::span<Value> arguments) {
  return policy_.moves_only(function) &&
         policy_.large(longest(arguments) * static_cast<std::int64_t>(sizeof(std::int32_t)));
}

// Looked at without computing what is promised but descriptors.
std::int64_t BlockMode::longest(std::span<Value> arguments) {
  std::int64_t elements = 0;
  for (Value& argument : arguments) {
    if (std::holds_alternative<Vector>(argument)) continue;
    if (hook_ != nullptr) hook_->force(argument);
    if (const auto* s = std::get_if<Segdes>(&argument)) elements = std::max(elements, s->total());
  }
  return elements;
}

bool BlockMode::enough(ssa::FunctionId function, std::int64_t instances, std::span<const Value> arguments) {
  return policy_.enough(instances) || (policy_.enough_early(instances) && gains_early(function, arguments));
}

// Compiled code for the function goes through all of its recursion for an instance, in one thread: what it
// has begun is not shared out.
bool BlockMode::gains_early(ssa::FunctionId function, std::span<const Value> arguments) {
  return tuning_.clear(function) || (functions_.least(function) != FunctionHook::kNever && even(arguments));
}

// Of the longest argument; nothing is computed.
bool BlockMode::even(std::span<const Value> arguments) const {
  const Segdes* longest = nullptr;
  for (const Value& argument : arguments)
    if (const auto* s = std::get_if<Segdes>(&argument);
        s != nullptr && (longest == nullptr || s->total() > longest->total()))
      longest = s;
  constexpr std::int64_t kMost = 1024;  // segments
  if (longest == nullptr || longest->segments() > kMost) return false;
  std::vector<std::int64_t> sizes;
  for (std::int64_t k = 0; k < longest->segments(); ++k) sizes.push_back(longest->length(k));
  return policy_.even(std::move(sizes));
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
    bounds = small_loop ? policy_.cut_loop(*layout) : policy_.cut(function, *layout);
  const bool loses = !bounds.empty() && !small_loop && !pays(function, depth, *layout, bounds);
  if (!loses && bounds.empty() && policy_.moves_only(function) && policy_.large(layout->bytes()))
    return run_together(function, depth, *layout, results);
  if (bounds.empty() && gains_early(function, arguments)) bounds = policy_.cut_early(*layout);
  if (loses || bounds.empty()) {
    if (observer_ != nullptr)
      observer_->left_whole(function,
                            loses ? "kernel mode is faster" : "its data is small or lies in one instance");
    return false;
  }
  if (tries(function, *layout)) return try_out(function, depth, *layout, bounds, results);
  return run_cut(function, depth, *layout, bounds, results);
}

// Small steps of loops are too many to compute one twice, and too small for a part to tell; so are other
// calls, until it is known what pays at their size. Who looks at instructions sees them all made one way.
bool BlockMode::tries(ssa::FunctionId function, const Layout& layout) {
  if (options_.threshold != Options::kAuto || options_.device != nullptr || policy_.moves_only(function) ||
      elements_bytes(layout.arguments()) >= kWorthMeasuring)
    return false;
  if (observer_ != nullptr && observer_->sees_work()) return false;
  return policy_.loops(function) || tuning_.of(function, average_of(layout)) == Tuning::Verdict::kUnknown;
}

// Groups go first: most recursion gains by going through its steps on all threads, each in its cache.
bool BlockMode::try_out(ssa::FunctionId function, std::int64_t depth, const Layout& layout,
                        std::span<const std::int64_t> bounds, std::vector<Value>& results) {
  if (policy_.loops(function)) return try_step(function, depth, layout, bounds, results);
  const std::int64_t average = average_of(layout);
  const Way way = tuning_.tried(function, average).next_in_turn(Way::kCandidate);
  const auto took = run_timed(way, function, depth, layout, bounds, results);
  if (took) tuning_.note(function, average, way, *took, layout.bytes());
  return took.has_value();
}

// What is compiled goes first in kernel mode: steps of a loop are what it compiles. Primitives gain by
// groups, as other recursion does.
bool BlockMode::try_step(ssa::FunctionId function, std::int64_t depth, const Layout& layout,
                         std::span<const std::int64_t> bounds, std::vector<Value>& results) {
  const StepTuning::Kind kind(function, layout.instances(), layout.bytes());
  const bool compiles = hook_ != nullptr;
  if (compiles && steps_.waits(kind)) return false;
  Choice& choice = steps_.choice(kind);
  const Way way = choice.next_in_turn(compiles ? Way::kBaseline : Way::kCandidate);
  const bool settled = choice.settled();
  if (way == Way::kBaseline && settled) return false;
  const auto took = run_timed(way, function, depth, layout, bounds, results);
  if (took && !settled) choice.note(way, *took / static_cast<double>(layout.bytes()));
  return took.has_value();
}

// Seconds; nothing if it fails.
std::optional<double> BlockMode::run_timed(Way way, ssa::FunctionId function, std::int64_t depth,
                                           const Layout& layout, std::span<const std::int64_t> bounds,
                                           std::vector<Value>& results) {
  const auto begin = std::chrono::steady_clock::now();
  const bool done = way == Way::kBaseline ? run_counted(function, depth, layout, results)
                                          : run_cut(function, depth, layout, bounds, results);
  if (!done) return std::nullopt;
  return seconds_since(begin);
}

// In kernel mode. False, and nothing counted, if it fails: the ordinary call says why.
bool BlockMode::run_counted(ssa::FunctionId function, std::int64_t depth, const Layout& layout,
                            std::vector<Value>& results) {
  Tally counted;
  {
    const Trial trial(*this);
    if (!run_whole(function, depth, {layout.arguments().begin(), layout.arguments().end()}, results))
      return false;
    counted = trial.counted();
  }
  count(counted.work, counted.instructions, counted.bytes);
  return true;
}

bool BlockMode::run_cut(ssa::FunctionId function, std::int64_t depth, const Layout& layout,
                        std::span<const std::int64_t> bounds, std::vector<Value>& results) {
  if (observer_ != nullptr)
    observer_->begin_groups({function, nullptr, layout.arguments(), false}, layout.instances(),
                            bounds.size() - 1);
  GroupResults parts;
  Spent spent;
  if (!run_groups(function, depth, layout, bounds, parts, spent)) {
    if (observer_ != nullptr) observer_->end_groups(false, 0);
    ++counters_.failed;
    policy_.give_up(function);
    return false;
  }
  counters_.groups += bounds.size() - 1;
  ++counters_.calls;
  if (!spent.by_line.empty()) observer_->groups_spent(spent.by_line);
  results = join(machine_.prims, parts, &spent.moved);
  count(spent.cost.work(), spent.cost.depth(), spent.moved);
  if (observer_ != nullptr) observer_->end_groups(true, counts_moved_ ? spent.moved : 0);
  return true;
}

bool BlockMode::run_together(ssa::FunctionId function, std::int64_t depth, const Layout& layout,
                             std::vector<Value>& results) {
  std::vector<Value> arguments(layout.arguments().begin(), layout.arguments().end());
  if (observer_ != nullptr)
    observer_->begin_groups({function, nullptr, arguments, false}, layout.instances(), 1);
  for (Value& argument : arguments)
    if (const auto* v = std::get_if<Vector>(&argument)) argument = narrowed(machine_.prims, *v);
  std::int64_t moved = 0;
  const bool metered = observer_ != nullptr && observer_->sees_group_lines();
  LineMeter meter(*code_.module);
  Within within(*this, metered ? &meter : nullptr, counts_moved_ ? &moved : nullptr);
  Machine machine = machine_;
  machine.hook = nullptr;
  machine.calls = &within;
  machine.levels = &levels_;
  machine.meter = metered ? &meter : nullptr;
  machine.moved = counts_moved_ ? &moved : nullptr;
  if (metered) meter.begin_group(function, 0);
  Tally counted;
  bool done = false;
  {
    const Trial trial(*this);
    Outcome outcome = Interp(code_, machine, inputs_).call(function, std::move(arguments), depth);
    done = !outcome.error && !outcome.exited;
    counted = trial.counted();
    results = std::move(outcome.values);
  }
  if (metered) {
    if (done) meter.end_group();
    GroupsSpent spent = meter.take();
    spent.add(workers_.take_spent());
    observer_->groups_spent(spent);
  }
  if (observer_ != nullptr) observer_->end_groups(done, moved);
  if (!done) {
    ++counters_.failed;
    policy_.give_up(function);
    return false;
  }
  count(counted.work, counted.instructions, moved);
  ++counters_.calls;
  ++counters_.together;
  return true;
}

void BlockMode::count(std::uint64_t work, std::uint64_t depth, std::int64_t moved) {
  if (machine_.tally == nullptr) return;
  machine_.tally->add(static_cast<std::int64_t>(work), depth);
  if (machine_.tally->counts_bytes) machine_.tally->bytes += moved;
}

// A group that fails takes the whole with it.
bool BlockMode::call_within(ssa::FunctionId function, std::int64_t depth, std::span<const Value> arguments,
                            const Within& within, const Destination* destination,
                            std::vector<Value>& results) {
  LineMeter* const meter = within.meter_;
  const ssa::LiftedInfo& info = code_.functions[static_cast<std::size_t>(function)].source->lifted;
  if (!policy_.considers_alone(function)) return false;
  const auto layout = Layout::of(info.parameters, arguments);
  if (!layout || !policy_.enough(layout->instances())) return false;
  const std::vector<std::int64_t> bounds = policy_.cut(function, *layout);
  if (bounds.empty() || !pays(function, depth, *layout, bounds)) return false;
  const std::int32_t level = meter != nullptr ? meter->level_of(function) : 0;
  if (meter != nullptr) meter->note(function, level, arguments);
  GroupResults parts;
  Spent spent;
  if (!run_groups(function, depth, *layout, bounds, parts, spent, level, destination))
    throw Fault{Fault::Kind::kDenied, "a group failed"};
  counters_.groups += bounds.size() - 1;
  if (destination == nullptr) results = join(machine_.prims, parts, &spent.moved);
  count(spent.cost.work(), spent.cost.depth(), 0);
  if (within.moved_ != nullptr) *within.moved_ += spent.moved;
  return true;
}

bool BlockMode::pays(ssa::FunctionId function, std::int64_t depth, const Layout& layout,
                     std::span<const std::int64_t> bounds) {
  if (options_.threshold != Options::kAuto) return true;
  const Tuning::Reach reach = layout.bytes() > kStreams ? Tuning::Reach::kStreams : Tuning::Reach::kCached;
  const Tuning::Verdict known = tuning_.of(function, average_of(layout), reach);
  if (known != Tuning::Verdict::kUnknown) return known == Tuning::Verdict::kPays;
  if (layout.bytes() < kWorthMeasuring && !options_.afresh) return !policy_.loops(function);
  return try_part(function, depth, layout, bounds, reach);
}

// A part of the call is made both ways, for each function and size of instances; before that one group of it,
// so that what both compile is there. Where that may take no more time, a later call goes on, and until then
// the faster way so far is taken, or the policy's guess. Who waits for the answer gets it now, if need be
// from all of the call.
bool BlockMode::try_part(ssa::FunctionId function, std::int64_t depth, const Layout& layout,
                         std::span<const std::int64_t> bounds, Tuning::Reach reach) {
  const std::int64_t average = average_of(layout);
  const auto groups = static_cast<std::int64_t>(bounds.size()) - 1;
  PartTrial part(layout.bytes(), groups, workers_.threads());
  const bool all = options_.afresh && (layout.bytes() < kWorthMeasuring || part.groups() > groups / 8);
  const auto first = [&](std::int64_t n) {
    return all ? bounds : bounds.first(static_cast<std::size_t>(n) + 1);
  };
  const std::int64_t bytes = all ? std::max<std::int64_t>(layout.bytes(), 1) : part.bytes();

  Choice tried = tuning_.tried(function, average, reach);
  const bool compiles = hook_ != nullptr && tried.runs(Way::kBaseline) == 0;
  if (!options_.afresh && !part.begin(tried, compiles ? 1 : 0)) return guess(function, tried);
  const Trial trial(*this);
  if (compiles && !time_both(function, depth, layout, first(1))) return false;
  const std::uint64_t on_device = counters_.on_device;
  do {
    const auto timed = time_both(function, depth, layout, first(part.groups()));
    if (!timed) return false;
    // The workers' time says nothing of a device that has no kernel yet.
    if (options_.device != nullptr && counters_.on_device == on_device) return timed->cut < timed->whole;
    tuning_.note(function, average, timed->whole, timed->cut, bytes, reach);
    const Tuning::Verdict known = tuning_.of(function, average, reach);
    if (known != Tuning::Verdict::kUnknown) return known == Tuning::Verdict::kPays;
    tried = tuning_.tried(function, average, reach);
  } while (options_.afresh || part.begin(tried));
  return guess(function, tried);
}

// While too little is known.
bool BlockMode::guess(ssa::FunctionId function, const Choice& tried) const {
  if (tried.runs(Way::kBaseline) == 0 || tried.runs(Way::kCandidate) == 0) return !policy_.loops(function);
  return tried.best(Way::kCandidate) < tried.best(Way::kBaseline);
}

// The groups of `bounds` in kernel mode, then each by itself; nothing if one way fails.
std::optional<BlockMode::Timed> BlockMode::time_both(ssa::FunctionId function, std::int64_t depth,
                                                     const Layout& layout,
                                                     std::span<const std::int64_t> bounds) {
  std::vector<Value> ignored;
  auto begin = std::chrono::steady_clock::now();
  if (!run_whole(function, depth, layout.group(0, bounds.back(), *machine_.prims.pool), ignored))
    return std::nullopt;
  Timed timed;
  timed.whole = seconds_since(begin);
  GroupResults parts;
  Spent unused;
  begin = std::chrono::steady_clock::now();
  if (!run_groups(function, depth, layout, bounds, parts, unused)) return std::nullopt;
  timed.cut = seconds_since(begin);
  return timed;
}

// Groups whose worker ran out of memory are made in kernel mode, one after the other.
bool BlockMode::run_groups(ssa::FunctionId function, std::int64_t depth, const Layout& layout,
                           std::span<const std::int64_t> bounds, GroupResults& results, Spent& spent,
                           std::optional<std::int32_t> level, const Destination* destination) {
  std::optional<Groups> on_device;
  if (options_.device != nullptr)
    on_device = options_.device->run(function, layout, bounds, *machine_.prims.pool,
                                     {observer_ != nullptr && observer_->sees_device_times(), counts_moved_});
  Groups groups =
      on_device ? std::move(*on_device) : workers_.run(function, depth, layout, bounds, level, destination);
  if (groups.failed) return false;
  if (on_device) {
    counters_.on_device += bounds.size() - 1;
    took(machine_.prims, FastPath::kGroupOnDevice, bounds.size() - 1 - groups.over_budget.size());
  }
  spent = {groups.cost, groups.moved, std::move(groups.spent)};
  for (const std::size_t g : groups.over_budget) {
    const Trial trial(*this);
    const std::vector<Value> part = layout.group(bounds[g], bounds[g + 1], *machine_.prims.pool);
    Path path;
    const bool counts = machine_.tally != nullptr;
    if (!run_whole(function, depth, part, groups.results[g], counts ? &path : nullptr, &spent.moved))
      return false;
    if (destination != nullptr &&
        !fill_results(machine_.prims, code_.functions[static_cast<std::size_t>(function)], part,
                      groups.results[g], destination->from(bounds[g])))
      return false;
    if (counts) spent.cost.beside(Cost(trial.counted(), path.take(), code_.marks));
    ++counters_.whole;
  }
  results = std::move(groups.results);
  return true;
}

bool BlockMode::run_whole(ssa::FunctionId function, std::int64_t depth, std::vector<Value> arguments,
                          std::vector<Value>& results, Path* path, std::int64_t* moved) {
  Machine machine = machine_;
  machine.path = path;
  const bool counts = counts_moved_ && moved != nullptr;
  if (path != nullptr || counts) machine.hook = nullptr;
  if (counts) machine.moved = moved;
  Outcome outcome = Interp(code_, machine, inputs_).call(function, std::move(arguments), depth);
  results = std::move(outcome.values);
  return !outcome.error && !outcome.exited;
}

}  // namespace nvm::vm::block
