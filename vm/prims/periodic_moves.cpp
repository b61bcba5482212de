#include "vm/prims/periodic_moves.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "vm/prims/operands.h"
#include "vm/prims/parallel.h"
#include "vm/prims/periodic.h"
#include "vm/prims/spread.h"

namespace nvm::vm {

namespace {

constexpr std::int64_t kFewest = 32;    // elements; shorter vectors are written faster than described
constexpr std::int64_t kShuffled = 64;  // elements; shorter segments are moved by a pattern

// The last place of a run of n.
std::int64_t last_of(const View& runs, std::int64_t k) {
  return runs.base.list.int_at(k) + runs.strides.int_at(k) * (runs.s.regular_length() - 1);
}
bool ascends(const View& runs, std::int64_t k) {
  return runs.strides.int_at(k) == 1 || runs.s.regular_length() == 1;
}

// How far places in `from` are from those of the next period of runs, if the segments of `along` have whole
// periods each: one, where they are as many and equally long, or, where either is one segment, any number.
// Nothing if they do not.
std::optional<std::int64_t> advance(const View& runs, const Segdes& from, const Segdes& along) {
  if (runs.s.total() != along.total() || from.segments() != along.segments()) return std::nullopt;
  if (from.segments() == 1) return runs.base.growth;
  if (runs.base.growth != 0 || !from.is_regular() || !along.is_regular() ||
      runs.s.segments() != along.segments() * runs.base.list.length())
    return std::nullopt;
  return from.regular_length();
}

// Do all runs lie in their segment of `from`?
bool lie_within(const View& runs, const Segdes& from) {
  const std::int64_t periods = runs.s.segments() / runs.base.list.length();
  const std::int64_t length = from.segments() == 1 ? from.total() : from.regular_length();
  const std::int64_t last = (periods - 1) * runs.base.growth;  // how far the last period is
  for (std::int64_t k = 0; k < runs.base.list.length(); ++k) {
    const std::int64_t ends[2] = {runs.base.list.int_at(k), last_of(runs, k)};
    if (std::min(ends[0], ends[1]) + std::min<std::int64_t>(last, 0) < 0 ||
        std::max(ends[0], ends[1]) + std::max<std::int64_t>(last, 0) >= length)
      return false;
  }
  return true;
}

// Elements [begin, end) of what runs of v give, of which every period begins `step` behind the one before.
void copy_range(const View& runs, const Elements& v, std::int64_t step, std::int64_t begin, std::int64_t end,
                const PrimContext& context, const Fresh& out) {
  const std::int64_t n = runs.s.regular_length();
  const std::int64_t p = runs.base.list.length();
  if (n == 0 || p == 0) return;  // no elements
  const auto reverse = kernel_table(context.isa).reverse[width_index(v.storage())];
  for (std::int64_t run = begin / n; run * n < end; ++run) {
    const std::int64_t first = std::max(begin, run * n);
    const std::int64_t count = std::min(end, (run + 1) * n) - first;
    const std::int64_t from = run / p * step + runs.base.list.int_at(run % p);
    const std::int64_t skipped = first - run * n;
    if (ascends(runs, run % p))
      std::memcpy(out.at(first), v.at(from + skipped),
                  static_cast<std::size_t>(count) * storage_bytes(v.storage()));
    else
      reverse(v.at(from - skipped - count + 1), count, out.at(first));
  }
}

// Which elements of its segment one period of runs gives.
std::array<std::int64_t, kShuffled> pattern_of(const View& runs) {
  std::array<std::int64_t, kShuffled> from{};
  const std::int64_t n = runs.s.regular_length();
  for (std::int64_t k = 0; k < runs.base.list.length(); ++k)
    for (std::int64_t i = 0; i < n; ++i)
      from[static_cast<std::size_t>(k * n + i)] = runs.base.list.int_at(k) + i * runs.strides.int_at(k);
  return from;
}

// Elements that an operand of a move stands for; -1 if that is not known.
std::int64_t length_of(const Value& value) {
  if (const auto* v = std::get_if<Vector>(&value)) return v->length();
  const View* view = view_of(value);
  const bool known =
      view != nullptr && (view->source == View::Source::kPending || view->source == View::Source::kAssembly);
  return known ? view->s.total() : -1;
}

// Does one period of runs give all of as many elements, which may be shuffled in registers?
bool shuffles(const View& runs) {
  const std::int64_t n = runs.base.list.length() * runs.s.regular_length();
  if (n == 0 || n > kShuffled) return false;
  for (std::int64_t k = 0; k < runs.base.list.length(); ++k)
    if (std::max(runs.base.list.int_at(k), last_of(runs, k)) >= n) return false;
  return true;
}

bool gather_periodic(const PrimCall& call) {
  const ViewRef held = std::get<ViewRef>(call.operands[1]);
  const View& runs = *held;
  const Vector& vector = vector_operand(call, 0);
  const Segdes& from = segdes_operand(call, 2);
  const Segdes& along = segdes_operand(call, 3);
  const std::optional<std::int64_t> step = advance(runs, from, along);
  if (!step || vector.length() != from.total() || vector.is_repeated() || runs.s.total() == 0 ||
      !lie_within(runs, from))
    return false;
  const Elements v(vector, call.context);
  Fresh out(call.context, v.storage(), along.total());
  const std::int64_t n = runs.base.list.length() * runs.s.regular_length();
  const auto shuffle = kernel_table(call.context.isa).shuffle_within[width_index(v.storage())];
  const bool short_ones = *step == n && shuffles(runs);
  took(call.context, short_ones ? FastPath::kShuffle : FastPath::kTakePeriodic);
  if (short_ones) {
    const auto pattern = pattern_of(runs);
    for_ranges(call.context, along.total() / n, [&](std::int64_t begin, std::int64_t end) {
      shuffle(v.at(begin * n), pattern.data(), n, end - begin, out.at(begin * n));
    });
  } else {
    for_ranges(call.context, along.total(), [&](std::int64_t begin, std::int64_t end) {
      copy_range(runs, v, *step, begin, end, call.context, out);
    });
  }
  call.results[0] = out.take();
  return true;
}

void read_by_index(const PrimCall& call) {
  write_periodic(call, 0);
  write_periodic(call, 1);
  index(call);
}

// Starts or strides are a period, the strides 1 or -1.
bool index_periodic(const PrimCall& call) {
  Periodic starts, strides;
  const Segdes& s = segdes_operand(call, 2);
  if (!s.is_regular() || s.total() < kFewest || !take_periodic(call.operands[0], starts) ||
      !take_periodic(call.operands[1], strides))
    return false;
  const std::int64_t count = std::max(starts.count, strides.count);
  if ((count < 2 && starts.growth == 0) || strides.growth != 0 || starts.length != s.segments() ||
      strides.length != s.segments() || !starts.spread_over(count) || !strides.spread_over(count))
    return false;
  const std::int64_t most = call.context.int_bits == IntBits::k32 ? std::numeric_limits<std::int32_t>::max()
                                                                  : std::int64_t{1} << 62;
  const std::int64_t last = starts.last();
  for (const std::int64_t x : starts.numbers())
    if (std::max(x, x + last) > most - s.regular_length() ||
        std::min(x, x + last) < s.regular_length() - most)
      return false;
  for (const std::int64_t stride : strides.numbers())
    if (stride != 1 && stride != -1) return false;
  took(call.context, FastPath::kLeavePeriodicRuns);
  View f;
  f.s = s;
  f.base = {narrow_vector(*call.context.pool, starts.numbers()), starts.growth};
  f.strides = narrow_vector(*call.context.pool, strides.numbers());
  call.results[0] = make_view(std::move(f));
  return true;
}

bool all_ones(const Vector& v) {
  return v.is_repeated() ? v.repeated_element().scalar_int() == 1 : v.is_scalar() && v.scalar_int() == 1;
}

// Do no indices from `first` on leave the range of INT?
bool stay_in_range(const Vector& first, const Segdes& s, const PrimContext& context) {
  if (context.int_bits == IntBits::k64) return true;
  std::int64_t range[2] = {first.scalar_int(), first.scalar_int()};
  if (!first.is_scalar() && !first.is_repeated()) {
    if (first.storage() != Storage::kI32 || first.length() == 0) return false;
    kernel_table(context.isa).index_range[0](first.raw(), first.length(), range);
  }
  return range[1] + s.total() <= std::numeric_limits<std::int32_t>::max();
}

void index_or_leave(const PrimCall& call) {
  if (index_periodic(call)) return;
  write_periodic(call, 0);
  write_periodic(call, 1);
  const Vector& first = vector_operand(call, 0);
  const Vector& stride = vector_operand(call, 1);
  const Segdes& s = segdes_operand(call, 2);
  const bool fits = first.length() == s.segments() && stride.length() == s.segments();
  if (!fits || s.total() < kFewest || !all_ones(stride) || !stay_in_range(first, s, call.context))
    return index(call);
  took(call.context, FastPath::kLeaveRuns);
  call.results[0] = runs_view(s, first);
}

}  // namespace

PrimFn find_periodic_maker(Op op) { return op == Op::kIndex ? index_or_leave : find_number_maker(op); }

PrimFn find_periodic_reader(Op op) { return op == Op::kIndex ? read_by_index : find_number_reader(op); }

// Runs that move nothing are done; of others that ascend the starts are written.
bool move_periodic(const PrimCall& call) {
  const View* f = view_of(call.operands[1], &View::is_periodic_runs);
  if (f == nullptr) return false;
  if (stays_periodic(call.op, {call.operands, call.op == Op::kBpermute ? 4U : 5U})) {
    took(call.context, FastPath::kKeepPeriodic);
    call.results[0] = std::move(call.operands[0]);
    return true;
  }
  if (call.op == Op::kBpermute && gather_periodic(call)) return true;
  if (ViewRef runs = plain_runs(*f, call.context)) call.operands[1] = std::move(runs);
  return false;
}

bool stays_periodic(Op op, std::span<const Value> operands) {
  const View* runs = view_of(operands[1], &View::is_periodic_runs);
  if (runs == nullptr || (op != Op::kBpermute && op != Op::kDpermute)) return false;
  const std::size_t first = op == Op::kBpermute ? 2 : 3;
  const auto& from = std::get<Segdes>(operands[first]);
  const auto& to = std::get<Segdes>(operands[first + 1]);
  const std::optional<std::int64_t> step = advance(*runs, from, from);
  if (!step || !from.identical(to) || length_of(operands[0]) != from.total() ||
      (first == 3 && length_of(operands[2]) != to.total()) ||
      (runs->s.segments() > runs->base.list.length() &&
       *step != runs->base.list.length() * runs->s.regular_length()))
    return false;
  for (std::int64_t k = 0; k < runs->base.list.length(); ++k)
    if (runs->base.list.int_at(k) != k * runs->s.regular_length() || !ascends(*runs, k)) return false;
  return true;
}

ViewRef plain_runs(const View& runs, const PrimContext& context) {
  for (std::int64_t k = 0; k < runs.base.list.length(); ++k)
    if (!ascends(runs, k)) return nullptr;
  return runs_view(runs.s, written_out(runs.base.list, runs.s.segments() / runs.base.list.length(),
                                       runs.base.growth, context));
}

}  // namespace nvm::vm
