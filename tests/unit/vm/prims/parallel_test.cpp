#include "vm/prims/parallel.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <thread>
#include <vector>

namespace nvm::vm {
namespace {

constexpr std::int64_t kChunks = 8;

// The first chunks that two threads take; -1 if the second one does not come.
template <typename Loop>
std::pair<std::int64_t, std::int64_t> first_chunks(Loop loop) {
  std::atomic<std::int64_t> first{-1}, second{-1};
  PrimContext context;
  context.threads = 2;
  loop(context, kChunks, [&](std::int64_t c) {
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
  const auto chunks = first_chunks(
      [](const PrimContext& context, std::int64_t count, auto f) { for_chunks(context, count, f); });
  if (std::thread::hardware_concurrency() > 1) CHECK(chunks == std::pair(std::int64_t{0}, kChunks / 2));
}

TEST_CASE("chunks that may wait for others are begun in ascending order") {
  const auto chunks = first_chunks(
      [](const PrimContext& context, std::int64_t count, auto f) { for_chunks_in_order(context, count, f); });
  CHECK(chunks == std::pair(std::int64_t{0}, std::int64_t{1}));
}

TEST_CASE("who asks to stop is heard between chunks; those that were begun are finished") {
  std::atomic<Stop> stop{Stop::kNo};
  PrimContext context;
  context.stop = &stop;
  for (const int threads : {1, 2, 3}) {
    context.threads = threads;
    for (const bool in_order : {false, true}) {
      stop = Stop::kNo;
      std::atomic<int> begun{0}, ended{0};
      const auto chunk = [&](std::int64_t) {
        ++begun;
        stop = Stop::kInterrupt;
        ++ended;
      };
      const auto loop = [&] {
        in_order ? for_chunks_in_order(context, kChunks * 1000, chunk)
                 : for_chunks(context, kChunks * 1000, chunk);
      };
      CHECK_THROWS_AS(loop(), Fault);
      CHECK(begun == ended);
      CHECK(begun >= 1);
      CHECK(begun <= threads);
    }
  }
}

TEST_CASE("one thread over many elements looks up between them") {
  std::atomic<Stop> stop{Stop::kNo};
  PrimContext context;
  context.stop = &stop;
  std::int64_t done = 0;
  const std::int64_t n = std::int64_t{1} << 30;
  CHECK_THROWS_AS(for_ranges(context, n,
                             [&](std::int64_t begin, std::int64_t end) {
                               done += end - begin;
                               stop = Stop::kTime;
                             }),
                  Fault);
  CHECK(done < n / 100);
}

}  // namespace
}  // namespace nvm::vm
