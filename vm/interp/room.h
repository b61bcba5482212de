// What the parts of an interpreter share that execute instructions in ways of their own: the machine, where
// it stands, whom to tell, and which results may stay views.
#pragma once

#include <algorithm>

#include "vm/interp/accounts.h"
#include "vm/interp/registers.h"
#include "vm/interp/work.h"
#include "vm/prims/repeated.h"
#include "vm/prims/views.h"

namespace nvm::vm {

// Which results may stay views (vm/data/view.h) in a run on this machine.
struct ViewPolicy {
  explicit ViewPolicy(const Machine& machine)
      : leaves(machine.hook == nullptr),
        repeats(machine.hook == nullptr || machine.hook->repeats()),
        combines(machine.hook == nullptr || !machine.hook->has_parts()),
        long_from(std::max<std::int64_t>(machine.prims.grain / 2, 64)) {}
  bool leaves;             // nobody records: any result may be one repeated element, or a view
  bool repeats;            // any result may be one repeated element
  bool combines;           // an instruction may be executed with others
  std::int64_t long_from;  // elements from which instructions may wait for those that follow
};

class Room {
 public:
  Room(const Machine& machine, Registers& at, Accounts& accounts, const ViewPolicy& views)
      : machine_(machine), at_(at), accounts_(accounts), views_(views) {}

 protected:
  void force(Value& value) const {
    if (machine_.hook != nullptr) machine_.hook->force(value);
  }

  const Machine& machine_;
  Registers& at_;
  Accounts& accounts_;
  const ViewPolicy& views_;
};

}  // namespace nvm::vm
