// libnvm: watching runs. A watcher is given to machines by Options::watchers and may see several runs, one
// after the other: of two at once, one is refused as "busy".
#pragma once

#include <atomic>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "vm/lib/nvm.hpp"

namespace nvm::vm {
class Observer;
class World;
}  // namespace nvm::vm

namespace nvm::lib {

class Watcher {
 public:
  virtual ~Watcher() = default;
  [[nodiscard]] virtual vm::Observer& observer() = 0;
  // Around what happens outside runs, such as loading a program; on the thread that runs.
  virtual void begin_phase(const std::string& /*name*/) {}
  virtual void end_phase() {}
  // Where runs get from what comes from outside, if not from there.
  [[nodiscard]] virtual vm::World* world() { return nullptr; }
  // What a run left.
  virtual void results(std::span<const Value> /*values*/) {}

 private:
  friend class Watching;
  std::atomic<bool> busy_{false};
};

// The first world among the watchers, null if there is none.
[[nodiscard]] vm::World* world_of(std::span<const std::shared_ptr<Watcher>> watchers);
// The contents of a file, from that world if there is one; nothing if it cannot be read (errno). "-" is the
// rest of standard input.
[[nodiscard]] std::optional<std::string> read_file(const std::string& path,
                                                   std::span<const std::shared_ptr<Watcher>> watchers);

// A watcher, or why it cannot watch: there is no memory, or its file cannot be opened. Constructors are for
// make() and open().
template <typename W>
using Made = Result<std::shared_ptr<W>>;

// One line on a terminal about a run that takes longer than two seconds: elapsed time, elements a second,
// function and recursion level, memory.
class Progress final : public Watcher {
  struct Impl;

 public:
  [[nodiscard]] static Made<Progress> make(std::FILE* terminal);
  explicit Progress(std::unique_ptr<Impl> impl) noexcept;
  ~Progress() override;
  [[nodiscard]] vm::Observer& observer() override;

 private:
  std::unique_ptr<Impl> impl_;
};

// What runs do over time, written as they go to a file in Chrome's trace event format (docs/profiling.md).
// Its name is PATH.part until it is closed. A file that cannot be written ends the trace, never the program.
class Trace final : public Watcher {
  struct Impl;

 public:
  [[nodiscard]] static Made<Trace> open(const std::string& path);
  explicit Trace(std::unique_ptr<Impl> impl) noexcept;
  ~Trace() override;
  [[nodiscard]] vm::Observer& observer() override;
  void begin_phase(const std::string& name) override;
  void end_phase() override;
  // Writes the rest. Why the file is incomplete, or "".
  [[nodiscard]] std::string close();

 private:
  std::unique_ptr<Impl> impl_;
};

// What of each source line was not fused, compiled or run in groups, and what would help.
class WhyNot final : public Watcher {
  struct Impl;

 public:
  [[nodiscard]] static Made<WhyNot> make();
  explicit WhyNot(std::unique_ptr<Impl> impl) noexcept;
  ~WhyNot() override;
  [[nodiscard]] vm::Observer& observer() override;
  // Of all runs so far; "" if there is nothing to say.
  [[nodiscard]] std::string text() const;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace nvm::lib
