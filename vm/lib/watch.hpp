// libnvm: watching runs. A watcher is given to machines by Options::watchers and may see several runs, one
// after the other.
#pragma once

#include <memory>
#include <string>

#include "vm/lib/nvm.hpp"

namespace nvm::vm {
class Observer;
}

namespace nvm::lib {

class Watcher {
 public:
  virtual ~Watcher() = default;
  [[nodiscard]] virtual vm::Observer& observer() = 0;
  // Around what happens outside runs, such as loading a program; on the thread that runs.
  virtual void begin_phase(const std::string& /*name*/) {}
  virtual void end_phase() {}
};

// What runs do over time, written as they go to a file in Chrome's trace event format (docs/profiling.md). A
// file that cannot be written ends the trace, never the program.
class Trace final : public Watcher {
 public:
  explicit Trace(const std::string& path);
  ~Trace() override;
  [[nodiscard]] vm::Observer& observer() override;
  void begin_phase(const std::string& name) override;
  void end_phase() override;
  // Writes the rest. Why the file is incomplete, or "".
  [[nodiscard]] std::string close();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace nvm::lib
