#include "vm/prims/pieces.h"

#include <algorithm>
#include <span>

#include "vm/prims/move_parts.h"
#include "vm/prims/operands.h"
#include "vm/prims/parallel.h"
#include "vm/prims/repeated.h"
#include "vm/prims/run_moves.h"
#include "vm/prims/views.h"

namespace nvm::vm {

namespace {

constexpr std::int64_t kFewest = 32;  // elements; shorter vectors are written faster than described

const ViewRef* runs_at(const PrimCall& call, int i) {
  return view_of(call.operands[i], &View::is_runs) != nullptr ? &std::get<ViewRef>(call.operands[i])
                                                              : nullptr;
}

}  // namespace

bool same_start(const Vector& starts, std::int64_t& start) {
  if (starts.length() == 0) return false;
  const bool one = starts.is_scalar() || starts.is_repeated();
  start = one ? starts.scalar_int() : starts.int_at(0);
  return one || all_equal(starts);
}

namespace {

// Gives the result of a BPERMUTE if all segments give the same part of themselves.
bool take_regular(const PrimCall& call, const View& runs) {
  const Vector& v = vector_operand(call, 0);
  const Segdes& from = segdes_operand(call, 2);
  const Segdes& along = segdes_operand(call, 3);
  std::int64_t offset = 0;
  if (!from.is_regular() || !along.is_regular() || from.segments() != along.segments() ||
      from.segments() < 2 || v.length() != from.total() || !same_start(runs.base.list, offset))
    return false;
  const std::int64_t n = along.regular_length();
  if (n < 1 || offset < 0 || offset > from.regular_length() - n) return false;
  if (n < from.regular_length() && worth_all(call.context, along.total())) return false;
  took(call.context, FastPath::kTakeRegular);
  if (n == from.regular_length()) {
    call.results[0] = std::move(vector_operand(call, 0));
    return true;
  }
  Fresh out(call.context, v.storage(), along.total());
  kernel_table(call.context.isa)
      .take_regular[width_index(v.storage())](v.raw(), from.regular_length(), offset, n, from.segments(),
                                              out.data());
  call.results[0] = out.take();
  return true;
}

}  // namespace

bool take_pieces(const PrimCall& call) {
  const ViewRef* runs = runs_at(call, 1);
  if (runs == nullptr || (*runs)->s.total() != segdes_operand(call, 3).total()) return false;
  const bool along = (*runs)->s.identical(segdes_operand(call, 3)) || (*runs)->s == segdes_operand(call, 3);
  if (!along || vector_operand(call, 0).is_repeated()) return false;
  const ViewRef held = *runs;
  return take_regular(call, *held) ||
         move_by_starts(call.context, Op::kBpermute, {call.operands, 4}, held->base.list, {call.results, 1});
}

}  // namespace nvm::vm
