// A lifted function that is a loop of each of its instances alone, as one kernel: every lane takes an
// instance round by round to its end, in registers, and waits, masked, for the others. Nothing is packed, and
// a round that few lanes need costs only theirs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bytecode/plan/plan.h"
#include "bytecode/ssa/ssa.h"

namespace nvm::plan {

struct MaskedLoop {
  // What the plan reads of a parameter.
  enum class What : std::uint8_t {
    kNumbers,  // one for each instance, or one for all
    kOwn,      // all elements, of which each instance has its segment of descriptor `shape`
    kShared,   // all elements, which every instance has; of its `shape` they are the only segment
    kBegins,   // of a descriptor: where each instance's segment begins
    kEnds,
    kLength,  // of a descriptor's only segment
  };
  struct Input {
    What what = What::kNumbers;
    std::int32_t parameter = kNone;
    std::int32_t shape = kNone;  // parameter
    VarId var = kNone;
  };
  Plan plan;  // one kernel that repeats, over length 1; length 0 is one
  std::vector<Input> inputs;
  std::vector<VarId> outputs;  // by result
};

// The function's meaning for one instance, which is its meaning for many: that is what lifted says
// (ssa::LiftedInfo). It traps where that instance ends the program, and where it goes round more often than
// the limit. `storages` of arguments, by parameter. Nothing, and `refusal` says why in words, if an instance
// makes more than numbers, or goes on after its recursive call.
[[nodiscard]] std::optional<MaskedLoop> build_masked_loop(const ssa::Module& module, ssa::FunctionId function,
                                                          std::span<const Storage> storages,
                                                          std::string& refusal);
// Of the widest storages.
[[nodiscard]] std::vector<Storage> widest_storages(const ssa::Module& module, ssa::FunctionId function);

}  // namespace nvm::plan
