// Divisors and dividends at which division by multiplication would go wrong first.
#pragma once

#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "bytecode/table/types.h"

namespace nvm::testing {

inline std::set<std::int64_t> boundary_divisors(int bits) {
  std::set<std::int64_t> found{3, 5, 6, 7, 10, 11, 77, 641, 1000, 10007, 65521, 7919, 1'000'000'007};
  for (int k = 0; k < bits - 1; ++k)
    for (const std::int64_t near : {-1, 0, 1}) found.insert((std::int64_t{1} << k) + near);
  const std::int64_t most = bits == 64 ? INT64_MAX : INT32_MAX;
  for (const std::int64_t down : {0, 1, 2, 24, 57}) found.insert(most - down);
  if (bits == 64) found.insert({6'700'417, 4'294'967'291, 67'280'421'310'721, 9'223'372'036'854'775'783});
  for (const std::int64_t d : std::set(found)) found.insert(-d);
  found.insert(-most - 1);
  return found;
}

inline bool fits(std::int64_t x, Storage s) {
  return s == Storage::kI64 ||
         (s == Storage::kI32 ? x == static_cast<std::int32_t>(x) : x == static_cast<std::int8_t>(x));
}

// What lies around multiples of d and at the limits, that `storage` can hold; never what faults.
inline std::vector<std::int64_t> dividends(std::int64_t d, Storage storage, IntBits bits) {
  std::mt19937_64 random(static_cast<std::uint64_t>(d));
  std::vector<std::int64_t> found{0, 1, -1, 2, -2};
  const auto u = static_cast<std::uint64_t>(d);
  for (const std::uint64_t times :
       {1ULL, 2ULL, 3ULL, 1000ULL, 1ULL << 20, 1ULL << 31, 1ULL << 47, 1ULL << 50})
    for (const std::uint64_t near : {~0ULL, 0ULL, 1ULL})
      for (const std::uint64_t sign : {1ULL, ~0ULL})
        found.push_back(static_cast<std::int64_t>(sign * times * u + near));
  for (const int k : {31, 32, 49, 50, 51, 52, 53, 62, 63})
    for (const std::uint64_t near : {~1ULL, ~0ULL, 0ULL, 1ULL, 2ULL}) {
      found.push_back(static_cast<std::int64_t>((1ULL << k) + near));
      found.push_back(static_cast<std::int64_t>(-((1ULL << k) + near)));
    }
  for (const std::int64_t limit : {INT64_MAX, INT64_MIN}) {
    found.push_back(limit);
    if (d != 0 && d != -1) {  // the multiple at the end
      found.push_back(limit - limit % d);
      found.push_back(limit - limit % d - (limit < 0 ? -1 : 1));
    }
  }
  for (int i = 0; i < 40; ++i)
    found.push_back(static_cast<std::int64_t>(random() >> (random() % 64)) * (i % 2 == 0 ? 1 : -1));
  const std::int64_t least = bits == IntBits::k64 ? INT64_MIN : INT32_MIN;
  std::vector<std::int64_t> out;
  for (std::int64_t x : found) {
    if (storage == Storage::kI8) x = static_cast<std::int8_t>(x);
    if (storage == Storage::kI32) x = static_cast<std::int32_t>(x);
    if (fits(x, storage) && !(d == -1 && x == least)) out.push_back(x);
  }
  return out;
}

}  // namespace nvm::testing
