#include "bytecode/verify/effects.h"

#include <deque>
#include <utility>

#include "bytecode/base/budget.h"

namespace nvm {

namespace {

using State = StackEffect::State;

constexpr std::int64_t kMaxHeight = std::int64_t{1} << 31;
constexpr int kMaxWalks = 64;  // far more than nested cycles of calls need

struct Height {
  std::int64_t entries = 0;
  bool live = true;
};

struct Branch {
  Height before;  // after the condition
  Height then;    // where ELSE stands
  bool has_else = false;
};

// One pass over a function, its callees having the effects known so far.
class Walk {
 public:
  Walk(const Function& function, const std::vector<StackEffect>& known)
      : function_(function), known_(known) {}

  StackEffect run() {
    for (; pc_ < function_.code.size() && out_.state != State::kVaries; ++pc_) step(function_.code[pc_]);
    if (out_.state == State::kVaries || !now_.live) return out_;
    out_.state = State::kFixed;
    out_.delta = now_.entries;
    return out_;
  }

 private:
  void step(const Instr& in) {
    if (in.op == Op::kElse) {
      Branch& b = branches_.back();
      b.then = std::exchange(now_, b.before);
      b.has_else = true;
    } else if (in.op == Op::kEndif) {
      join(branches_.back().has_else ? branches_.back().then : branches_.back().before);
      branches_.pop_back();
    } else if (now_.live) {
      live_step(in);
    }
    if (in.op == Op::kIf) branches_.push_back({now_, {}, false});
  }

  void live_step(const Instr& in) {
    if (in.op == Op::kCall) {
      const StackEffect& callee = known_[static_cast<std::size_t>(in.a)];
      touch(callee.reach);
      now_.live = callee.state == State::kFixed;
      now_.entries += callee.delta;
      if (callee.state == State::kVaries) varies();
    } else {
      const Arity a = arity(in);
      touch(a.takes);
      now_.entries += a.leaves - a.takes;
      if (in.op == Op::kExit) now_.live = false;
    }
    if (now_.entries > kMaxHeight) varies();
  }

  void touch(std::int64_t count) {
    const std::int64_t reach = count - now_.entries;
    if (reach <= out_.reach) return;
    out_.reach = reach;
    out_.deepest = static_cast<std::int32_t>(pc_);
    if (reach > kMaxHeight) varies();
  }

  void join(const Height& other) {
    if (!now_.live) {
      now_ = other;
    } else if (other.live && other.entries != now_.entries) {
      varies();
    }
  }

  void varies() {
    out_.state = State::kVaries;
    out_.cause = static_cast<std::int32_t>(pc_);
  }

  const Function& function_;
  const std::vector<StackEffect>& known_;
  std::vector<Branch> branches_;
  std::size_t pc_ = 0;
  Height now_;
  StackEffect out_;
};

// The functions that the entry can reach, callees before callers as far as cycles allow; and who calls whom.
struct CallGraph {
  std::vector<std::size_t> order;
  std::vector<std::vector<std::size_t>> callers;
};

CallGraph call_graph(const Program& program) {
  CallGraph graph;
  graph.callers.resize(program.functions.size());
  std::vector<bool> seen(program.functions.size(), false);
  struct Visit {
    std::size_t function;
    std::size_t pc;
  };
  std::vector<Visit> path{{static_cast<std::size_t>(program.entry), 0}};
  seen[path[0].function] = true;
  while (!path.empty()) {
    const auto [function, pc] = path.back();
    if (pc == program.functions[function].code.size()) {
      graph.order.push_back(function);
      path.pop_back();
      continue;
    }
    ++path.back().pc;
    const Instr& in = program.functions[function].code[pc];
    if (in.op != Op::kCall) continue;
    const auto callee = static_cast<std::size_t>(in.a);
    if (graph.callers[callee].empty() || graph.callers[callee].back() != function)
      graph.callers[callee].push_back(function);
    if (!seen[callee]) path.push_back({callee, 0});
    seen[callee] = true;
  }
  return graph;
}

bool same(const StackEffect& a, const StackEffect& b) {
  return a.state == b.state && a.reach == b.reach && a.delta == b.delta;
}

}  // namespace

Arity arity(const Instr& in) {
  if (in.op == Op::kCopy || in.op == Op::kPop || in.op == Op::kCpop) {
    if (in.a <= 0 || in.b < 0) return {};  // nothing, or an error of its own
    const std::int64_t block = in.a;
    const std::int64_t takes = block + in.b;
    return {takes, in.op == Op::kCopy ? takes + block : in.op == Op::kPop ? takes - block : takes};
  }
  const OpInfo& info = op_info(in.op);
  return {static_cast<std::int64_t>(info.operands.size()), static_cast<std::int64_t>(info.results.size())};
}

std::vector<StackEffect> stack_effects(const Program& program) {
  const CallGraph graph = call_graph(program);
  std::vector<StackEffect> effects(program.functions.size());
  std::vector<int> walks(program.functions.size(), 0);
  std::deque<std::size_t> queue(graph.order.begin(), graph.order.end());
  std::vector<bool> queued(program.functions.size(), true);
  while (!queue.empty()) {
    const std::size_t f = queue.front();
    queue.pop_front();
    queued[f] = false;
    StackEffect& known = effects[f];
    if (known.state == State::kVaries) continue;
    StackEffect found = Walk(program.functions[f], effects).run();
    if (++walks[f] > kMaxWalks && found.state != State::kVaries) {
      found.state = State::kVaries;
      found.cause = found.deepest;
    }
    const bool changed = !same(found, known);
    known = found;
    if (!changed) continue;
    for (const std::size_t caller : graph.callers[f]) {
      check_budget();
      if (!queued[caller]) queue.push_back(caller);
      queued[caller] = true;
    }
  }
  return effects;
}

}  // namespace nvm
