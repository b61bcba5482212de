// Elements dealt out to buckets by their keys, stably, by all threads: in parts, for each of which it is
// known where its elements of every bucket go.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "vm/prims/parallel.h"
#include "vm/prims/prims.h"

namespace nvm::vm {

// Where part c of n elements begins.
[[nodiscard]] inline std::int64_t part_bound(std::int64_t n, std::int64_t parts, std::int64_t c) {
  return n / parts * c + std::min(c, n % parts);
}

class Buckets {
 public:
  // Parts are no smaller than `chunk`.
  Buckets(const PrimContext& context, std::int64_t chunk, std::size_t buckets)
      : context_(context), chunk_(chunk), buckets_(buckets) {}

  // Counts bucket(i) of n elements; gives the number of parts, and in `places` where the first of each bucket
  // goes, part by part.
  template <typename Bucket>
  std::int64_t count(std::int64_t n, const Bucket& bucket, std::vector<std::int64_t>& places) const {
    const std::int64_t parts =
        std::max<std::int64_t>(1, std::min<std::int64_t>(4 * context_.threads, n / chunk_));
    places.assign(static_cast<std::size_t>(parts) * buckets_, 0);
    for_chunks(context_, parts, [&](std::int64_t c) {
      std::int64_t* count = places.data() + static_cast<std::size_t>(c) * buckets_;
      const Bucket here = bucket;  // of this thread, so that the loop need not look again what it refers to
      const std::int64_t end = part_bound(n, parts, c + 1);
      for (std::int64_t i = part_bound(n, parts, c); i < end; ++i) ++count[here(i)];
    });
    std::int64_t at = 0;
    for (std::size_t b = 0; b < buckets_; ++b) {
      for (std::size_t c = 0; c < static_cast<std::size_t>(parts); ++c) {
        const std::int64_t count = places[c * buckets_ + b];
        places[c * buckets_ + b] = at;
        at += count;
      }
    }
    return parts;
  }

  // Writes make(key(i), i) for each of n elements, those of equal bucket(key(i)) side by side; gives where
  // each bucket begins, and n.
  template <typename Word, typename Key, typename Bucket, typename Make>
  std::vector<std::int64_t> deal(std::int64_t n, Word* to, const Key& key, const Bucket& bucket,
                                 const Make& make) const {
    std::vector<std::int64_t> places;
    const std::int64_t parts = count(
        n, [key, bucket](std::int64_t i) { return bucket(key(i)); }, places);
    std::vector<std::int64_t> starts(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(buckets_));
    starts.push_back(n);
    for_chunks(context_, parts, [&](std::int64_t c) {
      std::int64_t* place = places.data() + static_cast<std::size_t>(c) * buckets_;
      const Key key_of = key;
      const Bucket bucket_of = bucket;
      const Make made = make;
      const std::int64_t end = part_bound(n, parts, c + 1);
      for (std::int64_t i = part_bound(n, parts, c); i < end; ++i) {
        const auto k = key_of(i);
        to[place[bucket_of(k)]++] = made(k, i);
      }
    });
    return starts;
  }

 private:
  const PrimContext& context_;
  std::int64_t chunk_;
  std::size_t buckets_;
};

}  // namespace nvm::vm
