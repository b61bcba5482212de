// Segment lengths of the shapes that break segmented algorithms, each size with its reason.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace nvm::testing {

using Rng = std::mt19937_64;

inline std::int64_t below(Rng& rng, std::int64_t n) {
  return static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(n));
}

// Lengths at which an algorithm changes: vector widths, the sequential limit of reduce_tree.h (32), its block
// (2048) and two blocks, blocks of the kernels (64, 256, 1024), and their neighbours.
inline constexpr std::int64_t kThresholds[] = {0,    1,    2,    3,    7,    8,    9,    15,   16,  17,
                                               31,   32,   33,   63,   64,   65,   255,  256,  257, 1023,
                                               1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 6145};
inline std::int64_t threshold(Rng& rng) { return kThresholds[below(rng, std::size(kThresholds))]; }

enum class SegShape {
  kNone,       // no segments: every array is empty
  kOne,        // one segment: what unsegmented code is compiled to
  kAllEmpty,   // results without elements
  kAllOne,     // segments as many as elements
  kEqual,      // regular descriptors, two numbers
  kGiant,      // one giant among many empty: balance by elements alone or by segments alone fails
  kPowerLaw,   // every length at once
  kShort,      // many short ones, where a loop per segment costs most
  kThreshold,  // a few at thresholds
};
inline constexpr int kSegShapes = 9;

inline std::vector<std::int64_t> gen_lengths(SegShape shape, Rng& rng) {
  std::vector<std::int64_t> out;
  switch (shape) {
    case SegShape::kNone: break;
    case SegShape::kOne: out = {threshold(rng)}; break;
    case SegShape::kAllEmpty: out.assign(static_cast<std::size_t>(1 + below(rng, 70)), 0); break;
    case SegShape::kAllOne: out.assign(static_cast<std::size_t>(1 + below(rng, 300)), 1); break;
    case SegShape::kEqual: {
      const std::int64_t length = std::min<std::int64_t>(threshold(rng), 300);
      out.assign(static_cast<std::size_t>(2 + below(rng, 20)), length);
      break;
    }
    case SegShape::kGiant:
      out.assign(static_cast<std::size_t>(2 + below(rng, 200)), 0);
      out[static_cast<std::size_t>(below(rng, static_cast<std::int64_t>(out.size())))] =
          3000 + below(rng, 6000);
      break;
    case SegShape::kPowerLaw:
      for (std::int64_t i = 1 + below(rng, 100); i > 0; --i)
        out.push_back(std::min<std::int64_t>(
            5000, static_cast<std::int64_t>(1.0 / (static_cast<double>(1 + below(rng, 4000)) / 4000.0)) - 1));
      break;
    case SegShape::kShort: {  // up to where eight at a time go in four, eight, ... thirty-two steps
      constexpr std::int64_t kMost[] = {3, 5, 9, 12, 18, 26, 34};
      const std::int64_t most = kMost[below(rng, std::size(kMost))];
      for (std::int64_t i = 1 + below(rng, 400); i > 0; --i) out.push_back(below(rng, most));
      break;
    }
    case SegShape::kThreshold:
      for (std::int64_t i = 1 + below(rng, 4); i > 0; --i) out.push_back(threshold(rng));
      break;
  }
  return out;
}

}  // namespace nvm::testing
