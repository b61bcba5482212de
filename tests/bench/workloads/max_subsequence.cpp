// W9: largest sum of consecutive elements. One pass over the input for who combines four sums of each part.
#include <execution>
#include <numeric>

#include "tests/bench/suite/ints.h"

namespace nvm::bench {

namespace {

// Of a part: the best sum inside, of a prefix, of a suffix, and of all.
struct Best {
  std::int64_t inside, prefix, suffix, total;
};
constexpr std::int64_t kNone = std::int64_t{-1} << 60;
constexpr Best kEmpty{kNone, kNone, kNone, 0};

Best joined(const Best& a, const Best& b) {
  return {std::max(std::max(a.inside, b.inside), a.suffix + b.prefix), std::max(a.prefix, a.total + b.prefix),
          std::max(b.suffix, a.suffix + b.total), a.total + b.total};
}

// Eight chains side by side, each over an eighth of the part: vectors of lanes that do not depend on each
// other.
Best best_of_part(const std::int32_t* v, std::int64_t n) {
  constexpr std::int64_t kChains = 8;
  const std::int64_t length = n / kChains;
  std::int64_t best[kChains], prefix[kChains], total[kChains] = {}, least[kChains] = {};
  std::fill_n(best, kChains, kNone);
  std::fill_n(prefix, kChains, kNone);
  for (std::int64_t i = 0; i < length; ++i)
#pragma omp simd
    for (std::int64_t c = 0; c < kChains; ++c) {
      least[c] = std::min(least[c], total[c]);
      total[c] += v[c * length + i];
      prefix[c] = std::max(prefix[c], total[c]);
      best[c] = std::max(best[c], total[c] - least[c]);
    }
  Best all = kEmpty;
  for (std::int64_t c = 0; c < kChains && length > 0; ++c)
    all = joined(all, {best[c], prefix[c], total[c] - least[c], total[c]});
  for (std::int64_t i = kChains * length; i < n; ++i) all = joined(all, {v[i], v[i], v[i], v[i]});
  return all;
}

// std::reduce may change the order of its operands, so the monoid of four sums is none for it; scans keep the
// order.
template <typename D>
std::int64_t best_by_scans(const D& d) {
  constexpr auto kPolicy = std::execution::par_unseq;
  const auto plus = [](std::int64_t a, std::int64_t b) { return a + b; };
  const auto least = [](std::int64_t a, std::int64_t b) { return std::min(a, b); };
  std::inclusive_scan(kPolicy, d.v.begin(), d.v.end(), d.sums.begin(), plus, std::int64_t{0});
  std::exclusive_scan(kPolicy, d.sums.begin(), d.sums.end(), d.least.begin(), std::int64_t{0}, least);
  return std::transform_reduce(
      kPolicy, d.sums.begin(), d.sums.end(), d.least.begin(), kNone,
      [](std::int64_t a, std::int64_t b) { return std::max(a, b); }, std::minus<>());
}

struct Data {
  Array<std::int32_t> v;
  Array<std::int64_t> sums, least;  // of the standard library's way
  std::int64_t want = 0, hand = 0, library = 0, standard = 0;
};

}  // namespace

Instance max_subsequence(const Problem& p) {
  const auto d =
      std::make_shared<Data>(Data{ints(p, 1, -100, 100), Array<std::int64_t>(p.n), Array<std::int64_t>(p.n)});
  std::int64_t ending = kNone;
  d->want = kNone;
  for (const std::int64_t x : d->v) {
    ending = std::max(ending, std::int64_t{0}) + x;
    d->want = std::max(d->want, ending);
  }
  Instance it;
  it.inputs = {sequence("v", d->v)};
  it.expression = "max_subsequence(v)";
  it.check = [d](Values v) { return equal(first_int(v[0]), d->want); };
  const auto hand = [d, p] {
    std::vector<Best> best(static_cast<std::size_t>(p.threads));
    parts(p.threads, p.n, [&](auto lo, auto hi, int t) {
      best[static_cast<std::size_t>(t)] = best_of_part(d->v.data() + lo, hi - lo);
    });
    d->hand = std::accumulate(best.begin(), best.end(), kEmpty, joined).inside;
  };
  it.rivals.push_back(
      {"hand", "four sums in eight chains for each thread", hand, [d] { return equal(d->hand, d->want); }});
  const auto library = [d, p] {
    constexpr std::int64_t kBlock = 1 << 12;
    std::vector<Best> best(static_cast<std::size_t>((p.n + kBlock - 1) / kBlock));
    blocks(p.threads, p.n, kBlock, [&](std::int64_t lo, std::int64_t hi) {
      Best b = kEmpty;
      for (std::int64_t i = lo; i < hi; ++i) b = joined(b, {d->v[i], d->v[i], d->v[i], d->v[i]});
      best[static_cast<std::size_t>(lo / kBlock)] = b;
    });
    d->library = std::accumulate(best.begin(), best.end(), kEmpty, joined).inside;
  };
  it.rivals.push_back({"library", "one reduce with a monoid of four sums, in blocks", library,
                       [d] { return equal(d->library, d->want); }});
  it.rivals.push_back({"std", "std::inclusive_scan, exclusive_scan and transform_reduce(par_unseq)",
                       [d, p] { in_arena(p.threads, [&] { d->standard = best_by_scans(*d); }); },
                       [d] { return equal(d->standard, d->want); }});
  return it;
}

}  // namespace nvm::bench
