#include "vm/interp/accounts.h"

namespace nvm::vm {

namespace {

constexpr std::atomic<bool> kNever{false}, kAlways{true};

}  // namespace

Accounts::Accounts(const Machine& machine)
    : machine_(machine),
      tally_(machine.tally),
      fuel_(tally_ != nullptr && tally_->fuel != Tally::kNoLimit ? tally_ : nullptr),
      meter_(machine.meter),
      observer_(machine.observer),
      path_(machine.path),
      moved_(machine.moved),
      recorded_(machine.hook != nullptr),
      sees_work_(observer_ != nullptr && observer_->sees_work()),
      counts_(tally_ != nullptr || meter_ != nullptr || sees_work_),
      itemised_(path_ != nullptr || meter_ != nullptr || sees_work_),
      branches_seen_(observer_ != nullptr && observer_->sees_branches()),
      instructions_seen_(observer_ != nullptr ? &observer_->instructions_flag() : &kNever),
      calls_seen_(meter_ != nullptr      ? &kAlways
                  : observer_ != nullptr ? &observer_->calls_flag()
                                         : &kNever) {
  if (moved_ == nullptr && tally_ != nullptr && tally_->counts_bytes) moved_ = &tally_->bytes;
  if (moved_ == nullptr && sees_work_) moved_ = &bytes_;
}

void Accounts::count_results(std::span<const Value> results) const {
  const std::int64_t work = work_after(Work::kR, results);
  if (tally_ != nullptr) tally_->add(work, 0);
  if (sees_work_ && instructions_seen()) observer_->worked(work);
}

void Accounts::moved(std::int64_t bytes) const {
  if (moved_ == nullptr) return;
  *moved_ += bytes;
  if (sees_work_ && instructions_seen()) observer_->moved(bytes);
  if (meter_ != nullptr) meter_->moved(bytes);
}

void Accounts::note_entered(const CallStart& call) const {
  if (meter_ != nullptr) meter_->enter(call);
  if (observer_ != nullptr && observer_->sees_calls()) observer_->enter(call);
}

void Accounts::note_left(ssa::FunctionId function) const {
  if (meter_ != nullptr) meter_->leave();
  if (observer_ != nullptr && observer_->sees_calls()) observer_->leave(function);
}

Accounts::State Accounts::state() const {
  State now;
  if (tally_ != nullptr) now.tally = *tally_;
  now.moved = moved_so_far();
  if (meter_ != nullptr) now.lines = meter_->counts();
  return now;
}

void Accounts::go_back_to(const State& state) const {
  if (tally_ != nullptr) *tally_ = state.tally;
  if (moved_ != nullptr) *moved_ = state.moved;
  if (meter_ != nullptr) meter_->go_back_to(state.lines);
}

}  // namespace nvm::vm
