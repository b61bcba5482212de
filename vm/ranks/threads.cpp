#include "vm/ranks/threads.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <numeric>
#include <shared_mutex>
#include <utility>

#include "bytecode/base/check.h"
#include "bytecode/base/thread.h"
#include "vm/ranks/rounds.h"
#include "vm/ranks/tally.h"

namespace nvm::ranks {
namespace {

enum class Kind : std::uint8_t { kAllGather, kAllToAll, kShift, kBroadcast };

// A round in one word: its number from 1, its kind, and the rank that a broadcast is from.
using Word = std::uint64_t;
constexpr Word word(std::uint64_t number, Kind kind, int from) {
  return number << 24 | static_cast<Word>(from) << 4 | static_cast<Word>(kind);
}
constexpr std::uint64_t number(Word w) { return w >> 24; }
constexpr int kMostRanks = 1 << 20;
constexpr const char* kEnded = "ended before the others";

// Whether the ranks can still go on, which those of a split share with all.
class Fate {
 public:
  void breaks(const Broken& why) {
    const std::lock_guard lock(mutex_);
    if (broken_.load(std::memory_order_relaxed)) return;
    why_ = why;
    broken_.store(true, std::memory_order_release);
  }
  void check() const {
    if (broken_.load(std::memory_order_acquire)) throw why_;
  }

 private:
  std::mutex mutex_;
  std::atomic<bool> broken_{false};
  Broken why_;  // written once, before broken_
};

// What a rank lets the others see. The fields without atomics are read by those that take part in the round
// that `in` says; its rank changes them when all of those have finished it, or have been kept out.
struct Seat {
  std::atomic<Word> in{0};
  std::atomic<Word> finished{0};
  std::atomic<bool> waits{false};
  std::atomic<bool> closed{false};
  std::shared_mutex mutex;  // readers share it; its rank takes it to keep them out
  std::span<const std::byte> out;
  std::vector<std::int64_t> sent;  // bytes for each rank; empty: all of `out` for everyone
};

struct Group {
  Group(std::vector<int> numbers, std::shared_ptr<Fate> f)
      : whole(std::move(numbers)), fate(std::move(f)), seats(whole.size()) {}

  std::vector<int> whole;  // the ranks' numbers among all
  std::shared_ptr<Fate> fate;
  std::vector<Seat> seats;

  // Groups that are being made by a split, by round and colour, and how many of their ranks have not come
  // yet.
  std::mutex mutex;
  std::map<std::pair<std::uint64_t, int>, std::pair<std::shared_ptr<Group>, std::size_t>> made;
};

class ThreadRanks final : public Ranks {
 public:
  ThreadRanks(std::shared_ptr<Group> group, int rank)
      : group_(std::move(group)), rank_(rank), tally_(rank, size()) {}
  ~ThreadRanks() override {
    if (!seat(rank_).closed.load(std::memory_order_relaxed)) fate().breaks({whole(rank_), kEnded});
    withdraw();
  }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return static_cast<int>(group_->seats.size()); }
  [[nodiscard]] std::string name() const override { return "threads"; }
  [[nodiscard]] std::string host(int /*r*/) const override { return host_name(); }

  void start_all_gather(std::span<const std::byte> mine, std::span<const std::int64_t> lengths,
                        std::span<std::byte> all) override;
  void start_all_to_all(std::span<const std::byte> out, std::span<const std::int64_t> sent,
                        std::span<std::byte> in, std::span<const std::int64_t> received) override;
  void start_shift(std::span<const std::byte> out, std::span<std::byte> in) override;
  void start_broadcast(int from, std::span<std::byte> bytes) override;
  [[nodiscard]] bool done() override;
  [[nodiscard]] std::vector<int> absent() override;

  void give_up(const Broken& why) override {
    fate().breaks(why);
    withdraw();
  }
  void abort(int /*status*/, std::string_view why) override { give_up({whole(rank_), std::string(why)}); }
  [[nodiscard]] std::unique_ptr<Ranks> split(std::span<const int> colours) override;
  void close() override;

  [[nodiscard]] double seconds() const override { return host_seconds(); }
  [[nodiscard]] Counts counts() const override { return tally_.counts(); }

 private:
  // What comes from a rank in the round, and where it goes.
  struct Part {
    int from;
    std::span<std::byte> in;
    bool taken = false;
  };

  [[nodiscard]] Fate& fate() const { return *group_->fate; }
  [[nodiscard]] int whole(int r) const { return group_->whole[static_cast<std::size_t>(r)]; }
  [[nodiscard]] Seat& seat(int r) const { return group_->seats[static_cast<std::size_t>(r)]; }
  void everyone_reads();
  void start(Kind kind, int from, std::span<const std::byte> out, std::span<const std::int64_t> sent);
  bool move_on();
  bool take(Part& part);
  [[nodiscard]] bool has_read(int r) const;
  [[noreturn]] void breaks(int r, std::string why) const;
  [[noreturn]] void diverged(int r) const;
  void withdraw();

  std::shared_ptr<Group> group_;
  int rank_;
  Tally tally_;
  std::uint64_t round_ = 0;
  Word in_ = 0;  // the round that is running, or the last one
  std::vector<Part> parts_;
  std::vector<int> readers_;  // who reads from this rank
};

void ThreadRanks::everyone_reads() {
  for (int r = 0; r < size(); ++r) {
    if (r != rank_) readers_.push_back(r);
  }
}

void ThreadRanks::start(Kind kind, int from, std::span<const std::byte> out,
                        std::span<const std::int64_t> sent) {
  in_ = word(++round_, kind, from);
  Seat& mine = seat(rank_);
  mine.out = out;
  mine.sent.assign(sent.begin(), sent.end());
  mine.in.store(in_, std::memory_order_release);
}

void ThreadRanks::start_all_gather(std::span<const std::byte> mine, std::span<const std::int64_t> lengths,
                                   std::span<std::byte> all) {
  fate().check();
  tally_.all_gather(mine, lengths, all);
  everyone_reads();
  std::size_t at = 0;
  for (int r = 0; r < size(); ++r) {
    const auto n = static_cast<std::size_t>(lengths[static_cast<std::size_t>(r)]);
    const std::span<std::byte> in = all.subspan(at, n);
    at += n;
    if (r == rank_) {
      std::copy(mine.begin(), mine.end(), in.begin());
    } else {
      parts_.push_back({r, in});
    }
  }
  start(Kind::kAllGather, 0, mine, {});
}

void ThreadRanks::start_all_to_all(std::span<const std::byte> out, std::span<const std::int64_t> sent,
                                   std::span<std::byte> in, std::span<const std::int64_t> received) {
  fate().check();
  tally_.all_to_all(out, sent, in, received);
  everyone_reads();
  std::size_t to = 0;
  std::size_t from = 0;
  for (int r = 0; r < size(); ++r) {
    const auto to_n = static_cast<std::size_t>(sent[static_cast<std::size_t>(r)]);
    const auto from_n = static_cast<std::size_t>(received[static_cast<std::size_t>(r)]);
    const std::span<std::byte> part = in.subspan(from, from_n);
    if (r == rank_) {
      const std::span<const std::byte> own = out.subspan(to, to_n);
      std::copy(own.begin(), own.end(), part.begin());
    } else {
      parts_.push_back({r, part});
    }
    to += to_n;
    from += from_n;
  }
  start(Kind::kAllToAll, 0, out, sent);
}

void ThreadRanks::start_shift(std::span<const std::byte> out, std::span<std::byte> in) {
  fate().check();
  tally_.shift(out, in);
  if (rank_ > 0) parts_.push_back({rank_ - 1, in});
  if (rank_ + 1 < size()) readers_.push_back(rank_ + 1);
  start(Kind::kShift, 0, out, {});
}

void ThreadRanks::start_broadcast(int from, std::span<std::byte> bytes) {
  fate().check();
  tally_.broadcast(from, bytes);
  if (rank_ == from) {
    everyone_reads();
  } else {
    parts_.push_back({from, bytes});
  }
  start(Kind::kBroadcast, from, bytes, {});
}

void ThreadRanks::breaks(int r, std::string why) const {
  const Broken broken{whole(r), std::move(why)};
  fate().breaks(broken);
  throw broken;
}

void ThreadRanks::diverged(int r) const {
  breaks(r, "takes part in another round than rank " + std::to_string(whole(rank_)));
}

// Copies what comes from a rank if it is there.
bool ThreadRanks::take(Part& part) {
  Seat& theirs = seat(part.from);
  const bool closed = theirs.closed.load(std::memory_order_acquire);
  const Word in = theirs.in.load(std::memory_order_acquire);
  if (number(in) < number(in_)) {
    if (closed) breaks(part.from, kEnded);
    return false;
  }
  if (in != in_) diverged(part.from);
  const std::shared_lock lock(theirs.mutex);
  if (theirs.in.load(std::memory_order_acquire) != in_) return false;  // withdrawn
  std::span<const std::byte> from = theirs.out;
  if (!theirs.sent.empty()) {
    const auto before = theirs.sent.begin() + rank_;
    from =
        from.subspan(static_cast<std::size_t>(std::accumulate(theirs.sent.begin(), before, std::int64_t{0})),
                     static_cast<std::size_t>(*before));
  }
  if (from.size() != part.in.size()) diverged(part.from);
  std::copy(from.begin(), from.end(), part.in.begin());
  return true;
}

// Whether a rank needs this one's buffer no more.
bool ThreadRanks::has_read(int r) const {
  const Seat& theirs = seat(r);
  const bool closed = theirs.closed.load(std::memory_order_acquire);
  const Word finished = theirs.finished.load(std::memory_order_acquire);
  if (number(finished) < number(in_)) {
    const Word in = theirs.in.load(std::memory_order_acquire);
    if (number(in) == number(in_) && in != in_) diverged(r);
    if (closed) breaks(r, kEnded);
    return false;
  }
  if (number(finished) == number(in_) && finished != in_) diverged(r);
  return true;
}

bool ThreadRanks::move_on() {
  bool all = true;
  for (Part& part : parts_) {
    if (!part.taken) part.taken = take(part);
    all = all && part.taken;
  }
  if (!all) return false;
  seat(rank_).finished.store(in_, std::memory_order_release);
  return std::all_of(readers_.begin(), readers_.end(), [&](int r) { return has_read(r); });
}

bool ThreadRanks::done() {
  try {
    fate().check();
    if (!tally_.asked(move_on())) return false;
  } catch (const Broken&) {
    withdraw();
    throw;
  }
  parts_.clear();
  readers_.clear();
  seat(rank_).waits.store(false, std::memory_order_relaxed);
  return true;
}

// The buffers of the running round are read no more, nor written.
void ThreadRanks::withdraw() {
  Seat& mine = seat(rank_);
  const std::lock_guard lock(mine.mutex);
  mine.in.store(0, std::memory_order_release);
  parts_.clear();
  readers_.clear();
  tally_.broken();
}

std::vector<int> ThreadRanks::absent() {
  seat(rank_).waits.store(true, std::memory_order_relaxed);
  std::vector<int> result;
  for (int r = 0; r < size(); ++r) {
    if (!seat(r).waits.load(std::memory_order_relaxed)) result.push_back(whole(r));
  }
  return result;
}

std::unique_ptr<Ranks> ThreadRanks::split(std::span<const int> colours) {
  fate().check();
  const auto me = static_cast<std::size_t>(rank_);
  std::vector<int> members;
  int mine = 0;
  for (std::size_t r = 0; r < colours.size(); ++r) {
    if (colours[r] != colours[me]) continue;
    if (r == me) mine = static_cast<int>(members.size());
    members.push_back(group_->whole[r]);
  }
  const std::pair<std::uint64_t, int> key = {round_, colours[me]};
  const std::lock_guard lock(group_->mutex);
  auto& [group, missing] = group_->made[key];
  if (group == nullptr) {
    missing = members.size();
    group = std::make_shared<Group>(std::move(members), group_->fate);
  }
  std::shared_ptr<Group> result = group;
  if (--missing == 0) group_->made.erase(key);
  return std::make_unique<ThreadRanks>(std::move(result), mine);
}

void ThreadRanks::close() {
  fate().check();
  seat(rank_).closed.store(true, std::memory_order_release);
}

// What the ranks of on_threads() threw: the first of each kind.
struct Thrown {
  std::mutex mutex;
  std::exception_ptr cause;
  std::exception_ptr broken;
};

void run_rank(Ranks& ranks, const std::function<void(Ranks&)>& f, Thrown& thrown) {
  try {
    f(ranks);
    Rounds(ranks).close();
  } catch (const Broken&) {
    const std::lock_guard lock(thrown.mutex);
    if (thrown.broken == nullptr) thrown.broken = std::current_exception();
  } catch (...) {
    const std::lock_guard lock(thrown.mutex);
    if (thrown.cause == nullptr) thrown.cause = std::current_exception();
  }
}

}  // namespace

std::vector<std::unique_ptr<Ranks>> thread_ranks(int n) {
  NVM_CHECK(n > 0 && n < kMostRanks, "number of ranks");
  std::vector<int> numbers(static_cast<std::size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 0);
  const auto group = std::make_shared<Group>(std::move(numbers), std::make_shared<Fate>());
  std::vector<std::unique_ptr<Ranks>> result;
  for (int r = 0; r < n; ++r) result.push_back(std::make_unique<ThreadRanks>(group, r));
  return result;
}

void on_threads(int n, const std::function<void(Ranks&)>& f) {
  std::vector<std::unique_ptr<Ranks>> ranks = thread_ranks(n);
  Thrown thrown;
  {
    std::vector<Thread> threads(ranks.size());
    try {
      for (std::size_t r = 0; r < ranks.size(); ++r) {
        threads[r].start([&, r] {
          run_rank(*ranks[r], f, thrown);
          ranks[r].reset();
        });
      }
    } catch (...) {  // a thread that was not started keeps no other waiting
      for (std::size_t r = 0; r < ranks.size(); ++r) {
        if (!threads[r].running()) ranks[r].reset();
      }
      throw;
    }
  }
  if (thrown.cause != nullptr) std::rethrow_exception(thrown.cause);
  if (thrown.broken != nullptr) std::rethrow_exception(thrown.broken);
}

}  // namespace nvm::ranks
