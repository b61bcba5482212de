// Ranks as threads: random rounds, ranks that end early, that disagree, that keep others waiting, and splits.
#include "vm/ranks/threads.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <thread>

#include "tests/support/random_rounds.h"
#include "vm/ranks/alone.h"

namespace nvm::ranks {
namespace {

// Runs `f` on `n` threads; what broke the rounds, or nothing.
Broken broken(int n, const std::function<void(Rounds&)>& f) {
  try {
    on_threads(n, [&](Ranks& ranks) {
      Rounds rounds(ranks);
      f(rounds);
    });
  } catch (const Broken& e) {
    return e;
  }
  return {};
}

std::string random_rounds(Ranks& ranks, std::uint64_t seed, int count) {
  Rounds rounds(ranks);
  testing::RandomRounds random(rounds, seed, 3000);
  for (int i = 0; i < count; ++i) {
    if (std::string wrong = random.next(); !wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace

TEST_CASE("rounds of threads deliver what was given, in order") {
  for (const int n : {1, 2, 3, 5, 8}) {
    std::atomic<int> wrong{0};
    on_threads(n, [&](Ranks& ranks) {
      if (ranks.size() != n || !random_rounds(ranks, static_cast<std::uint64_t>(n), 200).empty()) ++wrong;
    });
    CHECK(wrong == 0);
  }
}

TEST_CASE("one rank alone does the same rounds and sends nothing") {
  Alone alone;
  CHECK(random_rounds(alone, 4, 200).empty());
  CHECK(alone.counts().rounds >= 200);
  CHECK(alone.counts().messages == 0);
  CHECK(alone.counts().bytes_sent == 0);
  const auto team = Rounds(alone).split(3);
  CHECK(team->size() == 1);
  alone.abort(1, "enough");
  CHECK_THROWS_AS(random_rounds(alone, 4, 1), Broken);
}

TEST_CASE("rounds, messages and bytes to others are counted") {
  std::vector<Counts> counts(3);
  on_threads(3, [&](Ranks& ranks) {
    Rounds rounds(ranks);
    (void)rounds.all_gather(std::int64_t{1});  // 2 messages of 8 bytes each
    const std::vector<char> out(3, 'x');
    const std::vector<std::int64_t> one(3, 1);
    (void)rounds.all_to_all(std::span(out), one, one);  // 2 of 1
    std::vector<char> in(rounds.rank() > 0 ? 3 : 0);
    rounds.shift(std::span(out).first(rounds.rank() < 2 ? 3 : 0),
                 std::span(in));                 // 1 of 3, none from the last
    (void)rounds.broadcast(1, std::int32_t{5});  // 2 of 4, from rank 1
    counts[static_cast<std::size_t>(rounds.rank())] = ranks.counts();
  });
  const std::vector<std::int64_t> messages = {5, 7, 4};
  const std::vector<std::int64_t> bytes = {21, 29, 18};
  for (std::size_t r = 0; r < 3; ++r) {
    CHECK(counts[r].rounds == 4);
    CHECK(counts[r].messages == messages[r]);
    CHECK(counts[r].bytes_sent == bytes[r]);
  }
}

TEST_CASE("a shift waits for nobody but the neighbours") {
  std::atomic<int> through{0};
  on_threads(4, [&](Ranks& ranks) {
    const int me = ranks.rank();
    while (me == 3 && through < 2) std::this_thread::yield();  // for ranks 0 and 1, which do not need it
    int in = -1;
    Rounds(ranks).shift(std::span<const int>(&me, me < 3 ? 1 : 0), std::span(&in, me > 0 ? 1 : 0));
    if (me < 2) ++through;
  });
  CHECK(through == 2);
}

TEST_CASE("a rank that ends early, aborts or throws wakes the others") {
  for (const int n : {2, 3, 8}) {
    const Broken left = broken(n, [](Rounds& rounds) {
      if (rounds.rank() == 1) throw Broken{1, "gone"};
      (void)rounds.all_gather(1);
    });
    CHECK(left.rank == 1);
    std::atomic<int> woken{0};
    const Broken aborted = broken(n, [&](Rounds& rounds) {
      if (rounds.rank() == 1) {
        rounds.ranks().abort(3, "no memory");
        (void)rounds.all_gather(1);
      }
      try {
        for (;;) (void)rounds.all_gather(1);
      } catch (const Broken& e) {
        if (e.rank == 1 && e.why == "no memory") ++woken;
        throw;
      }
    });
    CHECK(aborted.rank == 1);
    CHECK(aborted.why == "no memory");
    CHECK(woken == n - 1);
    CHECK_THROWS_AS(on_threads(n,
                               [](Ranks& ranks) {
                                 if (ranks.rank() == 1) throw std::runtime_error("cause");
                                 (void)Rounds(ranks).all_gather(1);
                               }),
                    std::runtime_error);
  }
}

TEST_CASE("a rank may leave while others read what it gave") {
  for (int i = 0; i < 50; ++i) {
    const Broken why = broken(4, [](Rounds& rounds) {
      const std::vector<int> mine(20000, rounds.rank());
      const std::vector<std::int64_t> lengths(4, 20000);
      for (int k = 0;; ++k) {
        if (k == 3 && rounds.rank() == 2) rounds.ranks().give_up({2, "left"});
        (void)rounds.all_gather(std::span(mine), lengths);
      }
    });
    CHECK(why.why == "left");
  }
}

TEST_CASE("a rank that closes while others go on has ended before them") {
  const std::vector<std::unique_ptr<Ranks>> ranks = thread_ranks(3);
  ranks[1]->close();
  try {
    (void)Rounds(*ranks[0]).all_gather(1);
    FAIL("a round of two of three");
  } catch (const Broken& why) {
    CHECK(why.rank == 1);
    CHECK(why.why == "ended before the others");
  }
}

TEST_CASE("ranks in different rounds are told so") {
  CHECK(broken(3, [](Rounds& rounds) {
          if (rounds.rank() == 2) {
            (void)rounds.broadcast(2, 1);
          } else {
            (void)rounds.all_gather(1);
          }
        }).why.find("another round") != std::string::npos);
  CHECK(broken(3, [](Rounds& rounds) {
          (void)rounds.broadcast(rounds.rank() == 0 ? 0 : 1, 1);
        }).why.find("another round") != std::string::npos);
  CHECK(broken(2,
               [](Rounds& rounds) {  // lengths
                 std::vector<std::int64_t> lengths = {rounds.rank() == 0 ? 2 : 1, 1};
                 const std::vector<int> mine(static_cast<std::size_t>(rounds.rank() == 0 ? 2 : 1));
                 (void)rounds.all_gather(std::span(mine), lengths);
               })
            .why.find("another round") != std::string::npos);
}

TEST_CASE("a round that takes too long names who is missing") {
  std::atomic<int> late{0};
  std::atomic<int> named{0};
  std::atomic<bool> go{false};
  on_threads(3, [&](Ranks& ranks) {
    Waiting waiting;
    waiting.limit = 0.05;
    waiting.late = [&](const std::vector<int>& missing, double seconds) {
      if (missing.back() == 2 && seconds >= 0.05) ++named;
      if (++late == 2) go = true;
    };
    if (ranks.rank() == 2) {
      while (!go) std::this_thread::yield();
    }
    (void)Rounds(ranks, waiting).all_gather(1);
  });
  CHECK(late == 2);  // once each; the run went on
  CHECK(named == 2);
}

TEST_CASE("a wait that gives up breaks the round of the others") {
  std::atomic<bool> gave_up{false};
  const Broken why = broken(2, [&](Rounds& outer) {
    Waiting waiting;
    waiting.limit = 0.05;
    waiting.stop = true;
    if (outer.rank() == 1) {
      while (!gave_up) std::this_thread::yield();
      (void)outer.all_gather(1);
    }
    try {
      (void)Rounds(outer.ranks(), waiting).all_gather(1);
    } catch (const Broken&) {
      gave_up = true;
      throw;
    }
  });
  CHECK(why.rank == 1);
  CHECK(why.why == "does not answer");

  struct Stop {};
  CHECK_THROWS_AS(on_threads(2,
                             [&](Ranks& ranks) {
                               Waiting waiting;
                               if (ranks.rank() == 0) waiting.look = [] { throw Stop{}; };
                               Rounds rounds(ranks, waiting);
                               if (ranks.rank() == 1)
                                 std::this_thread::sleep_for(std::chrono::milliseconds(20));
                               (void)rounds.all_gather(1);
                             }),
                  Stop);
}

TEST_CASE("ranks of a colour talk among themselves, in order") {
  std::atomic<int> wrong{0};
  on_threads(5, [&](Ranks& ranks) {
    for (int k = 0; k < 5; ++k) {
      const auto team = Rounds(ranks).split(ranks.rank() % 2);
      const std::vector<int> members = Rounds(*team).all_gather(ranks.rank());
      const std::vector<int> wanted =
          ranks.rank() % 2 == 0 ? std::vector<int>{0, 2, 4} : std::vector<int>{1, 3};
      if (members != wanted || !random_rounds(*team, 9, 20).empty()) ++wrong;
      Rounds(*team).close();
    }
    if (!random_rounds(ranks, 10, 20).empty()) ++wrong;
  });
  CHECK(wrong == 0);
}

TEST_CASE("what breaks a part of the ranks breaks all, under the number among all") {
  const Broken why = broken(4, [](Rounds& rounds) {
    const auto team = rounds.split(rounds.rank() / 2);
    Rounds of_team(*team);
    if (rounds.rank() == 3) team->abort(1, "no");
    for (;;) (void)of_team.all_gather(1);
  });
  CHECK(why.rank == 3);
}

}  // namespace nvm::ranks
