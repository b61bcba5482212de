#include "bytecode/base/stack.h"

#include <catch2/catch.hpp>
#include <thread>

namespace nvm {
namespace {

// Its frames are large, since the thread sanitizer counts levels and has room for 65,536.
std::int64_t depth_of(std::int64_t n) {
  check_stack();
  volatile std::int64_t frame[512];
  frame[0] = n == 0 ? -1 : depth_of(n - 1);  // not to be made a loop
  return frame[0] + 1;
}

TEST_CASE("recursion ends before the stack does, in any thread") {
  const auto try_both = [] {
    CHECK(depth_of(1000) == 1000);
    CHECK_THROWS_AS(depth_of(std::int64_t{1} << 40), TooDeep);
    CHECK(depth_of(1000) == 1000);
  };
  try_both();
  std::thread(try_both).join();
}

}  // namespace
}  // namespace nvm
