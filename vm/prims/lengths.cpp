// Lengths and descriptors: MAKE_SEGDES reads the lengths once (sum and sign together) and keeps them; offsets
// are derived when somebody asks. RAND draws block by block, in element order.
#include "vm/prims/lengths.h"

#include <algorithm>
#include <atomic>

#include "vm/prims/operands.h"
#include "vm/prims/parallel.h"

namespace nvm::vm {

namespace {

using kernels::LengthSummary;

LengthSummary summary(const PrimContext& context, const Vector& v) {
  LengthSummary all;
  if (v.is_scalar()) {
    all.total = std::min(v.scalar_int(), kernels::kTooLong);
    all.negative = all.total < 0;
    return all;
  }
  if (v.is_repeated()) {
    const std::int64_t each = v.repeated_element().scalar_int();
    all.negative = each < 0;
    all.total = length_of_all(v.length(), each);
    return all;
  }
  const Elements e(v, context);
  const Indices lengths(e, context);
  const auto kernel = kernel_table(context.isa).sum_lengths[lengths.kind()];
  const std::int64_t first = v.length() == 0 ? 0 : lengths[0];
  std::atomic<std::int64_t> total{0};
  std::atomic<bool> negative{false};
  std::atomic<bool> equal{true};
  for_ranges(context, v.length(), [&](std::int64_t begin, std::int64_t end) {
    const LengthSummary part = kernel(lengths.at(begin), end - begin, first);
    total += part.total;  // at most 2^46 from each of fewer than 2^16 chunks
    if (part.negative) negative = true;
    if (!part.equal) equal = false;
  });
  all.total = total;
  all.negative = negative;
  all.equal = equal;
  return all;
}

[[noreturn]] void negative_length(const Vector& v) {
  std::int64_t k = 0;
  while (v.int_at(k) >= 0) ++k;
  throw Fault{Fault::Kind::kSegdes, "negative length " + std::to_string(v.int_at(k)) +
                                        " in MAKE_SEGDES, segment " + std::to_string(k)};
}

template <typename T>
std::int64_t first_zero(const T* p, std::int64_t n) {
  const T* const at = std::find(p, p + n, T{0});
  return at == p + n ? -1 : at - p;
}
std::int64_t first_zero(const Elements& e) {
  switch (e.storage()) {
    case Storage::kI8: return first_zero(reinterpret_cast<const std::int8_t*>(e.data()), e.length());
    case Storage::kI32: return first_zero(reinterpret_cast<const std::int32_t*>(e.data()), e.length());
    default: return first_zero(reinterpret_cast<const std::int64_t*>(e.data()), e.length());
  }
}

// m limits from the i-th on as 64-bit integers.
void load_limits(const Elements& e, std::int64_t i, std::int64_t m, const PrimContext& context,
                 std::int64_t* to) {
  if (e.storage() == Storage::kI64) {
    std::memcpy(to, e.at(i), static_cast<std::size_t>(m) * sizeof *to);
    return;
  }
  kernel_table(context.isa)
      .convert[static_cast<int>(e.storage())][static_cast<int>(Storage::kI64)](e.at(i), to, m);
}

}  // namespace

void length(const PrimCall& call) { call.results[0] = Vector::of_int(vector_operand(call, 0).length()); }

void make_segdes(const PrimCall& call) {
  Vector& v = vector_operand(call, 0);
  const LengthSummary all = summary(call.context, v);
  if (all.negative) negative_length(v);
  static_assert(kernels::kTooLong == kTooLong);
  if (all.total >= too_long(call.context.int_bits))
    throw Fault{
        Fault::Kind::kSegdes,
        "the lengths given to MAKE_SEGDES sum to more than memory can hold" +
            std::string(call.context.int_bits == IntBits::k32 ? ", or INT of 32 bits can count" : "")};
  call.results[0] = Segdes::from_lengths(std::move(v), all.total, all.equal);
}

void lengths(const PrimCall& call) { call.results[0] = segdes_operand(call, 0).lengths(*call.context.pool); }

void rand(const PrimCall& call) {
  const PrimContext& context = call.context;
  NVM_CHECK(context.random != nullptr, "RAND needs a source");
  const Vector& operand = vector_operand(call, 0);
  const bool repeated = operand.is_repeated();
  const Vector one = repeated ? operand.repeated_element() : Vector();
  const Elements n(repeated ? one : operand, context);
  const std::int64_t length = operand.length();
  if (const std::int64_t zero = first_zero(n); zero >= 0)
    throw Fault{Fault::Kind::kRandom, "RAND below 0 at position " + std::to_string(context.first + zero)};
  Fresh out(context, wide_int(context), length);
  constexpr std::int64_t kBlock = 1024;
  const kernels::Table& t = kernel_table(context.isa);
  const auto remainder = t.checked[static_cast<int>(Scalar::kRem)][static_cast<int>(Storage::kI64)];
  std::int64_t draws[kBlock];
  std::int64_t limits[kBlock];
  if (repeated) std::fill_n(limits, kBlock, n.int_at(0));
  for (std::int64_t i = 0; i < length; i += kBlock) {
    check_stop(context.stop);
    const std::int64_t m = std::min(kBlock, length - i);
    context.random->draw(draws, m);
    if (!repeated) load_limits(n, i, m, context, limits);
    remainder(draws, limits, draws, m);
    if (context.int_bits == IntBits::k64) {
      std::copy_n(draws, m, reinterpret_cast<std::int64_t*>(out.at(i)));
    } else {
      auto* to = reinterpret_cast<std::int32_t*>(out.at(i));
      for (std::int64_t j = 0; j < m; ++j) to[j] = static_cast<std::int32_t>(draws[j]);
    }
  }
  call.results[0] = out.take();
}

}  // namespace nvm::vm
