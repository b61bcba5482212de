// DIST and INDEX write each result element once and read one value per segment. Long segments are cut between
// threads. INDEX stores 32 bits in a 64-bit run when every run's ends fit; that is looked at only if there
// are few segments for their elements, else looking would cost as much as it saves.
#include "vm/prims/spread.h"

#include <algorithm>
#include <limits>

#include "vm/prims/operands.h"
#include "vm/prims/parallel.h"
#include "vm/prims/repeated.h"

namespace nvm::vm {

namespace {

constexpr std::int64_t kChunk = 1 << 16;
constexpr std::int64_t kLong = 64;  // average length from which a call per segment does not show

bool runs_fit_32(const Elements& a, const Elements& b, kernels::Segments s, std::int64_t count) {
  constexpr std::int64_t kLow = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t kHigh = std::numeric_limits<std::int32_t>::max();
  const auto fits = [](std::int64_t x) { return x >= kLow && x <= kHigh; };
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t length = s.start(k + 1) - s.start(k);
    if (length == 0) continue;
    const std::int64_t first = a.int_at(k);
    std::int64_t reach = 0;
    if (!fits(first) || __builtin_mul_overflow(b.int_at(k), length - 1, &reach) ||
        __builtin_add_overflow(first, reach, &reach) || !fits(reach))
      return false;
  }
  return true;
}

// An operand of INDEX stored as `wanted`, in memory of its own if it lies narrower.
class Widened {
 public:
  Widened(const Elements& e, Storage wanted, const PrimContext& context) : data_(e.data()) {
    if (e.storage() == wanted) return;
    memory_ = context.pool->allocate(ByteCount::of(e.length(), storage_bytes(wanted)));
    kernel_table(context.isa)
        .convert[static_cast<int>(e.storage())][static_cast<int>(wanted)](e.data(), memory_.data(),
                                                                          e.length());
    data_ = memory_.data();
  }
  [[nodiscard]] const std::byte* data() const { return data_; }

 private:
  const std::byte* data_;
  BufferRef memory_;
};

// An unboxed INT in the narrower of i32 and the run's width that holds it.
Vector narrowed(const Vector& scalar, const PrimContext& context) {
  if (scalar.type() != Type::kInt) return scalar;
  const std::int64_t x = scalar.scalar_int();
  const bool narrow = context.int_bits == IntBits::k32 || x == static_cast<std::int32_t>(x);
  return Vector::of_int(x, narrow ? Storage::kI32 : Storage::kI64);
}

Vector repeated(const Vector& scalar, std::int64_t n, const PrimContext& context) {
  took(context, FastPath::kLeaveRepeated);
  return Vector::repeated(narrowed(scalar, context), n);
}

// A run that did not wrap is known as one to those who gather by it.
void note_ascent(Vector& v, std::int64_t from) {
  std::int64_t last = 0;
  const std::int64_t most = v.storage() == Storage::kI32 ? std::numeric_limits<std::int32_t>::max()
                                                         : std::numeric_limits<std::int64_t>::max();
  if (!__builtin_add_overflow(from, v.length(), &last) && last <= most) v.note_run(from);
}

}  // namespace

Vector repeat_element(const Vector& scalar, std::int64_t n, const PrimContext& context) {
  if (n == 0) return Vector(scalar.storage(), 0, BufferRef());
  if (n > 1) return repeated(scalar, n, context);
  return scalar.type() == Type::kInt ? Vector::of_int(scalar.scalar_int()) : scalar;
}

namespace {

Vector first_element(const Vector& x, const PrimContext& context) {
  if (x.is_scalar()) return x;
  if (x.is_repeated()) return x.repeated_element();
  const Elements elements(x, context);
  switch (x.type()) {
    case Type::kFloat: return Vector::of_float(*x.data<double>());
    case Type::kBool: return Vector::of_bool(*elements.flags() != 0);
    default: return Vector::of_int(elements.int_at(0));
  }
}

}  // namespace

void run_repeating_dist(const PrimContext& context, TypeWord word, std::span<Value> operands,
                        std::span<Value> results, bool equal) {
  const PrimCall call{context, Op::kDist, word, operands.data(), results.data()};
  const Vector& x = vector_operand(call, 0);
  const Segdes& s = segdes_operand(call, 1);
  const bool one = x.is_scalar() || x.is_repeated() || equal;
  if (one && x.length() == s.segments() && s.total() > 1)
    results[0] = repeated(first_element(x, context), s.total(), context);
  else
    dist(call);
}

void dist(const PrimCall& call) {
  check_shape(call);
  const PrimContext& context = call.context;
  const Segdes& s = segdes_operand(call, 1);
  Vector& operand = vector_operand(call, 0);
  if (s.is_regular() && s.regular_length() == 1) {
    call.results[0] = std::move(operand);
    write_repeated(context, call.results[0]);  // who reads the result may want it in memory
    return;
  }
  const Elements x(operand, context);
  Fresh out(context, x.storage(), s.total());
  const int width = width_index(x.storage());
  const kernels::Table& t = kernel_table(context.isa);
  const kernels::Segments segments = kernel_segments(s);
  for_segments(
      context, segments, s.segments(), s.total(), kChunk,
      [&](std::int64_t first, std::int64_t last) {
        t.dist[width](x.data(), segments, first, last, out.data());
      },
      [&](std::int64_t k, std::int64_t begin, std::int64_t end) {
        t.dist[width](x.at(k), kernels::Segments{nullptr, end - begin}, 0, 1, out.at(begin));
      });
  call.results[0] = out.take();
}

void index(const PrimCall& call) {
  check_shape(call);
  const PrimContext& context = call.context;
  const Elements a(vector_operand(call, 0), context);
  const Elements b(vector_operand(call, 1), context);
  const Segdes& s = segdes_operand(call, 2);
  const kernels::Segments segments = kernel_segments(s);
  const bool few = s.segments() <= s.total() / 4;
  const bool narrow = context.int_bits == IntBits::k32 || (few && runs_fit_32(a, b, segments, s.segments()));
  Fresh out(context, narrow ? Storage::kI32 : Storage::kI64, s.total());
  const kernels::Table& t = kernel_table(context.isa);
  const auto part = [&](std::int64_t k, std::int64_t begin, std::int64_t end) {
    const auto skipped = static_cast<std::uint64_t>(begin - segments.start(k));
    const auto from =
        static_cast<std::uint64_t>(a.int_at(k)) + skipped * static_cast<std::uint64_t>(b.int_at(k));
    t.iota[narrow ? 0 : 1](static_cast<std::int64_t>(from), b.int_at(k), end - begin, out.at(begin));
  };
  if (s.segments() == 1 || s.segments() * kLong <= s.total()) {
    for_segments(
        context, segments, s.segments(), s.total(), kChunk,
        [&](std::int64_t first, std::int64_t last) {
          for (std::int64_t k = first; k < last; ++k) part(k, segments.start(k), segments.start(k + 1));
        },
        part);
  } else {
    const Storage wider = std::max({a.storage(), b.storage(), Storage::kI32});
    const Widened from(a, wider, context);
    const Widened by(b, wider, context);
    const auto kernel = t.runs[wider == Storage::kI32 ? 0 : 1][narrow ? 0 : 1];
    for_segments(
        context, segments, s.segments(), s.total(), kChunk,
        [&](std::int64_t first, std::int64_t last) {
          kernel(from.data(), by.data(), segments, first, last, out.data());
        },
        part);
  }
  Vector result = out.take();
  if (s.segments() == 1 && b.int_at(0) == 1) note_ascent(result, a.int_at(0));
  call.results[0] = std::move(result);
}

}  // namespace nvm::vm
