#include "vm/prims/periodic.h"

#include <limits>

#include "bytecode/table/op_kind.h"
#include "vm/prims/fold.h"
#include "vm/prims/lengths.h"
#include "vm/prims/move.h"
#include "vm/prims/operands.h"
#include "vm/prims/periodic_moves.h"
#include "vm/prims/repeated.h"
#include "vm/prims/spread.h"

namespace nvm::vm {

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();

// Are all numbers, which grow, within 32 bits? Others are not left.
bool fits(const Periodic& c) {
  constexpr std::int64_t kFar = std::int64_t{1} << 40;
  if (c.growth > kMost || c.growth < -kMost || c.length > kMost) return false;
  const std::int64_t last = c.last();
  return std::all_of(c.x.begin(), c.x.begin() + c.count, [&](std::int64_t x) {
    return x > -kFar && x < kFar && std::max(x, x + last) <= kMost && std::min(x, x + last) >= -kMost;
  });
}

Value periodic_value(const Periodic& c, const PrimContext& context) {
  took(context, FastPath::kComputePeriodic);
  if (c.count == 1 && (c.growth == 0 || c.length == 1))
    return repeat_element(Vector::of_int(c.x[0]), c.length, context);
  took(context, FastPath::kLeavePeriodic);
  View v;
  v.s = Segdes::regular(c.length, 1);
  v.base = {narrow_vector(*context.pool, c.numbers()), c.growth};
  return make_view(std::move(v));
}

// Of the same element by the same number, or by one that grows as the others do, in segments of equal
// elements or of a period. False if it is something else, here and below; nothing has happened then.
bool replace_in_periodic(const PrimCall& call) {
  Periodic v, index, value;
  const Segdes& s = segdes_operand(call, 3);
  const std::int64_t n = s.is_regular() ? s.regular_length() : 0;
  if (n < 2 || n > Periodic::kLongest || s.segments() < 1 || !take_periodic(call.operands[0], v) ||
      !take_periodic(call.operands[1], index) || !take_periodic(call.operands[2], value))
    return false;
  if (v.length != s.total() || !v.spread_over(n) || index.count != 1 || index.growth != 0 ||
      value.count != 1 || v.growth != value.growth || index.length != s.segments() ||
      value.length != s.segments() || index.x[0] < 0 || index.x[0] >= n)
    return false;
  v.x[static_cast<std::size_t>(index.x[0])] = value.x[0];
  if (v.growth != 0 && !fits(v)) return false;
  call.results[0] = periodic_value(v, call.context);
  return true;
}

// Of equal numbers: in many segments the same in all, in one segment growing.
bool scan_to_periodic(const PrimCall& call) {
  Periodic c;
  const Segdes& s = segdes_operand(call, 1);
  const std::int64_t n = s.is_regular() ? s.regular_length() : 0;
  if (op_info(call.op).scalar != Scalar::kAdd || n < 2 || !take_periodic(call.operands[0], c) ||
      c.count != 1 || c.growth != 0 || c.length != s.total())
    return false;
  const std::int64_t each = c.x[0];
  if (each > kMost / Periodic::kLongest || each < -kMost / Periodic::kLongest) return false;
  if (s.segments() == 1) {
    c.fill(1, 0);
    c.growth = each;
    if (!fits(c)) return false;
  } else if (n <= Periodic::kLongest) {
    c.fill(n, 0);
    for (std::int64_t i = 1; i < n; ++i) c.x[static_cast<std::size_t>(i)] = i * each;
  } else {
    return false;
  }
  call.results[0] = periodic_value(c, call.context);
  return true;
}

// The same element of each segment, which is a period or an element of some that grow.
bool extract_from_periodic(const PrimCall& call) {
  Periodic c, index;
  const Segdes& s = segdes_operand(call, 2);
  if (view_of(call.operands[0], &View::is_periodic) == nullptr || !take_periodic(call.operands[0], c) ||
      !take_periodic(call.operands[1], index) || index.count != 1 || index.growth != 0 ||
      index.length != s.segments() || !s.is_regular() || s.segments() < 1 || s.total() != c.length ||
      index.x[0] < 0 || index.x[0] >= s.regular_length())
    return false;
  Periodic one;
  one.length = s.segments();
  if (s.regular_length() == c.count) {
    one.fill(1, c.x[static_cast<std::size_t>(index.x[0])]);
    one.growth = c.growth;
  } else if (c.count == 1) {
    one.fill(1, c.x[0] + index.x[0] * c.growth);
    one.growth = s.regular_length() * c.growth;
  } else if (s.segments() == 1) {
    const std::int64_t i = index.x[0];
    one.fill(1, c.x[static_cast<std::size_t>(i % c.count)] + i / c.count * c.growth);
  } else if (s.regular_length() % c.count == 0) {
    const std::int64_t i = index.x[0];
    one.fill(1, c.x[static_cast<std::size_t>(i % c.count)] + i / c.count * c.growth);
    one.growth = s.regular_length() / c.count * c.growth;
  } else {
    return false;
  }
  if (one.growth != 0 && !fits(one)) return false;
  call.results[0] = periodic_value(one, call.context);
  return true;
}

// Sum or difference of what grows evenly and what grows so or not.
bool add_periodic(const PrimCall& call) {
  Periodic a, b;
  if (!take_periodic(call.operands[0], a) || !take_periodic(call.operands[1], b) || a.length != b.length ||
      (a.growth == 0 && b.growth == 0) || a.count != 1 || b.count != 1)
    return false;
  constexpr std::int64_t kFar = std::int64_t{1} << 40;
  if (std::max(a.x[0], b.x[0]) > kFar || std::min(a.x[0], b.x[0]) < -kFar) return false;
  const std::int64_t sign = op_info(call.op).scalar == Scalar::kAdd ? 1 : -1;
  a.x[0] += sign * b.x[0];
  a.growth += sign * b.growth;
  if (!fits(a)) return false;
  call.results[0] = periodic_value(a, call.context);
  return true;
}

// Of equal lengths.
bool segdes_of_periodic(const PrimCall& call) {
  Periodic c;
  if (view_of(call.operands[0], &View::is_periodic) == nullptr || !take_periodic(call.operands[0], c))
    return false;
  const std::span<const std::int64_t> lengths = c.numbers();
  if (c.growth != 0 || length_of_all(c.length, lengths[0]) >= too_long(call.context.int_bits) ||
      std::any_of(lengths.begin(), lengths.end(), [&](std::int64_t n) { return n != lengths[0]; }))
    return false;
  took(call.context, FastPath::kComputePeriodic);
  call.results[0] = Segdes::regular(c.length, lengths[0]);
  return true;
}

template <bool kLeaves>
void replace_or_leave(const PrimCall& call) {
  if (kLeaves && replace_in_periodic(call)) return;
  write_periodic(call, 0);
  write_periodic(call, 2);
  replace(call);
}

void scan_or_leave(const PrimCall& call) {
  if (scan_to_periodic(call)) return;
  write_repeated(call.context, call.operands[0]);
  scan(call);
}

void add_or_leave(const PrimCall& call) {
  if (add_periodic(call)) return;
  write_periodic(call, 0);
  write_periodic(call, 1);
  run_primitive(call.context, call.op, call.word, {call.operands, 2}, {call.results, 1});
}

// `kLeaves`: the result may grow.
template <bool kLeaves>
void extract_or_leave(const PrimCall& call) {
  if (extract_from_periodic(call)) {
    if (const View* made = view_of(call.results[0]); !kLeaves && made != nullptr)
      call.results[0] = materialise(*made, call.context);
    return;
  }
  write_periodic(call, 0);
  extract(call);
}

void read_by_make_segdes(const PrimCall& call) {
  if (segdes_of_periodic(call)) return;
  write_periodic(call, 0);
  make_segdes(call);
}

}  // namespace

bool take_periodic(const Value& value, Periodic& c) {
  if (const View* view = view_of(value, &View::is_periodic)) {
    c.count = view->base.list.length();
    c.length = view->s.total();
    c.growth = view->base.growth;
    for (std::int64_t i = 0; i < c.count; ++i) c.x[static_cast<std::size_t>(i)] = view->base.list.int_at(i);
    return true;
  }
  const auto* v = std::get_if<Vector>(&value);
  if (v == nullptr || !(v->is_repeated() || v->is_scalar()) || v->type() != Type::kInt) return false;
  c.fill(1, v->scalar_int());
  c.length = v->length();
  c.growth = 0;
  return true;
}

Vector narrow_vector(Pool& pool, std::span<const std::int64_t> numbers) {
  const bool narrow = std::all_of(numbers.begin(), numbers.end(),
                                  [](std::int64_t n) { return n == static_cast<std::int32_t>(n); });
  return int_vector(pool, numbers, narrow ? Storage::kI32 : Storage::kI64);
}

Vector written_out(const Vector& x, std::int64_t times, std::int64_t growth, const PrimContext& context) {
  std::vector<std::int64_t> some;
  const std::int64_t last = times > 0 ? (times - 1) * growth : 0;
  bool narrow = true;
  for (std::int64_t i = 0; i < x.length(); ++i) {
    some.push_back(x.int_at(i));
    for (const std::int64_t n : {some.back(), some.back() + last})
      narrow = narrow && n == static_cast<std::int32_t>(n);
  }
  Fresh out(context, narrow ? Storage::kI32 : Storage::kI64, times * x.length());
  const auto fill = [&](auto* to) {
    for (std::int64_t k = 0; k < times; ++k)
      for (const std::int64_t n : some)
        *to++ = static_cast<std::remove_pointer_t<decltype(to)>>(n + k * growth);
  };
  if (narrow)
    fill(reinterpret_cast<std::int32_t*>(out.data()));
  else
    fill(reinterpret_cast<std::int64_t*>(out.data()));
  return out.take();
}

void write_periodic(const PrimCall& call, int i) {
  const View* view = view_of(call.operands[i], View::Source::kNumbers);
  if (view != nullptr && (view->is_periodic() || view->is_spread()))
    call.operands[i] = materialise(*view, call.context);
}

bool dist_periodic(const PrimCall& call) {
  if (view_of(call.operands[0], &View::is_periodic) == nullptr) return false;
  Periodic c;
  const Segdes& s = segdes_operand(call, 1);
  const std::int64_t n = s.is_regular() ? s.regular_length() : 0;
  if (n < 1 || n > Periodic::kLongest || !take_periodic(call.operands[0], c) || c.count != 1 ||
      c.length != s.segments()) {
    write_periodic(call, 0);
    return false;
  }
  c.fill(n, c.x[0]);
  c.length = s.total();
  call.results[0] = periodic_value(c, call.context);
  return true;
}

PrimFn find_number_maker(Op op) {
  if (op == Op::kReplace) return replace_or_leave<true>;
  return op == Op::kAddScan ? scan_or_leave : nullptr;
}

PrimFn find_number_reader(Op op) {
  switch (op) {
    case Op::kReplace: return replace_or_leave<false>;
    case Op::kExtract: return extract_or_leave<false>;
    case Op::kMakeSegdes: return read_by_make_segdes;
    default: return nullptr;
  }
}

PrimFn find_growing_maker(Op op) {
  if (op_kind(op) == OpKind::kExtract) return extract_or_leave<true>;
  return map_algebra(op) == Algebra::kLinear ? add_or_leave : nullptr;
}

}  // namespace nvm::vm
