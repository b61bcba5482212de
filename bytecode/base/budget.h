// What a piece of work may take: time, and memory. While a Budget lives, whatever its thread does is charged
// to it, from reading the first byte to writing the last: stages whose work a program decides look at it once
// for every token, node, instruction or element, and give up where it is spent.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "bytecode/base/cancel.h"

namespace nvm {

// The memory of one owner, say of a session: vectors, and what the heap holds beside them.
class MemoryAccount {
 public:
  // Heap that nobody is charged for: every small program needs some.
  static constexpr std::size_t kFreeHeap = std::size_t{32} << 20;

  // `limit`: bytes, 0 for none.
  explicit MemoryAccount(std::size_t limit, std::size_t free_heap = kFreeHeap);

  [[nodiscard]] std::size_t limit() const { return limit_; }
  // Bytes of the heap that are charged. Heap is the process's: what others take from it is charged, too.
  [[nodiscard]] std::size_t heap() const;
  // Vectors, by their pools: those that live, and pages that are kept for others.
  void add_vectors(std::ptrdiff_t bytes) { vectors_.fetch_add(bytes, std::memory_order_relaxed); }
  void add_mapped(std::ptrdiff_t bytes) { mapped_.fetch_add(bytes, std::memory_order_relaxed); }
  [[nodiscard]] std::size_t vectors() const { return not_negative(vectors_); }
  [[nodiscard]] bool allows(std::size_t more) const {
    return limit_ == 0 || vectors() + heap() + more <= limit_;
  }
  // heap() is of the last time that the C library was asked. Whoever is about to refuse something asks anew.
  static void measure_heap();
  // Whoever keeps pages that no vector needs gives them back, by `trim`, where the heap wants them: as long
  // as this lives.
  class Trimmer {
   public:
    Trimmer(std::shared_ptr<MemoryAccount> account, std::function<void()> trim);
    ~Trimmer();
    Trimmer(const Trimmer&) = delete;
    Trimmer& operator=(const Trimmer&) = delete;

   private:
    friend class MemoryAccount;
    std::shared_ptr<MemoryAccount> account_;
    std::function<void()> trim_;
  };
  void trim();
  // Are such pages and the heap together more than the limit?
  [[nodiscard]] bool should_trim() const { return limit_ != 0 && not_negative(mapped_) + heap() > limit_; }

 private:
  friend class Budget;
  static std::size_t not_negative(const std::atomic<std::ptrdiff_t>& x) {
    const std::ptrdiff_t bytes = x.load(std::memory_order_relaxed);
    return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
  }

  std::size_t limit_;
  std::size_t free_heap_;
  std::size_t begin_;  // of the heap, when a call began; 0 if it is counted
  std::atomic<std::ptrdiff_t> vectors_{0}, mapped_{0};
  std::mutex trimming_;
  std::vector<Trimmer*> trimmers_;  // of machines, which may be used by other threads
};

// Thrown where the heap has grown beyond what the account allows.
class OutOfMemory : public std::bad_alloc {
 public:
  explicit OutOfMemory(std::string message) : message_(std::move(message)) {}
  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

class Budget {
 public:
  using Clock = std::chrono::steady_clock;

  // `seconds` from now, 0: no limit. `cancelled` may be null. Inside another one of the thread, that one
  // holds, too, and its account goes on if none is given. They may end in any order, on their thread.
  explicit Budget(std::shared_ptr<MemoryAccount> account, double seconds = 0,
                  const std::atomic<bool>* cancelled = nullptr);
  ~Budget();
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  // The thread's innermost one, or null.
  [[nodiscard]] static Budget* current();
  // That one's account, or null.
  [[nodiscard]] static std::shared_ptr<MemoryAccount> account();
  // Until the deadline; less than 0 behind it, infinite if there is none.
  [[nodiscard]] static double seconds_left();

  // Calls of check_budget() by this thread so far: what work took, whatever the machine.
  [[nodiscard]] static std::uint64_t steps();

  // Throws Cancelled or OutOfMemory if the thread's budget is spent.
  static void look();

  // For who counts the heap: it grows by `bytes` for this thread, and those are counted already, so that of
  // threads that want the last of it at once each sees the others. Throws OutOfMemory if that was far more
  // than is left; a little more is left to look().
  static void heap_grows(std::size_t bytes);

  // While one lives, heap_grows() throws nothing: where an exception would leave a structure broken.
  class Exempt {
   public:
    Exempt();
    ~Exempt();
    Exempt(const Exempt&) = delete;
    Exempt& operator=(const Exempt&) = delete;
  };

 private:
  [[noreturn]] void out_of_memory(std::size_t more) const;

  std::shared_ptr<MemoryAccount> account_;
  Clock::time_point deadline_ = Clock::time_point::max();
  const std::atomic<bool>* cancelled_;
  Budget* outer_;
};

namespace budget_detail {
extern constinit thread_local std::uint32_t t_until_look;
void look_again();
}  // namespace budget_detail

// For loops whose length a program decides: a decrement, and Budget::look() every hundred times.
inline void check_budget() {
  if (--budget_detail::t_until_look == 0) [[unlikely]]
    budget_detail::look_again();
}

// Bytes of the heap in use. Whoever replaces operator new counts them (`heap_counted`, and each change);
// else the C library is asked from time to time.
extern constinit std::atomic<std::ptrdiff_t> heap_bytes;
extern constinit std::atomic<bool> heap_counted;

}  // namespace nvm
