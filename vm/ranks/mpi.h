// A carrier for ranks that are processes which an MPI launcher started. MPI is loaded at run time
// (mpi_plugin.h).
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "vm/ranks/launcher.h"
#include "vm/ranks/ranks.h"

namespace nvm::ranks {

// The ranks that a launcher started cannot talk to each other: why, and what to do.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct MpiOptions {
  std::string plugin;                  // a file; empty: the one that goes with the launcher
  std::int64_t piece = 0;              // bytes that travel at once at most; 0: 1 GiB
  const void* communicator = nullptr;  // an MPI_Comm of a program that has initialised MPI itself
};

// One rank alone if `launcher` started no more. Throws Refused.
[[nodiscard]] std::unique_ptr<Ranks> mpi_ranks(const Launcher& launcher, const MpiOptions& options = {});

}  // namespace nvm::ranks
