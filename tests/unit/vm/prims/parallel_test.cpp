#include "vm/prims/parallel.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

namespace nvm::vm {
namespace {

constexpr std::int64_t kChunks = 8;

// The first chunks that two threads take; -1 if the second one does not come.
template <typename Loop>
std::pair<std::int64_t, std::int64_t> first_chunks(Loop loop) {
  std::atomic<std::int64_t> first{-1}, second{-1};
  loop(2, kChunks, [&](std::int64_t c) {
    std::int64_t none = -1;
    if (!first.compare_exchange_strong(none, c)) {
      none = -1;
      second.compare_exchange_strong(none, c);
      return;
    }
    for (int i = 0; i < 1000 && second < 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  return std::minmax(first.load(), second.load());
}

// What one primitive leaves in a core's cache the next one finds there.
TEST_CASE("two threads begin with the halves of a loop") {
  const auto chunks = first_chunks([](int n, std::int64_t count, auto f) { for_chunks(n, count, f); });
  if (std::thread::hardware_concurrency() > 1) CHECK(chunks == std::pair(std::int64_t{0}, kChunks / 2));
}

TEST_CASE("chunks that may wait for others are begun in ascending order") {
  const auto chunks =
      first_chunks([](int n, std::int64_t count, auto f) { for_chunks_in_order(n, count, f); });
  CHECK(chunks == std::pair(std::int64_t{0}, std::int64_t{1}));
}

}  // namespace
}  // namespace nvm::vm
