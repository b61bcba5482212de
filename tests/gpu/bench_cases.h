// The cases of the benchmark: plans with their data, and who runs beside them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bytecode/plan/plan.h"

namespace nvm::bench {

struct Case {
  std::string name;
  std::string rival;            // of rivals.h
  double least_of_rival = 0.8;  // what the speed is held against: either is enough
  double least_of_copy = 1e9;
  bool exact = true;  // bit for bit what the CPU gives
  plan::Plan plan;
  double bytes = 0;                        // that any implementation moves
  std::vector<std::vector<double>> reals;  // inputs by VarId; empty: not a FLOAT vector
  std::vector<std::vector<std::int64_t>> offsets;
  std::vector<std::int64_t> lengths;
  std::vector<std::int64_t> segment_offsets;  // for the rival
};

// Over n elements, each made when it is its turn.
[[nodiscard]] std::vector<std::function<Case()>> cases(std::int64_t n);
// A short region, whose time is that of launching.
[[nodiscard]] Case short_case();

}  // namespace nvm::bench
