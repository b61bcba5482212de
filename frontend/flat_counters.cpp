// Loops in step: all instances share one counter, and each leaves where it has come to a number of its own,
// the length of a sequence more often than not. Every step asks all instances whether one leaves. The least
// of the numbers, told once, says for how long none does: until then a step compares two numbers, in a
// function of its own, and then goes on as before.
#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "bytecode/base/budget.h"
#include "bytecode/base/stack.h"
#include "bytecode/table/op_info.h"
#include "bytecode/table/op_kind.h"
#include "frontend/flat.h"

namespace nvm::frontend::flat {
namespace {

constexpr std::size_t kLargest = 60;  // statements of a step whose code stands there once more

bool is_op(const Stmt& stmt, Op op, TypeWord word) {
  return stmt.kind == Stmt::Kind::kOp && stmt.op == op && stmt.word == word;
}

template <typename Do>
void visit(const Block& block, const Do& statement) {
  check_stack();
  for (const Stmt& stmt : block.stmts) {
    statement(stmt);
    if (stmt.kind != Stmt::Kind::kIf) continue;
    visit(*stmt.then_block, statement);
    visit(*stmt.else_block, statement);
  }
}

std::size_t size_of(const Block& block) {
  std::size_t n = 0;
  visit(block, [&](const Stmt&) { ++n; });
  return n;
}

Atom fresh(Function& f, nvm::Type kind) {
  f.kinds.push_back(kind);
  return static_cast<Atom>(f.kinds.size()) - 1;
}

// Code of one function as code of another.
class Copy {
 public:
  Copy(const Function& from, Function& to) : from_(from), to_(to) {
    for (const Atom atom : from.params) to.params.push_back(named(atom));
  }

  Block of(const Block& block) {
    check_stack();
    Block out;
    for (const Stmt& stmt : block.stmts) out.stmts.push_back(of(stmt));
    out.yields = of(block.yields);
    out.exits = block.exits;
    return out;
  }
  Stmt of(const Stmt& stmt) {
    check_stack();
    Stmt out{stmt.kind, stmt.op, stmt.word, stmt.keep, stmt.barrier, stmt.target, stmt.line};
    out.args = of(stmt.args);
    if (stmt.kind == Stmt::Kind::kIf) {
      out.then_block = std::make_unique<Block>(of(*stmt.then_block));
      out.else_block = std::make_unique<Block>(of(*stmt.else_block));
    }
    for (const Atom atom : stmt.results) out.results.push_back(named(atom));
    return out;
  }
  [[nodiscard]] Atoms of(Atoms atoms) const {
    check_stack();
    for (Atom& atom : atoms) atom = names_.at(atom);
    return atoms;
  }

 private:
  Atom named(Atom atom) { return names_[atom] = fresh(to_, from_.kinds[static_cast<std::size_t>(atom)]); }

  const Function& from_;
  Function& to_;
  std::map<Atom, Atom> names_;
};

// A step that begins with asking all instances, and does nothing behind that.
struct Step {
  Atom counter, numbers, instances;  // the last two: parameters
  bool round_if;                     // the answer with which everybody goes round
};

class Counters {
 public:
  Counters(const Program& program, std::size_t number) : f_(program.functions[number]), number_(number) {
    visit(f_.body, [&](const Stmt& stmt) {
      for (const Atom atom : stmt.results) made_[atom] = &stmt;
    });
  }

  // The last statement decides; those before it only compute.
  [[nodiscard]] std::optional<Step> find() const {
    const auto& stmts = f_.body.stmts;
    if (stmts.empty() || stmts.back().kind != Stmt::Kind::kIf || f_.body.yields != stmts.back().results)
      return std::nullopt;
    for (std::size_t i = 0; i + 1 < stmts.size(); ++i)
      if (stmts[i].keep || (stmts[i].kind != Stmt::Kind::kOp && stmts[i].kind != Stmt::Kind::kConst))
        return std::nullopt;
    const Stmt* question = maker(stmts.back().args[0]);
    if (!question || (!is_op(*question, Op::kOrReduce, TypeWord::kBool) &&
                      !is_op(*question, Op::kAndReduce, TypeWord::kBool)))
      return std::nullopt;
    const Stmt* flags = maker(question->args[0]);
    auto step = flags ? of(*flags, question->args[1], question->op) : std::nullopt;
    return step && fits(*step) ? step : std::nullopt;
  }

  [[nodiscard]] const Block& round(const Step& step) const {
    const Stmt& decision = f_.body.stmts.back();
    return step.round_if ? *decision.then_block : *decision.else_block;
  }

  // Which parameter that is.
  [[nodiscard]] std::optional<std::size_t> parameter(Atom atom) const {
    const auto it = std::find(f_.params.begin(), f_.params.end(), atom);
    if (it == f_.params.end()) return std::nullopt;
    return static_cast<std::size_t>(it - f_.params.begin());
  }

 private:
  [[nodiscard]] const Stmt* maker(Atom atom) const {
    const auto it = made_.find(atom);
    return it == made_.end() ? nullptr : it->second;
  }

  [[nodiscard]] std::optional<Step> of(const Stmt& flags, Atom instances, Op question) const {
    check_stack();
    if (flags.kind != Stmt::Kind::kOp || flags.word != TypeWord::kInt ||
        map_algebra(flags.op) != Algebra::kRelation)
      return std::nullopt;
    const Scalar relation = op_info(flags.op).scalar;
    for (const bool first : {true, false}) {
      const Stmt* copies = maker(flags.args[first ? 0 : 1]);
      // None of the numbers is below the counter, which is below them all.
      const bool answer = holds_below(first ? relation : mirrored(relation));
      if (!copies || !is_op(*copies, Op::kDist, TypeWord::kInt) || copies->args[1] != instances) continue;
      if (answer == (question == Op::kAndReduce))
        return Step{copies->args[0], flags.args[first ? 1 : 0], instances, answer};
    }
    return std::nullopt;
  }

  // Everybody goes round with the same numbers.
  [[nodiscard]] bool fits(const Step& step) const {
    const auto numbers = parameter(step.numbers);
    if (!numbers || !parameter(step.instances) || size_of(round(step)) > kLargest) return false;
    bool keeps = true, goes_round = false;
    visit(round(step), [&](const Stmt& stmt) {
      if (stmt.kind != Stmt::Kind::kCall || static_cast<std::size_t>(stmt.target) != number_) return;
      goes_round = true;
      keeps = keeps && stmt.args[*numbers] == step.numbers;
    });
    return keeps && goes_round;
  }

  const Function& f_;
  std::size_t number_;
  std::map<Atom, const Stmt*> made_;
};

// What calls the one function calls the other, with the least of the numbers in front.
void redirect(Block& block, std::int32_t from, std::int32_t to,
              const std::function<Atom(Block&, std::size_t&)>& least) {
  check_stack();
  for (std::size_t i = 0; i < block.stmts.size(); ++i) {
    check_budget();
    if (block.stmts[i].kind == Stmt::Kind::kIf) {
      redirect(*block.stmts[i].then_block, from, to, least);
      redirect(*block.stmts[i].else_block, from, to, least);
    }
    if (block.stmts[i].kind != Stmt::Kind::kCall || block.stmts[i].target != from) continue;
    const Atom told = least(block, i);
    block.stmts[i].args.insert(block.stmts[i].args.begin(), told);
    block.stmts[i].target = to;
  }
}

// Goes round below the least number, which is the first parameter, and calls `f` from there on.
Function steps_below(const Function& f, std::int32_t number, std::int32_t self, const Step& step,
                     const Block& round) {
  Function out;
  out.name = f.name + "_BELOW";
  out.origin = f.origin;
  const Atom least = fresh(out, nvm::Type::kInt);
  out.params = {least};
  Copy copy(f, out);
  for (std::size_t i = 0; i + 1 < f.body.stmts.size(); ++i)
    out.body.stmts.push_back(copy.of(f.body.stmts[i]));
  const Stmt& asked = f.body.stmts.back();
  Stmt below, decision, rest;
  below.op = Op::kLt;
  below.word = TypeWord::kInt;
  below.args = {copy.of(Atoms{step.counter})[0], least};
  below.results = {fresh(out, nvm::Type::kBool)};
  rest.kind = Stmt::Kind::kCall;
  rest.target = number;
  rest.keep = true;  // as every recursive call is
  rest.args = Atoms(out.params.begin() + 1, out.params.end());
  decision.kind = Stmt::Kind::kIf;
  decision.args = below.results;
  decision.then_block = std::make_unique<Block>(copy.of(round));
  redirect(*decision.then_block, number, self, [&](Block&, std::size_t&) { return least; });
  decision.else_block = std::make_unique<Block>();
  for (const Atom atom : asked.results) {
    const nvm::Type kind = f.kinds[static_cast<std::size_t>(atom)];
    rest.results.push_back(fresh(out, kind));
    decision.results.push_back(fresh(out, kind));
  }
  decision.else_block->yields = rest.results;
  below.line = rest.line = decision.line = asked.line;
  decision.else_block->stmts.push_back(std::move(rest));
  out.body.yields = decision.results;
  out.body.stmts.push_back(std::move(below));
  out.body.stmts.push_back(std::move(decision));
  return out;
}

}  // namespace

void tell_least_numbers(Program& program) {
  const std::size_t functions = program.functions.size();
  for (std::size_t i = 1; i < functions; ++i) {
    if (program.functions[i].lifted) continue;  // instances that share nothing do not go in step
    const Counters counters(program, i);
    const auto step = counters.find();
    if (!step) continue;
    const std::size_t numbers = *counters.parameter(step->numbers);
    const std::size_t instances = *counters.parameter(step->instances);
    const auto number = static_cast<std::int32_t>(i),
               other = static_cast<std::int32_t>(program.functions.size());
    Function below = steps_below(program.functions[i], number, other, *step, counters.round(*step));
    for (std::size_t k = 0; k < program.functions.size(); ++k) {
      Function& in = program.functions[k];
      if (k == i) continue;
      redirect(in.body, number, other, [&](Block& block, std::size_t& at) {
        Stmt reduce;
        reduce.op = Op::kMinReduce;
        reduce.word = TypeWord::kInt;
        reduce.line = block.stmts[at].line;
        reduce.args = {block.stmts[at].args[numbers], block.stmts[at].args[instances]};
        reduce.results = {fresh(in, nvm::Type::kInt)};
        const Atom told = reduce.results[0];
        block.stmts.insert(block.stmts.begin() + static_cast<std::ptrdiff_t>(at++), std::move(reduce));
        return told;
      });
    }
    program.functions.push_back(std::move(below));
  }
}

}  // namespace nvm::frontend::flat
