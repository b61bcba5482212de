// Those who run in one measurement: nvm in its settings, the rivals, and commands from outside.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/bench/suite/workload.h"

namespace nvm::bench {

struct Contestant {
  std::string name;
  std::string what;
  std::function<double()> run;           // seconds of one run
  std::function<std::string()> check;    // what is wrong with the last run, "" if nothing
  int warm_up = 1;                       // runs that do not count
  std::function<bool()> unchecked = {};  // whether nobody could look at the last run's result
};

// nvm on the instance: the program is compiled here, the inputs are handed over as they lie, a run is one
// evaluation of the expression. A program that does not compile is a wrong result.
[[nodiscard]] Contestant nvm_contestant(const Workload& workload, const Instance& instance,
                                        const lib::Options& options, const std::string& name);
[[nodiscard]] Contestant rival_contestant(const Rival& rival);

}  // namespace nvm::bench
