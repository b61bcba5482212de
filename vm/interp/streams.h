// The stream table of a run: slots 0, 1, 2 are given, others are opened by the program (spec: input and
// output).
#pragma once

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace nvm::vm {

// While it lives, what this thread writes into a pipe that nobody reads any more fails with EPIPE, and
// SIGPIPE, which would end the process, is not delivered. errno is kept.
class PipesMayBreak {
 public:
  PipesMayBreak();
  ~PipesMayBreak();
  PipesMayBreak(const PipesMayBreak&) = delete;
  PipesMayBreak& operator=(const PipesMayBreak&) = delete;

 private:
  sigset_t before_{};
  bool pending_ = false;  // a SIGPIPE that is not ours
};

class Streams {
 public:
  // The three given streams are flushed but never closed here; null means closed.
  Streams(std::FILE* in, std::FILE* out, std::FILE* err);
  ~Streams();  // closes what the program left open
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  // The stream in `slot`, null if there is none.
  [[nodiscard]] std::FILE* at(std::int64_t slot) const;
  // Whether it is one of the three that the run was given.
  [[nodiscard]] static bool given(std::int64_t slot) { return slot < kGiven; }
  // Are the three that the run was given open, and no others?
  [[nodiscard]] bool only_given() const;
  // Puts `file` into the lowest free slot from 3 on.
  std::int64_t add(std::FILE* file);
  // Empties an open slot; false if the system reports an error (errno).
  bool close(std::int64_t slot);

 private:
  static constexpr std::int64_t kGiven = 3;
  std::vector<std::FILE*> slots_;
};

}  // namespace nvm::vm
