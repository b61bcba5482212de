#include <cstdio>

#include "bytecode/base/budget.h"
#include "bytecode/base/check.h"
#include "bytecode/ssa/cfg.h"
#include "bytecode/ssa/passes.h"

namespace nvm::ssa {

namespace {

class Checker {
 public:
  Checker(const Module& m, const Function& f) : m_(m), f_(f) {}

  void run() {
    expect(!f_.blocks.empty(), "a function has an entry block");
    shape();
    idom_ = immediate_dominators(f_);
    births();
    for (block_ = 0; block_ < f_.blocks.size(); ++block_) {
      const Block& block = f_.blocks[block_];
      for (at_ = 0; at_ < block.insts.size(); ++at_) inst(block.insts[at_]);
      end(block.end);
    }
  }

 private:
  void expect(bool holds, const char* what) const {
    if (!holds) [[unlikely]]
      fail(what);
  }
  // Of a value: "%7" and what is said of it.
  void expect_of(ValueId v, bool holds, const char* before, const char* behind) const {
    if (!holds) [[unlikely]]
      fail(before + std::to_string(v) + behind);
  }
  [[noreturn]] void fail(const std::string& what) const {
    std::string text = "SSA form broken: " + what + ", in block b" + std::to_string(block_) +
                       ", instruction " + std::to_string(at_) + " of\n";
    // A broken form may not be printable: only show what print() can index.
    if (printable()) text += print(m_, f_);
    check_failed(what.c_str(), __FILE__, __LINE__, text);
  }

  [[nodiscard]] bool value_ok(ValueId v) const { return v >= 0 && v < f_.values(); }

  [[nodiscard]] bool printable() const {
    for (const Block& block : f_.blocks) {
      for (const ValueId p : block.parameters)
        if (!value_ok(p)) return false;
      for (const Inst& in : block.insts) {
        check_budget();
        if (in.first_operand + in.operands > f_.operands.size()) return false;
        if (in.results > 0 &&
            !(value_ok(in.first_result) && value_ok(in.first_result + static_cast<ValueId>(in.results) - 1)))
          return false;
        if (in.op == Op::kConst && !index_ok(in.index, m_.constants.size())) return false;
        if (in.op == Op::kCall && !index_ok(in.index, m_.functions.size())) return false;
      }
    }
    return true;
  }

  static bool index_ok(std::int32_t i, std::size_t n) { return i >= 0 && static_cast<std::size_t>(i) < n; }
  [[nodiscard]] Type type_of_value(ValueId v) const { return f_.value_types[static_cast<std::size_t>(v)]; }

  // The graph: topological order, every block reached, no critical edges.
  void shape() {
    for (block_ = 0; block_ < f_.blocks.size(); ++block_) {
      const Terminator& end = f_.blocks[block_].end;
      at_ = f_.blocks[block_].insts.size();
      if (end.kind == Exit::kJump || end.kind == Exit::kBranch) successor(end.target);
      if (end.kind == Exit::kBranch) successor(end.otherwise);
    }
    const auto from = predecessors(f_);
    for (block_ = 0; block_ < f_.blocks.size(); ++block_) {
      at_ = 0;
      expect(block_ == 0 || !from[block_].empty(), "every block can be reached");
      for (const BlockId p : from[block_]) {
        if (f_.blocks[static_cast<std::size_t>(p)].end.kind != Exit::kBranch) continue;
        expect(from[block_].size() == 1, "a branch is the only way to its target");
        expect(f_.blocks[block_].parameters.empty(), "the target of a branch has no parameters");
      }
    }
    block_ = 0;
  }

  void successor(BlockId to) const {
    expect(index_ok(to, f_.blocks.size()), "the target block exists");
    expect(static_cast<std::size_t>(to) > block_, "blocks are in topological order");
  }

  // Every value is defined exactly once.
  void births() {
    born_.assign(f_.value_types.size(), Birth{});
    for (block_ = 0; block_ < f_.blocks.size(); ++block_) {
      at_ = 0;
      for (const ValueId p : f_.blocks[block_].parameters) birth(p, -1);
      for (at_ = 0; at_ < f_.blocks[block_].insts.size(); ++at_) {
        const Inst& in = f_.blocks[block_].insts[at_];
        for (std::uint32_t r = 0; r < in.results; ++r)
          birth(in.first_result + static_cast<ValueId>(r), static_cast<std::int64_t>(at_));
      }
    }
    block_ = at_ = 0;
    for (const Birth& b : born_) expect(b.block >= 0, "every number is a value");
  }

  void birth(ValueId v, std::int64_t at) {
    expect(value_ok(v), "value in range");
    Birth& b = born_[static_cast<std::size_t>(v)];
    expect(b.block < 0, "a value is defined once");
    b = {static_cast<BlockId>(block_), at};
  }

  void use(ValueId v, Type type) const {
    expect(value_ok(v), "operand in range");
    expect_of(v, type_of_value(v) == type, "operand %", " has the right type");
    defined(v);
  }

  void defined(ValueId v) const {
    const Birth& b = born_[static_cast<std::size_t>(v)];
    if (b.block == static_cast<BlockId>(block_))
      expect_of(v, b.at < static_cast<std::int64_t>(at_), "%", " is defined before its use");
    else
      expect_of(v, dominates(idom_, b.block, static_cast<BlockId>(block_)), "the definition of %",
                " dominates its use");
  }

  void inst(const Inst& in) const {
    expect(in.first_operand + in.operands <= f_.operands.size(), "operands in the pool");
    switch (in.op) {
      case Op::kCopy:
      case Op::kPop:
      case Op::kCpop:
      case Op::kRet:
      case Op::kIf:
      case Op::kElse:
      case Op::kEndif:
      case Op::kExit: return expect(false, "instructions of the stack form are gone");
      case Op::kCall: return call(in);
      case Op::kConst: return constant(in);
      default: return plain(in);
    }
  }

  void constant(const Inst& in) const {
    expect(index_ok(in.index, m_.constants.size()), "constant exists");
    expect(in.operands == 0 && in.results == 1, "a constant has one result");
    const TypeWord word = m_.constants[static_cast<std::size_t>(in.index)].word;
    expect(word == in.word && word != TypeWord::kChar && word != TypeWord::kNone, "constant of its word");
    expect(type_of_value(in.first_result) == type_of(word), "constant of its type");
  }

  void call(const Inst& in) const {
    expect(index_ok(in.index, m_.functions.size()), "callee exists");
    const Function& to = m_.functions[static_cast<std::size_t>(in.index)];
    const std::vector<ValueId>& parameters = to.blocks[0].parameters;
    expect(in.operands == parameters.size(), "as many operands as the callee has parameters");
    for (std::uint32_t i = 0; i < in.operands; ++i)
      use(f_.operands_of(in)[i], to.value_types[static_cast<std::size_t>(parameters[i])]);
    if (in.results == 0 && at_ + 1 == f_.blocks[block_].insts.size() &&
        f_.blocks[block_].end.kind == Exit::kStop)
      return;  // a callee that does not return
    expect(in.results == to.results.size(), "as many results as the callee has");
    for (std::uint32_t i = 0; i < in.results; ++i)
      expect(type_of_value(in.first_result + static_cast<ValueId>(i)) == to.results[i],
             "results of the callee's types");
  }

  void plain(const Inst& in) const {
    const OpInfo& info = op_info(in.op);
    expect(word_allowed(in.op, in.word), "type word allowed");
    expect(in.operands == info.operands.size(), "operands as in the table");
    expect(in.results == info.results.size(), "results as in the table");
    for (std::uint32_t i = 0; i < in.operands; ++i) {
      const ValueId v = f_.operands_of(in)[i];
      if (info.operands[i] != '*') {
        use(v, letter_type(info.operands[i], in.word));
      } else {
        expect(value_ok(v), "operand in range");
        defined(v);
      }
    }
    for (std::uint32_t i = 0; i < in.results; ++i)
      if (info.results[i] != '*')
        expect(
            type_of_value(in.first_result + static_cast<ValueId>(i)) == letter_type(info.results[i], in.word),
            "results of the table's types");
  }

  void end(const Terminator& end) const {
    if (end.kind == Exit::kBranch) {
      expect(end.arguments.empty(), "a branch passes no arguments");
      return use(end.condition, Type::kBool);
    }
    if (end.kind == Exit::kStop) return expect(end.arguments.empty(), "stop passes no arguments");
    std::vector<Type> wanted = f_.results;
    if (end.kind == Exit::kJump) {
      wanted.clear();
      for (const ValueId p : f_.blocks[static_cast<std::size_t>(end.target)].parameters)
        wanted.push_back(type_of_value(p));
    }
    expect(end.arguments.size() == wanted.size(), "as many arguments as wanted");
    for (std::size_t i = 0; i < wanted.size(); ++i) use(end.arguments[i], wanted[i]);
  }

  struct Birth {
    BlockId block = -1;
    std::int64_t at = -1;  // instruction, -1 for a parameter
  };

  const Module& m_;
  const Function& f_;
  Dominators idom_;
  std::vector<Birth> born_;
  std::size_t block_ = 0;
  std::size_t at_ = 0;
};

}  // namespace

void check(const Module& module) {
  NVM_CHECK(module.entry >= 0 && static_cast<std::size_t>(module.entry) < module.functions.size(),
            "the entry exists");
  for (const Function& f : module.functions) NVM_CHECK(!f.blocks.empty(), "a function has an entry block");
  for (const Function& f : module.functions) Checker(module, f).run();
  NVM_CHECK(module.functions[static_cast<std::size_t>(module.entry)].blocks[0].parameters.empty(),
            "the entry function has no parameters");
}

}  // namespace nvm::ssa
