#include "vm/block/policy.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "bytecode/ssa/demand.h"
#include "bytecode/ssa/facts.h"
#include "vm/prims/parallel.h"
#include "vm/prims/views.h"

namespace nvm::vm::block {

namespace {

constexpr std::int64_t kCacheBytes = 1 << 20;        // L2 of a worker
constexpr std::int64_t kLeastGroupBytes = 32 << 10;  // below, instructions cost more than their elements
constexpr std::int64_t kLoopGroups = 32;             // times as large, at most
constexpr std::int64_t kMovesShare = 8;              // part of the cache that arguments take
constexpr std::int64_t kGroupsPerThread = 4;         // so that uneven groups even out
constexpr std::int64_t kLeastLoopInstances = 256;    // of a group; below, steps cost more than their elements

// By function: can it come to a call of itself or of another that can? Code without recursion is better
// executed by fused passes over everything.
std::vector<bool> reaches_recursion(const ssa::Module& module) {
  std::vector<bool> reaches(module.functions.size(), true);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t f = 0; f < module.functions.size(); ++f) {
      if (!reaches[f]) continue;
      bool any = false;
      for (const ssa::Block& block : module.functions[f].blocks)
        for (const ssa::Inst& in : block.insts)
          any |= in.op == Op::kCall && reaches[static_cast<std::size_t>(in.index)];
      if (any) continue;
      reaches[f] = false;
      changed = true;
    }
  }
  return reaches;
}

// Does it call itself only for instances that it has, not for parts of them? Then a step does not become
// cheaper by working in a cache when there is little to do in it, and every group pays for it again.
bool calls_for_its_own(const ssa::Module& module, std::size_t function) {
  const ssa::Function& f = module.functions[function];
  const std::int32_t frame = f.lifted.frame;
  const auto& parameters = f.blocks[0].parameters;
  const auto place = std::find(parameters.begin(), parameters.end(), frame) - parameters.begin();
  const std::vector<const ssa::Inst*> makers = ssa::makers_of(f);
  bool any = false;
  for (const ssa::Block& block : f.blocks)
    for (const ssa::Inst& in : block.insts) {
      if (in.op != Op::kCall || static_cast<std::size_t>(in.index) != function) continue;
      any = true;
      const ssa::Inst* made = makers[static_cast<std::size_t>(f.operands_of(in)[place])];
      if (made != nullptr && made->op == Op::kMakeSegdes) return false;
    }
  return any;
}

// Follows the elements of instances through a function. `known`: functions that only move elements, too.
class Moves {
 public:
  Moves(const ssa::Function& f, std::size_t id, const std::vector<bool>& known, const ssa::Demand& demand)
      : f_(f),
        id_(id),
        known_(known),
        demand_(demand),
        element_(static_cast<std::size_t>(f.values()), false) {}
  // Are there any, and are they only compared, to be filtered, and moved? Where FLOATs are computed, kernel
  // mode's compiled lines are better, be it once for each instance.
  bool only() {
    const auto& parameters = f_.blocks[0].parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (f_.lifted.parameters[i].kind == ssa::Split::Kind::kUnder) mark(parameters[i]);
    if (!changed_) return false;  // all that it has is one number for each instance
    for (changed_ = true; changed_;) {
      changed_ = false;
      for (const ssa::Block& block : f_.blocks) {
        for (const ssa::Inst& in : block.insts)
          if (!follow(in)) return false;
        if (block.end.kind != ssa::Exit::kJump) continue;
        const auto& to = f_.blocks[static_cast<std::size_t>(block.end.target)].parameters;
        for (std::size_t i = 0; i < to.size(); ++i)
          if (is_element(block.end.arguments[i])) mark(to[i]);
      }
    }
    return true;
  }

 private:
  [[nodiscard]] bool is_element(ssa::ValueId v) const { return element_[static_cast<std::size_t>(v)]; }
  void mark(ssa::ValueId v) {
    if (is_element(v) || f_.value_types[static_cast<std::size_t>(v)] == Type::kSegdes) return;
    element_[static_cast<std::size_t>(v)] = changed_ = true;
  }
  bool follow(const ssa::Inst& in) {
    const auto result = [&](std::uint32_t i) { return in.first_result + static_cast<ssa::ValueId>(i); };
    if (in.op == Op::kCall) {
      if (static_cast<std::size_t>(in.index) != id_ && !known_[static_cast<std::size_t>(in.index)])
        return false;
      for (std::uint32_t i = 0; i < in.results; ++i) mark(result(i));
      return true;
    }
    const bool maps = op_info(in.op).kind == OpKind::kMap;
    if (maps && f_.value_types[static_cast<std::size_t>(in.first_result)] == Type::kFloat) return false;
    const ssa::ValueId* operands = f_.operands_of(in);
    if (std::none_of(operands, operands + in.operands, [&](ssa::ValueId v) { return is_element(v); }))
      return true;
    switch (op_info(in.op).kind) {
      case OpKind::kMap:
        if (demand_.may(in.first_result, Form::kSlices)) mark(in.first_result);
        return demand_.may(in.first_result, kMakerForms | Forms{Form::kSlices});
      case OpKind::kScatter:
      case OpKind::kGather:
      case OpKind::kFilter: mark(in.first_result); return true;
      case OpKind::kReduce:
      case OpKind::kExtract: return true;
      default: return false;
    }
  }

  const ssa::Function& f_;
  std::size_t id_;
  const std::vector<bool>& known_;
  const ssa::Demand& demand_;
  std::vector<bool> element_;
  bool changed_ = false;
};

// Of a loop's groups. Instances leave at every step, so small groups soon pay more for steps than for
// elements; if arguments fit into half of L2, beside what is computed from them, without being that small,
// then so.
std::int64_t loop_bytes(std::int64_t group_bytes) {
  const std::int64_t most = kLoopGroups * group_bytes;
  const std::int64_t half = second_level_cache() / 2;
  return half >= most / 2 ? std::min(half, most) : most;
}

std::int64_t largest(const Layout& layout, std::span<const std::int64_t> bounds) {
  std::int64_t most = 0;
  for (std::size_t g = 0; g + 1 < bounds.size(); ++g)
    most = std::max(most, layout.bytes_before(bounds[g + 1]) - layout.bytes_before(bounds[g]));
  return most;
}

}  // namespace

Policy::Policy(const ssa::Module& module, const Options& options, int threads)
    : candidate_(module.functions.size(), false),
      recursive_(module.functions.size(), false),
      loops_(module.functions.size(), false),
      moves_only_(module.functions.size(), false),
      automatic_(options.threshold == Options::kAuto),
      group_bytes_(options.group_bytes),
      large_bytes_(options.large_bytes),
      moves_bytes_(
          std::clamp(second_level_cache() / kMovesShare, options.group_bytes, 4 * options.group_bytes)),
      loop_bytes_(options.device != nullptr ? options.group_bytes : loop_bytes(options.group_bytes)),
      threads_(threads),
      least_instances_(automatic_ ? 2 * kGroupsPerThread * threads : options.threshold) {
  if (options.threshold == Options::kOff) return;
  const std::vector<bool> recursive = reaches_recursion(module);
  for (std::size_t f = 0; f < candidate_.size(); ++f) {
    const ssa::LiftedInfo& info = module.functions[f].lifted;
    const bool cuts = info.lifted && (info.adds_up || !options.exact_costs);
    recursive_[f] = cuts && recursive[f];
    candidate_[f] = cuts && (recursive[f] || !automatic_);
    loops_[f] = automatic_ && recursive_[f] && calls_for_its_own(module, f);
  }
  if (!automatic_ || options.device != nullptr || std::count(recursive_.begin(), recursive_.end(), true) == 0)
    return;
  const std::vector<ssa::Demand> demand = ssa::analyse_demand(module);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t f = 0; f < candidate_.size(); ++f) {
      if (moves_only_[f] || !recursive_[f] || loops_[f] ||
          !Moves(module.functions[f], f, moves_only_, demand[f]).only())
        continue;
      moves_only_[f] = changed = true;
    }
  }
}

std::vector<std::int64_t> Policy::cut(ssa::FunctionId function, const Layout& layout) const {
  const std::int64_t bytes = layout.bytes();
  const std::int64_t even = kGroupsPerThread * threads_;
  if (!automatic_) return layout.bounds(std::max(bytes / group_bytes_, even));
  const std::int64_t each = loops(function)        ? loop_bytes_
                            : moves_only(function) ? moves_bytes_
                                                   : group_bytes_;
  const bool large = each > 4 * kLeastGroupBytes && loops(function);  // but enough of them to try a part
  const std::int64_t least =
      large ? std::min(2 * even, bytes / (each / 4)) : std::min(even, bytes / kLeastGroupBytes);
  std::vector<std::int64_t> bounds = layout.bounds(std::max(bytes / each, least));
  if (!pays(layout, bounds)) bounds.clear();
  return bounds;
}

std::vector<std::int64_t> Policy::cut_loop(const Layout& layout) const {
  if (threads_ == 1 || layout.instances() < kLeastLoopInstances * threads_) return {};
  std::vector<std::int64_t> bounds = layout.bounds(threads_);
  if (largest(layout, bounds) > layout.bytes() / threads_ * 3 / 2) bounds.clear();
  return bounds;
}

std::vector<std::int64_t> Policy::cut_early(const Layout& layout) const {
  const std::int64_t bytes = layout.bytes();
  if (bytes < 4 * threads_ * group_bytes_) return {};
  std::vector<std::int64_t> bounds = layout.bounds(bytes / group_bytes_);
  if (bounds.size() < 3 || largest(layout, bounds) > bytes / std::max<std::int64_t>(threads_, 2) * 2)
    bounds.clear();
  return bounds;
}

// The largest first, each for the thread that has least.
bool Policy::even(std::vector<std::int64_t> sizes) const {
  std::vector<std::int64_t> work(static_cast<std::size_t>(threads_), 0);
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  for (const std::int64_t size : sizes) *std::min_element(work.begin(), work.end()) += size;
  const std::int64_t all = std::accumulate(work.begin(), work.end(), std::int64_t{0});
  return *std::max_element(work.begin(), work.end()) * threads_ <= all / 4 * 5;
}

std::vector<std::int64_t> Policy::cut_alone(ssa::FunctionId function, const Layout& layout, bool idle) const {
  const std::int64_t bytes = layout.bytes();
  const std::int64_t each = moves_only(function) && !idle ? moves_bytes_ : group_bytes_;
  if (layout.instances() < 2 || bytes < 4 * each) return {};
  std::vector<std::int64_t> bounds = layout.bounds(bytes / each);
  const std::int64_t most = idle ? bytes / 8 * 7 : std::min(bytes / 2, kCacheBytes / 2);
  if (bounds.size() < 3 || largest(layout, bounds) > most) bounds.clear();
  return bounds;
}

// Not if one thread has it all in its cache anyway, nor if one group would keep the others waiting.
bool Policy::pays(const Layout& layout, std::span<const std::int64_t> bounds) const {
  const std::int64_t bytes = layout.bytes();
  if (bounds.size() < 3 || (threads_ == 1 && bytes < kCacheBytes / 2)) return false;
  return largest(layout, bounds) <= bytes / (2 * std::max<std::int64_t>(threads_, 2));
}

}  // namespace nvm::vm::block
