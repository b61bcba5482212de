// An index list that is a few runs, in each of which the index goes up by one: a rotation, a part taken from
// somewhere, a reversal of blocks. What is looked up in it is affine piece by piece (stretches.h).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bytecode/table/types.h"

namespace nvm::vm::cpu {

class ListRuns {
 public:
  // Nothing if there are more runs than are worth a call each. Cost: one pass, which ends at the first run
  // too many.
  [[nodiscard]] static std::optional<ListRuns> of(const void* list, Storage storage, std::int64_t n);

  struct Element {
    std::int64_t value = 0, steps = -1;  // as long as the index goes up by one; negative: there is none
  };
  [[nodiscard]] Element at(std::int64_t i) const;

 private:
  struct Run {
    std::int64_t begin, value;
  };
  std::vector<Run> runs_;
  std::int64_t n_ = 0;
};

}  // namespace nvm::vm::cpu
