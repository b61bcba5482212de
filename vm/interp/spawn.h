// Starting a process for SPAWN.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

namespace nvm::vm {

// The child's standard input, output and error: a stream to use, or null for a pipe whose other end comes
// back in `ends` (writable for the input, readable for the others; null where a stream was given).
struct Spawned {
  int pid = -1;  // -1: not started, `error` says why
  std::FILE* ends[3] = {nullptr, nullptr, nullptr};
  std::string error;
};

// Splits `command` at blanks and runs it; no shell. The search path applies.
[[nodiscard]] Spawned spawn(const std::string& command, std::FILE* const streams[3]);

// Forgets the processes among `pids` that have ended.
void reap(std::vector<int>& pids);

}  // namespace nvm::vm
