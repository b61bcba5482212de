// What the legacy interpreter can read: short names, and few conditionals in conditionals.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "bytecode/base/budget.h"
#include "bytecode/base/stack.h"
#include "frontend/flat.h"

namespace nvm::frontend::flat {
namespace {

constexpr std::size_t kLongestWord = 49;
constexpr int kMostOpen = 50;

class Outliner {
 public:
  explicit Outliner(Program& program) : program_(program) {}

  void run() {
    const std::size_t functions = program_.functions.size();
    for (std::size_t i = 0; i < functions; ++i) {
      Function& f = program_.functions[i];
      const std::size_t before = made_.size();
      block(f, f.body);
      if (made_.size() != before) f.tail_parallel = false;  // its recursive calls may stand elsewhere
    }
    std::move(made_.begin(), made_.end(), std::back_inserter(program_.functions));
  }

 private:
  // How deep conditionals are nested in it then. Those inside first, so that nothing is looked through twice.
  int block(const Function& f, Block& block) {
    check_stack();
    int deepest = 0;
    for (Stmt& stmt : block.stmts) {
      check_budget();
      if (stmt.kind != Stmt::Kind::kIf) continue;
      int depth = 1 + std::max(this->block(f, *stmt.then_block), this->block(f, *stmt.else_block));
      if (depth == kMostOpen) {
        outline(f, stmt);
        depth = 0;
      }
      deepest = std::max(deepest, depth);
    }
    return deepest;
  }

  // Makes the conditional a call of a function that consists of it.
  void outline(const Function& f, Stmt& stmt) {
    std::set<Atom> used, defined;
    mentioned(stmt, used, defined);
    Function part;
    const std::size_t number = program_.functions.size() + made_.size();
    part.name = word_for(f.origin, number + 1);
    part.origin = f.origin;
    part.kinds = f.kinds;
    std::set_difference(used.begin(), used.end(), defined.begin(), defined.end(),
                        std::back_inserter(part.params));
    Stmt call;
    call.kind = Stmt::Kind::kCall;
    call.keep = stmt.keep;
    call.barrier = stmt.barrier;
    call.target = static_cast<std::int32_t>(number);
    call.line = stmt.line;
    call.args = part.params;
    call.results = stmt.results;
    part.body.yields = stmt.results;
    part.body.stmts.push_back(std::exchange(stmt, std::move(call)));
    made_.push_back(std::move(part));
  }

  static void mentioned(const Stmt& stmt, std::set<Atom>& used, std::set<Atom>& defined) {
    check_stack();
    check_budget();
    used.insert(stmt.args.begin(), stmt.args.end());
    defined.insert(stmt.results.begin(), stmt.results.end());
    if (stmt.kind != Stmt::Kind::kIf) return;
    for (const Block* inner : {stmt.then_block.get(), stmt.else_block.get()}) {
      for (const Stmt& s : inner->stmts) mentioned(s, used, defined);
      used.insert(inner->yields.begin(), inner->yields.end());
    }
  }

  Program& program_;
  std::vector<Function> made_;  // to be appended
};

}  // namespace

std::string word_for(const std::string& name, std::size_t number) {
  const std::string end = "_" + std::to_string(number);
  std::string word;
  for (const char c : name.substr(0, kLongestWord - end.size())) {
    const bool plain = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    const bool lower = c >= 'a' && c <= 'z';
    word += plain ? c : lower ? static_cast<char>(c - 'a' + 'A') : '_';
  }
  return word + end;
}

void outline_deep_conditionals(Program& program) { Outliner(program).run(); }

}  // namespace nvm::frontend::flat
