#include "vm/data/pool.h"

#include <sys/resource.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <thread>
#include <vector>

#include "vm/data/pages.h"

namespace nvm::vm {
namespace {

TEST_CASE("elements are aligned and padded, whatever their number") {
  Pool pool;
  for (std::size_t bytes = 1; bytes < (std::size_t{1} << 24); bytes = bytes * 3 + 1) {
    const BufferRef b = pool.allocate(ByteCount(bytes));
    CHECK(reinterpret_cast<std::uintptr_t>(b.data()) % 64 == 0);
    CHECK(b.get()->capacity >= bytes);
    std::memset(b.data(), 1, bytes + 64);  // the padding belongs to the block: a sanitizer would see
  }
}

TEST_CASE("released memory is used again, small and large") {
  Pool pool;
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{200'000}, std::size_t{5} << 20}) {
    std::byte* first = pool.allocate(ByteCount(bytes)).data();
    const std::size_t mapped = pool.stats().mapped;
    CHECK(pool.allocate(ByteCount(bytes)).data() == first);
    CHECK(pool.stats().mapped == mapped);
  }
}

// The other may have left the caches.
TEST_CASE("of two free blocks of one size the one released last is used again") {
  Pool pool;
  constexpr std::size_t kBytes = std::size_t{8} << 20;
  BufferRef a = pool.allocate(ByteCount(kBytes)), b = pool.allocate(ByteCount(kBytes)),
            c = pool.allocate(ByteCount(kBytes));
  const std::byte *first = a.data(), *second = b.data();
  a = {};
  b = {};  // together with the other one free range
  b = pool.allocate(ByteCount(kBytes));
  CHECK(b.data() == second);
  CHECK(pool.allocate(ByteCount(kBytes)).data() == first);
  b = {};
  c = pool.allocate(
      ByteCount(2 * kBytes));  // where both were, once the third has gone: no block is remembered in part
  const BufferRef d = pool.allocate(ByteCount(kBytes));
  CHECK((d.data() >= c.data() + 2 * kBytes || d.data() + kBytes <= c.data()));
}

TEST_CASE("a slightly smaller large request takes a free larger block") {
  Pool pool;
  std::byte* first = pool.allocate(ByteCount(std::size_t{12} << 20)).data();
  CHECK(pool.allocate(ByteCount(std::size_t{9} << 20)).data() == first);
}

TEST_CASE("live and peak follow the buffers") {
  Pool pool;
  CHECK(pool.stats().live == 0);
  {
    const BufferRef a = pool.allocate(ByteCount(1000));
    const BufferRef b = pool.allocate(ByteCount(3'000'000));
    const BufferRef again = a;
    CHECK(pool.stats().live == 1024 + 3'000'000);
  }
  CHECK(pool.stats().live == 0);
  CHECK(pool.stats().peak == 1024 + 3'000'000);
  CHECK(pool.stats().allocations == 2);
}

TEST_CASE("above the limit allocation is a fault that names the option, and nothing is lost") {
  Pool pool(1'000'000);
  const BufferRef held = pool.allocate(ByteCount(900'000));
  try {
    const BufferRef more = pool.allocate(ByteCount(200'000));
    FAIL("the limit was not kept");
  } catch (const Fault& f) {
    CHECK(f.kind == Fault::Kind::kMemory);
    CHECK(f.message.find("ran out of vector memory") == 0);
    CHECK(f.message.find("--memory") != std::string::npos);
  }
  CHECK_NOTHROW(pool.allocate(ByteCount(50'000)));
}

TEST_CASE("many small vectors run into the limit too") {
  Pool pool(1'000'000);
  std::vector<BufferRef> held;
  CHECK_THROWS_AS(
      [&] {
        for (int i = 0; i < 20'000; ++i) held.push_back(pool.allocate(ByteCount(100)));
      }(),
      Fault);
  CHECK(held.size() > 3'000);
  CHECK(pool.stats().mapped < 1'100'000);
}

TEST_CASE("absurd sizes are faults, not crashes") {
  Pool pool;
  CHECK_THROWS_AS(pool.allocate(ByteCount(std::size_t{1} << 60)), Fault);
  CHECK_THROWS_AS(pool.vector(Storage::kF64, std::int64_t{1} << 60), Fault);
}

TEST_CASE("free memory stays mapped until trimmed or until the limit is near") {
  Pool pool(std::size_t{64} << 20);
  { const BufferRef a = pool.allocate(ByteCount(std::size_t{40} << 20)); }
  CHECK(pool.stats().mapped >= std::size_t{40} << 20);
  SECTION("trim") {
    pool.trim();
    CHECK(pool.stats().mapped == 0);
  }
  SECTION("a request that would push the mapped memory over the limit") {
    const BufferRef b = pool.allocate(ByteCount(std::size_t{50} << 20));
    CHECK(pool.stats().mapped <= std::size_t{64} << 20);
  }
}

TEST_CASE("memory freed in one size serves every other") {
  Pool pool;
  std::vector<BufferRef> held(12);
  std::uint64_t draw = 1;
  for (int i = 0; i < 3000; ++i) {
    draw = draw * 6364136223846793005 + 1442695040888963407;
    BufferRef& place = held[static_cast<std::size_t>(i) % held.size()];
    place = BufferRef();
    const std::size_t bytes = std::size_t{100'000} << (draw >> 61);  // 100 KB to 13 MB, and up to twice that
    place = pool.allocate(ByteCount(bytes + (draw >> 32) % bytes));
    std::memset(place.data(), 1, 64);
  }
  CHECK(pool.stats().mapped_peak <= pool.stats().peak + pool.stats().peak / 2);
  held.clear();
  pool.trim();
  CHECK(pool.stats().mapped == 0);
  { const BufferRef whole = pool.allocate(ByteCount(std::size_t{30} << 20)); }
  CHECK(pool.stats().mapped <= std::size_t{31} << 20);
}

TEST_CASE("free memory in small pieces is given back where large blocks need fresh pages") {
  Pool pool;
  std::vector<BufferRef> pieces;
  for (int i = 0; i < 160; ++i) {
    pieces.push_back(pool.allocate(ByteCount(128 * 1024)));
    std::memset(pieces.back().data(), 1, 128 * 1024);
  }
  for (std::size_t i = 0; i < pieces.size(); i += 2) pieces[i] = BufferRef();
  std::vector<BufferRef> large;
  for (int i = 0; i < 4; ++i) large.push_back(pool.allocate(ByteCount(std::size_t{5} << 20)));
  const PoolStats full = pool.stats();
  CHECK(full.mapped_peak <= full.peak + full.peak / 2);
  for (std::size_t i = 1; i < pieces.size(); i += 2) {
    CHECK(pieces[i].data()[128 * 1024 - 1] == std::byte{1});  // what is in use stays
    pieces[i] = BufferRef();
  }
  large.clear();
  pool.trim();
  CHECK(pool.stats().mapped == 0);
}

// Pieces of one size, every other one free, and then as many blocks of another size as there is room for in
// the free pieces together: those get their pages.
void check_moved(std::size_t piece, std::size_t large, int count) {
  Pool pool;
  std::vector<BufferRef> pieces;
  for (int i = 0; i < 24; ++i) {
    pieces.push_back(pool.allocate(ByteCount(piece)));
    std::memset(pieces.back().data(), i, piece);
  }
  for (std::size_t i = 0; i < pieces.size(); i += 2) pieces[i] = BufferRef();
  std::vector<BufferRef> blocks;
  for (int i = 0; i < count; ++i) {
    blocks.push_back(pool.allocate(ByteCount(large)));
    std::memset(blocks.back().data(), 100 + i, large);
  }
  CHECK(pool.stats().mapped_peak <= pool.stats().peak / 100 * 120);
  for (std::size_t i = 1; i < pieces.size(); i += 2)
    CHECK(std::count(pieces[i].data(), pieces[i].data() + piece, std::byte(i)) ==
          static_cast<std::ptrdiff_t>(piece));
  for (std::size_t i = 0; i < blocks.size(); ++i)
    CHECK(std::count(blocks[i].data(), blocks[i].data() + large, std::byte(100 + i)) ==
          static_cast<std::ptrdiff_t>(large));
}

TEST_CASE("a large block gets the pages of free pieces that are too small for it") {
  if (!can_move_pages()) return;
  SECTION("page by page") { check_moved(std::size_t{1} << 20, std::size_t{3} << 20, 3); }
  SECTION("huge pages as a whole") { check_moved(std::size_t{7} << 20, std::size_t{12} << 20, 5); }
}

TEST_CASE("what moves is free: blocks in use keep their elements") {
  Pool pool;
  struct Held {
    BufferRef block;
    std::size_t bytes = 0;
    std::byte mark{};
  };
  std::vector<Held> held(20);
  std::uint64_t draw = 7;
  for (int i = 0; i < 2000; ++i) {
    draw = draw * 6364136223846793005 + 1442695040888963407;
    Held& one = held[(draw >> 40) % held.size()];
    const auto marked = std::count(one.block ? one.block.data() : nullptr,
                                   one.block ? one.block.data() + one.bytes : nullptr, one.mark);
    REQUIRE(marked == static_cast<std::ptrdiff_t>(one.bytes));
    one.block = BufferRef();
    const std::size_t least = std::size_t{30'000} << (draw >> 61);  // 30 KB to 4 MB, and up to twice that
    one.bytes = least + (draw >> 32) % least;
    one.mark = std::byte(i & 255);
    one.block = pool.allocate(ByteCount(one.bytes));
    std::memset(one.block.data(), i & 255, one.bytes);
  }
  CHECK(pool.stats().mapped_peak <= pool.stats().peak + pool.stats().peak / 2);
}

// First touches of pages by this thread; none where sanitizers touch pages of their own for ours.
std::int64_t first_touches() {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  return 0;
#else
  struct rusage used {};
  REQUIRE(getrusage(RUSAGE_THREAD, &used) == 0);
  return used.ru_minflt;
#endif
}

// Rounds that allocate, shrink and release the same blocks, of `least` bytes to 16 times as many.
void check_steady(std::size_t least) {
  Pool pool;
  constexpr int kRounds = 24, kBlocks = 60;
  std::int64_t before = 0;
  for (int round = 0; round < kRounds; ++round) {
    if (round == kRounds / 3) before = first_touches();
    std::vector<BufferRef> held(8);
    std::uint64_t draw = 11;
    for (int i = 0; i < kBlocks; ++i) {
      draw = draw * 6364136223846793005 + 1442695040888963407;
      BufferRef& place = held[(draw >> 40) % held.size()];
      const std::size_t bytes = least << (draw >> 62);
      place = pool.allocate(ByteCount(bytes + (draw >> 32) % bytes));
      const std::size_t written = bytes / 4 + (draw >> 20) % (bytes / 4 * 3);
      std::memset(place.data(), 1, written);
      pool.shrink(place, ByteCount(written));
    }
  }
  CHECK((first_touches() - before) / (kRounds - kRounds / 3) <= kBlocks / 4);
  CHECK(pool.stats().mapped_peak <= pool.stats().peak + pool.stats().peak / 2);
}

TEST_CASE("blocks of many sizes that come again and again soon touch no fresh pages") {
  if (!can_move_pages()) return;
  SECTION("some hundred kilobytes and more") { check_steady(std::size_t{300} << 10); }
  SECTION("some megabytes and more") { check_steady(std::size_t{3} << 20); }
}

TEST_CASE("a thread gets the memory first that it freed last") {
  Pool pool;
  BufferRef a = pool.allocate(ByteCount(100'000));
  BufferRef b = pool.allocate(ByteCount(90'000));
  const std::byte* first = a.data();
  const std::byte* second = b.data();
  b = BufferRef();
  a = BufferRef();
  CHECK(pool.stats().live == 0);
  a = pool.allocate(ByteCount(90'000));
  CHECK(a.data() == first);
  b = pool.allocate(ByteCount(60'000));  // too small for what is left
  CHECK(b.data() != second);
  CHECK(pool.stats().live >= 150'000);
  CHECK(pool.stats().live <= 170'000);
  b = BufferRef();
  std::thread([&] { a = BufferRef(); }).join();  // what it keeps, it gives back at its end
  CHECK(pool.stats().live == 0);
  pool.trim();
  CHECK(pool.stats().mapped == 0);
}

TEST_CASE("the k-th allocation fails on demand") {
  Pool pool;
  pool.fail_at(3);
  CHECK_NOTHROW(pool.allocate(ByteCount(10)));
  CHECK_NOTHROW(pool.allocate(ByteCount(10'000'000)));
  CHECK_THROWS_AS(pool.allocate(ByteCount(10)), Fault);
  CHECK_NOTHROW(pool.allocate(ByteCount(10)));
}

TEST_CASE("buffers may be released on another thread, and threads outlive pools") {
  auto pool = std::make_unique<Pool>();
  std::vector<BufferRef> made;
  std::thread maker([&] {
    for (int i = 0; i < 5000; ++i) made.push_back(pool->allocate(ByteCount(200)));
  });
  maker.join();
  made.clear();
  CHECK(pool->stats().live == 0);
  pool.reset();  // this thread's cache still names it
  Pool other;
  CHECK_NOTHROW(other.allocate(ByteCount(200)));
}

TEST_CASE("threads allocate and release at the same time") {
  Pool pool;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&pool, t] {
      for (std::size_t i = 0; i < 3000; ++i) {
        const std::size_t bytes = (i * 37 + static_cast<std::size_t>(t)) % 90'000;
        const BufferRef b = pool.allocate(ByteCount(bytes));
        std::memset(b.data(), t, bytes);
        const BufferRef c = b;
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK(pool.stats().live == 0);
  CHECK(pool.stats().allocations == 12'000);
}

TEST_CASE("a shrunk block gives back what nobody wrote") {
  Pool pool;
  const std::size_t large = std::size_t{64} << 20;
  BufferRef b = pool.allocate(ByteCount(large));
  std::memset(b.data(), 1, 1000);
  pool.shrink(b, ByteCount(1000));
  CHECK(pool.stats().live == 1024);
  CHECK(pool.stats().mapped < large / 8);
  const BufferRef rest = pool.allocate(ByteCount(large / 2));  // lies where the rest was
  std::memset(rest.data(), 2, large / 2);
  CHECK(b.data()[999] == std::byte{1});
  pool.shrink(b, ByteCount(2000));  // larger than it is: stays
  CHECK(pool.stats().live == 1024 + large / 2);
  b = {};
  CHECK(pool.stats().live == large / 2);
}

TEST_CASE("an empty vector takes no memory") {
  Pool pool;
  const Vector v = pool.vector(Storage::kI64, 0);
  CHECK(v.length() == 0);
  CHECK(pool.stats().allocations == 0);
}

}  // namespace
}  // namespace nvm::vm
