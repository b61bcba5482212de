// Abstract interpretation of the operand stack: every entry is the number of the value that stands there.
// A conditional becomes a branch to two blocks without parameters, which jump to a block whose parameters are
// the entries in which they differ. Code behind EXIT, or behind a call that never returns, is dropped.
#include <algorithm>

#include "bytecode/base/budget.h"
#include "bytecode/base/check.h"
#include "bytecode/ssa/constants.h"
#include "bytecode/ssa/passes.h"

namespace nvm::ssa {

namespace {

struct Entry {
  ValueId value = kNoValue;
  EntryType type;
};
using Stack = std::vector<Entry>;

// An IF whose ENDIF is still to come.
struct OpenIf {
  BlockId branch = 0;      // block that ends with the branch
  Stack at_branch;         // stack without the condition
  BlockId then_last = -1;  // last block of the true branch, -1 if it does not reach the end
  Stack after_then;        // valid if then_last >= 0
  bool reachable = true;   // was the IF itself reachable
  bool in_else = false;
  SourcePos pos;
};

class FunctionLowering {
 public:
  FunctionLowering(const Program& program, const Verified& verified, const Instance& instance,
                   ConstantPool& constants)
      : program_(program),
        verified_(verified),
        instance_(instance),
        source_(program.functions[static_cast<std::size_t>(instance.function)]),
        constants_(constants) {}

  Function run() {
    begin();
    for (std::size_t i = 0; i < source_.code.size(); ++i) step(source_.code[i], i);
    NVM_CHECK(open_.empty(), "conditional left open");
    return std::move(out_);
  }

 private:
  Block& block() { return out_.blocks[static_cast<std::size_t>(current_)]; }
  ValueId new_value(Type type) {
    out_.value_types.push_back(type);
    return out_.values() - 1;
  }
  BlockId new_block() {
    out_.blocks.emplace_back();
    return static_cast<BlockId>(out_.blocks.size()) - 1;
  }

  void begin() {
    out_.name = source_.name;
    out_.origin = source_.origin;
    out_.pos = source_.pos;
    out_.lifted.claimed = source_.lifted;
    out_.lifted.tail_parallel = source_.tail_parallel;
    for (const EntryType& t : instance_.results) out_.results.push_back(t.type);
    current_ = new_block();
    for (const EntryType& t : instance_.operands) {
      stack_.push_back({new_value(t.type), t});
      block().parameters.push_back(stack_.back().value);
    }
  }

  void step(const Instr& in, std::size_t at) {
    check_budget();
    switch (in.op) {
      case Op::kIf: return begin_if(in);
      case Op::kElse: return begin_else(in);
      case Op::kEndif: return end_if(in);
      default: break;
    }
    if (!reachable_) return;
    switch (in.op) {
      case Op::kCopy:
      case Op::kPop:
      case Op::kCpop: return shuffle(in);
      case Op::kConst: return constant(in);
      case Op::kPair: return pair(in);
      case Op::kUnpair: return unpair(in);
      case Op::kCall: return call(in, instance_.callees[at]);
      case Op::kRet: return end_block(Exit::kReturn, in.pos, stack_);
      case Op::kExit: return end_block(Exit::kStop, in.pos, {});
      default: return plain(in);
    }
  }

  // The entries at depths b .. b+a-1, see the instruction table.
  void shuffle(const Instr& in) {
    if (in.a == 0) return;  // may name a depth below the operands
    const auto last = stack_.end() - in.b;
    const auto first = last - in.a;
    NVM_CHECK(in.a >= 0 && in.b >= 0 && in.a + in.b <= static_cast<std::ptrdiff_t>(stack_.size()),
              "shuffle below the operands");
    if (in.op == Op::kPop) {
      stack_.erase(first, last);
    } else if (in.op == Op::kCpop) {
      std::rotate(first, last, stack_.end());
    } else {
      const Stack copies(first, last);
      stack_.insert(stack_.end(), copies.begin(), copies.end());
    }
  }

  void constant(const Instr& in) {
    const nvm::Constant& c = program_.constants[static_cast<std::size_t>(in.a)];
    Inst& out = emit(in, 0);
    out.index = constants_.add({c.word, c.ints, c.floats, c.input, c.is_single});
    if (out.word == TypeWord::kChar) out.word = TypeWord::kInt;
    push(out, {type_of(in.word), {}});
  }

  void pair(const Instr& in) {
    NVM_CHECK(stack_.size() >= 2, "pair of fewer than two entries");
    EntryType type{Type::kPair, {stack_[stack_.size() - 2].type, stack_.back().type}};
    push(emit(in, 2), std::move(type));
  }

  void unpair(const Instr& in) {
    NVM_CHECK(!stack_.empty() && stack_.back().type.parts.size() == 2, "unpair of no pair");
    const EntryType left = stack_.back().type.parts[0];
    const EntryType right = stack_.back().type.parts[1];
    Inst& out = emit(in, 1);
    push(out, left);
    push(out, right);
  }

  void call(const Instr& in, std::int32_t callee) {
    const Instance& to = verified_.instances[static_cast<std::size_t>(callee)];
    Inst& out = emit(in, to.operands.size());
    out.index = callee;
    if (!to.returns) return end_block(Exit::kStop, in.pos, {});
    for (const EntryType& t : to.results) push(out, t);
  }

  void plain(const Instr& in) {
    const OpInfo& info = op_info(in.op);
    Inst& out = emit(in, info.operands.size());
    for (const char letter : info.results) push(out, {letter_type(letter, in.word), {}});
  }

  // Appends an instruction that takes the top `operands` entries.
  Inst& emit(const Instr& in, std::size_t operands) {
    NVM_CHECK(operands <= stack_.size(), "operands missing");
    Inst out;
    out.op = in.op;
    out.word = in.word;
    out.first_operand = static_cast<std::uint32_t>(out_.operands.size());
    out.operands = static_cast<std::uint32_t>(operands);
    out.first_result = kNoValue;
    out.pos = in.pos;
    out.origin_line = in.origin_line;
    for (auto it = stack_.end() - static_cast<std::ptrdiff_t>(operands); it != stack_.end(); ++it)
      out_.operands.push_back(it->value);
    stack_.resize(stack_.size() - operands);
    block().insts.push_back(out);
    return block().insts.back();
  }

  void push(Inst& in, EntryType type) {
    const ValueId v = new_value(type.type);
    if (in.results++ == 0) in.first_result = v;
    stack_.push_back({v, std::move(type)});
  }

  void end_block(Exit kind, SourcePos pos, const Stack& arguments) {
    Terminator& end = block().end;
    end.kind = kind;
    end.pos = pos;
    for (const Entry& e : arguments) end.arguments.push_back(e.value);
    reachable_ = false;
  }

  void begin_if(const Instr& in) {
    OpenIf open;
    open.reachable = reachable_;
    open.pos = in.pos;
    if (reachable_) {
      NVM_CHECK(!stack_.empty(), "no condition");
      Terminator& end = block().end;
      end.kind = Exit::kBranch;
      end.condition = stack_.back().value;
      end.pos = in.pos;
      stack_.pop_back();
      open.branch = current_;
      open.at_branch = stack_;
      current_ = new_block();
      out_.blocks[static_cast<std::size_t>(open.branch)].end.target = current_;
    }
    open_.push_back(std::move(open));
  }

  // Ends the true branch; the false one starts with the stack of the branch.
  void begin_else(const Instr&) {
    OpenIf& open = open_.back();
    open.in_else = true;
    if (!open.reachable) return;
    if (reachable_) {
      open.then_last = current_;
      open.after_then = std::move(stack_);
    }
    current_ = new_block();
    out_.blocks[static_cast<std::size_t>(open.branch)].end.otherwise = current_;
    stack_ = std::move(open.at_branch);
    reachable_ = true;
  }

  void end_if(const Instr& in) {
    if (!open_.back().in_else) begin_else(in);
    const OpenIf open = std::move(open_.back());
    open_.pop_back();
    if (!open.reachable) return;
    if (open.then_last < 0) return;  // the false branch goes on alone, or nothing does
    if (!reachable_) {
      // The true branch goes on alone. Its last block is not the newest any more: a block behind the false
      // branch keeps the order topological.
      const BlockId next = new_block();
      jump(open.then_last, next, in.pos);
      current_ = next;
      stack_ = open.after_then;
      reachable_ = true;
      return;
    }
    merge(open, in.pos);
  }

  void jump(BlockId from, BlockId to, SourcePos pos) {
    Terminator& end = out_.blocks[static_cast<std::size_t>(from)].end;
    end.kind = Exit::kJump;
    end.target = to;
    end.pos = pos;
  }

  void merge(const OpenIf& open, SourcePos pos) {
    NVM_CHECK(open.after_then.size() == stack_.size(), "unbalanced conditional");
    const BlockId else_last = current_;
    const BlockId next = new_block();
    jump(open.then_last, next, pos);
    jump(else_last, next, pos);
    auto end_of = [this](BlockId b) -> Terminator& { return out_.blocks[static_cast<std::size_t>(b)].end; };
    current_ = next;
    for (std::size_t i = 0; i < stack_.size(); ++i) {
      if (stack_[i].value == open.after_then[i].value) continue;
      end_of(open.then_last).arguments.push_back(open.after_then[i].value);
      end_of(else_last).arguments.push_back(stack_[i].value);
      stack_[i].value = new_value(stack_[i].type.type);
      block().parameters.push_back(stack_[i].value);
    }
  }

  const Program& program_;
  const Verified& verified_;
  const Instance& instance_;
  const nvm::Function& source_;
  ConstantPool& constants_;
  Function out_;
  Stack stack_;
  std::vector<OpenIf> open_;
  BlockId current_ = 0;
  bool reachable_ = true;
};

}  // namespace

Module lower(const Program& program, const Verified& verified, IntBits bits) {
  Module module;
  module.file = program.file;
  module.origins = program.origins;
  module.int_bits = bits;
  module.entry = verified.entry;
  ConstantPool constants(module);
  for (const Instance& instance : verified.instances)
    module.functions.push_back(FunctionLowering(program, verified, instance, constants).run());
  return module;
}

}  // namespace nvm::ssa
