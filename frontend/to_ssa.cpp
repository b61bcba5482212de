// Flat code to SSA, without a stack: what lowering (bytecode/ssa) would make of the stack code, in the same
// order and with the same numbers of functions and values. Code behind EXIT, or behind a call that never
// returns, is dropped.
#include <algorithm>
#include <utility>

#include "bytecode/base/at.h"
#include "bytecode/base/budget.h"
#include "bytecode/base/cancel.h"
#include "bytecode/base/check.h"
#include "bytecode/base/stack.h"
#include "bytecode/ssa/constants.h"
#include "frontend/emit.h"
#include "frontend/schedule.h"

namespace nvm::frontend::flat {
namespace {

// The functions that the first one can reach, in the order in which they are first called, and which of them
// ever return.
class Calls {
 public:
  explicit Calls(const Program& program)
      : program_(program), ids_(program.functions.size(), -1), facts_(program.functions.size()) {
    call(0);
    while (!again_.empty()) {
      const std::int32_t f = again_.back();
      again_.pop_back();
      facts_[at(f)].again = false;
      walk(f);
    }
  }

  [[nodiscard]] const std::vector<std::int32_t>& order() const { return order_; }
  [[nodiscard]] ssa::FunctionId id(std::int32_t function) const { return ids_[at(function)]; }
  [[nodiscard]] bool returns(std::int32_t function) const { return facts_[at(function)].returns; }

 private:
  struct Facts {
    bool returns = false;
    bool again = false;                   // is in again_
    std::vector<std::int32_t> waiting{};  // callers that will know more when it returns
  };

  void call(std::int32_t f) {
    ids_[at(f)] = static_cast<ssa::FunctionId>(order_.size());
    order_.push_back(f);
    walk(f);
  }

  void walk(std::int32_t f) {
    check_stack();
    if (!ends(program_.functions[at(f)].body, f) || facts_[at(f)].returns) return;
    facts_[at(f)].returns = true;
    for (const std::int32_t caller : std::exchange(facts_[at(f)].waiting, {}))
      if (!std::exchange(facts_[at(caller)].again, true)) again_.push_back(caller);
  }

  // Whether the end of the block is reached, as far as is known.
  bool ends(const Block& block, std::int32_t in) {
    check_stack();
    for (const Stmt& stmt : block.stmts) {
      check_budget();
      if (stmt.kind == Stmt::Kind::kOp && stmt.op == Op::kExit) return false;
      if (stmt.kind == Stmt::Kind::kCall && !called(stmt.target, in)) return false;
      if (stmt.kind != Stmt::Kind::kIf) continue;
      const bool then = ends(*stmt.then_block, in);
      if (!ends(*stmt.else_block, in) && !then) return false;
    }
    return true;
  }

  bool called(std::int32_t f, std::int32_t by) {
    if (ids_[at(f)] < 0) call(f);
    Facts& facts = facts_[at(f)];
    if (!facts.returns && (facts.waiting.empty() || facts.waiting.back() != by)) facts.waiting.push_back(by);
    return facts.returns;
  }

  const Program& program_;
  std::vector<ssa::FunctionId> ids_;  // by function; -1: not reached
  std::vector<Facts> facts_;
  std::vector<std::int32_t> order_, again_;
};

class Lowering {
 public:
  Lowering(const Program& program, const Function& function, const Calls& calls, ssa::ConstantPool& constants,
           const EmitOptions& options)
      : program_(program),
        function_(function),
        calls_(calls),
        constants_(constants),
        options_(options),
        schedule_(program, function),
        values_(function.kinds.size(), ssa::kNoValue) {}

  ssa::Function run(bool returns) {
    out_.name = function_.name;
    out_.origin = function_.origin;
    out_.lifted.claimed = function_.lifted;
    out_.lifted.tail_parallel = function_.tail_parallel;
    current_ = new_block();
    for (const Atom param : function_.params) block().parameters.push_back(defined(param));
    std::vector<ssa::ValueId> results = lower(function_.body);
    if (reachable_) end_block(ssa::Exit::kReturn, std::move(results));
    if (returns)
      for (const Atom atom : function_.body.yields) out_.results.push_back(kind(atom));
    return std::move(out_);
  }

 private:
  [[nodiscard]] Type kind(Atom atom) const { return function_.kinds[at(atom)]; }
  ssa::Block& block() { return out_.blocks[at(current_)]; }
  ssa::BlockId new_block() {
    out_.blocks.emplace_back();
    return static_cast<ssa::BlockId>(out_.blocks.size()) - 1;
  }
  ssa::ValueId new_value(Type type) {
    out_.value_types.push_back(type);
    return out_.values() - 1;
  }
  ssa::ValueId defined(Atom atom) { return values_[at(atom)] = new_value(kind(atom)); }

  // What the block yields, if its end is reached.
  std::vector<ssa::ValueId> lower(const Block& block) {
    check_stack();
    for (const Stmt* stmt : schedule_.of(block)) {
      if (!reachable_) break;
      if (stmt->kind == Stmt::Kind::kIf)
        conditional(*stmt);
      else
        plain(*stmt);
    }
    if (!reachable_) return {};
    return values(block.yields);
  }

  std::vector<ssa::ValueId> values(const Atoms& atoms) {
    std::vector<ssa::ValueId> out;
    out.reserve(atoms.size());
    for (const Atom atom : atoms) out.push_back(value(atom));
    return out;
  }

  ssa::ValueId value(Atom atom) {
    if (const std::int32_t constant = schedule_.at_uses(atom); constant >= 0)
      return const_inst(constant, new_value(kind(atom)));
    if (const Stmt* stmt = schedule_.at_use(atom)) {
      check_stack();
      const Origin user = line_;
      plain(*stmt);
      line_ = user;
    }
    return values_[at(atom)];
  }

  ssa::ValueId const_inst(std::int32_t constant, ssa::ValueId result) {
    const nvm::Constant& c = program_.constants[at(constant)];
    ssa::Inst& in = append(Op::kConst, c.word == TypeWord::kChar ? TypeWord::kInt : c.word, {});
    in.index = constants_.add({c.word, c.ints, c.floats, c.input, c.is_single});
    in.results = 1;
    return in.first_result = result;
  }

  ssa::Inst& append(Op op, TypeWord word, const std::vector<ssa::ValueId>& operands) {
    check_budget();
    ssa::Inst in;
    in.op = op;
    in.word = word;
    in.first_operand = static_cast<std::uint32_t>(out_.operands.size());
    in.operands = static_cast<std::uint32_t>(operands.size());
    in.origin_line = line_;
    out_.operands.insert(out_.operands.end(), operands.begin(), operands.end());
    block().insts.push_back(in);
    return block().insts.back();
  }

  void plain(const Stmt& stmt) {
    line_ = options_.line(stmt.line);
    const std::vector<ssa::ValueId> operands = values(stmt.args);
    if (stmt.kind == Stmt::Kind::kConst) {
      const_inst(stmt.target, defined(stmt.results.front()));
      return;
    }
    if (stmt.kind == Stmt::Kind::kOp && stmt.op == Op::kExit) return end_block(ssa::Exit::kStop, {});
    const bool call = stmt.kind == Stmt::Kind::kCall;
    ssa::Inst& in = append(call ? Op::kCall : stmt.op, call ? TypeWord::kNone : stmt.word, operands);
    if (call) in.index = calls_.id(stmt.target);
    if (call && !calls_.returns(stmt.target)) return end_block(ssa::Exit::kStop, {});
    in.results = static_cast<std::uint32_t>(stmt.results.size());
    if (in.results > 0) in.first_result = out_.values();
    for (const Atom result : stmt.results) defined(result);
  }

  void end_block(ssa::Exit kind, std::vector<ssa::ValueId> arguments) {
    block().end.kind = kind;
    block().end.arguments = std::move(arguments);
    reachable_ = false;
  }

  // The end of a branch: its last block, -1 if that is not reached, and what it yields.
  struct Branch {
    ssa::BlockId last = -1;
    std::vector<ssa::ValueId> yields;
  };
  Branch branch(const Block& block) {
    Branch out;
    current_ = new_block();
    reachable_ = true;
    out.yields = lower(block);
    if (reachable_) out.last = current_;
    return out;
  }

  void conditional(const Stmt& stmt) {
    line_ = options_.line(stmt.line);
    const ssa::ValueId condition = value(stmt.args.front());
    const ssa::BlockId from = current_;
    block().end.kind = ssa::Exit::kBranch;
    block().end.condition = condition;
    out_.blocks[at(from)].end.target = static_cast<ssa::BlockId>(out_.blocks.size());
    const Branch then = branch(*stmt.then_block);
    out_.blocks[at(from)].end.otherwise = static_cast<ssa::BlockId>(out_.blocks.size());
    Branch otherwise = branch(*stmt.else_block);
    if (then.last >= 0 && otherwise.last >= 0) return merge(stmt, then, otherwise);
    // One goes on alone, or nothing does.
    if (then.last >= 0) jump(then.last, current_ = new_block());  // in topological order
    reachable_ = then.last >= 0 || otherwise.last >= 0;
    const std::vector<ssa::ValueId>& yields = then.last >= 0 ? then.yields : otherwise.yields;
    for (std::size_t i = 0; i < stmt.results.size() && reachable_; ++i)
      values_[at(stmt.results[i])] = yields[i];
  }

  void merge(const Stmt& stmt, const Branch& then, const Branch& otherwise) {
    current_ = new_block();
    jump(then.last, current_);
    jump(otherwise.last, current_);
    for (std::size_t i = 0; i < stmt.results.size(); ++i) {
      values_[at(stmt.results[i])] = then.yields[i];
      if (then.yields[i] == otherwise.yields[i]) continue;
      out_.blocks[at(then.last)].end.arguments.push_back(then.yields[i]);
      out_.blocks[at(otherwise.last)].end.arguments.push_back(otherwise.yields[i]);
      block().parameters.push_back(defined(stmt.results[i]));
    }
  }

  void jump(ssa::BlockId from, ssa::BlockId to) {
    out_.blocks[at(from)].end.kind = ssa::Exit::kJump;
    out_.blocks[at(from)].end.target = to;
  }

  const Program& program_;
  const Function& function_;
  const Calls& calls_;
  ssa::ConstantPool& constants_;
  const EmitOptions& options_;
  const Schedule schedule_;
  std::vector<ssa::ValueId> values_;  // by atom
  ssa::Function out_;
  ssa::BlockId current_ = 0;
  bool reachable_ = true;
  Origin line_ = 0;  // of what is being made, or was made last
};

}  // namespace

ssa::Module to_ssa(const Program& program, const EmitOptions& options) {
  ssa::Module module;
  module.file = options.file;
  module.origins = {options.file, {options.sources.begin(), options.sources.end()}};
  module.int_bits = options.int_bits;
  const Calls calls(program);
  ssa::ConstantPool constants(module);
  for (const std::int32_t f : calls.order()) {
    check_cancelled(options.cancelled);
    module.functions.push_back(
        Lowering(program, program.functions[at(f)], calls, constants, options).run(calls.returns(f)));
  }
  return module;
}

}  // namespace nvm::frontend::flat
