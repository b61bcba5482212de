// Checked programs to core code (frontend/core.h), which flattening turns into segmented vectors. Types are
// instantiated for each use, dimensions are numbers at run time; frames are apply-to-eaches.
#pragma once

#include <string>
#include <vector>

#include "frontend/core.h"
#include "frontend/remora/program.h"

namespace nvm::remora {

// What a check of the program says is "KIND: text".
struct Translated {
  frontend::core::Program program;  // its entry leaves the values of `results`, in this order
  struct Result {
    std::size_t form = 0;  // of Program::forms
    Type type;
    const frontend::core::Type* core;
  };
  std::vector<Result> results;  // of the expressions of the top level, and of what is kept
};

// `program` is free of errors, its forms say what they are for; variables are added to it. Throws Error of
// kind `unsupported`, and `argument-type` where a type variable stands for what has no equality.
[[nodiscard]] Translated translate(Program& program);

}  // namespace nvm::remora
