#include "vm/interp/random.h"

#include <catch2/catch.hpp>
#include <optional>
#include <set>
#include <vector>

using namespace nvm::vm;

namespace {

std::vector<std::int64_t> draws(RandomKind kind, std::int64_t n, std::optional<std::int64_t> seed = {}) {
  const auto source = make_random(kind);
  if (seed) source->seed(*seed);
  std::vector<std::int64_t> out(static_cast<std::size_t>(n));
  source->draw(out.data(), n);
  return out;
}
using Numbers = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("the libc generator gives the designed sequence", "[random]") {
  CHECK(draws(RandomKind::kLibc, 5) == Numbers{1804289383, 846930886, 1681692777, 1714636915, 1957747793});
  CHECK(draws(RandomKind::kLibc, 5, 1) == draws(RandomKind::kLibc, 5));
  CHECK(draws(RandomKind::kLibc, 5, 0) == draws(RandomKind::kLibc, 5));
  CHECK(draws(RandomKind::kLibc, 4, 100) == Numbers{677741240, 611911301, 516687479, 1039653884});
  CHECK(draws(RandomKind::kLibc, 4, 12345) == Numbers{383100999, 858300821, 357768173, 455528251});
  CHECK(draws(RandomKind::kLibc, 4, -5) == Numbers{1469203335, 1952330421, 2063378439, 796694348});
}

TEST_CASE("the 48-bit generator gives the reference build's sequence, whatever the seed", "[random]") {
  const Numbers first{0,         2116118,   89401895,   379337186,  782977366,
                      196130996, 198207689, 1046291021, 1131187612, 975888346};
  CHECK(draws(RandomKind::kLcg48, 10) == first);
  CHECK(draws(RandomKind::kLcg48, 10, 7) == first);
}

TEST_CASE("a counter-based draw does not depend on how draws are grouped", "[random]") {
  const Numbers all = draws(RandomKind::kPhilox, 100, 42);
  const auto source = make_random(RandomKind::kPhilox);
  source->seed(42);
  Numbers parts(100);
  for (std::int64_t at = 0, n = 1; at < 100; at += n, n = n % 7 + 1)
    source->draw(parts.data() + at, std::min<std::int64_t>(n, 100 - at));
  CHECK(parts == all);
  CHECK(std::set(all.begin(), all.end()).size() == 100);
  CHECK(draws(RandomKind::kPhilox, 100, 43) != all);
  for (const std::int64_t d : all) CHECK((d >= 0 && d < std::int64_t{1} << 31));
}
