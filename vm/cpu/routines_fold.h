// Part of routines_impl.h: reductions and scans in progress over the blocks of a chunk, on top of the
// routines of vm/simd.
#pragma once

#include "vm/cpu/routines_walk.h"
#include "vm/simd/reduce.h"
#include "vm/simd/scan.h"
#include "vm/simd/short_rows.h"
#include "vm/simd/short_segments.h"

namespace nvm::vm::cpu {

namespace {

template <typename T>
T cell_to(Cell c) {
  return simd::from_bits<T>(c);
}
template <typename T>
Cell to_cell(T v) {
  return simd::to_bits(v);
}

// What a segment's blocks come to, by cells.
template <typename T, typename Op>
struct FoldTotals {
  using Combine = simd::CombineTotals<Op, T>;
  using Carry = simd::CarryTotals<Op, T>;
  static void combine_blocks(Totals& totals, const BlockCells& blocks) {
    for (int i = 0; i < blocks.count; ++i) Combine::push(totals, cell_to<T>(blocks.cells[i]));
  }
  static Cell combined(const Totals& totals) { return to_cell(Combine::finish(totals)); }
  static void carry_blocks(Carries& carries, const BlockCells& blocks) {
    for (int i = 0; i < blocks.count; ++i) Carry::push(carries, cell_to<T>(blocks.cells[i]));
  }
};

template <typename T, Scalar kOp>
struct Fold : FoldTotals<T, simd::FoldOp<kOp>> {
  using Op = simd::FoldOp<kOp>;
  using Base = FoldTotals<T, Op>;
  using typename Base::Carry;
  using typename Base::Combine;
  static constexpr T kId = Op::template identity<T>();
  static T op(T a, T b) { return Op::apply(a, b); }

  static Cell combine(Cell a, Cell b) { return to_cell(op(cell_to<T>(a), cell_to<T>(b))); }

  // ------------------------------------------------------------------------------------------ reductions

  static T* lanes(ReduceState& st) { return reinterpret_cast<T*>(st.lanes); }
  static void reset_lanes(ReduceState& st) {
    simd::start_lanes<Op>(lanes(st));
    st.in_block = 0;
  }
  static void reduce_start(ReduceState& st, bool sequential) {
    st.sequential = sequential;
    st.running = to_cell(kId);
    st.blocks.count = 0;
    st.overflown = false;
    st.aside = false;
    reset_lanes(st);
    if (sequential) neutral_lanes(st);
  }
  // Lanes that take on whatever is combined into them: what generated code finds for a short segment.
  static void neutral_lanes(ReduceState& st) {
    T neutral = kId;
    if constexpr (std::is_same_v<T, double>) {
      if (kOp == Scalar::kAdd) neutral = -0.0;
      if (kOp == Scalar::kMax || kOp == Scalar::kMin) neutral = __builtin_nan("");
    }
    for (int i = 0; i < kReduceLanes; ++i) lanes(st)[i] = neutral;
  }
  static void reduce_aside(ReduceState& st) {
    std::copy_n(st.lanes, kReduceLanes, st.aside_lanes);
    st.aside = true;
    neutral_lanes(st);
  }
  static void advance_aside(ReduceState& st, std::int64_t n) {
    simd::append_lanes<Op>(reinterpret_cast<T*>(st.aside_lanes), st.in_block % kReduceLanes, lanes(st), n);
    st.in_block += n;
    st.aside = st.in_block < kReduceBlock;
    if (st.aside) return neutral_lanes(st);
    std::copy_n(st.aside_lanes, kReduceLanes, st.lanes);
    close_block(st);
  }
  static void reduce_advance(ReduceState& st, std::int64_t n) {
    if (st.aside) return advance_aside(st, n);
    if (st.sequential) {
      T r = cell_to<T>(st.running);
      for (std::int64_t i = 0; i < n; ++i) r = op(r, lanes(st)[i]);
      st.running = to_cell(r);
      neutral_lanes(st);
      return;
    }
    st.in_block += n;
    if (st.in_block == kReduceBlock) close_block(st);
  }

  static void close_block(ReduceState& st) {
    if (st.blocks.count == kChunkBlocks) {
      if (!st.overflown) Combine::start(st.before);
      st.overflown = true;
      Base::combine_blocks(st.before, st.blocks);
      st.blocks.count = 0;
    }
    st.blocks.cells[st.blocks.count++] = to_cell(simd::fold_lanes<Op>(lanes(st)));
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
      const std::int64_t m = std::min(n - i, kReduceBlock - st.in_block);
      simd::append_lanes<Op>(lanes(st), st.in_block % kReduceLanes, x + i, m);
      st.in_block += m;
      i += m;
      if (st.in_block == kReduceBlock) close_block(st);
    }
  }
  static void reduce_finish(ReduceState& st) {
    back_from_aside(st);
    if (st.sequential) {
      st.blocks.cells[st.blocks.count++] = st.running;
    } else if (st.in_block > 0) {
      close_block(st);
    }
  }
  static T result(ReduceState& st) {
    if (st.sequential) return cell_to<T>(st.running);
    reduce_finish(st);
    if (!st.overflown) Combine::start(st.before);
    Base::combine_blocks(st.before, st.blocks);
    return Combine::finish(st.before);
  }

  static void write(void* out, Storage storage, std::int64_t s, T v) {
    switch (storage) {
      case Storage::kI32: static_cast<std::int32_t*>(out)[s] = static_cast<std::int32_t>(v); return;
      case Storage::kI8: static_cast<std::int8_t*>(out)[s] = static_cast<std::int8_t>(v); return;
      case Storage::kF64: static_cast<double*>(out)[s] = static_cast<double>(v); return;
      default: static_cast<std::int64_t*>(out)[s] = static_cast<std::int64_t>(v); return;
    }
  }

  static void seg_reduce(SegReduceState& st, SegmentCursor& cursor, const void* values, std::int64_t begin,
                         std::int64_t n, void* out, Storage out_storage) {
    const T* x = static_cast<const T*>(values);
    const auto part = [&](std::int64_t s, std::int64_t first, std::int64_t m, bool starts,
                          std::int64_t length) {
      if (starts && m == length) [[likely]] {
        write(out, out_storage, s, simd::reduce_segment<Op>(x + first, m));
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
      if (storage_bytes(out_storage) == sizeof(T))
        short_ones<false>(cursor, x, begin, n, static_cast<T*>(out));
    } while (walk(cursor, begin, n, part, 1));
  }
#if NVM_VECTOR_BYTES == 64
  template <bool kScan>
  static void short_together(SegmentCursor& cursor, const T* x, std::int64_t begin, std::int64_t n, T* out) {
    const plan::Desc& d = *cursor.desc;
    // As walk: empty segments at the end of the block are left for the next, if there is one.
    const std::int64_t end = begin + n < d.total ? begin + n : INT64_MAX;
    if constexpr (kScan) {
      simd::ShortSegments<Op, T> together(x - begin, d.offsets, out - begin,
                                          std::clamp<std::int64_t>(n / 8, kSequentialMax, simd::kStream));
      while (const std::int64_t taken = together.take(cursor.segment, d.segments - cursor.segment, end))
        cursor.segment += taken;
      together.finish();
    } else {
      const simd::ShortRows<Op, T> rows(x - begin, d.offsets, begin + n);
      cursor.segment = rows.reduce(cursor.segment, d.segments, out, end);
    }
  }
#endif
  // Short segments that lie in the block, from the cursor on.
  template <bool kScan>
  static void short_ones(SegmentCursor& cursor, const T* x, std::int64_t begin, std::int64_t n, T* out) {
    if (!cursor.fresh) return;
#if NVM_VECTOR_BYTES == 64
    if constexpr (sizeof(T) == 8)
      if (cursor.desc->offsets != nullptr) return short_together<kScan>(cursor, x, begin, n, out);
#endif
    over_short(cursor, begin, n, [&](std::int64_t s, std::int64_t first, std::int64_t stop) {
      if constexpr (kScan)
        simd::scan_in_order<Op, true>(x + first, stop - first, kId, out + first);
      else
        out[s] = simd::reduce_segment<Op>(x + first, stop - first);
    });
  }

  // ---------------------------------------------------------------------------------------------- scans

  static Cell& carry(ScanState& st) { return st.carries.carries[0]; }
  static void scan_start(ScanState& st, const Carries& carries, bool sequential) {
    st.carries = carries;
    scan_start(st, sequential);
  }
  static void scan_start(ScanState& st, bool sequential) {
    st.local = to_cell(kId);
    st.sequential = sequential;
    st.in_block = 0;
    st.blocks.count = 0;
  }
  static void close_scan_block(ScanState& st) {
    st.blocks.cells[st.blocks.count++] = st.local;
    Carry::push(st.carries, cell_to<T>(st.local));
    st.local = to_cell(kId);
    st.in_block = 0;
  }

  // Up to the end of a group that earlier calls began or this one leaves unfinished: m <= 8 - phase elements.
  template <bool kEmit>
  static void part_group(ScanState& st, const T* x, T* out, std::int64_t m) {
    const std::int64_t phase = st.in_block % kScanGroup;
    T* held = reinterpret_cast<T*>(st.held);
    for (std::int64_t i = 0; i < m; ++i) held[phase + i] = x[i];
    for (std::int64_t i = phase + m; i < kScanGroup; ++i) held[i] = T{};
    st.local = to_cell(
        simd::scan_part<Op, kEmit>(held, phase, phase + m, cell_to<T>(carry(st)), cell_to<T>(st.local), out));
    st.in_block += m;
  }
  static void scan_finish(ScanState& st) {
    if (st.in_block == 0) return;
    const T* held = reinterpret_cast<const T*>(st.held);
    for (std::int64_t i = 0; i < st.in_block % kScanGroup; ++i)
      st.local = combine(st.local, to_cell(held[i]));
    close_scan_block(st);
  }
  template <bool kEmit>
  static void scan_any(ScanState& st, const T* x, T* out, std::int64_t n) {
    if (st.sequential) {
      carry(st) = to_cell(simd::scan_in_order<Op, kEmit>(x, n, cell_to<T>(carry(st)), out));
      return;
    }
    for (std::int64_t i = 0; i < n;) {
      const std::int64_t phase = st.in_block % kScanGroup;
      std::int64_t m = std::min(n - i, kReduceBlock - st.in_block);
      if (phase != 0 || m < kScanGroup) {
        m = std::min(m, kScanGroup - phase);
        part_group<kEmit>(st, x + i, out + i, m);
      } else {
        m = m / kScanGroup * kScanGroup;
        st.local = to_cell(
            simd::scan_groups<Op, kEmit>(x + i, m, cell_to<T>(carry(st)), cell_to<T>(st.local), out + i));
        st.in_block += m;
      }
      i += m;
      if (st.in_block == kReduceBlock) close_scan_block(st);
    }
  }
  static void scan(ScanState& st, const void* in, void* out, std::int64_t n) {
    scan_any<true>(st, static_cast<const T*>(in), static_cast<T*>(out), n);
  }
  static void scan_total(ScanState& st, const void* in, std::int64_t n) {
    scan_any<false>(st, static_cast<const T*>(in), nullptr, n);
  }
  template <bool kEmit>
  static void seg_scan_any(ScanState& st, SegmentCursor& cursor, const T* x, T* out, std::int64_t begin,
                           std::int64_t n) {
    const auto part = [&](std::int64_t, std::int64_t first, std::int64_t m, bool starts,
                          std::int64_t length) {
      if (starts) {
        Carry::start(st.carries, blocks_of(length));
        scan_start(st, length <= kSequentialMax);
      }
      scan_any<kEmit>(st, x + first, kEmit ? out + first : nullptr, m);
    };
    do {
      if constexpr (kEmit) short_ones<true>(cursor, x, begin, n, out);
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

  static constexpr FoldRoutines kTable = {std::is_floating_point_v<T>,
                                          combine,
                                          reduce_start,
                                          reduce,
                                          reduce_advance,
                                          reduce_aside,
                                          reduce_finish,
                                          Combine::start,
                                          Base::combine_blocks,
                                          Base::combined,
                                          Carry::start,
                                          Base::carry_blocks,
                                          seg_reduce,
                                          scan_start,
                                          scan,
                                          scan_total,
                                          scan_finish,
                                          seg_scan,
                                          seg_scan_total};
};

}  // namespace

}  // namespace nvm::vm::cpu
