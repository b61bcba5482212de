#include "frontend/schedule.h"

#include <algorithm>
#include <utility>

#include "bytecode/base/budget.h"
#include "bytecode/base/stack.h"

namespace nvm::frontend::flat {
namespace {

constexpr std::size_t kSmallConstant = 8;  // elements
constexpr int kLongestChain = 1000;        // statements that wait, each an argument of the next

std::size_t at(Atom atom) { return static_cast<std::size_t>(atom); }

}  // namespace

Schedule::Schedule(const Program& program, const Function& function)
    : program_(program),
      at_use_(function.kinds.size()),
      at_uses_(function.kinds.size(), -1),
      uses_(function.kinds.size()),
      waiting_(function.kinds.size()) {
  count_uses(function.body);
  order(function.body);
}

void Schedule::used(Atom atom, const Block& block) {
  ++uses_[at(atom)].count;
  uses_[at(atom)].block = &block;
}

void Schedule::count_uses(const Block& block) {
  check_stack();
  for (const Stmt& stmt : block.stmts) {
    check_budget();
    for (const Atom atom : stmt.args) used(atom, block);
    if (stmt.kind != Stmt::Kind::kIf) continue;
    count_uses(*stmt.then_block);
    count_uses(*stmt.else_block);
  }
  for (const Atom atom : block.yields) used(atom, block);
}

bool Schedule::is_small_constant(const Stmt& stmt) const {
  if (stmt.kind != Stmt::Kind::kConst || stmt.results.size() != 1) return false;
  const Constant& constant = program_.constants[static_cast<std::size_t>(stmt.target)];
  return constant.size() <= kSmallConstant && constant.input < 0;
}

bool Schedule::may_wait(const Stmt& stmt, const Block& block) const {
  if (stmt.kind == Stmt::Kind::kIf || stmt.kind == Stmt::Kind::kCall || stmt.keep || stmt.results.size() != 1)
    return false;
  // Compiled in one pass with what makes its places, if nothing that the host does comes between.
  if (stmt.kind == Stmt::Kind::kOp && stmt.op == Op::kPermute) return false;
  const Use& use = uses_[at(stmt.results.front())];
  return use.count == 1 && use.block == &block;
}

// False where making the result would recurse too deeply.
bool Schedule::wait(const Stmt& stmt) {
  int length = 1;
  for (const Atom atom : stmt.args) length = std::max(length, 1 + waiting_[at(atom)]);
  if (length > kLongestChain) return false;
  waiting_[at(stmt.results.front())] = length;
  at_use_[at(stmt.results.front())] = &stmt;
  return true;
}

// What waits among the arguments does so no longer.
void Schedule::make(const Atoms& args) {
  check_stack();
  for (const Atom atom : args) {
    if (waiting_[at(atom)] == 0) continue;
    waiting_[at(atom)] = 0;
    make(at_use_[at(atom)]->args);
  }
}

void Schedule::order(const Block& block) {
  check_stack();
  std::vector<const Stmt*> out;
  Atoms waited;
  for (const Stmt& stmt : block.stmts) {
    if (is_small_constant(stmt)) {
      at_uses_[at(stmt.results.front())] = stmt.target;
      continue;
    }
    if (may_wait(stmt, block) && wait(stmt)) {
      waited.push_back(stmt.results.front());
      continue;
    }
    if (stmt.barrier) {
      std::sort(waited.begin(), waited.end());
      for (const Atom atom : waited) {
        if (waiting_[at(atom)] == 0) continue;
        const Stmt* now = std::exchange(at_use_[at(atom)], nullptr);
        waiting_[at(atom)] = 0;
        make(now->args);
        out.push_back(now);
      }
      waited.clear();
    }
    make(stmt.args);
    out.push_back(&stmt);
    if (stmt.kind != Stmt::Kind::kIf) continue;
    order(*stmt.then_block);
    order(*stmt.else_block);
  }
  blocks_.emplace(&block, std::move(out));
}

}  // namespace nvm::frontend::flat
