// Copies and runs: results written once. Short segments end in masked stores with AVX-512, so that their
// lengths cost no branches.
#include "vm/prims/kernels/isa.h"
#if NVM_VECTOR_BYTES == 64
#include <immintrin.h>
#endif

namespace nvm::vm::kernels::NVM_ISA {

namespace {

template <typename T>
void iota(i64 from, i64 step, i64 n, void* pout) {
  using U = typename Unsigned<T>::type;
  T* out = static_cast<T*>(pout);
  const U first = static_cast<U>(from);
  const U by = static_cast<U>(step);
  for (i64 i = 0; i < n; ++i) out[i] = static_cast<T>(first + by * static_cast<U>(i));
}

// As many elements of one width as a register holds: all lanes equal, counted, and stores of all or the first
// n.
#if NVM_VECTOR_BYTES == 64
template <typename E>
struct Lanes {
  using Vector = __m512i;
  static constexpr i64 kCount = 64 / sizeof(E);
  static Vector all(E x) {
    if constexpr (sizeof(E) == 1) return _mm512_set1_epi8(static_cast<char>(x));
    if constexpr (sizeof(E) == 4) return _mm512_set1_epi32(static_cast<i32>(x));
    return _mm512_set1_epi64(static_cast<i64>(x));
  }
  static Vector count() {
    if constexpr (sizeof(E) == 4)
      return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
  }
  static Vector add(Vector a, Vector b) {
    return sizeof(E) == 4 ? _mm512_add_epi32(a, b) : _mm512_add_epi64(a, b);
  }
  static Vector mul(Vector a, Vector b) {
    return sizeof(E) == 4 ? _mm512_mullo_epi32(a, b) : _mm512_mullo_epi64(a, b);
  }
  static void store(E* p, Vector v) { _mm512_storeu_si512(p, v); }
  static void store_first(E* p, i64 n, Vector v) {
    const u64 first = _bzhi_u64(~u64{0}, static_cast<u32>(n));
    if constexpr (sizeof(E) == 1) _mm512_mask_storeu_epi8(p, first, v);
    if constexpr (sizeof(E) == 4) _mm512_mask_storeu_epi32(p, static_cast<__mmask16>(first), v);
    if constexpr (sizeof(E) == 8) _mm512_mask_storeu_epi64(p, static_cast<__mmask8>(first), v);
  }
};
#else
template <typename E>
struct Lanes {  // the compiler makes vectors of the loops
  using Vector = E;
  static constexpr i64 kCount = 1;
  static E all(E x) { return x; }
  static E count() { return 0; }
  static E add(E a, E b) { return static_cast<E>(a + b); }
  static E mul(E a, E b) { return static_cast<E>(a * b); }
  static void store(E* p, E v) { *p = v; }
  static void store_first(E*, i64, E) {}
};
#endif

template <typename E>
void dist(const void* px, Segments s, i64 k0, i64 k1, void* pout) {
  using L = Lanes<E>;
  const E* x = static_cast<const E*>(px);
  E* out = static_cast<E*>(pout);
  i64 at = s.start(k0);
  for (i64 k = k0; k < k1; ++k) {
    const i64 end = s.start(k + 1);
    const typename L::Vector v = L::all(x[k]);
    for (; at + L::kCount <= end; at += L::kCount) L::store(out + at, v);
    L::store_first(out + at, end - at, v);
    at = end;
  }
}

template <typename E>
void runs(const i64* a, const i64* b, Segments s, i64 k0, i64 k1, void* pout) {
  using L = Lanes<E>;
  E* out = static_cast<E*>(pout);
  i64 at = s.start(k0);
  for (i64 k = k0; k < k1; ++k) {
    const i64 end = s.start(k + 1);
    const E by = static_cast<E>(b[k]);
    const typename L::Vector stride = L::all(static_cast<E>(by * L::kCount));
    typename L::Vector v = L::add(L::all(static_cast<E>(a[k])), L::mul(L::all(by), L::count()));
    for (; at + L::kCount <= end; at += L::kCount) {
      L::store(out + at, v);
      v = L::add(v, stride);
    }
    L::store_first(out + at, end - at, v);
    at = end;
  }
}

}  // namespace

void fill_spread(Table& t) {
  t.iota[0] = iota<i32>;
  t.iota[1] = iota<i64>;
  t.dist[0] = dist<u8>;
  t.dist[1] = dist<u32>;
  t.dist[2] = dist<u64>;
  t.runs[0] = runs<u32>;
  t.runs[1] = runs<u64>;
}

}  // namespace nvm::vm::kernels::NVM_ISA
