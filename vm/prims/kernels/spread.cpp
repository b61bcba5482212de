// Copies and runs: results written once. Short segments end in whole or masked registers, so that their
// lengths cost no branches. Sums of lengths.
#include "vm/prims/kernels/isa.h"
#if NVM_VECTOR_BYTES >= 32
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

// As many elements of one width as a register holds: all lanes equal, or a ramp, and stores of all or the
// first n, where `room` elements of the result are still to be written.
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
  static Vector ramp(E first, E by) {
    if constexpr (sizeof(E) == 4) {
      const Vector lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
      return _mm512_add_epi32(all(first), _mm512_mullo_epi32(all(by), lanes));
    }
    return _mm512_add_epi64(all(first),
                            _mm512_mullo_epi64(all(by), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7)));
  }
  static Vector add(Vector a, Vector b) {
    return sizeof(E) == 4 ? _mm512_add_epi32(a, b) : _mm512_add_epi64(a, b);
  }
  static void store(E* p, Vector v) { _mm512_storeu_si512(p, v); }
  static void store_first(E* p, i64 n, i64 /*room*/, Vector v) {
    const u64 first = _bzhi_u64(~u64{0}, static_cast<u32>(n));
    if constexpr (sizeof(E) == 1) _mm512_mask_storeu_epi8(p, first, v);
    if constexpr (sizeof(E) == 4) _mm512_mask_storeu_epi32(p, static_cast<__mmask16>(first), v);
    if constexpr (sizeof(E) == 8) _mm512_mask_storeu_epi64(p, static_cast<__mmask8>(first), v);
  }
};
#else
template <typename E>
struct Narrow {  // the compiler makes vectors of the loops
  using Vector = E;
  static constexpr i64 kCount = 1;
  static E all(E x) { return x; }
  static E ramp(E first, E) { return first; }
  static E add(E a, E b) { return static_cast<E>(a + b); }
  static void store(E* p, E v) { *p = v; }
  static void store_first(E*, i64, i64, E) {}
};
#if NVM_VECTOR_BYTES == 32
template <typename E>
struct Words {
  using Vector = __m256i;
  static constexpr i64 kCount = 32 / sizeof(E);
  static Vector all(E x) {
    return sizeof(E) == 4 ? _mm256_set1_epi32(static_cast<i32>(x)) : _mm256_set1_epi64x(static_cast<i64>(x));
  }
  static Vector ramp(E first, E by) {
    if constexpr (sizeof(E) == 4)
      return _mm256_add_epi32(all(first),
                              _mm256_mullo_epi32(all(by), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)));
    const auto step = static_cast<i64>(by);
    return _mm256_add_epi64(all(first),
                            _mm256_setr_epi64x(0, step, static_cast<i64>(2 * by), static_cast<i64>(3 * by)));
  }
  static Vector add(Vector a, Vector b) {
    return sizeof(E) == 4 ? _mm256_add_epi32(a, b) : _mm256_add_epi64(a, b);
  }
  static void store(E* p, Vector v) { _mm256_storeu_si256(reinterpret_cast<Vector*>(p), v); }
  // What is too much is overwritten by the next; masked stores would cost more than both.
  static void store_first(E* p, i64 n, i64 room, Vector v) {
    if (room >= kCount) return store(p, v);
    E lanes[kCount];
    store(lanes, v);
    for (i64 i = 0; i < n; ++i) p[i] = lanes[i];
  }
};
template <typename E>
struct Lanes : Words<E> {};
template <>
struct Lanes<u8> : Narrow<u8> {};
#else
template <typename E>
struct Lanes : Narrow<E> {};
#endif
#endif

template <typename E>
void dist(const void* px, Segments s, i64 k0, i64 k1, void* pout) {
  using L = Lanes<E>;
  const E* x = static_cast<const E*>(px);
  E* out = static_cast<E*>(pout);
  const i64 last = s.start(k1);
  i64 at = s.start(k0);
  for (i64 k = k0; k < k1; ++k) {
    const i64 end = s.start(k + 1);
    const typename L::Vector v = L::all(x[k]);
    for (; at + L::kCount <= end; at += L::kCount) L::store(out + at, v);
    L::store_first(out + at, end - at, last - at, v);
    at = end;
  }
}

template <typename In, typename E>
void runs(const void* pa, const void* pb, Segments s, i64 k0, i64 k1, void* pout) {
  using L = Lanes<E>;
  const In* a = static_cast<const In*>(pa);
  const In* b = static_cast<const In*>(pb);
  E* out = static_cast<E*>(pout);
  const i64 last = s.start(k1);
  i64 at = s.start(k0);
  for (i64 k = k0; k < k1; ++k) {
    const i64 end = s.start(k + 1);
    const E by = static_cast<E>(b[k]);
    const typename L::Vector stride = L::all(static_cast<E>(by * L::kCount));
    typename L::Vector v = L::ramp(static_cast<E>(a[k]), by);
    for (; at + L::kCount <= end; at += L::kCount) {
      L::store(out + at, v);
      v = L::add(v, stride);
    }
    L::store_first(out + at, end - at, last - at, v);
    at = end;
  }
}

template <typename T>
LengthSummary sum_lengths(const void* plengths, i64 n, i64 first) {
  constexpr i64 kBlock = 1024;
  const T* p = static_cast<const T*>(plengths);
  const T wanted = static_cast<T>(first);
  LengthSummary r;
  for (i64 at = 0; at < n; at += kBlock) {
    const i64 end = n - at < kBlock ? n : at + kBlock;
    T all = 0;
    T other = 0;
    u64 sum = 0;
    for (i64 i = at; i < end; ++i) {
      all = static_cast<T>(all | p[i]);
      other = static_cast<T>(other | (p[i] ^ wanted));
      sum += static_cast<u64>(p[i]);
    }
    r.equal = r.equal && other == 0;
    r.negative = r.negative || all < 0;
    r.total = static_cast<u64>(all) >= static_cast<u64>(kTooLong) || r.total >= kTooLong
                  ? kTooLong
                  : r.total + static_cast<i64>(sum);
  }
  if (r.total > kTooLong) r.total = kTooLong;
  return r;
}

}  // namespace

void fill_spread(Table& t) {
  t.iota[0] = iota<i32>;
  t.iota[1] = iota<i64>;
  t.dist[0] = dist<u8>;
  t.dist[1] = dist<u32>;
  t.dist[2] = dist<u64>;
  t.runs[0][0] = runs<i32, u32>;
  t.runs[0][1] = runs<i32, u64>;
  t.runs[1][0] = runs<i64, u32>;
  t.runs[1][1] = runs<i64, u64>;
  t.sum_lengths[0] = sum_lengths<i32>;
  t.sum_lengths[1] = sum_lengths<i64>;
}

}  // namespace nvm::vm::kernels::NVM_ISA
