// Commands from outside that take part.
#pragma once

#include <optional>
#include <string>

#include "tests/bench/suite/contestant.h"

namespace nvm::bench {

// --vs NAME=COMMAND. A run is one execution of the shell command with NVM_BENCH_WORKLOAD, NVM_BENCH_N,
// NVM_BENCH_SEED, NVM_BENCH_THREADS and NVM_BENCH_DATA, the folder of an Exchange, in its environment. The
// last number that it prints is the seconds that the work took; one that fails, prints none, or leaves a
// wrong result takes no part in this workload. A command that leaves no result is said to be unchecked.
[[nodiscard]] Contestant command_contestant(const std::string& name, const std::string& command,
                                            const Workload& workload, const Instance& instance,
                                            const Problem& problem);

// --legacy PATH: an interpreter of VCODE, on the workload's program of workloads/legacy.def, which draws n
// elements of its own; nothing if there is none for this workload. Its result is not checked.
[[nodiscard]] std::optional<Contestant> legacy_contestant(const std::string& path, const Workload& workload,
                                                          std::int64_t n);

}  // namespace nvm::bench
