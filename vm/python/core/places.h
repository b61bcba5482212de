// What Python's threads record, under Python's lock, with places in Python programs: a code object and an
// offset in it.
#pragma once

#include <Python.h>

#include "vm/lib/session.h"

namespace nvm::python {

// A promise's place is the innermost frame of the calling thread that is not of this package.
[[nodiscard]] lib::ExpressionGraph& graph();

}  // namespace nvm::python
