// One backward sweep: blocks are in topological order, so every successor is finished before its
// predecessors. Cost: blocks times live values.
#include <algorithm>

#include "bytecode/base/budget.h"
#include "bytecode/ssa/passes.h"

namespace nvm::ssa {

namespace {

// Set of values that is cheap to list.
class LiveSet {
 public:
  explicit LiveSet(std::size_t values) : member_(values, false) {}
  [[nodiscard]] bool has(ValueId v) const { return member_[static_cast<std::size_t>(v)]; }
  void add(ValueId v) {
    if (has(v)) return;
    member_[static_cast<std::size_t>(v)] = true;
    list_.push_back(v);
  }
  void remove(ValueId v) { member_[static_cast<std::size_t>(v)] = false; }  // list() drops it later
  // Members in ascending order; compacts.
  std::vector<ValueId> take() {
    std::sort(list_.begin(), list_.end());
    list_.erase(std::unique(list_.begin(), list_.end()), list_.end());
    std::vector<ValueId> members;
    for (const ValueId v : list_)
      if (has(v)) members.push_back(v);
    for (const ValueId v : list_) remove(v);
    list_.clear();
    return members;
  }

 private:
  std::vector<bool> member_;
  std::vector<ValueId> list_;
};

// Marks the last uses among `values` given what lives afterwards, and makes all of them live.
std::uint64_t use(LiveSet& live, const ValueId* values, std::size_t n) {
  std::uint64_t dies = 0;
  for (std::size_t i = n; i-- > 0;) {
    if (!live.has(values[i]) && i < 64) dies |= std::uint64_t{1} << i;
    live.add(values[i]);
  }
  return dies;
}

class Analysis {
 public:
  explicit Analysis(const Function& f) : f_(f), live_(f.value_types.size()), live_in_(f.blocks.size()) {
    out_.dies.resize(f.blocks.size());
    out_.unused.resize(f.blocks.size());
    out_.dead_on_entry.resize(f.blocks.size());
  }

  Liveness run() {
    for (std::size_t b = f_.blocks.size(); b-- > 0;) block(b);
    return std::move(out_);
  }

 private:
  void block(std::size_t b) {
    const Block& block = f_.blocks[b];
    std::vector<std::uint64_t>& dies = out_.dies[b];
    std::vector<std::uint64_t>& unused = out_.unused[b];
    dies.resize(block.insts.size() + 1);
    unused.resize(block.insts.size());
    live_after(block.end);
    const Terminator& end = block.end;
    dies.back() = end.kind == Exit::kBranch ? use(live_, &end.condition, 1)
                                            : use(live_, end.arguments.data(), end.arguments.size());
    for (std::size_t i = block.insts.size(); i-- > 0;) {
      check_budget();
      const Inst& in = block.insts[i];
      for (std::uint32_t r = 0; r < in.results; ++r) {
        const ValueId v = in.first_result + static_cast<ValueId>(r);
        if (!live_.has(v) && r < 64) unused[i] |= std::uint64_t{1} << r;
        live_.remove(v);
      }
      dies[i] = use(live_, f_.operands_of(in), in.operands);
    }
    for (const ValueId p : block.parameters) {
      if (!live_.has(p)) out_.dead_on_entry[b].push_back(p);
      live_.remove(p);
    }
    live_in_[b] = live_.take();
  }

  // Starts the set with what the successors need; what only one of two needs dies on entry to the other.
  void live_after(const Terminator& end) {
    if (end.kind == Exit::kReturn || end.kind == Exit::kStop) return;
    const auto target = static_cast<std::size_t>(end.target);
    for (const ValueId v : live_in_[target]) live_.add(v);
    if (end.kind == Exit::kJump) return;
    const auto otherwise = static_cast<std::size_t>(end.otherwise);
    for (const ValueId v : live_in_[otherwise]) {
      if (!live_.has(v)) out_.dead_on_entry[target].push_back(v);
      live_.add(v);
    }
    std::set_difference(live_in_[target].begin(), live_in_[target].end(), live_in_[otherwise].begin(),
                        live_in_[otherwise].end(), std::back_inserter(out_.dead_on_entry[otherwise]));
  }

  const Function& f_;
  LiveSet live_;
  std::vector<std::vector<ValueId>> live_in_;
  Liveness out_;
};

}  // namespace

Liveness liveness(const Function& function) { return Analysis(function).run(); }

}  // namespace nvm::ssa
