// W14: breadth-first search of an rMAT graph of some n/20 vertices and n arcs, each with its opposite.
#include <atomic>
#include <bit>

#include "tests/bench/suite/ints.h"

namespace nvm::bench {

namespace {

using Vertex = std::int32_t;
using Vertices = std::vector<Vertex>;

struct Data {
  std::int64_t vertices = 0;
  Array<std::int64_t> degree, start;
  Array<Vertex> arcs;
  Vertex root = 0;
  Array<std::int32_t> level;  // of each vertex, -1 if it is not reached
  Array<Vertex> hand, library;
};

// The arcs of both directions, by their sources.
void make_graph(Data& d, const Problem& p) {
  const std::int64_t edges = p.n / 2;
  const int bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(p.n / 20)));
  d.vertices = std::int64_t{1} << bits;
  Array<Vertex> from(2 * edges), to(2 * edges);
  const Draw draw(p.seed, 1);
  for (std::int64_t e = 0; e < edges; ++e) {
    Vertex s = 0, t = 0;
    for (int b = 0; b < bits; ++b) {
      const double r = draw.unit(e * 32 + b);  // quadrants 0.5, 0.15, 0.15, 0.2
      s = 2 * s + (r >= 0.65);
      t = 2 * t + ((r >= 0.5 && r < 0.65) || r >= 0.8);
    }
    from[e] = to[edges + e] = s;
    to[e] = from[edges + e] = t;
  }
  d.degree = Array<std::int64_t>(d.vertices);
  d.start = Array<std::int64_t>(d.vertices + 1);
  d.arcs = Array<Vertex>(2 * edges);
  for (const Vertex v : from) ++d.degree[v];
  for (std::int64_t v = 0; v < d.vertices; ++v) d.start[v + 1] = d.start[v] + d.degree[v];
  std::vector<std::int64_t> place(d.start.begin(), d.start.end());
  for (std::int64_t e = 0; e < 2 * edges; ++e) d.arcs[place[static_cast<std::size_t>(from[e])]++] = to[e];
  for (std::int64_t v = 0; v < d.vertices; ++v)
    if (d.degree[v] > d.degree[d.root]) d.root = static_cast<Vertex>(v);
}

void find_levels(Data& d) {
  d.level = Array<std::int32_t>(d.vertices);
  std::fill(d.level.begin(), d.level.end(), -1);
  d.level[d.root] = 0;
  Vertices queue{d.root};
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const Vertex v = queue[head];
    for (std::int64_t j = d.start[v]; j < d.start[v + 1]; ++j)
      if (d.level[d.arcs[j]] < 0) d.level[d.arcs[j]] = d.level[v] + 1, queue.push_back(d.arcs[j]);
  }
}

// A parent of each reached vertex, one level nearer to the root; the root's is itself, the others' are below
// zero.
template <typename Parents>
std::string right_tree(const Data& d, const Parents& parents) {
  if (static_cast<std::int64_t>(parents.size()) != d.vertices) return "wrong number of vertices";
  for (std::int64_t v = 0; v < d.vertices; ++v) {
    const auto parent = static_cast<std::int64_t>(parents[static_cast<std::size_t>(v)]);
    if ((parent >= 0) != (d.level[v] >= 0)) return "vertex " + std::to_string(v) + " is reached by one only";
    const Vertex *begin = d.arcs.data() + d.start[v], *end = d.arcs.data() + d.start[v + 1];
    if (parent >= 0 && v != d.root &&
        (std::find(begin, end, parent) == end || d.level[parent] + 1 != d.level[v]))
      return "vertex " + std::to_string(v) + " has a wrong parent";
  }
  return "";
}

Vertices joined(const std::vector<Vertices>& lists) {
  Vertices all;
  for (const Vertices& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

// The library's: from the frontier to its neighbours, each of which is won by compare and swap.
void frontier_search(const Data& d, const Array<Vertex>& parents, int threads) {
  std::fill(parents.begin(), parents.end(), -1);
  parents[d.root] = d.root;
  for (Vertices frontier{d.root}; !frontier.empty();) {
    const auto size = static_cast<std::int64_t>(frontier.size());
    constexpr std::int64_t kBlock = 64;
    std::vector<Vertices> next(static_cast<std::size_t>((size + kBlock - 1) / kBlock));
    blocks(threads, size, kBlock, [&](std::int64_t lo, std::int64_t hi) {
      Vertices& mine = next[static_cast<std::size_t>(lo / kBlock)];
      for (std::int64_t i = lo; i < hi; ++i) {
        const Vertex v = frontier[static_cast<std::size_t>(i)];
        for (std::int64_t j = d.start[v]; j < d.start[v + 1]; ++j) {
          const std::atomic_ref<Vertex> parent(parents[d.arcs[j]]);
          Vertex none = -1;
          if (parent.load(std::memory_order_relaxed) < 0 && parent.compare_exchange_strong(none, v))
            mine.push_back(d.arcs[j]);
        }
      }
    });
    frontier = joined(next);
  }
}

// While few vertices are in the frontier, from it to its neighbours; while many, from who is not reached yet
// to any neighbour in the frontier (Beamer's direction-optimising search).
class DirectionSearch {
 public:
  DirectionSearch(const Data& d, const Array<Vertex>& parents, int threads)
      : d_(d), parents_(parents), threads_(threads) {}

  void run() {
    std::fill(parents_.begin(), parents_.end(), -1);
    parents_[d_.root] = d_.root;
    frontier_ = {d_.root};
    for (std::int64_t size = 1; size > 0;) {
      const bool up = dense_ ? size > d_.vertices / 20 : arcs_of_frontier() > d_.arcs.size() / 20;
      size = up ? bottom_up() : top_down();
    }
  }

 private:
  [[nodiscard]] std::int64_t arcs_of_frontier() const {
    std::int64_t arcs = 0;
    for (const Vertex v : frontier_) arcs += d_.degree[v];
    return arcs;
  }

  std::int64_t bottom_up() {
    if (!dense_) {
      in_.assign(static_cast<std::size_t>(d_.vertices), 0);
      next_.resize(in_.size());
      for (const Vertex v : frontier_) in_[static_cast<std::size_t>(v)] = 1;
    }
    dense_ = true;
    std::atomic<std::int64_t> found = 0;
    blocks(threads_, d_.vertices, 4096, [&](std::int64_t lo, std::int64_t hi) {
      std::int64_t mine = 0;
      for (std::int64_t v = lo; v < hi; ++v) mine += next_[static_cast<std::size_t>(v)] = finds_parent(v);
      found += mine;
    });
    in_.swap(next_);
    return found;
  }

  unsigned char finds_parent(std::int64_t v) const {
    if (parents_[v] >= 0) return 0;
    for (std::int64_t j = d_.start[v]; j < d_.start[v + 1]; ++j)
      if (in_[static_cast<std::size_t>(d_.arcs[j])] != 0) {
        parents_[v] = d_.arcs[j];
        return 1;
      }
    return 0;
  }

  std::int64_t top_down() {
    if (dense_) {
      frontier_.clear();
      for (std::int64_t v = 0; v < d_.vertices; ++v)
        if (in_[static_cast<std::size_t>(v)] != 0) frontier_.push_back(static_cast<Vertex>(v));
    }
    dense_ = false;
    Vertices next;
    for (const Vertex v : frontier_)
      for (std::int64_t j = d_.start[v]; j < d_.start[v + 1]; ++j)
        if (const Vertex w = d_.arcs[j]; parents_[w] < 0) {
          parents_[w] = v;
          next.push_back(w);
        }
    frontier_.swap(next);
    return static_cast<std::int64_t>(frontier_.size());
  }

  const Data& d_;
  const Array<Vertex>& parents_;
  int threads_;
  bool dense_ = false;  // the frontier is in in_, not in frontier_
  Vertices frontier_;
  std::vector<unsigned char> in_, next_;
};

}  // namespace

Instance bfs(const Problem& p) {
  const auto d = std::make_shared<Data>();
  make_graph(*d, p);
  find_levels(*d);
  d->hand = Array<Vertex>(d->vertices);
  d->library = Array<Vertex>(d->vertices);
  Instance it;
  it.inputs = {
      {"graph", "[[int]]", {sequence_of(d->vertices), *lib::make_segdes(d->degree.all()), borrowed(d->arcs)}},
      {"root", "int", {lib::make_ints(std::vector<std::int64_t>{d->root})}}};
  it.expression = "bfs([root], rep(dist(-1, #graph), root, root), graph)";
  it.check = [d](Values v) {
    std::string wrong = "no integers";
    with_ints(v[1], [&](const auto& parents) { wrong = right_tree(*d, parents); });
    return wrong;
  };
  it.rivals.push_back({"hand", "direction-optimising search",
                       [d, p] { DirectionSearch(*d, d->hand, p.threads).run(); },
                       [d] { return right_tree(*d, d->hand.all()); }});
  it.rivals.push_back({"library", "frontiers, neighbours won by compare and swap",
                       [d, p] { frontier_search(*d, d->library, p.threads); },
                       [d] { return right_tree(*d, d->library.all()); }});
  return it;
}

}  // namespace nvm::bench
