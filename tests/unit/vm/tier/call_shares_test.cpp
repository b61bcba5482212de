// Which calls are recorded, by what came of those before.
#include "vm/tier/call_shares.h"

#include <catch2/catch.hpp>
#include <utility>

using namespace nvm;
using namespace nvm::vm;

namespace {

constexpr std::int64_t kElements = 10'000, kMuch = 10'000'000;
constexpr ssa::FunctionId kF = 3, kG = 4;

// Makes one call, which may be recorded, and does this meanwhile if it is. Was it recorded?
template <typename F>
bool call(CallShares& shares, F recorded, std::int64_t elements = kElements, ssa::FunctionId f = kF) {
  const CallWay way = shares.begins(f, elements, 1);
  if (way == CallWay::kUnrecorded) return false;
  recorded();
  if (way == CallWay::kWatched) CHECK(shares.ends(1) == -1);
  return true;
}
// How many calls are not recorded before one is.
template <typename F>
int passed(CallShares& shares, F recorded) {
  int n = 0;
  while (!call(shares, recorded)) ++n;
  return n;
}

}  // namespace

TEST_CASE("calls that kernels do much of are always recorded") {
  CallShares shares;
  for (int i = 0; i < 1000; ++i) {
    const bool recorded = call(shares, [&] {
      shares.note_primitives(kMuch);
      shares.note_kernels(kMuch / 10);
    });
    REQUIRE(recorded);
  }
}

TEST_CASE(
    "where the primitives keep nearly all, ever fewer calls are recorded, and kernels bring them back") {
  CallShares shares;
  const auto lost = [&] { shares.note_primitives(kMuch); };
  CHECK(call(shares, lost));
  const int first = passed(shares, lost), second = passed(shares, lost);
  CHECK(first > 0);
  CHECK(second == 2 * first);
  const auto won = [&] { shares.note_kernels(kMuch); };
  static_cast<void>(passed(shares, won));
  CHECK(passed(shares, won) == 0);
}

TEST_CASE("that is known of a function at a size") {
  CallShares shares;
  const auto lost = [&] { shares.note_primitives(kMuch); };
  CHECK(call(shares, lost));
  CHECK(!call(shares, lost));
  CHECK(!call(shares, lost, kElements + 100));
  CHECK(call(shares, lost, 4 * kElements));
  CHECK(call(shares, lost, kElements, kG));
}

TEST_CASE("many small regions of which nothing is known are seen now and then, large ones always") {
  CallShares shares;
  const auto small = [&] {
    for (int i = 0; i < 100; ++i) shares.note_open(10'000);
  };
  CHECK(call(shares, small));
  const int first = passed(shares, small);
  CHECK(first > 0);
  CHECK(passed(shares, small) == first);
  CallShares others;
  const auto large = [&] { others.note_open(kMuch); };
  for (int i = 0; i < 100; ++i) REQUIRE(call(others, large));
}

TEST_CASE("little work says nothing") {
  CallShares shares;
  for (int i = 0; i < 10; ++i) REQUIRE(call(shares, [&] { shares.note_primitives(1000); }));
}

TEST_CASE("what a call within does counts for both, and calls that do not return are ended from outside") {
  CallShares shares;
  CHECK(shares.begins(kF, kElements, 1) == CallWay::kWatched);
  CHECK(shares.begins(kG, kElements, 5) == CallWay::kWatched);
  shares.note_primitives(kMuch);
  CHECK(shares.ends(5) == 1);
  CHECK(shares.begins(kG, kElements, 5) == CallWay::kUnrecorded);
  CHECK(shares.begins(kG, 4 * kElements, 6) == CallWay::kWatched);
  CHECK(shares.begins(kG, 4 * kElements, 7) == CallWay::kWatched);
  CHECK(shares.ends(1) == -1);
  CHECK(shares.begins(kF, kElements, 1) == CallWay::kUnrecorded);
}

TEST_CASE("of very many open calls the outermost are watched") {
  CallShares shares;
  int watched = 0;
  for (std::int64_t depth = 1; depth <= 10'000; ++depth)
    watched += shares.begins(kF, kElements, depth) == CallWay::kWatched ? 1 : 0;
  CHECK(watched > 10);
  CHECK(watched < 1000);
}
