// Workers and their memory. Arenas of oneTBB by number of threads, made once; workspaces are handed out to
// one worker at a time, so that a thread that waits and is given another plan's work does not meet its own. A
// thread keeps one for itself.
#pragma once

#include <oneapi/tbb/task_arena.h>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace nvm::vm::cpu {

class Threads {
 public:
  // Memory aligned to 64 bytes, given back when it goes out of scope.
  class Workspace {
   public:
    Workspace(Threads& owner, std::size_t bytes);
    ~Workspace();
    Workspace(const Workspace&) = delete;
    Workspace& operator=(const Workspace&) = delete;
    [[nodiscard]] std::byte* data() const { return memory_.get(); }

   private:
    struct Free {
      void operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{64}); }
    };
    friend class Threads;
    using Memory = std::unique_ptr<std::byte, Free>;
    Threads& owner_;
    std::size_t bytes_ = 0;
    Memory memory_;
  };

  // Calls worker(number) on up to `count` threads, the calling one among them, and waits. A thread keeps its
  // number, 0..count-1, from call to call if it can; it may be called twice where others came late.
  void run(int count, const std::function<void(int)>& worker);
  // The same for a part of a kernel, whose calling thread must not wait for one of another part to leave.
  static void run_apart(int count, const std::function<void(int)>& worker);

 private:
  using Arenas = std::map<int, std::unique_ptr<tbb::task_arena>>;
  static tbb::task_arena& arena_of(Arenas& arenas, int count);
  static void run_in(tbb::task_arena& arena, int count, const std::function<void(int)>& worker);
  struct Idle {
    std::size_t bytes = 0;
    Workspace::Memory memory;
  };
  // The calling thread's: two that run short kernels would meet at the lock, and in each other's cache.
  static Idle& mine();
  static constexpr std::size_t kMostKept = std::size_t{16} << 20;  // bytes
  std::mutex mutex_;
  Arenas arenas_;
  std::vector<Idle> idle_;
};

}  // namespace nvm::vm::cpu
