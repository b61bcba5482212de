// SSA made ready to execute: one compact array of steps per function, values in frame slots that are reused
// when a value dies, constants made once. Immutable; shared by all interpreters that run the module.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bytecode/ssa/levels.h"
#include "bytecode/ssa/ssa.h"
#include "bytecode/table/views.h"
#include "vm/data/pool.h"
#include "vm/data/value.h"
#include "vm/interp/path.h"
#include "vm/interp/region_hook.h"
#include "vm/interp/work.h"
#include "vm/prims/prims.h"
#include "vm/prims/views.h"

namespace nvm::vm {

// Where a step finds an operand: a frame slot, moved from if the value dies here, or a constant.
class Operand {
 public:
  static Operand slot(std::int32_t slot, bool dies) { return Operand(slot * 2 + (dies ? 1 : 0)); }
  static Operand constant(std::int32_t index) { return Operand(~index); }
  [[nodiscard]] bool is_constant() const { return code_ < 0; }
  [[nodiscard]] std::int32_t constant() const { return ~code_; }
  [[nodiscard]] std::int32_t slot() const { return code_ >> 1; }
  [[nodiscard]] bool dies() const { return (code_ & 1) != 0; }

 private:
  explicit Operand(std::int32_t code) : code_(code) {}
  std::int32_t code_;
};

enum class StepKind : std::uint8_t {
  kPrimitive,
  kHost,
  kPair,
  kUnpair,
  kCall,
  kTailCall,  // the callee's results are the caller's: its frame takes the place of the caller's
  kDrop,      // empties the slots of `results`
  kJump,      // operands become the values of the slots in `results`
  kBranch,    // operand 0; to `target` if false, else on
  kReturn,
  kStop,
};

struct Step {
  StepKind kind = StepKind::kStop;
  Op op = Op::kExit;
  TypeWord word = TypeWord::kNone;
  bool overlaps = false;      // kJump: a slot is written before it is read
  bool checks = false;        // kBranch: a check conditional whose stopping block needs nothing of its frame
  bool repeats = false;       // DIST: all that read its result take it as Vector::repeated
  bool one_constant = false;  // DIST of a vector whose elements are one constant
  // DIST: only RAND and scatters read its result, so that recording it gains nothing.
  bool unrecorded = false;
  // Vectors that stay delayed (bytecode/ssa/demand.h).
  Forms leaves;                     // in which forms it may leave its first result
  Forms indices;                    // a move: in which it may find its second operand
  bool leaves_pull = false;         // BPERMUTE: may leave a pull
  bool takes_pull = false;          // BPERMUTE, PERMUTE: may take one as its first operand, and give one
  bool pending = false;             // a move that Levels::moved has, or the recursive call itself
  bool chains = false;              // may be part of a Chain
  Counted counted = Counted::kOne;  // what the cost model counts
  std::uint32_t mark = 0;           // of the block, on its first step that counts or calls; 0: none
  enum : std::int16_t { kNoGroup = -1, kInGroup = -2 };
  std::int16_t group = kNoGroup;  // PACK: the group that it is the first of, or kInGroup
  std::uint16_t repeated = 0;     // kPrimitive: by operand, whether it may be one repeated element
  std::uint64_t pulled = 0;       // by operand: may lie there as a pull, and must be written first
  PrimFn sorts = nullptr;  // RANK whose result only a PERMUTE of the same elements reads, and that one: what
                           // is done instead unless somebody watches
  PrimFn alone = nullptr;  // kPrimitive: what is done where nobody records it; null: as otherwise
  std::uint32_t operands = 0;
  std::uint32_t results = 0;
  std::uint32_t first_operand = 0;  // into CodeFunction::operands
  std::uint32_t first_result = 0;   // into CodeFunction::slots; -1 there: not used
  std::int32_t target = 0;          // kJump, kBranch: step; calls: function
  std::int32_t window = 0;          // kCall: slots of this frame that stay; the callee's begin behind them
  const ssa::Inst* inst = nullptr;  // null for what ends a block
  SourcePos pos;
  Site site;
};

// PACKs of the same elements by comparisons with the same values, which the first of them makes for all.
struct PackGroup {
  struct Member {
    const ssa::Inst* inst;
    Scalar relation;
    bool second;  // somebody reads the lengths
    Packing::Half half = Packing::Half::kNone;
  };
  std::vector<Member> members;
};

struct CodeFunction {
  const ssa::Function* source = nullptr;
  std::int32_t slots = 0;  // size of a frame; parameters are the first
  std::int32_t parameters = 0;
  std::vector<Step> steps;
  std::vector<Operand> operands;
  std::vector<std::int32_t> result_slots;
  std::vector<PackGroup> groups;
  std::optional<ssa::Levels> levels;  // of tail-parallel recursion
};

struct Code {
  const ssa::Module* module = nullptr;
  std::vector<CodeFunction> functions;
  std::vector<Value> constants;   // empty where the run gives an input
  std::size_t most_operands = 0;  // of any step
  std::vector<Mark> marks;        // of the blocks of lifted functions, in order; the first is none
};

// `module` and `pool` must outlive the code. Throws Fault (memory, or a constant that is no descriptor).
[[nodiscard]] Code make_code(const ssa::Module& module, Pool& pool);

// Marks the blocks of a function (path.cpp).
void mark_blocks(CodeFunction& function, std::vector<Mark>& marks);

}  // namespace nvm::vm
