// Conditionals that are passed before their conditions are known, as they went before: what is kept of the
// frames to come back, and coming back; also where a check has failed.
#include <algorithm>

#include "vm/interp/interp.h"
#include "vm/interp/value_moves.h"

namespace nvm::vm {

namespace {
constexpr std::size_t kMostOpen = 16;  // calls: all their frames are kept
}

struct Interp::Guarded final : Crossing {
  Place place;  // the branch comes next
  Tally* tally = nullptr;
  Tally counted;  // up to here

  void undo() override {
    if (tally != nullptr) *tally = counted;
  }
};

std::optional<bool> Interp::pass_guarded(const Step& step, Value& flag) {
  if (pending_.by_levels() || calls_.all().size() > kMostOpen) return {};
  const std::optional<bool> way = machine_.hook->foresee(flag, step.site);
  if (!way) return {};
  machine_.hook->guard(flag, step.site, *way, crossing(step));
  release(flag);
  return way;
}

std::shared_ptr<Crossing> Interp::crossing(const Step& step) const {
  NVM_CHECK(at_.step == &step, "a conditional is crossed where control stands");
  auto crossing = std::make_shared<Guarded>();
  Standing standing = calls_.here();
  crossing->place = std::move(standing.place);
  crossing->values = std::move(standing.values);
  crossing->tally = machine_.tally;
  if (machine_.tally != nullptr) crossing->counted = *machine_.tally;
  return crossing;
}

void Interp::go_to(Place place, std::span<Value> values) {
  auto from = values.begin();
  const auto fill = [&](Value* frame, std::int32_t count) {
    std::move(from, from + count, frame);
    from += count;
  };
  Value* wanted = nullptr;
  for (Activation& call : place.calls) {
    call.frame = frames_.open(wanted, std::max(call.function->slots, 1));
    fill(call.frame, call.step->window);
    wanted = call.frame + call.step->window;
  }
  at_.function = place.function;
  at_.step = place.step;
  at_.frame = frames_.open(wanted, std::max(at_.function->slots, 1));
  fill(at_.frame, at_.function->slots);
  calls_.go_to(std::move(place.calls), place.serial);
}

void Interp::go_back(const MissedGuard& missed) {
  auto& from = static_cast<Guarded&>(*missed.from);
  values_.clear();
  called_.clear();
  recording_.reset(calls_.outside());
  forget();
  go_to(std::move(from.place), from.values);
  at_.step = missed.way ? at_.step + 1 : at_.function->steps.data() + at_.step->target;
}

// To the stopping block of a check. It stands alone, so the frames as they were need not be known.
void Interp::divert(const FailedCheck& check) {
  values_.clear();
  recording_.reset(calls_.outside());
  calls_.divert(check.callers);
  frames_.clear();
  at_.function = &code_.functions[static_cast<std::size_t>(check.site.function)];
  at_.frame = frames_.open(nullptr, std::max(at_.function->slots, 1));
  const auto& steps = at_.function->steps;
  const auto at = std::find_if(steps.begin(), steps.end(), [&](const Step& step) {
    return step.checks && step.site.block == check.site.block;
  });
  at_.step = &*at + 1;
}

}  // namespace nvm::vm
