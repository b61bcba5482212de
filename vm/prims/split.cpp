#include "vm/prims/split.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "vm/prims/parallel.h"

namespace nvm::vm {

namespace {

constexpr std::int64_t kChunk = 1 << 16;
constexpr std::int64_t kFewest = 64;  // elements from which it is looked for
constexpr std::int64_t kTried = 256;  // indices that are looked at first

// Where the places of the second kind would begin; -1 if the first indices speak against it.
std::int64_t find_bound(const Indices& idx, std::int64_t n) {
  std::int64_t i = 0;
  while (i < n && idx[i] == i) ++i;
  if (i == n || idx[i] < i || idx[i] >= n) return -1;
  const std::int64_t bound = idx[i];
  std::int64_t low = i;
  std::int64_t high = bound;
  for (const std::int64_t end = std::min(n, i + kTried); i < end; ++i)
    if (idx[i] != (idx[i] < bound ? low++ : high++)) return -1;
  return bound;
}

}  // namespace

bool move_by_split(const PrimContext& context, const Indices& idx, const Elements& v, const Fresh& out) {
  const std::int64_t n = v.length();
  if (n < kFewest) return false;
  const std::int64_t bound = find_bound(idx, n);
  if (bound < 0) return false;
  const kernels::Table& t = kernel_table(context.isa);
  const std::int64_t chunks = chunk_count(context, n, kChunk);
  const std::int64_t step = (n + chunks - 1) / chunks;
  const auto begin_of = [&](std::int64_t c) { return std::min(c * step, n); };
  std::vector<std::int64_t> lows(static_cast<std::size_t>(chunks) + 1);  // before each chunk
  for_chunks(context, chunks, [&](std::int64_t c) {
    lows[static_cast<std::size_t>(c) + 1] =
        t.below[idx.kind()](idx.at(begin_of(c)), begin_of(c + 1) - begin_of(c), bound);
  });
  for (std::size_t c = 1; c < lows.size(); ++c) lows[c] += lows[c - 1];
  if (lows.back() != bound) return false;  // so that no place is outside, whatever the indices are
  const auto split = t.split[width_index(v.storage())][idx.kind()];
  std::atomic<bool> all{true};
  for_chunks(context, chunks, [&](std::int64_t c) {
    const std::int64_t begin = begin_of(c);
    const std::int64_t count = begin_of(c + 1) - begin;
    const std::int64_t low = lows[static_cast<std::size_t>(c)];
    if (split(v.at(begin), idx.at(begin), count, bound, low, bound + begin - low, out.data()) != count)
      all = false;
  });
  if (all) took(context, FastPath::kMoveSplit);
  return all;
}

}  // namespace nvm::vm
