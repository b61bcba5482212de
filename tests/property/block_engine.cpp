// Block plans compiled and run mean what the interpreter does: the same bits, and given up wherever it
// faults. On data of every magnitude, and segments of every shape.
#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/any_numbers.h"
#include "tests/support/bare_machine.h"
#include "tests/support/fast_paths.h"
#include "tests/support/isas.h"
#include "tests/support/lifted_arguments.h"
#include "tests/support/lifted_programs.h"
#include "tests/support/nesl_module.h"
#include "tests/support/nesl_recursions.h"
#include "tests/support/random_module.h"
#include "tests/support/vcode_module.h"
#include "vm/data/compare.h"
#include "vm/tier/block_plans.h"

namespace nvm {
namespace {

using test::Choices;
using test::Column;

constexpr std::int64_t kDeep = 60;  // calls
constexpr std::size_t kMemory = std::size_t{256} << 20;

// Elements under sizes are data of every magnitude: nothing that a function counts by, or recurs on.
void draw_data(const ssa::Function& f, std::vector<vm::Value>& arguments, IntBits bits, Choices& choices) {
  const auto draw = [&] { return choices.bits(); };
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    auto* v = std::get_if<vm::Vector>(&arguments[i]);
    if (v == nullptr || f.lifted.parameters[i].kind != ssa::Split::Kind::kUnder) continue;
    if (v->is_scalar() && v->type() == Type::kFloat) *v = vm::Vector::of_float(test::any_float(draw));
    if (v->is_scalar() && v->type() == Type::kInt) *v = vm::Vector::of_int(test::any_int(draw, bits));
    for (std::int64_t k = 0; !v->is_scalar() && k < v->length(); ++k) {
      if (v->storage() == Storage::kF64) v->mutable_data<double>()[k] = test::any_float(draw);
      if (v->storage() == Storage::kI32)
        v->mutable_data<std::int32_t>()[k] = static_cast<std::int32_t>(test::any_int(draw, bits));
      if (v->storage() == Storage::kI64) v->mutable_data<std::int64_t>()[k] = test::any_int(draw, bits);
    }
  }
}

// What the comparisons below have met: where nothing was compared, nothing was shown.
struct Met {
  int results = 0, faults = 0;
};

struct Way {
  vm::cpu::Isa isa = vm::cpu::Isa::kAvx2;
  plan::Fusion fusion = plan::Fusion::kExact;
  bool any_data = false;
};

std::unique_ptr<const vm::FunctionCode> compiled(const ssa::Module& module, ssa::FunctionId id,
                                                 const Way& way, plan::Engine& engine) {
  std::string why;
  auto plan = plan::build_block_plan(module, id, way.fusion, why);
  if (!plan) return nullptr;
  vm::CodeByPlan known;
  auto code = vm::compile_blocks(std::move(*plan), engine, known, why);
  INFO(why);
  REQUIRE(code != nullptr);
  return code;
}

void means_the_same(Met& met, const ssa::Module& module, ssa::FunctionId id, const vm::FunctionCode& code,
                    const Way& way, Choices choices) {
  const ssa::Function& f = module.functions[static_cast<std::size_t>(id)];
  const auto instances = static_cast<std::int64_t>(choices.below(choices.one_in(3) ? 40 : 7));
  const std::size_t longest = choices.one_in(3) ? 150 : 4;
  const auto columns = test::lifted_columns(f, instances, choices, longest);
  test::BareMachine bare(module, kDeep, kMemory);
  std::vector<vm::Value> arguments = test::lifted_arguments(bare.pool, f, columns, module.int_bits);
  if (way.any_data) draw_data(f, arguments, module.int_bits, choices);
  vm::BlockRun::Limits limits;
  limits.calls = kDeep + 1;
  limits.frame_bytes = limits.arena_bytes = kMemory;
  limits.arena_piece = 1 << choices.below(20);
  vm::BlockRun run(code, bare.code.constants, bare.machine.prims, limits);
  const auto results = run.run(arguments);
  const vm::Outcome outcome = vm::Interp(bare.code, bare.machine).call(id, arguments);
  RC_LOG() << ssa::print(module, f) << plan::print(code.plan)
           << (results ? "" : vm::kGaveUpNames[static_cast<std::size_t>(run.why())]);
  if (outcome.error || outcome.exited) {
    ++met.faults;
    RC_ASSERT(!results.has_value());
    return;
  }
  ++met.results;
  RC_ASSERT(results.has_value());
  RC_ASSERT(results->size() == outcome.values.size());
  for (std::size_t r = 0; r < outcome.values.size(); ++r)
    RC_ASSERT(vm::difference((*results)[r], outcome.values[r]) == "");
}

// Every lifted function of the module that has a plan.
void all_mean_the_same(Met& met, const char* name, const ssa::Module& module, const Way& way) {
  const auto engine = vm::cpu::make_engine({.isa = way.isa});
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    if (module.functions[i].removed || !module.functions[i].lifted.lifted) continue;
    const auto id = static_cast<ssa::FunctionId>(i);
    const auto code = compiled(module, id, way, *engine);
    if (code == nullptr) continue;
    INFO(name << " " << module.functions[i].name);
    CHECK(rc::check(name, [&] { means_the_same(met, module, id, *code, way, Choices(test::long_list())); }));
  }
}

// Whose recursion ends whatever the data.
bool takes_any_data(const std::string& name) { return name != "quickhull"; }

constexpr const char* kFloatSort = R"(
function quicksort(v) =
if #v < 2 then v
else let pivot = v[#v / 2];
         parts = {quicksort(part) : part in [{x in v | x < pivot}, {x in v | x > pivot}]}
     in parts[0] ++ {x in v | x == pivot} ++ parts[1] $
{quicksort({float(rem(i * k, 7)) : i in [0:k]}) : k in [0:9]} $)";

// Memory that never suffices, or does.
void gives_up_or_means_the_same(Met& met, const ssa::Module& module, ssa::FunctionId id,
                                const vm::FunctionCode& code, Choices choices) {
  const ssa::Function& f = module.functions[static_cast<std::size_t>(id)];
  const auto columns = test::lifted_columns(f, 20, choices, 50);
  test::BareMachine bare(module, kDeep, kMemory);
  const std::vector<vm::Value> arguments = test::lifted_arguments(bare.pool, f, columns, module.int_bits);
  vm::BlockRun::Limits limits;
  limits.calls = 1 + static_cast<std::int64_t>(choices.below(20));
  limits.frame_bytes = choices.below(1 << 16);
  limits.arena_bytes = choices.below(1 << 17);
  limits.arena_piece = 1 << choices.below(20);
  if (choices.one_in(2)) bare.pool.fail_at(1 + choices.below(8));
  vm::BlockRun run(code, bare.code.constants, bare.machine.prims, limits);
  std::optional<std::vector<vm::Value>> results;
  try {
    results = run.run(arguments);
  } catch (const vm::Fault& fault) {
    RC_ASSERT(fault.kind == vm::Fault::Kind::kMemory);
  }
  bare.pool.fail_at(0);
  ++(results ? met.results : met.faults);
  if (!results) return;
  const vm::Outcome outcome = vm::Interp(bare.code, bare.machine).call(id, arguments);
  RC_ASSERT(!outcome.error);
  for (std::size_t r = 0; r < outcome.values.size(); ++r)
    RC_ASSERT(vm::difference((*results)[r], outcome.values[r]) == "");
}

}  // namespace

TEST_CASE("compiled plans of recursive NESL functions mean what the interpreter does") {
  for (const vm::cpu::Isa isa : testing::isas()) {
    Met met;
    for (const test::Recursion& recursion : test::nesl_recursions())
      all_mean_the_same(met, recursion.name, test::nesl_module(recursion.text),
                        {isa, plan::Fusion::kExact, takes_any_data(recursion.name)});
    all_mean_the_same(met, "sort of FLOATs", test::nesl_module(kFloatSort),
                      {isa, plan::Fusion::kExact, true});
    CHECK(met.results > 0);
    CHECK(met.faults > 0);
  }
}

TEST_CASE("compiled plans in 32 bits, and without fusion, mean what the interpreter does") {
  for (const vm::cpu::Isa isa : testing::isas()) {
    Met met;
    for (const test::Recursion& recursion : test::nesl_recursions())
      all_mean_the_same(met, recursion.name, test::nesl_module(recursion.text, IntBits::k32),
                        {isa, plan::Fusion::kOff, false});
    CHECK(met.results > 0);
  }
}

TEST_CASE("compiled plans of random lifted functions mean what the interpreter does") {
  for (const vm::cpu::Isa isa : testing::isas()) {
    Met met;
    const auto engine = vm::cpu::make_engine({.isa = isa});
    CHECK(rc::check("random lifted functions", [&] {
      const ssa::Module module = test::random_module();
      const Way way{isa, plan::Fusion::kGreedy, true};
      for (std::size_t i = 0; i < module.functions.size(); ++i) {
        const auto id = static_cast<ssa::FunctionId>(i);
        if (module.functions[i].removed || !module.functions[i].lifted.lifted) continue;
        if (const auto code = compiled(module, id, way, *engine))
          means_the_same(met, module, id, *code, way, Choices(test::long_list()));
      }
    }));
    CHECK(met.results > 0);
  }
}

TEST_CASE("a compiled plan that memory or depth does not suffice for is given up, or means the same") {
  for (const vm::cpu::Isa isa : testing::isas()) {
    Met met;
    const auto engine = vm::cpu::make_engine({.isa = isa});
    const ssa::Module module = test::nesl_module(test::nesl_recursions().front().text);
    ssa::FunctionId id = 0;
    while (!module.functions[static_cast<std::size_t>(id)].lifted.lifted) ++id;
    const auto code = compiled(module, id, {isa}, *engine);
    REQUIRE(code != nullptr);
    CHECK(rc::check("limits",
                    [&] { gives_up_or_means_the_same(met, module, id, *code, Choices(test::long_list())); }));
    CHECK(met.results > 0);
    CHECK(met.faults > 0);
  }
}

TEST_CASE("a run that is to stop gives its group up") {
  if (testing::isas().empty()) return;
  const auto engine = vm::cpu::make_engine();
  const ssa::Module module = test::vcode_module(test::kFactorial);
  ssa::FunctionId id = 0;
  while (module.functions[static_cast<std::size_t>(id)].name != "FACT") ++id;
  const auto code = compiled(module, id, {testing::isas().front()}, *engine);
  REQUIRE(code != nullptr);
  test::BareMachine bare(module, 0);
  Choices choices({1, 2, 3});
  const ssa::Function& f = module.functions[static_cast<std::size_t>(id)];
  const auto arguments = test::lifted_arguments(bare.pool, f, test::lifted_columns(f, 3, choices));
  const std::atomic<vm::Stop> stop{vm::Stop::kTime};
  vm::BlockRun run(*code, bare.code.constants, bare.machine.prims, {0, kMemory, kMemory, 1 << 16, &stop});
  CHECK(!run.run(arguments).has_value());
  CHECK(run.why() == vm::GaveUp::kStopped);
}

TEST_CASE(
    "a worker's function is compiled once, counted, and left alone where it is given up again and again") {
  if (testing::isas().empty()) return;
  const auto engine = vm::cpu::make_engine();
  const ssa::Module module = test::nesl_module(test::nesl_recursions().front().text);
  test::BareMachine bare(module, 0);
  vm::FastPathCounts fast_paths;
  bare.machine.prims.fast_paths = &fast_paths;
  vm::BlockPlans plans(bare.code, *engine, {.mode = vm::JitMode::kAlways});
  ssa::FunctionId id = 0;
  while (!module.functions[static_cast<std::size_t>(id)].lifted.lifted) ++id;
  const ssa::Function& f = module.functions[static_cast<std::size_t>(id)];
  Choices choices({3, 1, 2, 3, 1, 2, 2, 1});
  const auto arguments = test::lifted_arguments(bare.pool, f, test::lifted_columns(f, 3, choices));
  const auto hook = plans.hook(vm::Caller::kWorker, bare.machine.prims, 0, kMemory);
  CHECK(hook->run(id, 0, arguments).has_value());
  CHECK(hook->run(id, 0, arguments).has_value());
  testing::check_taken(fast_paths, {testing::FastPath::kBlockPlan});
  CHECK(plans.counters().compiled == 1);
  CHECK(plans.counters().groups == 2);
  CHECK(plans.counters().blocks > 2);
  const auto poor = plans.hook(vm::Caller::kWorker, bare.machine.prims, 0, 0);  // without memory for frames
  for (int i = 0; i < 5; ++i) CHECK(!poor->run(id, 0, arguments).has_value());
  CHECK(plans.counters().gave_up[static_cast<std::size_t>(vm::GaveUp::kCalls)] == 3);
  CHECK(plans.counters().gave_up[static_cast<std::size_t>(vm::GaveUp::kNoCode)] == 2);
  CHECK(plans.refusals().empty());
  CHECK(!hook->run(module.entry, 0, {}).has_value());
  CHECK(plans.refusals().size() == 1);
}

}  // namespace nvm
