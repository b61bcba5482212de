// Included once by routines_avx512.cpp and once by routines_avx2.cpp, each built for its instruction set; all
// names have internal linkage so that neither copy can stand in for the other. Vectors of 64 bytes are GCC
// vector extensions: one zmm register or two ymm registers.
#include <immintrin.h>

#include "bytecode/table/identity.h"
#include "vm/cpu/routines.h"

namespace nvm::vm::cpu {

namespace {

template <typename T>
T cell_to(Cell c) {
  T v;
  std::memcpy(&v, &c, sizeof v);
  return v;
}
template <typename T>
Cell to_cell(T v) {
  Cell c = 0;
  std::memcpy(&c, &v, sizeof v);
  return c;
}
std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

template <typename T>
struct VectorOf;
template <>
struct VectorOf<double> {
  typedef double type __attribute__((vector_size(64), aligned(8)));
  typedef std::int64_t index __attribute__((vector_size(64)));
};
template <>
struct VectorOf<std::int64_t> {
  typedef std::int64_t type __attribute__((vector_size(64), aligned(8)));
  typedef std::int64_t index __attribute__((vector_size(64)));
};
template <>
struct VectorOf<std::int32_t> {
  typedef std::int32_t type __attribute__((vector_size(32), aligned(4)));
  typedef std::int32_t index __attribute__((vector_size(32)));
};

// Scalar operations on elements and on vectors of them. INT wraps: signed arithmetic is done unsigned.
#define NVM_OP(name, expression) \
  struct name {                  \
    template <typename V>        \
    static V apply(V a, V b) {   \
      return expression;         \
    }                            \
  };
NVM_OP(OpMax, a > b ? a : b)
NVM_OP(OpMin, a < b ? a : b)
NVM_OP(OpAnd, a& b)
NVM_OP(OpOr, a | b)
NVM_OP(OpXor, a ^ b)
#undef NVM_OP
struct OpAdd {
  template <typename V>
  static V apply(V a, V b) {
    return a + b;
  }
  static std::int64_t apply(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }
  static std::int32_t apply(std::int32_t a, std::int32_t b) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
  }
};
struct OpMul {
  template <typename V>
  static V apply(V a, V b) {
    return a * b;
  }
  static std::int64_t apply(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  }
  static std::int32_t apply(std::int32_t a, std::int32_t b) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
  }
};

template <typename T>
constexpr T identity_of(Scalar op) {
  if constexpr (sizeof(T) == 1) return static_cast<T>(identity::of_bool(op));
  if constexpr (sizeof(T) == 4) return static_cast<T>(identity::of_int(op, IntBits::k32));
  if constexpr (std::is_same_v<T, double>) return identity::of_float(op);
  if constexpr (std::is_same_v<T, std::int64_t>) return identity::of_int(op, IntBits::k64);
}

void store_cell(void* out, Storage storage, std::int64_t s, std::int64_t v) {
  switch (storage) {
    case Storage::kI64: static_cast<std::int64_t*>(out)[s] = v; return;
    case Storage::kI32: static_cast<std::int32_t*>(out)[s] = static_cast<std::int32_t>(v); return;
    default: static_cast<std::int8_t*>(out)[s] = static_cast<std::int8_t>(v); return;
  }
}

// The segments that elements [begin, begin + n) touch, in order, with those that are empty: calls
// part(segment, first, count, starts, length) for the part of each, first counted from begin. Empty segments
// that start at begin + n wait for the next block unless the space ends there. Leaves the cursor at begin +
// n, or, with true, behind `most` segments.
template <typename Part>
bool walk(SegmentCursor& cursor, std::int64_t begin, std::int64_t n, Part part,
          std::int64_t most = INT64_MAX) {
  const plan::Desc& d = *cursor.desc;
  std::int64_t s = cursor.segment;
  bool fresh = cursor.fresh;
  std::int64_t at = fresh && s < d.segments ? segment_offset(d, s) - begin : 0;
  bool more = false;
  while (s < d.segments) {
    const std::int64_t start = segment_offset(d, s);
    const std::int64_t stop = segment_offset(d, s + 1);
    if (fresh && start >= begin + n && begin + n < d.total) break;
    more = most-- == 0;
    if (more) break;
    const std::int64_t end = least(stop - begin, n);
    part(s, at, end - at, fresh, stop - start);
    at = end;
    fresh = stop - begin <= n;
    if (!fresh) break;
    ++s;
  }
  cursor.segment = s;
  cursor.fresh = fresh;
  return more;
}

// The short segments that start here and lie in the block, up to one that does not: part(segment, first,
// stop).
template <typename Part>
void over_short(SegmentCursor& cursor, std::int64_t begin, std::int64_t n, Part part) {
  if (!cursor.fresh) return;
  const plan::Desc& d = *cursor.desc;
  for (std::int64_t& s = cursor.segment; s < d.segments; ++s) {
    const std::int64_t first = segment_offset(d, s) - begin;
    const std::int64_t stop = segment_offset(d, s + 1) - begin;
    if (first >= n || stop > n || stop - first > kSequentialMax) return;
    part(s, first, stop);
  }
}

// ------------------------------------------------------------------------------------------------ folds

#ifdef __AVX512F__
// Lane r of c[i] is lane i of row[r].
void transpose(const __m512d* row, __m512d* c) {
  __m512d t[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; i += 2) {
    t[i] = _mm512_unpacklo_pd(row[i], row[i + 1]);      // lanes 0 2 4 6 of two rows
    t[i + 1] = _mm512_unpackhi_pd(row[i], row[i + 1]);  // lanes 1 3 5 7
  }
#pragma GCC unroll 2
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
#endif

template <typename T, typename Op, Scalar kOp>
struct Fold {
  using V = typename VectorOf<T>::type;
  static constexpr std::int64_t kV = 8;
  static T op(T a, T b) { return Op::apply(a, b); }

  static Cell combine(Cell a, Cell b) { return to_cell(op(cell_to<T>(a), cell_to<T>(b))); }
  static Cell combine_blocks(Cell start, const BlockCells& blocks) {
    T r = cell_to<T>(start);
    for (int i = 0; i < blocks.count; ++i) r = op(r, cell_to<T>(blocks.cells[i]));
    return to_cell(r);
  }

  static T* lanes(ReduceState& st) { return reinterpret_cast<T*>(st.lanes); }
  static void reset_lanes(ReduceState& st) {
    for (int i = 0; i < kFoldLanes; ++i) lanes(st)[i] = identity_of<T>(kOp);
    st.in_block = 0;
  }
  static void reduce_start(ReduceState& st, bool sequential) {
    st.sequential = sequential;
    st.running = to_cell(identity_of<T>(kOp));
    st.blocks.count = 0;
    reset_lanes(st);
    if (sequential) neutral_lanes(st);
  }
  // Lanes that take on whatever is combined into them: what generated code finds for a short segment.
  static void neutral_lanes(ReduceState& st) {
    T neutral = identity_of<T>(kOp);
    if constexpr (std::is_same_v<T, double>) {
      if (kOp == Scalar::kAdd) neutral = -0.0;
      if (kOp == Scalar::kMax || kOp == Scalar::kMin) neutral = __builtin_nan("");
    }
    for (int i = 0; i < kFoldLanes; ++i) lanes(st)[i] = neutral;
  }
  static void reduce_advance(ReduceState& st, std::int64_t n) {
    if (st.sequential) {
      T r = cell_to<T>(st.running);
      for (std::int64_t i = 0; i < n; ++i) r = op(r, lanes(st)[i]);
      st.running = to_cell(r);
      neutral_lanes(st);
      return;
    }
    st.in_block += n;
    if (st.in_block == kFoldBlock) close_block(st);
  }

  static T fold_halves(T* x) {
    for (int w = kFoldLanes / 2; w >= 1; w /= 2)
      for (int l = 0; l < w; ++l) x[l] = op(x[l], x[l + w]);
    return x[0];
  }

  // Appends to the lanes; m elements do not cross the end of the block.
  static void lanes_append(T* lane, std::int64_t phase, const T* x, std::int64_t m) {
    std::int64_t i = 0;
    for (; i < m && (phase + i) % kFoldLanes != 0; ++i) {
      T& l = lane[(phase + i) % kFoldLanes];
      l = op(l, x[i]);
    }
    V a = *reinterpret_cast<V*>(lane);
    V b = *reinterpret_cast<V*>(lane + kV);
    for (; i + kFoldLanes <= m; i += kFoldLanes) {
      a = Op::apply(a, *reinterpret_cast<const V*>(x + i));
      b = Op::apply(b, *reinterpret_cast<const V*>(x + i + kV));
    }
    *reinterpret_cast<V*>(lane) = a;
    *reinterpret_cast<V*>(lane + kV) = b;
    for (std::int64_t l = 0; i < m; ++i, ++l) lane[l] = op(lane[l], x[i]);
  }

  static void close_block(ReduceState& st) {
    if (st.blocks.count == kChunkBlocks) {  // a chunk larger than usual: combine what is there
      st.blocks.cells[0] = combine_blocks(to_cell(identity_of<T>(kOp)), st.blocks);
      st.blocks.count = 1;
    }
    st.blocks.cells[st.blocks.count++] = to_cell(fold_halves(lanes(st)));
    reset_lanes(st);
  }
  static void reduce(ReduceState& st, const void* values, std::int64_t n) {
    const T* x = static_cast<const T*>(values);
    if (st.sequential) {
      T r = cell_to<T>(st.running);
      for (std::int64_t i = 0; i < n; ++i) r = op(r, x[i]);
      st.running = to_cell(r);
      return;
    }
    for (std::int64_t i = 0; i < n;) {
      const std::int64_t m = least(n - i, kFoldBlock - st.in_block);
      lanes_append(lanes(st), st.in_block % kFoldLanes, x + i, m);
      st.in_block += m;
      i += m;
      if (st.in_block == kFoldBlock) close_block(st);
    }
  }
  static void reduce_finish(ReduceState& st) {
    if (st.sequential) {
      st.blocks.cells[st.blocks.count++] = st.running;
    } else if (st.in_block > 0) {
      close_block(st);
    }
  }
  static T result(ReduceState& st) {
    if (st.sequential) return cell_to<T>(st.running);
    reduce_finish(st);
    return cell_to<T>(combine_blocks(to_cell(identity_of<T>(kOp)), st.blocks));
  }

  // A segment of more than 32 elements that lies in the block.
  static T whole(const T* x, std::int64_t n) {
    T total = identity_of<T>(kOp);
    alignas(64) T lane[kFoldLanes];
    for (std::int64_t i = 0; i < n; i += kFoldBlock) {
      for (T& l : lane) l = identity_of<T>(kOp);
      lanes_append(lane, 0, x + i, least(kFoldBlock, n - i));
      total = op(total, fold_halves(lane));
    }
    return total;
  }

  static void write(void* out, Storage storage, std::int64_t s, T v) {
    if constexpr (std::is_same_v<T, double>) {
      static_cast<double*>(out)[s] = v;
      static_cast<void>(storage);
    } else {
      store_cell(out, storage, s, static_cast<std::int64_t>(v));
    }
  }

  static void seg_reduce(SegReduceState& st, SegmentCursor& cursor, const void* values, std::int64_t begin,
                         std::int64_t n, void* out, Storage out_storage) {
    const T* x = static_cast<const T*>(values);
    const auto part = [&](std::int64_t s, std::int64_t first, std::int64_t m, bool starts,
                          std::int64_t length) {
      if (starts && m == length) [[likely]] {
        write(out, out_storage, s, complete(x + first, m));
        return;
      }
      if (starts) reduce_start(st.fold, length <= kSequentialMax);
      reduce(st.fold, x + first, m);
      if (begin + first + m != segment_offset(*cursor.desc, s + 1)) return;
      if (st.head_open && !st.head_closed && st.head_segment == s) {
        reduce_finish(st.fold);
        st.head = st.fold.blocks;
        st.head_closed = true;
      } else {
        write(out, out_storage, s, result(st.fold));
      }
      reduce_start(st.fold, false);
    };
    do {
      if (sizeof(T) == 8 && storage_bytes(out_storage) == 8)
        reduce_eights(cursor, x, begin, n, static_cast<std::int64_t*>(out));
      else
        over_short(cursor, begin, n, [&](std::int64_t s, std::int64_t first, std::int64_t stop) {
          write(out, out_storage, s, complete(x + first, stop - first));
        });
    } while (walk(cursor, begin, n, part, 8));
  }
  // A segment that lies in the block.
  static T complete(const T* x, std::int64_t n) {
    if (n > kSequentialMax) return whole(x, n);
    T r = identity_of<T>(kOp);
    for (std::int64_t i = 0; i < n; ++i) r = op(r, x[i]);
    return r;
  }

#ifdef __AVX512F__
  // Eight segments at a time while all of them lie in the block, a lane each, every lane from left to right:
  // rows of up to eight elements are loaded and transposed. Long segments among them are done one by one.
  static void reduce_eights(SegmentCursor& cursor, const T* x, std::int64_t begin, std::int64_t n,
                            std::int64_t* out) {
    if constexpr (sizeof(T) == 8) {
      const plan::Desc& d = *cursor.desc;
      if (!cursor.fresh || d.offsets == nullptr) return;
      const T* base = x - begin;
      for (; cursor.segment + 8 <= d.segments && d.offsets[cursor.segment + 8] <= begin + n;
           cursor.segment += 8)
        reduce_eight(base, d.offsets + cursor.segment, out + cursor.segment);
    }
  }
  static void reduce_eight(const T* v, const std::int64_t* offsets, std::int64_t* out) {
    const __m512i start = _mm512_loadu_si512(offsets);
    __m512i length = _mm512_sub_epi64(_mm512_loadu_si512(offsets + 1), start);
    const __mmask8 long_ones = _mm512_cmpgt_epi64_mask(length, _mm512_set1_epi64(kSequentialMax));
    length = _mm512_mask_mov_epi64(length, long_ones, _mm512_setzero_si512());
    const std::int64_t longest = _mm512_reduce_max_epi64(length);
    V acc = splat(identity_of<T>(kOp));
    for (std::int64_t at = 0; at < longest; at += 8) {
      __m512d row[8];
      __m512d column[8];
      alignas(64) std::int64_t left[8];
      _mm512_store_si512(
          left, _mm512_max_epi64(_mm512_sub_epi64(length, _mm512_set1_epi64(at)), _mm512_setzero_si512()));
#pragma GCC unroll 8
      for (int r = 0; r < 8; ++r) {
        const auto m = static_cast<__mmask8>(_bzhi_u32(255, static_cast<unsigned>(left[r])));
        row[r] = _mm512_maskz_loadu_pd(m, v + offsets[r] + at);
      }
      transpose(row, column);
#pragma GCC unroll 8
      for (int c = 0; c < 8; ++c) {
        const __mmask8 m = _mm512_cmpgt_epi64_mask(length, _mm512_set1_epi64(at + c));
        const V next = Op::apply(acc, V(column[c]));
        acc = V(_mm512_mask_mov_pd(__m512d(acc), m, __m512d(next)));
      }
    }
    _mm512_storeu_pd(out, __m512d(acc));
    for (unsigned m = long_ones; m != 0; m &= m - 1) {
      const int r = __builtin_ctz(m);
      const T total = whole(v + offsets[r], offsets[r + 1] - offsets[r]);
      std::memcpy(out + r, &total, sizeof total);
    }
  }
#else
  static void reduce_eights(SegmentCursor&, const T*, std::int64_t, std::int64_t, std::int64_t*) {}
#endif

  // ---------------------------------------------------------------------------------------------- scans

  using Index = typename VectorOf<T>::index;
  // Inclusive scan of a group.
  static V group_scan(V s) {
    constexpr Index kLevel1 = {0, 0, 2, 2, 4, 4, 6, 6}, kOdd1 = {0, -1, 0, -1, 0, -1, 0, -1};
    constexpr Index kLevel2 = {0, 1, 1, 1, 4, 5, 5, 5}, kOdd2 = {0, 0, -1, -1, 0, 0, -1, -1};
    constexpr Index kLevel3 = {0, 1, 2, 3, 3, 3, 3, 3}, kOdd3 = {0, 0, 0, 0, -1, -1, -1, -1};
    s = kOdd1 != 0 ? Op::apply(V(__builtin_shuffle(s, kLevel1)), s) : s;
    s = kOdd2 != 0 ? Op::apply(V(__builtin_shuffle(s, kLevel2)), s) : s;
    s = kOdd3 != 0 ? Op::apply(V(__builtin_shuffle(s, kLevel3)), s) : s;
    return s;
  }
  // The inclusive scan moved by one, the identity in front.
  static V exclusive(V s) {
    constexpr Index kMove = {8, 0, 1, 2, 3, 4, 5, 6};
    const V first = V{} + identity_of<T>(kOp);
    return __builtin_shuffle(s, first, kMove);
  }
  static V splat(T v) { return V{} + v; }
  static V last_of(V s) {
    constexpr Index kLast = {7, 7, 7, 7, 7, 7, 7, 7};
    return __builtin_shuffle(s, kLast);
  }

  static void scan_start(ScanState& st, Cell carry, bool sequential) {
    st.carry = carry;
    st.local = to_cell(identity_of<T>(kOp));
    st.sequential = sequential;
    st.in_block = 0;
    st.blocks.count = 0;
  }
  static void close_scan_block(ScanState& st) {
    st.blocks.cells[st.blocks.count++] = st.local;
    st.carry = combine(st.carry, st.local);
    st.local = to_cell(identity_of<T>(kOp));
    st.in_block = 0;
  }

  // Up to the end of a group that earlier calls began or this one leaves unfinished: m <= 8 - phase elements.
  template <bool kEmit>
  static void part_group(ScanState& st, const T* x, T* out, std::int64_t m) {
    const std::int64_t phase = st.in_block % kScanGroup;
    T* held = reinterpret_cast<T*>(st.held);
    for (std::int64_t i = 0; i < m; ++i) held[phase + i] = x[i];
    for (std::int64_t i = phase + m; i < kScanGroup; ++i) held[i] = T{};
    const V s = group_scan(*reinterpret_cast<const V*>(held));
    const V local = splat(cell_to<T>(st.local));
    if constexpr (kEmit) {
      const V e = Op::apply(splat(cell_to<T>(st.carry)), Op::apply(local, exclusive(s)));
      for (std::int64_t i = 0; i < m; ++i) out[i] = e[static_cast<int>(phase + i)];
    }
    st.in_block += m;
    if (phase + m == kScanGroup) st.local = to_cell(op(cell_to<T>(st.local), s[7]));
  }
  template <bool kEmit>
  static void whole_groups(ScanState& st, const T* x, T* out, std::int64_t m) {
    V local = splat(cell_to<T>(st.local));
    const V carry = splat(cell_to<T>(st.carry));
    for (std::int64_t i = 0; i < m; i += kScanGroup) {
      const V s = group_scan(*reinterpret_cast<const V*>(x + i));
      if constexpr (kEmit) *reinterpret_cast<V*>(out + i) = Op::apply(carry, Op::apply(local, exclusive(s)));
      local = Op::apply(local, last_of(s));
    }
    st.local = to_cell(T(local[0]));
    st.in_block += m;
  }
  template <bool kEmit>
  static void scan_any(ScanState& st, const T* x, T* out, std::int64_t n) {
    if (st.sequential) {
      T r = cell_to<T>(st.carry);
      for (std::int64_t i = 0; i < n; ++i) {
        const T next = op(r, x[i]);
        if constexpr (kEmit) out[i] = r;
        r = next;
      }
      st.carry = to_cell(r);
      return;
    }
    for (std::int64_t i = 0; i < n;) {
      const std::int64_t phase = st.in_block % kScanGroup;
      std::int64_t m = least(n - i, kFoldBlock - st.in_block);
      if (phase != 0 || m < kScanGroup) {
        m = least(m, kScanGroup - phase);
        part_group<kEmit>(st, x + i, out + i, m);
      } else {
        m = m / kScanGroup * kScanGroup;
        whole_groups<kEmit>(st, x + i, out + i, m);
      }
      i += m;
      if (st.in_block == kFoldBlock) close_scan_block(st);
    }
  }
  static void scan(ScanState& st, const void* in, void* out, std::int64_t n) {
    scan_any<true>(st, static_cast<const T*>(in), static_cast<T*>(out), n);
  }
  static void scan_total(ScanState& st, const void* in, std::int64_t n) {
    scan_any<false>(st, static_cast<const T*>(in), nullptr, n);
  }
  // Short segments that lie in the block: from left to right; nothing where only totals are asked for.
  template <bool kEmit>
  static void short_scans(SegmentCursor& cursor, const T* x, T* out, std::int64_t begin, std::int64_t n) {
    over_short(cursor, begin, n, [&](std::int64_t, std::int64_t first, std::int64_t stop) {
      if constexpr (!kEmit) return;
      T r = identity_of<T>(kOp);
      for (std::int64_t i = first; i < stop; ++i) {
        const T next = op(r, x[i]);
        out[i] = r;
        r = next;
      }
    });
  }
  template <bool kEmit>
  static void seg_scan_any(ScanState& st, SegmentCursor& cursor, const T* x, T* out, std::int64_t begin,
                           std::int64_t n) {
    const auto part = [&](std::int64_t, std::int64_t first, std::int64_t m, bool starts,
                          std::int64_t length) {
      if (starts) scan_start(st, to_cell(identity_of<T>(kOp)), length <= kSequentialMax);
      scan_any<kEmit>(st, x + first, kEmit ? out + first : nullptr, m);
    };
    do {
      short_scans<kEmit>(cursor, x, out, begin, n);
    } while (walk(cursor, begin, n, part, 8));
  }
  static void seg_scan(ScanState& st, SegmentCursor& cursor, const void* in, void* out, std::int64_t begin,
                       std::int64_t n) {
    seg_scan_any<true>(st, cursor, static_cast<const T*>(in), static_cast<T*>(out), begin, n);
  }
  static void seg_scan_total(ScanState& st, SegmentCursor& cursor, const void* in, std::int64_t begin,
                             std::int64_t n) {
    seg_scan_any<false>(st, cursor, static_cast<const T*>(in), nullptr, begin, n);
  }

  static constexpr FoldRoutines kTable = {combine,       reduce_start,   reduce,     reduce_advance,
                                          reduce_finish, combine_blocks, seg_reduce, scan_start,
                                          scan,          scan_total,     seg_scan,   seg_scan_total};
};

// BOOL folds are associative: plain loops over bytes.
template <typename Op, Scalar kOp>
struct BoolFold {
  using T = std::uint8_t;
  static T op(T a, T b) { return static_cast<T>(Op::apply(int{a}, int{b})); }
  static Cell combine(Cell a, Cell b) { return op(static_cast<T>(a), static_cast<T>(b)); }
  static Cell combine_blocks(Cell start, const BlockCells& blocks) {
    for (int i = 0; i < blocks.count; ++i) start = combine(start, blocks.cells[i]);
    return start;
  }
  static void reduce_start(ReduceState& st, bool) {
    st.running = bool_identity(kOp);
    st.blocks.count = 0;
  }
  static T fold(T r, const T* x, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) r = op(r, x[i]);
    return r;
  }
  static void reduce(ReduceState& st, const void* values, std::int64_t n) {
    st.running = fold(static_cast<T>(st.running), static_cast<const T*>(values), n);
  }
  static void reduce_finish(ReduceState& st) { st.blocks.cells[st.blocks.count++] = st.running; }
  static void seg_reduce(SegReduceState& st, SegmentCursor& cursor, const void* values, std::int64_t begin,
                         std::int64_t n, void* out, Storage) {
    const T* x = static_cast<const T*>(values);
    walk(cursor, begin, n,
         [&](std::int64_t s, std::int64_t first, std::int64_t m, bool starts, std::int64_t) {
           if (starts) reduce_start(st.fold, false);
           reduce(st.fold, x + first, m);
           if (begin + first + m != segment_offset(*cursor.desc, s + 1)) return;
           if (st.head_open && !st.head_closed && st.head_segment == s) {
             reduce_finish(st.fold);
             st.head = st.fold.blocks;
             st.head_closed = true;
           } else {
             static_cast<T*>(out)[s] = static_cast<T>(st.fold.running);
           }
           reduce_start(st.fold, false);
         });
  }
  // carry is all a scan of BOOL needs; local takes part so that a chunk's total is known.
  static void scan_start(ScanState& st, Cell carry, bool) {
    st.carry = carry;
    st.local = bool_identity(kOp);
    st.blocks.count = 0;
  }
  static void scan(ScanState& st, const void* in, void* out, std::int64_t n) {
    const T* x = static_cast<const T*>(in);
    T* o = static_cast<T*>(out);
    T r = static_cast<T>(st.carry);
    for (std::int64_t i = 0; i < n; ++i) {
      const T v = x[i];
      o[i] = r;
      r = op(r, v);
    }
    st.carry = r;
  }
  static void scan_total(ScanState& st, const void* in, std::int64_t n) {
    const T r = fold(bool_identity(kOp), static_cast<const T*>(in), n);
    st.carry = op(static_cast<T>(st.carry), r);
    st.local = op(static_cast<T>(st.local), r);
    st.blocks.count = 1;
    st.blocks.cells[0] = st.local;
  }
  static void seg_scan(ScanState& st, SegmentCursor& cursor, const void* in, void* out, std::int64_t begin,
                       std::int64_t n) {
    walk(cursor, begin, n, [&](std::int64_t, std::int64_t first, std::int64_t m, bool starts, std::int64_t) {
      if (starts) scan_start(st, bool_identity(kOp), false);
      scan(st, static_cast<const T*>(in) + first, static_cast<T*>(out) + first, m);
    });
  }
  static void seg_scan_total(ScanState& st, SegmentCursor& cursor, const void* in, std::int64_t begin,
                             std::int64_t n) {
    walk(cursor, begin, n, [&](std::int64_t, std::int64_t first, std::int64_t m, bool starts, std::int64_t) {
      if (starts) scan_start(st, bool_identity(kOp), false);
      scan_total(st, static_cast<const T*>(in) + first, m);
    });
  }
  static constexpr FoldRoutines kTable = {combine,       reduce_start,   reduce,     nullptr,
                                          reduce_finish, combine_blocks, seg_reduce, scan_start,
                                          scan,          scan_total,     seg_scan,   seg_scan_total};
};

template <typename T>
const FoldRoutines* int_fold(Scalar op) {
  switch (op) {
    case Scalar::kAdd: return &Fold<T, OpAdd, Scalar::kAdd>::kTable;
    case Scalar::kMul: return &Fold<T, OpMul, Scalar::kMul>::kTable;
    case Scalar::kMax: return &Fold<T, OpMax, Scalar::kMax>::kTable;
    case Scalar::kMin: return &Fold<T, OpMin, Scalar::kMin>::kTable;
    case Scalar::kAnd: return &Fold<T, OpAnd, Scalar::kAnd>::kTable;
    case Scalar::kOr: return &Fold<T, OpOr, Scalar::kOr>::kTable;
    case Scalar::kXor: return &Fold<T, OpXor, Scalar::kXor>::kTable;
    default: return nullptr;
  }
}
const FoldRoutines* float_fold(Scalar op) {
  switch (op) {
    case Scalar::kAdd: return &Fold<double, OpAdd, Scalar::kAdd>::kTable;
    case Scalar::kMul: return &Fold<double, OpMul, Scalar::kMul>::kTable;
    case Scalar::kMax: return &Fold<double, OpMax, Scalar::kMax>::kTable;
    case Scalar::kMin: return &Fold<double, OpMin, Scalar::kMin>::kTable;
    default: return nullptr;
  }
}
const FoldRoutines* bool_fold(Scalar op) {
  switch (op) {
    case Scalar::kAnd: return &BoolFold<OpAnd, Scalar::kAnd>::kTable;
    case Scalar::kOr: return &BoolFold<OpOr, Scalar::kOr>::kTable;
    case Scalar::kXor: return &BoolFold<OpXor, Scalar::kXor>::kTable;
    default: return nullptr;
  }
}
const FoldRoutines* fold_routines(Scalar op, Storage storage) {
  switch (storage) {
    case Storage::kI64: return int_fold<std::int64_t>(op);
    case Storage::kI32: return int_fold<std::int32_t>(op);
    case Storage::kF64: return float_fold(op);
    case Storage::kB8: return bool_fold(op);
    case Storage::kI8: return nullptr;
  }
  return nullptr;
}

// ------------------------------------------------------------------------------------- compaction, expansion

std::int64_t count_flags(const std::uint8_t* flags, std::int64_t n) {
  std::int64_t count = 0;
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    std::uint64_t word;
    std::memcpy(&word, flags + i, 8);
    count += __builtin_popcountll(word);
  }
  for (; i < n; ++i) count += flags[i];
  return count;
}

template <typename T>
std::int64_t compress_one_by_one(const T* x, const std::uint8_t* flags, std::int64_t from, std::int64_t n,
                                 T* out, std::int64_t m) {
  for (std::int64_t i = from; i < n; ++i) {
    out[m] = x[i];
    m += flags[i];
  }
  return m;
}

[[maybe_unused]] std::uint64_t flag_bits(const std::uint8_t* flags) {
  std::uint64_t word;
  std::memcpy(&word, flags, 8);
  return _pext_u64(word, 0x0101010101010101ULL);
}

std::int64_t compress(const void* values, const std::uint8_t* flags, std::int64_t n, int bytes, void* dest) {
  std::int64_t m = 0;
  std::int64_t i = 0;
  if (bytes == 8) {
    const auto* x = static_cast<const std::uint64_t*>(values);
    auto* out = static_cast<std::uint64_t*>(dest);
#ifdef __AVX512F__
    for (; i + 8 <= n; i += 8) {
      const auto keep = static_cast<__mmask8>(flag_bits(flags + i));
      _mm512_storeu_si512(out + m, _mm512_maskz_compress_epi64(keep, _mm512_loadu_si512(x + i)));
      m += __builtin_popcount(keep);
    }
#endif
    return compress_one_by_one(x, flags, i, n, out, m);
  }
  if (bytes == 4) {
    const auto* x = static_cast<const std::uint32_t*>(values);
    auto* out = static_cast<std::uint32_t*>(dest);
#ifdef __AVX512F__
    for (; i + 16 <= n; i += 16) {
      const auto keep = static_cast<__mmask16>(flag_bits(flags + i) | flag_bits(flags + i + 8) << 8);
      _mm512_storeu_si512(out + m, _mm512_maskz_compress_epi32(keep, _mm512_loadu_si512(x + i)));
      m += __builtin_popcount(keep);
    }
#endif
    return compress_one_by_one(x, flags, i, n, out, m);
  }
  const auto* x = static_cast<const std::uint8_t*>(values);
  auto* out = static_cast<std::uint8_t*>(dest);
  for (; i + 8 <= n; i += 8) {  // 8 bytes at once: the kept ones are extracted
    std::uint64_t word;
    std::uint64_t keep;
    std::memcpy(&word, x + i, 8);
    std::memcpy(&keep, flags + i, 8);
    const std::uint64_t packed = _pext_u64(word, keep * 0xFF);
    std::memcpy(out + m, &packed, 8);
    m += __builtin_popcountll(keep);
  }
  return compress_one_by_one(x, flags, i, n, out, m);
}

void widen_flags(const std::uint8_t* flags, std::int64_t n, std::int64_t* dest) {
  for (std::int64_t i = 0; i < n; ++i) dest[i] = flags[i];
}

// Fills in steps of two vectors, so that short segments take no branch that depends on their length; what is
// written behind a segment is overwritten by the next.
template <typename T>
void fill(T* dest, std::int64_t n, T value) {
  std::int64_t i = 0;
  do {
    for (int k = 0; k < 16; ++k) dest[i + k] = value;
    i += 16;
  } while (i < n);
}
template <typename T>
void fill_up(T* dest, std::int64_t n, T from) {
  std::int64_t i = 0;
  do {
    for (int k = 0; k < 16; ++k) dest[i + k] = static_cast<T>(from + static_cast<T>(i + k));
    i += 16;
  } while (i < n);
}

// Segments that differ: each is filled by itself. value(s) is what all elements of segment s get.
template <typename T, typename Value>
void expand_values(SegmentCursor& cursor, std::int64_t begin, std::int64_t n, T* dest, Value value) {
  walk(cursor, begin, n, [&](std::int64_t s, std::int64_t first, std::int64_t m, bool, std::int64_t) {
    if (m > 0) fill(dest + first, m, value(s));
  });
}

// Equal short segments: segment number and index within are kept for a group of lanes and advanced without a
// branch. value(s, w) may be asked for elements behind the block, with s a segment of the descriptor.
constexpr std::int64_t kShortSegment = 64;
template <typename T, typename Value>
void expand_shift(SegmentCursor& cursor, std::int64_t begin, std::int64_t n, T* dest, Value value) {
  const std::int64_t length = cursor.desc->regular_length;
  const std::int64_t last = cursor.desc->segments - 1;
  const int shift = __builtin_ctzll(static_cast<unsigned long long>(length));
  for (std::int64_t i = 0; i < n; ++i)
    dest[i] = value(least((begin + i) >> shift, last), (begin + i) & (length - 1));
  cursor = seek(*cursor.desc, begin + n);
}
template <typename T, typename Value>
void expand_short(SegmentCursor& cursor, std::int64_t begin, std::int64_t n, T* dest, Value value) {
  constexpr int kLanes = 16;
  const std::int64_t length = cursor.desc->regular_length;
  const std::int64_t last = cursor.desc->segments - 1;
  if ((length & (length - 1)) == 0) return expand_shift(cursor, begin, n, dest, value);
  std::int64_t segment[kLanes];
  std::int64_t within[kLanes];
  for (int k = 0; k < kLanes; ++k) {
    segment[k] = (begin + k) / length;
    within[k] = (begin + k) % length;
  }
  const std::int64_t whole = kLanes / length;
  const std::int64_t rest = kLanes % length;
  for (std::int64_t i = 0; i < n; i += kLanes) {
    for (int k = 0; k < kLanes; ++k) dest[i + k] = value(std::min(segment[k], last), within[k]);
    for (int k = 0; k < kLanes; ++k) {
      const std::int64_t w = within[k] + rest;
      const bool over = w >= length;
      within[k] = over ? w - length : w;
      segment[k] += whole + (over ? 1 : 0);
    }
  }
  cursor = seek(*cursor.desc, begin + n);
}

template <typename T, typename Value>
void expand_by(SegmentCursor& cursor, std::int64_t begin, std::int64_t n, T* dest, Value value) {
  const plan::Desc& d = *cursor.desc;
  if (d.offsets == nullptr && d.regular_length > 0 && d.regular_length <= kShortSegment)
    return expand_short(cursor, begin, n, dest, [&](std::int64_t s, std::int64_t) { return value(s); });
  expand_values(cursor, begin, n, dest, value);
}

template <typename T>
void expand_within(SegmentCursor& cursor, std::int64_t begin, std::int64_t n, T* dest) {
  const plan::Desc& d = *cursor.desc;
  if (d.offsets == nullptr && d.regular_length > 0 && d.regular_length <= kShortSegment)
    return expand_short(cursor, begin, n, dest,
                        [](std::int64_t, std::int64_t w) { return static_cast<T>(w); });
  walk(cursor, begin, n, [&](std::int64_t s, std::int64_t first, std::int64_t m, bool, std::int64_t) {
    if (m > 0) fill_up(dest + first, m, static_cast<T>(begin + first - segment_offset(d, s)));
  });
}

template <typename T>
void expand_as(SegmentCursor& cursor, Expand what, const T* table, const plan::Desc* other,
               std::int64_t begin, std::int64_t n, T* dest) {
  switch (what) {
    case Expand::kTable: return expand_by(cursor, begin, n, dest, [=](std::int64_t s) { return table[s]; });
    case Expand::kSegment:
      return expand_by(cursor, begin, n, dest, [](std::int64_t s) { return static_cast<T>(s); });
    case Expand::kOffset:
      return expand_by(cursor, begin, n, dest,
                       [=](std::int64_t s) { return static_cast<T>(segment_offset(*other, s)); });
    case Expand::kLength:
      return expand_by(cursor, begin, n, dest, [=](std::int64_t s) {
        return static_cast<T>(segment_offset(*other, s + 1) - segment_offset(*other, s));
      });
    case Expand::kWithin: return expand_within(cursor, begin, n, dest);
  }
}

void expand(SegmentCursor& cursor, Expand what, const void* table, const plan::Desc* other, int bytes,
            std::int64_t begin, std::int64_t n, void* dest) {
  if (bytes == 8)
    return expand_as(cursor, what, static_cast<const std::uint64_t*>(table), other, begin, n,
                     static_cast<std::uint64_t*>(dest));
  if (bytes == 4)
    return expand_as(cursor, what, static_cast<const std::uint32_t*>(table), other, begin, n,
                     static_cast<std::uint32_t*>(dest));
  return expand_as(cursor, what, static_cast<const std::uint8_t*>(table), other, begin, n,
                   static_cast<std::uint8_t*>(dest));
}

constexpr Routines kRoutines = {fold_routines, compress, count_flags, expand, widen_flags};

}  // namespace

}  // namespace nvm::vm::cpu
