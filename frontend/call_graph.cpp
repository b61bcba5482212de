#include "frontend/call_graph.h"

#include "bytecode/base/at.h"
#include "bytecode/base/stack.h"

#include <algorithm>
#include <utility>

namespace nvm::frontend {
namespace {

void called(const core::Expr& e, std::vector<std::int32_t>& out) {
  check_stack();
  if (e.kind == core::ExprKind::kCall) out.push_back(e.id);
  for (const auto& kid : e.kids) called(*kid, out);
}

// Tarjan's components, with a stack of its own: chains of calls are as long as programs.
class Components {
 public:
  explicit Components(CallGraph& graph)
      : graph_(graph), number_(graph.callees.size(), -1), low_(number_), open_(number_.size(), false) {}

  void from(std::int32_t root) {
    if (number_[at(root)] >= 0) return;
    enter(root);
    while (!path_.empty()) {
      const std::int32_t f = path_.back().function;
      const auto& callees = graph_.callees[at(f)];
      if (path_.back().next == callees.size()) {
        leave(f);
        continue;
      }
      const std::int32_t g = callees[path_.back().next++];
      if (number_[at(g)] < 0)
        enter(g);
      else if (open_[at(g)])
        low_[at(f)] = std::min(low_[at(f)], number_[at(g)]);
    }
  }

 private:
  struct Step {
    std::int32_t function;
    std::size_t next;
  };

  void enter(std::int32_t f) {
    number_[at(f)] = low_[at(f)] = count_++;
    open_[at(f)] = true;
    waiting_.push_back(f);
    path_.push_back({f, 0});
  }

  void leave(std::int32_t f) {
    path_.pop_back();
    if (!path_.empty()) {
      std::int32_t& low = low_[at(path_.back().function)];
      low = std::min(low, low_[at(f)]);
    }
    if (low_[at(f)] != number_[at(f)]) return;
    const auto& own = graph_.callees[at(f)];
    const bool cycle = waiting_.back() != f || std::find(own.begin(), own.end(), f) != own.end();
    for (std::int32_t g = -1; g != f;) {
      g = waiting_.back();
      waiting_.pop_back();
      open_[at(g)] = false;
      graph_.recursive[at(g)] = cycle;
      graph_.order.push_back(g);
    }
  }

  CallGraph& graph_;
  std::vector<std::int32_t> number_, low_;
  std::vector<bool> open_;
  std::vector<std::int32_t> waiting_;
  std::vector<Step> path_;
  std::int32_t count_ = 0;
};

}  // namespace

CallGraph::CallGraph(const core::Program& program)
    : CallGraph([&] {
        std::vector<std::vector<std::int32_t>> calls(program.functions.size());
        for (std::size_t i = 0; i < calls.size(); ++i) called(*program.functions[i].body, calls[i]);
        return calls;
      }()) {}

CallGraph::CallGraph(std::vector<std::vector<std::int32_t>> calls)
    : callees(std::move(calls)), recursive(callees.size(), false) {
  for (auto& all : callees) {
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
  }
  Components components(*this);
  for (std::size_t i = 0; i < callees.size(); ++i) components.from(static_cast<std::int32_t>(i));
}

}  // namespace nvm::frontend
