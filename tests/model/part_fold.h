// The fold of one segment, part by part: what a record says, and no more, goes from a part to the next.
#pragma once

#include <algorithm>
#include <vector>

#include "tests/model/sinks.h"

namespace nvm::model {

class PartFold {
 public:
  // Of a segment of `length` elements.
  PartFold(const Algebra& algebra, plan::Record record, std::size_t length, Defect defect)
      : algebra_(algebra),
        record_(in_tree(record) && length <= kSequential ? plan::Record::kNothing : record),
        handed_(in_tree(record)),
        defect_(defect),
        blocks_((length + kBlock - 1) / kBlock) {
    totals_.emplace_back();
    reset();
  }

  // The next element is the one at `place` in the segment, in a part that has not begun it.
  void enter(std::size_t place) {
    place_ = place + (defect_ == Defect::kPlaceOff ? 1 : 0);
    if (defect_ == Defect::kDropsRecord) totals_ = {{}};
    if (defect_ == Defect::kDropsRecord || defect_ == Defect::kDropsBlock) reset();
  }
  // Combines x; what scans find before it.
  Word push(Word x) {
    switch (record_) {
      case plan::Record::kLanes: return push_lane(x);
      case plan::Record::kGroup: return push_group(x);
      default: break;
    }
    const Word before = handed_ ? cells_[0] : op(running(), cells_[0]);
    cells_[0] = op(cells_[0], x);
    return before;
  }
  // The part ends, and the segment goes on.
  void leave() {
    if (record_ == plan::Record::kTotal) close(cells_[0]);
    if (record_ == plan::Record::kNothing && !handed_) {
      totals_ = {{}};
      reset();
    }
    totals_.emplace_back();
  }
  // The segment ends; its total.
  Word finish() {
    if (handed_ && record_ == plan::Record::kNothing) return cells_[0];
    if (record_ == plan::Record::kLanes) {
      if (place_ % kBlock != 0) close_lanes();
    } else if (record_ == plan::Record::kGroup) {
      for (std::size_t i = 1; i < cells_.size(); ++i) cells_[0] = op(cells_[0], cells_[i]);
      close(cells_[0]);
    } else {
      close(cells_[0]);
    }
    return running();
  }

 private:
  static bool in_tree(plan::Record r) { return r == plan::Record::kLanes || r == plan::Record::kGroup; }
  [[nodiscard]] Word op(Word a, Word b) const { return algebra_.op(a, b); }

  void reset() { cells_.assign(record_ == plan::Record::kLanes ? kLanes : 1, algebra_.identity()); }
  void close(Word total) {
    totals_.back().push_back(total);
    reset();
  }
  // All totals so far, in the order of the parts, by the tree's levels if there are more than a block's.
  [[nodiscard]] Word running() const {
    std::vector<Word> all;
    for (std::size_t p = 0; p < totals_.size(); ++p)
      for (const Word t : totals_[defect_ == Defect::kReversed ? totals_.size() - 1 - p : p])
        all.push_back(t);
    if (record_ == plan::Record::kGroup && blocks_ > kBlock) return carry(all, blocks_);
    while (record_ == plan::Record::kLanes && all.size() > kBlock) all = superblocks(all);
    return in_order(all);
  }
  [[nodiscard]] Word in_order(const std::vector<Word>& x) const {
    Word r = algebra_.identity();
    for (const Word t : x) r = op(r, t);
    return r;
  }
  [[nodiscard]] std::vector<Word> superblocks(const std::vector<Word>& x) const {
    std::vector<Word> made;
    for (std::size_t b = 0; b < x.size(); b += kBlock) {
      Word lane[2] = {algebra_.identity(), algebra_.identity()};
      static_assert(kLanes == 2);
      for (std::size_t i = b; i < std::min(b + kBlock, x.size()); ++i) lane[i % 2] = op(lane[i % 2], x[i]);
      made.push_back(op(lane[0], lane[1]));
    }
    return made;
  }
  // What is before the item behind x, of `many` at this level.
  [[nodiscard]] Word carry(const std::vector<Word>& x, std::size_t many) const {
    if (many <= kBlock) return in_order(x);
    std::vector<Word> above;
    std::size_t i = 0;
    Word local = algebra_.identity();
    for (; i + kGroup <= x.size(); i += kGroup) {
      local = op(local, op(x[i], x[i + 1]));
      if ((i + kGroup) % kBlock != 0) continue;
      above.push_back(local);
      local = algebra_.identity();
    }
    const Word in_group = i < x.size() ? x[i] : algebra_.identity();
    return op(carry(above, (many + kBlock - 1) / kBlock), op(local, in_group));
  }

  Word push_lane(Word x) {
    Word& lane = cells_[place_ % kBlock % kLanes];
    lane = op(lane, x);
    if (++place_ % kBlock == 0) close_lanes();
    return algebra_.identity();  // nobody reads it
  }
  void close_lanes() {
    for (std::size_t w = kLanes / 2; w >= 1; w /= 2)
      for (std::size_t l = 0; l < w; ++l) cells_[l] = op(cells_[l], cells_[l + w]);
    close(cells_[0]);
  }
  // Cells: the total of the block's whole groups, then the elements of the group that has begun.
  Word push_group(Word x) {
    const Word in_group = cells_.size() == 1 ? algebra_.identity() : cells_[1];
    const Word before = op(running(), op(cells_[0], in_group));
    cells_.push_back(x);
    if (++place_ % kGroup == 0 && cells_.size() == 1 + kGroup)
      cells_ = {op(cells_[0], op(cells_[1], cells_[2]))};
    if (place_ % kBlock == 0) close(cells_[0]);
    return before;
  }

  const Algebra& algebra_;
  plan::Record record_;  // kNothing of a short segment in a tree: its running value is handed on
  bool handed_;
  Defect defect_;
  std::size_t blocks_;
  std::size_t place_ = 0;
  std::vector<std::vector<Word>> totals_;  // by part: of its own, or of the tree's blocks that it completes
  std::vector<Word> cells_;                // of the block that goes on
};

}  // namespace nvm::model
