// A lifted function with all that it calls, described whole: a graph of blocks, each of which is a plan. What
// block mode needs to run a group of instances to the end without asking the interpreter: decisions and calls
// stand between plans, and how much memory a block takes is known when it is entered. Sources: cuNesl's block
// mode (Zhang and Mueller, 2012), with lambda-cu's fusion inside of blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bytecode/plan/plan.h"
#include "bytecode/plan/schedule.h"
#include "bytecode/ssa/ssa.h"

namespace nvm::plan {

using ssa::ValueId;

// Something that stands in the frame, or a constant.
struct BlockSource {
  bool constant = false;
  std::int32_t number = kNone;  // ValueId of the procedure, or into BlockPlan::constants
  friend bool operator==(const BlockSource&, const BlockSource&) = default;
};

// What an input of a block's plan is bound to when the block is entered.
struct BlockInput {
  enum class What : std::uint8_t {
    kValue,    // the vector or descriptor itself
    kLengths,  // the lengths of a descriptor's segments, as a vector
    kCount,    // the number of elements of a vector, of segments of a descriptor, as one number
    kTotal,    // the total of a descriptor, as one number
  };
  VarId var = kNone;
  What what = What::kValue;
  BlockSource source;
  friend bool operator==(const BlockInput&, const BlockInput&) = default;
};

struct BlockOutput {
  ValueId value = kNone;
  VarId var = kNone;  // made by the plan, or an input
};

enum class BlockEnd : std::uint8_t {
  kJump,    // arguments become the parameters of `target`
  kBranch,  // on `condition`, a BOOL of length one: to target if T, else to otherwise
  kCall,    // arguments become the parameters of `callee`; its results are `results`; goes on at target
  kReturn,  // arguments are the results
  kGiveUp,  // an error of the program, or something with effects: the interpreter does the whole group
};

// Every length that inputs have in common must be the same number, and that of a scalar one; if not, or if
// the plan traps, the group is given up.
struct PlanBlock {
  Plan plan;
  std::vector<BlockInput> inputs;
  std::vector<BlockOutput> outputs;
  BlockEnd end = BlockEnd::kGiveUp;
  BlockSource condition;
  std::int32_t target = kNone, otherwise = kNone;  // blocks of the procedure, behind this one
  std::int32_t callee = kNone;                     // procedure
  std::vector<BlockSource> arguments;
  std::vector<ValueId> results;  // kCall
};

// Values have the numbers that they have in SSA, and each is defined once. Block 0 is the entry; its
// parameters are the procedure's.
struct Procedure {
  std::string name;
  ssa::FunctionId function = kNone;
  std::vector<Type> value_types;
  std::vector<std::vector<ValueId>> parameters;  // by block
  std::vector<Type> results;
  std::vector<PlanBlock> blocks;
  bool tail_parallel = false;  // its one recursive call is the last that it does but for moves (ssa/levels.h)
};

struct BlockPlan {
  std::string name;
  IntBits int_bits = IntBits::k64;
  std::vector<Procedure> procedures;  // the first is the function that groups are given to
  std::vector<ssa::Constant> constants;
};

// How much memory a plan takes, known when its block is entered.
class MemoryBound {
 public:
  static constexpr std::size_t kGrain = 64;

  explicit MemoryBound(const Plan& plan);
  // Bytes that the plan makes at most, rounded for each vector to kGrain with as much behind it, if the
  // lengths that its inputs have (by LengthId; others are not read) are these; saturates.
  [[nodiscard]] std::int64_t bytes(std::span<const std::int64_t> lengths) const;

 private:
  struct Made {
    LengthId by;        // no more elements than this; kNone: one
    std::int64_t size;  // of one
    std::int64_t more;  // besides
  };
  std::vector<Made> made_;
};

// The plan of lifted function `function` for groups of its instances. Nothing, and `refusal` says why in
// words, if something in it or below it has no form. Requires: find_lifted(). Cost: that of fusing every
// block.
[[nodiscard]] std::optional<BlockPlan> build_block_plan(const ssa::Module& module, ssa::FunctionId function,
                                                        Fusion fusion, std::string& refusal);

// Aborts if the plan contradicts what is said above: sizes that are not bounded when a block is entered,
// values that are read before they are there on some way, calls with other arguments than parameters.
void check(const BlockPlan& plan);
// Deterministic text.
[[nodiscard]] std::string print(const BlockPlan& plan);
// Of all lifted functions of a module, callers with what they call; where there is no plan, why.
[[nodiscard]] std::string print_block_plans(const ssa::Module& module, Fusion fusion);

}  // namespace nvm::plan
