// The order in which FLOAT reductions and scans combine. It depends on the segment's length alone: not on
// threads, instruction set, tier or engine. Every engine computes exactly this. INT and BOOL operations are
// associative, so for them any order gives the same bits.
//
// Let x[0..n) be a segment, op the operation, id its identity, and "a op b" keep a on the left.
//
// n <= kSequentialMax, reductions and scans: left to right from the identity.
//     ((id op x[0]) op x[1]) op ...                 scan: element i gets the value before x[i] is combined
//
// n > kSequentialMax: the segment is cut into blocks of kReduceBlock elements, counted from its start; the
// last block may be shorter (of any length from 1).
//
// Reduction of a block B[0..m):
//     lane[l] = id for l in 0..kReduceLanes-1
//     for i = 0..m-1:  lane[i % kReduceLanes] = lane[i % kReduceLanes] op B[i]
//     for w = 8, 4, 2, 1:  for l < w:  lane[l] = lane[l] op lane[l + w]
//     block = lane[0]
// Reduction of the segment: the m totals of its blocks are combined by this rule:
//     m <= kReduceBlock: ((id op total[0]) op total[1]) op ...
//     m >  kReduceBlock: they are cut into superblocks of kReduceBlock, each reduced as a block of elements
//     is;
//                        the superblocks' totals are combined by this rule
//
// Scan of a block B[0..m), exclusive, from the carry C (id for the first block), in groups G of kScanGroup
// elements from the block's start, a short last group padded at its end with anything:
//     local = id
//     for each group:
//       s = G                                                          inclusive scan of the group:
//       s[1] = s[0] op s[1];  s[3] = s[2] op s[3];  s[5] = s[4] op s[5];  s[7] = s[6] op s[7]
//       s[2], s[3] = s[1] op s[2], s[1] op s[3];    s[6], s[7] = s[5] op s[6], s[5] op s[7]
//       s[4..7] = s[3] op s[4..7]
//       result[i] = C op (local op e[i])   with e[0] = id, e[i] = s[i-1]
//       local = local op s[7]                                          (not used after the last group)
//   `local` behind the block is its total. C of block b of the m in the segment:
//     m <= kReduceBlock: ((id op total[0]) op ...) op total[b-1]
//     m >  kReduceBlock: element b of the totals' scan: in superblocks of kReduceBlock totals, each scanned
//     as a
//                        block of elements is, with C of a superblock by this rule from the superblocks'
//                        totals
//   The last block of a segment hands nothing on, so its padding never matters.
//   Two threads agree on C by a first sweep that computes only `local` of each block.
//
// So up to 4,194,304 elements there is one level. tree_totals.h combines totals; everybody calls it.
#pragma once

#include <cstdint>

namespace nvm::vm {

inline constexpr std::int64_t kSequentialMax = 32;
inline constexpr std::int64_t kReduceBlock = 2048;
inline constexpr std::int64_t kReduceLanes = 16;
inline constexpr std::int64_t kScanGroup = 8;
inline constexpr int kTreeLevels = 4;  // above the blocks: enough for 2^55 elements

}  // namespace nvm::vm
