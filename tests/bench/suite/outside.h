// Commands from outside that take part.
#pragma once

#include <optional>
#include <string>

#include "tests/bench/suite/contestant.h"

namespace nvm::bench {

// --vs NAME=COMMAND. A run is one execution of the shell command with NVM_BENCH_WORKLOAD, NVM_BENCH_N and
// NVM_BENCH_THREADS in its environment. The last number that it prints is the seconds that the work took; one
// that fails, or prints none, takes no part in this workload. Its results are its own affair: they are not
// checked.
[[nodiscard]] Contestant command_contestant(const std::string& name, const std::string& command,
                                            const Workload& workload, const Problem& problem);

// --legacy PATH: an interpreter of VCODE, on the workload's program of workloads/legacy.def, which draws its
// own data; nothing if there is none for this workload.
[[nodiscard]] std::optional<Contestant> legacy_contestant(const std::string& path, const Workload& workload,
                                                          const Problem& problem);

}  // namespace nvm::bench
