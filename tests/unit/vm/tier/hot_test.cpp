// When lines are compiled, and how soon kernels that are slower are left.
#include "vm/tier/hot.h"

#include <catch2/catch.hpp>

using namespace nvm;
using namespace nvm::vm;

namespace {

constexpr std::size_t kInsts = 10;

// What compiling a line of so many instructions counts as, and what the first such line does.
std::int64_t cost(const HotOptions& options) {
  return options.region_cost + options.inst_cost * static_cast<std::int64_t>(kInsts);
}
std::int64_t first_cost(const HotOptions& options) { return cost(options) + options.first_cost; }
// After a first line that surely paid.
Budget begun(const HotOptions& options) {
  Budget budget(options);
  const std::int64_t much = options.certain * first_cost(options);
  CHECK(budget.pays(much, much, kInsts, false));
  return budget;
}

// Runs of the kernels of one line until the primitives are asked, if a unit of work takes so long.
int runs_of_kernels(double kernels, double before) {
  constexpr std::int64_t kWork = 1'000'000;
  Contest c;
  if (before > 0) c.note_before(kWork, before * kWork);
  int runs = 0;
  for (; runs < 100 && c.kernels(kWork); ++runs) c.note(kWork, kernels * kWork, true);
  return runs;
}

}  // namespace

TEST_CASE("a line that may not pay is compiled when it comes again, one that surely does at once") {
  const HotOptions options;
  const std::int64_t work = cost(options) + cost(options) / 2;
  Budget budget = begun(options);
  CHECK(!budget.pays(work, work, kInsts, false));
  CHECK(budget.pays(work, 2 * work, kInsts, false));
  CHECK(!budget.pays(work, 3 * work, kInsts, true));
  const std::int64_t much = options.certain * cost(options);
  CHECK(budget.pays(much, much, kInsts, false));
}

TEST_CASE("the first line to be compiled must pay for the compiler's first touches, too") {
  const HotOptions options;
  const std::int64_t much = options.certain * cost(options);
  Budget budget(options);
  CHECK(!budget.pays(much, much, kInsts, false));
  CHECK(!budget.pays(much, 2 * much, kInsts, false));  // not within what may be spent so early
  budget = begun(options);
  CHECK(budget.pays(much, much, kInsts, false));
}

TEST_CASE("what does not come to its cost is never compiled") {
  const HotOptions options;
  Budget budget(options);
  CHECK(!budget.pays(1, 1, kInsts, false));
  CHECK(!budget.pays(1, cost(options) - 1, kInsts, false));
}

TEST_CASE("kernels that are beaten by what the primitives took before are left sooner") {
  CHECK(runs_of_kernels(1.0, 0.5) == 2);
  CHECK(runs_of_kernels(1.0, 0.9) == 3);
  CHECK(runs_of_kernels(1.0, 0) == 3);
}

TEST_CASE("a run before the kernels decides nothing alone") {
  constexpr std::int64_t kWork = 1'000'000;
  Contest c;
  c.note_before(kWork, 1.0);
  for (int i = 0; i < 2; ++i) c.note(kWork, 1.0 * kWork, true);
  CHECK(!c.lost());
  c.note(kWork, 2.0 * kWork, false);
  CHECK(c.kernels(kWork));
}

TEST_CASE("one slow run decides nothing where runs are brief") {
  const auto asked_after_slow_run = [](std::int64_t work) {
    Contest c;
    for (int i = 0; i < 3; ++i) c.note(work, 0.5 * static_cast<double>(work), true);
    c.note(work, 2.0 * static_cast<double>(work), false);
    return !c.kernels(work);
  };
  CHECK(asked_after_slow_run(10'000));
  CHECK(!asked_after_slow_run(10'000'000));
}

TEST_CASE("kernels that were left after two runs are hopeless like others") {
  constexpr std::int64_t kWork = 10'000;
  constexpr double kOverhead = 1000;  // nanoseconds; the primitives take 5000
  Contest c;
  c.note_before(kWork, 0.5 * kWork);
  for (int i = 0; i < 2; ++i) c.note(kWork, 1.0 * kWork, true);
  CHECK(!c.kernels(kWork));
  for (int i = 0; i < 3; ++i) {
    CHECK(!c.hopeless(kWork, kOverhead));
    c.note(kWork, 0.5 * kWork, false);
  }
  CHECK(c.hopeless(kWork, kOverhead));
}

// Of `runs` of a line whose primitives take 0.6 for a unit of work, those that go to the kernels, which take
// 2.0 the first `slow` times and 0.15 then.
int kernels_of(int runs, int slow) {
  constexpr std::int64_t kWork = 1'000'000;
  Contest c;
  c.note_before(kWork, 0.6 * kWork);
  int by_kernels = 0;
  for (int run = 0; run < runs; ++run) {
    const bool kernels = c.kernels(kWork);
    c.note(kWork, (!kernels ? 0.6 : by_kernels < slow ? 2.0 : 0.15) * kWork, kernels);
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
