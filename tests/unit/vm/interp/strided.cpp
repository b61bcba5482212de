// One value put at the indices that INDEX makes, which are never written out, does what it does by indices.
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "fixture.h"
#include "tests/support/fast_paths.h"

using namespace nvm;
using namespace nvm::vm;

namespace {

std::string list(const std::vector<std::int64_t>& numbers) {
  std::string text = "CONST INT (";
  for (const std::int64_t x : numbers) text += std::to_string(x) + " ";
  return text + ") ";
}
std::string one(std::int64_t x) { return "CONST INT " + std::to_string(x) + " "; }
std::string descriptor(std::int64_t n) { return one(n) + "MAKE_SEGDES "; }

struct Runs {
  std::vector<std::int64_t> starts, strides, lengths;
};

std::int64_t total(const Runs& r) {
  std::int64_t n = 0;
  for (const std::int64_t length : r.lengths) n += length;
  return n;
}

// The value at the places of the runs, in defaults 0 .. places - 1.
std::string put(const std::string& word, const std::string& value, const Runs& r, std::int64_t places) {
  const std::string as = word == "INT" ? "" : word == "FLOAT" ? "I_TO_F " : "I_TO_B ";
  return value + descriptor(total(r)) + "DIST " + word + " " + list(r.starts) + list(r.strides) +
         list(r.lengths) + "MAKE_SEGDES INDEX " + one(0) + one(1) + descriptor(places) + "INDEX " + as +
         descriptor(total(r)) + descriptor(places) + "DPERMUTE " + word;
}

// On three threads vectors stay delayed by the ways of `paths`, among others.
void check_as_stack_machine(const std::string& body, testing::FastPaths paths, bool fails = false) {
  for (const IntBits bits : {IntBits::k64, IntBits::k32})
    for (const int threads : {1, 3}) {
      Fixture f(main_of(body), bits);
      REQUIRE(f.loaded.verdict == Verdict::kOk);
      f.machine.prims.threads = threads;
      f.machine.prims.grain = 64;
      const Outcome outcome = f.interpret();
      CHECK(outcome.error.has_value() == fails);
      if (threads > 1) testing::check_taken(f.fast_paths, paths);
      CHECK(printed(outcome) == printed(f.on_stack()));
    }
}

constexpr testing::FastPaths kPut = {FastPath::kLeaveRepeated, FastPath::kLeaveStrided,
                                     FastPath::kPutStrided};
constexpr testing::FastPaths kNone = {};
constexpr testing::FastPaths kWritten = {FastPath::kLeaveStrided, FastPath::kWriteStrided};
const Runs kRuns{{5, 90'000, 3, 3, 0}, {7, -3, 1, 0, 2}, {10'000, 20'000, 4'000, 900, 0}};

}  // namespace

TEST_CASE("one value is put along runs", "[strided]") {
  check_as_stack_machine(put("BOOL", "CONST BOOL F ", kRuns, 100'000), kPut);
  check_as_stack_machine(put("FLOAT", "CONST FLOAT -0.5 ", kRuns, 100'000), kPut);
  check_as_stack_machine(put("INT", one(-7), kRuns, 100'000), kPut);
  check_as_stack_machine(put("INT", one(std::int64_t{1} << 30), kRuns, 100'000), kPut);
  check_as_stack_machine(put("INT", "CONST INT 4611686018427387904 ", kRuns, 100'000), kPut);
}

TEST_CASE("a place outside is told as it is", "[strided]") {
  check_as_stack_machine(put("BOOL", "CONST BOOL F ", kRuns, 90'000), kWritten, true);
  Runs low = kRuns;
  low.starts[1] = 50'000;
  check_as_stack_machine(put("BOOL", "CONST BOOL F ", low, 100'000), kWritten, true);
  Runs far = kRuns;
  far.strides[0] = std::int64_t{1} << 30;
  check_as_stack_machine(put("BOOL", "CONST BOOL F ", far, 100'000), kWritten, true);
}

TEST_CASE("random runs", "[strided]") {
  std::mt19937_64 random(20261122);
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  for (int i = 0; i < 20; ++i) {
    const std::int64_t places = 1'000 + below(300'000);
    Runs r;
    for (std::int64_t k = 1 + below(40); k > 0; --k) {
      const std::int64_t length = below(4) == 0 ? below(3) : below(5'000);
      const std::int64_t most = length > 1 ? (places - 1) / (length - 1) : 10;
      const std::int64_t stride = below(most + 1);
      const std::int64_t span = stride * std::max<std::int64_t>(length - 1, 0);
      const std::int64_t first = below(std::max<std::int64_t>(places - span, 1));
      const bool down = below(2) == 0;
      r.starts.push_back(down ? first + span : first);
      r.strides.push_back(down ? -stride : stride);
      r.lengths.push_back(length);
    }
    INFO("case " << i);
    const bool enough =
        total(r) >= std::max<std::int64_t>(1 << 14, 64 * static_cast<std::int64_t>(r.lengths.size()));
    check_as_stack_machine(put("BOOL", "CONST BOOL F ", r, places), enough ? kPut : kNone);
    check_as_stack_machine(put("INT", one(77), r, places), enough ? kPut : kNone);
  }
}

TEST_CASE("indices and values that somebody else reads are there", "[strided]") {
  check_as_stack_machine(put("BOOL", "CONST BOOL F ", kRuns, 100'000) + " " + list(kRuns.starts) +
                             list(kRuns.strides) + list(kRuns.lengths) + "MAKE_SEGDES INDEX",
                         kNone);
}
