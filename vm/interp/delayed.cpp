#include "vm/interp/delayed.h"

#include <algorithm>

#include "vm/interp/moved.h"
#include "vm/prims/permute_run.h"
#include "vm/prims/pull.h"
#include "vm/prims/repeated.h"
#include "vm/prims/transposed.h"

namespace nvm::vm {

namespace {

constexpr std::int64_t kWorth = 1 << 14;  // elements

// Does INDEX count on in `s` from 0, 1, ... by as many as there are segments? Then it says where the elements
// of rows stand among those of columns.
bool counts_by_columns(const Vector& from, const Vector& stride, const Segdes& s) {
  const std::int64_t rows = s.segments();
  return s.is_regular() && from.length() == rows && stride.length() == rows && from.run_from() == 0 &&
         stride.int_at(0) == rows && (stride.is_repeated() || all_equal(stride));
}

// INDEX of one segment with stride one stays a run, that of columns strided.
bool leave_run(const PrimContext& context, std::span<const Value> operands, Value& result) {
  const auto* from = std::get_if<Vector>(&operands[0]);
  const auto* stride = std::get_if<Vector>(&operands[1]);
  const auto* s = std::get_if<Segdes>(&operands[2]);
  if (from == nullptr || stride == nullptr || s == nullptr || s->total() < kWorth) return false;
  const bool one =
      s->segments() == 1 && from->is_scalar() && stride->is_scalar() && stride->scalar_int() == 1;
  if (!one && (s->segments() < 2 || !counts_by_columns(*from, *stride, *s))) return false;
  took(context, one ? FastPath::kLeaveRuns : FastPath::kLeaveStrided);
  result = one ? runs_view(*s, *from) : runs_view(*s, *from, *stride);
  return true;
}

// The places by which PERMUTE moves `length` elements of one segment; null if it does something else.
const Vector* places_of(std::span<const Value> operands, std::int64_t length) {
  const auto* places = std::get_if<Vector>(&operands[1]);
  const auto* s = std::get_if<Segdes>(&operands[2]);
  const bool fits = places != nullptr && s != nullptr && s->segments() == 1 && s->total() == length &&
                    places->length() == length && !places->is_repeated();
  return fits ? places : nullptr;
}

// PERMUTE of `v`, one segment, by places that count on along columns.
bool permute_by_columns(const PrimContext& context, const View& places, const Value& v, const Segdes& s,
                        Value& result) {
  const auto* from = std::get_if<Vector>(&v);
  const std::int64_t n = places.s.total();
  if (from == nullptr || from->is_repeated() || s.segments() != 1 || s.total() != n || from->length() != n)
    return false;
  if (!places.is_strided()) return false;
  result = transposed(context, *from, places.s.segments(), places.s.regular_length());
  return true;
}

bool permute_delayed(const PrimContext& context, std::span<Value> operands, bool may_repeat, Value& result) {
  if (const auto* places = std::get_if<ViewRef>(&operands[1])) {
    if (permute_by_columns(context, **places, operands[0], std::get<Segdes>(operands[2]), result))
      return true;
    operands[1] = materialise(**places, context);
  }
  if (const auto* run = std::get_if<ViewRef>(operands.data())) {
    const View& f = **run;
    const Vector* places = f.is_runs() ? places_of(operands, f.s.total()) : nullptr;
    if (places != nullptr && permute_run(context, f.base.list.scalar_int(), *places, result)) return true;
    operands[0] = materialise(f, context);
    return false;
  }
  const auto* v = std::get_if<Vector>(operands.data());
  if (v == nullptr || !v->is_repeated()) return false;
  // Places that are named twice leave others without an element, which become zero.
  const Vector* places = may_repeat ? places_of(operands, v->length()) : nullptr;
  if (places != nullptr && v->type() == Type::kInt && v->repeated_element().scalar_int() == 0 &&
      indices_inside(context, *places, v->length())) {
    took(context, FastPath::kPermuteRepeated);
    result = std::move(operands[0]);
    return true;
  }
  write_repeated(context, operands[0]);
  return false;
}

bool is_delayed(const Value& value) {
  const auto* v = std::get_if<Vector>(&value);
  return v != nullptr ? v->is_repeated() : std::holds_alternative<ViewRef>(value);
}

enum class Masked : std::uint8_t { kUnknown, kAll, kNone };

// The INT that all `length` elements of a vector are, if that is known; a hook may have promised it.
std::optional<std::int64_t> repeated_int(const Value& value, std::int64_t length, const RegionHook* hook) {
  const auto* v = std::get_if<Vector>(&value);
  if (v == nullptr) return hook != nullptr ? hook->repeated(value, length) : std::nullopt;
  if (v->type() != Type::kInt || v->length() != length) return {};
  if (v->is_scalar()) return v->scalar_int();
  return v->is_repeated() ? std::optional(v->repeated_element().scalar_int()) : std::nullopt;
}

// What an instruction that masks or shifts by one number leaves of elements whose bits
// are known.
Masked masked(const Vector& v, Op op, const Value& by, IntBits width, const RegionHook* hook) {
  const auto bits = v.known_bits();
  if (!bits) return Masked::kUnknown;
  const std::optional<std::int64_t> number = repeated_int(by, v.length(), hook);
  if (!number) return Masked::kUnknown;
  const std::int64_t x = *number;
  std::int64_t left = 0;
  const bool mask = map_algebra(op) == Algebra::kMask;
  if (mask)
    left = *bits & x;
  else
    left = *bits >> (x & (width == IntBits::k32 ? 31 : 63));
  if (left == 0) return Masked::kNone;
  return left == *bits && (mask || x == 0) ? Masked::kAll : Masked::kUnknown;
}

}  // namespace

bool Delayed::follows(const Step& step) const {
  if (!views_.delayed || !step.crosses || op_info(step.op).kind != OpKind::kMap) return false;
  const Operand* operands = at_.operands_of(step);
  const auto* v = std::get_if<Vector>(&at_.peek(operands[0]));
  if (v == nullptr || v->length() < kWorth) return false;
  const Masked left = masked(*v, step.op, at_.peek(operands[1]), machine_.prims.int_bits, machine_.hook);
  return left == Masked::kAll || (left == Masked::kNone && step.leaves.has(Form::kInvariant));
}

// A hook records elementwise instructions on what is written and counts what it takes; what nobody writes it
// never sees.
bool Delayed::stays(const Step& step, Value& result) {
  if (machine_.hook == nullptr) return leave(step, result);
  const std::span<Value> operands(at_.scratch.data(), step.operands);
  if (op_info(step.op).kind == OpKind::kScatter && std::any_of(operands.begin(), operands.end(), is_delayed))
    for (Value& operand : operands) force(operand);
  const std::int64_t work = accounts_.counts() ? accounts_.work_of(step, operands) : 0;
  std::optional<Moving> moving;
  if (accounts_.counts_moved())
    for (moving.emplace(step.op); const Value& operand : operands) moving->reads(operand);
  if (!leave(step, result)) return false;
  accounts_.note_delayed(step);
  accounts_.note_line(step);
  if (accounts_.counts()) accounts_.count(step, work);
  if (!moving) return true;
  moving->writes(result);
  accounts_.moved(moving->bytes());
  return true;
}

// True: the result is there, or left. Operands are in at_.scratch; those that only others would understand
// are written.
bool Delayed::leave(const Step& step, Value& result) {
  const std::span<Value> operands(at_.scratch.data(), step.operands);
  const PrimContext& context = machine_.prims;
  switch (op_info(step.op).kind) {
    case OpKind::kIota: return leave_run(context, operands, result);
    case OpKind::kScatter:
      return permute_delayed(context, operands, step.leaves.has(Form::kInvariant), result);
    case OpKind::kReduce: {
      const auto* v = std::get_if<Vector>(operands.data());
      return v != nullptr && v->is_repeated() &&
             run_repeated({context, step.op, step.word, operands.data(), &result});
    }
    default: break;
  }
  const auto* v = std::get_if<Vector>(operands.data());
  if (v == nullptr || v->length() < kWorth) return false;
  const Masked left = masked(*v, step.op, operands[1], context.int_bits, machine_.hook);
  if (left == Masked::kAll)
    result = std::move(operands[0]);
  else if (left == Masked::kNone && step.leaves.has(Form::kInvariant))
    result = Vector::repeated(Vector::of_int(0, Storage::kI32), v->length());
  else
    return false;
  took(context, FastPath::kMaskKnown);
  return true;
}

void Delayed::finish(const Step& step, std::int32_t slot) {
  for (std::uint32_t i = 0; i < step.operands; ++i) release(at_.scratch[i]);
  if (slot < 0) release(at_.outputs[0]);
}

}  // namespace nvm::vm
