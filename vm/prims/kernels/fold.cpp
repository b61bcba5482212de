// Reductions and scans; the order of FLOAT is that of reduce_tree.h.
//
//   reduce, INT and BOOL   the compiler's vectors; one pass, n reads
//   reduce, FLOAT long     16 lanes in native vectors, so that the adder's latency is hidden
//   reduce, short          left to right; with AVX-512 eight segments at a time, one per lane
//                          (TRIED gathers for it: no better than one segment after the other)
//   scan, INT and BOOL     left to right: one element per cycle is what memory delivers
//   scan, FLOAT long       groups of 8 as vectors: three steps inside the group, one addition between groups
// A scan moves n reads and n writes; the totals of a first sweep stay in the cache for the second.
//
// COULD: vector scans for INT when the data lies in L2.
#include "vm/prims/kernels/isa.h"
#if NVM_VECTOR_BYTES >= 32
#include <immintrin.h>
#endif
#include "vm/prims/reduce_tree.h"

namespace nvm::vm::kernels::NVM_ISA {

namespace {

struct Add {
  template <typename T>
  static T apply(T a, T b) {
    if constexpr (__is_same(T, i32) || __is_same(T, i64)) {
      using U = typename Unsigned<T>::type;
      return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    } else {
      return a + b;
    }
  }
  template <typename T>
  static constexpr T identity() {
    return T{0};
  }
};
struct Mul {
  template <typename T>
  static T apply(T a, T b) {
    if constexpr (__is_same(T, i32) || __is_same(T, i64)) {
      using U = typename Unsigned<T>::type;
      return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
    } else {
      return a * b;
    }
  }
  template <typename T>
  static constexpr T identity() {
    return T{1};
  }
};
struct Max {
  template <typename T>
  static T apply(T a, T b) {
    return a > b ? a : b;
  }
  template <typename T>
  static constexpr T identity() {
    if constexpr (__is_same(T, f64)) return -static_cast<f64>(1.0e36F);
    return sizeof(T) == 4 ? static_cast<T>(INT32_MIN) : static_cast<T>(INT64_MIN);
  }
};
struct Min {
  template <typename T>
  static T apply(T a, T b) {
    return a < b ? a : b;
  }
  template <typename T>
  static constexpr T identity() {
    if constexpr (__is_same(T, f64)) return static_cast<f64>(1.0e36F);
    return sizeof(T) == 4 ? static_cast<T>(INT32_MAX) : static_cast<T>(INT64_MAX);
  }
};
struct And {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(a & b);
  }
  template <typename T>
  static constexpr T identity() {
    return __is_same(T, u8) ? T{1} : static_cast<T>(-1);
  }
};
struct Or {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(a | b);
  }
  template <typename T>
  static constexpr T identity() {
    return T{0};
  }
};
struct Xor {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(a ^ b);
  }
  template <typename T>
  static constexpr T identity() {
    return T{0};
  }
};

constexpr i64 kLanes = NVM_VECTOR_BYTES / 8;
typedef f64 Native __attribute__((vector_size(NVM_VECTOR_BYTES)));
typedef f64 NativeLoad __attribute__((vector_size(NVM_VECTOR_BYTES), aligned(8), may_alias));

// The lane reduction of one block of FLOAT.
template <typename Op>
f64 lane_total(const f64* v, i64 n) {
  constexpr i64 kVectors = kReduceLanes / kLanes;
  constexpr f64 kId = Op::template identity<f64>();
  Native acc[kVectors];
  for (i64 j = 0; j < kVectors; ++j)
    for (i64 l = 0; l < kLanes; ++l) acc[j][l] = kId;
  i64 i = 0;
  for (; i + kReduceLanes <= n; i += kReduceLanes) {
#pragma GCC unroll 8
    for (i64 j = 0; j < kVectors; ++j)
      acc[j] =
          Op::apply(acc[j], static_cast<Native>(*reinterpret_cast<const NativeLoad*>(v + i + j * kLanes)));
  }
  f64 lane[kReduceLanes];
  for (i64 j = 0; j < kVectors; ++j) *reinterpret_cast<NativeLoad*>(lane + j * kLanes) = acc[j];
  for (i64 l = 0; i + l < n; ++l) lane[l] = Op::apply(lane[l], v[i + l]);
  for (i64 w = kReduceLanes / 2; w > 0; w /= 2)
    for (i64 l = 0; l < w; ++l) lane[l] = Op::apply(lane[l], lane[l + w]);
  return lane[0];
}

// Eight FLOAT elements, a scan group.
#if NVM_VECTOR_BYTES == 64
struct Octet {
  __m512d x;
  static Octet load(const f64* p) { return {_mm512_loadu_pd(p)}; }
  void store(f64* p) const { _mm512_storeu_pd(p, x); }
  static Octet all(f64 a) { return {_mm512_set1_pd(a)}; }
  template <typename Op>
  static Octet apply(Octet a, Octet b) {
    return {Op::apply(a.x, b.x)};
  }
  template <typename Op>
  [[nodiscard]] Octet inclusive() const {
    __m512d s = x;
    s = _mm512_mask_mov_pd(s, 0xAA, Op::apply(_mm512_movedup_pd(s), s));
    s = _mm512_mask_mov_pd(s, 0xCC, Op::apply(_mm512_permutex_pd(s, 0x55), s));
    s = _mm512_mask_mov_pd(s, 0xF0, Op::apply(_mm512_permutexvar_pd(_mm512_set1_epi64(3), s), s));
    return {s};
  }
  // first, x[0], ... x[6]
  [[nodiscard]] Octet shifted(Octet first) const {
    return {
        _mm512_castsi512_pd(_mm512_alignr_epi64(_mm512_castpd_si512(x), _mm512_castpd_si512(first.x), 7))};
  }
  [[nodiscard]] Octet last() const { return {_mm512_permutexvar_pd(_mm512_set1_epi64(7), x)}; }
};
#elif NVM_VECTOR_BYTES == 32
struct Octet {
  __m256d lo, hi;
  static Octet load(const f64* p) { return {_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)}; }
  void store(f64* p) const {
    _mm256_storeu_pd(p, lo);
    _mm256_storeu_pd(p + 4, hi);
  }
  static Octet all(f64 a) { return {_mm256_set1_pd(a), _mm256_set1_pd(a)}; }
  template <typename Op>
  static Octet apply(Octet a, Octet b) {
    return {Op::apply(a.lo, b.lo), Op::apply(a.hi, b.hi)};
  }
  template <typename Op>
  static __m256d half(__m256d s) {
    s = _mm256_blend_pd(s, Op::apply(_mm256_movedup_pd(s), s), 0b1010);
    return _mm256_blend_pd(s, Op::apply(_mm256_permute4x64_pd(s, 0x55), s), 0b1100);
  }
  template <typename Op>
  [[nodiscard]] Octet inclusive() const {
    const __m256d a = half<Op>(lo);
    return {a, Op::apply(_mm256_permute4x64_pd(a, 0xFF), half<Op>(hi))};
  }
  [[nodiscard]] Octet shifted(Octet first) const {
    return {_mm256_blend_pd(_mm256_permute4x64_pd(lo, 0x90), first.lo, 1),
            _mm256_blend_pd(_mm256_permute4x64_pd(hi, 0x90), _mm256_permute4x64_pd(lo, 0xFF), 1)};
  }
  [[nodiscard]] Octet last() const {
    const __m256d a = _mm256_permute4x64_pd(hi, 0xFF);
    return {a, a};
  }
};
#else
struct Octet {
  f64 x[8];
  static Octet load(const f64* p) {
    Octet o;
    for (int i = 0; i < 8; ++i) o.x[i] = p[i];
    return o;
  }
  void store(f64* p) const {
    for (int i = 0; i < 8; ++i) p[i] = x[i];
  }
  static Octet all(f64 a) { return {{a, a, a, a, a, a, a, a}}; }
  template <typename Op>
  static Octet apply(Octet a, Octet b) {
    Octet o;
    for (int i = 0; i < 8; ++i) o.x[i] = Op::apply(a.x[i], b.x[i]);
    return o;
  }
  template <typename Op>
  [[nodiscard]] Octet inclusive() const {
    Octet s = *this;
    for (int i = 1; i < 8; i += 2) s.x[i] = Op::apply(s.x[i - 1], s.x[i]);
    for (int i = 0; i < 8; i += 4) {
      s.x[i + 2] = Op::apply(s.x[i + 1], s.x[i + 2]);
      s.x[i + 3] = Op::apply(s.x[i + 1], s.x[i + 3]);
    }
    for (int i = 4; i < 8; ++i) s.x[i] = Op::apply(s.x[3], s.x[i]);
    return s;
  }
  [[nodiscard]] Octet shifted(Octet first) const {
    Octet o;
    o.x[0] = first.x[0];
    for (int i = 1; i < 8; ++i) o.x[i] = x[i - 1];
    return o;
  }
  [[nodiscard]] Octet last() const { return all(x[7]); }
};
#endif

Octet load_part(const f64* v, i64 n) {
  f64 part[8] = {};
  for (i64 i = 0; i < n; ++i) part[i] = v[i];
  return Octet::load(part);
}

template <typename Op>
f64 group_total(const f64* v, i64 n) {
  Octet local = Octet::all(Op::template identity<f64>());
  for (i64 i = 0; i < n; i += kScanGroup) {
    const Octet x = n - i >= kScanGroup ? Octet::load(v + i) : load_part(v + i, n - i);
    local = Octet::apply<Op>(local, x.template inclusive<Op>().last());
  }
  f64 out[8];
  local.store(out);
  return out[0];
}

// One block from carry c; gives `local` behind it.
template <typename Op>
f64 group_scan(const f64* v, i64 n, f64 c, f64* out) {
  const Octet id = Octet::all(Op::template identity<f64>());
  const Octet carry = Octet::all(c);
  Octet local = id;
  i64 i = 0;
  for (; i + kScanGroup <= n; i += kScanGroup) {
    const Octet s = Octet::load(v + i).template inclusive<Op>();
    Octet::apply<Op>(carry, Octet::apply<Op>(local, s.shifted(id))).store(out + i);
    local = Octet::apply<Op>(local, s.last());
  }
  f64 part[8];
  if (i < n) {
    const Octet s = load_part(v + i, n - i).template inclusive<Op>();
    Octet::apply<Op>(carry, Octet::apply<Op>(local, s.shifted(id))).store(part);
    for (i64 j = 0; i + j < n; ++j) out[i + j] = part[j];
  }
  local.store(part);
  return part[0];
}

#if NVM_VECTOR_BYTES == 64
typedef i64 NativeInt __attribute__((vector_size(64)));

// c[i] lane r = row r's lane i.
void transpose(const __m512d* row, __m512d* c) {
  __m512d t[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; i += 2) {
    t[i] = _mm512_unpacklo_pd(row[i], row[i + 1]);      // lanes 0 2 4 6 of two rows
    t[i + 1] = _mm512_unpackhi_pd(row[i], row[i + 1]);  // lanes 1 3 5 7
  }
#pragma GCC unroll 8
  for (int odd = 0; odd < 2; ++odd) {
    const __m512d low02 = _mm512_shuffle_f64x2(t[odd], t[2 + odd], 0x88);
    const __m512d low46 = _mm512_shuffle_f64x2(t[odd], t[2 + odd], 0xDD);
    const __m512d high02 = _mm512_shuffle_f64x2(t[4 + odd], t[6 + odd], 0x88);
    const __m512d high46 = _mm512_shuffle_f64x2(t[4 + odd], t[6 + odd], 0xDD);
    c[odd] = _mm512_shuffle_f64x2(low02, high02, 0x88);
    c[4 + odd] = _mm512_shuffle_f64x2(low02, high02, 0xDD);
    c[2 + odd] = _mm512_shuffle_f64x2(low46, high46, 0x88);
    c[6 + odd] = _mm512_shuffle_f64x2(low46, high46, 0xDD);
  }
}

template <typename Op>
__m512d combine_lanes(__m512d acc, __m512d x, f64) {
  return Op::apply(acc, x);
}
template <typename Op>
__m512d combine_lanes(__m512d acc, __m512d x, i64) {
  return reinterpret_cast<__m512d>(
      Op::apply(reinterpret_cast<NativeInt>(acc), reinterpret_cast<NativeInt>(x)));
}

// Eight short segments at once, a lane each, every lane from left to right: rows of up to eight elements are
// loaded and transposed. False if one of the segments is not short.
template <typename Op, typename T>
bool reduce_eight(const T* v, const i64* offsets, T* out) {
  const __m512i start = _mm512_loadu_si512(offsets);
  const __m512i length = _mm512_sub_epi64(_mm512_loadu_si512(offsets + 1), start);
  const i64 longest = _mm512_reduce_max_epi64(length);
  if (longest > kSequentialMax) return false;
  const T id = Op::template identity<T>();
  __m512d acc;
  if constexpr (__is_same(T, f64))
    acc = _mm512_set1_pd(id);
  else
    acc = _mm512_castsi512_pd(_mm512_set1_epi64(id));
  for (i64 at = 0; at < longest; at += 8) {
    __m512d row[8];
    __m512d column[8];
#pragma GCC unroll 8
    for (int r = 0; r < 8; ++r) {
      const i64 left = offsets[r + 1] - offsets[r] - at;
      const u32 m = left <= 0 ? 0 : _bzhi_u32(255, static_cast<u32>(left));
      row[r] = _mm512_maskz_loadu_pd(static_cast<__mmask8>(m), v + offsets[r] + at);
    }
    transpose(row, column);
#pragma GCC unroll 8
    for (int c = 0; c < 8; ++c) {
      const __mmask8 m = _mm512_cmpgt_epi64_mask(length, _mm512_set1_epi64(at + c));
      acc = _mm512_mask_mov_pd(acc, m, combine_lanes<Op>(acc, column[c], T{}));
    }
  }
  _mm512_storeu_pd(out, acc);
  return true;
}
#endif

template <typename Op, typename In, typename Acc>
struct Kernel {
  static constexpr bool kFloat = __is_same(In, f64);
  static constexpr Acc kId = Op::template identity<Acc>();

  static Acc sequential(const In* v, i64 n) {
    Acc acc = kId;
    for (i64 i = 0; i < n; ++i) acc = Op::apply(acc, static_cast<Acc>(v[i]));
    return acc;
  }
  static Acc scan_sequential(const In* v, i64 n, Acc acc, Acc* out) {
    for (i64 i = 0; i < n; ++i) {
      const Acc x = static_cast<Acc>(v[i]);
      out[i] = acc;
      acc = Op::apply(acc, x);
    }
    return acc;
  }
  static Acc block_total(const In* v, i64 n) {
    if constexpr (kFloat) return lane_total<Op>(v, n);
    return sequential(v, n);
  }
  static i64 block_length(i64 left) { return left < kReduceBlock ? left : kReduceBlock; }

  static Acc reduce_one(const In* v, i64 n) {
    if (!kFloat || n <= kSequentialMax) return sequential(v, n);
    Acc acc = kId;
    for (i64 i = 0; i < n; i += kReduceBlock) acc = Op::apply(acc, block_total(v + i, block_length(n - i)));
    return acc;
  }
  static void scan_from(const In* v, i64 n, Acc carry, Acc* out) {
    if constexpr (kFloat) {
      for (i64 i = 0; i < n; i += kReduceBlock)
        carry = Op::apply(carry, group_scan<Op>(v + i, block_length(n - i), carry, out + i));
    } else {
      scan_sequential(v, n, carry, out);
    }
  }
  static void scan_one(const In* v, i64 n, Acc* out) {
    if (n <= kSequentialMax)
      scan_sequential(v, n, kId, out);
    else
      scan_from(v, n, kId, out);
  }

  static void reduce_each(const In* v, Segments s, i64 k0, i64 k1, Acc* out) {
    i64 start = s.start(k0);
    for (i64 k = k0; k < k1; ++k) {
      const i64 end = s.start(k + 1);
      out[k] = reduce_one(v + start, end - start);
      start = end;
    }
  }
  static void reduce_segments(const void* pv, Segments s, i64 k0, i64 k1, void* pout) {
    const In* v = static_cast<const In*>(pv);
    Acc* out = static_cast<Acc*>(pout);
    i64 k = k0;
#if NVM_VECTOR_BYTES == 64
    if constexpr (sizeof(In) == 8) {
      if (s.offsets != nullptr) {
        for (; k + 8 <= k1; k += 8) {
          if (!reduce_eight<Op, In>(v, s.offsets + k, out + k)) reduce_each(v, s, k, k + 8, out);
        }
      }
    }
#endif
    reduce_each(v, s, k, k1, out);
  }
  static void scan_segments(const void* pv, Segments s, i64 k0, i64 k1, void* pout) {
    const In* v = static_cast<const In*>(pv);
    Acc* out = static_cast<Acc*>(pout);
    i64 start = s.start(k0);
    for (i64 k = k0; k < k1; ++k) {
      const i64 end = s.start(k + 1);
      scan_one(v + start, end - start, out + start);
      start = end;
    }
  }
  static void reduce_blocks(const void* pv, i64 n, void* totals) {
    const In* v = static_cast<const In*>(pv);
    Acc* out = static_cast<Acc*>(totals);
    for (i64 i = 0; i < n; i += kReduceBlock) *out++ = block_total(v + i, block_length(n - i));
  }
  static void scan_totals(const void* pv, i64 n, void* totals) {
    if constexpr (kFloat) {
      const f64* v = static_cast<const f64*>(pv);
      f64* out = static_cast<f64*>(totals);
      for (i64 i = 0; i < n; i += kReduceBlock) *out++ = group_total<Op>(v + i, block_length(n - i));
    } else {
      reduce_blocks(pv, n, totals);
    }
  }
  static void scan_blocks(const void* v, i64 n, const void* carry, void* out) {
    scan_from(static_cast<const In*>(v), n, *static_cast<const Acc*>(carry), static_cast<Acc*>(out));
  }
  static void combine(void* pacc, const void* ptotals, i64 count) {
    Acc acc = *static_cast<Acc*>(pacc);
    const Acc* totals = static_cast<const Acc*>(ptotals);
    for (i64 i = 0; i < count; ++i) acc = Op::apply(acc, totals[i]);
    *static_cast<Acc*>(pacc) = acc;
  }
  static constexpr Fold fold() {
    return {reduce_segments, scan_segments, reduce_blocks, scan_totals, scan_blocks, combine};
  }
};

template <typename Op>
void set_ints(Table& t, Scalar s) {
  Fold* folds = t.fold[index_of(s)];
  folds[static_cast<int>(FoldTypes::kI8I32)] = Kernel<Op, i8, i32>::fold();
  folds[static_cast<int>(FoldTypes::kI8I64)] = Kernel<Op, i8, i64>::fold();
  folds[static_cast<int>(FoldTypes::kI32I32)] = Kernel<Op, i32, i32>::fold();
  folds[static_cast<int>(FoldTypes::kI32I64)] = Kernel<Op, i32, i64>::fold();
  folds[static_cast<int>(FoldTypes::kI64I64)] = Kernel<Op, i64, i64>::fold();
}
template <typename Op>
void set_numeric(Table& t, Scalar s) {
  set_ints<Op>(t, s);
  t.fold[index_of(s)][static_cast<int>(FoldTypes::kF64)] = Kernel<Op, f64, f64>::fold();
}
template <typename Op>
void set_logical(Table& t, Scalar s) {
  set_ints<Op>(t, s);
  t.fold[index_of(s)][static_cast<int>(FoldTypes::kB8)] = Kernel<Op, u8, u8>::fold();
}

}  // namespace

void fill_fold(Table& t) {
  set_numeric<Add>(t, Scalar::kAdd);
  set_numeric<Mul>(t, Scalar::kMul);
  set_numeric<Max>(t, Scalar::kMax);
  set_numeric<Min>(t, Scalar::kMin);
  set_logical<And>(t, Scalar::kAnd);
  set_logical<Or>(t, Scalar::kOr);
  set_logical<Xor>(t, Scalar::kXor);
}

}  // namespace nvm::vm::kernels::NVM_ISA
