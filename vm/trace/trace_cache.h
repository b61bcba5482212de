// Traces that come again. What a loop records is mostly what it recorded the time before: then it is enough
// to see that each instruction is the expected one on the expected operands, and nothing is built anew. At
// the first difference, what was passed so far is written down as if it had been recorded (predict.cpp).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "vm/data/choice.h"
#include "vm/trace/by_inst.h"
#include "vm/trace/charges.h"
#include "vm/trace/recorded.h"

namespace nvm::vm {

// Filters of the same flags over the same descriptor share lengths.
struct PackedVar {
  soac::VarId flags, desc, out_desc;
  soac::LengthId length;
};

// One that the recorder took, and how much was recorded behind it.
struct TraceStep {
  enum class Kind : std::uint8_t {
    kInst,    // recorded
    kCheck,   // a check conditional that was passed
    kNumber,  // its result is a known length
    kNamed    // its result is a descriptor that is there already
  };
  const ssa::Inst* inst = nullptr;  // null: a check
  Op op = Op::kIf;
  TypeWord word = TypeWord::kNone;
  Kind kind = Kind::kInst;
  soac::VarList operands{}, results{};
  soac::LengthId number = soac::kNone;
  soac::LengthId charged = soac::kNone;  // elements that it costs; of a check: nothing
  std::uint32_t vars = 0, lengths = 0, insts = 0, packed = 0;
};

// A trace as it was recorded once, with the region that was made of it.
struct CachedTrace {
  std::vector<TraceStep> steps;
  // As recorded, before the region was made of it: roles say what was live.
  soac::Region recorded;
  std::vector<RecordedSite> sites;
  std::vector<PackedVar> packed;
  std::vector<soac::VarId> lengths_of;
  std::vector<soac::LengthId> length_of;
  const ssa::Inst* stopper = nullptr;  // that was not recorded any more; null: a value was asked for
  RegionStop stop = RegionStop::kAsked;

  // What is executed.
  RecordedRegion region;
  std::vector<std::pair<soac::VarId, soac::VarId>> outputs;         // as recorded, in the region
  std::vector<std::pair<soac::LengthId, soac::LengthId>> symbols;   // likewise
  std::vector<std::pair<std::int32_t, std::int32_t>> instructions;  // likewise
  std::vector<soac::VarId> made;                                    // as recorded: what is promised
  std::vector<CountedAt> counted;  // by length as recorded; empty if nobody wanted to know
  // Of the run, as far as it has been followed; by variable or length as recorded.
  std::vector<std::int64_t> lengths;
  std::vector<soac::VarId> input_at;  // in the region, or ~i: dropped[i], which no instruction needs
  std::vector<Value> dropped;
  std::vector<std::shared_ptr<Deferred>> promised;  // those that were not asked for serve again
  std::vector<Value> values;                        // of the outputs, by variable of the region
  [[nodiscard]] Value& input(soac::VarId x) {
    const soac::VarId to = input_at[static_cast<std::size_t>(x)];
    return to >= 0 ? region.inputs[static_cast<std::size_t>(to)] : dropped[static_cast<std::size_t>(~to)];
  }
  std::unique_ptr<RegionMemo> memo;
};

// What is known of traces that begin with one instruction. Where they keep differing from the last one, they
// are recorded for a while without looking.
class TraceStart {
 public:
  // Before a trace that begins here. Null: record it.
  [[nodiscard]] CachedTrace* expected() {
    if (trace_ == nullptr) static_cast<void>(backoff_.pass());
    return trace_.get();
  }
  // Is the trace that was recorded here to be learnt? Most traces of short programs never come again.
  [[nodiscard]] bool learns() { return trace_ == nullptr && !backoff_.waits() && std::exchange(seen_, true); }
  void learn(std::unique_ptr<CachedTrace> trace) {
    trace_ = std::move(trace);
    credit_ = kFirst;
  }
  void hit() {
    if (credit_ < kMost)
      ++credit_;
    else
      backoff_.succeed();
  }
  void miss() {
    credit_ -= kPenalty;
    if (credit_ >= 0) return;
    trace_.reset();
    backoff_.fail();
  }

 private:
  static constexpr int kFirst = 1, kMost = 8, kPenalty = 2;
  std::unique_ptr<CachedTrace> trace_;
  int credit_ = 0;
  Backoff<1, 1024> backoff_;  // by traces
  bool seen_ = false;
};

// The traces of one recorder, and how far the one has been passed that is followed.
class TraceCache {
 public:
  // Begins to follow the trace that began with this instruction. False: there is none, it is to be recorded.
  [[nodiscard]] bool begin(const ssa::Inst& inst);
  // What is followed, or null.
  [[nodiscard]] CachedTrace* followed() const { return trace_; }
  // The step to come; null behind the last one.
  [[nodiscard]] const TraceStep* next() const {
    return at_ < trace_->steps.size() ? &trace_->steps[at_] : nullptr;
  }
  // Is that this instruction on such operands? Notes the lengths of new ones.
  [[nodiscard]] bool fits(const ssa::Inst& inst, std::span<const Value> operands);
  // Is it this check? Then it is passed.
  [[nodiscard]] bool pass_check(const Deferred& condition, const Site& branch);
  void pass() { ++at_; }
  // The trail of a recorded instruction that was passed.
  void note_trail(std::int32_t trail) { trails_.push_back(trail); }
  // By recorded instruction passed; -1: a check.
  [[nodiscard]] const std::vector<std::int32_t>& trails() const { return trails_; }
  [[nodiscard]] std::size_t passed() const { return at_; }
  // Has all of it been passed, and is the same live that was live then?
  [[nodiscard]] bool ends() const;
  // Of a promised vector, or the elements under a promised descriptor; less than 0 if that is not known.
  [[nodiscard]] std::int64_t length_of(soac::VarId x) const;

  // Nothing is followed any more: it came to its end.
  void hit() {
    ++hits_;
    start_->hit();
    trace_ = nullptr;
    trails_.clear();
  }
  // Or something differed; it may be forgotten.
  void miss() {
    ++misses_;
    trace_ = nullptr;
    start_->miss();
  }
  // Nor is anything, whatever came of it.
  void clear() {
    trace_ = nullptr;
    trails_.clear();
  }
  // Keeps what make() gives, of a trace that was recorded and began with this instruction.
  template <typename Make>
  void learn(const ssa::Inst* first, const Make& make) {
    if (TraceStart& start = starts_[first]; start.learns()) start.learn(make());
  }
  // Lets go of the values of a run. Promises that nobody has serve again.
  static void release(CachedTrace& trace);

  [[nodiscard]] std::uint64_t hits() const { return hits_; }
  [[nodiscard]] std::uint64_t misses() const { return misses_; }

 private:
  [[nodiscard]] bool fits(const soac::Var& v, const Value& value);
  [[nodiscard]] bool length_fits(soac::LengthId id, std::int64_t n);

  ByInst<TraceStart> starts_;  // none is added while one is followed
  TraceStart* start_ = nullptr;
  CachedTrace* trace_ = nullptr;
  std::size_t at_ = 0;  // steps that were passed
  std::vector<std::int32_t> trails_;
  std::uint64_t hits_ = 0, misses_ = 0;
};

}  // namespace nvm::vm
