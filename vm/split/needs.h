// What a part needs of the vectors that its kernel reads, by the rules of bytecode/plan/fission.def.
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "bytecode/plan/engine.h"

namespace nvm::vm {

struct ElementRange {
  std::int64_t begin = 0, end = 0;
  void cover(const ElementRange& o) {
    *this = {o.begin < begin ? o.begin : begin, o.end > end ? o.end : end};
  }
};

// By vector, of each that the part reads at all.
[[nodiscard]] std::map<plan::VarId, ElementRange> needs_of(const plan::Plan& plan, const plan::Part& part,
                                                           std::span<const plan::Array> arrays,
                                                           std::span<const plan::Desc> descs);

}  // namespace nvm::vm
