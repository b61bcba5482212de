// What the environment says about a launcher that started this process as one of several ranks.
#pragma once

#include <functional>
#include <string>

namespace nvm::ranks {

struct Launcher {
  std::string name;    // "Open MPI", "MPICH"; empty: there is none
  std::string plugin;  // which plug-in goes with it: "openmpi", "mpich"
  int size = 1;
  int rank = 0;
  int local_size = 0;  // ranks on this host and the number among them; 0: not said
  int local_rank = 0;
};

// `variable`: the value of an environment variable, null if it is not set.
[[nodiscard]] Launcher find_launcher(const std::function<const char*(const char*)>& variable);
[[nodiscard]] Launcher find_launcher();

}  // namespace nvm::ranks
