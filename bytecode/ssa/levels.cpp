#include "bytecode/ssa/levels.h"

#include <algorithm>

#include "bytecode/base/budget.h"
#include "bytecode/ssa/facts.h"

namespace nvm::ssa {

namespace {

class Finder {
 public:
  Finder(const Module& module, FunctionId id)
      : f_(module.functions[static_cast<std::size_t>(id)]),
        id_(id),
        returned_(static_cast<std::size_t>(f_.values()), false),
        reads_(reads_of(f_)),
        makers_(makers_of(f_)) {}

  std::optional<Levels> run() {
    if (!f_.lifted.lifted || !find_call() || !find_lengths()) return std::nullopt;
    levels_.moved.assign(returned_.size(), false);
    for (std::uint32_t r = 0; r < call_->results; ++r)
      if (r != levels_.lengths) returned_[at(call_->first_result) + r] = true;
    for (changed_ = true; changed_;) {
      changed_ = false;
      for (const Block& block : f_.blocks)
        if (!follow(block)) return std::nullopt;
    }
    if (!find_sizes()) return std::nullopt;
    find_others();
    return levels_;
  }

 private:
  static std::size_t at(ValueId v) { return static_cast<std::size_t>(v); }
  [[nodiscard]] bool returned(ValueId v) const { return returned_[at(v)]; }

  [[nodiscard]] bool find_call() {
    for (const Block& block : f_.blocks)
      for (const Inst& in : block.insts) {
        if (in.op != Op::kCall || in.index != id_) continue;
        if (call_ != nullptr) return false;
        call_ = &in;
      }
    return call_ != nullptr;
  }

  // One descriptor and vectors.
  [[nodiscard]] bool find_lengths() {
    const auto is_segdes = [](Type t) { return t == Type::kSegdes; };
    const auto found = std::find_if(f_.results.begin(), f_.results.end(), is_segdes);
    if (f_.results.size() < 2 || std::count_if(f_.results.begin(), f_.results.end(), is_segdes) != 1 ||
        std::count(f_.results.begin(), f_.results.end(), Type::kPair) != 0)
      return false;
    levels_.lengths = static_cast<std::size_t>(found - f_.results.begin());
    return true;
  }

  void mark(ValueId v) {
    check_budget();
    if (returned(v)) return;
    returned_[at(v)] = changed_ = true;
  }

  // Marks what comes of what the call returns; false if that is looked at.
  [[nodiscard]] bool follow(const Block& block) {
    for (const Inst& in : block.insts) {
      const ValueId* operands = f_.operands_of(in);
      if (std::none_of(operands, operands + in.operands, [&](ValueId v) { return returned(v); })) continue;
      if (!moves(in)) return false;
      mark(in.first_result);
      levels_.moved[at(in.first_result)] = true;
    }
    const Terminator& end = block.end;
    for (std::size_t i = 0; i < end.arguments.size(); ++i) {
      if (!returned(end.arguments[i])) continue;
      if (end.kind == Exit::kJump)
        mark(f_.blocks[static_cast<std::size_t>(end.target)].parameters[i]);
      else if (i == levels_.lengths)
        return false;
    }
    return end.kind != Exit::kBranch || !returned(end.condition);
  }

  // Is what is marked only moved? Gathered is only what the call itself returns.
  [[nodiscard]] bool moves(const Inst& in) const {
    if (in.op != Op::kDpermute && in.op != Op::kBpermute) return false;
    const ValueId* operands = f_.operands_of(in);
    for (std::uint32_t i = 0; i < in.operands; ++i) {
      const bool element = i == 0 || (i == 2 && in.op == Op::kDpermute);
      if (returned(operands[i]) && !element) return false;
    }
    return in.op == Op::kDpermute || makers_[at(operands[0])] == call_;
  }

  // The parameter that comes out as the lengths of the result.
  [[nodiscard]] bool find_sizes() {
    std::vector<bool> seen(returned_.size(), false);
    std::vector<ValueId> open;
    for (const Block& block : f_.blocks)
      if (block.end.kind == Exit::kReturn) open.push_back(block.end.arguments[levels_.lengths]);
    while (!open.empty()) {
      const ValueId v = open.back();
      open.pop_back();
      if (seen[at(v)]) continue;
      seen[at(v)] = true;
      for (std::size_t b = 0; b < f_.blocks.size(); ++b) {
        const auto& parameters = f_.blocks[b].parameters;
        const auto found = std::find(parameters.begin(), parameters.end(), v);
        if (found == parameters.end()) continue;
        const auto i = static_cast<std::size_t>(found - parameters.begin());
        if (b == 0) {
          if (f_.lifted.parameters[i].kind != Split::Kind::kInstances) return false;
          levels_.sizes = i;
          return true;
        }
        for (const Block& from : f_.blocks)
          if (from.end.kind == Exit::kJump && static_cast<std::size_t>(from.end.target) == b)
            open.push_back(from.end.arguments[i]);
      }
    }
    return false;
  }

  // What is put together only to be moved with the rest.
  void find_others() {
    for (bool changed = true; changed;) {
      changed = false;
      std::vector<int> moved(returned_.size(), 0);
      for (const Block& block : f_.blocks)
        for (const Inst& in : block.insts)
          if (in.op == Op::kDpermute && levels_.moved[at(in.first_result)]) {
            ++moved[at(f_.operands_of(in)[0])];
            ++moved[at(f_.operands_of(in)[2])];
          }
      for (const Block& block : f_.blocks)
        for (const Inst& in : block.insts) {
          if (in.op != Op::kDpermute || levels_.moved[at(in.first_result)]) continue;
          const Inst* made = makers_[at(f_.operands_of(in)[0])];
          if (moved[at(in.first_result)] != reads_[at(in.first_result)] ||
              (made != nullptr && made->op == Op::kDist))
            continue;
          levels_.moved[at(in.first_result)] = changed = true;
        }
    }
  }

  const Function& f_;
  FunctionId id_;
  const Inst* call_ = nullptr;
  Levels levels_;
  std::vector<bool> returned_;       // by ValueId: has elements of what the call returns
  std::vector<int> reads_;           // by ValueId
  std::vector<const Inst*> makers_;  // by ValueId
  bool changed_ = false;
};

}  // namespace

std::optional<Levels> find_levels(const Module& module, FunctionId id) { return Finder(module, id).run(); }

}  // namespace nvm::ssa
