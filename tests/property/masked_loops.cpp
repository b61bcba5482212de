// Masked loops mean what the interpreter does: the same bits, and given up wherever it faults. Of loops that
// end at different rounds, on numbers of every magnitude, stored wide and narrow.
#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/any_numbers.h"
#include "tests/support/bare_machine.h"
#include "tests/support/fast_paths.h"
#include "tests/support/isas.h"
#include "tests/support/lifted_arguments.h"
#include "tests/support/nesl_module.h"
#include "tests/support/nesl_recursions.h"
#include "tests/support/random_module.h"
#include "vm/block/block_mode.h"
#include "vm/data/compare.h"
#include "vm/tier/masked_loops.h"

namespace nvm {
namespace {

using test::Choices;

constexpr std::int64_t kDeep = 60;  // calls
constexpr std::size_t kMemory = std::size_t{256} << 20;

struct Loop {
  const char* name;
  const char* text;
};
// What instances carry: FLOATs, INTs, BOOLs; what they share; one exit and several; two ways round; errors;
// lists of their own and lists that all have, read where they are long enough and where not.
constexpr Loop kLoops[] = {
    {"escape", R"(
function step(zr, zi, cr, ci, n) =
if n == 40 then n
else let (a, b) = (zr * zr, zi * zi)
     in if a + b > 4.0 then n else step(a - b + cr, 2.0 * zr * zi + ci, cr, ci, n + 1) $
{step(0.0, 0.0, float(i) / 8.0 - 2.0, 0.3, 0) : i in [0:40]} $)"},
    {"collatz", R"(
function step(n, steps) =
if n <= 1 then steps
else if rem(n, 2) == 0 then step(n / 2, steps + 1) else step(3 * n + 1, steps + 1) $
{step(i, 0) : i in [0:40]} $)"},
    {"exchange", R"(
function step(a, b, n) = if n <= 0 then (a, b) else step(b, a + b, n - 1) $
{step(i, 1, i) : i in [0:40]} $)"},
    {"root", R"(
function step(x, a, n) =
let y = (x + a / x) / 2.0
in if n > 30 or abs(y - x) < 0.000001 then (y, n) else step(y, a, n + 1) $
{step(1.0, float(i), 0) : i in [0:40]} $)"},
    {"flags", R"(
function step(odd, big, n) = if n < 1 then odd or big else step(not(odd), big or (n > 50), n - 3) $
{step(i > 3, i > 90, i) : i in [0:40]} $)"},
    {"quotient", R"(
function step(n, by) = if n > 100 then n else step(n + 1000 / by, by) $
{step(i, i + 1) : i in [0:40]} $)"},
    {"another way", R"(
function step(n, by) = if n > 50 then n else if by == 0 then step(n + 7, 3) else step(n + 60 / by, by - 1) $
{step(i, i) : i in [0:40]} $)"},
    {"growth", R"(
function step(n, m) = if n < 0 then m else step(n * 5 + 3, m + n / 7 - rem(n, 10)) $
{step(i, 0) : i in [0:40]} $)"},
    {"search", R"(
function step(v, x, low, high) =
if low >= high then low
else let m = (low + high) / 2 in if v[m] < x then step(v, x, m + 1, high) else step(v, x, low, m) $
{step([0:i], i / 2, 0, i) : i in [0:40]} $)"},
    {"lengths", R"(
function step(v, w, i) =
if i >= #v or i >= #w then i else if v[i] == w[i] then step(v, w, i + 1) else -1 $
{step([0:i], [0:40 - i], 0) : i in [0:40]} $)"},
    {"chase", R"(
function step(at, next, weight, some, total, k) =
if k <= 0 or at < 0 then total
else if some[at] then step(next[at], next, weight, some, total + weight[at], k - 1)
else step(next[at], next, weight, some, total, k - 1) $
let next = {rem(i * 7, 41) : i in [0:41]}; weight = {float(i) : i in [0:41]}; some = {i > 20 : i in [0:41]}
in {step(i, next, weight, some, 0.0, 9) : i in [0:40]} $)"},
    {"all of it", R"(
function step(i, v, sum) = if i >= #v then sum else step(i + 1, v, sum + v[i]) $
let v = [3, 1, 4, 1, 5] in {step(i, v, 0) : i in [0:40]} $)"},
    {"forever", R"(
function step(x) = if x > 1.0 then x else step(x * x) $
{step(float(i)) : i in [0:40]} $)"},
};

struct Met {
  int results = 0, faults = 0;
  std::size_t loops = 0;
};

// Numbers for instances: `any` of every magnitude, else as they are.
void draw(std::vector<vm::Value>& arguments, IntBits bits, bool any, vm::Pool& pool, Choices& choices) {
  const auto draw = [&] { return choices.bits(); };
  for (vm::Value& argument : arguments) {
    auto* v = std::get_if<vm::Vector>(&argument);
    if (v == nullptr) continue;
    const bool narrow = !any && v->storage() == Storage::kI64 && !v->is_scalar() && choices.one_in(2);
    if (narrow) {
      vm::Vector small = pool.vector(Storage::kI32, v->length());
      for (std::int64_t k = 0; k < v->length(); ++k)
        small.mutable_data<std::int32_t>()[k] = static_cast<std::int32_t>(v->int_at(k));
      argument = small;
      continue;
    }
    for (std::int64_t k = 0; any && !v->is_scalar() && k < v->length(); ++k) {
      if (v->storage() == Storage::kF64) v->mutable_data<double>()[k] = test::any_float(draw);
      if (v->storage() == Storage::kI32)
        v->mutable_data<std::int32_t>()[k] = static_cast<std::int32_t>(test::any_int(draw, bits));
      if (v->storage() == Storage::kI64) v->mutable_data<std::int64_t>()[k] = test::any_int(draw, bits);
    }
  }
}

// Lists that all instances have get any length.
void lengthen(std::vector<vm::Value>& arguments, const ssa::Module& module, ssa::FunctionId id,
              vm::Pool& pool, Choices& choices) {
  std::string why;
  const auto loop = plan::build_masked_loop(module, id, plan::widest_storages(module, id), why);
  const auto longest = choices.below(12);
  for (const plan::MaskedLoop::Input& in : loop->inputs) {
    if (in.shape < 0 || in.what != plan::MaskedLoop::What::kShared) continue;
    auto& shape = arguments[static_cast<std::size_t>(in.shape)];
    test::Column column(longest);
    for (std::int64_t& x : column) x = static_cast<std::int64_t>(choices.below(longest + 1));
    const Type type = module.functions[static_cast<std::size_t>(id)].value_types[static_cast<std::size_t>(
        module.functions[static_cast<std::size_t>(id)].blocks[0].parameters[static_cast<std::size_t>(
            in.parameter)])];
    shape = vm::Segdes::regular(1, static_cast<std::int64_t>(longest));
    arguments[static_cast<std::size_t>(in.parameter)] =
        test::column_vector(pool, type, column, module.int_bits);
  }
}

void means_the_same(Met& met, const ssa::Module& module, ssa::FunctionId id, plan::Engine& engine,
                    Choices choices) {
  const ssa::Function& f = module.functions[static_cast<std::size_t>(id)];
  const auto instances = static_cast<std::int64_t>(16 + choices.below(choices.one_in(3) ? 1500 : 40));
  const auto columns = test::lifted_columns(f, instances, choices, choices.one_in(2) ? 4 : 20);
  test::BareMachine bare(module, kDeep);
  std::vector<vm::Value> arguments = test::lifted_arguments(bare.pool, f, columns, module.int_bits);
  lengthen(arguments, module, id, bare.pool, choices);
  draw(arguments, module.int_bits, choices.one_in(2), bare.pool, choices);
  vm::FastPathCounts fast_paths;
  bare.machine.prims.fast_paths = &fast_paths;
  bare.machine.prims.threads = choices.one_in(2) ? 1 : 3;
  vm::MaskedLoops loops(bare.code, engine, {.mode = vm::JitMode::kAlways});
  const auto hook = loops.hook(vm::Caller::kRun, bare.machine.prims, kDeep, kMemory);
  const auto depth = static_cast<std::int64_t>(choices.below(3));
  const auto results = hook->run(id, depth, arguments);
  const vm::Outcome outcome = vm::Interp(bare.code, bare.machine).call(id, arguments, depth);
  RC_LOG() << ssa::print(module, f);
  if (outcome.error || outcome.exited) {
    ++met.faults;
    RC_ASSERT(!results.has_value());
    RC_ASSERT(loops.counters().given_up == 1U);
    return;
  }
  ++met.results;
  RC_ASSERT(results.has_value());
  RC_ASSERT(fast_paths[vm::FastPath::kMaskedLoop] == 1U);
  RC_ASSERT(results->size() == outcome.values.size());
  for (std::size_t r = 0; r < outcome.values.size(); ++r)
    RC_ASSERT(vm::difference((*results)[r], outcome.values[r]) == "");
}

std::vector<ssa::FunctionId> loops_of(const ssa::Module& module, plan::Engine& engine) {
  test::BareMachine bare(module, kDeep);
  vm::MaskedLoops loops(bare.code, engine, {});
  const auto hook = loops.hook(vm::Caller::kRun, bare.machine.prims, kDeep, kMemory);
  std::vector<ssa::FunctionId> found;
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    const auto id = static_cast<ssa::FunctionId>(i);
    if (!module.functions[i].removed && hook->least(id) != vm::FunctionHook::kNever) found.push_back(id);
  }
  return found;
}

void all_mean_the_same(Met& met, const std::string& name, const ssa::Module& module, vm::cpu::Isa isa) {
  const auto engine = vm::cpu::make_engine({.isa = isa});
  for (const ssa::FunctionId id : loops_of(module, *engine)) {
    ++met.loops;
    INFO(name << " " << module.functions[static_cast<std::size_t>(id)].name);
    CHECK(rc::check(name, [&] { means_the_same(met, module, id, *engine, Choices(test::long_list())); }));
  }
}

// The first function that a module has a loop for, and why none.
std::string refusal(const ssa::Module& module) {
  std::string why = "nothing is lifted";
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    const auto id = static_cast<ssa::FunctionId>(i);
    if (module.functions[i].removed || !module.functions[i].lifted.lifted) continue;
    if (plan::build_masked_loop(module, id, plan::widest_storages(module, id), why)) return "";
  }
  return why;
}

}  // namespace

TEST_CASE("masked loops of NESL functions mean what the interpreter does") {
  for (const vm::cpu::Isa isa : testing::isas())
    for (const IntBits bits : {IntBits::k64, IntBits::k32}) {
      Met met;
      for (const Loop& loop : kLoops)
        all_mean_the_same(met, loop.name, test::nesl_module(loop.text, bits), isa);
      CHECK(met.loops == std::size(kLoops));
      CHECK(met.results > 0);
      CHECK(met.faults > 0);
    }
}

TEST_CASE("masked loops of random lifted functions and other recursions mean what the interpreter does") {
  for (const vm::cpu::Isa isa : testing::isas()) {
    Met met;
    for (const test::Recursion& recursion : test::nesl_recursions())
      all_mean_the_same(met, recursion.name, test::nesl_module(recursion.text), isa);
    const auto engine = vm::cpu::make_engine({.isa = isa});
    CHECK(rc::check("random lifted functions", [&] {
      const ssa::Module module = test::random_module();
      for (const ssa::FunctionId id : loops_of(module, *engine))
        means_the_same(met, module, id, *engine, Choices(test::long_list()));
    }));
  }
}

TEST_CASE("what is no loop of each instance alone is refused") {
  CHECK(refusal(test::nesl_module(kLoops[0].text)) == "");
  CHECK(refusal(test::nesl_module(R"(
function step(n) = if n < 1 then 0 else 1 + step(n - 1) $
{step(i) : i in [0:40]} $)")) == "it does more than compute with numbers");
  std::string many = "function step(n, m) = let c0 = m";
  for (int k = 1; k <= 150; ++k)
    many += "; c" + std::to_string(k) + " = c" + std::to_string(k - 1) + " * n + " + std::to_string(k);
  many += " in if c150 < 1 then m else step(n - 1, c150) $ {step(i, i) : i in [0:40]} $";
  CHECK(refusal(test::nesl_module(many)) == "it has too many ways");
  CHECK(refusal(test::nesl_module(R"(
function step(v, n) = if n < 1 then sum(v) else step(v, n - 1) $
{step([0:i], i) : i in [0:40]} $)")) == "it does more than compute with numbers");
}

TEST_CASE("calls go as masked loops in kernel mode, where they are not cut, and within groups") {
  if (testing::isas().empty()) return;
  const auto engine = vm::cpu::make_engine();
  const auto calls = [&](const std::string& text, std::int64_t threshold) {
    const ssa::Module module = test::nesl_module(text);
    test::BareMachine bare(module, 0);
    const vm::Outcome ordinary = vm::Interp(bare.code, bare.machine).run();
    vm::FastPathCounts fast_paths;
    vm::MaskedLoops loops(bare.code, *engine, {.mode = vm::JitMode::kAlways});
    bare.machine.prims.fast_paths = &fast_paths;
    bare.machine.prims.threads = 2;
    bare.machine.functions = {&loops};
    vm::block::Options options;
    options.threshold = threshold;
    vm::block::BlockMode mode(bare.code, bare.machine, {}, options);
    bare.machine.calls = &mode;
    const vm::Outcome masked = vm::Interp(bare.code, bare.machine).run();
    REQUIRE(masked.values.size() == ordinary.values.size());
    for (std::size_t r = 0; r < masked.values.size(); ++r)
      CHECK(vm::difference(masked.values[r], ordinary.values[r]) == "");
    CHECK(fast_paths[vm::FastPath::kMaskedLoop] == loops.counters().calls);
    return std::pair(loops.counters().calls, mode.counters().groups);
  };
  CHECK(calls(kLoops[1].text, vm::block::Options::kAuto) == std::pair<std::uint64_t, std::uint64_t>(1, 0));
  CHECK(calls(kLoops[1].text, 1) == std::pair<std::uint64_t, std::uint64_t>(1, 0));
  const std::string within =
      std::string(kLoops[1].text).substr(0, std::string(kLoops[1].text).find('{')) + R"(
function tree(n, k) =
if n == 0 then step(k, 0) else sum({tree(n - 1, k + m) : m in [1, 2]}) $
{tree(5, i) : i in [0:9]} $)";
  const auto [masked, groups] = calls(within, 1);
  CHECK(masked > 1);
  CHECK(groups > 1);
}

TEST_CASE("a masked loop that has no room for its results is not made") {
  if (testing::isas().empty()) return;
  const auto engine = vm::cpu::make_engine();
  const ssa::Module module = test::nesl_module(kLoops[2].text);
  test::BareMachine bare(module, 0);
  vm::MaskedLoops loops(bare.code, *engine, {.mode = vm::JitMode::kAlways});
  const auto hook = loops.hook(vm::Caller::kRun, bare.machine.prims, 0, kMemory);
  ssa::FunctionId id = 0;
  while (hook->least(id) == vm::FunctionHook::kNever) ++id;
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
