// Parameters and results of functions that nobody needs, found over all functions together: what a recursive
// call only hands on to itself is not needed either.
#include <algorithm>
#include <deque>
#include <set>
#include <utility>
#include <vector>

#include "bytecode/base/budget.h"
#include "bytecode/base/stack.h"
#include "frontend/flat.h"

namespace nvm::frontend::flat {
namespace {

using Needs = std::vector<std::vector<bool>>;  // by function, by parameter or result

class Unused {
 public:
  explicit Unused(Program& program) : program_(program), callers_(program.functions.size()) {
    for (const Function& f : program.functions) {
      params_.emplace_back(f.params.size(), false);
      results_.emplace_back(f.body.yields.size(), false);
      if (f.lifted && !f.params.empty()) params_.back().back() = true;  // tells how many instances there are
      if (std::any_of(f.body.stmts.begin(), f.body.stmts.end(),
                      [](const Stmt& s) { return s.kind == Stmt::Kind::kOp && s.op == Op::kStopTimer; }))
        results_.back().assign(f.body.yields.size(), true);  // measured, whoever needs it
      find_calls(f.body, waiting_.size());
      waiting_.push_back(waiting_.size());
    }
    waits_.assign(waiting_.size(), true);
    results_.front().assign(results_.front().size(), true);  // of the program
  }

  void run() {
    for (; !waiting_.empty(); waiting_.pop_front()) {
      waits_[waiting_.front()] = false;
      visit(waiting_.front());
    }
    for (std::size_t i = 0; i < program_.functions.size(); ++i) {
      Function& f = program_.functions[i];
      keep_only(f.params, params_[i]);
      keep_only(f.body.yields, results_[i]);
      cut_calls(f.body);
      remove_dead(f);
    }
  }

 private:
  void find_calls(const Block& block, std::size_t caller) {
    check_stack();
    for (const Stmt& stmt : block.stmts) {
      check_budget();
      if (stmt.kind == Stmt::Kind::kCall) callers_[static_cast<std::size_t>(stmt.target)].insert(caller);
      if (stmt.kind != Stmt::Kind::kIf) continue;
      find_calls(*stmt.then_block, caller);
      find_calls(*stmt.else_block, caller);
    }
  }

  void wait(std::size_t function) {
    if (!waits_[function]) waiting_.push_back(function);
    waits_[function] = true;
  }

  void visit(std::size_t function) {
    const Function& f = program_.functions[function];
    needed_.clear();
    for (std::size_t i = 0; i < f.body.yields.size(); ++i)
      if (results_[function][i]) needed_.insert(f.body.yields[i]);
    block(f.body);
    for (std::size_t i = 0; i < f.params.size(); ++i)
      if (needed_.contains(f.params[i]) && need(params_, function, i))
        for (const std::size_t caller : callers_[function]) wait(caller);
  }

  // Whether that is new.
  static bool need(Needs& of, std::size_t function, std::size_t i) {
    const bool before = of[function][i];
    of[function][i] = true;
    return !before;
  }

  // Whether something in it must be executed.
  bool block(const Block& block) {
    check_stack();
    bool any = false;
    for (auto it = block.stmts.rbegin(); it != block.stmts.rend(); ++it) any = statement(*it) || any;
    return any;
  }

  bool statement(const Stmt& stmt) {
    check_stack();
    bool live = stmt.keep;
    for (std::size_t i = 0; i < stmt.results.size(); ++i) {
      check_budget();
      if (!needed_.contains(stmt.results[i])) continue;
      live = true;
      const auto callee = static_cast<std::size_t>(stmt.target);
      if (stmt.kind == Stmt::Kind::kCall && need(results_, callee, i)) wait(callee);
      if (stmt.kind != Stmt::Kind::kIf) continue;
      for (const Block* b : {stmt.then_block.get(), stmt.else_block.get()})
        if (!b->exits) needed_.insert(b->yields[i]);
    }
    if (stmt.kind == Stmt::Kind::kIf)
      for (const Block* b : {stmt.then_block.get(), stmt.else_block.get()}) live = block(*b) || live;
    if (!live) return false;
    for (std::size_t i = 0; i < stmt.args.size(); ++i)
      if (stmt.kind != Stmt::Kind::kCall || params_[static_cast<std::size_t>(stmt.target)][i])
        needed_.insert(stmt.args[i]);
    return true;
  }

  void cut_calls(Block& block) {
    check_stack();
    for (Stmt& stmt : block.stmts) {
      if (stmt.kind == Stmt::Kind::kCall) {
        keep_only(stmt.args, params_[static_cast<std::size_t>(stmt.target)]);
        keep_only(stmt.results, results_[static_cast<std::size_t>(stmt.target)]);
      }
      if (stmt.kind != Stmt::Kind::kIf) continue;
      cut_calls(*stmt.then_block);
      cut_calls(*stmt.else_block);
    }
  }

  Program& program_;
  Needs params_, results_;
  std::vector<std::set<std::size_t>> callers_;
  std::deque<std::size_t> waiting_;  // for a visit
  std::vector<bool> waits_;
  std::set<Atom> needed_;  // of the function that is visited
};

}  // namespace

void remove_unused(Program& program) { Unused(program).run(); }

}  // namespace nvm::frontend::flat
