// Sources become loaded modules: as before, from disk, or by NVRTC, on a thread of its own if nobody is to
// wait.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "bytecode/base/disk_cache.h"
#include "bytecode/base/thread.h"
#include "gpu/memory/cuda_queue.h"

namespace nvm::gpu {

// The first device, opened once: making a context takes longer than most programs. Null, with a reason in
// words, if there is no driver, device or NVRTC.
[[nodiscard]] std::shared_ptr<OpenDevice> shared_device(std::string& reason);

// A source and what has become of it. Thread-safe.
class Compilation {
 public:
  enum class State : std::uint8_t { kPending, kLoaded, kFailed };
  [[nodiscard]] State state() const { return state_.load(std::memory_order_acquire); }
  [[nodiscard]] const LoadedModule& module() const { return *module_; }  // kLoaded
  [[nodiscard]] const std::string& reason() const { return reason_; }    // kFailed
  [[nodiscard]] std::size_t bytes() const { return bytes_; }             // of the cubin; kLoaded

 private:
  friend class Compiler;
  std::atomic<State> state_{State::kPending};
  std::string source_;
  std::unique_ptr<LoadedModule> module_;
  std::string reason_;
  std::size_t bytes_ = 0;
};

class Compiler {
 public:
  // `background`: sources that are not cached are compiled in order, on another thread, which the destructor
  // waits for, but only for the one that is under way.
  Compiler(std::shared_ptr<OpenDevice> device, bool background);
  ~Compiler();
  Compiler(const Compiler&) = delete;
  Compiler& operator=(const Compiler&) = delete;

  // The prelude is put before `source`.
  [[nodiscard]] std::shared_ptr<const Compilation> compile(const std::string& source);

 private:
  [[nodiscard]] std::string key(const Compilation& c) const;
  bool find_cubin(Compilation& c) const;
  void make_cubin(Compilation& c) const;
  bool load(Compilation& c, const std::vector<char>& cubin) const;
  void work();

  const std::shared_ptr<OpenDevice> device_;
  const DiskCache cache_;
  std::mutex mutex_;  // guards the rest
  std::map<std::string, std::shared_ptr<Compilation>> known_;
  std::deque<std::shared_ptr<Compilation>> waiting_;
  std::condition_variable wake_;
  bool stop_ = false;
  Thread worker_;
};

}  // namespace nvm::gpu
