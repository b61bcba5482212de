#include "vm/prims/halves.h"

#include <algorithm>

#include "vm/prims/move_parts.h"
#include "vm/prims/operands.h"

namespace nvm::vm {

namespace {

bool same_segments(const Segdes& a, const Segdes& b) { return a.identical(b) || a == b; }

// Are the places of `call`, which moves a half, those of its segments one after the other?
bool moves_segments(const PrimCall& call, const View& half) {
  const View* runs = view_of(call.operands[1], &View::is_runs);
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
bool begin(const PrimCall& call, const View& half, const ViewRef& held) {
  const auto* defaults = std::get_if<Vector>(&call.operands[2]);
  const Segdes& source = segdes_operand(call, 3);
  const Segdes& all = segdes_operand(call, 4);
  if (defaults == nullptr || source.segments() != all.segments() || defaults->length() != all.total() ||
      !moves_segments(call, half) || !all_zero(view_of(call.operands[1], &View::is_runs)->base.list) ||
      !add_up(half.s, half.other, all, *call.context.pool))
    return false;
  JoinPart part;
  part.view = held;
  part.runs = std::get<ViewRef>(call.operands[1]);
  part.source = source;
  took(call.context, FastPath::kLeaveJoin);
  call.results[0] = waiting_join(all, *defaults, {std::move(part)});
  return true;
}

// The DPERMUTE of the second half over that of the first: all lies where it belongs.
bool finish(const PrimCall& call, const View& second, const View& waiting) {
  Pool& pool = *call.context.pool;
  if (waiting.parts.size() != 1 || waiting.parts[0].view == nullptr || !waiting.parts[0].view->is_half())
    return false;
  const View& first = *waiting.parts[0].view;
  const Segdes& all = segdes_operand(call, 4);
  if (first.half != View::Half::kFirst || first.x.raw() != second.x.raw() ||
      !same_segments(first.s, second.other) || !same_segments(waiting.s, all) ||
      !moves_segments(call, second) ||
      !are_lengths(view_of(call.operands[1], &View::is_runs)->base.list, first.s, pool))
    return false;
  took(call.context, FastPath::kJoinHalves);
  call.results[0] = second.x;
  return true;
}

}  // namespace

void make_halves(const Vector& joined, const Segdes& first, const Segdes& second, Value& first_half,
                 Value& second_half) {
  View f;
  f.source = View::Source::kElements;
  f.half = View::Half::kFirst;
  f.x = joined;
  f.s = first;
  f.other = second;
  View g = f;
  std::swap(g.s, g.other);
  g.half = View::Half::kSecond;
  first_half = make_view(std::move(f));
  second_half = make_view(std::move(g));
}

Value written_half(const View& half, const PrimContext& context) {
  if (half.other.total() == 0) return half.x;
  const auto width = static_cast<std::int64_t>(storage_bytes(half.x.storage()));
  Fresh out(context, half.x.storage(), half.s.total());
  const std::byte* from = half.x.raw();
  std::byte* to = out.data();
  const bool second = half.half == View::Half::kSecond;
  for (std::int64_t k = 0; k < half.s.segments(); ++k) {
    const std::int64_t skipped = half.other.length(k) * width;
    const std::int64_t bytes = half.s.length(k) * width;
    if (second) from += skipped;
    if (bytes > 0 && from != nullptr) std::memcpy(to, from, static_cast<std::size_t>(bytes));
    from += second ? bytes : bytes + skipped;
    to += bytes;
  }
  return out.take();
}

bool join_halves(const PrimCall& call, bool may_wait) {
  const View* half = view_of(call.operands[0], &View::is_half);
  if (half == nullptr) return false;
  const ViewRef held = std::get<ViewRef>(call.operands[0]);
  if (half->half == View::Half::kFirst) return may_wait && begin(call, *half, held);
  const View* waiting = view_of(call.operands[2], View::Source::kJoin);
  return waiting != nullptr && finish(call, *half, *waiting);
}

}  // namespace nvm::vm
