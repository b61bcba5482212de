// Writes the vectors that formulas stand for.
#include <optional>

#include "bytecode/base/stack.h"
#include "vm/prims/cycles.h"
#include "vm/prims/flagged.h"
#include "vm/prims/formula.h"
#include "vm/prims/halves.h"
#include "vm/prims/move.h"
#include "vm/prims/operands.h"
#include "vm/prims/part_maps.h"
#include "vm/prims/spread.h"

namespace nvm::vm {

namespace {

using Kind = Formula::Kind;

// By INDEX; `strides`: one for each segment.
Value counted(const Formula& f, Vector strides, const PrimContext& context) {
  Value operands[3] = {f.x, std::move(strides), f.s};
  Value result;
  index({context, Op::kIndex, TypeWord::kNone, operands, &result});
  return result;
}

Value distributed(const Formula& f, const PrimContext& context) {
  Value operands[2] = {f.x, f.s};
  Value result;
  dist({context, Op::kDist, TypeWord::kNone, operands, &result});
  return result;
}

Value compared(const Formula& f, const PrimContext& context) {
  Value sides[2] = {f.left, distributed(f, context)};
  Value result;
  run_primitive(context, elementwise_op(f.compare),
                f.x.type() == Type::kFloat ? TypeWord::kFloat : TypeWord::kInt, sides, {&result, 1});
  return result;
}

Value pulled(const Formula& f, const PrimContext& context) {
  Value operands[4] = {f.x, f.left, Segdes::regular(1, f.x.length()), f.s};
  Value result;
  run_primitive(context, Op::kBpermute, word_of(f.x.type()), operands, {&result, 1});
  return result;
}

std::optional<FastPath> writing(Kind kind) {
  switch (kind) {
    case Kind::kSpread: return FastPath::kWriteSpread;
    case Kind::kRuns: return FastPath::kWriteRuns;
    case Kind::kStrided: return FastPath::kWriteStrided;
    case Kind::kPulled: return FastPath::kWritePull;
    case Kind::kCompare: return FastPath::kWriteCompare;
    case Kind::kJoin: return FastPath::kWriteJoin;
    case Kind::kHalf: return FastPath::kWriteHalf;
    case Kind::kPlaces: return FastPath::kWritePlaces;
    case Kind::kPart: return FastPath::kWritePart;
    case Kind::kMapped: return FastPath::kWriteMap;
    case Kind::kCycle: return FastPath::kWriteCycle;
    case Kind::kCycledRuns: return FastPath::kWriteCycledRuns;
    case Kind::kRanks:
    case Kind::kHole:
    case Kind::kMoved: break;
  }
  return std::nullopt;
}

}  // namespace

Value write_formula(const Formula& f, const PrimContext& context) {
  check_stack();
  if (const auto path = writing(f.kind)) took(context, *path);
  const std::int64_t k = f.s.segments();
  switch (f.kind) {
    case Kind::kSpread: return distributed(f, context);
    case Kind::kRuns:
      return counted(f, k > 1 ? Vector::repeated(Vector::of_int(1), k) : Vector::of_int(1), context);
    case Kind::kStrided: return counted(f, f.strides, context);
    case Kind::kPulled: return pulled(f, context);
    case Kind::kCompare: return compared(f, context);
    case Kind::kJoin: return written_join(f, context);
    case Kind::kHalf: return written_half(f, context);
    case Kind::kPlaces: return written_flagged(f, context);
    case Kind::kPart:
    case Kind::kMapped: return written_part(f, context);
    case Kind::kCycle:
    case Kind::kCycledRuns: return written_cycle(f, context);
    case Kind::kRanks:
    case Kind::kHole:
    case Kind::kMoved: break;
  }
  NVM_CHECK(false, "a formula that only those read who made it");
  return {};
}

}  // namespace nvm::vm
