// Runs that are kept where they stand, and those that go on from there.
#include "vm/interp/checkpoints.h"

#include "vm/interp/interp.h"

namespace nvm::vm {

void Interp::keep() {
  if (machine_.checkpoints->due()) machine_.checkpoints->take(calls_.here());
}

bool Interp::go_on() {
  std::optional<Standing> from = machine_.checkpoints->from();
  if (!from) return false;
  for (Activation& call : from->place.calls) {
    calls_.number();
    call.serial = calls_.serial();
  }
  calls_.number();
  from->place.serial = calls_.serial();
  go_to(std::move(from->place), from->values);
  if (machine_.observer == nullptr) return true;
  machine_.observer->begin_calls(calls_);
  std::vector<OpenCall> open;
  calls_.list(calls_.all().size() + 1, open);
  if (machine_.observer->sees_calls())
    for (const OpenCall& call : open)
      machine_.observer->enter({call.function, call.inst, {}, false, call.serial});
  return true;
}

}  // namespace nvm::vm
