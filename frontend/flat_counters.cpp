// Loops in step: all instances share one counter, and each leaves where it has come to a number of its own,
// the length of a sequence more often than not. Every step asks all instances whether one leaves. The least
// of the numbers, told once, says for how long none does: until then a step compares two numbers.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "frontend/flat.h"

namespace nvm::frontend::flat {
namespace {

constexpr std::size_t kLargest = 60;  // statements of a step whose code stands there once more

bool is_op(const Stmt& stmt, Op op, TypeWord word) {
  return stmt.kind == Stmt::Kind::kOp && stmt.op == op && stmt.word == word;
}

template <typename Do>
void visit(const Block& block, const Do& statement) {
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

std::size_t uses_in(const Block& block, Atom atom) {
  const auto count = [&](const Atoms& in) { return std::count(in.begin(), in.end(), atom); };
  auto n = count(block.yields);
  visit(block, [&](const Stmt& stmt) {
    n += count(stmt.args);
    if (stmt.kind == Stmt::Kind::kIf) n += count(stmt.then_block->yields) + count(stmt.else_block->yields);
  });
  return static_cast<std::size_t>(n);
}

Atom fresh(Function& f, nvm::Type kind) {
  f.kinds.push_back(kind);
  return static_cast<Atom>(f.kinds.size()) - 1;
}

// The block with names of its own for what it makes.
class Copy {
 public:
  explicit Copy(Function& in) : in_(in) {}
  Block of(const Block& block) {
    Block out;
    for (const Stmt& stmt : block.stmts) out.stmts.push_back(of(stmt));
    out.yields = renamed(block.yields);
    out.exits = block.exits;
    return out;
  }

 private:
  Stmt of(const Stmt& stmt) {
    Stmt out{stmt.kind, stmt.op, stmt.word, stmt.keep, stmt.barrier, stmt.target, stmt.line};
    out.args = renamed(stmt.args);
    if (stmt.kind == Stmt::Kind::kIf) {
      out.then_block = std::make_unique<Block>(of(*stmt.then_block));
      out.else_block = std::make_unique<Block>(of(*stmt.else_block));
    }
    for (const Atom atom : stmt.results) {
      names_[atom] = fresh(in_, in_.kinds[static_cast<std::size_t>(atom)]);
      out.results.push_back(names_[atom]);
    }
    return out;
  }
  [[nodiscard]] Atoms renamed(Atoms atoms) const {
    for (Atom& atom : atoms)
      if (const auto it = names_.find(atom); it != names_.end()) atom = it->second;
    return atoms;
  }

  Function& in_;
  std::map<Atom, Atom> names_;
};

// Where a step asks: `flags` compare the counter with the numbers, `question` asks all of them, `decision`
// goes round in one of its branches.
struct Step {
  std::size_t copies, flags, question, decision;  // statements of the body, in this order
  Atom counter, numbers, instances;
  bool round_if;  // the answer with which everybody goes round
};

// Of i OP n: none of the numbers is below the counter, which is below them all.
std::optional<bool> answer_below(Op op) {
  switch (op) {
    case Op::kEq:
    case Op::kGe:
    case Op::kGt: return false;
    case Op::kNe:
    case Op::kLt:
    case Op::kLe: return true;
    default: return std::nullopt;
  }
}

Op mirrored(Op op) {
  switch (op) {
    case Op::kLt: return Op::kGt;
    case Op::kGt: return Op::kLt;
    case Op::kLe: return Op::kGe;
    case Op::kGe: return Op::kLe;
    default: return op;
  }
}

class Counters {
 public:
  Counters(Program& program, std::size_t number) : f_(program.functions[number]), number_(number) {
    visit(f_.body, [&](const Stmt& stmt) {
      for (const Atom atom : stmt.results) made_[atom] = &stmt;
    });
  }

  [[nodiscard]] std::optional<Step> find() const {
    const auto& stmts = f_.body.stmts;
    for (std::size_t i = 0; i < stmts.size(); ++i) {
      if (stmts[i].kind != Stmt::Kind::kIf) continue;
      const auto question = place(stmts[i].args[0]);
      if (!question) continue;
      const Stmt& asks = stmts[*question];
      if (!is_op(asks, Op::kOrReduce, TypeWord::kBool) && !is_op(asks, Op::kAndReduce, TypeWord::kBool))
        continue;
      const auto flags = place(asks.args[0]);
      if (!flags) continue;
      auto step = of(stmts[*flags], asks.args[1], asks.op);
      if (!step) continue;
      step->flags = *flags;
      step->question = *question;
      step->decision = i;
      if (fits(*step)) return step;
    }
    return std::nullopt;
  }

  // Which parameter that is.
  [[nodiscard]] std::optional<std::size_t> parameter(Atom atom) const {
    const auto it = std::find(f_.params.begin(), f_.params.end(), atom);
    if (it == f_.params.end()) return std::nullopt;
    return static_cast<std::size_t>(it - f_.params.begin());
  }

 private:
  [[nodiscard]] std::optional<std::size_t> place(Atom atom) const {
    const auto& stmts = f_.body.stmts;
    for (std::size_t i = 0; i < stmts.size(); ++i)
      if (stmts[i].results == Atoms{atom}) return i;
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Step> of(const Stmt& flags, Atom instances, Op question) const {
    if (flags.kind != Stmt::Kind::kOp || flags.word != TypeWord::kInt || flags.args.size() != 2)
      return std::nullopt;
    for (const bool first : {true, false}) {
      const Atom numbers = flags.args[first ? 1 : 0];
      const auto copies = place(flags.args[first ? 0 : 1]);
      const auto answer = answer_below(first ? flags.op : mirrored(flags.op));
      if (!copies || !answer || *answer != (question == Op::kAndReduce)) continue;
      const Stmt& copy = f_.body.stmts[*copies];
      if (!is_op(copy, Op::kDist, TypeWord::kInt) || copy.args[1] != instances) continue;
      return Step{*copies, 0, 0, 0, copy.args[0], numbers, instances, *answer};
    }
    return std::nullopt;
  }

  [[nodiscard]] const Block& round(const Step& step) const {
    const Stmt& decision = f_.body.stmts[step.decision];
    return step.round_if ? *decision.then_block : *decision.else_block;
  }

  // The numbers, or those of some instances.
  [[nodiscard]] bool some_of(Atom atom, Atom numbers) const {
    if (atom == numbers) return true;
    const auto it = made_.find(atom);
    if (it == made_.end()) return false;
    const Stmt& stmt = *it->second;
    if (is_op(stmt, Op::kPack, TypeWord::kInt))
      return stmt.results[0] == atom && some_of(stmt.args[0], numbers);
    if (stmt.kind != Stmt::Kind::kIf || stmt.then_block->exits || stmt.else_block->exits) return false;
    const auto which = static_cast<std::size_t>(std::find(stmt.results.begin(), stmt.results.end(), atom) -
                                                stmt.results.begin());
    return some_of(stmt.then_block->yields[which], numbers) &&
           some_of(stmt.else_block->yields[which], numbers);
  }

  [[nodiscard]] bool fits(const Step& step) const {
    const auto numbers = parameter(step.numbers);
    if (!numbers || !parameter(step.instances)) return false;
    bool keeps = true, goes_round = false;
    const auto is_self = [&](const Stmt& stmt) {
      return stmt.kind == Stmt::Kind::kCall && static_cast<std::size_t>(stmt.target) == number_;
    };
    visit(f_.body, [&](const Stmt& stmt) {
      if (is_self(stmt)) keeps = keeps && some_of(stmt.args[*numbers], step.numbers);
    });
    visit(round(step), [&](const Stmt& stmt) { goes_round = goes_round || is_self(stmt); });
    if (!keeps || !goes_round || size_of(round(step)) > kLargest) return false;
    const Stmt& decision = f_.body.stmts[step.decision];
    const Atom flags = f_.body.stmts[step.flags].results[0];
    const std::size_t inside = uses_in(*decision.then_block, flags) + uses_in(*decision.else_block, flags);
    return uses_in(f_.body, flags) == inside + 1 && uses_in(f_.body, decision.args[0]) == 1;
  }

  Function& f_;
  std::size_t number_;
  std::map<Atom, const Stmt*> made_;
};

// Everybody who calls the function hands over the least number, which it hands on to itself.
void hand_over(Program& program, std::size_t number, std::size_t numbers, std::size_t instances, Atom least) {
  for (std::size_t caller = 0; caller < program.functions.size(); ++caller) {
    Function& in = program.functions[caller];
    const std::function<void(Block&)> each = [&](Block& block) {
      for (std::size_t i = 0; i < block.stmts.size(); ++i) {
        if (block.stmts[i].kind == Stmt::Kind::kIf) {
          each(*block.stmts[i].then_block);
          each(*block.stmts[i].else_block);
        }
        Stmt& call = block.stmts[i];
        if (call.kind != Stmt::Kind::kCall || static_cast<std::size_t>(call.target) != number) continue;
        Stmt reduce;
        reduce.op = Op::kMinReduce;
        reduce.word = TypeWord::kInt;
        reduce.line = call.line;
        reduce.args = {call.args[numbers], call.args[instances]};
        const Atom told = caller == number ? least : fresh(in, nvm::Type::kInt);
        reduce.results = {told};
        call.args.insert(call.args.begin(), told);
        if (caller != number)
          block.stmts.insert(block.stmts.begin() + static_cast<std::ptrdiff_t>(i++), std::move(reduce));
      }
    };
    each(in.body);
  }
}

// Below the least number everybody goes round; else all are asked.
void decide_first(Function& f, const Step& step, Atom least) {
  auto& stmts = f.body.stmts;
  Stmt below;
  below.op = Op::kLt;
  below.word = TypeWord::kInt;
  below.line = stmts[step.flags].line;
  below.args = {step.counter, least};
  below.results = {fresh(f, nvm::Type::kBool)};
  Stmt decision;
  decision.kind = Stmt::Kind::kIf;
  decision.line = stmts[step.decision].line;
  decision.args = below.results;
  Stmt& asked = stmts[step.decision];
  const Block& round = step.round_if ? *asked.then_block : *asked.else_block;
  decision.then_block = std::make_unique<Block>(Copy(f).of(round));
  decision.else_block = std::make_unique<Block>();
  decision.results = asked.results;
  for (Atom& atom : asked.results) atom = fresh(f, f.kinds[static_cast<std::size_t>(atom)]);
  decision.else_block->yields = asked.results;
  const bool copied_elsewhere = uses_in(f.body, stmts[step.copies].results[0]) > 1;
  for (const std::size_t i : {step.copies, step.flags, step.question, step.decision})
    if (i != step.copies || !copied_elsewhere) decision.else_block->stmts.push_back(std::move(stmts[i]));
  stmts[step.decision] = std::move(decision);
  stmts[step.question] = std::move(below);
  stmts.erase(stmts.begin() + static_cast<std::ptrdiff_t>(step.flags));
  if (!copied_elsewhere) stmts.erase(stmts.begin() + static_cast<std::ptrdiff_t>(step.copies));
}

}  // namespace

void tell_least_numbers(Program& program) {
  for (std::size_t i = 1; i < program.functions.size(); ++i) {
    Function& f = program.functions[i];
    if (f.lifted) continue;  // instances that share nothing do not go in step
    const Counters counters(program, i);
    const auto step = counters.find();
    if (!step) continue;
    const Atom least = fresh(f, nvm::Type::kInt);
    hand_over(program, i, *counters.parameter(step->numbers), *counters.parameter(step->instances), least);
    f.params.insert(f.params.begin(), least);
    decide_first(f, *step, least);
  }
}

}  // namespace nvm::frontend::flat
