// Checked programs to one NESL expression on flat vectors, for programs whose shapes are all known: functions
// are written out where they are applied, a frame is a context of so many lanes, arrays are the atoms of all
// lanes one after another. What may go wrong is computed with something else in its place and noted in a
// flag.
#pragma once

#include "frontend/remora/program.h"

namespace nvm::remora {

struct FlatResult {
  AtomKind kind = AtomKind::kInt;  // kFunction: nothing is computed
  std::vector<std::int64_t> shape;
  std::string type;
};

struct FlatCheck {
  const char* kind = "";
  SourcePos pos;
};

struct FlatProgram {
  std::string nesl;                 // a tuple: the flags of `checks`, then the results that are no functions
  std::vector<FlatResult> results;  // of the expressions; bools are 1 and 0, characters their codes
  std::vector<FlatCheck> checks;    // what has failed where the flag is set
};

// Throws Error of kind `unsupported` for what cannot be translated.
[[nodiscard]] FlatProgram flatten(const Program& program);

}  // namespace nvm::remora
