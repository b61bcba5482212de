#include "vm/ranks/launcher.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace nvm::ranks {
namespace {

// The variables of a launcher; the first is what it is known by.
struct Known {
  const char* name;
  const char* plugin;
  const char* size;
  const char* rank;
  const char* local_size;
  const char* local_rank;
};

// Hydra's are those of MPICH and its relatives, also of Slurm with --mpi=pmi2. Open MPI sets PMIx variables,
// too.
constexpr std::array<Known, 3> kKnown = {{
    {"Open MPI", "openmpi", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE",
     "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"MPICH", "mpich", "PMI_SIZE", "PMI_RANK", "MPI_LOCALNRANKS", "MPI_LOCALRANKID"},
    {"PMIx", "openmpi", "SLURM_STEP_NUM_TASKS", "PMIX_RANK", "SLURM_STEP_TASKS_PER_NODE", "SLURM_LOCALID"},
}};

int number(const char* text, int otherwise) {
  int value = otherwise;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), value);
  return value;
}

}  // namespace

Launcher find_launcher(const std::function<const char*(const char*)>& variable) {
  for (const Known& known : kKnown) {
    const char* const size = variable(known.size);
    const char* const rank = variable(known.rank);
    if (size == nullptr || rank == nullptr) continue;
    Launcher found;
    found.name = known.name;
    found.plugin = known.plugin;
    found.size = number(size, 1);
    found.rank = number(rank, 0);
    found.local_size = number(variable(known.local_size), 0);
    found.local_rank = number(variable(known.local_rank), 0);
    return found;
  }
  return {};
}

Launcher find_launcher() {
  return find_launcher([](const char* name) -> const char* { return std::getenv(name); });
}

}  // namespace nvm::ranks
