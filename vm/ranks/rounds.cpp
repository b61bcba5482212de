#include "vm/ranks/rounds.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace nvm::ranks {
namespace {

constexpr int kTries = 20;
constexpr double kYield = 1e-3;    // seconds of a wait in which others are let run
constexpr double kNap = 0.1;       // up to here it sleeps briefly
constexpr double kTell = 1;        // from here on the others are told
constexpr double kOthersKnow = 2;  // times the limit: who knows of nobody missing leaves it to those who do
constexpr auto kBrief = std::chrono::microseconds(50);
constexpr auto kLonger = std::chrono::milliseconds(1);

// A wait that ends by something thrown gives its round up, before the buffers go.
class Wait {
 public:
  explicit Wait(Ranks& ranks) : ranks_(ranks), why_{-1, "stopped waiting"} {}
  ~Wait() {
    if (!over_) ranks_.give_up(why_);
  }
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;

  bool over() { return over_ = ranks_.done(); }
  [[noreturn]] void no_answer(const std::vector<int>& missing) {
    if (missing.empty())
      why_ = {-1,
              "a round does not end, and no rank is known to be missing: they may have gone different ways"};
    else
      why_ = {missing.front(), "does not answer"};
    throw Broken(why_);
  }

 private:
  Ranks& ranks_;
  Broken why_;
  bool over_ = false;
};

void sleep_after(double waited) {
  if (waited < kNap) {
    std::this_thread::sleep_for(kBrief);
  } else {
    std::this_thread::sleep_for(kLonger);
  }
}

}  // namespace

void Rounds::finish() {
  for (int i = 0; i < kTries; ++i) {
    if (ranks_.done()) return;
  }
  wait_long();
}

void Rounds::wait_long() {
  const double since = ranks_.seconds();
  const double limit = waiting_.limit;
  const double tell = limit > 0 ? std::min(kTell, limit / 2) : kTell;
  bool told = false;
  bool late = false;
  Wait wait(ranks_);
  while (!wait.over()) {
    const double waited = ranks_.seconds() - since;
    if (waited < kYield) {
      sched_yield();
      continue;
    }
    if (waiting_.look) waiting_.look();
    if (!told && waited >= tell) {
      told = true;
      (void)ranks_.absent();
    }
    if (!late && limit > 0 && waited >= limit) {
      const std::vector<int> missing = ranks_.absent();
      late = !missing.empty() || waited >= kOthersKnow * limit;
      if (late && waiting_.late) waiting_.late(missing, waited);
      if (late && waiting_.stop) wait.no_answer(missing);
    }
    sleep_after(waited);
  }
}

std::string Rounds::broadcast_text(int from, std::string text) {
  text.resize(static_cast<std::size_t>(broadcast(from, static_cast<std::int64_t>(text.size()))));
  broadcast(from, std::span(text.data(), text.size()));
  return text;
}

}  // namespace nvm::ranks
