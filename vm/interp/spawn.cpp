#include "vm/interp/spawn.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

extern char** environ;

namespace nvm::vm {

namespace {

// File descriptors that the child gets and those that stay here; closed unless released.
struct Pipes {
  int child[3] = {-1, -1, -1};
  int ours[3] = {-1, -1, -1};
  bool piped[3] = {false, false, false};

  ~Pipes() {
    for (int i = 0; i < 3; ++i) {
      if (piped[i] && child[i] >= 0) ::close(child[i]);
      if (ours[i] >= 0) ::close(ours[i]);
    }
  }
  bool open(std::FILE* const streams[3]) {
    for (int i = 0; i < 3; ++i) {
      if (streams[i] != nullptr) {
        std::fflush(streams[i]);
        child[i] = ::fileno(streams[i]);
        continue;
      }
      int ends[2];
      if (::pipe2(ends, O_CLOEXEC) != 0) return false;
      piped[i] = true;
      child[i] = ends[i == 0 ? 0 : 1];
      ours[i] = ends[i == 0 ? 1 : 0];
    }
    return true;
  }
};

// posix_spawn applies the actions in order, so a source below 3 could be overwritten before it is read: such
// descriptors go through a duplicate that is out of the way.
int start(std::vector<char*>& argv, const Pipes& pipes, int& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  int sources[3];
  for (int i = 0; i < 3; ++i) sources[i] = ::fcntl(pipes.child[i], F_DUPFD_CLOEXEC, 3);
  for (int i = 0; i < 3; ++i) posix_spawn_file_actions_adddup2(&actions, sources[i], i);
  const int status = ::posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  for (const int fd : sources)
    if (fd >= 0) ::close(fd);
  return status;
}

}  // namespace

Spawned spawn(const std::string& command, std::FILE* const streams[3]) {
  Spawned result;
  constexpr const char* kBlanks = " \t\n\v\f\r";
  std::vector<std::string> words;
  for (std::size_t at = 0; (at = command.find_first_not_of(kBlanks, at)) != std::string::npos;) {
    const std::size_t end = std::min(command.find_first_of(kBlanks, at), command.size());
    words.push_back(command.substr(at, end - at));
    at = end;
  }
  if (words.empty()) result.error = "empty command";
  if (command.find('\0') != std::string::npos) result.error = "a command has no character 0";
  if (!result.error.empty()) return result;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  Pipes pipes;
  const int status = pipes.open(streams) ? start(argv, pipes, result.pid) : errno;
  if (status != 0) {
    result.pid = -1;
    result.error = std::strerror(status);
    return result;
  }
  for (int i = 0; i < 3; ++i)
    if (pipes.ours[i] >= 0) result.ends[i] = ::fdopen(std::exchange(pipes.ours[i], -1), i == 0 ? "w" : "r");
  return result;
}

void reap(std::vector<int>& pids) {
  std::erase_if(pids, [](int pid) { return ::waitpid(pid, nullptr, WNOHANG) != 0; });
}

}  // namespace nvm::vm
