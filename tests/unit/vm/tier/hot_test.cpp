// When lines are compiled, and which are not recorded for a while.
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

TEST_CASE(
    "what is on the blacklist is tried again, ever more rarely, and only vectors of about that length are "
    "meant") {
  Blacklist s;
  const ssa::Inst add, other;
  const auto times = [&] {
    int n = 0;
    while (s.has(add, 10'000)) ++n;
    return n;
  };
  CHECK(times() == 0);
  s.add(add, 10'000);
  CHECK(!s.has(other, 10'000));
  CHECK(!s.has(add, 100'000));
  CHECK(!s.has(add, 100));
  const int first = times();
  CHECK(first > 0);
  CHECK(!s.has(add, 10'000));
  s.add(add, 10'000);
  CHECK(times() == 2 * first);
  s.add(add, 10'000);
  s.clear();
  CHECK(times() == 0);
}
