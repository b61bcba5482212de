// Places in Python programs: a code object and an offset in it.
#pragma once

#include <Python.h>

#include "vm/lib/session.h"

namespace nvm::python {

// What is recorded from now on has the innermost frame of the calling thread that is not of this package.
void use_python_places();

}  // namespace nvm::python
