#include "vm/prims/cycles.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

#include "vm/prims/alike.h"
#include "vm/prims/fold.h"
#include "vm/prims/lengths.h"
#include "vm/prims/move.h"
#include "vm/prims/operands.h"
#include "vm/prims/parallel.h"
#include "vm/prims/spread.h"

namespace nvm::vm {

namespace {

using FormulaRef = std::shared_ptr<const Formula>;
using Kind = Formula::Kind;

constexpr std::int64_t kFewest = 32;    // elements; shorter vectors are written faster than described
constexpr std::int64_t kLongest = 8;    // numbers that come over and over
constexpr std::int64_t kShuffled = 64;  // elements; shorter segments are moved by a pattern

// A few numbers that a vector of `length` elements has over and over.
struct Cycle {
  std::array<std::int64_t, kLongest> x{};
  std::int64_t count = 0;
  std::int64_t length = 0;

  void fill(std::int64_t n, std::int64_t one) {
    count = n;
    std::fill_n(x.begin(), n, one);
  }
  [[nodiscard]] std::span<const std::int64_t> numbers() const {
    return {x.data(), static_cast<std::size_t>(count)};
  }
};

// An INT vector of equal elements (count 1), or a cycle.
bool take_cycle(const Value& value, Cycle& c) {
  if (const Formula* f = formula_of(value, Kind::kCycle)) {
    c.count = f->x.length();
    c.length = f->s.total();
    for (std::int64_t i = 0; i < c.count; ++i) c.x[static_cast<std::size_t>(i)] = f->x.int_at(i);
    return true;
  }
  const auto* v = std::get_if<Vector>(&value);
  if (v == nullptr || !v->is_repeated() || v->type() != Type::kInt) return false;
  c.fill(1, v->scalar_int());
  c.length = v->length();
  return true;
}

Value cycle_value(const Cycle& c, const PrimContext& context) {
  Formula f;
  f.kind = Kind::kCycle;
  f.s = Segdes::regular(c.length / c.count, c.count);
  f.x = int_vector(*context.pool, c.numbers());
  return std::make_shared<const Formula>(std::move(f));
}

// `times` times the elements of x, as narrow as they fit.
Vector written_out(const Vector& x, std::int64_t times, const PrimContext& context) {
  const auto n = static_cast<std::size_t>(x.length());
  std::vector<std::int64_t> some;
  bool narrow = true;
  for (std::size_t i = 0; i < n; ++i) {
    some.push_back(x.int_at(static_cast<std::int64_t>(i)));
    narrow = narrow && some[i] == static_cast<std::int32_t>(some[i]);
  }
  Fresh out(context, narrow ? Storage::kI32 : Storage::kI64, times * x.length());
  const auto fill = [&](auto* to) {
    for (std::int64_t k = 0; k < times; ++k)
      for (std::size_t i = 0; i < n; ++i) *to++ = static_cast<std::remove_pointer_t<decltype(to)>>(some[i]);
  };
  if (narrow)
    fill(reinterpret_cast<std::int32_t*>(out.data()));
  else
    fill(reinterpret_cast<std::int64_t*>(out.data()));
  return out.take();
}

// The last place of a run of n.
std::int64_t last_of(const Formula& runs, std::int64_t k) {
  return runs.x.int_at(k) + runs.strides.int_at(k) * (runs.s.regular_length() - 1);
}
bool ascends(const Formula& runs, std::int64_t k) {
  return runs.strides.int_at(k) == 1 || runs.s.regular_length() == 1;
}

// Are `a` and `b` as many equally long segments, each with one cycle of runs in every segment of `along`,
// which is one of them?
bool one_cycle_each(const Formula& runs, const Segdes& a, const Segdes& b, const Segdes& along) {
  return a.is_regular() && b.is_regular() && a.segments() == b.segments() &&
         runs.s.segments() == along.segments() * runs.x.length() && runs.s.total() == along.total();
}

// Elements [begin, end) of what runs of v, in segments of `length`, give.
void copy_range(const Formula& runs, const Elements& v, std::int64_t length, std::int64_t begin,
                std::int64_t end, const PrimContext& context, const Fresh& out) {
  const std::int64_t n = runs.s.regular_length();
  const std::int64_t p = runs.x.length();
  if (n == 0 || p == 0) return;  // no elements
  const auto reverse = kernel_table(context.isa).reverse[width_index(v.storage())];
  for (std::int64_t run = begin / n; run * n < end; ++run) {
    const std::int64_t first = std::max(begin, run * n);
    const std::int64_t count = std::min(end, (run + 1) * n) - first;
    const std::int64_t from = run / p * length + runs.x.int_at(run % p);
    const std::int64_t skipped = first - run * n;
    if (ascends(runs, run % p))
      std::memcpy(out.at(first), v.at(from + skipped),
                  static_cast<std::size_t>(count) * storage_bytes(v.storage()));
    else
      reverse(v.at(from - skipped - count + 1), count, out.at(first));
  }
}

// Which elements of its segment one cycle of runs gives.
std::array<std::int64_t, kShuffled> pattern_of(const Formula& runs) {
  std::array<std::int64_t, kShuffled> from{};
  const std::int64_t n = runs.s.regular_length();
  for (std::int64_t k = 0; k < runs.x.length(); ++k)
    for (std::int64_t i = 0; i < n; ++i)
      from[static_cast<std::size_t>(k * n + i)] = runs.x.int_at(k) + i * runs.strides.int_at(k);
  return from;
}

// Elements that an operand of a move stands for; -1 if that is not known.
std::int64_t length_of(const Value& value) {
  if (const auto* v = std::get_if<Vector>(&value)) return v->length();
  const auto* f = std::get_if<FormulaRef>(&value);
  if (f == nullptr) return -1;
  const Kind kind = (*f)->kind;
  return kind == Kind::kHole || kind == Kind::kMoved || kind == Kind::kJoin ? (*f)->s.total() : -1;
}

// Of the same element by the same number, in segments of equal elements or of a cycle. False if it is
// something else, here and below; nothing has happened then.
bool replace_in_cycle(const PrimCall& call) {
  Cycle v, index, value;
  const Segdes& s = segdes_operand(call, 3);
  const std::int64_t n = s.is_regular() ? s.regular_length() : 0;
  if (n < 2 || n > kLongest || s.total() < kFewest || !take_cycle(call.operands[0], v) ||
      !take_cycle(call.operands[1], index) || !take_cycle(call.operands[2], value))
    return false;
  if (v.length != s.total() || (v.count != 1 && v.count != n) || index.count != 1 || value.count != 1 ||
      index.length != s.segments() || value.length != s.segments() || index.x[0] < 0 || index.x[0] >= n)
    return false;
  if (v.count == 1) v.fill(n, v.x[0]);
  v.x[static_cast<std::size_t>(index.x[0])] = value.x[0];
  call.results[0] = cycle_value(v, call.context);
  return true;
}

// Of equal numbers.
bool scan_to_cycle(const PrimCall& call) {
  Cycle c;
  const Segdes& s = segdes_operand(call, 1);
  const std::int64_t n = s.is_regular() ? s.regular_length() : 0;
  if (op_info(call.op).scalar != Scalar::kAdd || n < 2 || n > kLongest || s.total() < kFewest ||
      !take_cycle(call.operands[0], c) || c.count != 1 || c.length != s.total())
    return false;
  const std::int64_t each = c.x[0];
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max() / kLongest;
  if (each > kMost || each < -kMost) return false;
  c.fill(n, 0);
  for (std::int64_t i = 1; i < n; ++i) c.x[static_cast<std::size_t>(i)] = i * each;
  call.results[0] = cycle_value(c, call.context);
  return true;
}

// The same element of each cycle.
bool extract_from_cycle(const PrimCall& call) {
  Cycle c, index;
  const Segdes& s = segdes_operand(call, 2);
  if (formula_of(call.operands[0], Kind::kCycle) == nullptr || !take_cycle(call.operands[0], c) ||
      !take_cycle(call.operands[1], index) || index.count != 1 || index.length != s.segments() ||
      !s.is_regular() || s.regular_length() != c.count || s.total() != c.length || index.x[0] < 0 ||
      index.x[0] >= c.count)
    return false;
  const Vector one = Vector::of_int(c.x[static_cast<std::size_t>(index.x[0])]);
  call.results[0] = repeat_element(one, s.segments(), call.context);
  return true;
}

// Of equal lengths.
bool segdes_of_cycle(const PrimCall& call) {
  Cycle c;
  if (formula_of(call.operands[0], Kind::kCycle) == nullptr || !take_cycle(call.operands[0], c)) return false;
  const std::span<const std::int64_t> lengths = c.numbers();
  if (lengths[0] < 0 || lengths[0] >= kernels::kTooLong / c.length ||
      std::any_of(lengths.begin(), lengths.end(), [&](std::int64_t n) { return n != lengths[0]; }))
    return false;
  call.results[0] = Segdes::regular(c.length, lengths[0]);
  return true;
}

// By runs of which as many begin in every segment.
bool take_cycled(const PrimCall& call) {
  const FormulaRef held = std::get<FormulaRef>(call.operands[1]);
  const Formula& runs = *held;
  const Vector& vector = vector_operand(call, 0);
  const Segdes& from = segdes_operand(call, 2);
  const Segdes& along = segdes_operand(call, 3);
  const std::int64_t length = from.is_regular() ? from.regular_length() : 0;
  if (!one_cycle_each(runs, from, along, along) || vector.length() != from.total() || vector.is_repeated())
    return false;
  for (std::int64_t k = 0; k < runs.x.length(); ++k)
    if (std::min(runs.x.int_at(k), last_of(runs, k)) < 0 ||
        std::max(runs.x.int_at(k), last_of(runs, k)) >= length)
      return false;
  const Elements v(vector, call.context);
  Fresh out(call.context, v.storage(), along.total());
  const std::int64_t n = along.regular_length();
  const auto shuffle = kernel_table(call.context.isa).shuffle_within[width_index(v.storage())];
  if (n == length && n <= kShuffled)
    shuffle(v.data(), pattern_of(runs).data(), n, along.segments(), out.data());
  else
    for_ranges(call.context, along.total(), [&](std::int64_t begin, std::int64_t end) {
      copy_range(runs, v, length, begin, end, call.context, out);
    });
  call.results[0] = out.take();
  return true;
}

void write_operand(const PrimCall& call, int i) {
  if (const Formula* f = formula_of(call.operands[i], Kind::kCycle))
    call.operands[i] = written_cycle(*f, call.context);
}

void read_by_index(const PrimCall& call) {
  write_operand(call, 0);
  write_operand(call, 1);
  index(call);
}

// Starts or strides are a cycle, the strides 1 or -1.
bool index_by_cycle(const PrimCall& call) {
  Cycle starts, strides;
  const Segdes& s = segdes_operand(call, 2);
  if (!s.is_regular() || s.total() < kFewest || !take_cycle(call.operands[0], starts) ||
      !take_cycle(call.operands[1], strides))
    return false;
  const std::int64_t count = std::max(starts.count, strides.count);
  if (count < 2 || starts.length != s.segments() || strides.length != s.segments()) return false;
  if (starts.count == 1) starts.fill(count, starts.x[0]);
  if (strides.count == 1) strides.fill(count, strides.x[0]);
  if (starts.count != strides.count) return false;
  const std::int64_t most = call.context.int_bits == IntBits::k32 ? std::numeric_limits<std::int32_t>::max()
                                                                  : std::int64_t{1} << 62;
  for (const std::int64_t x : starts.numbers())
    if (x > most - s.regular_length() || x < s.regular_length() - most) return false;
  for (const std::int64_t stride : strides.numbers())
    if (stride != 1 && stride != -1) return false;
  Formula f;
  f.kind = Kind::kCycledRuns;
  f.s = s;
  f.x = int_vector(*call.context.pool, starts.numbers());
  f.strides = int_vector(*call.context.pool, strides.numbers());
  call.results[0] = std::make_shared<const Formula>(std::move(f));
  return true;
}

Value runs_value(const Segdes& s, Vector first) {
  Formula f;
  f.kind = Kind::kRuns;
  f.s = s;
  f.x = std::move(first);
  return std::make_shared<const Formula>(std::move(f));
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
  if (index_by_cycle(call)) return;
  write_operand(call, 0);
  write_operand(call, 1);
  const Vector& first = vector_operand(call, 0);
  const Vector& stride = vector_operand(call, 1);
  const Segdes& s = segdes_operand(call, 2);
  const bool fits = first.length() == s.segments() && stride.length() == s.segments();
  if (fits && s.total() >= kFewest && all_ones(stride) && stay_in_range(first, s, call.context))
    call.results[0] = runs_value(s, first);
  else
    index(call);
}

template <bool kLeaves>
void replace_or_leave(const PrimCall& call) {
  if (kLeaves && replace_in_cycle(call)) return;
  write_operand(call, 0);
  replace(call);
}

void scan_or_leave(const PrimCall& call) {
  if (scan_to_cycle(call)) return;
  write_repeated(call.context, call.operands[0]);
  scan(call);
}

void read_by_extract(const PrimCall& call) {
  if (extract_from_cycle(call)) return;
  write_operand(call, 0);
  extract(call);
}

void read_by_make_segdes(const PrimCall& call) {
  if (segdes_of_cycle(call)) return;
  write_operand(call, 0);
  make_segdes(call);
}

}  // namespace

PrimFn find_cycle_maker(Op op) {
  if (op == Op::kIndex) return index_or_leave;
  if (op == Op::kReplace) return replace_or_leave<true>;
  return op == Op::kAddScan ? scan_or_leave : nullptr;
}

PrimFn find_cycle_reader(Op op) {
  switch (op) {
    case Op::kIndex: return read_by_index;
    case Op::kReplace: return replace_or_leave<false>;
    case Op::kExtract: return read_by_extract;
    case Op::kMakeSegdes: return read_by_make_segdes;
    default: return nullptr;
  }
}

bool reads_cycle(Op op, std::uint32_t i, Op maker) {
  if (maker == Op::kAddScan) return op == Op::kExtract && i == 0;
  return (op == Op::kIndex && i < 2) || ((op == Op::kMakeSegdes || op == Op::kReplace) && i == 0);
}

// Runs that move nothing are done; of others that ascend the starts are written.
bool move_by_cycle(const PrimCall& call) {
  const Formula* f = formula_of(call.operands[1], Kind::kCycledRuns);
  if (f == nullptr) return false;
  if (stays_by_cycle(call.op, {call.operands, call.op == Op::kBpermute ? 4U : 5U})) {
    call.results[0] = std::move(call.operands[0]);
    return true;
  }
  if (call.op == Op::kBpermute && take_cycled(call)) return true;
  if (FormulaRef runs = plain_runs(*f, call.context)) call.operands[1] = std::move(runs);
  return false;
}

bool stays_by_cycle(Op op, std::span<const Value> operands) {
  const Formula* runs = formula_of(operands[1], Kind::kCycledRuns);
  if (runs == nullptr || (op != Op::kBpermute && op != Op::kDpermute)) return false;
  const std::size_t first = op == Op::kBpermute ? 2 : 3;
  const auto& from = std::get<Segdes>(operands[first]);
  const auto& to = std::get<Segdes>(operands[first + 1]);
  if (!one_cycle_each(*runs, from, to, from) || !from.identical(to) ||
      length_of(operands[0]) != from.total() || (first == 3 && length_of(operands[2]) != to.total()))
    return false;
  for (std::int64_t k = 0; k < runs->x.length(); ++k)
    if (runs->x.int_at(k) != k * runs->s.regular_length() || !ascends(*runs, k)) return false;
  return true;
}

Value written_cycle(const Formula& f, const PrimContext& context) {
  if (f.kind == Kind::kCycle) return written_out(f.x, f.s.segments(), context);
  const std::int64_t times = f.s.segments() / f.x.length();
  Value operands[3] = {written_out(f.x, times, context), written_out(f.strides, times, context), f.s};
  Value result;
  run_primitive(context, Op::kIndex, TypeWord::kNone, operands, {&result, 1});
  return result;
}

FormulaRef plain_runs(const Formula& f, const PrimContext& context) {
  for (std::int64_t k = 0; k < f.x.length(); ++k)
    if (!ascends(f, k)) return nullptr;
  return std::get<FormulaRef>(runs_value(f.s, written_out(f.x, f.s.segments() / f.x.length(), context)));
}

}  // namespace nvm::vm
