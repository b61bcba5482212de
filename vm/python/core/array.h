// The base of the class Array, and its operators where they need nothing of Python's side: arrays of one
// shape and numbers beside them.
#pragma once

#include <nanobind/nanobind.h>

namespace nvm::python {

void bind_array(nanobind::module_& m);

}  // namespace nvm::python
