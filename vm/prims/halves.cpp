#include "vm/prims/halves.h"

#include <algorithm>

#include "vm/prims/move_parts.h"
#include "vm/prims/operands.h"

namespace nvm::vm {

namespace {

using FormulaRef = std::shared_ptr<const Formula>;
using Kind = Formula::Kind;

bool same_segments(const Segdes& a, const Segdes& b) { return a.identical(b) || a == b; }

// Are the places of `call`, which moves a half, those of its segments one after the other?
bool moves_segments(const PrimCall& call, const Formula& half) {
  const Formula* runs = formula_of(call.operands[1], Kind::kRuns);
  return runs != nullptr && same_segments(runs->s, half.s) && same_segments(segdes_operand(call, 3), half.s);
}

bool all_zero(const Vector& v) {
  if (v.is_scalar() || v.is_repeated()) return v.scalar_int() == 0;
  const auto zero = [&](auto type) {
    const auto* p = v.data<decltype(type)>();
    return std::all_of(p, p + v.length(), [](auto x) { return x == 0; });
  };
  return v.storage() == Storage::kI32 ? zero(std::int32_t{})
                                      : v.storage() == Storage::kI64 && zero(std::int64_t{});
}

// f with the elements of an INT vector of 32 or 64 bits; false for others.
template <typename F>
bool with_ints(const Vector& v, F f) {
  if (v.storage() == Storage::kI32) return f(v.data<std::int32_t>());
  return v.storage() == Storage::kI64 && f(v.data<std::int64_t>());
}

// Are the numbers of v the lengths of s?
bool are_lengths(const Vector& v, const Segdes& s, Pool& pool) {
  if (v.length() != s.segments() || v.is_repeated()) return false;
  if (v.is_scalar()) return v.scalar_int() == s.total();
  const Vector lengths = s.lengths(pool);
  if (v.storage() == lengths.storage() && v.raw() == lengths.raw()) return true;
  return with_ints(v, [&](const auto* p) {
    return with_ints(lengths, [&](const auto* q) {
      std::int64_t differ = 0;
      for (std::int64_t k = 0; k < v.length(); ++k) differ |= std::int64_t{p[k]} ^ std::int64_t{q[k]};
      return differ == 0;
    });
  });
}

// Are the segments of `all` as long as those of a and b together?
bool add_up(const Segdes& a, const Segdes& b, const Segdes& all, Pool& pool) {
  if (a.segments() != all.segments() || a.total() + b.total() != all.total()) return false;
  if (a.segments() == 1) return true;
  const Vector la = a.lengths(pool);
  const Vector lb = b.lengths(pool);
  const Vector lc = all.lengths(pool);
  return with_ints(la, [&](const auto* p) {
    return with_ints(lb, [&](const auto* q) {
      return with_ints(lc, [&](const auto* sum) {
        std::int64_t differ = 0;
        for (std::int64_t k = 0; k < all.segments(); ++k)
          differ |= (std::int64_t{p[k]} + std::int64_t{q[k]}) ^ std::int64_t{sum[k]};
        return differ == 0;
      });
    });
  });
}

// The DPERMUTE of a first half: waits.
bool begin(const PrimCall& call, const Formula& half, const FormulaRef& held) {
  const auto* defaults = std::get_if<Vector>(&call.operands[2]);
  const Segdes& source = segdes_operand(call, 3);
  const Segdes& all = segdes_operand(call, 4);
  if (defaults == nullptr || source.segments() != all.segments() || defaults->length() != all.total() ||
      !moves_segments(call, half) || !all_zero(formula_of(call.operands[1], Kind::kRuns)->x) ||
      !add_up(half.s, half.other, all, *call.context.pool))
    return false;
  JoinPart part;
  part.half = held;
  part.runs = std::get<FormulaRef>(call.operands[1]);
  part.source = source;
  took(call.context, FastPath::kLeaveJoin);
  call.results[0] = waiting_join(all, *defaults, {std::move(part)});
  return true;
}

// The DPERMUTE of the second half over that of the first: all lies where it belongs.
bool finish(const PrimCall& call, const Formula& second, const Formula& waiting) {
  Pool& pool = *call.context.pool;
  if (waiting.parts.size() != 1 || waiting.parts[0].half == nullptr) return false;
  const Formula& first = *waiting.parts[0].half;
  const Segdes& all = segdes_operand(call, 4);
  if (first.second || first.left.raw() != second.left.raw() || !same_segments(first.s, second.other) ||
      !same_segments(waiting.s, all) || !moves_segments(call, second) ||
      !are_lengths(formula_of(call.operands[1], Kind::kRuns)->x, first.s, pool))
    return false;
  took(call.context, FastPath::kJoinHalves);
  call.results[0] = second.left;
  return true;
}

}  // namespace

void make_halves(const Vector& joined, const Segdes& first, const Segdes& second, Value& first_half,
                 Value& second_half) {
  Formula f;
  f.kind = Kind::kHalf;
  f.left = joined;
  f.s = first;
  f.other = second;
  Formula g = f;
  std::swap(g.s, g.other);
  g.second = true;
  first_half = std::make_shared<const Formula>(std::move(f));
  second_half = std::make_shared<const Formula>(std::move(g));
}

Value written_half(const Formula& half, const PrimContext& context) {
  if (half.other.total() == 0) return half.left;
  const auto width = static_cast<std::int64_t>(storage_bytes(half.left.storage()));
  Fresh out(context, half.left.storage(), half.s.total());
  const std::byte* from = half.left.raw();
  std::byte* to = out.data();
  for (std::int64_t k = 0; k < half.s.segments(); ++k) {
    const std::int64_t skipped = half.other.length(k) * width;
    const std::int64_t bytes = half.s.length(k) * width;
    if (half.second) from += skipped;
    if (bytes > 0 && from != nullptr) std::memcpy(to, from, static_cast<std::size_t>(bytes));
    from += half.second ? bytes : bytes + skipped;
    to += bytes;
  }
  return out.take();
}

bool join_halves(const PrimCall& call, bool may_wait) {
  const Formula* half = formula_of(call.operands[0], Kind::kHalf);
  if (half == nullptr) return false;
  const FormulaRef held = std::get<FormulaRef>(call.operands[0]);
  if (!half->second) return may_wait && begin(call, *half, held);
  const Formula* waiting = formula_of(call.operands[2], Kind::kJoin);
  return waiting != nullptr && finish(call, *half, *waiting);
}

}  // namespace nvm::vm
