// Numbers counted up and numbers repeated that are never written do what they do written: PERMUTE, masks and
// shifts of elements whose bits are known, calls, and operands that are too long in legacy programs.
#include <catch2/catch.hpp>
#include <string>

#include "delayed_programs.h"
#include "fixture.h"
#include "tests/support/fast_paths.h"

using namespace nvm;
using namespace nvm::vm;
using namespace nvm::testing;

namespace {

// `paths`: taken by three threads, except by those that only take the first elements of operands that are too
// long.
void check(const std::string& text, FastPaths paths = {}, bool fails = false) {
  for (const IntBits bits : {IntBits::k64, IntBits::k32})
    for (const int threads : {1, 3})
      for (const bool legacy : {false, true}) {
        Fixture f(text, bits);
        REQUIRE(f.loaded.verdict == Verdict::kOk);
        f.machine.prims.threads = threads;
        f.machine.prims.grain = 64;
        f.machine.prims.prefix_lengths = legacy;
        const Outcome outcome = f.interpret();
        CHECK(outcome.error.has_value() == fails);
        INFO(text << " threads " << threads);
        if (threads > 1) check_taken(f.fast_paths, paths);
        const std::string expected = printed(f.on_stack());  // which says more of an error
        CHECK(printed(outcome) == (fails ? expected.substr(0, printed(outcome).size()) : expected));
      }
}

}  // namespace

TEST_CASE("numbers counted up are permuted without being written", "[delayed]") {
  check(main_of(counted(0) + places() + permute()), {FastPath::kLeaveRuns, FastPath::kPermuteCounted});
  check(main_of(counted(-5) + places() + permute()));
  check(main_of(counted(0) + places() + permute() + "COPY 1 0 " + counted(0) + "CPOP 1 1 " + permute()));
  check(main_of(counted(3) + counted(0) + permute()));  // in order
  check(main_of(places() + counted(0) + permute()));    // the same of others
  check(main_of(counted(0) + places() + all(2) + "/ INT " + permute()),
        {FastPath::kWriteRuns});                                     // named twice
  check(main_of(counted(2147483647 - 100) + places() + permute()));  // beyond 32 bits, or around
  check(main_of(counted(-2147483648) + places() + permute()));
  check(main_of(counted(7) + places() + all(1) + "+ INT " + permute()), {}, true);  // a place outside
  check(main_of(places() + counted(1) + permute()), {}, true);
}

constexpr FastPaths kNone = {};
constexpr FastPaths kTransposed = {FastPath::kLeaveStrided, FastPath::kTranspose};

TEST_CASE("columns become rows by indices that are not written", "[delayed]") {
  const auto columns = [](std::int64_t rows, std::int64_t from, std::int64_t by, std::int64_t length) {
    return counted(from, rows) + all(by, rows) + all(length, rows) + "MAKE_SEGDES INDEX ";
  };
  const auto exchanged = [&](std::int64_t rows, const std::string& as, const std::string& word) {
    return main_of(counted(5) + as + columns(rows, 0, rows, kMany / rows) + descriptor(kMany) + "PERMUTE " +
                   word);
  };
  for (const std::int64_t rows : {2, 100, 125, 20'000, 40'000}) {
    check(exchanged(rows, "", "INT"));
    check(exchanged(rows, "I_TO_F ", "FLOAT"),
          rows > 2 && rows < kMany ? kTransposed : kNone);  // else constants, or in order
    check(exchanged(rows, all(3) + "% I_TO_B ", "BOOL"));
  }
  check(main_of(columns(200, 0, 200, 200) + columns(200, 0, 200, 200) + permute()));
  check(main_of(counted(0) + columns(200, 1, 200, 200) + permute()), {}, true);
  check(main_of(counted(0) + columns(200, 0, 199, 200) + permute()));
  check(main_of(counted(0, 20'000) + columns(200, 0, 200, 200) + permute()), {}, true);
}

TEST_CASE("places that count up in each of several segments", "[delayed]") {
  const std::string two = "CONST INT (15000 25000) MAKE_SEGDES ";
  const auto runs = [&](std::int64_t second) {
    return "CONST INT (0 " + std::to_string(second) + ") CONST INT (1 1) " + two + "INDEX ";
  };
  check(main_of(counted(3, kMany, 2) + runs(0) + two + "PERMUTE INT"));
  check(main_of(counted(3) + runs(0) + two + "PERMUTE INT"));
  check(main_of(all(0) + runs(0) + two + "PERMUTE INT"));
  check(main_of(counted(3, kMany, 2) + runs(1) + two + "PERMUTE INT"), {}, true);
  check(main_of(runs(0) + runs(0) + two + "PERMUTE INT"));
  check(main_of(counted(3, 1000, 2) + counted(0, 1000) + descriptor(1000) + "PERMUTE INT"));
  check(main_of(counted(3, 1000, 2) + counted(1, 1000) + descriptor(1000) + "PERMUTE INT"), {}, true);
}

TEST_CASE("numbers counted up go through calls delayed", "[delayed]") {
  check(permuted_twice(counted(0)));
  check(permuted_twice(counted(9)));
  check(permuted_twice(all(0)));
  check(permuted_twice(places(), counted(0)), {FastPath::kLeaveRuns});
}

TEST_CASE("masks and shifts of elements whose bits are known", "[delayed]") {
  const std::string or_of = "COPY 1 0 " + descriptor(kMany) + "OR_REDUCE INT ";
  check(main_of(masked("AND INT", 255, or_of)), {FastPath::kMaskKnown});
  check(main_of(masked("AND INT", 256, or_of)));
  check(main_of(masked("AND INT", 15, or_of)));
  check(main_of(masked("AND INT", -1, or_of)));
  check(main_of(masked("RSHIFT", 0, or_of)));
  check(main_of(masked("RSHIFT", 3, or_of)));
  check(main_of(masked("RSHIFT", 8, or_of)));
  check(main_of(masked("RSHIFT", 32, or_of)));
  check(main_of(masked("RSHIFT", 40, or_of)));
  check(main_of(masked("RSHIFT", -1, or_of)));
  const std::string moved = places() + permute();
  check(main_of(masked("RSHIFT", 8, moved + or_of)), {FastPath::kMaskKnown});
  check(main_of(masked("RSHIFT", 8, moved + descriptor(kMany) + "OR_REDUCE INT")),
        {FastPath::kMaskKnown, FastPath::kPermuteRepeated, FastPath::kComputeRepeated});
  check(main_of(masked("RSHIFT", 8, moved)));
  check(main_of(masked("RSHIFT", 8, places() + all(1) + "+ INT " + permute())), {}, true);
  // The memory is written anew before it is masked again.
  check(main_of(masked("AND INT", 255, "CPOP 1 2 " + all(256) + "+ INT " + all(256) + "AND INT " + or_of)));
}

TEST_CASE("operands of legacy programs may be too long where vectors stay delayed", "[delayed]") {
  for (const int threads : {1, 3}) {
    for (const std::string& flags :
         {counted(0, 1000) + all(500, 2000) + "< INT ", all(500, 1000) + counted(0, 2000) + "< INT ",
          all(500, 1000) + all(600, 2000) + "< INT ", counted(0, 1000) + counted(500, 2000, -1) + "< INT "}) {
      Fixture f(main_of(counted(0, 1000) + flags + descriptor(1000) + "PACK INT"), IntBits::k32);
      REQUIRE(f.loaded.verdict == Verdict::kOk);
      f.machine.prims.threads = threads;
      f.machine.prims.prefix_lengths = true;
      CHECK(printed(f.interpret()) == printed(f.on_stack()));
    }
  }
}
