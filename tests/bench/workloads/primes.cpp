// W8: all primes below n.
#include <cmath>
#include <cstring>
#include <numeric>

#include "tests/bench/suite/ints.h"

namespace nvm::bench {

namespace {

using Numbers = std::vector<std::int32_t>;

struct Data {
  Numbers want, hand, library;
};

Numbers serial_sieve(std::int64_t n) {
  std::vector<char> prime(static_cast<std::size_t>(n), 1);
  Numbers found;
  for (std::int64_t i = 2; i < n; ++i) {
    if (prime[static_cast<std::size_t>(i)] == 0) continue;
    found.push_back(static_cast<std::int32_t>(i));
    for (std::int64_t k = i * i; k < n; k += i) prime[static_cast<std::size_t>(k)] = 0;
  }
  return found;
}

// Puts lists behind each other.
Numbers concatenated(const std::vector<Numbers>& lists, int threads) {
  std::vector<std::size_t> at(lists.size() + 1);
  for (std::size_t b = 0; b < lists.size(); ++b) at[b + 1] = at[b] + lists[b].size();
  Numbers all(at.back());
  blocks(threads, static_cast<std::int64_t>(lists.size()), 1, [&](std::int64_t b, std::int64_t) {
    const auto i = static_cast<std::size_t>(b);
    std::copy(lists[i].begin(), lists[i].end(), all.begin() + static_cast<std::ptrdiff_t>(at[i]));
  });
  return all;
}

// Odd numbers only, in blocks that stay in L2; flag i stands for 2 i + 1.
Numbers segmented_sieve(std::int64_t n, int threads) {
  constexpr std::int64_t kBlock = 1 << 18;
  const Numbers small = serial_sieve(static_cast<std::int64_t>(std::sqrt(static_cast<double>(n))) + 2);
  const std::int64_t flags = n / 2;
  std::vector<Numbers> found(static_cast<std::size_t>((flags + kBlock - 1) / kBlock));
  blocks(threads, flags, kBlock, [&](std::int64_t lo, std::int64_t hi) {
    std::vector<unsigned char> prime(static_cast<std::size_t>(hi - lo), 1);
    for (const std::int64_t p : small) {
      std::int64_t k = (p * p - 1) / 2;
      if (k >= hi) break;
      if (p == 2) continue;
      if (k < lo) k = lo + (p - (lo - k) % p) % p;
      for (; k < hi; k += p) prime[static_cast<std::size_t>(k - lo)] = 0;
    }
    Numbers& out = found[static_cast<std::size_t>(lo / kBlock)];
    out.resize(static_cast<std::size_t>(hi - lo) + 1);
    std::size_t count = 0;
    for (std::int64_t i = lo; i < hi; ++i) {
      out[count] = static_cast<std::int32_t>(2 * i + 1);
      count += prime[static_cast<std::size_t>(i - lo)];
    }
    out.resize(count);
  });
  Numbers all = concatenated(found, threads);
  if (!all.empty()) all[0] = 2;  // in the place of 1
  return all;
}

// The library's: the primes below the root by recursion, their multiples struck out block by block, then a
// pack.
Numbers blocked_sieve(std::int64_t n, int threads) {
  constexpr std::int64_t kBlock = 1 << 17;
  if (n <= 2) return {};
  const Numbers small = blocked_sieve(static_cast<std::int64_t>(std::sqrt(static_cast<double>(n))) + 1, 1);
  std::vector<Numbers> found(static_cast<std::size_t>((n + kBlock - 1) / kBlock));
  blocks(threads, n, kBlock, [&](std::int64_t lo, std::int64_t hi) {
    std::vector<char> prime(static_cast<std::size_t>(hi - lo), 1);
    for (const std::int64_t p : small)
      for (std::int64_t k = std::max(2 * p, (lo + p - 1) / p * p); k < hi; k += p)
        prime[static_cast<std::size_t>(k - lo)] = 0;
    Numbers& out = found[static_cast<std::size_t>(lo / kBlock)];
    for (std::int64_t i = std::max<std::int64_t>(lo, 2); i < hi; ++i)
      if (prime[static_cast<std::size_t>(i - lo)] != 0) out.push_back(static_cast<std::int32_t>(i));
  });
  return concatenated(found, threads);
}

}  // namespace

Instance primes(const Problem& p) {
  const auto d = std::make_shared<Data>();
  d->want = serial_sieve(p.n);
  const auto right = [d](const Numbers& got) {
    return [d, &got] { return same<std::int32_t>(got, d->want); };
  };
  Instance it;
  it.inputs = {{"n", "int", {lib::make_ints(std::vector<std::int64_t>{p.n})}}};
  it.expression = "primes(n)";
  it.check = [d](Values v) { return equal(v[1], std::span<const std::int32_t>(d->want)); };
  it.rivals.push_back({"hand", "sieve of odd numbers in blocks of L2",
                       [d, p] { d->hand = segmented_sieve(p.n, p.threads); }, right(d->hand)});
  it.rivals.push_back({"library", "blocked sieve of all numbers, primes below the root by recursion",
                       [d, p] { d->library = blocked_sieve(p.n, p.threads); }, right(d->library)});
  return it;
}

}  // namespace nvm::bench
