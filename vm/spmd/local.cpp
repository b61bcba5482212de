// Instructions that each rank executes on its part alone.
#include <cstring>
#include <optional>
#include <vector>

#include "vm/interp/elements.h"
#include "vm/interp/random.h"
#include "vm/prims/operands.h"
#include "vm/prims/repeated.h"
#include "vm/spmd/rules.h"

namespace nvm::vm::spmd {

namespace {

Type result_type(const Together& t) { return letter_type(op_info(t.inst.op).results[0], t.inst.word); }

// The primitive on operands of its own; nothing if it fails there, which may be so on this rank only.
std::optional<Vector> run_alone(const Together& t, std::span<Value> operands, std::int64_t first) {
  PrimContext prims = t.prims();
  prims.first = first;
  Value result;
  try {
    run_primitive(prims, t.inst.op, t.inst.word, operands, {&result, 1});
  } catch (const Fault& fault) {
    if (strikes_one(fault.kind)) throw;
    t.parts.exchange().may_have_failed(&fault);
    return std::nullopt;
  }
  return std::get<Vector>(std::move(result));
}

}  // namespace

bool map_parts(const Together& t) {
  const std::int64_t n = t.length(0);
  if (!t.parts.is_long(n)) return false;
  const CutRef cut = t.cut(n);
  const bool fails = scalar_traps(op_info(t.inst.op).scalar, type_of_vector(t.operands[0]));
  std::vector<Value> operands;
  for (Value& operand : t.operands) {
    operands.push_back(fails ? t.parts.part(operand, cut) : t.parts.part_not_yet(operand, cut));
    operand = Value();
  }
  const int r = t.parts.rank();
  Value made;
  if (fails || !t.parts.tier().offer(t.inst, t.site, operands, {&made, 1})) {
    for (Value& operand : operands) t.parts.tier().force(operand);
    std::optional<Vector> alone = run_alone(t, operands, cut->begin(r));
    made = alone ? std::move(*alone) : t.parts.zeros(result_type(t), cut->length(r));
  }
  if (fails) t.parts.exchange().may_have_failed(nullptr);
  t.results[0] = t.parts.join(result_type(t), cut, std::move(made));
  return true;
}

namespace {

// The entries of a vector with one for each segment that a part wants.
Vector per_segment(const Together& t, const Value& value, const Segdes& s, const Cut& cut) {
  Ranges wanted;
  for (int r = 0; r < cut.ranks(); ++r) {
    if (cut.length(r) == 0)
      wanted.push_back({0, 0});
    else
      wanted.push_back({segment_of(s, cut.begin(r)), segment_of(s, cut.end(r) - 1) + 1});
  }
  return t.parts.window(value, wanted);
}

// An INT vector with another first element.
Vector with_first(const PrimContext& prims, const Vector& v, std::int64_t first) {
  if (v.is_scalar()) return Vector::of_int(first);
  Fresh out(prims, wide_int(prims), v.length());
  const std::size_t width = storage_bytes(wide_int(prims));
  for (std::int64_t i = 0; i < v.length(); ++i) {
    const std::int64_t x = i == 0 ? first : v.int_at(i);
    std::memcpy(out.at(i), &x, width);  // the low bytes come first
  }
  return out.take();
}

// What INDEX makes, if all ranks know that: null if not, or if it is another stride.
std::shared_ptr<const CountedUp> counted_up(const Value& start, const Value& stride, const Segdes& s) {
  const auto* starts = std::get_if<Vector>(&start);
  const auto* steps = std::get_if<Vector>(&stride);
  if (starts == nullptr || steps == nullptr || steps->length() == 0) return nullptr;
  if (steps->int_at(0) != 1 || (!steps->is_repeated() && !all_equal(*steps))) return nullptr;
  return std::make_shared<const CountedUp>(CountedUp{*starts, s});
}

// Of what cannot fail.
Value run_or_record(const Together& t, std::span<Value> operands) {
  Value made;
  if (!t.parts.tier().offer(t.inst, t.site, operands, {&made, 1}))
    run_primitive(t.prims(), t.inst.op, t.inst.word, operands, {&made, 1});
  return made;
}

}  // namespace

bool dist_parts(const Together& t) {
  const Segdes s = t.segdes(1);
  if (!t.parts.is_long(s.total())) return false;
  const CutRef cut = t.parts.cut_of(s.total());
  const int r = t.parts.rank();
  Value operands[] = {per_segment(t, t.operands[0], s, *cut),
                      clip(t.prims(), s, cut->begin(r), cut->end(r)).s};
  t.results[0] = t.parts.join(result_type(t), cut, run_or_record(t, operands));
  return true;
}

bool index_parts(const Together& t) {
  const Segdes s = t.segdes(2);
  if (!t.parts.is_long(s.total())) return false;
  const CutRef cut = t.parts.cut_of(s.total());
  const int r = t.parts.rank();
  const Clipped mine = clip(t.prims(), s, cut->begin(r), cut->end(r));
  Vector start = per_segment(t, t.operands[0], s, *cut);
  Vector stride = per_segment(t, t.operands[1], s, *cut);
  if (mine.inside > 0) {  // the first segment has begun elsewhere
    const auto step = static_cast<std::uint64_t>(stride.int_at(0)) * static_cast<std::uint64_t>(mine.inside);
    const std::uint64_t from = static_cast<std::uint64_t>(start.int_at(0)) + step;
    start = with_first(t.prims(), start, wrap_int(static_cast<std::int64_t>(from), t.prims().int_bits));
  }
  Value operands[] = {std::move(start), std::move(stride), mine.s};
  const auto counted = counted_up(t.operands[0], t.operands[1], s);
  t.results[0] = t.parts.join(Type::kInt, cut, run_or_record(t, operands));
  if (const Distributed* d = distributed(t.results[0])) d->counted = counted;
  return true;
}

// Each rank draws its numbers, if a generator can be entered anywhere.
bool random_parts(const Together& t) {
  const std::int64_t n = t.length(0);
  if (!t.parts.is_long(n) || t.prims().random == nullptr) return false;
  const auto draws = t.prims().random->take(n);
  if (!draws) return false;
  const CutRef cut = t.cut(n);
  const std::int64_t begin = cut->begin(t.parts.rank());
  Value operand = t.parts.part(t.operands[0], cut),
        result = t.parts.zeros(Type::kInt, cut->length(t.parts.rank()));
  PrimContext prims = t.prims();
  prims.first = begin;
  try {
    draw_again(prims, {draws->seed, draws->first + static_cast<std::uint64_t>(begin)}, {&operand, 1},
               {&result, 1});
    t.parts.exchange().may_have_failed(nullptr);
  } catch (const Fault& fault) {
    if (strikes_one(fault.kind)) throw;
    t.parts.exchange().may_have_failed(&fault);
  }
  t.results[0] = t.parts.join(Type::kInt, cut, std::get<Vector>(std::move(result)));
  return true;
}

bool shape_parts(const Together& t) {
  if (!letter_is_single(op_info(t.inst.op).results[0])) return false;
  t.results[0] = Vector::of_int(t.length(0));
  return true;
}

}  // namespace nvm::vm::spmd
