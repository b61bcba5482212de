// The small scope: all cuts, descriptors and vectors of a few elements.
#pragma once

#include <cstddef>
#include <vector>

#include "tests/model/algebra.h"

namespace nvm::model {

// Part p is [cut[p], cut[p + 1]).
using Cut = std::vector<std::size_t>;
inline constexpr std::size_t kParts = 3;  // empty ones included, so all cuts into at most three

inline std::vector<Cut> all_cuts(std::size_t n) {
  std::vector<Cut> all;
  for (std::size_t i = 0; i <= n; ++i)
    for (std::size_t j = i; j <= n; ++j) all.push_back({0, i, j, n});
  return all;
}

// Lengths of at most `most` segments with `total` elements.
inline std::vector<std::vector<std::size_t>> all_descs(std::size_t total, std::size_t most) {
  std::vector<std::vector<std::size_t>> all;
  if (total == 0) all.emplace_back();
  if (most == 0) return all;
  for (std::size_t first = 0; first <= total; ++first)
    for (std::vector<std::size_t> rest : all_descs(total - first, most - 1)) {
      rest.insert(rest.begin(), first);
      all.push_back(rest);
    }
  return all;
}

// Vectors of n of these elements.
inline std::vector<std::vector<Word>> all_vectors(std::size_t n, const std::vector<Word>& elements) {
  if (n == 0) return {{}};
  std::vector<std::vector<Word>> all;
  for (const std::vector<Word>& shorter : all_vectors(n - 1, elements))
    for (const Word e : elements) {
      all.push_back(shorter);
      all.back().push_back(e);
    }
  return all;
}

inline std::vector<Word> symbols(std::size_t n) {
  std::vector<Word> all;
  for (std::size_t i = 0; i < n; ++i) all.push_back(symbol(i));
  return all;
}

inline std::vector<std::size_t> offsets_of(const std::vector<std::size_t>& lengths) {
  std::vector<std::size_t> offsets = {0};
  for (const std::size_t n : lengths) offsets.push_back(offsets.back() + n);
  return offsets;
}

}  // namespace nvm::model
