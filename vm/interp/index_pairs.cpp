// Indices that only say where a piece of each segment begins are not written out: their slot holds the starts
// and the descriptor.
#include "vm/interp/interp.h"
#include "vm/prims/alike.h"
#include "vm/prims/run_moves.h"

namespace nvm::vm {

bool Interp::fold_index(std::span<Value> operands, std::span<Value> results) const {
  constexpr std::int64_t kWorth = 256;  // elements; below, a pair costs as much as the indices
  const auto* starts = std::get_if<Vector>(&operands[0]);
  const auto* s = std::get_if<Segdes>(&operands[2]);
  if (machine_.hook != nullptr || starts == nullptr || s == nullptr || s->total() < kWorth ||
      starts->length() != s->segments())
    return false;
  vm::write_repeated(machine_.prims, operands[0]);
  results[0] = std::make_shared<const PairValue>(PairValue{std::move(operands[0]), std::move(operands[2])});
  return true;
}

// False: the indices are there; they are made where an error is to be told, or where the move must be one of
// its kind (not `by_runs`).
bool Interp::move_runs(const Step& step, bool by_runs, std::span<Value> operands,
                       std::span<Value> results) const {
  const auto* pair = std::get_if<std::shared_ptr<const PairValue>>(&operands[1]);
  if (pair == nullptr) return false;
  const PairValue& index = **pair;
  if (by_runs &&
      move_by_starts(machine_.prims, step.op, step.word, operands, std::get<Vector>(index.left), results))
    return true;
  const auto& s = std::get<Segdes>(index.right);
  const std::int64_t k = s.segments();
  Value parts[3] = {index.left, Vector::of_int(1), s};
  if (k > 1) {
    Value dist[2] = {parts[1], Segdes::regular(1, k)};
    run_primitive(machine_.prims, Op::kDist, TypeWord::kInt, dist, {&parts[1], 1});
  }
  Value made;
  run_primitive(machine_.prims, Op::kIndex, TypeWord::kNone, parts, {&made, 1});
  operands[1] = std::move(made);
  return false;
}

}  // namespace nvm::vm
