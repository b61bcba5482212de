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

#if NVM_VECTOR_BYTES == 64
// Vectors of elements of one width: all lanes equal, and a store of the first n.
template <typename E>
struct Lanes;
template <>
struct Lanes<u8> {
  static constexpr i64 kCount = 64;
  static __m512i all(u8 x) { return _mm512_set1_epi8(static_cast<char>(x)); }
  static void store(u8* p, i64 n, __m512i v) {
    _mm512_mask_storeu_epi8(p, _bzhi_u64(~u64{0}, static_cast<u32>(n)), v);
  }
};
template <>
struct Lanes<u32> {
  static constexpr i64 kCount = 16;
  static __m512i all(u32 x) { return _mm512_set1_epi32(static_cast<i32>(x)); }
  static __m512i count() { return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15); }
  static __m512i add(__m512i a, __m512i b) { return _mm512_add_epi32(a, b); }
  static __m512i mul(__m512i a, __m512i b) { return _mm512_mullo_epi32(a, b); }
  static void store(u32* p, i64 n, __m512i v) {
    _mm512_mask_storeu_epi32(p, static_cast<__mmask16>(_bzhi_u32(~u32{0}, static_cast<u32>(n))), v);
  }
};
template <>
struct Lanes<u64> {
  static constexpr i64 kCount = 8;
  static __m512i all(u64 x) { return _mm512_set1_epi64(static_cast<i64>(x)); }
  static __m512i count() { return _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7); }
  static __m512i add(__m512i a, __m512i b) { return _mm512_add_epi64(a, b); }
  static __m512i mul(__m512i a, __m512i b) { return _mm512_mullo_epi64(a, b); }
  static void store(u64* p, i64 n, __m512i v) {
    _mm512_mask_storeu_epi64(p, static_cast<__mmask8>(_bzhi_u32(~u32{0}, static_cast<u32>(n))), v);
  }
};

template <typename E>
void dist(const void* px, Segments s, i64 k0, i64 k1, void* pout) {
  const E* x = static_cast<const E*>(px);
  E* out = static_cast<E*>(pout);
  i64 at = s.start(k0);
  for (i64 k = k0; k < k1; ++k) {
    const i64 end = s.start(k + 1);
    const __m512i v = Lanes<E>::all(x[k]);
    for (; at + Lanes<E>::kCount <= end; at += Lanes<E>::kCount) _mm512_storeu_si512(out + at, v);
    Lanes<E>::store(out + at, end - at, v);
    at = end;
  }
}

template <typename E>
void runs(const i64* a, const i64* b, Segments s, i64 k0, i64 k1, void* pout) {
  E* out = static_cast<E*>(pout);
  i64 at = s.start(k0);
  for (i64 k = k0; k < k1; ++k) {
    const i64 end = s.start(k + 1);
    const E by = static_cast<E>(b[k]);
    const __m512i stride = Lanes<E>::all(static_cast<E>(by * Lanes<E>::kCount));
    __m512i v = Lanes<E>::add(Lanes<E>::all(static_cast<E>(a[k])),
                              Lanes<E>::mul(Lanes<E>::all(by), Lanes<E>::count()));
    for (; at + Lanes<E>::kCount <= end; at += Lanes<E>::kCount) {
      _mm512_storeu_si512(out + at, v);
      v = Lanes<E>::add(v, stride);
    }
    Lanes<E>::store(out + at, end - at, v);
    at = end;
  }
}
#else
template <typename E>
void dist(const void* px, Segments s, i64 k0, i64 k1, void* pout) {
  const E* x = static_cast<const E*>(px);
  E* out = static_cast<E*>(pout);
  i64 at = s.start(k0);
  for (i64 k = k0; k < k1; ++k) {
    const i64 end = s.start(k + 1);
    const E value = x[k];
    for (; at < end; ++at) out[at] = value;
  }
}

template <typename E>
void runs(const i64* a, const i64* b, Segments s, i64 k0, i64 k1, void* pout) {
  E* out = static_cast<E*>(pout);
  i64 at = s.start(k0);
  for (i64 k = k0; k < k1; ++k) {
    const i64 end = s.start(k + 1);
    E x = static_cast<E>(a[k]);
    const E by = static_cast<E>(b[k]);
    for (; at < end; ++at) {
      out[at] = x;
      x += by;
    }
  }
}
#endif

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
