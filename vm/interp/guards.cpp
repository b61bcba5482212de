// Conditionals that are passed before their conditions are known, as they went before: what is kept of the
// frames to come back, and coming back; also where a check has failed.
#include <algorithm>

#include "vm/interp/interp.h"
#include "vm/interp/value_moves.h"

namespace nvm::vm {

namespace {
constexpr std::size_t kMostOpen = 16;  // calls: all their frames are kept
}

struct Interp::Place final : Crossing {
  std::vector<Activation> calls;
  const CodeFunction* function = nullptr;
  const Step* step = nullptr;  // the branch
  std::uint64_t serial = 0;
  Tally* tally = nullptr;
  Tally counted;  // up to here

  void undo() override {
    if (tally != nullptr) *tally = counted;
  }
};

std::optional<bool> Interp::pass_guarded(const Step& step, Value& flag) {
  if (by_levels_ || calls_.size() > kMostOpen) return {};
  const std::optional<bool> way = machine_.hook->foresee(flag, step.site);
  if (!way) return {};
  machine_.hook->guard(flag, step.site, *way, crossing(step));
  release(flag);
  return way;
}

// Of a frame below, what its callee's does not lie upon.
std::shared_ptr<Crossing> Interp::crossing(const Step& step) const {
  auto place = std::make_shared<Place>();
  place->calls = calls_;
  place->function = function_;
  place->step = &step;
  place->serial = serial_;
  place->tally = machine_.tally;
  if (machine_.tally != nullptr) place->counted = *machine_.tally;
  for (const Activation& call : calls_)
    place->values.insert(place->values.end(), call.frame, call.frame + call.step->window);
  place->values.insert(place->values.end(), frame_, frame_ + function_->slots);
  return place;
}

void Interp::go_back(const MissedGuard& missed) {
  auto& place = static_cast<Place&>(*missed.from);
  values_.clear();
  called_.clear();
  forget();
  calls_ = std::move(place.calls);
  auto from = place.values.begin();
  const auto fill = [&](Value* frame, std::int32_t count) {
    std::move(from, from + count, frame);
    from += count;
  };
  Value* wanted = nullptr;
  for (Activation& call : calls_) {
    call.frame = frames_.open(wanted, std::max(call.function->slots, 1));
    fill(call.frame, call.step->window);
    wanted = call.frame + call.step->window;
  }
  function_ = place.function;
  frame_ = frames_.open(wanted, std::max(function_->slots, 1));
  fill(frame_, function_->slots);
  serial_ = place.serial;
  step_ = missed.way ? place.step + 1 : function_->steps.data() + place.step->target;
}

// To the stopping block of a check. It stands alone, so the frames as they were need not be known.
void Interp::divert(const Site& branch) {
  values_.clear();
  calls_.clear();
  frames_.clear();
  function_ = &code_.functions[static_cast<std::size_t>(branch.function)];
  frame_ = frames_.open(nullptr, std::max(function_->slots, 1));
  const auto& steps = function_->steps;
  const auto at = std::find_if(steps.begin(), steps.end(), [&](const Step& step) {
    return step.checks && step.site.block == branch.block;
  });
  step_ = &*at + 1;
}

}  // namespace nvm::vm
