// What a run costs, and who is told: work and fuel, bytes moved, marks of the path, instructions and calls
// for those who look on. Nothing here decides what is executed.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "vm/interp/code.h"
#include "vm/interp/machine.h"
#include "vm/interp/path.h"

namespace nvm::vm {

class Accounts {
 public:
  // The machine must outlive it.
  explicit Accounts(const Machine& machine);

  // Is work counted at all?
  [[nodiscard]] bool counts() const { return counts_; }
  // Does the observer look at the work of instructions, while it looks?
  [[nodiscard]] bool sees_work() const { return sees_work_; }
  // Is somebody told what has that work?
  [[nodiscard]] bool itemised() const { return itemised_; }
  [[nodiscard]] bool counts_moved() const { return moved_ != nullptr; }

  void count(const Step& step, std::span<const Value> operands) {
    // Most instructions count what a vector has.
    const auto* v = step.counted == Counted::kFirst ? std::get_if<Vector>(operands.data()) : nullptr;
    if (v != nullptr && !itemised_) [[likely]] {
      tally_->add(v->length());
      return burn();
    }
    count(step, v != nullptr ? v->length() : work_of(step, operands));
  }
  void count(const Step& step, std::int64_t work) {
    const bool paid = step.counted != Counted::kNothing;
    if (tally_ != nullptr) paid ? tally_->add(work) : void(++tally_->uncharged);
    burn();
    pass_mark(step);
    if (meter_ != nullptr) [[unlikely]]
      meter_->at(*step.inst, step.site.function, paid ? work : 0, paid);
    if (sees_work_ && instructions_seen()) [[unlikely]] {
      if (recorded_ && machine_.hook == nullptr) observer_->left(*step.inst, kUnrecorded);
      observer_->begin(*step.inst, step.site, work);
    }
  }
  // Also of what is unpaid, if somebody looks.
  [[nodiscard]] std::int64_t work_of(const Step& step, std::span<const Value> operands) const {
    const bool unpaid = sees_work_ && step.counted == Counted::kNothing;
    return vm::work_of(unpaid ? counted_by(step.op) : step.counted, operands);
  }
  // Of what is known by its results only.
  void count_results(std::span<const Value> results) const;
  void burn() const {
    if (fuel_ != nullptr) [[unlikely]]
      fuel_->burn();
  }
  // For what counts nothing, lest it go on for ever.
  void burn_step() const {
    if (fuel_ != nullptr) [[unlikely]]
      fuel_->burn_step();
  }
  void pass_mark(const Step& step) const {
    if (path_ != nullptr && step.mark != 0) path_->at(step.mark);
  }

  // Bytes, if somebody asks for them.
  void moved(std::int64_t bytes) const;
  [[nodiscard]] std::int64_t moved_so_far() const { return moved_ != nullptr ? *moved_ : 0; }

  // For one who sees no work, but wants to know where control is.
  void note_line(const Step& step) const {
    if (instructions_seen() && !sees_work_) [[unlikely]]
      observer_->begin(*step.inst, step.site, 0);
  }
  // For one who asks why it is not recorded.
  void note_delayed(const Step& step) const {
    if (sees_work_ && recorded_) [[unlikely]]
      observer_->left(*step.inst, kDelayed);
  }
  void note_branch(bool way) const {
    if (branches_seen_) observer_->branch(way);
  }
  [[nodiscard]] bool calls_seen() const { return calls_seen_->load(std::memory_order_relaxed); }
  void note_entered(const CallStart& call) const;
  void note_left(ssa::FunctionId function) const;

  // All of it as it is now, for an attempt that may come to nothing.
  struct State {
    Tally tally;
    std::int64_t moved = 0;
    LineMeter::Counts lines;
  };
  [[nodiscard]] State state() const;
  void go_back_to(const State& state) const;

 private:
  // An observer may look away for a while.
  [[nodiscard]] bool instructions_seen() const { return instructions_seen_->load(std::memory_order_relaxed); }

  const Machine& machine_;
  Tally* tally_;
  Tally* fuel_;  // the tally, if it has a limit
  LineMeter* meter_;
  Observer* observer_;
  Path* path_;
  std::int64_t* moved_;
  std::int64_t bytes_ = 0;  // moved, where nobody else adds them up
  bool recorded_;           // there is a hook, though it may be put away for a while
  bool sees_work_, counts_;
  bool itemised_, branches_seen_;
  const std::atomic<bool>* instructions_seen_;  // of the observer
  const std::atomic<bool>* calls_seen_;
};

}  // namespace nvm::vm
