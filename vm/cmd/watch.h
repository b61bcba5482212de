// --trace and its kin: what watches the runs of a command.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vm/cmd/arguments.h"
#include "vm/lib/checkpoint.h"
#include "vm/lib/record.hpp"
#include "vm/lib/watch.hpp"

namespace nvm::cmd {

// What a repetition has its own way of: where things go, and how long they may take. A record that names
// files to write to was not made by nvm.
inline constexpr Option kNotRecorded[] = {Option::kRecord, Option::kTrace,     Option::kProgress,
                                          Option::kInput,  Option::kOutput,    Option::kOut,
                                          Option::kStats,  Option::kTimeLimit, Option::kPerf};

// A watcher that was asked for.
template <typename W>
std::shared_ptr<W> made(lib::Made<W> watcher) {
  if (!watcher) throw UsageError{watcher.failure().reason};
  return std::move(*watcher);
}

class Watch {
 public:
  Watch() = default;
  // What the options ask for.
  explicit Watch(const Arguments& arguments);
  void trace(const std::string& path);
  void add(std::shared_ptr<lib::Watcher> watcher) { watchers_.push_back(std::move(watcher)); }

  [[nodiscard]] const std::vector<std::shared_ptr<lib::Watcher>>& watchers() const { return watchers_; }
  // Null if none are taken.
  [[nodiscard]] const std::shared_ptr<lib::Checkpoint>& checkpoint() const { return checkpoint_; }
  // The program that the command line names "-": what stands on standard input, read once.
  [[nodiscard]] const std::string& standard_input() const;
  void begin_phase(const std::string& name) const;
  void end_phase() const;
  // Writes what is to be written at the end, and complains on standard error if that fails. The exit status
  // of a command that ended with `status`: a program that went well did so, but not all that was asked for.
  [[nodiscard]] int finish(int status) const;

 private:
  std::shared_ptr<lib::Trace> trace_;
  std::shared_ptr<lib::Recording> recording_;
  std::shared_ptr<lib::Checkpoint> checkpoint_;
  std::vector<std::shared_ptr<lib::Watcher>> watchers_;
  mutable std::optional<std::string> standard_input_;
};

}  // namespace nvm::cmd
