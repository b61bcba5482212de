// The exact schedule is the cheapest there is, by whatever way it is found: of random small graphs all ways
// to put the anchors into kernels and the kernels into an order are tried, without the searches, their prices
// or their order of kernels. Of larger ones the searches agree.
#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
#include <random>

#include "bytecode/plan/cost.h"
#include "bytecode/plan/integer.h"
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
  RandomGraph(std::uint64_t seed, std::int64_t fewest, std::int64_t more) : rng_(seed) {
    for (int i = 0; i < 2; ++i) {
      const auto n = region_.length();
      spaces_.push_back({region_.whole(n), region_.vector(Type::kInt, n), {}});
      for (int x = 0; x < 2; ++x) spaces_.back().floats.push_back(region_.vector(Type::kFloat, n));
    }
    scalars_.push_back(region_.scalar(Type::kFloat));
    const auto steps = fewest + below(rng_, more);
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

std::size_t most_anchors(const soac::Graph& graph) {
  std::size_t most = 0;
  for_each_storing(graph, [&](const auto&, const Anchors& a) { most = std::max(most, a.size()); });
  return most;
}

// The cost that a search added up is that of the kernels it ended with.
void check_cost(const soac::Graph& graph, const Schedule& s) {
  Anchors anchors, kernel_of;
  for (std::size_t n = 0; n < s.kernel.size(); ++n) {
    if (s.kernel[n] == soac::kNone) continue;
    anchors.push_back(static_cast<std::int32_t>(n));
    kernel_of.push_back(s.kernel[n]);
  }
  const auto again = cost_of(graph, s.stored, anchors, kernel_of);
  REQUIRE(again.has_value());
  REQUIRE(s.cost == Approx(*again));
}

// One way alone, from the dearest schedule on.
Schedule by_branch_and_bound(const soac::Graph& graph) {
  Schedule s = schedule_off(graph);
  branch_and_bound(graph, storings_of(graph).value(), s);
  return s;
}
Schedule by_integer_program(const soac::Graph& graph, int& cuts) {
  Schedule s = schedule_off(graph);
  cuts += integer_program(graph, storings_of(graph).value(), s).cuts;
  return s;
}

}  // namespace

TEST_CASE("exact schedules are the cheapest of all") {
  int graphs = 0, searched = 0, greedy_was_dearer = 0, cuts = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const soac::Graph graph = RandomGraph(seed, 3, 6).graph();
    const std::size_t most = most_anchors(graph);
    if (most < 2 || most > (seed % 16 == 0 ? 6 : 5)) continue;
    INFO("seed " << seed << "\n" << soac::print(graph));
    double best = schedule_off(graph).cost;
    for_each_storing(graph, [&](const std::vector<bool>& stored, const Anchors& anchors) {
      best = std::min(best, cheapest_way(graph, stored, anchors));
    });
    const Schedule greedy = schedule_greedy(graph), exact = schedule_exact(graph),
                   bounded = by_branch_and_bound(graph), integer = by_integer_program(graph, cuts);
    for (const Schedule& s : {greedy, exact, bounded, integer}) {
      check(build(graph, s));
      REQUIRE(s.cost >= best * 0.999999);
      if (s.found_by != Search::kNone) check_cost(graph, s);
      if (s.proved_by != Search::kNone) REQUIRE(s.cost == Approx(best));
    }
    REQUIRE(exact.cost <= greedy.cost);
    REQUIRE(exact.proved_by != Search::kNone);
    REQUIRE(integer.proved_by == Search::kInteger);
    ++graphs;
    searched += bounded.proved_by == Search::kBranchAndBound ? 1 : 0;
    greedy_was_dearer += greedy.cost > exact.cost ? 1 : 0;
  }
  INFO(graphs << " graphs, " << searched << " searched to the end, greedy dearer in " << greedy_was_dearer
              << ", " << cuts << " cuts");
  CHECK(graphs > 200);
  CHECK(searched > graphs * 9 / 10);
  CHECK(greedy_was_dearer > 0);
  CHECK(cuts > 0);
}

TEST_CASE("branch and bound and the integer program agree on larger graphs") {
  int graphs = 0, both = 0, integer_alone = 0, cuts = 0;
  for (std::uint64_t seed = 1000; seed < 1500; ++seed) {
    const soac::Graph graph = RandomGraph(seed, 8, 14).graph();
    const std::size_t most = most_anchors(graph);
    if (most < 7 || most > 12 || !storings_of(graph)) continue;
    INFO("seed " << seed << "\n" << soac::print(graph));
    const Schedule exact = schedule_exact(graph), bounded = by_branch_and_bound(graph),
                   integer = by_integer_program(graph, cuts);
    for (const Schedule& s : {exact, bounded, integer}) {
      check(build(graph, s));
      if (s.found_by != Search::kNone) check_cost(graph, s);
    }
    REQUIRE(exact.cost <= schedule_greedy(graph).cost);
    ++graphs;
    if (integer.proved_by == Search::kNone) continue;
    REQUIRE(integer.cost <= bounded.cost * 1.000001);
    REQUIRE(exact.cost == Approx(integer.cost));
    const bool searched = bounded.proved_by != Search::kNone;
    if (searched) REQUIRE(bounded.cost == Approx(integer.cost));
    (searched ? both : integer_alone) += 1;
  }
  INFO(graphs << " graphs, " << both << " proved both ways, " << integer_alone
              << " by the integer program alone, " << cuts << " cuts");
  CHECK(graphs > 100);
  CHECK(both > 20);
  CHECK(integer_alone > 20);
  CHECK(cuts > 20);
}
