// The cheapest schedule as an integer program: which legal kernels (columns.h), so that every anchor is in
// one. Legality is not stated by constraints but found by composing; only that chosen kernels need an order
// is, cycle by cycle as they turn up.
#pragma once

#include <cstddef>

#include "bytecode/plan/search.h"

namespace nvm::plan {

// For each list of MAPs that are stored.
struct IntegerLimits {
  std::size_t columns = 1024;
  int steps = 20000;  // of the solver
  int rounds = 200;   // of solving, each followed by cuts or a branch
};

struct IntegerWork {
  int columns = 0;
  int cuts = 0;
};

// As branch_and_bound(). What floating point computes decides neither what is legal nor what `best` costs:
// what is chosen is composed once more, and its cost added up as for all schedules. That nothing costs less
// follows from bounds that hold whatever the solver does (linear.h).
IntegerWork integer_program(const soac::Graph& graph, const Storings& storings, Schedule& best,
                            const IntegerLimits& limits = {});

}  // namespace nvm::plan
