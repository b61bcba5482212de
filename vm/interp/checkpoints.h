// The seam to who keeps how far a run has come, so that another one can go on from there.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "vm/data/value.h"

namespace nvm::vm {

struct Activation;
struct CodeFunction;
struct Step;

// Where control stands between two instructions: the calls that are open, outermost first, and in the
// innermost one the step that comes next.
struct Place {
  std::vector<Activation> calls;
  const CodeFunction* function = nullptr;
  const Step* step = nullptr;
  std::uint64_t serial = 0;
};
// With what the frames hold: of that of a caller what its callee's does not lie upon.
struct Standing {
  Place place;
  std::vector<Value> values;
};

class Checkpoints {
 public:
  virtual ~Checkpoints() = default;
  // Is one to be taken now? Asked where control is transferred.
  [[nodiscard]] virtual bool due() = 0;
  // Takes one, unless it is not the time for it. Throws Fault.
  virtual void take(const Standing& here) = 0;
  // Where the run goes on, if it does not begin. Throws Fault.
  [[nodiscard]] virtual std::optional<Standing> from() = 0;
};

}  // namespace nvm::vm
