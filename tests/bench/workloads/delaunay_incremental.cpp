// W15: the incremental triangulation of the library.
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>

#include <atomic>
#include <memory>
#include <span>
#include <utility>

#include "tests/bench/suite/parallel.h"
#include "tests/bench/workloads/delaunay.h"

namespace nvm::bench {

namespace {

constexpr Corner kFar = -1;  // the corner of triangles outside of the hull

struct Point {
  Corner id;
  double x, y;
};
using Conflicts = std::vector<Point>;  // by id, which is the order of insertion

struct Face {
  Triangle t;
  Conflicts conflicts;  // points within its circle
  std::atomic<bool> done = false;
};
using FacePtr = std::shared_ptr<Face>;
using Edge = std::array<Corner, 2>;

// Whether a point conflicts with a counterclockwise triangle: it lies within the circle, or, if a corner is
// far, on the left of the other two. What does not depend on the point is computed once.
class Conflict {
 public:
  Conflict(const Points& d, Triangle t) {
    while (t[2] != kFar && (t[0] == kFar || t[1] == kFar)) t = {t[1], t[2], t[0]};
    const auto at = [&](Corner c) { return std::array{d.x[c], d.y[c]}; };
    const auto a = at(t[0]), b = at(t[1]);
    if (t[2] == kFar) {
      x_ = a[0], y_ = a[1];
      cx_ = -(b[1] - a[1]), cy_ = b[0] - a[0], cz_ = 0;
      return;
    }
    const auto c = at(t[2]);
    x_ = c[0], y_ = c[1];
    const double ux = a[0] - x_, uy = a[1] - y_, uz = ux * ux + uy * uy;
    const double vx = b[0] - x_, vy = b[1] - y_, vz = vx * vx + vy * vy;
    // The plane through the lifted corners; points under it are within.
    cx_ = -(uy * vz - uz * vy), cy_ = -(uz * vx - ux * vz), cz_ = -(ux * vy - uy * vx);
  }
  bool operator()(const Point& p) const {
    const double x = p.x - x_, y = p.y - y_;
    return cx_ * x + cy_ * y + cz_ * (x * x + y * y) > 0;
  }

 private:
  double x_, y_, cx_, cy_, cz_;
};

// Edges that wait for the triangle on their other side.
class Waiting {
 public:
  explicit Waiting(std::size_t n) : buckets_(n) {}
  // The face that waits at the edge, which no longer does; null if there is none: then `face` waits.
  FacePtr meet(Edge e, const FacePtr& face) {
    if (e[0] > e[1]) std::swap(e[0], e[1]);
    const auto hash = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(e[0])) << 32 ^
                       static_cast<std::uint32_t>(e[1])) *
                      0x9E3779B97F4A7C15U;
    Bucket& bucket = buckets_[(hash >> 32) % buckets_.size()];
    const Hold hold(bucket.held);
    for (auto& entry : bucket.entries) {
      if (entry.first != e) continue;
      FacePtr found = std::move(entry.second);
      if (&entry != &bucket.entries.back()) entry = std::move(bucket.entries.back());
      bucket.entries.pop_back();
      return found;
    }
    bucket.entries.emplace_back(e, face);
    return nullptr;
  }

 private:
  struct Bucket {
    std::atomic_flag held;
    std::vector<std::pair<Edge, FacePtr>> entries;
  };
  struct Hold {
    explicit Hold(std::atomic_flag& flag) : flag_(flag) {
      while (flag_.test_and_set(std::memory_order_acquire)) {
      }
    }
    ~Hold() { flag_.clear(std::memory_order_release); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    std::atomic_flag& flag_;
  };
  std::vector<Bucket> buckets_;
};

class Incremental {
 public:
  explicit Incremental(const Points& d) : d_(d), waiting_(static_cast<std::size_t>(d.x.size()) + 1) {}

  Triangles triangles() {
    Triangle t = {0, 1, 2};
    if (area(d_, 0, 1, 2) < 0) std::swap(t[1], t[2]);
    std::array<FacePtr, 4> faces;
    tbb::parallel_for(0, 4, [&](int k) {
      const auto c = static_cast<std::size_t>(k);
      faces[c] = first(k == 3 ? t : Triangle{t[(c + 1) % 3], t[c], kFar});
    });
    tbb::parallel_for(0, 6, [&](int k) {
      const auto c = static_cast<std::size_t>(k % 3), next = (c + 1) % 3;
      if (k < 3)
        process(faces[3], {t[c], t[next]}, faces[c]);
      else
        process(faces[c], {kFar, t[next]}, faces[next]);
    });
    Triangles all;
    for (const Triangles& some : found_) all.insert(all.end(), some.begin(), some.end());
    return all;
  }

 private:
  static constexpr std::size_t kAlone = 128;    // conflicts for which no task is made
  static constexpr std::size_t kWhole = 16384;  // and that one thread merges

  FacePtr first(const Triangle& t) {
    auto face = std::make_shared<Face>(t);
    const Conflict conflict(d_, t);
    for (Corner p = 3; p < static_cast<Corner>(d_.x.size()); ++p)
      if (const Point point{p, d_.x[p], d_.y[p]}; conflict(point)) face->conflicts.push_back(point);
    return face;
  }

  void finish(Face& face) {
    if (face.t[0] == kFar || face.t[1] == kFar || face.t[2] == kFar) return;
    if (!face.done.exchange(true)) found_.local().push_back(face.t);
  }

  // Merges what conflicts with either face behind the first point, and keeps what conflicts with the new one;
  // what conflicts with both does so without a test.
  static void merge(std::span<const Point> a, std::span<const Point> b, const Conflict& conflict,
                    Conflicts& out) {
    out.reserve(std::max(a.size(), b.size()));
    std::size_t i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
      if (i < a.size() && j < b.size() && a[i].id == b[j].id) {
        out.push_back(a[i]);
        ++i, ++j;
        continue;
      }
      const Point& p = j == b.size() || (i < a.size() && a[i].id < b[j].id) ? a[i++] : b[j++];
      if (conflict(p)) out.push_back(p);
    }
  }

  static Conflicts kept(std::span<const Point> a, std::span<const Point> b, const Conflict& conflict,
                        Corner last) {
    Conflicts all;
    if (a.size() + b.size() < kWhole) {
      merge(a, b, conflict, all);
      return all;
    }
    constexpr int kParts = 8;
    std::array<Conflicts, kParts> parts;
    const auto cut = [&](std::span<const Point> s, int k) {
      const auto id = static_cast<Corner>(std::int64_t{last} * k / kParts);
      return std::lower_bound(s.begin(), s.end(), id, [](const Point& p, Corner c) { return p.id < c; });
    };
    tbb::parallel_for(0, kParts, [&](int k) {
      merge({cut(a, k), cut(a, k + 1)}, {cut(b, k), cut(b, k + 1)}, conflict,
            parts[static_cast<std::size_t>(k)]);
    });
    for (const Conflicts& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
  }

  void process(FacePtr f, Edge e, FacePtr g) {
    if (f->conflicts.empty() && g->conflicts.empty()) {
      finish(*f), finish(*g);
      return;
    }
    const auto earliest = [&](const Face& face) {
      return face.conflicts.empty() ? static_cast<Corner>(d_.x.size()) : face.conflicts.front().id;
    };
    if (earliest(*f) == earliest(*g)) return;  // the edge lies within what the point removes
    if (earliest(*g) < earliest(*f)) {
      std::swap(f, g);
      std::swap(e[0], e[1]);
    }
    const Corner p = earliest(*f);
    auto made = std::make_shared<Face>(Triangle{e[0], e[1], p});
    made->conflicts = kept(std::span<const Point>(f->conflicts).subspan(1), g->conflicts,
                           Conflict(d_, made->t), static_cast<Corner>(d_.x.size()));
    const auto meet = [&](Edge edge) {
      if (FacePtr other = waiting_.meet(edge, made)) process(made, edge, std::move(other));
    };
    const auto first = [&] { meet({p, e[0]}); };
    const auto second = [&] { meet({e[1], p}); };
    const auto third = [&] { process(made, e, g); };
    if (made->conflicts.size() + g->conflicts.size() < kAlone)
      first(), second(), third();
    else
      tbb::parallel_invoke(first, second, third);
  }

  const Points& d_;
  Waiting waiting_;
  tbb::enumerable_thread_specific<Triangles> found_;
};

}  // namespace

Triangles incremental(const Points& points, int threads) {
  Triangles all;
  in_arena(threads, [&] { all = Incremental(points).triangles(); });
  return all;
}

}  // namespace nvm::bench
