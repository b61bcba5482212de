// Part of routines_impl.h: folds of BOOL are associative, plain loops over bytes.
#pragma once

#include "vm/cpu/routines_fold.h"

namespace nvm::vm::cpu {

namespace {

template <Scalar kOp>
struct BoolFold : FoldTotals<std::uint8_t, simd::FoldOp<kOp>> {
  using T = std::uint8_t;
  using Op = simd::FoldOp<kOp>;
  using Base = FoldTotals<T, Op>;
  using typename Base::Carry;
  using typename Base::Combine;
  static constexpr T kId = Op::template identity<T>();
  static T op(Cell a, Cell b) { return Op::apply(static_cast<T>(a), static_cast<T>(b)); }
  static Cell combine(Cell a, Cell b) { return op(a, b); }
  static void reduce_start(ReduceState& st, bool) {
    st.running = kId;
    st.blocks.count = 0;
    st.overflown = false;
  }
  static void reduce(ReduceState& st, const void* values, std::int64_t n) {
    st.running = op(st.running, simd::reduce_in_order<Op, T>(static_cast<const T*>(values), n));
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
  static Cell& carry(ScanState& st) { return st.carries.carries[0]; }
  static void scan_start(ScanState& st, const Carries& carries, bool) {
    st.carries = carries;
    scan_start(st);
  }
  static void scan_start(ScanState& st) {
    st.local = kId;
    st.blocks.count = 0;
  }
  static void scan(ScanState& st, const void* in, void* out, std::int64_t n) {
    carry(st) = simd::scan_in_order<Op, true>(static_cast<const T*>(in), n, static_cast<T>(carry(st)),
                                              static_cast<T*>(out));
  }
  static void scan_total(ScanState& st, const void* in, std::int64_t n) {
    const T r = simd::reduce_in_order<Op, T>(static_cast<const T*>(in), n);
    carry(st) = op(carry(st), r);
    st.local = op(st.local, r);
    st.blocks.count = 1;
    st.blocks.cells[0] = st.local;
  }
  static void scan_finish(ScanState&) {}
  template <typename Step>
  static void seg_scan_by(ScanState& st, SegmentCursor& cursor, std::int64_t begin, std::int64_t n,
                          Step step) {
    walk(cursor, begin, n, [&](std::int64_t, std::int64_t first, std::int64_t m, bool starts, std::int64_t) {
      if (starts) {
        Carry::start(st.carries, 1);
        scan_start(st);
      }
      step(first, m);
    });
  }
  static void seg_scan(ScanState& st, SegmentCursor& cursor, const void* in, void* out, std::int64_t begin,
                       std::int64_t n) {
    seg_scan_by(st, cursor, begin, n, [&](std::int64_t first, std::int64_t m) {
      scan(st, static_cast<const T*>(in) + first, static_cast<T*>(out) + first, m);
    });
  }
  static void seg_scan_total(ScanState& st, SegmentCursor& cursor, const void* in, std::int64_t begin,
                             std::int64_t n) {
    seg_scan_by(st, cursor, begin, n, [&](std::int64_t first, std::int64_t m) {
      scan_total(st, static_cast<const T*>(in) + first, m);
    });
  }
  static constexpr FoldRoutines kTable = {false,          combine,        reduce_start,
                                          reduce,         nullptr,        nullptr,
                                          reduce_finish,  Combine::start, Base::combine_blocks,
                                          Base::combined, Carry::start,   Base::carry_blocks,
                                          seg_reduce,     scan_start,     scan,
                                          scan_total,     scan_finish,    seg_scan,
                                          seg_scan_total};
};

}  // namespace

}  // namespace nvm::vm::cpu
