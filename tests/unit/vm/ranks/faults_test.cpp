// Every call of the seam with every fault: the run ends at once, with one message that names the rank.
#include "vm/ranks/faults.h"

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <mutex>
#include <thread>

#include "vm/ranks/rounds.h"
#include "vm/ranks/threads.h"

namespace nvm::ranks {
namespace {

using What = Faults::What;

// A program that makes every call of the seam; whether what it got is right.
bool every_call(Rounds& rounds) {
  const int n = rounds.size();
  const int me = rounds.rank();
  std::vector<int> wanted;
  for (int r = 0; r < n; ++r) wanted.push_back(r);
  bool right = rounds.all_gather(me) == wanted;
  const std::vector<std::int64_t> one(static_cast<std::size_t>(n), 1);
  const std::vector<int> out(static_cast<std::size_t>(n), me);
  right = right && rounds.all_to_all(std::span(out), one, one) == wanted;
  int before = -1;
  rounds.shift(std::span(&me, me + 1 < n ? 1 : 0), std::span(&before, me > 0 ? 1 : 0));
  right = right && before == me - 1;
  right = right && rounds.broadcast(n - 1, me) == n - 1;
  const auto team = rounds.split(0);
  Rounds of_team(*team, rounds.waiting());
  right = right && of_team.all_gather(me) == wanted;
  of_team.close();
  return right;
}

struct Outcome {
  std::vector<Broken> messages;  // different ones
  int right = 0;                 // ranks that got to the end
  std::int64_t calls = 0;        // of the last rank
};

constexpr int kRanks = 3;

// The outcome on three ranks. Those that wait do so for a short time only if one is to stop.
Outcome run(Faults faults) {
  std::vector<std::unique_ptr<Ranks>> all = thread_ranks(kRanks);
  Outcome outcome;
  std::mutex mutex;
  std::atomic<int> ended{0};
  faults.act = [&](Ranks& ranks) {
    if (faults.what == What::kStop) {  // as long as the others are there
      while (ended < kRanks - 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ranks.give_up({ranks.rank(), "ended before the others"});
    throw Broken{ranks.rank(), "ended before the others"};
  };
  {
    std::vector<std::thread> threads;
    for (auto& ranks : all) {
      threads.emplace_back([&, faults] {
        const int me = ranks->rank();
        std::int64_t calls = 0;
        Waiting waiting;
        waiting.limit = faults.what == What::kStop ? 0.02 : 60;
        waiting.stop = true;
        try {
          const auto faulty = with_faults(std::move(ranks), faults, &calls);
          Rounds rounds(*faulty, waiting);
          const bool right = every_call(rounds);
          rounds.close();
          const std::lock_guard lock(mutex);
          outcome.right += right ? 1 : 0;
          if (me == kRanks - 1) outcome.calls = calls;
        } catch (const Broken& e) {
          const std::lock_guard lock(mutex);
          bool known = faults.what == What::kStop && me == faults.rank;  // says nothing
          for (const Broken& other : outcome.messages) {
            known = known || (other.rank == e.rank && other.why == e.why);
          }
          if (!known) outcome.messages.push_back(e);
        }
        ++ended;
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  return outcome;
}

}  // namespace

TEST_CASE("every fault at every call ends in one message") {
  const Outcome plain = run({});
  REQUIRE(plain.right == kRanks);
  REQUIRE(plain.messages.empty());
  REQUIRE(plain.calls >= 10);
  for (std::int64_t call = 1; call <= plain.calls; ++call) {
    for (const int rank : {0, kRanks - 1}) {
      for (const What what : {What::kDelay, What::kFail, What::kStop, What::kKill}) {
        Faults faults;
        faults.what = what;
        faults.call = call;
        faults.rank = rank;
        faults.seconds = 0.002;
        const Outcome outcome = run(faults);
        INFO("call " << call << " of rank " << rank << ", fault " << static_cast<int>(what));
        if (what == What::kDelay) {
          CHECK(outcome.right == kRanks);
          CHECK(outcome.messages.empty());
        } else {
          CHECK(outcome.right < kRanks);
          if (what == What::kStop && call == plain.calls) continue;  // closing: nobody waits for it
          REQUIRE(outcome.messages.size() == 1);
          if (what == What::kStop) {  // on a busy machine another one may not have answered, either
            CHECK(outcome.messages[0].why == "does not answer");
          } else {
            CHECK(outcome.messages[0].rank == rank);
          }
        }
      }
    }
  }
  Faults after;
  after.what = What::kKill;
  after.call = plain.calls + 1;
  CHECK(run(after).right == kRanks);
}

TEST_CASE("a slow network takes the time that its numbers say") {
  Faults faults;
  faults.latency = 1e-3;
  faults.seconds_a_byte = 1e-6;
  for (const int n : {1, 2, 3, 5}) {
    std::vector<double> waited(static_cast<std::size_t>(n));
    std::vector<std::unique_ptr<Ranks>> all = thread_ranks(n);
    std::vector<std::thread> threads;
    for (auto& ranks : all) {
      threads.emplace_back([&] {
        const auto slow = with_faults(std::move(ranks), faults);
        Rounds rounds(*slow);
        for (int i = 0; i < 10; ++i) (void)rounds.all_gather(std::array<char, 100>{});
        waited[static_cast<std::size_t>(slow->rank())] = slow->counts().waited_seconds;
        rounds.close();
      });
    }
    for (std::thread& thread : threads) thread.join();
    const int steps = n == 1 ? 0 : n == 2 ? 1 : n == 3 ? 2 : 3;
    const double least = 10 * (steps * 1e-3 + (n - 1) * 100 * 1e-6);
    for (const double seconds : waited) CHECK(seconds >= 0.9 * least);
  }
}

TEST_CASE("where all wait in vain nobody is blamed") {
  Faults faults;
  faults.latency = 100;
  std::vector<std::unique_ptr<Ranks>> all = thread_ranks(2);
  std::vector<std::string> said(all.size());
  std::vector<std::thread> threads;
  for (auto& ranks : all) {
    threads.emplace_back([&] {
      const auto slow = with_faults(std::move(ranks), faults);
      Waiting waiting;
      waiting.limit = 0.05;
      waiting.stop = true;
      try {
        (void)Rounds(*slow, waiting).all_gather(1);
      } catch (const Broken& why) {
        said[static_cast<std::size_t>(slow->rank())] = why.text();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : said)
    CHECK(text.find("a round does not end, and no rank is known to be missing") == 0);
}

TEST_CASE("faults are read from words") {
  const auto faults = Faults::read("latency=0.001 byte=1e-9  jitter=0.5 rank=1 call=37 do=kill");
  REQUIRE(faults);
  CHECK(faults->latency == 0.001);
  CHECK(faults->seconds_a_byte == 1e-9);
  CHECK(faults->jitter == 0.5);
  CHECK(faults->rank == 1);
  CHECK(faults->call == 37);
  CHECK(faults->what == What::kKill);
  CHECK(Faults::read("")->what == What::kNothing);
  for (const char* words : {"latency", "latency=", "latency=x", "speed=1", "do=die", "call=1.5", "call=1x"}) {
    CHECK_FALSE(Faults::read(words));
  }
}

}  // namespace nvm::ranks
