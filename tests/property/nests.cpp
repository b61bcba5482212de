// Loop nests mean what the interpreter does: the same bits, and given up wherever it faults. Of recursions
// that filter in several ways, whose lists are of every type and storage, empty, short, and longer than a
// vector.
#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/any_numbers.h"
#include "tests/support/bare_machine.h"
#include "tests/support/fast_paths.h"
#include "tests/support/gallery.h"
#include "tests/support/isas.h"
#include "tests/support/lifted_arguments.h"
#include "tests/support/nesl_module.h"
#include "tests/support/nesl_recursions.h"
#include "tests/support/random_module.h"
#include "vm/block/block_mode.h"
#include "vm/cpu/cpu_engine.h"
#include "vm/data/compare.h"
#include "vm/tier/nests.h"

namespace nvm {
namespace {

using test::Choices;

constexpr std::int64_t kDeep = 200;  // calls
constexpr std::size_t kMemory = std::size_t{256} << 20;

struct Sort {
  const char* name;
  std::string text;
  bool exact = true;  // are its results as long as its arguments?
};

std::string applied(const std::string& function) {
  return function + "{order({rem(i * k, 7) : i in [0:k]}) : k in [0:9]} $";
}

std::vector<Sort> sorts() {
  const std::string head = "function order(v) : [int] -> [int] = if #v < 2 then v else ";
  const std::string parts = head + R"(
  let pivot = v[#v / 2];
      less = {x in v | x < pivot};
      same = {x in v | x == pivot};
      more = {x in v | x > pivot};
      s = {order(p) : p in [less, more]} in )";
  return {
      {"quicksort", applied(test::first_definition("quicksort") + "function order(v) = quicksort(v) $")},
      {"the other way round", applied(parts + "s[1] ++ same ++ s[0] $")},
      {"a pivot that may not be there", applied(head + R"(
let pivot = v[#v / 2 + rem(v[0], 3) / 2];
    s = {order(p) : p in [{x in v | x < pivot}, {x in v | x > pivot}]}
in s[0] ++ {x in v | x == pivot} ++ s[1] $)")},
      {"reals", R"(
function order(v) = if #v < 2 then v else
let pivot = v[0] * 0.5 + v[#v - 1] * 0.5;
    s = {order(p) : p in [{x in v | x < pivot}, {x in v | x > pivot}]}
in s[0] ++ {x in v | x == pivot} ++ s[1] $
{order({float(rem(i * k, 7)) : i in [0:k]}) : k in [0:9]} $)",
       false},
      {"a quotient", applied(head + R"(
let by = v[0] / 3 + 7 / v[0] - 7 / v[0];
    s = {order(p) : p in [{x in v | x / 3 < by}, {x in v | x / 3 > by}]}
in s[0] ++ {x in v | x / 3 == by} ++ s[1] $)")},
      {"numbers besides", R"(
function order(v, low, up) = if #v < 2 or low > 30 then v else
let pivot = v[low];
    s = {order(p, l, u) : p in [{x in v | up == (x < pivot) and x /= pivot}, {x in v | up == (x > pivot) and x /= pivot}];
                          l in [low / 2, low + 1]; u in [not(up), up]}
in s[0] ++ {x in v | x == pivot} ++ s[1] $
{order({rem(i * k, 7) : i in [0:k]}, rem(k, 3), k > 4) : k in [0:9]} $)"},
  };
}

struct Met {
  int results = 0, faults = 0;
  std::size_t nests = 0;
};

void means_the_same(Met& met, const ssa::Module& module, ssa::FunctionId id, plan::Engine& engine, bool exact,
                    Choices choices) {
  const ssa::Function& f = module.functions[static_cast<std::size_t>(id)];
  const auto instances = static_cast<std::int64_t>(choices.below(choices.one_in(3) ? 300 : 20));
  const auto columns = test::lifted_columns(f, instances, choices, choices.one_in(2) ? 4 : 40);
  test::BareMachine bare(module, kDeep);
  std::vector<vm::Value> arguments = test::lifted_arguments(bare.pool, f, columns, module.int_bits);
  if (choices.one_in(2))
    for (vm::Value& a : arguments)
      if (const auto* v = std::get_if<vm::Vector>(&a)) a = vm::block::narrowed(bare.machine.prims, *v);
  vm::Nests nests(bare.code, engine, {.mode = vm::JitMode::kAlways});
  const auto hook = nests.hook(vm::Caller::kRun, bare.machine.prims, kDeep, kMemory);
  const auto depth = static_cast<std::int64_t>(choices.below(3));
  const auto results = hook->run(id, depth, arguments);
  const vm::Outcome outcome = vm::Interp(bare.code, bare.machine).call(id, arguments, depth);
  RC_LOG() << ssa::print(module, f);
  if (outcome.error || outcome.exited) {
    ++met.faults;
    RC_ASSERT(!results.has_value());
    return;
  }
  if (exact) RC_ASSERT(results.has_value());
  if (!results.has_value()) return;
  ++met.results;
  RC_ASSERT(nests.counters().calls == 1U);
  RC_ASSERT(results->size() == outcome.values.size());
  for (std::size_t r = 0; r < outcome.values.size(); ++r)
    RC_ASSERT(vm::difference((*results)[r], outcome.values[r]) == "");
}

std::vector<ssa::FunctionId> nests_of(const ssa::Module& module) {
  std::vector<ssa::FunctionId> found;
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    const auto id = static_cast<ssa::FunctionId>(i);
    std::string why;
    if (!module.functions[i].removed && plan::build_nest(module, id, why)) found.push_back(id);
  }
  return found;
}

}  // namespace

TEST_CASE("loop nests of NESL functions mean what the interpreter does") {
  for (const vm::cpu::Isa isa : testing::isas()) {
    const auto engine = vm::cpu::make_engine({.isa = isa});
    Met met;
    for (const Sort& sort : sorts()) {
      INFO(sort.name);
      const ssa::Module module = test::nesl_module(sort.text);
      const auto found = nests_of(module);
      CHECK(found.size() == 1);
      for (const ssa::FunctionId id : found)
        CHECK(rc::check(sort.name, [&] {
          means_the_same(met, module, id, *engine, sort.exact, Choices(test::long_list()));
        }));
    }
    CHECK(met.results > 0);
    CHECK(met.faults > 0);
  }
}

TEST_CASE("loop nests of random lifted functions and other recursions mean what the interpreter does") {
  for (const vm::cpu::Isa isa : testing::isas()) {
    const auto engine = vm::cpu::make_engine({.isa = isa});
    Met met;
    for (const test::Recursion& recursion : test::nesl_recursions()) {
      const ssa::Module module = test::nesl_module(recursion.text);
      for (const ssa::FunctionId id : nests_of(module))
        CHECK(rc::check(recursion.name, [&] {
          means_the_same(met, module, id, *engine, false, Choices(test::long_list()));
        }));
    }
    CHECK(rc::check("random lifted functions", [&] {
      const ssa::Module module = test::random_module();
      for (const ssa::FunctionId id : nests_of(module))
        means_the_same(met, module, id, *engine, false, Choices(test::long_list()));
    }));
  }
}

TEST_CASE("what does not fill its results with lists and what its calls return is refused") {
  const auto refused = [](const char* result) {
    const ssa::Module module = test::nesl_module(applied(std::string(R"(
function order(v) : [int] -> [int] = if #v < 2 then v else
let pivot = v[#v / 2]; less = {x in v | x < pivot}; same = {x in v | x == pivot}; more = {x in v | x > pivot};
    s = {order(p) : p in [less, more]} in )") + result));
    return nests_of(module).empty();
  };
  CHECK(!refused("s[0] ++ same ++ s[1] $"));
  CHECK(refused("s[0] ++ [pivot] ++ s[1] $"));
  CHECK(refused("s[0] ++ same $"));
  CHECK(refused("s[0] ++ same ++ s[0] $"));
}

// Levels whose elements do not fit a cache are taken in shares; groups write where the whole is wanted.
TEST_CASE("large calls go as loop nests, whole and in groups") {
  if (testing::isas().empty()) return;
  const auto engine = vm::cpu::make_engine();
  const ssa::Module module = test::nesl_module(test::first_definition("quicksort") +
                                               "let v = {rem(i * 7919, 100003) : i in [0:100000]}; s = "
                                               "quicksort(v) in (s, {quicksort(take(v, i)) : i in [0:9]}) $");
  for (const int threads : {1, 2}) {
    test::BareMachine bare(module, 0);
    const vm::Outcome ordinary = vm::Interp(bare.code, bare.machine).run();
    vm::Nests nests(bare.code, *engine, {.mode = vm::JitMode::kAlways});
    vm::FastPathCounts fast_paths;
    bare.machine.prims.fast_paths = &fast_paths;
    bare.machine.prims.threads = threads;
    bare.machine.functions = {&nests};
    vm::block::Options options;
    options.large_bytes = 1;
    options.group_bytes = 1 << 14;
    vm::block::BlockMode mode(bare.code, bare.machine, {}, options);
    bare.machine.calls = &mode;
    const vm::Outcome made = vm::Interp(bare.code, bare.machine).run();
    REQUIRE(made.values.size() == ordinary.values.size());
    for (std::size_t r = 0; r < made.values.size(); ++r)
      CHECK(vm::difference(made.values[r], ordinary.values[r]) == "");
    CHECK(nests.counters().given_up == 0);
    CHECK(nests.counters().calls >= 2);
    CHECK(fast_paths[vm::FastPath::kLoopNest] == nests.counters().calls);
  }
}

TEST_CASE("a loop nest that has no room for its lists is not made") {
  if (testing::isas().empty()) return;
  const auto engine = vm::cpu::make_engine();
  const ssa::Module module = test::nesl_module(sorts()[0].text);
  test::BareMachine bare(module, 0);
  vm::Nests nests(bare.code, *engine, {.mode = vm::JitMode::kAlways});
  const auto hook = nests.hook(vm::Caller::kRun, bare.machine.prims, 0, kMemory);
  const ssa::FunctionId id = nests_of(module).at(0);
  Choices choices({1, 2, 3});
  const ssa::Function& f = module.functions[static_cast<std::size_t>(id)];
  const auto arguments = test::lifted_arguments(bare.pool, f, test::lifted_columns(f, 40, choices));
  CHECK(hook->run(id, 0, arguments).has_value());
  bare.pool.fail_at(2);
  CHECK(!hook->run(id, 0, arguments).has_value());
  bare.pool.fail_at(0);
  CHECK(hook->run(id, 0, arguments).has_value());
}

}  // namespace nvm
