// Reductions and scans; the order of FLOAT is that of reduce_tree.h, the routines are those of vm/simd.
//
//   reduce, INT and BOOL   the compiler's vectors; one pass, n reads
//   reduce, FLOAT long     16 lanes in native vectors, so that the adder's latency is hidden
//   scan, long             groups of 8 as vectors: three steps inside the group, one between groups
//   short segments         left to right; with AVX-512 many together (short_rows.h, short_segments.h)
//   narrow                 left to right
// A scan moves n reads and n writes; the totals of a first sweep stay in the cache for the second.
#include "vm/prims/kernels/isa.h"
#include "vm/simd/reduce.h"
#include "vm/simd/scan.h"
#include "vm/simd/short_rows.h"
#include "vm/simd/short_segments.h"

namespace nvm::vm::kernels::NVM_ISA {

namespace {

template <typename Op, typename In, typename Acc>
struct Kernel {
  static constexpr bool kFloat = __is_same(In, f64);
  // Groups of 8 are scanned as vectors: FLOAT always, for its order; INT where vectors of it are native.
  static constexpr bool kGroups = kFloat || (__is_same(In, Acc) && sizeof(In) >= 4 && NVM_VECTOR_BYTES >= 32);
  static constexpr Acc kId = Op::template identity<Acc>();
  using Combine = CombineTotals<Op, Acc>;
  using Carry = CarryTotals<Op, Acc>;

  static i64 block_length(i64 left) { return left < kReduceBlock ? left : kReduceBlock; }

  static Acc reduce_one(const In* v, i64 n) {
    if constexpr (kFloat) return reduce_segment<Op>(v, n);
    return reduce_in_order<Op, Acc>(v, n);
  }
  static void scan_from(const In* v, i64 n, Carries& carries, Acc* out) {
    const auto carry = [&] { return from_bits<Acc>(carries.carries[0]); };
    if constexpr (kGroups) {
      for (i64 i = 0; i < n; i += kReduceBlock)
        Carry::push(carries, scan_block<Op, true>(v + i, block_length(n - i), carry(), out + i));
    } else {
      scan_in_order<Op, true>(v, n, carry(), out);
    }
  }
  static void scan_one(const In* v, i64 n, Acc* out) {
    if (n <= kSequentialMax || (!kGroups && !kFloat))
      scan_in_order<Op, true>(v, n, kId, out);
    else
      scan_long(v, n, out);
  }
  // Apart, since the carries' state would burden who scans short segments.
  [[gnu::noinline]] static void scan_long(const In* v, i64 n, Acc* out) {
    Carries carries;
    Carry::start(carries, blocks_of(n));
    scan_from(v, n, carries, out);
  }

  template <bool kScan>
  static void one_segment(const In* v, i64 begin, i64 end, i64 k, Acc* out) {
    if constexpr (kScan)
      scan_one(v + begin, end - begin, out + begin);
    else
      out[k] = reduce_one(v + begin, end - begin);
  }
  template <bool kScan>
  static void one_by_one(const In* v, Segments s, i64 k0, i64 k1, Acc* out) {
    i64 start = s.start(k0);
    for (i64 k = k0; k < k1; ++k) {
      const i64 end = s.start(k + 1);
      one_segment<kScan>(v, start, end, k, out);
      start = end;
    }
  }
#if NVM_VECTOR_BYTES == 64
  // Short segments together, long ones one by one.
  template <bool kScan>
  static void short_together(const In* v, Segments s, i64 k0, i64 k1, Acc* out) {
    const auto one = [&](i64 k) { one_segment<kScan>(v, s.start(k), s.start(k + 1), k, out); };
    if constexpr (kScan) {
      ShortSegments<Op, In> short_ones(v, s.offsets, out);
      for (i64 k = k0; k < k1;) {
        const i64 taken = short_ones.take(k, k1 - k);
        if (taken == 0) one(k);
        k += taken == 0 ? 1 : taken;
      }
      short_ones.finish();
    } else {
      const ShortRows<Op, In> rows(v, s.offsets, s.start(k1));
      for (i64 k = rows.reduce(k0, k1, out); k < k1; k = rows.reduce(k + 1, k1, out)) one(k);
    }
  }
#endif
  template <bool kScan>
  static void all_segments(const void* pv, Segments s, i64 k0, i64 k1, void* pout) {
    const In* v = static_cast<const In*>(pv);
    Acc* out = static_cast<Acc*>(pout);
#if NVM_VECTOR_BYTES == 64
    if constexpr (sizeof(In) == 8)
      if (s.offsets != nullptr && k1 - k0 >= 16) return short_together<kScan>(v, s, k0, k1, out);
#endif
    if constexpr (!kScan && !kFloat)
      if (s.offsets == nullptr && s.length == 2) return pairs(v + 2 * k0, k1 - k0, out + k0);
    one_by_one<kScan>(v, s, k0, k1, out);
  }
  // Halves of what is divided in two.
  static void pairs(const In* __restrict v, i64 n, Acc* __restrict out) {
    for (i64 k = 0; k < n; ++k)
      out[k] = Op::apply(Op::apply(kId, static_cast<Acc>(v[2 * k])), static_cast<Acc>(v[2 * k + 1]));
  }
  static void reduce_blocks(const void* pv, i64 n, void* totals) {
    const In* v = static_cast<const In*>(pv);
    Acc* out = static_cast<Acc*>(totals);
    for (i64 i = 0; i < n; i += kReduceBlock) {
      if constexpr (kFloat)
        *out++ = reduce_block<Op>(v + i, block_length(n - i));
      else
        *out++ = reduce_in_order<Op, Acc>(v + i, block_length(n - i));
    }
  }
  static void scan_totals(const void* pv, i64 n, void* totals) {
    if constexpr (kFloat) {
      const f64* v = static_cast<const f64*>(pv);
      f64* out = static_cast<f64*>(totals);
      for (i64 i = 0; i < n; i += kReduceBlock)
        *out++ = scan_block<Op, false>(v + i, block_length(n - i), kId, static_cast<f64*>(nullptr));
    } else {
      reduce_blocks(pv, n, totals);
    }
  }
  static void scan_blocks(const void* v, i64 n, const Carries& carries, void* out) {
    Carries own = carries;
    scan_from(static_cast<const In*>(v), n, own, static_cast<Acc*>(out));
  }
  static void combine(Totals& state, const void* totals, i64 count) {
    for (i64 i = 0; i < count; ++i) Combine::push(state, static_cast<const Acc*>(totals)[i]);
  }
  static void combined(const Totals& state, void* out) { *static_cast<Acc*>(out) = Combine::finish(state); }
  static void carry(Carries& state, const void* totals, i64 count) {
    for (i64 i = 0; i < count; ++i) Carry::push(state, static_cast<const Acc*>(totals)[i]);
  }
  static constexpr Fold fold() {
    return {all_segments<false>,
            all_segments<true>,
            reduce_blocks,
            scan_totals,
            scan_blocks,
            Combine::start,
            combine,
            combined,
            Carry::start,
            carry};
  }
};

template <Scalar kOp, typename In, typename Acc>
void set(Table& t, FoldTypes types) {
  t.fold[index_of(kOp)][static_cast<int>(types)] = Kernel<FoldOp<kOp>, In, Acc>::fold();
}
template <Scalar kOp>
void set_ints(Table& t) {
  set<kOp, i8, i32>(t, FoldTypes::kI8I32);
  set<kOp, i8, i64>(t, FoldTypes::kI8I64);
  set<kOp, i32, i32>(t, FoldTypes::kI32I32);
  set<kOp, i32, i64>(t, FoldTypes::kI32I64);
  set<kOp, i64, i64>(t, FoldTypes::kI64I64);
}
template <Scalar kOp>
void set_numeric(Table& t) {
  set_ints<kOp>(t);
  set<kOp, f64, f64>(t, FoldTypes::kF64);
}
template <Scalar kOp>
void set_logical(Table& t) {
  set_ints<kOp>(t);
  set<kOp, u8, u8>(t, FoldTypes::kB8);
}

}  // namespace

void fill_fold(Table& t) {
  simd::each_numeric_fold([&]<Scalar kOp>() { set_numeric<kOp>(t); });
  simd::each_logical_fold([&]<Scalar kOp>() { set_logical<kOp>(t); });
}

}  // namespace nvm::vm::kernels::NVM_ISA
