// Of two ways, the faster one is found.
#include "vm/data/choice.h"

#include <catch2/catch.hpp>

using namespace nvm;
using namespace nvm::vm;

namespace {

// Runs of the kernels of one line until the primitives are asked, if a unit of work takes so long.
int runs_of_kernels(double kernels, double before) {
  constexpr std::int64_t kWork = 1'000'000;
  ChoiceBySize c;
  if (before > 0) c.note_before(kWork, before * kWork);
  int runs = 0;
  for (; runs < 100 && c.next(kWork) == Way::kCandidate; ++runs)
    c.note(Way::kCandidate, kWork, kernels * kWork);
  return runs;
}

// Kernels and primitives timed three times each, in nanoseconds, for one amount of work.
ChoiceBySize timed(std::int64_t work, double kernels, double primitives) {
  ChoiceBySize c;
  for (int i = 0; i < 3; ++i) {
    c.note(Way::kCandidate, work, kernels);
    c.note(Way::kBaseline, work, primitives);
  }
  return c;
}

}  // namespace

TEST_CASE("recording is hopeless where it costs more than kernels gain, and is felt") {
  constexpr std::int64_t kWork = 20'000;
  CHECK(timed(kWork, 9'000, 10'000).hopeless(kWork, 2'000));
  CHECK(!timed(kWork, 7'000, 10'000).hopeless(kWork, 2'000));
  CHECK(!timed(kWork, 2e6, 1e6).hopeless(kWork, 2'000));  // lost, but two microseconds are nothing beside it
  CHECK(!timed(kWork, 9'000, 10'000).hopeless(kWork * 64, 2'000));
}

TEST_CASE("nothing is hopeless that was not timed") {
  constexpr std::int64_t kWork = 20'000;
  ChoiceBySize c;
  CHECK(!c.hopeless(kWork, 2'000));
  c.note(Way::kCandidate, kWork, 9'000);
  CHECK(!c.hopeless(kWork, 2'000));
}

TEST_CASE("kernels that are beaten by what the primitives took before are left sooner") {
  CHECK(runs_of_kernels(1.0, 0.5) == 2);
  CHECK(runs_of_kernels(1.0, 0.9) == 3);
  CHECK(runs_of_kernels(1.0, 0) == 3);
}

TEST_CASE("a run before the kernels decides nothing alone") {
  constexpr std::int64_t kWork = 1'000'000;
  ChoiceBySize c;
  c.note_before(kWork, 1.0);
  for (int i = 0; i < 2; ++i) c.note(Way::kCandidate, kWork, 1.0 * kWork);
  CHECK(!c.lost());
  c.note(Way::kBaseline, kWork, 2.0 * kWork);
  CHECK(c.next(kWork) == Way::kCandidate);
}

TEST_CASE("one slow run decides nothing where runs are brief") {
  const auto asked_after_slow_run = [](std::int64_t work) {
    ChoiceBySize c;
    for (int i = 0; i < 3; ++i) c.note(Way::kCandidate, work, 0.5 * static_cast<double>(work));
    c.note(Way::kBaseline, work, 2.0 * static_cast<double>(work));
    return c.next(work) == Way::kBaseline;
  };
  CHECK(asked_after_slow_run(10'000));
  CHECK(!asked_after_slow_run(10'000'000));
}

TEST_CASE("kernels that were left after two runs are hopeless like others") {
  constexpr std::int64_t kWork = 10'000;
  constexpr double kOverhead = 1000;  // nanoseconds; the primitives take 5000
  ChoiceBySize c;
  c.note_before(kWork, 0.5 * kWork);
  for (int i = 0; i < 2; ++i) c.note(Way::kCandidate, kWork, 1.0 * kWork);
  CHECK(c.next(kWork) == Way::kBaseline);
  for (int i = 0; i < 3; ++i) {
    CHECK(!c.hopeless(kWork, kOverhead));
    c.note(Way::kBaseline, kWork, 0.5 * kWork);
  }
  CHECK(c.hopeless(kWork, kOverhead));
}

// Of `runs` of a line whose primitives take 0.6 for a unit of work, those that go to the kernels, which take
// 2.0 the first `slow` times and 0.15 then.
int kernels_of(int runs, int slow) {
  constexpr std::int64_t kWork = 1'000'000;
  ChoiceBySize c;
  c.note_before(kWork, 0.6 * kWork);
  int by_kernels = 0;
  for (int run = 0; run < runs; ++run) {
    const bool kernels = c.next(kWork) == Way::kCandidate;
    c.note(kernels ? Way::kCandidate : Way::kBaseline, kWork,
           (!kernels            ? 0.6
            : by_kernels < slow ? 2.0
                                : 0.15) *
               kWork);
    by_kernels += kernels ? 1 : 0;
  }
  return by_kernels;
}

TEST_CASE("kernels whose first runs were slow for their memory are found to be faster") {
  CHECK(kernels_of(100, 2) > 80);
}

TEST_CASE(
    "kernels that are slow for five runs, while others use the processors, are found to be faster soon") {
  CHECK(kernels_of(40, 5) >= 20);
}

TEST_CASE("kernels that are slower cost few runs") { CHECK(kernels_of(10000, 10000) <= 6); }

TEST_CASE("in turn, the ways are timed twice each, then the faster one is taken") {
  const Way first = GENERATE(Way::kBaseline, Way::kCandidate);
  const Way second = first == Way::kBaseline ? Way::kCandidate : Way::kBaseline;
  const double slow[] = {3.0, 4.0}, fast[] = {9.0, 2.0};
  Choice c;
  for (const int i : {0, 1}) {
    CHECK(c.next_in_turn(first) == first);
    c.note(first, slow[i]);
    CHECK_FALSE(c.settled());
    CHECK(c.next_in_turn(first) == second);
    c.note(second, fast[i]);
  }
  CHECK(c.settled());
  CHECK(c.next_in_turn(first) == second);
}

TEST_CASE("in turn, two ways that are close are timed more often") {
  Choice c;
  for (int i = 0; i < 8; ++i) {
    CHECK_FALSE(c.settled());
    c.note(c.next_in_turn(Way::kCandidate), i % 2 == 0 ? 1.1 : 1.0);
  }
  CHECK(c.settled());
  CHECK(c.next_in_turn(Way::kCandidate) == Way::kBaseline);
}

TEST_CASE("a choice is kept as text") {
  Choice c, read;
  c.note(Way::kCandidate, 0.1);
  char text[128];
  c.print(7, text, sizeof text);
  int size = 0;
  CHECK(read.read(text, size) == text + std::string(text).size());
  CHECK(size == 7);
  CHECK(read.runs(Way::kCandidate) == 1);
  CHECK(read.best(Way::kCandidate) == 0.1);
  CHECK(read.runs(Way::kBaseline) == 0);
  CHECK(read.read("tried 1 2", size) == nullptr);
}

TEST_CASE("what may be spent is a share of what was earned") {
  Allowance a(10, 5);
  CHECK(a.spend(5));
  CHECK_FALSE(a.spend(1));
  a.earn(100);
  CHECK_FALSE(a.spend(11));
  CHECK(a.spend(10));
  CHECK_FALSE(a.spend(1));
}

TEST_CASE("what fails again is left for longer, up to a limit") {
  Backoff<2, 8> b;
  const auto waited = [&] {
    int n = 0;
    while (b.pass()) ++n;
    return n;
  };
  CHECK(waited() == 0);
  for (const int expected : {2, 4, 8, 8}) {
    b.fail();
    CHECK(waited() == expected);
  }
  b.succeed();
  b.fail();
  CHECK(waited() == 2);
}
