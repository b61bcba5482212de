// What is known of a FLOAT fold or scan of a segment behind some of its elements: all that a part of the
// segment hands on to the next (bytecode/plan/fission.def), in words. INT and BOOL need none of it: a total.
#pragma once

#include "vm/simd/tree_totals.h"

namespace nvm::vm {

// How many of the segment's elements are before the cut. Of what a filter keeps the length is only a bound.
struct TreePlace {
  std::int64_t before = 0, length = 0;

  [[nodiscard]] bool few() const { return length <= kSequentialMax; }
  [[nodiscard]] std::int64_t in_block() const { return few() ? 0 : before % kReduceBlock; }
  // Is something begun that the next element goes on with?
  [[nodiscard]] bool open() const { return before > 0 && (few() || in_block() > 0); }
};

// word(w) for each word of a reduction's record, to be read or written; what the place tells is set.
// `running`: of few, combined so far; `lanes`: of the block that goes on; `totals`: of the blocks before.
template <typename Word>
void reduction_words(const TreePlace& at, std::uint64_t& running, std::uint64_t* lanes, Totals& totals,
                     Word word) {
  if (at.few()) return word(running);
  if (at.in_block() > 0)
    for (std::int64_t l = 0; l < kReduceLanes; ++l) word(lanes[l]);
  std::int64_t count = at.before / kReduceBlock;
  std::int64_t most = blocks_of(at.length);
  for (auto& level : totals.levels) {
    level.count = count;
    if (count > 0) word(level.in_order);
    if (most <= kReduceBlock) return;
    for (std::int64_t l = 0; l < std::min(count % kReduceBlock, kReduceLanes); ++l) word(level.lanes[l]);
    if (count < kReduceBlock) return;
    count /= kReduceBlock;
    most = blocks_of(most);
  }
}

// Of a scan's, whose `carries` have been started for the segment: `local` and `held` of the block that goes
// on.
template <typename Word>
void scan_words(const TreePlace& at, Carries& carries, std::uint64_t& local, std::uint64_t* held, Word word) {
  word(carries.carries[0]);
  if (at.in_block() > 0) {
    word(local);
    for (std::int64_t i = 0; i < at.in_block() % kScanGroup; ++i) word(held[i]);
  }
  std::int64_t count = at.before / kReduceBlock;
  for (int k = 0; k < carries.depth; ++k) {
    auto& level = carries.levels[k];
    level.count = count % kReduceBlock;
    word(level.local);
    for (std::int64_t i = 0; i < level.count % kScanGroup; ++i) word(level.held[i]);
    word(carries.carries[k + 1]);
    count /= kReduceBlock;
  }
}

}  // namespace nvm::vm
