// inline_calls.
//
// Requires: check(). Ensures: no call is left to a function that is not recursive, measures no time and is
// small, or is called once, unless its caller has reached kMaxCaller instructions or its own have come by
// kMaxDepth calls; positions stay those of the callee and origin_function and inlined name it and the calls.
// Order of effects is kept. Destroys: block numbers, value numbers. Cost: linear in the code that results,
// which is bounded by kMaxCaller per function. What is inlined into its only caller is removed at once: a
// chain of such functions would hold the rest of itself in each of them.
//
// Callees first: what is inlined into a callee is not inlined again elsewhere. A function has at most one
// block that returns, so the caller goes on in the copy of that block, with the callee's results for its own.
#include <algorithm>
#include <unordered_map>

#include "bytecode/base/check.h"
#include "bytecode/ssa/cfg.h"
#include "bytecode/ssa/edit.h"
#include "bytecode/ssa/passes.h"

namespace nvm::ssa {

namespace {

constexpr std::size_t kSmall = 60;        // instructions of a callee that is always inlined
constexpr std::size_t kMaxCaller = 3000;  // instructions of a caller that stops growing
// Calls within calls that one instruction comes by. Each depth of a chain notes its calls anew.
constexpr std::int32_t kMaxDepth = 64;

std::size_t size_of(const Function& f) {
  std::size_t n = 0;
  for (const Block& b : f.blocks) n += b.insts.size() + 1;
  return n;
}

std::size_t returns_of(const Function& f) {
  return static_cast<std::size_t>(std::count_if(f.blocks.begin(), f.blocks.end(),
                                                [](const Block& b) { return b.end.kind == Exit::kReturn; }));
}

// How many calls the instructions of functions have come by.
class Depths {
 public:
  explicit Depths(const Module& m) : m_(m) {}
  std::int32_t most_of(const Function& f) {
    for (std::size_t i = of_.size(); i < m_.inlined.size(); ++i)
      of_.push_back(1 + of(m_.inlined[i].within));  // which has been noted before
    std::int32_t most = 0;
    for (const Block& b : f.blocks)
      for (const Inst& in : b.insts) most = std::max(most, of(in.inlined));
    return most;
  }

 private:
  [[nodiscard]] std::int32_t of(std::int32_t call) const {
    return call < 0 ? 0 : of_[static_cast<std::size_t>(call)];
  }

  const Module& m_;
  std::vector<std::int32_t> of_;  // by index into Module::inlined
};

// Call graph in order "callees first", and which functions are on a cycle. Tarjan's algorithm with an
// explicit stack.
class CallOrder {
 public:
  explicit CallOrder(const Module& m)
      : recursive(m.functions.size(), false),
        calls(m.functions.size()),
        callees_(m.functions.size()),
        state_(m.functions.size()) {
    for (std::size_t f = 0; f < m.functions.size(); ++f)
      for (const Block& b : m.functions[f].blocks)
        for (const Inst& in : b.insts)
          if (in.op == Op::kCall) {
            callees_[f].push_back(in.index);
            ++calls[static_cast<std::size_t>(in.index)];
          }
    for (std::size_t f = 0; f < m.functions.size(); ++f)
      if (state_[f].index < 0) visit(static_cast<FunctionId>(f));
  }

  std::vector<FunctionId> order;
  std::vector<bool> recursive;
  std::vector<std::size_t> calls;  // call sites by callee

 private:
  struct State {
    std::int32_t index = -1, low = 0;
    std::size_t next = 0;
    bool open = false;
  };
  State& state(FunctionId f) { return state_[static_cast<std::size_t>(f)]; }

  void enter(FunctionId f) {
    state(f).index = state(f).low = counter_++;
    state(f).open = true;
    component_.push_back(f);
    path_.push_back(f);
  }

  void visit(FunctionId root) {
    enter(root);
    while (!path_.empty()) {
      const FunctionId f = path_.back();
      const auto& callees = callees_[static_cast<std::size_t>(f)];
      if (state(f).next < callees.size()) {
        const FunctionId to = callees[state(f).next++];
        if (to == f) recursive[static_cast<std::size_t>(f)] = true;
        if (state(to).index < 0)
          enter(to);
        else if (state(to).open)
          state(f).low = std::min(state(f).low, state(to).index);
        continue;
      }
      path_.pop_back();
      if (!path_.empty()) state(path_.back()).low = std::min(state(path_.back()).low, state(f).low);
      if (state(f).low == state(f).index) close(f);
    }
  }

  // From the end: a chain of calls is one long path of components of one function.
  void close(FunctionId root) {
    const auto first = std::find(component_.rbegin(), component_.rend(), root).base() - 1;
    const bool cycle = component_.end() - first > 1;
    for (auto it = first; it != component_.end(); ++it) {
      state(*it).open = false;
      order.push_back(*it);
      if (cycle) recursive[static_cast<std::size_t>(*it)] = true;
    }
    component_.erase(first, component_.end());
  }

  std::vector<std::vector<FunctionId>> callees_;
  std::vector<State> state_;
  std::vector<FunctionId> component_, path_;
  std::int32_t counter_ = 0;
};

// Copies one function, with the bodies of the calls that `take` accepts in their place.
template <typename Take>
class Inliner {
 public:
  Inliner(Module& m, const Function& f, Take take) : m_(m), f_(f), take_(take) {}

  Function run() {
    out_ = f_;
    out_.blocks.clear();
    out_.operands.clear();
    out_.value_types.clear();
    map_.assign(f_.value_types.size(), kNoValue);
    std::vector<BlockId> first(f_.blocks.size()), last(f_.blocks.size());
    for (std::size_t b = 0; b < f_.blocks.size(); ++b) {
      first[b] = current_ = new_block();
      for (const ValueId p : f_.blocks[b].parameters) block().parameters.push_back(define(map_, f_, p));
      bool stopped = false;  // by a callee; what follows it in the block never runs
      for (std::size_t i = 0; i < f_.blocks[b].insts.size() && !stopped; ++i)
        stopped = instruction(f_.blocks[b].insts[i]);
      last[b] = stopped ? -1 : current_;
    }
    for (std::size_t b = 0; b < f_.blocks.size(); ++b)
      if (last[b] >= 0) end(out_.blocks[static_cast<std::size_t>(last[b])], f_.blocks[b].end, map_, first);
    drop_unreachable(out_);
    return std::move(out_);
  }

 private:
  Block& block() { return out_.blocks[static_cast<std::size_t>(current_)]; }
  BlockId new_block() {
    out_.blocks.emplace_back();
    return static_cast<BlockId>(out_.blocks.size()) - 1;
  }
  ValueId define(std::vector<ValueId>& map, const Function& from, ValueId v) {
    out_.value_types.push_back(from.value_types[static_cast<std::size_t>(v)]);
    return map[static_cast<std::size_t>(v)] = out_.values() - 1;
  }
  static ValueId mapped(const std::vector<ValueId>& map, ValueId v) {
    return map[static_cast<std::size_t>(v)];
  }

  // True if the copied code ends the program here.
  bool instruction(const Inst& in) {
    if (in.op != Op::kCall || !take_(in.index)) {
      copy(in, f_, map_);
      return false;
    }
    return body(in, m_.functions[static_cast<std::size_t>(in.index)]);
  }

  Inst& copy(const Inst& in, const Function& from, std::vector<ValueId>& map) {
    Inst now = in;
    now.first_operand = static_cast<std::uint32_t>(out_.operands.size());
    for (std::uint32_t i = 0; i < in.operands; ++i)
      out_.operands.push_back(mapped(map, from.operands_of(in)[i]));
    for (std::uint32_t r = 0; r < in.results; ++r) {
      const ValueId v = define(map, from, in.first_result + static_cast<ValueId>(r));
      if (r == 0) now.first_result = v;
    }
    return block().insts.emplace_back(now);
  }

  // Notes of a copied instruction by which call it came, and of library code the line that calls it.
  void note(Inst& now, const Inst& call) {
    if (now.origin_line == 0) now.origin_line = call.origin_line;
    if (now.origin_function < 0) now.origin_function = call.index;
    const auto [at, fresh] = came_by_.try_emplace(now.inlined, static_cast<std::int32_t>(m_.inlined.size()));
    if (fresh) m_.inlined.push_back({call.index, call.pos, call.origin_line, now.inlined});
    now.inlined = at->second;
  }

  bool body(const Inst& call, const Function& callee) {
    std::vector<ValueId> map(callee.value_types.size(), kNoValue);
    for (std::uint32_t i = 0; i < call.operands; ++i)
      map[static_cast<std::size_t>(callee.blocks[0].parameters[i])] = mapped(map_, f_.operands_of(call)[i]);
    came_by_.clear();
    std::vector<BlockId> at(callee.blocks.size());
    BlockId returning = -1;
    for (std::size_t b = 0; b < callee.blocks.size(); ++b) {
      at[b] = b == 0 ? current_ : new_block();
      current_ = at[b];
      if (b > 0)
        for (const ValueId p : callee.blocks[b].parameters)
          block().parameters.push_back(define(map, callee, p));
      for (const Inst& in : callee.blocks[b].insts) note(copy(in, callee, map), call);
    }
    for (std::size_t b = 0; b < callee.blocks.size(); ++b) {
      const Terminator& t = callee.blocks[b].end;
      if (t.kind != Exit::kReturn) {
        end(out_.blocks[static_cast<std::size_t>(at[b])], t, map, at);
        continue;
      }
      returning = at[b];
      for (std::uint32_t r = 0; r < call.results; ++r)
        map_[static_cast<std::size_t>(call.first_result) + r] = mapped(map, t.arguments[r]);
    }
    if (returning < 0) return true;
    current_ = returning;
    return false;
  }

  static void end(Block& to, const Terminator& t, const std::vector<ValueId>& map,
                  const std::vector<BlockId>& at) {
    to.end = t;
    if (t.condition != kNoValue) to.end.condition = mapped(map, t.condition);
    if (t.target >= 0) to.end.target = at[static_cast<std::size_t>(t.target)];
    if (t.otherwise >= 0) to.end.otherwise = at[static_cast<std::size_t>(t.otherwise)];
    for (ValueId& v : to.end.arguments) v = mapped(map, v);
  }

  Module& m_;
  const Function& f_;
  Take take_;
  Function out_;
  std::vector<ValueId> map_;
  BlockId current_ = 0;
  std::unordered_map<std::int32_t, std::int32_t> came_by_;  // InlinedCall in the callee -> the same from here
};

}  // namespace

void inline_calls(Module& module) {
  const CallOrder calls(module);
  std::vector<std::size_t> size(module.functions.size());
  std::vector<std::int32_t> depth(module.functions.size());
  Depths depths(module);
  for (const FunctionId id : calls.order) {
    Function& f = module.functions[static_cast<std::size_t>(id)];
    size[static_cast<std::size_t>(id)] = size_of(f);
    std::size_t now = size_of(f);
    std::vector<FunctionId> moved;
    auto take = [&](FunctionId callee) {
      const auto c = static_cast<std::size_t>(callee);
      if (calls.recursive[c] || returns_of(module.functions[c]) > 1 || measures(module.functions[c]))
        return false;
      if (size[c] > kSmall && calls.calls[c] > 1) return false;
      if (now + size[c] > kMaxCaller || depth[c] >= kMaxDepth) return false;
      now += size[c];
      if (calls.calls[c] == 1 && callee != module.entry) moved.push_back(callee);
      return true;
    };
    f = Inliner(module, f, take).run();
    join_chains(f);
    compact(f);
    size[static_cast<std::size_t>(id)] = size_of(f);
    depth[static_cast<std::size_t>(id)] = depths.most_of(f);
    for (const FunctionId callee : moved) remove_function(module.functions[static_cast<std::size_t>(callee)]);
  }
}

}  // namespace nvm::ssa
