// How ranks execute an instruction together: a rule for each kind of instruction. Where a rule does not hold,
// and for kinds without one, all ranks gather the operands and execute the whole instruction.
#pragma once

#include <span>

#include "vm/interp/region_hook.h"
#include "vm/spmd/parts.h"

namespace nvm::vm::spmd {

// One instruction, with operands of which some are long or say that results are.
struct Together {
  Parts& parts;
  const ssa::Inst& inst;
  const Site& site;
  std::span<Value> operands;
  std::span<Value> results;

  [[nodiscard]] const PrimContext& prims() const { return parts.prims(); }
  [[nodiscard]] const Segdes& segdes(std::size_t i) const { return std::get<Segdes>(operands[i]); }
  [[nodiscard]] std::int64_t length(std::size_t i) const { return length_of_vector(operands[i]); }
  // The cut of the longest part of what is operands' bytes: of those of this length.
  [[nodiscard]] CutRef cut(std::int64_t length) const;
};

// False: nothing has happened, on any rank.
using Rule = bool (*)(const Together& t);

// Throws what the primitive would throw of the operands' lengths: rules find that they agree.
void check_shape(const Together& t);
// Null: the operands are gathered.
[[nodiscard]] Rule rule_of(Op op);
void execute_gathered(const Together& t);

// Elements that depend on nothing but those beside them, and numbers that all ranks have.
[[nodiscard]] bool map_parts(const Together& t);
[[nodiscard]] bool dist_parts(const Together& t);
[[nodiscard]] bool index_parts(const Together& t);
[[nodiscard]] bool shape_parts(const Together& t);
[[nodiscard]] bool random_parts(const Together& t);
// Elements that are combined with those of other ranks.
[[nodiscard]] bool fold_parts(const Together& t);
[[nodiscard]] bool pack_parts(const Together& t);
// Elements that go from rank to rank.
[[nodiscard]] bool gather_parts(const Together& t);
[[nodiscard]] bool scatter_parts(const Together& t);
[[nodiscard]] bool extract_parts(const Together& t);
[[nodiscard]] bool replace_parts(const Together& t);
[[nodiscard]] bool rank_parts(const Together& t);

}  // namespace nvm::vm::spmd
