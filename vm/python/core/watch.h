// Watchers of runs: profiles and traces.
#pragma once

#include <nanobind/nanobind.h>

namespace nvm::python {

void bind_watchers(nanobind::module_& m);

}  // namespace nvm::python
