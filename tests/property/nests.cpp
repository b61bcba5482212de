// Loop nests mean what the interpreter does: the same bits, and given up wherever it faults. Of recursions
// that filter in several ways, whose lists are of every type and storage, empty, short, and longer than a
// vector.
#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <limits>
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

constexpr const char* kRealFolds = R"(
function order(v, w) = if #v < 2 then {x - w : x in v} else
let mean = sum(v) / float(#v);
    pivot = v[#v / 2];
    inner = sum({x * w : x in v}) + min_val({x in v | x > w});
    s = {order(p, q) : p in [{x in v | x < pivot}, {x in v | x > pivot}]; q in [mean, w + 0.125]}
in s[0] ++ {x * inner : x in v | x == pivot} ++ s[1] $
)";

constexpr const char* kHead = "function order(v) : [int] -> [int] = if #v < 2 then v else ";

std::vector<Sort> sorts() {
  const std::string head = kHead;
  const std::string parts = head + R"(
  let pivot = v[#v / 2];
      less = {x in v | x < pivot};
      same = {x in v | x == pivot};
      more = {x in v | x > pivot};
      s = {order(p) : p in [less, more]} in )";
  return {
      {"quicksort", applied(test::first_definition("quicksort") + "function order(v) = quicksort(v) $")},
      {"the other way round", applied(parts + "s[1] ++ same ++ s[0] $")},
      {"one of those that are equal", applied(parts + "s[0] ++ [pivot] ++ s[1] $"), false},
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

// What is folded shows in the results.
std::vector<Sort> folds() {
  const std::string head = kHead;
  return {
      {"the mean", applied(head + R"(
let pivot = sum(v) / #v;
    s = {order(p) : p in [{x in v | x < pivot}, {x in v | x > pivot}]}
in s[0] ++ {x * 3 + pivot : x in v | x == pivot} ++ s[1] $)"),
       false},
      {"between the ends", applied(head + R"(
let pivot = (max_val(v) + min_val({rem(x, 5) + i : x in v; i in index(#v)})) / 2;
    equal = all({x == v[0] : x in v}) in
if equal or any({x > 25 : x in v}) then {x + pivot : x in v} else
let s = {order(p) : p in [{x in v | x < pivot}, {x in v | x > pivot}]}
in s[0] ++ {x in v | x == pivot} ++ s[1] $)"),
       false},
      {"the place of the largest", applied(head + R"(
let pivot = v[max_index(v)] - sum({1 : x in {x in v | x > 3} | x > 5});
    s = {order(p) : p in [{x in v | x < pivot}, {x in v | x > pivot}]}
in s[0] ++ {x in v | x == pivot} ++ s[1] $)")},
      {"real folds",
       std::string(kRealFolds) + "{order({float(rem(i * k, 7)) : i in [0:k]}, float(k)) : k in [0:9]} $",
       false},
  };
}

// Lengths of results are found by the recursion.
std::vector<Sort> findings() {
  return {
      {"marks around lists", applied(R"(
function order(v) : [int] -> [int] = if #v < 2 then [0] ++ v else
let pivot = v[#v / 2];
    s = {order(p) : p in [{x in v | x < pivot}, {x in v | x > pivot}]}
in s[1] ++ [pivot, #v] ++ {x * 2 : x in v | x == pivot} ++ s[0] ++ [7] $)")},
      {"flags and reals", R"(
function order(v) = if #v < 2 then [(#v > 0, sum(v))] else
let pivot = v[#v / 2];
    s = {order(p) : p in [{x in v | x < pivot}, {x in v | x > pivot}]}
in flatten(s) ++ {(x > 0.5, x) : x in v | x == pivot} $
{order({float(rem(i * k, 7)) : i in [0:k]}) : k in [0:9]} $)"},
      {"a hull", R"(
function order(v, p, q) =
let (a, b) = p; (c, d) = q;
    side = {(a - x) * (d - y) - (b - y) * (c - x) : (x, y) in v};
    left = {p in v; s in side | s > 0.0}
in if #left < 2 or #left == #v then [p] ++ left
   else let m = v[max_index(side)] in flatten({order(left, e, f) : e in [p, m]; f in [m, q]}) $
{order({(float(rem(i * k, 7)), float(rem(i * i, 5))) : i in [0:k]}, (float(k), 0.5), (0.0, float(i))) : k in [0:9]; i in [0:9]} $)"},
  };
}

std::vector<Sort> all_sorts() {
  std::vector<Sort> all = sorts();
  for (const auto& more : {folds(), findings()}) all.insert(all.end(), more.begin(), more.end());
  return all;
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
    for (const Sort& sort : all_sorts()) {
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
  CHECK(!refused("s[0] ++ [pivot] ++ s[1] $"));
  CHECK(refused("s[0] ++ same $"));
  CHECK(refused("s[0] ++ same ++ s[0] $"));
}

namespace {

// The program's values are the same with its calls as loop nests, some in groups, of which none is given up.
void same_as_nests(const std::string& program) {
  if (testing::isas().empty()) return;
  const auto engine = vm::cpu::make_engine();
  const ssa::Module module = test::nesl_module(program);
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
    REQUIRE(!ordinary.values.empty());
    REQUIRE(made.values.size() == ordinary.values.size());
    for (std::size_t r = 0; r < made.values.size(); ++r)
      CHECK(vm::difference(made.values[r], ordinary.values[r]) == "");
    CHECK(nests.counters().given_up == 0);
    CHECK(nests.counters().calls >= 2);
    CHECK(fast_paths[vm::FastPath::kLoopNest] == nests.counters().calls);
  }
}

}  // namespace

// Levels whose elements do not fit a cache are taken in shares; groups write where the whole is wanted.
TEST_CASE("large calls go as loop nests, whole and in groups") {
  same_as_nests(test::first_definition("quicksort") +
                "let v = {rem(i * 7919, 100003) : i in [0:100000]}; s = "
                "quicksort(v) in (s, {quicksort(take(v, i)) : i in [0:9]}) $");
}

TEST_CASE("large calls whose results are found go as loop nests, whole and in groups") {
  same_as_nests(test::first_definition("quickhull", 3) + R"(
let ring = {(float(i) - 8000.0, 0.37 * float(rem(i * i, 10007)) - float((i - 8000) * (i - 8000)) * 0.001) : i in [0:16000]}
in (quickhull(ring), {quickhull(take(ring, n)) : n in [1, 2, 3, 100, 5000]}, #quickhull(ring)) $)");
}

class LeftWhole final : public vm::Observer {
 public:
  void left_whole(ssa::FunctionId /*function*/, std::string_view why) override { reasons.emplace_back(why); }
  std::vector<std::string> reasons;
};

// Lists of these lengths on two threads.
struct TwoThreads {
  explicit TwoThreads(const std::vector<int>& lengths) {
    std::string of;
    for (const int n : lengths) of += (of.empty() ? "" : ", ") + std::to_string(n);
    const auto engine = vm::cpu::make_engine();
    const ssa::Module module =
        test::nesl_module(test::first_definition("quicksort") +
                          "{quicksort({rem(i * 7919, 100003) : i in [0:n]}) : n in [" + of + "]} $");
    test::BareMachine bare(module, 0);
    const vm::Outcome ordinary = vm::Interp(bare.code, bare.machine).run();
    vm::Nests nests(bare.code, *engine, {.mode = vm::JitMode::kAlways});
    bare.machine.prims.threads = 2;
    bare.machine.functions = {&nests};
    bare.machine.observer = &left_whole;
    vm::block::Options options;
    options.large_bytes = std::numeric_limits<std::int64_t>::max();
    vm::block::BlockMode mode(bare.code, bare.machine, {}, options);
    bare.machine.calls = &mode;
    const vm::Outcome made = vm::Interp(bare.code, bare.machine).run();
    REQUIRE(made.values.size() == ordinary.values.size());
    for (std::size_t r = 0; r < made.values.size(); ++r)
      CHECK(vm::difference(made.values[r], ordinary.values[r]) == "");
    groups = mode.counters().groups;
    calls = nests.counters().calls;
  }
  LeftWhole left_whole;
  std::uint64_t groups = 0, calls = 0;
};

TEST_CASE("as many even instances as threads go as a loop nest each, whatever their size") {
  if (testing::isas().empty()) return;
  for (const int first : {100'000, 116'000, 84'000}) {
    const TwoThreads two({first, 200'000 - first});
    CHECK(two.groups == 2);
    CHECK(two.calls == 2);
  }
  CHECK(TwoThreads({160'000, 40'000}).groups != 2);
}

TEST_CASE("one large instance among many is not left to one thread") {
  if (testing::isas().empty()) return;
  std::vector<int> lengths(40, 1000);
  lengths.push_back(300'000);
  const TwoThreads uneven(lengths);
  REQUIRE(!uneven.left_whole.reasons.empty());
  CHECK(uneven.left_whole.reasons.front() == "its data is small or lies in one instance");
  CHECK(uneven.groups > 0);  // of what it has been divided into
}

// Segments of all sizes that the order of folds knows, and what compares oddly.
TEST_CASE("loop nests fold long lists and odd numbers in the order of all folds") {
  same_as_nests(std::string(kRealFolds) + R"(
let infinite = 1.0e308 * 10.0;
    odd = [-0.0, 0.0, 1.0e308, -1.0e308, infinite, -infinite, 1.0e-310];
    some = {float(rem(i * 7919, 10007)) * 0.37 : i in [0:70000]}
in ({order(take(some, n), float(n)) : n in [0, 1, 31, 32, 33, 2047, 2048, 2049, 4097, 70000]},
    {order(take(some, n) ++ odd ++ drop(take(some, n + n), n), float(n)) : n in [0, 1, 20, 2040]}) $)");
  same_as_nests(R"(
function order(v) = if #v < 2 then {x + sum(v) : x in v} else
let pivot = v[#v / 2];
    most = max_val(v) - min_val(v) - sum(v) * 3;
    s = {order(p) : p in [{x in v | x < pivot}, {x in v | x > pivot}]}
in s[0] ++ {x + most : x in v | x == pivot} ++ s[1] $
let big = 9223372036854775807; some = {rem(i * 7919, 10007) - 5000 : i in [0:70000]}
in ({order(take(some, n)) : n in [0, 1, 33, 2049, 70000]},
    {order(take(some, n) ++ [big, -big, -big - 1, big, 0]) : n in [0, 1, 20, 2040]},
    order(take(some, 0)), {order(take(some, rem(i, 2))) : i in [0:30000]}) $)");
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
