// Every allocation fails once while arrays are recorded, computed and let go of: the result is right, or an
// error says why there is none, and what was there before stays good.
#include <catch2/catch.hpp>

#include "tests/faults/failing_malloc.h"
#include "vm/lib/array.hpp"

namespace {

using namespace nvm;

template <typename F>
int count_refusals(F compute) {
  int refused = 0;
  bool some = true;
  for (long at = 1; some; ++at) {
    testing::fail_allocation(at);
    try {
      compute();
      some = testing::failed();
    } catch (const ArrayError& e) {
      some = testing::failed();
      ++refused;
      CHECK(e.failure().cause == lib::Failure::Cause::kMemory);
    } catch (const std::bad_alloc&) {
      some = testing::failed();
      ++refused;
    }
  }
  return refused;
}

}  // namespace

TEST_CASE("no memory while arrays are recorded, computed and let go of") {
  const std::vector<std::int64_t> v(3000, 2);
  lib::Options options;
  options.threads = 1;
  const ArraySession session(options);
  const ArraySession::Scope here(session);
  const auto x = borrow(v);
  const auto program = [&] {
    auto y = x;
    for (int k = 0; k < 70; ++k) y = y * 3 - x;  // as many as are found again by their operands
    const auto odd = y[map_indexed([](auto a, auto i) { return (a + i) % 2 == 1; }, y)];
    return odd.size() + sum(x).value() + count(odd == odd).value();
  };
  const std::int64_t want = program();
  std::int64_t got = want;
  CHECK(count_refusals([&] { got = program(); }) > 0);
  CHECK(got == want);
  CHECK(program() == want);
}
