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

tbb::task_arena& Threads::arena_of(Arenas& arenas, int count) {
  auto& slot = arenas[count];
  // As in run_workers(): no more than oneTBB has.
  if (!slot) slot = std::make_unique<tbb::task_arena>(std::min(count, tbb::info::default_concurrency()));
  return *slot;
}

void Threads::run(int count, const std::function<void(int)>& worker) {
  tbb::task_arena* arena = nullptr;
  {
    const std::lock_guard lock(mutex_);
    arena = &arena_of(arenas_, count);
  }
  run_in(*arena, count, worker);
}

void Threads::run_apart(int count, const std::function<void(int)>& worker) {
  run_in(arena_of(PerThread<Arenas, Threads>::get(), count), count, worker);
}

void Threads::run_in(tbb::task_arena& arena, int count, const std::function<void(int)>& worker) {
  ForkJoin both;
  ForkedCalls calls(count);
  const auto call = [&](int) {
    calls.call([&] { both.work([&] { worker(tbb::this_task_arena::current_thread_index()); }); });
  };
  both.fork();
  calls.run(
      [&] {
        arena.execute([&] {
          tbb::this_task_arena::isolate(
              [&] { tbb::parallel_for(0, count, 1, call, tbb::simple_partitioner{}); });
        });
      },
      [&] { worker(0); });
  both.join();
}

}  // namespace nvm::vm::cpu
