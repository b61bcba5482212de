#include "vm/profile/profile.h"

#include <algorithm>

#include "bytecode/table/op_kind.h"
#include "vm/data/pool.h"
#include "vm/interp/work.h"

namespace nvm::vm {

namespace {

constexpr std::size_t kMostNodes = 1 << 16;
constexpr std::int64_t kLengthsLookedAt = 4096;  // of a descriptor
constexpr std::int64_t kSmall = 64;              // elements that take no longer than calling a primitive

}  // namespace

void Spent::add(const Spent& o) {
  for (std::size_t m = 0; m < kModes; ++m) ticks[m] += o.ticks[m];
  calls += o.calls;
  instructions += o.instructions;
  work += o.work;
  bytes += o.bytes;
  allocations += o.allocations;
  peak = std::max(peak, o.peak);
}

Profile::Profile() : Observer(true, Recorded::kWork), nodes_(1), open_{0}, charged_(&elsewhere_) {
  see_group_lines(true);
  see_device_times(true);
  see_group_bytes(true);
  nodes_[0].function = source_.name_number("(program)");
  begin_phase("set up");
}

double Profile::seconds_per_tick() const {
  return run_ticks_ > 0 ? run_seconds_ / static_cast<double>(run_ticks_) : 0.0;
}

void Profile::begin_phase(const std::string& name) {
  finish();
  phase_ = name;
  phase_start_ = std::chrono::steady_clock::now();
}

void Profile::finish() {
  if (phase_.empty()) return;
  phases_[phase_] += std::chrono::duration<double>(std::chrono::steady_clock::now() - phase_start_).count();
  phase_.clear();
}

void Profile::begin_run(const ssa::Module& module, const Pool& pool) {
  module_ = &module;
  pool_ = &pool;
  source_.begin(module);
  levels_.begin(module.functions.size());
  cache_.fill({});
  entered_.fill({});
  kernel_of_.clear();
  allocations_ = Pool::allocations_here();
  finish();
  run_start_ = std::chrono::steady_clock::now();
  current_ = &spent_at(0, 0);
  here_ = {};
  charged_ = &current_->ticks[0];
  last_ = ticks();
  before_ = 0;
  was_small_ = false;
  run_ticks_ -= last_;
  run_start_ticks_ = last_;
}

void Profile::end_run() {
  tick();
  note_allocations();
  if (in_region_) current_->ticks[0] += eager_ticks_ + compile_ticks_;  // it ended by a fault
  in_region_ = false;
  run_ticks_ += last_;
  run_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - run_start_).count();
  charged_ = &elsewhere_;
  look_at_promises();
  promised_.clear();
  kernel_times_.clear();
  open_.assign(1, 0);
  peak_ = std::max<std::uint64_t>(peak_, pool_->stats().peak);
  module_ = nullptr;
  begin_phase("clear up");
}

Spent& Profile::spent_at(std::int32_t node, std::int32_t place) {
  auto& lines = nodes_[static_cast<std::size_t>(node)].lines;
  for (const auto& [known, spent] : lines)
    if (known == place) return *spent;
  spent_.emplace_back();
  lines.emplace_back(place, &spent_.back());
  return spent_.back();
}

void Profile::look_up(Cached& c, std::int32_t node, const ssa::Inst* inst) {
  c = {inst, node, &spent_at(node, source_.place(inst))};
}

std::int32_t Profile::child(std::int32_t parent, std::int32_t function, std::int32_t call,
                            std::int32_t level) {
  const auto is_it = [&](std::int32_t n) {
    const CallNode& node = nodes_[static_cast<std::size_t>(n)];
    return node.function == function && node.call == call && node.level == std::min(level, kMostLevels);
  };
  const auto& children = nodes_[static_cast<std::size_t>(parent)].children;
  for (auto c = children.rbegin(); c != children.rend(); ++c)
    if (is_it(*c)) return *c;
  if (level >= kMostLevels || nodes_.size() >= kMostNodes)
    for (std::int32_t n = parent; n > 0; n = nodes_[static_cast<std::size_t>(n)].parent)
      if (nodes_[static_cast<std::size_t>(n)].function == function &&
          (nodes_[static_cast<std::size_t>(n)].level == std::min(level, kMostLevels) ||
           nodes_.size() >= kMostNodes))
        return n;
  if (nodes_.size() >= kMostNodes) return parent;
  const auto fresh = static_cast<std::int32_t>(nodes_.size());
  CallNode node;
  node.parent = parent;
  node.function = function;
  node.call = call;
  node.level = std::min(level, kMostLevels);
  nodes_.push_back(std::move(node));
  nodes_[static_cast<std::size_t>(parent)].children.push_back(fresh);
  return fresh;
}

inline std::int32_t Profile::entered(const CallStart& call, std::int32_t level) {
  const std::int32_t from = open_.back();
  const std::size_t mixed =
      reinterpret_cast<std::uintptr_t>(call.inst) / sizeof(ssa::Inst) + 37 * static_cast<std::size_t>(from);
  Entered& e = entered_[mixed % entered_.size()];
  if (call.inst == nullptr || e.inst != call.inst || e.from != from || e.level != level)
    e = {call.inst, from, level,
         child(from, source_.function(call.function), call.inst == nullptr ? 0 : source_.place(call.inst),
               level)};
  return e.node;
}

void Profile::enter(const CallStart& call) {
  const std::int32_t level = levels_.enter(call);
  const std::int32_t node = entered(call, level);
  ++nodes_[static_cast<std::size_t>(node)].calls;
  open_.push_back(node);
  const ssa::LiftedInfo& lifted = module_->functions[static_cast<std::size_t>(call.function)].lifted;
  if (lifted.lifted || lifted.claimed)
    note_segments(call, nodes_[static_cast<std::size_t>(node)].function, level);
}

void Profile::leave(ssa::FunctionId) {
  look_at_promises();
  levels_.leave();
  if (open_.size() > 1) open_.pop_back();
}

// Of small instructions what passed before goes to those before: where control comes from elsewhere the
// instruction's own time, too. It is no longer than reading the clock.
void Profile::begin(const ssa::Inst& inst, const Site&, std::int64_t work) {
  if (!here_.is(open_.back(), inst)) come_to(inst);
  Spent& spent = *current_;
  std::int64_t* charged = &spent.ticks[static_cast<std::size_t>(Mode::kInterpreted)];
  const bool small = work <= kSmall && op_kind(inst.op) != OpKind::kHost;
  // While control stays where it is the clock need not be read.
  if (charged_ != charged || small != was_small_) pass_control(charged, small);
  if (inst.unpaid) return;
  ++spent.instructions;
  spent.work += static_cast<std::uint64_t>(work);
}

// Control passes to the line of `inst`.
void Profile::come_to(const ssa::Inst& inst) {
  note_allocations();
  const std::int32_t node = open_.back();
  Spent& spent = spent_of(node, &inst);
  here_ = {node, inst.origin_line, inst.pos.line, inst.origin_function};
  if (current_ != &spent) ++spent.calls;
  current_ = &spent;
}

// What was taken since the last time, to the line that had control.
void Profile::note_allocations() {
  const std::uint64_t made = Pool::allocations_here();
  current_->allocations += made - allocations_;
  allocations_ = made;
}

void Profile::look_at_memory() {
  unsettled_bytes_ = 0;
  current_->peak = std::max<std::uint64_t>(current_->peak, pool_->stats().live);
}

void Profile::begin_region(const ssa::Inst* first, std::string_view) {
  tick();
  note_allocations();
  region_first_ = first;
  in_region_ = true;
  eager_ticks_ = compile_ticks_ = 0;
  kernel_times_.clear();
  charged_ = &eager_ticks_;
}

void Profile::begin_compile() {
  tick();
  charged_ = &compile_ticks_;
}

void Profile::end_compile(const Compilation& c) {
  constexpr std::size_t kMostRegions = 200;
  for (std::size_t k = 0; k < c.kernels.size(); ++k) {
    KernelSpent kernel;
    kernel.combinators = c.kernels[k].combinators;
    kernel.operations = c.kernels[k].operations;
    std::string key = kernel.combinators;
    for (const ssa::Inst* inst : c.kernels[k].insts) {
      const std::int32_t place = source_.place(inst);
      if (std::find(kernel.places.begin(), kernel.places.end(), place) != kernel.places.end()) continue;
      kernel.places.push_back(place);
      key += " " + std::to_string(place);
    }
    const auto [at, fresh] = kernel_numbers_.try_emplace(key, kernels_.size());
    if (fresh) kernels_.push_back(std::move(kernel));
    kernel_of_[{c.region, static_cast<std::uint32_t>(k)}] = at->second;
  }
  if (regions_.size() < kMostRegions) {
    FusedRegion region;
    region.place = region_first_ == nullptr ? "" : source_.text(source_.place(region_first_));
    region.reason = c.reason;
    for (const FusionNode& n : c.nodes)
      region.nodes.push_back({n.name, n.inst == nullptr ? "" : source_.text(source_.place(n.inst)),
                              n.inst == nullptr ? "" : op_info(n.inst->op).text, n.kernel, n.inputs});
    regions_.push_back(std::move(region));
  }
  tick();
  charged_ = &eager_ticks_;
}

void Profile::begin_kernel(std::uint32_t, std::uint32_t) {
  tick();
  kernel_ticks_ = eager_ticks_;
}

void Profile::end_kernel(const KernelRun& run) {
  tick();
  const std::int64_t all = eager_ticks_;
  eager_ticks_ = kernel_ticks_;  // as before the kernel
  kernel_ticks_ = all - eager_ticks_;
  kernel_times_.push_back({{run.insts.begin(), run.insts.end()}, kernel_ticks_, run.bytes});
  count_kernel(run, kernel_ticks_);
}

// The host waits meanwhile: that time is the region's.
void Profile::device_kernel(const KernelRun& run, const DeviceTimes& times) {
  const double passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - run_start_).count();
  const double rate = static_cast<double>(ticks() - run_start_ticks_) / std::max(passed, 1e-9);
  count_kernel(run, static_cast<std::int64_t>(times.seconds * rate));
}

void Profile::count_kernel(const KernelRun& run, std::int64_t ticks) {
  const auto found = kernel_of_.find({run.region, run.kernel});
  if (found == kernel_of_.end()) return;
  KernelSpent& kernel = kernels_[found->second];
  kernel.ticks += ticks;
  ++kernel.runs;
  kernel.elements += static_cast<std::uint64_t>(run.elements);
  kernel.bytes += static_cast<std::uint64_t>(run.bytes);
}

void Profile::count(std::span<const RecordedWork> recorded) {
  for (const RecordedWork& r : recorded) {
    Spent& spent = spent_of(r.place, r.inst);
    if (current_ != &spent) ++spent.calls;
    current_ = &spent;
    here_ = {};
    if (r.inst->unpaid) continue;
    ++spent.instructions;
    spent.work += static_cast<std::uint64_t>(r.work);
  }
}

// To the lines of the recorded instructions, by the elements they touched.
void Profile::share_by_work(std::span<const RecordedWork> recorded, std::int64_t all, Mode mode,
                            std::int64_t bytes) {
  if (recorded.empty()) {
    current_->ticks[static_cast<std::size_t>(mode)] += all;
    current_->bytes += static_cast<std::uint64_t>(bytes);
    return;
  }
  double total = 0;
  for (const RecordedWork& r : recorded) total += static_cast<double>(r.work) + 1;
  std::int64_t ticks_left = all, bytes_left = bytes;
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    const double part = (static_cast<double>(recorded[i].work) + 1) / total;
    const bool last = i + 1 == recorded.size();
    const auto t = last ? ticks_left : static_cast<std::int64_t>(part * static_cast<double>(all));
    const auto b = last ? bytes_left : static_cast<std::int64_t>(part * static_cast<double>(bytes));
    Spent& spent = spent_of(recorded[i].place, recorded[i].inst);
    spent.ticks[static_cast<std::size_t>(mode)] += t;
    spent.bytes += static_cast<std::uint64_t>(b);
    ticks_left -= t;
    bytes_left -= b;
  }
}

// Each kernel's time to the lines of what it computed.
void Profile::share_kernels(std::span<const RecordedWork> recorded) {
  for (const KernelTime& kernel : kernel_times_) {
    std::vector<RecordedWork> computed;
    for (const RecordedWork& r : recorded)
      if (std::find(kernel.insts.begin(), kernel.insts.end(), r.inst) != kernel.insts.end()) {
        computed.push_back(r);
        computed.back().work = 0;
      }
    share_by_work(computed, kernel.ticks, Mode::kFused, kernel.bytes);
  }
}

void Profile::end_region(std::span<const RecordedWork> recorded, const RegionRun& run) {
  tick();
  in_region_ = false;
  count(recorded);
  share_kernels(recorded);
  if (compile_ticks_ > 0) share_by_work(recorded, compile_ticks_, Mode::kCompile, 0);
  // Beside kernels this is what binding them and handing over their results costs.
  const bool fused = run.kernels > 0;
  share_by_work(recorded, eager_ticks_, fused ? Mode::kFused : Mode::kInterpreted, fused ? 0 : run.bytes);
  kernel_times_.clear();
  note_allocations();
  moved_bytes(run.bytes);
  charged_ = &current_->ticks[static_cast<std::size_t>(Mode::kInterpreted)];
  look_at_promises();
}

void Profile::begin_groups(const CallStart& call, std::int64_t, std::size_t) {
  tick();
  before_groups_ = current_;
  const std::int32_t level = levels_.enter(call);
  levels_.leave();
  const std::int32_t function = source_.function(call.function);
  const std::int32_t node = child(open_.back(), function, 0, level);
  ++nodes_[static_cast<std::size_t>(node)].calls;
  note_segments(call, function, level);
  note_allocations();
  here_ = {};
  current_ = &spent_at(node, source_.place_number({function, 0, 0}));
  ++current_->calls;
  charged_ = &current_->ticks[static_cast<std::size_t>(Mode::kBlock)];
  groups_node_ = node;
  groups_bytes_ = 0;
  groups_ticks_ = *charged_;
}

// The node of a function at a level inside of the groups that run.
std::int32_t Profile::node_in_groups(ssa::FunctionId function, std::int32_t level) {
  const std::int32_t name = source_.function(function);
  const CallNode& cut = nodes_[static_cast<std::size_t>(groups_node_)];
  if (name != cut.function) return child(groups_node_, name, 0, levels_.next(function) + level);
  const std::int32_t first = cut.level;
  std::int32_t node = groups_node_;
  for (std::int32_t l = 1; l <= level && first + l <= kMostLevels; ++l)
    node = child(node, name, 0, first + l);
  return node;
}

// What passed since begin_groups goes to the lines, in the proportion of the threads' time.
void Profile::groups_spent(const GroupsSpent& groups) {
  tick();
  double total = 0;
  for (const LineSpent& l : groups.lines) total += static_cast<double>(l.ticks);
  const std::int64_t all = *charged_ - groups_ticks_;
  std::map<Spent*, std::uint64_t> deepest;  // threads run beside each other
  for (const LineSpent& l : groups.lines) {
    Spent& spent = spent_of(node_in_groups(l.function, l.level), l.inst);
    const double share = total > 0 ? static_cast<double>(l.ticks) / total : 0;
    const auto part = static_cast<std::int64_t>(share * static_cast<double>(all));
    spent.ticks[static_cast<std::size_t>(Mode::kBlock)] += part;
    spent.calls += l.times;
    spent.work += l.work;
    spent.bytes += static_cast<std::uint64_t>(l.bytes);
    groups_bytes_ += l.bytes;
    std::uint64_t& most = deepest[&spent];
    most = std::max(most, l.instructions);
    *charged_ -= part;
  }
  for (const auto& [spent, instructions] : deepest) spent->instructions += instructions;
  for (const CallsSpent& c : groups.calls) {
    CallNode& node = nodes_[static_cast<std::size_t>(node_in_groups(c.function, c.level))];
    node.calls += c.calls;
    if (c.shape.segments == 0) continue;
    LevelSpent& level = level_spent_[{node.function, node.level}];
    level.calls += c.calls;
    level.shape.add(c.shape);
  }
}

void Profile::end_groups(bool, std::int64_t moved) {
  tick();
  // What no line did: results put together.
  current_->bytes += static_cast<std::uint64_t>(std::max<std::int64_t>(moved - groups_bytes_, 0));
  note_allocations();
  here_ = {};
  current_ = before_groups_;
  charged_ = &current_->ticks[static_cast<std::size_t>(Mode::kInterpreted)];
}

void Profile::note_segments(const CallStart& call, std::int32_t function, std::int32_t level) {
  constexpr std::size_t kMostPromises = 8;
  const ssa::Function& f = module_->functions[static_cast<std::size_t>(call.function)];
  const Value* value = instances_of(f, call.arguments);
  if (value == nullptr) return;
  ++level_spent_[{function, std::min(level, kMostLevels)}].calls;
  SegdesLater later(*value);
  if (promised_.size() >= kMostPromises) promised_.erase(promised_.begin());
  promised_.push_back({std::move(later), function, std::min(level, kMostLevels)});
  look_at_promises();
}

void Profile::keep_promises() {
  std::erase_if(promised_, [&](PromisedSegments& p) {
    const Segdes* segdes = p.segments.get();
    if (segdes == nullptr) return p.segments.gone();
    const SegmentShape shape = shape_of(*segdes, kLengthsLookedAt);
    level_spent_[{p.function, p.level}].shape.add(shape);
    return true;
  });
}

}  // namespace nvm::vm
