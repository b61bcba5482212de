// How much memory a run takes from the system, set against what its live vectors need.
#include <catch2/catch.hpp>

#include <sstream>
#include <string>

#include "tests/support/gallery.h"
#include "vm/lib/nesl.hpp"

using namespace nvm::lib;

namespace {

// Two million numbers sorted: vectors of every size are born and die.
const std::string kQuicksort = nvm::test::first_definition("quicksort") +
                               "sum(take(quicksort({rem(i * 7919, 2000003) : i in [0:2000000]}), 10)) $";

// Lengths that halve and grow again by a third.
constexpr const char* kWaves = R"(
function wave(v, i) =
if i == 0 then sum(v)
else
  let half = {x + 1 : x in v; k in [0:#v] | rem(k, 2) == 0};
      long = if #half < 1000000 then half ++ half ++ half ++ v else half
  in wave(long, i - 1) $
wave([0:5000000], 60) $
)";

}  // namespace

// Keys whose middle one parts them badly, level after level.
const std::string kBadPivots =
    nvm::test::first_definition("quicksort") +
    "let n = 500000; v = {(if b < 64 then 2 * b + 1 else 2 * b - 128) * 10000 + rem(i * 7919, 10000)"
    " : i in [0:n]; b in {i * 128 / n : i in [0:n]}}"
    " in sum(take(quicksort(v), 10)) $";

// What the lists of small blocks may hold back, for each of two threads.
constexpr std::uint64_t kSmallBlocks = 8 << 20;

TEST_CASE("a run takes at most half as much again as its live vectors need", "[lib]") {
  for (const std::string& text : {kQuicksort, std::string(kWaves)})
    for (const Jit jit : {Jit::kOff, Jit::kHot}) {
      NeslOptions options;
      options.vm.jit = jit;
      options.vm.threads = 2;
      std::ostringstream out, err;
      Nesl nesl(options, out, err);
      REQUIRE(nesl.run_text(text, "t.nesl") == NeslStatus::kOk);
      const Counters& c = nesl.counters();
      INFO(out.str() << "jit " << static_cast<int>(jit));
      CHECK(c.peak_bytes > 3 * kSmallBlocks);
      CHECK(c.mapped_bytes <= c.peak_bytes + c.peak_bytes / 2 + kSmallBlocks);
    }
}

TEST_CASE("a recursion in groups takes no more memory than in kernel mode, whoever counts", "[lib]") {
  const auto peak_of = [](void (*choose)(Options&)) {
    NeslOptions options;
    options.vm.threads = 2;
    choose(options.vm);
    std::ostringstream out, err;
    Nesl nesl(options, out, err);
    REQUIRE(nesl.run_text(kBadPivots, "t.nesl") == NeslStatus::kOk);
    return nesl.counters().peak_bytes;
  };
  const std::uint64_t kernel_mode = peak_of([](Options& o) { o.block_threshold = 0; });
  const std::uint64_t groups = peak_of([](Options&) {});
  CHECK(groups + kSmallBlocks < kernel_mode);
  CHECK(peak_of([](Options& o) { o.count = true; }) < groups + kSmallBlocks);
  CHECK(peak_of([](Options& o) { o.cost = true; }) < groups + kSmallBlocks);
}
