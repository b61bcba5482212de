// Lengths handed to recursive calls: a loop over sequences that asks for their lengths in every step gets
// them as a parameter where its call to itself knows them, because it made them or was told them.
#include <algorithm>
#include <map>
#include <set>

#include "bytecode/base/budget.h"
#include "bytecode/base/stack.h"
#include "frontend/flat.h"

namespace nvm::frontend::flat {
namespace {

bool is_op(const Stmt& stmt, Op op) { return stmt.kind == Stmt::Kind::kOp && stmt.op == op; }

void replace_uses(Block& block, Atom from, Atom to) {
  check_stack();
  for (Stmt& stmt : block.stmts) {
    check_budget();
    std::replace(stmt.args.begin(), stmt.args.end(), from, to);
    if (stmt.kind != Stmt::Kind::kIf) continue;
    replace_uses(*stmt.then_block, from, to);
    replace_uses(*stmt.else_block, from, to);
  }
  std::replace(block.yields.begin(), block.yields.end(), from, to);
}

void find_calls(const Block& block, std::set<std::int32_t>& out) {
  check_stack();
  for (const Stmt& stmt : block.stmts) {
    if (stmt.kind == Stmt::Kind::kCall) out.insert(stmt.target);
    if (stmt.kind != Stmt::Kind::kIf) continue;
    find_calls(*stmt.then_block, out);
    find_calls(*stmt.else_block, out);
  }
}

// The calls of one function in another, one after the other, with the lengths that are known where they
// stand.
class Calls {
 public:
  Calls(Function& in, std::int32_t target, std::size_t argument)
      : in_(in), target_(target), argument_(argument) {}
  void told(Atom segments, Atom lengths) { known_[segments] = lengths; }

  // Whether all of them know the lengths of the argument, and it is `unchanged` in one.
  bool all_know(Atom unchanged) {
    bool all = true, same = false;
    visit(in_.body, [&](Block& block, std::size_t at) {
      const Atom segments = block.stmts[at].args[argument_];
      all = all && knows(segments);
      same = same || segments == unchanged;
    });
    return all && same;
  }
  // Puts the lengths of the argument in front of the arguments.
  void hand_over() {
    visit(in_.body, [&](Block& block, std::size_t at) {
      const Atom lengths = lengths_of(block, at, block.stmts[at].args[argument_]);
      Stmt& call = *std::find_if(block.stmts.begin() + static_cast<std::ptrdiff_t>(at), block.stmts.end(),
                                 [&](const Stmt& s) { return s.kind == Stmt::Kind::kCall; });
      call.args.insert(call.args.begin(), lengths);
    });
  }

 private:
  struct Choice {  // lengths of the result of a conditional, by branch
    Block* block;
    std::size_t at;
    Atom then_lengths, else_lengths;
  };

  template <typename Do>
  void visit(Block& block, const Do& call) {
    check_stack();
    for (std::size_t at = 0; at < block.stmts.size(); ++at) {
      check_budget();
      if (block.stmts[at].kind == Stmt::Kind::kCall && block.stmts[at].target == target_) {
        const std::size_t before = block.stmts.size();
        call(block, at);
        at += block.stmts.size() - before;
      }
      const Stmt& stmt = block.stmts[at];
      if (is_op(stmt, Op::kLengths)) known_.emplace(stmt.args[0], stmt.results[0]);
      if (is_op(stmt, Op::kMakeSegdes)) known_.emplace(stmt.results[0], stmt.args[0]);
      if (stmt.kind == Stmt::Kind::kIf) conditional(block, at, call);
    }
  }

  template <typename Do>
  void conditional(Block& block, std::size_t at, const Do& call) {
    const auto branch = [&](Block& b) {
      const auto outside = known_;
      visit(b, call);
      std::vector<Atom> lengths;
      for (const Atom atom : b.yields) lengths.push_back(knows(atom) ? direct(atom) : -1);
      known_ = outside;
      return lengths;
    };
    const auto a = branch(*block.stmts[at].then_block), b = branch(*block.stmts[at].else_block);
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
      if (a[i] >= 0 && b[i] >= 0) choices_[block.stmts[at].results[i]] = {&block, at, a[i], b[i]};
  }

  [[nodiscard]] bool knows(Atom segments) const {
    return known_.contains(segments) || choices_.contains(segments);
  }
  // -1 for what a conditional chose inside the branch that is being left.
  [[nodiscard]] Atom direct(Atom segments) const {
    const auto it = known_.find(segments);
    return it == known_.end() ? -1 : it->second;
  }

  Atom fresh() {
    in_.kinds.push_back(nvm::Type::kInt);
    return static_cast<Atom>(in_.kinds.size()) - 1;
  }

  Atom lengths_of(Block& block, std::size_t at, Atom segments) {
    if (const auto it = known_.find(segments); it != known_.end()) return it->second;
    const Atom lengths = fresh();
    if (const auto it = choices_.find(segments); it != choices_.end()) {
      const Choice& choice = it->second;
      Stmt& stmt = choice.block->stmts[choice.at];
      stmt.then_block->yields.push_back(choice.then_lengths);
      stmt.else_block->yields.push_back(choice.else_lengths);
      stmt.results.push_back(lengths);
    } else {
      Stmt stmt;
      stmt.op = Op::kLengths;
      stmt.line = block.stmts[at].line;
      stmt.args = {segments};
      stmt.results = {lengths};
      block.stmts.insert(block.stmts.begin() + static_cast<std::ptrdiff_t>(at), std::move(stmt));
    }
    known_[segments] = lengths;
    return lengths;
  }

  Function& in_;
  std::int32_t target_;
  std::size_t argument_;
  std::map<Atom, Atom> known_;  // segments to lengths, here
  std::map<Atom, Choice> choices_;
};

class LengthParams {
 public:
  explicit LengthParams(Program& program) : program_(program), callers_(program.functions.size()) {
    for (std::size_t i = 0; i < program.functions.size(); ++i) {
      std::set<std::int32_t> callees;
      find_calls(program.functions[i].body, callees);
      for (const std::int32_t f : callees)
        callers_[static_cast<std::size_t>(f)].push_back(static_cast<std::int32_t>(i));
    }
  }

  // What is cut over instances is left as it is: its parts know their lengths as well.
  void run() {
    for (std::size_t i = 1; i < program_.functions.size(); ++i) {
      const auto number = static_cast<std::int32_t>(i);
      const auto& from = callers_[i];
      if (program_.functions[i].lifted || std::find(from.begin(), from.end(), number) == from.end()) continue;
      for (std::size_t p = 0; p < program_.functions[i].params.size(); ++p)
        if (add(number, p)) ++p;
    }
  }

 private:
  bool add(std::int32_t number, std::size_t param) {
    Function& f = program_.functions[static_cast<std::size_t>(number)];
    const Atom segments = f.params[param];
    const auto asks = std::find_if(f.body.stmts.begin(), f.body.stmts.end(), [&](const Stmt& s) {
      return is_op(s, Op::kLengths) && s.args[0] == segments;
    });
    if (asks == f.body.stmts.end() || !Calls(f, number, param).all_know(segments)) return false;
    const Atom asked = asks->results[0];
    f.body.stmts.erase(asks);
    f.kinds.push_back(nvm::Type::kInt);
    const auto lengths = static_cast<Atom>(f.kinds.size()) - 1;
    replace_uses(f.body, asked, lengths);
    for (const std::int32_t caller : callers_[static_cast<std::size_t>(number)]) {
      Calls calls(program_.functions[static_cast<std::size_t>(caller)], number, param);
      if (caller == number) calls.told(segments, lengths);
      calls.hand_over();
    }
    f.params.insert(f.params.begin(), lengths);
    return true;
  }

  Program& program_;
  std::vector<std::vector<std::int32_t>> callers_;
};

}  // namespace

void hand_over_lengths(Program& program) { LengthParams(program).run(); }

}  // namespace nvm::frontend::flat
