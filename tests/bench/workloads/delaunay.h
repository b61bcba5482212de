// What the contestants of W15 share: points, triangles and the two predicates.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tests/bench/suite/array.h"

namespace nvm::bench {

using Corner = std::int32_t;
using Triangle = std::array<Corner, 3>;
using Triangles = std::vector<Triangle>;

struct Points {
  Array<double> x, y;
};

// Twice the area of the triangle, positive if counterclockwise.
inline double area(const Points& d, Corner a, Corner b, Corner c) {
  return (d.x[b] - d.x[a]) * (d.y[c] - d.y[a]) - (d.y[b] - d.y[a]) * (d.x[c] - d.x[a]);
}

// Positive if p lies within the circle through a, b and c, which are counterclockwise.
inline double in_circle(const Points& d, Corner a, Corner b, Corner c, Corner p) {
  const auto row = [&](Corner q) {
    const double x = d.x[q] - d.x[p], y = d.y[q] - d.y[p];
    return std::array{x, y, x * x + y * y};
  };
  const auto u = row(a), v = row(b), w = row(c);
  return u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) +
         u[2] * (v[0] * w[1] - v[1] * w[0]);
}

// Divide and conquer (Guibas and Stolfi 1985), halves in parallel.
[[nodiscard]] Triangles divide_and_conquer(const Points& points, int threads);
// Randomised incremental insertion, all independent conflicts at once (Blelloch, Gu, Shun and Sun 2020), as
// the example of ParlayLib has it. The points must be in random order.
[[nodiscard]] Triangles incremental(const Points& points, int threads);

}  // namespace nvm::bench
