// What ranks look at before they begin.
#pragma once

#include <string>
#include <vector>

#include "vm/ranks/launcher.h"
#include "vm/ranks/rounds.h"

namespace nvm::ranks {

// Something that must be the same on all ranks: what, as after "another", and as it is here.
struct Fact {
  std::string what;
  std::string value;
};

// All ranks compare theirs; the same message on all that names the first that differs, or "".
[[nodiscard]] std::string disagreement(Rounds& rounds, const std::vector<Fact>& facts);

// Processors that a rank may use, and those that its launcher may.
struct Processors {
  int mine = 1;
  int host = 1;
};
[[nodiscard]] Processors processors();

// Threads of a rank that takes its share of a host, which `launcher` says how many ranks have.
[[nodiscard]] int share_of(const Processors& processors, const Launcher& launcher);
// What to tell the user, once, if the launcher has bound the rank to less than that; else "".
[[nodiscard]] std::string bound_too_tightly(const Processors& processors, const Launcher& launcher);

}  // namespace nvm::ranks
