#include "vm/cpu/threads.h"

#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <new>
#include <utility>

#include "bytecode/base/per_thread.h"
#include "vm/data/fork_join.h"

namespace nvm::vm::cpu {

Threads::Idle& Threads::mine() { return PerThread<Idle, Threads>::get(); }

Threads::Workspace::Workspace(Threads& owner, std::size_t bytes) : owner_(owner) {
  if (Idle& own = mine(); own.bytes >= bytes) {
    bytes_ = std::exchange(own.bytes, 0);
    memory_ = std::move(own.memory);
  } else {
    const std::lock_guard lock(owner.mutex_);
    if (!owner.idle_.empty()) {
      bytes_ = owner.idle_.back().bytes;
      memory_ = std::move(owner.idle_.back().memory);
      owner.idle_.pop_back();
    }
  }
  if (bytes_ >= bytes) return;
  memory_.reset();
  memory_.reset(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{64})));
  bytes_ = bytes;
}

Threads::Workspace::~Workspace() {
  Idle& own = mine();
  if (own.bytes < bytes_ && bytes_ <= kMostKept) {
    std::swap(own.bytes, bytes_);
    own.memory.swap(memory_);
  }
  if (memory_ == nullptr) return;
  const std::lock_guard lock(owner_.mutex_);
  try {
    owner_.idle_.push_back({bytes_, std::move(memory_)});
  } catch (const std::bad_alloc&) {  // then it is freed
  }
}

void Threads::run(int count, const std::function<void(int)>& worker) {
  tbb::task_arena* arena = nullptr;
  {
    const std::lock_guard lock(mutex_);
    auto& slot = arenas_[count];
    // As in run_workers(): no more than oneTBB has.
    if (!slot) slot = std::make_unique<tbb::task_arena>(std::min(count, tbb::info::default_concurrency()));
    arena = slot.get();
  }
  ForkJoin both;
  ForkedCalls calls(count);
  const auto call = [&](int) {
    calls.call([&] { both.work([&] { worker(tbb::this_task_arena::current_thread_index()); }); });
  };
  both.fork();
  calls.run(
      [&] {
        arena->execute([&] {
          tbb::this_task_arena::isolate(
              [&] { tbb::parallel_for(0, count, 1, call, tbb::simple_partitioner{}); });
        });
      },
      [&] { worker(0); });
  both.join();
}

}  // namespace nvm::vm::cpu
