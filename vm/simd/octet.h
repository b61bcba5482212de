// Eight elements as vectors of the compiler: one register where it holds them, else two halves. All lanes are
// computed at once; nothing here depends on what the instruction set calls its shuffles.
#pragma once

#include "vm/simd/vectors.h"
#if NVM_VECTOR_BYTES >= 32
#include <immintrin.h>
#endif

namespace nvm::vm::simd {

namespace {

template <int kBytes>
struct IndexOf {
  using type = i64;
};
template <>
struct IndexOf<4> {
  using type = i32;
};

// kLanes elements of T in one vector, and the numbers that choose among them.
template <typename T, int kLanes>
struct Lanes {
  typedef T Vector __attribute__((vector_size(kLanes * sizeof(T))));
  typedef T Memory __attribute__((vector_size(kLanes * sizeof(T)), aligned(sizeof(T)), may_alias));
  typedef typename IndexOf<sizeof(T)>::type Index __attribute__((vector_size(kLanes * sizeof(T))));
  static Vector load(const T* p) { return *reinterpret_cast<const Memory*>(p); }
  static void store(T* p, Vector v) { *reinterpret_cast<Memory*>(p) = v; }
  static Vector all(T v) { return v - Vector{}; }  // not Vector{} + v: that loses the sign of -0
};

template <typename T>
struct WholeOctet {
  using L = Lanes<T, 8>;
  using V = typename L::Vector;
  using Index = typename L::Index;
  V x;
  static WholeOctet load(const T* p) { return {L::load(p)}; }
  void store(T* p) const { L::store(p, x); }
  static WholeOctet all(T v) { return {L::all(v)}; }
  template <typename Op>
  static WholeOctet apply(WholeOctet a, WholeOctet b) {
    return {Op::apply(a.x, b.x)};
  }
  // Lane i: x[0] op ... op x[i], combined as a tree (reduce_tree.h).
  template <typename Op>
  [[nodiscard]] WholeOctet inclusive() const {
    V s = x;
    s = Index{0, -1, 0, -1, 0, -1, 0, -1} ? Op::apply(pick<0, 0, 2, 2, 4, 4, 6, 6>(s), s) : s;
    s = Index{0, 0, -1, -1, 0, 0, -1, -1} ? Op::apply(pick<0, 1, 1, 1, 4, 5, 5, 5>(s), s) : s;
    s = Index{0, 0, 0, 0, -1, -1, -1, -1} ? Op::apply(pick<0, 1, 2, 3, 3, 3, 3, 3>(s), s) : s;
    return {s};
  }
  // front, x[0], ... x[6]; `front` has equal lanes.
  [[nodiscard]] WholeOctet shifted(WholeOctet front) const {
    return {__builtin_shufflevector(x, front.x, 8, 0, 1, 2, 3, 4, 5, 6)};
  }
  // x[7] everywhere.
  [[nodiscard]] WholeOctet last() const { return {pick<7, 7, 7, 7, 7, 7, 7, 7>(x)}; }
  [[nodiscard]] T lane(int i) const { return x[i]; }
  // a and b as lanes 0..7 and 8..15, folded by halves.
  template <typename Op>
  static T fold(WholeOctet a, WholeOctet b) {
    V s = Op::apply(a.x, b.x);
    s = Op::apply(s, pick<4, 5, 6, 7, 4, 5, 6, 7>(s));
    s = Op::apply(s, pick<2, 3, 2, 3, 2, 3, 2, 3>(s));
    return Op::apply(T(s[0]), T(s[1]));
  }

 private:
  template <int... i>
  static V pick(V v) {
    return __builtin_shufflevector(v, v, i...);
  }
};

template <typename T>
struct HalvesOctet {
  using L = Lanes<T, 4>;
  using V = typename L::Vector;
  using Index = typename L::Index;
  V lo, hi;
  static HalvesOctet load(const T* p) { return {L::load(p), L::load(p + 4)}; }
  void store(T* p) const {
    L::store(p, lo);
    L::store(p + 4, hi);
  }
  static HalvesOctet all(T v) { return {L::all(v), L::all(v)}; }
  template <typename Op>
  static HalvesOctet apply(HalvesOctet a, HalvesOctet b) {
    return {Op::apply(a.lo, b.lo), Op::apply(a.hi, b.hi)};
  }
  template <typename Op>
  [[nodiscard]] HalvesOctet inclusive() const {
    const V a = half<Op>(lo);
    return {a, Op::apply(pick<3, 3, 3, 3>(a), half<Op>(hi))};
  }
  [[nodiscard]] HalvesOctet shifted(HalvesOctet front) const {
    return {__builtin_shufflevector(lo, front.lo, 4, 0, 1, 2), __builtin_shufflevector(hi, lo, 7, 0, 1, 2)};
  }
  [[nodiscard]] HalvesOctet last() const {
    const V a = pick<3, 3, 3, 3>(hi);
    return {a, a};
  }
  [[nodiscard]] T lane(int i) const { return i < 4 ? lo[i] : hi[i - 4]; }
  template <typename Op>
  static T fold(HalvesOctet a, HalvesOctet b) {
    V s = Op::apply(Op::apply(a.lo, b.lo), Op::apply(a.hi, b.hi));
    s = Op::apply(s, pick<2, 3, 2, 3>(s));
    return Op::apply(T(s[0]), T(s[1]));
  }

 private:
  template <int... i>
  static V pick(V v) {
    return __builtin_shufflevector(v, v, i...);
  }
  template <typename Op>
  static V half(V s) {
    s = Index{0, -1, 0, -1} ? Op::apply(pick<0, 0, 2, 2>(s), s) : s;
    return Index{0, 0, -1, -1} ? Op::apply(pick<0, 1, 1, 1>(s), s) : s;
  }
};

template <typename T>
using Octet = std::conditional_t<(8 * sizeof(T) <= NVM_VECTOR_BYTES), WholeOctet<T>, HalvesOctet<T>>;

// Whether the first elements of an octet can be loaded without the others, and combined alone.
template <typename T>
inline constexpr bool kFirstOfOctet = NVM_VECTOR_BYTES >= 32 && sizeof(T) == 8;

#if NVM_VECTOR_BYTES == 64
// a op p in lanes below n, at most 8, a in the others; p[n] and what follows is not read.
template <typename Op, typename T>
WholeOctet<T> apply_first(WholeOctet<T> a, const T* p, i64 n) {
  const auto lanes = static_cast<__mmask8>((1U << n) - 1);
  using V = typename WholeOctet<T>::V;
  const V all = Op::apply(a.x, reinterpret_cast<V>(_mm512_maskz_loadu_epi64(lanes, p)));
  return {reinterpret_cast<V>(
      _mm512_mask_mov_epi64(reinterpret_cast<__m512i>(a.x), lanes, reinterpret_cast<__m512i>(all)))};
}
#elif NVM_VECTOR_BYTES == 32
template <typename Op, typename T>
HalvesOctet<T> apply_first(HalvesOctet<T> a, const T* p, i64 n) {
  using V = typename HalvesOctet<T>::V;
  const auto half = [n](V x, const T* from, i64 before) {
    typedef i64 Index __attribute__((vector_size(32)));
    const Index here = Index{0, 1, 2, 3} < n - before;
    const auto loaded =
        _mm256_maskload_epi64(reinterpret_cast<const long long*>(from), reinterpret_cast<__m256i>(here));
    return here ? Op::apply(x, reinterpret_cast<V>(loaded)) : x;
  };
  return {half(a.lo, p, 0), half(a.hi, p + 4, 4)};
}
#endif

}  // namespace

}  // namespace nvm::vm::simd
