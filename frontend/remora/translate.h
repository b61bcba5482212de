// Checked programs to core code (frontend/core.h), which flattening turns into segmented vectors. Types are
// instantiated for each use, dimensions are numbers at run time; frames are apply-to-eaches.
#pragma once

#include <string>
#include <vector>

#include "frontend/core.h"
#include "frontend/remora/program.h"

namespace nvm::remora {

struct Translated {
  frontend::core::Program program;  // its entry leaves the values of `results`, in this order
  struct Result {
    std::size_t form = 0;  // of Program::forms
    Type type;
    const frontend::core::Type* core;
  };
  std::vector<Result> results;  // of the expressions of the top level, and of what is kept
  // Of code, and of what checks say: `line` of core code is a number of these, from 1. A check's message is
  // "KIND: text".
  std::vector<SourcePos> places;
};

// `program` is free of errors, its forms say what they are for; variables are added to it. Throws Error of
// kind `unsupported` or `depth`.
[[nodiscard]] Translated translate(Program& program);

}  // namespace nvm::remora
