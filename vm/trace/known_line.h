// Lines that come again. What a loop records is mostly what it recorded the time before: then it is enough to
// see that each instruction is the expected one on the expected operands, and nothing is built anew. At the
// first difference, what was passed so far is written down as if it had been recorded (predict.cpp).
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "vm/data/choice.h"
#include "vm/trace/recorded.h"

namespace nvm::vm {

// Filters of the same flags over the same descriptor share lengths.
struct PackedVar {
  soac::VarId flags, desc, out_desc;
  soac::LengthId length;
};

// One that the recorder took, and how much was recorded behind it.
struct LineStep {
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
  soac::VarList operands, results;
  soac::LengthId number = soac::kNone;
  std::uint32_t vars = 0, lengths = 0, insts = 0, packed = 0;
};

// A line as it was recorded once, with the region that was made of it.
struct KnownLine {
  std::vector<LineStep> steps;
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

// What is known of lines that begin with one instruction. Where they keep differing from the last one, they
// are recorded for a while without looking.
class LineStart {
 public:
  // Before a line that begins here. Null: record it.
  [[nodiscard]] KnownLine* expected() {
    if (line_ == nullptr) static_cast<void>(backoff_.pass());
    return line_.get();
  }
  // Is the line that was recorded here to be learnt? Most lines of short programs never come again.
  [[nodiscard]] bool learns() { return line_ == nullptr && !backoff_.waits() && std::exchange(seen_, true); }
  void learn(std::unique_ptr<KnownLine> line) {
    line_ = std::move(line);
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
    line_.reset();
    backoff_.fail();
  }

 private:
  static constexpr int kFirst = 1, kMost = 8, kPenalty = 2;
  std::unique_ptr<KnownLine> line_;
  int credit_ = 0;
  Backoff<1, 1024> backoff_;  // by lines
  bool seen_ = false;
};

}  // namespace nvm::vm
