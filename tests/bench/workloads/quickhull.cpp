// W5: the convex hull of points in a disc.
#include <oneapi/tbb/parallel_invoke.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "tests/bench/suite/floats.h"

namespace nvm::bench {

namespace {

struct Point {
  double x, y;
  auto operator<=>(const Point&) const = default;
};
using Points = std::vector<Point>;

struct Data {
  Array<double> x, y;
  Points want, hand, library;  // in any order

  [[nodiscard]] Point at(std::int64_t i) const { return {x[i], y[i]}; }
};

// Twice the area of a triangle; above zero if p is left of the way from a to b.
double cross(Point p, Point a, Point b) { return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x); }

// A point and how far it is from some line.
struct Far {
  double distance = 0;
  Point point{};
  void offer(double d, Point p) {
    if (d > distance) distance = d, point = p;
  }
};

// Adds what lies on the hull left of the way from a to b, both ends left out. Points are those left of it.
void hull_of(const Points& points, Point a, Point b, Point far, Points& out) {
  Points first, second;
  Far far_first, far_second;
  for (const Point p : points) {
    if (const double d = cross(p, a, far); d > 0) {
      first.push_back(p);
      far_first.offer(d, p);
    } else if (const double e = cross(p, far, b); e > 0) {
      second.push_back(p);
      far_second.offer(e, p);
    }
  }
  if (!first.empty()) hull_of(first, a, far, far_first.point, out);
  out.push_back(far);
  if (!second.empty()) hull_of(second, far, b, far_second.point, out);
}

struct Extent {
  Point west, east;
};

constexpr std::int64_t kCached = 1 << 10;  // points that are looked at again only if they beat those before

Extent extent_of_part(const Data& d, std::int64_t lo, std::int64_t hi) {
  Extent e{d.at(lo), d.at(lo)};
  const double* x = d.x.data();
  for (std::int64_t from = lo; from < hi; from += kCached) {
    const std::int64_t to = std::min(hi, from + kCached);
    double least = e.west.x, most = e.east.x;
#pragma omp simd reduction(min : least) reduction(max : most)
    for (std::int64_t i = from; i < to; ++i) least = std::min(least, x[i]), most = std::max(most, x[i]);
    if (least == e.west.x && most == e.east.x) continue;
    for (std::int64_t i = from; i < to; ++i) {
      if (x[i] < e.west.x) e.west = d.at(i);
      if (x[i] > e.east.x) e.east = d.at(i);
    }
  }
  return e;
}

// Farthest above and below the way from west to east.
struct Peaks {
  Far above, below;
};
Peaks peaks_of_part(const Data& d, Extent e, std::int64_t lo, std::int64_t hi) {
  const double *x = d.x.data(), *y = d.y.data();
  Peaks peaks;
  for (std::int64_t from = lo; from < hi; from += kCached) {
    const std::int64_t to = std::min(hi, from + kCached);
    double above = peaks.above.distance, below = -peaks.below.distance;
#pragma omp simd reduction(max : above) reduction(min : below)
    for (std::int64_t i = from; i < to; ++i) {
      const double c = (e.east.x - e.west.x) * (y[i] - e.west.y) - (e.east.y - e.west.y) * (x[i] - e.west.x);
      above = std::max(above, c), below = std::min(below, c);
    }
    if (above == peaks.above.distance && below == -peaks.below.distance) continue;
    for (std::int64_t i = from; i < to; ++i) {
      const double c = cross(d.at(i), e.west, e.east);
      peaks.above.offer(c, d.at(i)), peaks.below.offer(-c, d.at(i));
    }
  }
  return peaks;
}

// Three passes: extent, peaks, and what is outside the quadrilateral of the four; few remain.
Points fused_hull(const Data& d, int threads) {
  const std::int64_t n = d.x.size();
  std::vector<Extent> extents(static_cast<std::size_t>(threads));
  parts(threads, n, [&](std::int64_t lo, std::int64_t hi, int t) {
    extents[static_cast<std::size_t>(t)] = extent_of_part(d, lo, hi);
  });
  Extent e = extents[0];
  for (const Extent& other : extents) e = {std::min(e.west, other.west), std::max(e.east, other.east)};
  std::vector<Peaks> peaks(static_cast<std::size_t>(threads));
  parts(threads, n, [&](std::int64_t lo, std::int64_t hi, int t) {
    peaks[static_cast<std::size_t>(t)] = peaks_of_part(d, e, lo, hi);
  });
  Peaks best = peaks[0];
  for (const Peaks& p : peaks) {
    best.above.offer(p.above.distance, p.above.point);
    best.below.offer(p.below.distance, p.below.point);
  }
  const Point corner[5] = {e.west, best.below.point, e.east, best.above.point, e.west};  // counter-clockwise
  std::vector<std::array<Points, 4>> outside(static_cast<std::size_t>(threads));
  parts(threads, n, [&](std::int64_t lo, std::int64_t hi, int t) {
    auto& mine = outside[static_cast<std::size_t>(t)];
    const double *x = d.x.data(), *y = d.y.data();
    for (std::int64_t i = lo; i < hi; ++i)
      for (std::size_t s = 0; s < 4; ++s)
        if (cross({x[i], y[i]}, corner[s + 1], corner[s]) > 0) mine[s].push_back({x[i], y[i]});
  });
  std::array<Points, 4> hulls;
  blocks(threads, 4, 1, [&](std::int64_t side, std::int64_t) {
    const auto s = static_cast<std::size_t>(side);
    Points all;
    Far far;
    for (const auto& mine : outside) all.insert(all.end(), mine[s].begin(), mine[s].end());
    for (const Point p : all) far.offer(cross(p, corner[s + 1], corner[s]), p);
    if (!all.empty()) hull_of(all, corner[s + 1], corner[s], far.point, hulls[s]);
  });
  Points hull(corner, corner + 4);
  for (const Points& h : hulls) hull.insert(hull.end(), h.begin(), h.end());
  return hull;
}

// The library's quickhull: indices are filtered to both sides of each new corner, sides in parallel.
class IndexQuickhull {
 public:
  IndexQuickhull(const Data& d, int threads) : d_(d), threads_(threads) {}

  Points hull() {
    const std::int64_t n = d_.x.size();
    const auto less = [&](std::int64_t a, std::int64_t b) { return d_.at(a) < d_.at(b); };
    std::vector<std::int64_t> west(static_cast<std::size_t>(threads_)), east(west);
    parts(threads_, n, [&](std::int64_t lo, std::int64_t hi, int t) {
      std::int64_t w = lo, e = lo;
      for (std::int64_t i = lo; i < hi; ++i) {
        if (less(i, w)) w = i;
        if (less(e, i)) e = i;
      }
      west[static_cast<std::size_t>(t)] = w, east[static_cast<std::size_t>(t)] = e;
    });
    const Point a = d_.at(*std::min_element(west.begin(), west.end(), less));
    const Point b = d_.at(*std::max_element(east.begin(), east.end(), less));
    Points upper, lower;
    Side above = filter(
             n, [](std::int64_t i) { return i; }, a, b),
         below = filter(
             n, [](std::int64_t i) { return i; }, b, a);
    in_arena(threads_, [&] {
      tbb::parallel_invoke([&] { split(above, a, b, upper); }, [&] { split(below, b, a, lower); });
    });
    Points all{a, b};
    all.insert(all.end(), upper.begin(), upper.end());
    all.insert(all.end(), lower.begin(), lower.end());
    return all;
  }

 private:
  struct Side {
    std::vector<std::int32_t> points;
    Far far;
  };

  // Of the points number at(0) to at(n - 1) those left of the way from a to b.
  template <typename At>
  Side filter(std::int64_t n, At at, Point a, Point b) const {
    const int pieces = n > 1 << 15 ? 4 * threads_ : 1;
    std::vector<Side> found(static_cast<std::size_t>(pieces));
    const auto piece = [&](std::int64_t k) {
      Side& mine = found[static_cast<std::size_t>(k)];
      for (std::int64_t i = n * k / pieces; i < n * (k + 1) / pieces; ++i) {
        const Point p = d_.at(at(i));
        const double c = cross(p, a, b);
        if (c <= 0) continue;
        mine.points.push_back(static_cast<std::int32_t>(at(i)));
        mine.far.offer(c, p);
      }
    };
    if (pieces == 1)
      piece(0);
    else
      arena(threads_).execute([&] { tbb::parallel_for(std::int64_t{0}, std::int64_t{pieces}, piece); });
    Side all = std::move(found[0]);
    for (std::size_t k = 1; k < found.size(); ++k) {
      all.points.insert(all.points.end(), found[k].points.begin(), found[k].points.end());
      all.far.offer(found[k].far.distance, found[k].far.point);
    }
    return all;
  }

  void split(const Side& side, Point a, Point b, Points& out) const {
    if (side.points.empty()) return;
    const Point mid = side.far.point;
    const auto at = [&](std::int64_t i) {
      return static_cast<std::int64_t>(side.points[static_cast<std::size_t>(i)]);
    };
    const auto n = static_cast<std::int64_t>(side.points.size());
    const Side left = filter(n, at, a, mid), right = filter(n, at, mid, b);
    Points first, second;
    if (n > 4096)
      tbb::parallel_invoke([&] { split(left, a, mid, first); }, [&] { split(right, mid, b, second); });
    else
      split(left, a, mid, first), split(right, mid, b, second);
    out.insert(out.end(), first.begin(), first.end());
    out.push_back(mid);
    out.insert(out.end(), second.begin(), second.end());
  }

  const Data& d_;
  int threads_;
};

// Andrew's monotone chain.
Points chain_hull(const Data& d) {
  Points points;
  for (std::int64_t i = 0; i < d.x.size(); ++i)
    if (d.x[i] * d.x[i] + d.y[i] * d.y[i] > 0.25) points.push_back(d.at(i));  // the others are inside
  std::sort(points.begin(), points.end());
  Points hull;
  for (int way = 0; way < 2; ++way) {
    const std::size_t base = hull.size();
    for (const Point p : points) {
      while (hull.size() >= base + 2 && cross(p, hull[hull.size() - 2], hull.back()) <= 0) hull.pop_back();
      hull.push_back(p);
    }
    hull.pop_back();
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

// The corners are the same, but for one in a thousand that rounding decides.
std::string same_hull(Points got, Points want) {
  std::sort(got.begin(), got.end());
  std::sort(want.begin(), want.end());
  Points differ;
  std::set_symmetric_difference(got.begin(), got.end(), want.begin(), want.end(), std::back_inserter(differ));
  return differ.size() <= want.size() / 1000
             ? ""
             : std::to_string(differ.size()) + " corners differ of " + std::to_string(want.size());
}

}  // namespace

Instance quickhull(const Problem& p) {
  const auto d = std::make_shared<Data>();
  d->x = Array<double>(p.n);
  d->y = Array<double>(p.n);
  const Draw draw(p.seed, 1);
  for (std::int64_t i = 0, k = 0; i < p.n; ++k) {
    const double x = 2 * draw.unit(2 * k) - 1, y = 2 * draw.unit(2 * k + 1) - 1;
    if (x * x + y * y < 1) d->x[i] = x, d->y[i] = y, ++i;
  }
  d->want = chain_hull(*d);
  Instance it;
  it.inputs = {{"points", "[(float, float)]", {sequence_of(p.n), borrowed(d->x), borrowed(d->y)}}};
  it.expression = "quickhull(points)";
  it.check = [d](Values v) {
    Points got;
    const auto x = v[1].view<double>(), y = v[2].view<double>();
    if (!x || !y || x->size() != y->size()) return std::string("no points");
    for (std::size_t i = 0; i < x->size(); ++i) got.push_back({(*x)[i], (*y)[i]});
    return same_hull(got, d->want);
  };
  it.rivals.push_back({"hand", "extent, peaks, then only what is outside the four corners",
                       [d, p] { d->hand = fused_hull(*d, p.threads); },
                       [d] { return same_hull(d->hand, d->want); }});
  it.rivals.push_back({"library", "parallel quickhull on indices",
                       [d, p] { d->library = IndexQuickhull(*d, p.threads).hull(); },
                       [d] { return same_hull(d->library, d->want); }});
  return it;
}

}  // namespace nvm::bench
