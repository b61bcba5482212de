#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "vm/cmd/commands.h"

namespace nvm::cmd {

// The workloads, their rivals and the loops written for this one processor are a program of their own,
// nvm-bench, which the build puts beside nvm.
int bench_command(const Words& words) {
  std::error_code unknown;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", unknown);
  const std::string program = self.parent_path() / "nvm-bench";
  std::vector<char*> arguments{const_cast<char*>("nvm-bench")};
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execv(program.c_str(), arguments.data());
  std::fprintf(
      stderr,
      "nvm bench: cannot run %s: %s\nIt is built with the tests, by ninja nvm-bench, and not installed.\n",
      program.c_str(), std::strerror(errno));
  return kFault;
}

}  // namespace nvm::cmd
