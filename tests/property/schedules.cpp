// The exact schedule is the cheapest there is: of random small graphs all ways to put the anchors into
// kernels and the kernels into an order are tried, without the search, its prices or its order of kernels.
#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
#include <random>

#include "bytecode/plan/cost.h"
#include "bytecode/plan/placer.h"
#include "tests/property/gen_segdes.h"
#include "tests/support/region_builder.h"

using namespace nvm;
using namespace nvm::plan;
using nvm::test::RegionBuilder;
using nvm::testing::below;

namespace {

constexpr auto kF = TypeWord::kFloat;

// Some lines over two spaces and what filters keep of them.
class RandomGraph {
 public:
  explicit RandomGraph(std::uint64_t seed) : rng_(seed) {
    for (int i = 0; i < 2; ++i) {
      const auto n = region_.length();
      spaces_.push_back({region_.whole(n), region_.vector(Type::kInt, n), {}});
      for (int x = 0; x < 2; ++x) spaces_.back().floats.push_back(region_.vector(Type::kFloat, n));
    }
    scalars_.push_back(region_.scalar(Type::kFloat));
    const auto steps = 3 + below(rng_, 6);
    for (std::int64_t i = 0; i < steps; ++i) step();
  }
  [[nodiscard]] soac::Graph graph() const { return soac::build(region_.region()); }

 private:
  struct Space {
    soac::VarId whole;
    soac::VarId index;  // kNone of a counted space
    std::vector<soac::VarId> floats;
  };
  [[nodiscard]] Space& space() { return spaces_[pick(spaces_.size())]; }
  [[nodiscard]] std::size_t pick(std::size_t n) {
    return static_cast<std::size_t>(below(rng_, static_cast<std::int64_t>(n)));
  }
  [[nodiscard]] soac::VarId one_of(const std::vector<soac::VarId>& from) { return from[pick(from.size())]; }
  soac::VarId result(soac::VarId x) {
    if (below(rng_, 3) == 0) region_.live(x);
    return x;
  }

  void step() {
    Space& s = space();
    const soac::VarId x = one_of(s.floats), y = one_of(s.floats);
    switch (below(rng_, 8)) {
      case 0: s.floats.push_back(result(region_.op(Op::kMul, kF, {x, y}))); break;
      case 1:
      case 2: scalars_.push_back(result(region_.op(Op::kAddReduce, kF, {x, s.whole}))); break;
      case 3: s.floats.push_back(result(region_.op(Op::kAddScan, kF, {x, s.whole}))); break;
      case 4: {
        const auto flags = region_.op(Op::kGt, kF, {x, y});
        const auto kept = result(region_.op(Op::kPack, kF, {x, flags, s.whole}));
        spaces_.push_back({region_.second_result(), soac::kNone, {kept}});
        break;
      }
      case 5: s.floats.push_back(result(region_.op(Op::kDist, kF, {one_of(scalars_), s.whole}))); break;
      case 6: {
        if (s.index == soac::kNone) break;
        Space& from = space();
        const auto source = one_of(from.floats);
        s.floats.push_back(result(region_.op(Op::kBpermute, kF, {source, s.index, from.whole, s.whole})));
        break;
      }
      default: {
        if (s.index == soac::kNone) break;
        Space& to = space();
        const auto flags = region_.op(Op::kGt, kF, {x, y});
        to.floats.push_back(result(region_.op(Op::kFpermute, kF, {x, s.index, flags, s.whole, to.whole})));
      }
    }
  }

  std::mt19937_64 rng_;
  RegionBuilder region_;
  std::vector<Space> spaces_;
  std::vector<soac::VarId> scalars_;
};

// What the kernels cost if anchor i goes into the one numbered kernel_of[i], and they run by number; nullopt
// if they cannot.
std::optional<double> cost_of(const soac::Graph& graph, const std::vector<bool>& stored,
                              const std::vector<std::int32_t>& anchors,
                              const std::vector<std::int32_t>& kernel_of) {
  Schedule s;
  s.stored = stored;
  s.kernel.assign(graph.nodes.size(), soac::kNone);
  const std::int32_t kernels = 1 + *std::max_element(kernel_of.begin(), kernel_of.end());
  std::vector<Body> bodies(static_cast<std::size_t>(kernels));
  s.spaces.assign(bodies.size(), soac::kNone);
  for (std::size_t i = 0; i < anchors.size(); ++i) {
    const auto n = static_cast<std::size_t>(anchors[i]);
    s.kernel[n] = kernel_of[i];
    LengthId& base = s.spaces[static_cast<std::size_t>(kernel_of[i])];
    if (base == soac::kNone) base = graph.nodes[n].space;
  }
  for (std::size_t i = 0; i < anchors.size(); ++i) {
    const soac::Node& node = graph.nodes[static_cast<std::size_t>(anchors[i])];
    const auto k = static_cast<std::size_t>(kernel_of[i]);
    Composer composer(graph, s, kernel_of[i], s.spaces[k], bodies[k]);
    Refusal refusal = Refusal::kNone;
    if (!composer.counted_before(s.spaces[k]) || !compose(graph, composer, anchors[i], refusal)) return {};
    if (node.kind == soac::Combinator::kPermute &&
        !composer.counted_before(graph.vars[static_cast<std::size_t>(node.out)].length))
      return {};
  }
  double cost = 0.0;
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    cost += launch_cost(graph, s.spaces[k]) + body_bytes(graph, bodies[k], s.spaces[k]);
    for (const soac::BodyInst& in : bodies[k].insts)
      if (in.pull == soac::Pull::kElement && graph.producer[static_cast<std::size_t>(in.var)] >= 0)
        s.stored[static_cast<std::size_t>(graph.producer[static_cast<std::size_t>(in.var)])] = true;
  }
  for (const std::int32_t n : anchors)
    if (s.stored[static_cast<std::size_t>(n)])
      cost += vector_bytes(graph, graph.nodes[static_cast<std::size_t>(n)].out);
  return cost;
}

using Anchors = std::vector<std::int32_t>;

// Of all ways whose kernels are numbered without gaps.
double cheapest_way(const soac::Graph& graph, const std::vector<bool>& stored, const Anchors& anchors) {
  const auto most = static_cast<std::int32_t>(anchors.size());
  Anchors kernel_of(anchors.size(), 0);
  double best = schedule_off(graph).cost;
  for (;;) {
    std::vector<bool> used(anchors.size());
    for (const std::int32_t k : kernel_of) used[static_cast<std::size_t>(k)] = true;
    if (std::is_partitioned(used.begin(), used.end(), [](bool b) { return b; }))
      if (const auto cost = cost_of(graph, stored, anchors, kernel_of)) best = std::min(best, *cost);
    std::size_t i = 0;
    while (i < kernel_of.size() && ++kernel_of[i] == most) kernel_of[i++] = 0;
    if (i == kernel_of.size()) return best;
  }
}

// With any of the MAPs stored of which there is a choice.
template <typename F>
void for_each_storing(const soac::Graph& graph, F f) {
  const Anchors choices = storable(graph);
  for (std::size_t set = 0; set < std::size_t{1} << choices.size(); ++set) {
    Anchors stored;
    for (std::size_t i = 0; i < choices.size(); ++i)
      if ((set >> i & 1) != 0) stored.push_back(choices[i]);
    const Placer placer(graph, Placer::Inline::kMaps, stored);
    f(placer.schedule().stored, placer.anchors());
  }
}

}  // namespace

TEST_CASE("exact schedules are the cheapest of all") {
  int graphs = 0, proved = 0, greedy_was_dearer = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const soac::Graph graph = RandomGraph(seed).graph();
    std::size_t most = 0;
    for_each_storing(graph, [&](const auto&, const Anchors& a) { most = std::max(most, a.size()); });
    if (most < 2 || most > (seed % 16 == 0 ? 6 : 5)) continue;
    INFO("seed " << seed << "\n" << soac::print(graph));
    double best = schedule_off(graph).cost;
    for_each_storing(graph, [&](const std::vector<bool>& stored, const Anchors& anchors) {
      best = std::min(best, cheapest_way(graph, stored, anchors));
    });
    const Schedule exact = schedule_exact(graph), greedy = schedule_greedy(graph);
    check(build(graph, exact));
    check(build(graph, greedy));
    ++graphs;
    proved += exact.proved ? 1 : 0;
    greedy_was_dearer += greedy.cost > exact.cost ? 1 : 0;
    if (exact.proved) REQUIRE(exact.cost == Approx(best));
    REQUIRE(exact.cost >= best * 0.999999);
    REQUIRE(exact.cost <= greedy.cost);
    // The cost that the search added up is that of the kernels it ended with.
    Anchors anchors, kernel_of;
    for (std::size_t n = 0; n < exact.kernel.size(); ++n) {
      if (exact.kernel[n] == soac::kNone) continue;
      anchors.push_back(static_cast<std::int32_t>(n));
      kernel_of.push_back(exact.kernel[n]);
    }
    const auto again = cost_of(graph, exact.stored, anchors, kernel_of);
    REQUIRE(again.has_value());
    REQUIRE(exact.cost == Approx(*again));
  }
  INFO(graphs << " graphs, " << proved << " proved, greedy dearer in " << greedy_was_dearer);
  CHECK(graphs > 200);
  CHECK(proved == graphs);
  CHECK(greedy_was_dearer > 0);
}
