// CUDA on the host, for generated sources: included before one, it makes the source compile with the host's
// C++ compiler into a shared object whose emu_launch() runs a kernel. Every thread is a fiber; a few blocks
// are resident at once and take turns, so that blocks that wait for each other make progress; barriers,
// shuffles and votes really wait. Shared memory is checked for bounds and for races between barriers; a
// violation aborts with the place.
#pragma once

#include <boost/context/fiber.hpp>
#include <boost/context/fixedsize_stack.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#define NVM_EMULATION
#define __global__
#define __device__
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)

namespace emu {

struct Dim {
  unsigned x = 0, y = 0, z = 0;
};
enum class State { kReady, kBarrier, kWarp, kDone };

struct Block;
struct Thread {
  boost::context::fiber fiber;
  State state = State::kReady;
  Dim index;
  Block* block = nullptr;
  unsigned mask = 0;             // of the warp operation that it waits in
  std::uint64_t deposit = 0;     // what it brings to a warp operation
  std::uint64_t results[32];     // what all brought
  std::uint64_t warp_epoch = 0;  // warp synchronisations so far
};

// Who has used an element of shared memory since the last barrier: a thread, several of a warp, or many.
struct Users {
  static constexpr int kWarp = 1 << 16, kMany = 1 << 20;
  int who = -1;
  std::uint64_t barrier = ~0ull;
  std::uint64_t epoch = 0;  // of the last of them
  [[nodiscard]] int warp() const { return who >= kMany ? -1 : who >= kWarp ? who - kWarp : who / 32; }
  void add();
  // Somebody that the running thread is not ordered behind.
  [[nodiscard]] bool others() const;
};
struct Touch {
  Users writers, readers, adders;
};
struct Shared {
  std::vector<std::uint64_t> cells;
  std::vector<Touch> touches;
};

struct Block {
  Dim index;
  std::uint64_t barrier = 0;
  std::vector<std::unique_ptr<Thread>> threads;
  std::map<int, Shared> shared;
  std::vector<std::uint64_t> arena;  // dynamic shared memory
};

inline thread_local Thread* current = nullptr;
inline thread_local boost::context::fiber scheduler;  // while a thread runs
inline thread_local Dim grid_size, block_size;
inline thread_local const std::function<void()>* body = nullptr;

[[noreturn]] inline void fail(const char* what) {
  std::fprintf(stderr, "CUDA emulation: %s, block %u, thread %u\n", what, current->block->index.x,
               current->index.x);
  std::abort();
}
inline void yield(State state) {
  current->state = state;
  scheduler = std::move(scheduler).resume();
}

inline boost::context::fiber start(boost::context::fiber&& from) {
  scheduler = std::move(from);
  (*body)();
  current->state = State::kDone;
  return std::move(scheduler);
}

inline std::unique_ptr<Block> make_block(unsigned number) {
  constexpr std::size_t kStack = 64 << 10;
  auto b = std::make_unique<Block>();
  b->index.x = number;
  for (unsigned t = 0; t < block_size.x; ++t) {
    auto thread = std::make_unique<Thread>();
    thread->index.x = t;
    thread->block = b.get();
    thread->fiber = boost::context::fiber(std::allocator_arg, boost::context::fixedsize_stack(kStack), start);
    b->threads.push_back(std::move(thread));
  }
  return b;
}

// Lets every ready thread run until it waits; opens warp operations and barriers that all have reached.
inline void release_warps(Block& b) {
  for (auto& t : b.threads) {
    if (t->state != State::kWarp) continue;
    const unsigned base = t->index.x / 32 * 32;
    bool all = true;
    for (unsigned l = 0; l < 32 && all; ++l)
      if ((t->mask >> l & 1) != 0)
        all = base + l < b.threads.size() && b.threads[base + l]->state == State::kWarp &&
              b.threads[base + l]->mask == t->mask;
    if (!all) continue;
    const unsigned mask = t->mask;
    for (unsigned to = 0; to < 32; ++to) {
      if ((mask >> to & 1) == 0) continue;
      Thread& target = *b.threads[base + to];
      for (unsigned l = 0; l < 32; ++l)
        target.results[l] = (mask >> l & 1) != 0 ? b.threads[base + l]->deposit : 0;
    }
    for (unsigned l = 0; l < 32; ++l)
      if ((mask >> l & 1) != 0) {
        b.threads[base + l]->state = State::kReady;
        ++b.threads[base + l]->warp_epoch;
      }
  }
}
inline bool turn(Block& b) {
  bool progress = false;
  for (auto& t : b.threads) {
    if (t->state != State::kReady) continue;
    progress = true;
    current = t.get();
    t->fiber = std::move(t->fiber).resume();
  }
  release_warps(b);
  std::size_t waiting = 0;
  std::size_t done = 0;
  for (auto& t : b.threads) {
    waiting += t->state == State::kBarrier ? 1 : 0;
    done += t->state == State::kDone ? 1 : 0;
  }
  if (waiting > 0 && waiting + done == b.threads.size()) {
    ++b.barrier;
    for (auto& t : b.threads)
      if (t->state == State::kBarrier) t->state = State::kReady;
    progress = true;
  }
  return progress;
}
inline bool finished(const Block& b) {
  for (const auto& t : b.threads)
    if (t->state != State::kDone) return false;
  return true;
}

inline void run(const std::function<void()>& kernel, unsigned blocks, unsigned threads) {
  constexpr std::size_t kResident = 5;  // one more than may wait for all others (kMostFolders)
  body = &kernel;
  grid_size.x = blocks;
  block_size.x = threads;
  std::vector<std::unique_ptr<Block>> resident;
  unsigned next = 0;
  while (next < blocks || !resident.empty()) {
    while (resident.size() < kResident && next < blocks) resident.push_back(make_block(next++));
    bool progress = false;
    for (auto& b : resident) progress |= turn(*b);
    const std::size_t before = resident.size();
    std::erase_if(resident, [](const auto& b) { return finished(*b); });
    if (!progress && resident.size() == before) {
      // Warp operations opened in the last turn count as progress in the next.
      bool ready = false;
      for (auto& b : resident)
        for (auto& t : b->threads) ready |= t->state == State::kReady;
      if (!ready) fail("all threads wait for each other");
    }
  }
}

inline void Users::add() {
  const int self = static_cast<int>(current->index.x);
  const bool several = who >= 0 && barrier == current->block->barrier;
  if (several && warp() != self / 32)
    who = kMany;
  else
    who = several && who != self && epoch == current->warp_epoch ? kWarp + self / 32 : self;
  barrier = current->block->barrier;
  epoch = current->warp_epoch;
}
inline bool Users::others() const {
  const int self = static_cast<int>(current->index.x);
  if (who < 0 || who == self || barrier != current->block->barrier) return false;
  return warp() != self / 32 || epoch == current->warp_epoch;
}

// One element of shared memory.
template <class T>
class Cell {
 public:
  Cell(Shared& s, std::size_t at) : s_(s), at_(at) {}
  operator T() const {
    Touch& t = s_.touches[at_];
    if (t.writers.others() || t.adders.others())
      fail("a race: read of shared memory that another thread writes");
    t.readers.add();
    return static_cast<T>(s_.cells[at_]);
  }
  Cell& operator=(T x) {
    Touch& t = s_.touches[at_];
    if (t.writers.others() || t.adders.others()) fail("a race: two threads write shared memory");
    if (t.readers.others()) fail("a race: write of shared memory that another thread reads");
    t.writers.add();
    s_.cells[at_] = static_cast<std::uint64_t>(x);
    return *this;
  }
  Cell& operator=(const Cell& o) { return *this = static_cast<T>(o); }
  T add(T by) {  // atomic: no race among additions
    Touch& t = s_.touches[at_];
    if (t.writers.others() || t.readers.others())
      fail("a race: addition to shared memory that another thread uses");
    t.adders.add();
    const T old = static_cast<T>(s_.cells[at_]);
    s_.cells[at_] = static_cast<std::uint64_t>(old + by);
    return old;
  }

 private:
  Shared& s_;
  std::size_t at_;
};
template <class T, std::size_t kCount>
class SharedArray {
 public:
  explicit SharedArray(int key) : s_(current->block->shared[key]) {
    if (!s_.cells.empty()) return;
    s_.cells.assign(kCount, 0xBADBADBADBADBADull);
    s_.touches.resize(kCount);
  }
  template <class I>
  Cell<T> operator[](I i) {
    if (static_cast<std::uint64_t>(i) >= kCount) fail("shared memory out of bounds");
    return Cell<T>(s_, static_cast<std::size_t>(i));
  }

 private:
  Shared& s_;
};

inline void* arena(std::uint64_t bytes) {
  std::vector<std::uint64_t>& memory = current->block->arena;
  if (memory.empty()) memory.assign(bytes / 8 + 1, 0xBADBADBADBADBADull);
  return memory.data();
}
inline void warp_wait(unsigned mask, std::uint64_t deposit) {
  current->mask = mask;
  current->deposit = deposit;
  if ((mask >> (current->index.x % 32) & 1) == 0)
    fail("a warp operation by a thread that its mask leaves out");
  yield(State::kWarp);
}
template <class T>
T from_deposit(std::uint64_t bits) {
  T out;
  std::memcpy(&out, &bits, sizeof out);
  return out;
}
template <class T>
T shuffle(unsigned mask, T value, int lane) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  warp_wait(mask, bits);
  return from_deposit<T>(current->results[lane & 31]);
}

}  // namespace emu

#define threadIdx (emu::current->index)
#define blockIdx (emu::current->block->index)
#define blockDim (emu::block_size)
#define gridDim (emu::grid_size)
#define NVM_SHARED(T, name, n) emu::SharedArray<T, n> name(__LINE__)
#define nvm_shared_add(array, at, by) (array)[at].add(by)
#define NVM_ARENA(bytes) emu::arena(bytes)
#define NVM_ENTRY(name, args)                                                    \
  extern "C" const unsigned emu_##name##_bytes = sizeof(args);                   \
  extern "C" void emu_##name(const void* a, unsigned blocks, unsigned threads) { \
    const args copy = *static_cast<const args*>(a);                              \
    emu::run([&] { name(copy); }, blocks, threads);                              \
  }

// The functions that the CPU engine and the primitives have (vm/simd/functions.h), so that results can be
// compared bit by bit.
#define EMU_FUNCTIONS(f) f(log) f(exp) f(sin) f(cos) f(tan) f(asin) f(acos) f(atan) f(sinh) f(cosh) f(tanh)
#define EMU_DEFINE(name)                                                                  \
  extern "C" double Sleef_finz_##name##d1_u10purecfma(double);                            \
  namespace emu {                                                                         \
  inline double name##_(double x) {                                                       \
    const double y = Sleef_finz_##name##d1_u10purecfma(x), magnitude = __builtin_fabs(x); \
    const bool wild = !(__builtin_fabs(y) <= 1.7976931348623157e308);                     \
    return wild || (magnitude < 1e-290 && magnitude > 0.0) ? __builtin_##name(x) : y;     \
  }                                                                                       \
  }
EMU_FUNCTIONS(EMU_DEFINE)
#undef EMU_DEFINE
#define log(x) emu::log_(x)
#define exp(x) emu::exp_(x)
#define sin(x) emu::sin_(x)
#define cos(x) emu::cos_(x)
#define tan(x) emu::tan_(x)
#define asin(x) emu::asin_(x)
#define acos(x) emu::acos_(x)
#define atan(x) emu::atan_(x)
#define sinh(x) emu::sinh_(x)
#define cosh(x) emu::cosh_(x)
#define tanh(x) emu::tanh_(x)

struct alignas(16) ulonglong2 {  // an access to memory that is not aligned ends the program
  unsigned long long x, y;
};
inline void __syncthreads() { emu::yield(emu::State::kBarrier); }
inline void __syncwarp() { emu::warp_wait(0xffffffffu, 0); }
inline void __nanosleep(unsigned) { emu::yield(emu::State::kReady); }
inline void __threadfence() {}
template <class T>
T __shfl_sync(unsigned mask, T value, int lane) {
  return emu::shuffle(mask, value, lane);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, int by) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  return emu::shuffle(mask, value, lane >= by ? lane - by : lane);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, int by, int width) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int to = lane + by;
  return emu::shuffle(mask, value, to / width == lane / width ? to : lane);
}
inline unsigned __ballot_sync(unsigned mask, bool flag) {
  emu::warp_wait(mask, flag ? 1 : 0);
  unsigned out = 0;
  for (int l = 0; l < 32; ++l) out |= static_cast<unsigned>(emu::current->results[l]) << l;
  return out;
}
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline long long __double_as_longlong(double x) {
  return emu::from_deposit<long long>(__builtin_bit_cast(std::uint64_t, x));
}
inline double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
template <class T>
T atomicAdd(T* p, T by) {
  const T old = *p;
  *p = old + by;
  return old;
}
inline unsigned long long atomicMax(unsigned long long* p, unsigned long long x) {
  const unsigned long long old = *p;
  *p = old < x ? x : old;
  return old;
}
