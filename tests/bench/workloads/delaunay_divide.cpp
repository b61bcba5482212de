// W15: the divide-and-conquer triangulation.
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/parallel_sort.h>

#include <atomic>
#include <numeric>
#include <utility>

#include "tests/bench/suite/parallel.h"
#include "tests/bench/workloads/delaunay.h"

namespace nvm::bench {

namespace {

// Divide and conquer (Guibas and Stolfi 1985): points by x, halves apart, then a seam from below. An edge is
// two opposite arcs, 2k and 2k + 1; the arcs out of a point form a ring.
class Divide {
 public:
  Divide(const Points& data, int threads)
      : d_(data),
        order_(static_cast<std::size_t>(data.x.size())),
        arcs_(8 * order_.size() + 2 * kChunk * (order_.size() / 1024 + 8)),
        threads_(threads) {}

  Triangles triangles() {
    std::iota(order_.begin(), order_.end(), 0);
    in_arena(threads_, [&] {
      tbb::parallel_sort(order_, [&](Corner a, Corner b) {
        return std::pair(d_.x[a], d_.y[a]) < std::pair(d_.x[b], d_.y[b]);
      });
      Free free;
      solve(0, order_.size(), free);
    });
    return collected();
  }

 private:
  static constexpr std::int32_t kChunk = 512;
  struct Arc {
    Corner from = -1;                   // -1: not there
    std::int32_t next = 0, before = 0;  // around `from`, counterclockwise and clockwise
  };
  struct Free {  // edges that a thread may take
    std::vector<std::int32_t> deleted;
    std::int32_t at = 0, end = 0;
  };
  struct Ends {
    std::int32_t left,
        right;  // arcs of the hull: counterclockwise out of the leftmost, clockwise of the rightmost
  };

  Arc& arc(std::int32_t e) { return arcs_[static_cast<std::size_t>(e)]; }
  Corner from(std::int32_t e) { return arc(e).from; }
  Corner to(std::int32_t e) { return arc(e ^ 1).from; }
  std::int32_t along(std::int32_t e) {
    return arc(e ^ 1).before;
  }  // the next arc around the face on the left
  bool left_of(Corner p, std::int32_t e) { return area(d_, p, from(e), to(e)) > 0; }
  bool right_of(Corner p, std::int32_t e) { return area(d_, p, to(e), from(e)) > 0; }

  std::int32_t make(Corner a, Corner b, Free& free) {
    std::int32_t e;
    if (!free.deleted.empty()) {
      e = free.deleted.back();
      free.deleted.pop_back();
    } else {
      if (free.at == free.end) free.at = chunks_.fetch_add(1) * 2 * kChunk, free.end = free.at + 2 * kChunk;
      e = free.at;
      free.at += 2;
    }
    arc(e) = {a, e, e};
    arc(e + 1) = {b, e + 1, e + 1};
    return e;
  }
  // Puts the lone arc e behind b in b's ring.
  void join(std::int32_t e, std::int32_t b) {
    const std::int32_t after = arc(b).next;
    arc(e).next = after, arc(e).before = b;
    arc(after).before = e, arc(b).next = e;
  }
  void leave(std::int32_t e) {
    arc(arc(e).next).before = arc(e).before;
    arc(arc(e).before).next = arc(e).next;
    arc(e).from = -1;
  }
  void remove(std::int32_t e, Free& free) {
    leave(e), leave(e ^ 1);
    free.deleted.push_back(e & ~1);
  }
  // From the end of a to the beginning of b, on the left of both.
  std::int32_t connect(std::int32_t a, std::int32_t b, Free& free) {
    const std::int32_t e = make(to(a), from(b), free);
    join(e, along(a));
    join(e ^ 1, b);
    return e;
  }

  Ends few(std::size_t lo, std::size_t hi, Free& free) {
    const std::int32_t a = make(order_[lo], order_[lo + 1], free);
    if (hi - lo == 2) return {a, a ^ 1};
    const std::int32_t b = make(order_[lo + 1], order_[lo + 2], free);
    join(b, a ^ 1);
    const double turn = area(d_, order_[lo], order_[lo + 1], order_[lo + 2]);
    if (turn == 0) return {a, b ^ 1};
    const std::int32_t c = connect(b, a, free);
    return turn > 0 ? Ends{a, b ^ 1} : Ends{c ^ 1, c};
  }

  Ends solve(std::size_t lo, std::size_t hi, Free& free) {
    constexpr std::size_t kAlone = 4096;
    if (hi - lo <= 3) return few(lo, hi, free);
    const std::size_t mid = (lo + hi) / 2;
    Ends l, r;
    if (hi - lo <= kAlone) {
      l = solve(lo, mid, free), r = solve(mid, hi, free);
    } else {
      Free other;
      tbb::parallel_invoke([&] { l = solve(lo, mid, free); }, [&] { r = solve(mid, hi, other); });
      free.deleted.insert(free.deleted.end(), other.deleted.begin(), other.deleted.end());
    }
    return merge(l, r, free);
  }

  Ends merge(Ends l, Ends r, Free& free) {
    std::int32_t inner_l = l.right, inner_r = r.left;
    while (true) {  // the lower common tangent
      if (left_of(from(inner_r), inner_l))
        inner_l = along(inner_l);
      else if (right_of(from(inner_l), inner_r))
        inner_r = arc(inner_r ^ 1).next;
      else
        break;
    }
    std::int32_t base = connect(inner_r ^ 1, inner_l, free);
    if (from(inner_l) == from(l.left)) l.left = base ^ 1;
    if (from(inner_r) == from(r.right)) r.right = base;
    while (true) {  // upwards
      const std::int32_t a = candidate(base, true, free), b = candidate(base, false, free);
      const bool some_a = right_of(to(a), base), some_b = right_of(to(b), base);
      if (!some_a && !some_b) return {l.left, r.right};
      if (!some_a || (some_b && in_circle(d_, to(a), from(a), from(b), to(b)) > 0))
        base = connect(b, base ^ 1, free);
      else
        base = connect(base ^ 1, a ^ 1, free);
    }
  }

  // The arc above the base on one side, after those are gone whose circle holds the next one.
  std::int32_t candidate(std::int32_t base, bool left, Free& free) {
    std::int32_t c = left ? arc(base ^ 1).next : arc(base).before;
    while (right_of(to(c), base)) {
      const std::int32_t next = left ? arc(c).next : arc(c).before;
      if (in_circle(d_, to(base), from(base), to(c), to(next)) <= 0) break;
      remove(c, free);
      c = next;
    }
    return c;
  }

  Triangles collected() {
    Triangles all;
    all.reserve(2 * order_.size());
    const std::int32_t end = chunks_.load() * 2 * kChunk;
    for (std::int32_t e = 0; e < end; ++e) {
      const Corner a = from(e);
      if (a < 0) continue;
      const std::int32_t f = along(e), g = along(f);
      if (a < from(f) && a < from(g) && along(g) == e && area(d_, a, from(f), from(g)) > 0)
        all.push_back({a, from(f), from(g)});
    }
    return all;
  }

  const Points& d_;
  std::vector<Corner> order_;
  std::vector<Arc> arcs_;
  std::atomic<std::int32_t> chunks_ = 0;
  int threads_;
};

}  // namespace

Triangles divide_and_conquer(const Points& points, int threads) {
  return Divide(points, threads).triangles();
}

}  // namespace nvm::bench
