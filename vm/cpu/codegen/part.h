// The iterations that a run is for, and what is told and learnt at both ends (bytecode/plan/part.h).
#pragma once

#include <algorithm>
#include <atomic>

#include "bytecode/plan/part.h"
#include "vm/cpu/routines.h"
#include "vm/simd/tree_record.h"

namespace nvm::vm::cpu {

class PartRun {
 public:
  void set(std::int64_t space, const plan::Part* part) {
    exchange_ = part == nullptr ? nullptr : part->exchange;
    space_ = space;
    begin_ = exchange_ == nullptr ? 0 : part->begin;
    end_ = exchange_ == nullptr ? space : part->end;
  }
  [[nodiscard]] std::int64_t space() const { return space_; }
  [[nodiscard]] std::int64_t begin() const { return begin_; }
  [[nodiscard]] std::int64_t end() const { return end_; }
  [[nodiscard]] bool begins_inside() const { return begin_ > 0; }
  [[nodiscard]] bool ends_inside() const { return end_ < space_; }
  [[nodiscard]] bool whole() const { return !begins_inside() && !ends_inside(); }

  [[nodiscard]] bool begins_inside_at(std::int64_t i) const { return begins_inside() && i == begin_; }
  [[nodiscard]] bool ends_inside_at(std::int64_t i) const { return ends_inside() && i == end_; }

  // Of the sink of that number; without it the part is to be stopped.
  [[nodiscard]] const plan::RecordWords& before(std::int32_t sink) const {
    static const plan::RecordWords kNone;
    const plan::RecordWords* record = exchange_->before(static_cast<std::size_t>(sink));
    if (record == nullptr) deserted_.store(true, std::memory_order_relaxed);
    return record == nullptr ? kNone : *record;
  }
  // The part before gave up.
  [[nodiscard]] bool deserted() const { return deserted_.load(std::memory_order_relaxed); }
  void after(std::int32_t sink, plan::RecordWords record) const {
    exchange_->after(static_cast<std::size_t>(sink), std::move(record));
  }
  // Null: the kernel is not shared out.
  [[nodiscard]] const plan::Exchange* shared() const { return exchange_; }
  [[nodiscard]] std::vector<plan::Write>* writes(std::int32_t sink) const {
    return exchange_ == nullptr ? nullptr : exchange_->writes(static_cast<std::size_t>(sink));
  }

  // How far a fold of the whole space, or of the segment that goes on there, has come at both ends.
  [[nodiscard]] TreePlace first_place() const { return {begin_, space_}; }
  [[nodiscard]] TreePlace last_place() const { return {end_, space_}; }
  [[nodiscard]] TreePlace first_place(const plan::Desc& d) const { return place(d, begin_); }
  [[nodiscard]] TreePlace last_place(const plan::Desc& d) const { return place(d, end_); }
  // Those that end in the part, empty ones in front of its elements among them; behind the last element, too.
  struct Segments {
    std::int64_t first, end;
  };
  [[nodiscard]] Segments segments(const plan::Desc& d) const {
    return {seek(d, begin_).segment, ends_inside() ? seek(d, end_).segment : d.segments};
  }

 private:
  [[nodiscard]] static TreePlace place(const plan::Desc& d, std::int64_t at) {
    const SegmentCursor c = seek(d, at);
    if (c.fresh) return {};
    const std::int64_t begin = segment_offset(d, c.segment);
    return {at - begin, segment_offset(d, c.segment + 1) - begin};
  }

  std::int64_t space_ = 0, begin_ = 0, end_ = 0;
  plan::Exchange* exchange_ = nullptr;
  mutable std::atomic<bool> deserted_{false};
};

// Reads words in order; what is missing is 0.
class RecordReader {
 public:
  explicit RecordReader(const plan::RecordWords& words) : words_(words) {}
  void operator()(Cell& word) { word = next_ < words_.size() ? words_[next_++] : 0; }

 private:
  const plan::RecordWords& words_;
  std::size_t next_ = 0;
};

class RecordWriter {
 public:
  void operator()(Cell word) { words.push_back(word); }
  plan::RecordWords words;
};

// Of a reduction that a part's end cuts, but for the totals of whole blocks.
struct OpenBlock {
  Cell lanes[kReduceLanes];
  Cell running;
  void set(ReduceState& st) {
    back_from_aside(st);
    std::copy_n(st.lanes, kReduceLanes, lanes);
    running = st.running;
  }
};

// Of a reduction that goes on over a cut. INT and BOOL are a total; FLOAT are the tree's state.
[[nodiscard]] inline plan::RecordWords record_of(const FoldRoutines& fold, const TreePlace& at,
                                                 OpenBlock& open, Totals& totals) {
  if (!fold.tree) return {fold.combined(totals)};
  RecordWriter out;
  reduction_words(at, open.running, open.lanes, totals, [&](Cell w) { out(w); });
  return std::move(out.words);
}
// `open` and `totals` have been started.
inline void read_record(const FoldRoutines& fold, const TreePlace& at, const plan::RecordWords& record,
                        ReduceState& open, Totals& totals) {
  RecordReader in(record);
  if (!fold.tree) return in(totals.levels[0].in_order);
  reduction_words(at, open.running, open.lanes, totals, [&](Cell& w) { in(w); });
  open.in_block = at.in_block();
}

// Of a scan likewise.
struct OpenGroup {
  Carries carries;
  Cell local;
  Cell held[kScanGroup];
  void set(const ScanState& st) {
    carries = st.carries;
    local = st.local;
    std::copy_n(st.held, kScanGroup, held);
  }
};

[[nodiscard]] inline plan::RecordWords record_of(const FoldRoutines& fold, const TreePlace& at,
                                                 Carries& carries, OpenGroup& open) {
  if (!fold.tree) return {carries.carries[0]};
  RecordWriter out;
  scan_words(at, carries, open.local, open.held, [&](Cell w) { out(w); });
  return std::move(out.words);
}
// The scan begins there.
inline void read_record(const FoldRoutines& fold, const TreePlace& at, const plan::RecordWords& record,
                        ScanState& open) {
  Carries carries;
  fold.start_carries(carries, blocks_of(at.length));
  fold.scan_start(open, carries, fold.tree && at.few());
  RecordReader in(record);
  if (!fold.tree) return in(open.carries.carries[0]);
  scan_words(at, open.carries, open.local, open.held, [&](Cell& w) { in(w); });
  open.in_block = at.in_block();
}

}  // namespace nvm::vm::cpu
