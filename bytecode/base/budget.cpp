#include "bytecode/base/budget.h"

#include <malloc.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <mutex>

namespace nvm {

constinit std::atomic<std::ptrdiff_t> heap_bytes{0};
constinit std::atomic<bool> heap_counted{false};

namespace {

constexpr std::uint32_t kLooksEvery = 100;
// How far the heap may grow between two looks before whoever counts it puts an end to that.
constexpr std::size_t kSlack = std::size_t{8} << 20;
constexpr std::size_t kLarge = std::size_t{1} << 20;

constinit thread_local Budget* t_budget = nullptr;
constinit thread_local int t_exempt = 0;
constinit thread_local std::uint64_t t_looks = 0;

enum class When { kIfDue, kNow };

// The C library walks its free lists to answer. A fifth of the time at most is spent on asking, in a call
// that begins or while the heap grows, and ever less, down to a fiftieth, while it does not; but for who asks
// before an error is made of an answer that may be old.
constexpr int kOften = 4, kSeldom = 50;  // how many times as long as asking takes until it is asked again
constinit std::atomic<int> often{kOften};

void ask_the_library(When when) {
  if (heap_counted.load(std::memory_order_relaxed)) return;
  static std::mutex mutex;
  static Budget::Clock::time_point asked{};
  static Budget::Clock::duration took{};
  std::unique_lock lock(mutex, std::defer_lock);
  if (when == When::kNow)
    lock.lock();
  else if (!lock.try_lock())
    return;
  const auto begin = Budget::Clock::now();
  const int wait = often.load(std::memory_order_relaxed);
  const auto pause = std::max(wait * took, Budget::Clock::duration(std::chrono::milliseconds(2)));
  if (when == When::kIfDue && asked != Budget::Clock::time_point() && begin < asked + pause) return;
  const struct mallinfo2 info = ::mallinfo2();
  const auto now = static_cast<std::ptrdiff_t>(info.uordblks + info.hblkhd);
  const bool grows =
      now > heap_bytes.exchange(now, std::memory_order_relaxed) + static_cast<std::ptrdiff_t>(kSlack);
  often.store(grows ? kOften : std::min(2 * wait, kSeldom), std::memory_order_relaxed);
  asked = Budget::Clock::now();
  took = asked - begin;
}

std::size_t heap_now() {
  const std::ptrdiff_t bytes = heap_bytes.load(std::memory_order_relaxed);
  return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
}

}  // namespace

namespace budget_detail {
constinit thread_local std::uint32_t t_until_look = kLooksEvery;
void look_again() {
  t_until_look = kLooksEvery;
  ++t_looks;
  Budget::look();
}
}  // namespace budget_detail

std::uint64_t Budget::steps() { return t_looks * kLooksEvery + (kLooksEvery - budget_detail::t_until_look); }

MemoryAccount::MemoryAccount(std::size_t limit, std::size_t free_heap)
    : limit_(limit), free_heap_(free_heap), begin_(0) {
  if (heap_counted.load(std::memory_order_relaxed)) return;
  ask_the_library(When::kIfDue);
  begin_ = heap_now();
}

void MemoryAccount::measure_heap() { ask_the_library(When::kNow); }

MemoryAccount::Trimmer::Trimmer(std::shared_ptr<MemoryAccount> account, std::function<void()> trim)
    : account_(std::move(account)), trim_(std::move(trim)) {
  const std::lock_guard lock(account_->trimming_);
  account_->trimmers_.push_back(this);
}
MemoryAccount::Trimmer::~Trimmer() {
  const std::lock_guard lock(account_->trimming_);
  std::erase(account_->trimmers_, this);
}

void MemoryAccount::trim() {
  const std::lock_guard lock(trimming_);
  for (const Trimmer* trimmer : trimmers_) trimmer->trim_();
}

std::size_t MemoryAccount::heap() const {
  const std::size_t begin = std::atomic_ref(const_cast<std::size_t&>(begin_)).load(std::memory_order_relaxed);
  const std::size_t now = heap_now(), free = begin + free_heap_;
  return now > free ? now - free : 0;
}

Budget::Budget(std::shared_ptr<MemoryAccount> account, double seconds, const std::atomic<bool>* cancelled)
    : account_(std::move(account)), cancelled_(cancelled), outer_(t_budget) {
  // More than a year is for ever: no clock can tell.
  constexpr double kEver = 3e7;
  if (seconds > 0 && seconds < kEver)
    deadline_ =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  if (outer_ != nullptr) {
    deadline_ = std::min(deadline_, outer_->deadline_);
    if (account_ == nullptr) account_ = outer_->account_;
  }
  t_budget = this;
  if (outer_ != nullptr || account_ == nullptr || heap_counted.load(std::memory_order_relaxed)) return;
  // What the host took before this call is not the call's.
  ask_the_library(When::kIfDue);
  if (account_->limit() > 0) often.store(kOften, std::memory_order_relaxed);
  std::atomic_ref(account_->begin_).store(heap_now(), std::memory_order_relaxed);
}

Budget::~Budget() {
  // What it surrounds may end later, as what a callback of a run has begun.
  for (Budget** place = &t_budget; *place != nullptr; place = &(*place)->outer_)
    if (*place == this) {
      *place = outer_;
      return;
    }
}

Budget* Budget::current() { return t_budget; }

std::shared_ptr<MemoryAccount> Budget::account() {
  return t_budget == nullptr ? nullptr : t_budget->account_;
}

double Budget::seconds_left() {
  if (t_budget == nullptr || t_budget->deadline_ == Clock::time_point::max())
    return std::numeric_limits<double>::infinity();
  return std::chrono::duration<double>(t_budget->deadline_ - Clock::now()).count();
}

void Budget::out_of_memory(std::size_t more) const {
  const std::size_t limit = account_->limit();
  const Exempt exempt;
  throw OutOfMemory("ran out of memory: " + std::to_string(account_->vectors()) + " bytes of vectors and " +
                    std::to_string(account_->heap() + account_->free_heap_ + more) +
                    " of the program itself, " + std::to_string(limit) + " allowed; raise --memory");
}

void Budget::look() {
  Budget* const budget = t_budget;
  if (budget == nullptr) return;
  for (const Budget* b = budget; b != nullptr; b = b->outer_) check_cancelled(b->cancelled_);
  if (budget->deadline_ != Clock::time_point::max() && Clock::now() >= budget->deadline_)
    throw Cancelled{Cancelled::Why::kTime};
  MemoryAccount* const account = budget->account_.get();
  if (account == nullptr || account->limit() == 0) return;
  ask_the_library(When::kIfDue);
  if (!account->allows(0)) {
    MemoryAccount::measure_heap();
    if (!account->allows(0)) budget->out_of_memory(0);
  }
  if (account->should_trim()) account->trim();
}

void Budget::heap_grows(std::size_t bytes) {
  Budget* const budget = t_budget;
  if (budget == nullptr || t_exempt != 0 || budget->account_ == nullptr) return;
  MemoryAccount& account = *budget->account_;
  if (account.limit() == 0) return;
  if (bytes >= kLarge && account.should_trim()) account.trim();
  const std::size_t slack = bytes >= kLarge ? 0 : kSlack + account.limit() / 32;
  if (account.vectors() + account.heap() <= account.limit() + slack) return;
  if (std::uncaught_exceptions() > 0) return;  // what goes may need a little
  budget->out_of_memory(0);
}

Budget::Exempt::Exempt() { ++t_exempt; }
Budget::Exempt::~Exempt() { --t_exempt; }

}  // namespace nvm
