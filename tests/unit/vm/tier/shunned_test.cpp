// Short lines that the primitives execute in less time than recording takes are not recorded for a while.
#include <catch2/catch.hpp>

#include "vm/tier/hot.h"

using namespace nvm;
using namespace nvm::vm;

namespace {

// Kernels and primitives timed three times each, in nanoseconds, for one amount of work.
Contest timed(std::int64_t work, double kernels, double primitives) {
  Contest c;
  for (int i = 0; i < 3; ++i) {
    c.note(work, kernels, true);
    c.note(work, primitives, false);
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
  Contest c;
  CHECK(!c.hopeless(kWork, 2'000));
  c.note(kWork, 9'000, true);
  CHECK(!c.hopeless(kWork, 2'000));
}

TEST_CASE(
    "what is shunned is tried again, ever more rarely, and only vectors of about that length are meant") {
  Shunned s;
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
