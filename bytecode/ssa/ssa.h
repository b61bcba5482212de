// SSA form of a verified program: the stack is resolved away, every value has a static type, every function
// is monomorphic. Interpreter, tracer, block mode and both engines start from here.
//
// A function is an acyclic graph of blocks in topological order (VCODE has no loops: repetition is
// recursion). Block 0 is the entry and its parameters are the function's. A block that a branch leads to has
// no parameters and no other way in. A value is defined once, by a block parameter or by an instruction, and
// used only in blocks its definition dominates. Values are numbered densely per function.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bytecode/base/diagnostic.h"
#include "bytecode/program/origin.h"
#include "bytecode/table/op_info.h"

namespace nvm::ssa {

using ValueId = std::int32_t;
using BlockId = std::int32_t;
using FunctionId = std::int32_t;
inline constexpr ValueId kNoValue = -1;

// One instruction. Shuffles are gone; what is left of kBlock is kConst, kPair and kUnpair. kCall has the
// callee's operands and results. Operands and results are deepest first, as in the instruction table.
struct Inst {
  Op op = Op::kConst;
  TypeWord word = TypeWord::kNone;
  std::int32_t index = 0;           // kConst: into Module::constants; kCall: FunctionId
  std::uint32_t first_operand = 0;  // into Function::operands
  std::uint32_t operands = 0;
  std::uint32_t results = 0;
  ValueId first_result = kNoValue;    // results are consecutive
  SourcePos pos;                      // in the VCODE text
  Origin origin_line = 0;             // in the source
  std::int32_t origin_function = -1;  // FunctionId the instruction was inlined from, -1 if from here
  std::int32_t inlined = -1;          // into Module::inlined: the calls it came in by, -1 if from here
  // Where LiftedInfo::adds_up: does the cost model charge nothing, because it only deals out instances? Else
  // what it charges however many instances there are.
  bool unpaid = false;
  std::int32_t flat_work = 0;
  // Of what stands twice, for when all instances go a way and for when some do: the number of the stretch,
  // negative where all go. 0: of nothing else.
  std::int32_t twin = 0;
};

enum class Exit : std::uint8_t { kJump, kBranch, kReturn, kStop };  // kStop: EXIT, ends the program

// How a block ends. `arguments` of a jump become the target's parameters; of a return, the results.
struct Terminator {
  Exit kind = Exit::kReturn;
  ValueId condition = kNoValue;    // kBranch: a Bool of length one
  BlockId target = -1;             // kJump; kBranch if true (a branch passes no arguments)
  BlockId otherwise = -1;          // kBranch if false
  std::vector<ValueId> arguments;  // kJump, kReturn
  SourcePos pos;
};

struct Block {
  std::vector<ValueId> parameters;
  std::vector<Inst> insts;
  Terminator end;
};

// How a parameter of a lifted function is cut when its instances are dealt out, and joined again.
struct Split {
  enum class Kind : std::uint8_t {
    kFrame,      // one segment; its length is the number of instances
    kInstances,  // one element (of a descriptor: one segment) per instance
    kUnder,      // the elements (segments) that descriptor parameter `under` gives each instance
    kSame,       // not cut: every instance sees the same value
  };
  Kind kind = Kind::kSame;
  std::int32_t under = -1;  // kUnder: index of the parameter; itself kInstances or kUnder
  friend bool operator==(const Split&, const Split&) = default;
};

// What the lifted-function analysis found (design: lifted functions). Filled by ssa/lifted.cpp.
//
// Lifted means: cut the instances of the frame into groups, run the function on each, and join every result
// end to end (vectors; descriptors by their lengths): if no run faults, that is the result of one run on all.
// A group may fault where the whole would not, when a program reads over the edge of an instance; then the
// whole must be run to know. No result is a frame. The function touches no state.
struct LiftedInfo {
  bool lifted = false;            // F(s1 ++ s2) = F(s1) ++ F(s2) over the frame, proved
  bool claimed = false;           // the program's annotation says so
  ValueId frame = kNoValue;       // the descriptor parameter that is the frame (its one length = instances)
  std::vector<Split> parameters;  // by parameter; also filled for a claimed function with a frame
  std::string refusal;            // why not, in words, with the position; empty if lifted
  bool tail_parallel = false;
  // What it costs follows from what groups of its instances cost (ssa/lifted_costs.cpp). If not, why.
  bool adds_up = false;
  std::string cost_refusal;
};

struct Function {
  std::string name;    // VCODE name; instantiations of one shuffler share it
  std::string origin;  // NESL name, "" if none
  SourcePos pos;
  std::vector<Type> value_types;  // by ValueId
  std::vector<Type> results;
  std::vector<Block> blocks;
  std::vector<ValueId> operands;  // pool for Inst::first_operand
  LiftedInfo lifted;
  // No longer called: the body is one block that stops. Kept so that FunctionIds stay, and for its name.
  bool removed = false;

  [[nodiscard]] const ValueId* operands_of(const Inst& in) const {
    return operands.data() + in.first_operand;
  }
  [[nodiscard]] std::int32_t values() const { return static_cast<std::int32_t>(value_types.size()); }
};

// A constant; see program.h. Deduplicated, never CHAR, Int wrapped to the module's width.
struct Constant {
  TypeWord word = TypeWord::kInt;
  std::vector<std::int64_t> ints;
  std::vector<double> floats;
  std::int32_t input = -1;  // >= 0: an input (see program.h); never folded
  bool is_single = false;   // of an input: its length is one; of others it is not known
  friend bool operator==(const Constant&, const Constant&) = default;
};

// A call that inlining has replaced by a callee's body, for messages. Of calls within calls the outermost
// stands first; what lies within belongs to the callee, whose other copies share it.
struct InlinedCall {
  FunctionId callee = 0;
  SourcePos pos;  // of the call, in the VCODE text
  Origin origin_line = 0;
  std::int32_t within = -1;  // the call that brought the instruction into the callee, -1 if it stood there
};

struct Module {
  std::string file;  // VCODE file, for messages
  OriginFiles origins;
  IntBits int_bits = IntBits::k64;
  // Operands of elementwise instructions that are longer than the first give their first elements.
  bool prefix_lengths = false;
  std::vector<Function> functions;
  std::vector<Constant> constants;
  std::vector<InlinedCall> inlined;
  FunctionId entry = 0;
};

}  // namespace nvm::ssa
