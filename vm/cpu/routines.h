// What is done to a block of values between or after pieces of generated code: folds, scans, compaction and
// the expansion of per-segment values. Built once per instruction set from routines_impl.h; exact in the
// order of combination, which is that of the eager primitives (vm/simd/reduce_tree.h):
//
//   up to 32 elements: left to right from the identity. Longer: blocks of 2048 from the segment's start.
//   A block is reduced in 16 lanes (element i to lane i mod 16, from the identity), lanes folded by halves. A
//   block is scanned in groups of 8: the running `local` of the block, started from the identity, combined
//   with the group's inclusive scan, then the carry of the block in front of it. What blocks come to is
//   combined by vm/simd/tree_totals.h.
#pragma once

#include <cstdint>
#include <cstring>

#include "bytecode/plan/engine.h"
#include "bytecode/table/op_info.h"
#include "vm/cpu/isa.h"
#include "vm/simd/tree_totals.h"

namespace nvm::vm::cpu {

// Elements of one chunk: what a thread takes at a time, and never more.
inline constexpr std::int64_t kChunkMax = 1 << 16;
inline constexpr int kChunkBlocks = static_cast<int>(kChunkMax / kReduceBlock) + 1;

// One element in 8 bytes: INT of the run's width in the low bytes, double, or BOOL 0/1.
using Cell = std::uint64_t;

// The results of the 2048-blocks of one segment (or piece of one), in order.
struct BlockCells {
  int count = 0;
  Cell cells[kChunkBlocks];
};

// A reduction in progress.
struct ReduceState {
  alignas(64) Cell lanes[kReduceLanes];
  alignas(64) Cell aside_lanes[kReduceLanes];
  bool aside = false;       // `lanes` take 16 elements at most at a time, which go on to those aside
  Cell running = 0;         // sequential segments: combined so far
  bool sequential = false;  // the segment has at most 32 elements
  std::int64_t in_block = 0;
  BlockCells blocks;
  bool overflown = false;  // a chunk larger than usual: `before` has the totals in front of `blocks`
  Totals before;
};

inline void back_from_aside(ReduceState& st) {
  if (st.aside) std::memcpy(st.lanes, st.aside_lanes, sizeof st.lanes);
  st.aside = false;
}

// A scan in progress.
struct ScanState {
  alignas(64) Cell held[kScanGroup];  // elements of an unfinished group
  Carries carries;                    // the first: before the block; sequential segments: combined so far
  Cell local = 0;
  bool sequential = false;
  std::int64_t in_block = 0;
  BlockCells blocks;
};

// The part of a descriptor that a block of the space covers; advances with the blocks.
struct SegmentCursor {
  const plan::Desc* desc = nullptr;
  std::int64_t segment = 0;  // the one that holds the next element, or the first that starts there
  bool fresh = true;         // the next element starts `segment`
};

// A segmented reduction over a chunk: what does not start and end inside it is left for the caller.
struct SegReduceState {
  ReduceState fold;
  bool head_open = false;  // the first segment started before the chunk
  std::int64_t head_segment = 0;
  bool head_closed = false;
  BlockCells head;
};

struct FoldRoutines {
  bool tree;  // FLOAT: the order in which it combines shows
  Cell (*combine)(Cell a, Cell b);
  void (*reduce_start)(ReduceState&, bool sequential);
  void (*reduce)(ReduceState&, const void* values, std::int64_t n);
  // Generated code has combined n elements into the lanes itself. Null for BOOL, as is the next.
  void (*reduce_advance)(ReduceState&, std::int64_t n);
  // From inside of a block on generated code gives 16 elements at most at a time, up to the block's end.
  void (*reduce_aside)(ReduceState&);
  void (*reduce_finish)(ReduceState&);  // closes the last block into `blocks`
  // Blocks, or what a reduction has seen, in order behind those of a segment that have come.
  void (*start_totals)(Totals&);
  void (*combine_blocks)(Totals&, const BlockCells&);
  Cell (*combined)(const Totals&);
  void (*start_carries)(Carries&, std::int64_t blocks);  // of a segment of so many
  void (*carry_blocks)(Carries&, const BlockCells&);
  // out[s] of every segment that starts at or after the chunk's begin and ends in this block.
  void (*seg_reduce)(SegReduceState&, SegmentCursor&, const void* values, std::int64_t begin, std::int64_t n,
                     void* out, Storage out_storage);
  void (*scan_start)(ScanState&, const Carries&, bool sequential);
  void (*scan)(ScanState&, const void* in, void* out, std::int64_t n);
  void (*scan_total)(ScanState&, const void* in, std::int64_t n);  // advances without results
  // Closes the last block into `blocks` and `carries`, wherever in it the chunk ends: of INT alone, if that
  // is not at the end of the space.
  void (*scan_finish)(ScanState&);
  void (*seg_scan)(ScanState&, SegmentCursor&, const void* in, void* out, std::int64_t begin, std::int64_t n);
  void (*seg_scan_total)(ScanState&, SegmentCursor&, const void* in, std::int64_t begin, std::int64_t n);
};

// What to expand for each element of a block.
enum class Expand : std::uint8_t { kTable, kSegment, kWithin, kOffset, kLength };

// Of a segment of n elements, as a cell; INT has 64 bits.
using WholeFold = Cell (*)(const void* values, std::int64_t n);

struct Routines {
  // Null if `op` does not fold values stored so.
  const FoldRoutines* (*fold)(Scalar op, Storage storage);
  // Likewise.
  WholeFold (*fold_whole)(Scalar op, Storage storage);
  // dest[i] = values[i] where flags[i] != 0, packed; returns how many. dest has a vector of room behind.
  std::int64_t (*compress)(const void* values, const std::uint8_t* flags, std::int64_t n, int bytes,
                           void* dest);
  std::int64_t (*count_flags)(const std::uint8_t* flags, std::int64_t n);
  // counts[s] = the flags set, of every segment that starts in the block; added to where it goes on. Of the
  // segment `open`, which another chunk starts, they are added to open_count instead. 8 bytes may be read
  // behind the flags.
  void (*count_by_segment)(SegmentCursor&, const std::uint8_t* flags, std::int64_t begin, std::int64_t n,
                           std::int64_t open, std::int64_t* counts, std::int64_t& open_count);
  // Per-segment values spread over the elements [begin, begin + n); `bytes` per element of dest. `table` is
  // indexed by segment (kTable); kOffset and kLength take those of `other`. dest has 128 bytes of room
  // behind.
  void (*expand)(SegmentCursor&, Expand what, const void* table, const plan::Desc* other, int bytes,
                 std::int64_t begin, std::int64_t n, void* dest);
  // The address of an elementary function (vm/simd/functions.h): a vector of FLOAT in the first vector
  // register to one in the same.
  const void* (*elementary)(Scalar function);
};

[[nodiscard]] const Routines& routines_avx512();
[[nodiscard]] const Routines& routines_avx2();
[[nodiscard]] inline const Routines& routines_of(Isa isa) {
  return isa == Isa::kAvx512 ? routines_avx512() : routines_avx2();
}

[[nodiscard]] inline std::int64_t segment_offset(const plan::Desc& d, std::int64_t s) {
  return d.offsets != nullptr ? d.offsets[s] : s * d.regular_length;
}
// The cursor at element `at` of the space.
[[nodiscard]] SegmentCursor seek(const plan::Desc& desc, std::int64_t at);

}  // namespace nvm::vm::cpu
