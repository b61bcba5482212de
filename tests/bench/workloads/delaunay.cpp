// W15: Delaunay triangulation of points in the unit square.
#include "tests/bench/workloads/delaunay.h"

#include <numeric>
#include <unordered_map>

#include "tests/bench/suite/floats.h"

namespace nvm::bench {

namespace {

struct Data : Points {
  std::int64_t triangles = 0;  // there must be
  Triangles hand, library;
};

// Corners of the convex hull (Andrew's monotone chain).
std::int64_t hull_size(const Points& d) {
  std::vector<Corner> order(static_cast<std::size_t>(d.x.size())), hull;
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](Corner a, Corner b) { return d.x[a] < d.x[b]; });
  for (int way = 0; way < 2; ++way) {
    const std::size_t base = hull.size();
    for (const Corner p : order) {
      while (hull.size() >= base + 2 && area(d, hull[hull.size() - 2], hull.back(), p) <= 0) hull.pop_back();
      hull.push_back(p);
    }
    hull.pop_back();
    std::reverse(order.begin(), order.end());
  }
  return static_cast<std::int64_t>(hull.size());
}

// As many triangles as there must be, counterclockwise, no two on one side of an edge, and no corner of a
// neighbour within a circle: then it is a Delaunay triangulation (Delaunay's lemma).
std::string is_delaunay(const Data& d, const Triangles& triangles) {
  if (static_cast<std::int64_t>(triangles.size()) != d.triangles)
    return std::to_string(triangles.size()) + " triangles, expected " + std::to_string(d.triangles);
  std::unordered_map<std::uint64_t, Corner> across;  // by directed edge: the third corner
  across.reserve(4 * triangles.size());
  const auto key = [](Corner a, Corner b) {
    return static_cast<std::uint64_t>(a) << 32 | static_cast<std::uint32_t>(b);
  };
  for (const auto& [a, b, c] : triangles) {
    for (const Corner p : {a, b, c})
      if (p < 0 || p >= d.x.size()) return "there is no point " + std::to_string(p);
    if (area(d, a, b, c) <= 0) return "a triangle is not counterclockwise";
    if (!across.emplace(key(a, b), c).second || !across.emplace(key(b, c), a).second ||
        !across.emplace(key(c, a), b).second)
      return "two triangles on one side of an edge";
  }
  for (const auto& [a, b, c] : triangles)
    for (const auto& [p, q] : {std::pair(a, b), std::pair(b, c), std::pair(c, a)})
      if (const auto other = across.find(key(q, p));
          other != across.end() && in_circle(d, a, b, c, other->second) > 1e-16)
        return "a circle is not empty";
  return "";
}

}  // namespace

Instance delaunay(const Problem& p) {
  const auto d = std::make_shared<Data>();
  d->x = uniform(p, 1);
  d->y = uniform(p, 2);
  d->triangles = 2 * p.n - 2 - hull_size(*d);
  Instance it;
  it.inputs = {{"points", "[(float, float)]", {sequence_of(p.n), borrowed(d->x), borrowed(d->y)}}};
  it.expression = "delaunay(points)";
  it.check = [d](Values v) {
    Triangles got(static_cast<std::size_t>(v[1].size()));
    for (std::size_t k = 0; k < 3; ++k)
      if (v[1 + k].size() != v[1].size() || !with_ints(v[1 + k], [&](const auto& corners) {
            for (std::size_t i = 0; i < got.size(); ++i) got[i][k] = static_cast<Corner>(corners[i]);
          }))
        return std::string("no integers");
    return is_delaunay(*d, got);
  };
  it.rivals.push_back({"hand", "divide and conquer, halves in parallel",
                       [d, p] { d->hand = divide_and_conquer(*d, p.threads); },
                       [d] { return is_delaunay(*d, d->hand); }});
  it.rivals.push_back({"library", "randomised incremental insertion with lists of conflicts, in parallel",
                       [d, p] { d->library = incremental(*d, p.threads); },
                       [d] { return is_delaunay(*d, d->library); }});
  return it;
}

}  // namespace nvm::bench
