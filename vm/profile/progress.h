// The observer behind --progress: what a long run is doing now, in one line.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "bytecode/base/thread.h"
#include "vm/interp/levels.h"

namespace nvm::vm {

struct ProgressOptions {
  double delay = 2.0;   // seconds without a line
  double period = 0.2;  // between lines
};

class Progress final : public Observer {
 public:
  // Takes a line, without its end, or "" to take away the last one; on a thread of its own.
  using Show = std::function<void(const std::string&)>;
  explicit Progress(Show show, const ProgressOptions& options = {});
  ~Progress() override;

  void begin_run(const ssa::Module& module, const Pool& pool) override;
  void end_run() override;
  void begin(const ssa::Inst& inst, const Site& site, std::int64_t work) override;
  void enter(const CallStart& call) override;
  void leave(ssa::FunctionId function) override;
  void begin_groups(const CallStart& call, std::int64_t instances, std::size_t groups) override;
  void end_region(std::span<const RecordedWork> recorded, const RegionRun& run) override;

 private:
  void loop();
  [[nodiscard]] std::string line();
  void show_call();

  Show show_;
  ProgressOptions options_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();

  // The run's thread.
  Levels levels_;
  std::deque<std::string> names_;  // of all modules; never moved
  std::vector<const std::string*> name_of_;
  struct Open {
    const std::string* name;
    std::int32_t level;
  };
  std::vector<Open> open_;

  // Written by the run's thread, read by the other.
  std::atomic<const std::string*> function_{nullptr};
  std::atomic<std::int32_t> level_{0};
  std::atomic<std::int64_t> elements_{0};

  std::mutex pool_mutex_;
  const Pool* pool_ = nullptr;
  std::int64_t shown_elements_ = 0;
  double shown_at_ = 0;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  Thread thread_;
};

}  // namespace nvm::vm
