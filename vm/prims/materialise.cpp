// Writes the vectors that views stand for.
#include <optional>

#include "bytecode/base/stack.h"
#include "vm/prims/assembly.h"
#include "vm/prims/halves.h"
#include "vm/prims/move.h"
#include "vm/prims/operands.h"
#include "vm/prims/part_maps.h"
#include "vm/prims/periodic.h"
#include "vm/prims/pieces.h"
#include "vm/prims/spread.h"
#include "vm/prims/views.h"

namespace nvm::vm {

namespace {

using Source = View::Source;

// One after the other, where they come over and over.
Vector listed(const Vector& list, std::int64_t growth, const View& v, const PrimContext& context) {
  return v.one_each() || list.length() == 0
             ? list
             : written_out(list, v.s.segments() / list.length(), growth, context);
}

Value distributed(const Vector& x, const Segdes& s, const PrimContext& context) {
  Value operands[2] = {x, s};
  Value result;
  dist({context, Op::kDist, TypeWord::kNone, operands, &result});
  return result;
}

Value numbers(const View& v, const PrimContext& context) {
  if (v.is_spread()) return distributed(v.base.list, v.s, context);
  Vector first = listed(v.base.list, v.base.growth, v, context);
  if (v.is_periodic()) return first;
  const std::int64_t k = v.s.segments();
  Vector strides = listed(v.strides, 0, v, context);
  if (strides.length() == 0 && k > 0)
    strides = k > 1 ? Vector::repeated(Vector::of_int(1), k) : Vector::of_int(1);
  Value operands[3] = {std::move(first), std::move(strides), v.s};
  Value result;
  index({context, Op::kIndex, TypeWord::kNone, operands, &result});
  return result;
}

Value gathered(const View& v, const PrimContext& context) {
  Value operands[4] = {v.x, v.base.list, Segdes::regular(1, v.x.length()), Segdes::regular(1, v.s.total())};
  Value result;
  run_primitive(context, Op::kBpermute, word_of(v.x.type()), operands, {&result, 1});
  return result;
}

Value compared(const View& v, const PrimContext& context) {
  Value sides[2] = {v.x, distributed(v.base.list, v.s, context)};
  Value result;
  run_primitive(context, elementwise_op(v.compare),
                v.x.type() == Type::kFloat ? TypeWord::kFloat : TypeWord::kInt, sides, {&result, 1});
  return result;
}

std::optional<FastPath> writing(const View& v) {
  switch (v.source) {
    case Source::kNumbers:
      return v.is_spread()          ? FastPath::kWriteSpread
             : v.is_periodic()      ? FastPath::kWritePeriodic
             : v.is_runs()          ? FastPath::kWriteRuns
             : v.is_periodic_runs() ? FastPath::kWritePeriodicRuns
                                    : FastPath::kWriteStrided;
    case Source::kElements:
      return v.is_gather() ? FastPath::kWritePull : v.is_half() ? FastPath::kWriteHalf : FastPath::kWritePart;
    case Source::kCompare: return FastPath::kWriteCompare;
    case Source::kAssembly: return FastPath::kWriteJoin;
    case Source::kBody: return FastPath::kWriteMap;
    case Source::kPending:
    case Source::kRanks: break;
  }
  return std::nullopt;
}

Value made(const View& v, const PrimContext& context) {
  if (const auto path = writing(v)) took(context, *path);
  switch (v.source) {
    case Source::kNumbers: return numbers(v, context);
    case Source::kElements:
      return v.is_gather() ? gathered(v, context)
             : v.is_half() ? written_half(v, context)
                           : written_part(v, context);
    case Source::kCompare: return compared(v, context);
    case Source::kAssembly: return written_assembly(v, context);
    case Source::kBody: return written_part(v, context);
    case Source::kPending:
    case Source::kRanks: break;
  }
  NVM_CHECK(false, "a view that only those read who made it");
  return {};
}

}  // namespace

Value materialise(const View& v, const PrimContext& context) {
  check_stack();
  Value written = made(v, context);
  const auto* vector = std::get_if<Vector>(&written);
  const bool wide = vector != nullptr && vector->length() > 1 && !vector->is_repeated() &&
                    vector->storage() == Storage::kI64;
  NVM_CHECK(!wide || context.int_bits == IntBits::k64, "a vector of INT is no wider than INT");
  return written;
}

}  // namespace nvm::vm
