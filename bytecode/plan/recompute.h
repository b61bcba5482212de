// MAPs that are better stored than computed again. A MAP is composed into every kernel that reads it, which
// saves its vector; where a line sums what it has just computed and computes on with the sum, step after
// step, each kernel would begin with all steps before it.
#pragma once

#include <vector>

#include "bytecode/soac/graph.h"

namespace nvm::plan {

// Adds such MAPs to `stored` (by node): those for which computing in all kernels but one costs more than
// writing the vector once and reading it there. Cost: linear in the graph times its longest chain of kernels.
void store_costly(const soac::Graph& graph, std::vector<bool>& stored);

}  // namespace nvm::plan
