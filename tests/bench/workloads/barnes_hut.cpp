// W6: gravity of bodies in the unit square by a quadtree, theta 0.5. The tree and the walk are those of the
// NESL program: a leaf has one body, a cell counts as one body where 4 h^2 < 0.25 r^2 for half its width h.
#include <algorithm>
#include <array>
#include <cmath>

#include "tests/bench/suite/floats.h"

namespace nvm::bench {

namespace {

constexpr double kSoft = 1e-6, kSmallest = 1e-9;

struct Body {
  double x, y, m;
};

struct Cell {
  double half, x, y, m;               // half its width; its centre of mass, its mass
  std::int32_t first = 0, count = 0;  // its children
};

class Tree {
 public:
  // Orders the bodies so that those of a cell lie together.
  explicit Tree(std::vector<Body>& bodies) : bodies_(bodies) {
    cells_.reserve(2 * bodies.size());
    cells_.emplace_back();
    build(0, 0, bodies.size(), 0.5, 0.5, 0.5);
  }

  [[nodiscard]] std::array<double, 2> force_on(const Body& body) const {
    std::array<std::int32_t, 512> open;
    std::size_t count = 0;
    open[count++] = 0;
    double fx = 0, fy = 0;
    while (count > 0) {
      const Cell& c = cells_[static_cast<std::size_t>(open[--count])];
      const double dx = c.x - body.x, dy = c.y - body.y, r2 = dx * dx + dy * dy;
      if (c.count == 0 || 4 * c.half * c.half < 0.25 * r2) {
        const double s = r2 + kSoft, w = c.m / (s * std::sqrt(s));
        fx += dx * w, fy += dy * w;
      } else {
        for (std::int32_t k = 0; k < c.count; ++k) open[count++] = c.first + k;
      }
    }
    return {fx, fy};
  }

 private:
  void build(std::size_t cell, std::size_t begin, std::size_t end, double x, double y, double half) {
    Cell c{half, 0, 0, 0};
    for (std::size_t i = begin; i < end; ++i) {
      const Body& b = bodies_[i];
      c.x += b.x * b.m, c.y += b.y * b.m, c.m += b.m;
    }
    c.x /= c.m, c.y /= c.m;
    if (end - begin < 2 || half < kSmallest) {
      cells_[cell] = c;
      return;
    }
    const auto at = [&](std::size_t i) { return bodies_.begin() + static_cast<std::ptrdiff_t>(i); };
    const auto cut = [&](std::size_t lo, std::size_t hi, auto below) {
      return static_cast<std::size_t>(std::partition(at(lo), at(hi), below) - bodies_.begin());
    };
    const auto left = [x](const Body& b) { return !(x < b.x); };
    const std::size_t middle = cut(begin, end, [y](const Body& b) { return !(y < b.y); });
    const std::size_t bounds[] = {begin, cut(begin, middle, left), middle, cut(middle, end, left), end};
    c.first = static_cast<std::int32_t>(cells_.size());
    for (std::size_t q = 0; q < 4; ++q) c.count += bounds[q] < bounds[q + 1];
    cells_[cell] = c;
    cells_.resize(cells_.size() + static_cast<std::size_t>(c.count));
    auto child = static_cast<std::size_t>(c.first);
    const double h = half / 2;
    for (std::size_t q = 0; q < 4; ++q)
      if (bounds[q] < bounds[q + 1])
        build(child++, bounds[q], bounds[q + 1], q % 2 == 0 ? x - h : x + h, q < 2 ? y - h : y + h, h);
  }

  std::vector<Body>& bodies_;
  std::vector<Cell> cells_;
};

struct Data {
  Array<double> x, y, m;
  Array<double> want_x, want_y, hand_x, hand_y;
};

void forces(const Data& d, const Array<double>& fx, const Array<double>& fy, int threads) {
  const std::int64_t n = d.x.size();
  std::vector<Body> bodies(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) bodies[static_cast<std::size_t>(i)] = {d.x[i], d.y[i], d.m[i]};
  const Tree tree(bodies);
  // Bodies that are near to each other walk the same cells: along a curve of squares.
  std::vector<std::int32_t> order(static_cast<std::size_t>(n));
  std::vector<std::uint32_t> key(order.size());
  const auto spread = [](double v) {
    auto u = static_cast<std::uint32_t>(v * 4095);
    u = (u | (u << 8)) & 0x00ff00ff;
    u = (u | (u << 4)) & 0x0f0f0f0f;
    u = (u | (u << 2)) & 0x33333333;
    return (u | (u << 1)) & 0x55555555;
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = static_cast<std::int32_t>(i);
    key[i] = spread(d.x[static_cast<std::int64_t>(i)]) | (spread(d.y[static_cast<std::int64_t>(i)]) << 1);
  }
  std::sort(order.begin(), order.end(), [&](auto a, auto b) {
    return key[static_cast<std::size_t>(a)] < key[static_cast<std::size_t>(b)];
  });
  blocks(threads, n, 256, [&](std::int64_t lo, std::int64_t hi) {
    for (std::int64_t k = lo; k < hi; ++k) {
      const std::int32_t i = order[static_cast<std::size_t>(k)];
      const auto [x, y] = tree.force_on({d.x[i], d.y[i], d.m[i]});
      fx[i] = x, fy[i] = y;
    }
  });
}

}  // namespace

Instance barnes_hut(const Problem& p) {
  const auto d =
      std::make_shared<Data>(Data{uniform(p, 1), uniform(p, 2), uniform(p, 3, 0.5, 1.5), Array<double>(p.n),
                                  Array<double>(p.n), Array<double>(p.n), Array<double>(p.n)});
  forces(*d, d->want_x, d->want_y, 1);
  Instance it;
  it.inputs = {{"bodies",
                "[(float, float, float)]",
                {sequence_of(p.n), borrowed(d->x), borrowed(d->y), borrowed(d->m)}}};
  it.expression = "forces(bodies)";
  it.check = [d](Values v) { return near(v[1], d->want_x.all(), 1e-6) + near(v[2], d->want_y.all(), 1e-6); };
  it.rivals.push_back({"hand", "quadtree by partition, bodies along a curve, as threads become free",
                       [d, p] { forces(*d, d->hand_x, d->hand_y, p.threads); },
                       [d] {
                         return near(d->hand_x.all(), d->want_x.all(), 1e-6) +
                                near(d->hand_y.all(), d->want_y.all(), 1e-6);
                       }});
  return it;
}

}  // namespace nvm::bench
