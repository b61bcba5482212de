// Lifted functions as BlockPlans: which have one, and that it means what the interpreter does, errors
// included.
#include <rapidcheck.h>

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bytecode/plan/block_plan.h"
#include "tests/support/bare_machine.h"
#include "tests/support/block_reference.h"
#include "tests/support/lifted_arguments.h"
#include "tests/support/lifted_programs.h"
#include "tests/support/nesl_module.h"
#include "tests/support/nesl_recursions.h"
#include "tests/support/random_module.h"
#include "tests/support/vcode_module.h"
#include "vm/interp/interp.h"

namespace nvm {
namespace {

using test::Column;
using testing::BlockValue;
using testing::Element;

constexpr std::int64_t kDeep = 60;  // calls

BlockValue block_value(const vm::Value& value) {
  BlockValue out;
  if (const auto* s = std::get_if<vm::Segdes>(&value)) {
    for (std::int64_t k = 0; k < s->segments(); ++k) out.lengths.push_back(s->length(k));
    return out;
  }
  const auto& v = std::get<vm::Vector>(value);
  for (std::int64_t i = 0; i < v.length(); ++i) {
    if (v.type() == Type::kFloat)
      out.elements.push_back({0, v.is_scalar() ? v.scalar_float() : v.data<double>()[i]});
    else if (v.type() == Type::kBool)
      out.elements.push_back({v.is_scalar() ? v.scalar_bool() : v.data<std::uint8_t>()[i], 0});
    else
      out.elements.push_back({v.is_scalar() ? v.scalar_int() : v.int_at(i), 0});
  }
  return out;
}

bool same(const BlockValue& a, const BlockValue& b) {
  if (a.lengths != b.lengths || a.elements.size() != b.elements.size()) return false;
  for (std::size_t i = 0; i < a.elements.size(); ++i) {
    const Element x = a.elements[i], y = b.elements[i];
    if (x.i != y.i) return false;
    if (std::isnan(x.f) && std::isnan(y.f)) continue;
    if (std::bit_cast<std::uint64_t>(x.f) != std::bit_cast<std::uint64_t>(y.f)) return false;
  }
  return true;
}

// What the comparisons below have met: where nothing was compared, nothing was shown.
struct Met {
  int results = 0, faults = 0;
};

// On random instances: the same results, and given up where the interpreter faults and nowhere else.
void means_the_same(Met& met, const ssa::Module& module, ssa::FunctionId id, const plan::BlockPlan& plan,
                    test::Choices choices) {
  const ssa::Function& f = module.functions[static_cast<std::size_t>(id)];
  const auto columns = test::lifted_columns(f, static_cast<std::int64_t>(choices.below(7)), choices);
  test::BareMachine bare(module, kDeep);
  std::vector<BlockValue> arguments;
  for (const vm::Value& v : test::lifted_arguments(bare.pool, f, columns))
    arguments.push_back(block_value(v));
  const testing::BlockRun run =
      testing::evaluate(plan, std::move(arguments), static_cast<std::size_t>(kDeep) + 1);
  const vm::Outcome outcome =
      vm::Interp(bare.code, bare.machine).call(id, test::lifted_arguments(bare.pool, f, columns));
  RC_LOG() << ssa::print(module, f) << plan::print(plan) << run.why;
  if (outcome.error || outcome.exited) {
    ++met.faults;
    RC_ASSERT(!run.results.has_value());
    return;
  }
  ++met.results;
  RC_ASSERT(run.results.has_value());
  RC_ASSERT(run.within_bounds);
  RC_ASSERT(run.results->size() == outcome.values.size());
  for (std::size_t r = 0; r < outcome.values.size(); ++r)
    RC_ASSERT(same((*run.results)[r], block_value(outcome.values[r])));
}

struct Found {
  std::size_t plans = 0;
  std::map<std::string, int> refusals;
};

// Every lifted function of the module that has a plan.
template <typename Visit>
Found each_plan(const ssa::Module& module, plan::Fusion fusion, Visit&& visit) {
  Found found;
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    if (module.functions[i].removed || !module.functions[i].lifted.lifted) continue;
    std::string refusal;
    const auto id = static_cast<ssa::FunctionId>(i);
    const auto plan = plan::build_block_plan(module, id, fusion, refusal);
    if (!plan) {
      REQUIRE(!refusal.empty());
      ++found.refusals[refusal];
      continue;
    }
    ++found.plans;
    visit(id, *plan);
  }
  return found;
}

std::string told(const Found& found) {
  std::string out = std::to_string(found.plans);
  for (const auto& [why, n] : found.refusals) out += "; " + std::to_string(n) + " " + why;
  return out;
}

}  // namespace

TEST_CASE("plans of recursive NESL functions mean what the interpreter does") {
  Met met;
  for (const plan::Fusion fusion : {plan::Fusion::kOff, plan::Fusion::kGreedy})
    for (const test::Recursion& recursion : test::nesl_recursions()) {
      const ssa::Module module = test::nesl_module(recursion.text);
      const Found found = each_plan(module, fusion, [&](ssa::FunctionId id, const plan::BlockPlan& plan) {
        INFO(recursion.name << " " << plan.name);
        CHECK(rc::check(recursion.name,
                        [&] { means_the_same(met, module, id, plan, test::Choices(test::long_list())); }));
      });
      UNSCOPED_INFO(recursion.name << ": " << told(found));
      CHECK(found.plans > 0);
    }
  CHECK(met.results > 0);
  CHECK(met.faults > 0);
}

TEST_CASE("which lifted functions of the gallery have a plan, and why others have none") {
  std::string all;
  for (const char* name : {"barnes_hut", "bfs", "components", "fft", "kd_tree", "median", "nqueens",
                           "quickhull", "quicksort", "sorting_network", "string_search"}) {
    std::ifstream file(std::string(NVM_SOURCE_DIR) + "/programs/" + name + ".nesl");
    const ssa::Module module = test::nesl_module({std::istreambuf_iterator<char>(file), {}});
    all += std::string(name) + ": ";
    all +=
        told(each_plan(module, plan::Fusion::kGreedy, [](ssa::FunctionId, const plan::BlockPlan&) {})) + "\n";
  }
  CHECK(all == R"(barnes_hut: 0
bfs: 1
components: 0
fft: 1
kd_tree: 1
median: 0
nqueens: 1
quickhull: 1
quicksort: 1
sorting_network: 2
string_search: 0
)");
}

TEST_CASE("a lifted function of VCODE by hand has a plan") {
  Met met;
  const ssa::Module module = test::vcode_module(test::kFactorial);
  const Found found =
      each_plan(module, plan::Fusion::kGreedy, [&](ssa::FunctionId id, const plan::BlockPlan& plan) {
        CHECK(rc::check("factorial",
                        [&] { means_the_same(met, module, id, plan, test::Choices(test::long_list())); }));
      });
  CHECK(told(found) == "1");
  CHECK(met.results > 0);
}

TEST_CASE("what has no plan is refused, with a reason") {
  ssa::Module module = test::nesl_module(test::nesl_recursions().front().text);
  std::string refusal;
  CHECK(!plan::build_block_plan(module, module.entry, plan::Fusion::kGreedy, refusal));
  CHECK(refusal == "it is not lifted");
  ssa::FunctionId id = 0;
  while (!module.functions[static_cast<std::size_t>(id)].lifted.lifted) ++id;
  REQUIRE(plan::build_block_plan(module, id, plan::Fusion::kGreedy, refusal));
  module.prefix_lengths = true;
  CHECK(!plan::build_block_plan(module, id, plan::Fusion::kGreedy, refusal));
  CHECK(refusal == "lengths of the legacy compiler are not checked");
  CHECK(plan::print_block_plans(module, plan::Fusion::kGreedy) ==
        "block plan of f" + std::to_string(id) + " QUICKSORT_2: none, " + refusal + "\n");
}

TEST_CASE("memory is bounded by the lengths that are known when a block is entered") {
  plan::Plan plan;
  plan.lengths = {plan::LengthKind::kOne, plan::LengthKind::kBound, plan::LengthKind::kCounted};
  plan::Var x;
  x.length = 1;
  plan::Var kept;
  kept.role = plan::VarRole::kOutput;
  kept.length = 2;
  plan.vars = {x, kept};
  plan::Kernel kernel;
  kernel.space = 1;
  plan::Sink count;
  count.kind = plan::SinkKind::kCount;
  count.out_length = 2;
  kernel.sinks = {count};
  plan.kernels = {kernel};
  const auto most = [&](std::int64_t n) {
    const std::int64_t lengths[] = {1, n, 0};
    return plan::MemoryBound(plan).bytes(lengths);
  };
  CHECK(most(0) == 128);  // nothing, and what may be read behind it
  CHECK(most(8) == 192);
  CHECK(most(9) == 192);
  CHECK(most(std::int64_t{1} << 62) == std::int64_t{1} << 62);
}

TEST_CASE("plans of random lifted functions mean what the interpreter does") {
  Met met;
  std::size_t planned = 0;
  CHECK(rc::check("random lifted functions", [&] {
    const ssa::Module module = test::random_module();
    planned += each_plan(module, plan::Fusion::kGreedy, [&](ssa::FunctionId id, const plan::BlockPlan& plan) {
                 means_the_same(met, module, id, plan, test::Choices(test::long_list()));
               }).plans;
  }));
  CHECK(planned > 0);
  CHECK(met.results > 0);
}

}  // namespace nvm
