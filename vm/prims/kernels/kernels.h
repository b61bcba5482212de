// The inner loops of the primitives: one thread, plain pointers, no allocation, no exceptions. Every file of
// this folder but this one is compiled once per instruction set (link.cmake) and fills its part of a Table.
// So that no code of a wide instruction set can be linked into a narrow one, these files keep all they define
// in their own namespace and include nothing with inline functions of others but vm/simd, where they are
// internal.
#pragma once

#include <cstdint>

#include "bytecode/table/types.h"
#include "vm/simd/tree_totals.h"

namespace nvm::vm::kernels {

inline constexpr int kScalars = 64;  // bound on nvm::Scalar
inline constexpr int kStorages = 5;  // nvm::Storage: i8 i32 i64 f64 b8
inline constexpr int kFolds = 7;     // FoldTypes

inline constexpr std::int64_t kPairs = 32;  // longest segment ranked by comparing pairs

// Elements r[i] = a[i] op b[i]. r may be a or b if the element sizes agree.
using Binary = void (*)(const void* a, const void* b, void* r, std::int64_t n);
// The same for one pair, without a loop.
using BinaryOne = void (*)(const void* a, const void* b, void* r);
using Unary = void (*)(const void* a, void* r, std::int64_t n);
using Select = void (*)(const std::uint8_t* f, const void* a, const void* b, void* r, std::int64_t n);
// As Binary; the position of the first faulting pair, or -1. r is not to be used after a fault.
using Checked = std::int64_t (*)(const void* a, const void* b, void* r, std::int64_t n);

// Where segments lie: offsets, or equal lengths if offsets is null.
struct Segments {
  const std::int64_t* offsets = nullptr;
  std::int64_t length = 0;
  std::int64_t start(std::int64_t k) const { return offsets != nullptr ? offsets[k] : k * length; }
};

// How long segments are: as i32 or i64, or all `length`.
struct SegmentLengths {
  const void* lengths = nullptr;
  bool narrow = false;
  std::int64_t length = 0;
};

struct LengthSummary {
  std::int64_t total = 0;  // kTooLong or more if the lengths sum to that
  bool negative = false;   // there is a negative one
  bool equal = true;       // all are equal to `first`
};
inline constexpr std::int64_t kTooLong = std::int64_t{1} << 46;

// What a fold reads and accumulates. Elements are read as the first type and combined as the second.
enum class FoldTypes : std::uint8_t { kI8I32, kI8I64, kI32I32, kI32I64, kI64I64, kF64, kB8 };

// Reductions and scans of one operation (order: vm/simd/reduce_tree.h). Accumulators are of the second fold
// type.
struct Fold {
  // Segments k0..k1-1 of v, whole; out[k].
  void (*reduce_segments)(const void* v, Segments s, std::int64_t k0, std::int64_t k1, void* out) = nullptr;
  // Segments k0..k1-1 of v, whole; out[i] for their elements. out may be v if the element sizes agree.
  void (*scan_segments)(const void* v, Segments s, std::int64_t k0, std::int64_t k1, void* out) = nullptr;
  // A part of a long segment that starts at a block; one accumulator per block.
  void (*reduce_blocks)(const void* v, std::int64_t n, void* totals) = nullptr;
  void (*scan_totals)(const void* v, std::int64_t n, void* totals) = nullptr;
  // Scans such a part from the carry that is next.
  void (*scan_blocks)(const void* v, std::int64_t n, const Carries& carries, void* out) = nullptr;
  // Of the parts of a segment, in order: totals combined, to *out.
  void (*start_totals)(Totals&) = nullptr;
  void (*combine)(Totals&, const void* totals, std::int64_t count) = nullptr;
  void (*combined)(const Totals&, void* out) = nullptr;
  // And what the next block of a scan starts from.
  void (*start_carries)(Carries&, std::int64_t blocks) = nullptr;
  void (*carry)(Carries&, const void* totals, std::int64_t count) = nullptr;
};

// Index operands are i32 or i64 (suffix of the arrays: 0 and 1); elements of 1, 4 or 8 bytes (0, 1, 2).
// All return the position (in idx) of the first index outside its segment, or -1; flags may be null.
struct Move {
  using GatherSegments = std::int64_t (*)(const void* v, const void* idx, const std::uint8_t* flags,
                                          Segments source, Segments dest, std::int64_t k0, std::int64_t k1,
                                          void* out);
  // out[i] = v[idx[i]] for i < n, indices below len.
  using Gather = std::int64_t (*)(const void* v, const void* idx, const std::uint8_t* flags, std::int64_t n,
                                  std::int64_t len, void* out);
  // out[idx[i]] = v[i], in order of i.
  using Scatter = Gather;
  using Single = std::int64_t (*)(const void* v, const void* idx, Segments s, std::int64_t k0,
                                  std::int64_t k1, void* out);
  // The same as Scatter for places lo <= idx < hi only; indices have been checked.
  using ScatterRange = void (*)(const void* v, const void* idx, const std::uint8_t* flags, std::int64_t n,
                                std::int64_t lo, std::int64_t hi, void* out);
};

// What is combined with elements of a result: n elements stored so, or one element for all.
struct Addends {
  const void* v = nullptr;
  Storage storage = Storage::kI64;
  bool uniform = false;
};

// Combining scatters of one operation; the addends are no wider than the result. Indices are i32 or i64.
struct Combine {
  // Segments k0..k1-1 of the source; the position of the first index outside its segment, or -1.
  std::int64_t (*segments[2])(const Addends& v, const void* idx, Segments source, Segments dest,
                              std::int64_t k0, std::int64_t k1, void* out) = {};
  // Of one segment the places lo <= idx < hi only; indices have been checked.
  void (*range[2])(const Addends& v, const void* idx, std::int64_t n, std::int64_t lo, std::int64_t hi,
                   void* out) = {};
  // n identities; out[i] combined with more[i].
  void (*start)(void* out, std::int64_t n) = nullptr;
  void (*merge)(void* out, const void* more, std::int64_t n) = nullptr;
};

// Elements that stand in one of some relations to a value: less, equal, greater, unordered; all bits or none
// of each. They go to `out`, `total` of them, from segment k lengths[k] (if that is not null).
struct PackTarget {
  std::uint64_t less = 0, equal = 0, greater = 0, unordered = 0;
  void* out = nullptr;
  std::int32_t* lengths = nullptr;
  std::int64_t total = 0;
};

// Pieces of v that follow each other there, and where they go.
struct PieceStream {
  const void* v = nullptr;
  const std::int64_t* place = nullptr;
  const std::int64_t* from = nullptr;
};

// Of every segment one run: number `index` of the `each` that lie there in one of several vectors that are
// put together. It begins at first[...] of its segment (i32 if `narrow`, else i64) and at `places[...]` of
// the whole; both have each * segments elements.
struct RunSlot {
  SegmentLengths runs;
  const void* first = nullptr;
  bool narrow = false;
  std::int64_t* places = nullptr;
  std::int64_t each = 1, index = 0;
};
inline constexpr std::int64_t kMostSlots = 4;

struct Table {
  Binary binary[kScalars][kStorages] = {};  // by operand storage; comparisons give b8
  BinaryOne binary_one[kScalars][kStorages] = {};
  Checked checked[kScalars][kStorages] = {};  // kDiv and kRem of i32 and i64
  Unary unary[kScalars][kStorages] = {};      // by operand storage; kItoF gives f64, kItoB b8
  Unary to_int[kScalars][2] = {};             // kFloor kCeil kTrunc kRound: to i32, to i64
  Select select[3] = {};                      // by element size
  // least[i], most[i] = a[i], b[i] in their order, of Int storages; either may be a or b.
  void (*order[kStorages])(const void* a, const void* b, void* least, void* most, std::int64_t n) = {};
  // Of i32 and i64: in `count` segments of two times `half` elements the lesser of v[i] and v[half + i] to i
  // and the greater to half + i, or the other way round (`turned`); `out` may be v. False, and nothing done,
  // for lengths that it has no way for.
  bool (*exchange[2])(const void* v, std::int64_t half, std::int64_t count, bool turned, void* out) = {};
  Unary convert[kStorages][kStorages] = {};  // between Int storages

  Fold fold[kScalars][kFolds] = {};
  Combine combine[kScalars][kStorages] = {};  // by storage of the result: no kI8

  Move::Gather gather[3][2] = {};
  Move::GatherSegments gather_segments[3][2] = {};
  Move::Scatter scatter[3][2] = {};
  Move::GatherSegments scatter_segments[3][2] = {};  // source and dest as in scatter; result in idx positions
  Move::ScatterRange scatter_range[3][2] = {};
  // One element of each of segments k0..k1-1: out[k] = v's at idx[k], or that of out becomes x[k]. The first
  // segment whose index is outside it, or -1; `replace` leaves out segments without elements.
  Move::Single extract[3][2] = {};
  Move::Single write[3][2] = {};
  Move::Single replace[3][2] = {};
  // The same at one index in each of segments of `length` elements, which is inside.
  using SingleAt = void (*)(const void* v, std::int64_t length, std::int64_t index, std::int64_t k0,
                            std::int64_t k1, void* out);
  SingleAt extract_at[3] = {};
  SingleAt replace_at[3] = {};
  // Pieces k0..k1-1 of segments `along`: moved from (1) or to (0) their places in segments `there`, starts[k]
  // behind the start; whether all of them lie inside.
  void (*copy_runs[3][2][2])(const void* v, const void* starts, Segments along, Segments there,
                             std::int64_t k0, std::int64_t k1, void* out) = {};
  bool (*runs_fit[2])(const void* starts, Segments along, Segments there, std::int64_t k0,
                      std::int64_t k1) = {};
  // How many of n >= 1 indices go on as idx[0], idx[0] + step, ...
  std::int64_t (*run_length[2])(const void* idx, std::int64_t n, std::int64_t step) = {};
  // out[n - 1 - i] = v[i]; they do not overlap.
  void (*reverse[3])(const void* v, std::int64_t n, void* out) = {};
  // How many of n indices are below `bound`.
  std::int64_t (*below[2])(const void* idx, std::int64_t n, std::int64_t bound) = {};
  // out[idx[i]] = v[i] as long as the indices below `bound` are low, low + 1, ... and the others high, high +
  // 1, ...; how many of n elements that moved.
  std::int64_t (*split[3][2])(const void* v, const void* idx, std::int64_t n, std::int64_t bound,
                              std::int64_t low, std::int64_t high, void* out) = {};
  // Smallest and largest of n >= 1 indices.
  void (*index_range[2])(const void* idx, std::int64_t n, std::int64_t* range) = {};

  // The same of FLOAT elements seen as integers of the same order (-0 below 0, NaN by sign at the ends).
  void (*float_range)(const void* v, std::int64_t n, std::int64_t* range) = nullptr;

  std::int64_t (*count)(const std::uint8_t* flags, std::int64_t n) = nullptr;
  // Flags set in each of segments k0..k1-1; to i32 and i64.
  void (*count_segments[2])(const std::uint8_t* flags, Segments s, std::int64_t k0, std::int64_t k1,
                            void* out) = {};
  // Moves the flagged of n elements to out, `room` = their number; writes nothing behind them.
  void (*compress[3])(const void* v, const std::uint8_t* flags, std::int64_t n, void* out,
                      std::int64_t room) = {};
  // out = from, from + step, ... n of them, wrapping; to i32 and i64.
  void (*iota[2])(std::int64_t from, std::int64_t step, std::int64_t n, void* out) = {};
  // Whole segments k0..k1-1: copies of x[k]; runs from a[k] by b[k], wrapping, by type of both (i32, i64) and
  // of the result (i32, i64).
  void (*dist[3])(const void* x, Segments s, std::int64_t k0, std::int64_t k1, void* out) = {};
  void (*runs[2][2])(const void* a, const void* b, Segments s, std::int64_t k0, std::int64_t k1,
                     void* out) = {};
  // How many of n elements of i32, i64 and f64 stand in a relation (from kLt on) to *x.
  std::int64_t (*count_compare[6][3])(const void* v, std::int64_t n, const void* x) = {};
  // Segments 0..count-1 of v: the elements that stand in two or three relations to x[k * step], each to
  // memory that has room for a vector register behind all of v.
  using Partition = void (*)(const void* v, const void* x, std::int64_t step, Segments s, std::int64_t count,
                             PackTarget* targets);
  Partition partition[2][3] = {};
  // The same, the second target of every segment behind the first in the first's `out`. No element goes to
  // both.
  Partition partition_joined[2][3] = {};
  // n elements by their relation to x; nothing behind the places of those taken is written. Totals stay.
  void (*part_exactly[2][3])(const void* v, std::int64_t n, const void* x, const PackTarget* targets) = {};
  // Lengths of segments, 0 for those that are not flagged; their sum. `lengths` may be null.
  std::int64_t (*flagged_lengths)(const std::uint8_t* flags, Segments s, std::int64_t count,
                                  std::int32_t* lengths) = nullptr;
  // The flagged segments, elements of `bytes`, one after the other: `total` elements.
  void (*copy_flagged)(const void* v, std::int64_t bytes, const std::uint8_t* flags, Segments s,
                       std::int64_t count, std::int64_t total, void* out) = nullptr;
  // Runs of v, which has `total` elements of `bytes`, to their places.
  void (*put_runs)(const void* v, std::int64_t bytes, SegmentLengths runs, std::int64_t count,
                   std::int64_t total, const std::int64_t* places, void* out) = nullptr;
  // Places of runs that lie one behind the other, in the order of `slots`, in segments `dest`, which begin at
  // `to` of the whole; 0 for empty ones. False if they do not lie so, or do not fill the segments.
  bool (*lay_runs)(const RunSlot* slots, std::int64_t count, SegmentLengths dest, const std::int64_t* to,
                   std::int64_t segments) = nullptr;
  // Are `each` runs together as long as the segment, for all segments?
  bool (*runs_fill)(SegmentLengths runs, std::int64_t each, SegmentLengths s,
                    std::int64_t segments) = nullptr;
  // The places of those of `count` segments that are not empty, to out, which has room for a register behind
  // its n elements. False if these are not the n segments of `dest`; then out holds anything.
  bool (*places_of_some)(SegmentLengths s, std::int64_t count, const std::int64_t* places,
                         SegmentLengths dest, std::int64_t n, std::int64_t* out) = nullptr;

  // Of runs of places first[k], first[k] + 1, ... in a result of segments `dest`, for elements of segments
  // `source`, those that are not empty: where they go, and where they begin in the source.
  // Behind the last lie the largest number and, twice, the end of the source; there is room for them. Their
  // number, or -1 if a run crosses the end of its segment, or leaves that of the result.
  std::int64_t (*note_pieces[2])(const void* first, Segments runs, std::int64_t count, Segments source,
                                 Segments dest, std::int64_t segments, std::int64_t* place,
                                 std::int64_t* from) = {};
  // Are `count` numbers, a multiple of `each`, 0, n, 2n, ... from the start after every `each`?
  bool (*stairs[2])(const void* first, std::int64_t count, std::int64_t each, std::int64_t n) = {};
  // Two streams of pieces, `count` in all, in ascending order each, that lie without gaps in `total` elements
  // of out, which has room for a vector register behind them. False if they do not; then out holds anything.
  bool (*merge_pieces[3])(const PieceStream* streams, std::int64_t count, std::int64_t total, void* out) = {};
  // `count` times la elements of a and lb of b in turn, to out with such room.
  void (*join_regular[3])(const void* a, std::int64_t la, const void* b, std::int64_t lb, std::int64_t count,
                          void* out) = {};
  // From each of `count` segments n >= 1 elements from `offset` on, to out with such room.
  void (*take_regular[3])(const void* v, std::int64_t length, std::int64_t offset, std::int64_t n,
                          std::int64_t count, void* out) = {};

  // Of each of `count` segments of n >= 1 elements those numbered from[0], ... from[n - 1], to out with such
  // room.
  void (*shuffle_within[3])(const void* v, const std::int64_t* from, std::int64_t n, std::int64_t count,
                            void* out) = {};

  // Of n lengths of i32 or i64. Negative ones spoil the other answers.
  LengthSummary (*sum_lengths[2])(const void* lengths, std::int64_t n, std::int64_t first) = {};

  // place[i] = number of keys below keys[i], or equal and before it. Room for kPairs elements behind both.
  void (*rank_pairs)(const std::int64_t* keys, std::int64_t n, std::int64_t* place) = nullptr;
};

namespace portable {
void fill(Table& t);
}
namespace avx2 {
void fill(Table& t);
}
namespace avx512 {
void fill(Table& t);
}

}  // namespace nvm::vm::kernels
