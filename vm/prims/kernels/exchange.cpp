// The two halves of segments compared and exchanged, element by element: one step of a sorting network. Each
// element is read and written once; where halves are shorter than a register, in registers.
#include <utility>

#include "vm/prims/kernels/isa.h"

namespace nvm::vm::kernels::NVM_ISA {

namespace {

template <typename T>
struct Register {
  static constexpr i64 kLanes = NVM_VECTOR_BYTES / sizeof(T);
  typedef T Lanes __attribute__((vector_size(NVM_VECTOR_BYTES)));
  typedef T Memory __attribute__((vector_size(NVM_VECTOR_BYTES), aligned(sizeof(T)), may_alias));
  static Lanes load(const T* p) { return *reinterpret_cast<const Memory*>(p); }
  static void store(T* p, Lanes x) { *reinterpret_cast<Memory*>(p) = x; }
};

// Segments of two times kHalf, of which a register has some, n elements in all.
template <typename T, i64 kHalf, std::size_t... kLane>
void exchange_lanes(const T* v, i64 n, bool turned, T* out, std::index_sequence<kLane...>) {
  using R = Register<T>;
  using Lanes = typename R::Lanes;
  constexpr Lanes kSecond = {(kLane & kHalf) != 0 ? T{-1} : T{0}...};
  const Lanes most = turned ? ~kSecond : kSecond;
  const auto in_order = [&](Lanes x) {
    const Lanes y = __builtin_shufflevector(x, x, (kLane ^ kHalf)...);
    const Lanes lesser = x < y ? x : y;
    const Lanes greater = x < y ? y : x;
    return most != 0 ? greater : lesser;
  };
  i64 i = 0;
  for (; i + R::kLanes <= n; i += R::kLanes) R::store(out + i, in_order(R::load(v + i)));
  if (i == n) return;
  T rest[R::kLanes] = {};
  for (i64 k = i; k < n; ++k) rest[k - i] = v[k];
  R::store(rest, in_order(R::load(rest)));
  for (i64 k = i; k < n; ++k) out[k] = rest[k - i];
}

template <typename T>
void exchange_far(const T* v, i64 half, i64 count, bool turned, T* out) {
  using R = Register<T>;
  for (i64 k = 0; k < count; ++k, v += 2 * half, out += 2 * half) {
    T* low = turned ? out + half : out;
    T* high = turned ? out : out + half;
    for (i64 i = 0; i < half; i += R::kLanes) {
      const auto x = R::load(v + i);
      const auto y = R::load(v + half + i);
      R::store(low + i, x < y ? x : y);
      R::store(high + i, x < y ? y : x);
    }
  }
}

template <typename T>
bool exchange(const void* pv, i64 half, i64 count, bool turned, void* pout) {
  constexpr i64 kLanes = Register<T>::kLanes;
  const T* v = static_cast<const T*>(pv);
  T* out = static_cast<T*>(pout);
  if (half > 0 && half % kLanes == 0) {
    exchange_far(v, half, count, turned, out);
    return true;
  }
  const auto near = [&]<i64 kHalf>(std::integral_constant<i64, kHalf>) {
    if constexpr (kHalf < kLanes)
      exchange_lanes<T, kHalf>(v, 2 * kHalf * count, turned, out, std::make_index_sequence<kLanes>());
    return kHalf < kLanes;
  };
  switch (half) {
    case 1: return near(std::integral_constant<i64, 1>());
    case 2: return near(std::integral_constant<i64, 2>());
    case 4: return near(std::integral_constant<i64, 4>());
    case 8: return near(std::integral_constant<i64, 8>());
    default: return false;
  }
}

}  // namespace

void fill_exchange(Table& t) {
  t.exchange[0] = exchange<i32>;
  t.exchange[1] = exchange<i64>;
}

}  // namespace nvm::vm::kernels::NVM_ISA
