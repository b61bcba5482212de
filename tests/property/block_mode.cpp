// Block mode changes nothing: calls made in groups give the values of ordinary calls, and where something
// fails, the ordinary fault.
#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/lifted_arguments.h"
#include "tests/support/lifted_programs.h"
#include "tests/support/nesl_module.h"
#include "tests/support/nesl_recursions.h"
#include "tests/support/random_module.h"
#include "tests/support/vcode_module.h"
#include "vm/block/block_mode.h"
#include "vm/cpu/cpu_engine.h"
#include "vm/data/compare.h"
#include "vm/interp/interp.h"
#include "vm/tier/nests.h"

namespace nvm {
namespace {

enum class Compiled : std::uint8_t { kNothing, kFunctions };

// One machine for all ways to run.
struct Setting {
  explicit Setting(const ssa::Module& m, int threads) : module(m), code(vm::make_code(m, pool)) {
    machine.prims.pool = &pool;
    machine.prims.int_bits = m.int_bits;
    machine.prims.random = &host.random();
    machine.prims.threads = threads;
    machine.host = &host;
    machine.max_depth = 100;
  }
  // Workers execute primitives alone, or whole functions as compiled code.
  vm::Machine in_groups(std::int64_t threshold, std::int64_t group_bytes = 128 << 10,
                        Compiled compiled = Compiled::kNothing) {
    vm::block::Options in_groups;
    in_groups.threshold = threshold;
    in_groups.group_bytes = group_bytes;
    return with(in_groups, compiled);
  }
  vm::Machine with(const vm::block::Options& options, Compiled compiled = Compiled::kNothing) {
    vm::Machine m = machine;
    if (compiled == Compiled::kFunctions) m.functions = {&nests};
    mode.emplace(code, m, std::span<const vm::Value>(), options);
    m.calls = &*mode;
    return m;
  }

  const ssa::Module& module;
  vm::Pool pool;
  vm::Code code;
  vm::HostOptions host_options{nullptr, nullptr, nullptr, {}, vm::RandomKind::kPhilox};
  vm::Host host{host_options, pool, IntBits::k64};
  vm::Machine machine;
  std::unique_ptr<plan::Engine> engine = vm::cpu::make_engine();
  vm::Nests nests{code, *engine, {.mode = vm::JitMode::kAlways}};
  std::optional<vm::block::BlockMode> mode;
};

std::string describe(const vm::RunError& e) {
  std::string text = e.message + " at " + e.at.function + " " + std::to_string(e.at.pos.line) + " " +
                     e.instruction + " depth " + std::to_string(e.depth);
  for (const vm::CallPlace& place : e.calls) text += " in " + place.function;
  return text;
}

void same(const vm::Outcome& ordinary, const vm::Outcome& grouped) {
  RC_ASSERT(ordinary.error.has_value() == grouped.error.has_value());
  if (ordinary.error) RC_ASSERT(describe(*ordinary.error) == describe(*grouped.error));
  RC_ASSERT(ordinary.exited == grouped.exited);
  RC_ASSERT(ordinary.values.size() == grouped.values.size());
  for (std::size_t i = 0; i < ordinary.values.size(); ++i)
    RC_ASSERT(vm::difference(ordinary.values[i], grouped.values[i]) == "");
}

void same_program(const ssa::Module& module, std::int64_t threshold, int threads) {
  Setting setting(module, threads);
  const vm::Outcome ordinary = vm::Interp(setting.code, setting.machine).run();
  const vm::Outcome grouped = vm::Interp(setting.code, setting.in_groups(threshold)).run();
  same(ordinary, grouped);
  same(ordinary,
       vm::Interp(setting.code, setting.in_groups(threshold, 128 << 10, Compiled::kFunctions)).run());
  RC_CLASSIFY(setting.nests.counters().calls > 0, "a group by a compiled function");
  RC_CLASSIFY(setting.mode->counters().calls > 0, "a call in groups");
  RC_CLASSIFY(setting.mode->counters().failed > 0, "a call given back");
}

// A call of one function on its own: taken or given back, as the ordinary one goes.
void same_call(const ssa::Module& module, ssa::FunctionId id, test::Choices choices) {
  const ssa::Function& f = module.functions[static_cast<std::size_t>(id)];
  Setting setting(module, 2);
  const auto instances = static_cast<std::int64_t>(1 + choices.below(30));
  const std::vector<test::Column> columns = test::lifted_columns(f, instances, choices);
  std::vector<vm::Value> arguments = test::lifted_arguments(setting.pool, f, columns);
  const vm::Outcome ordinary = vm::Interp(setting.code, setting.machine).call(id, arguments);
  static_cast<void>(setting.in_groups(1));
  std::vector<vm::Value> results;
  const bool taken = setting.mode->call(id, 0, arguments, results);
  RC_CLASSIFY(taken, "taken");
  if (!taken) return;
  RC_ASSERT(!ordinary.error);
  RC_ASSERT(results.size() == ordinary.values.size());
  for (std::size_t i = 0; i < results.size(); ++i)
    RC_ASSERT(vm::difference(results[i], ordinary.values[i]) == "");
}

}  // namespace

TEST_CASE("the factorial is computed in groups") {
  const ssa::Module module = test::vcode_module(test::kFactorial);
  Setting setting(module, 2);
  const vm::Outcome grouped = vm::Interp(setting.code, setting.in_groups(1)).run();
  REQUIRE(!grouped.error);
  const auto& v = std::get<vm::Vector>(grouped.values[0]);
  REQUIRE(v.length() == 3);
  CHECK(v.int_at(0) == 6);
  CHECK(v.int_at(1) == 1);
  CHECK(v.int_at(2) == 120);
  CHECK(setting.mode->counters().calls == 1);
  CHECK(setting.mode->counters().groups > 1);
}

TEST_CASE("calls from the threshold on are made in groups, others not") {
  const ssa::Module module = test::vcode_module(test::kFactorial);
  for (const std::int64_t threshold : {3, 4}) {
    Setting setting(module, 1);
    CHECK(!vm::Interp(setting.code, setting.in_groups(threshold)).run().error);
    CHECK(setting.mode->counters().calls == (threshold == 3 ? 1U : 0U));
  }
}

TEST_CASE("a recursion limit met in a group is that of the whole") {
  std::string text = test::kFactorial;
  text.replace(text.find("(3 0 5)"), 7, "(3 -1 5)");  // never reaches 0
  const ssa::Module module = test::vcode_module(text.c_str());
  Setting setting(module, 2);
  const vm::Outcome ordinary = vm::Interp(setting.code, setting.machine).run();
  const vm::Outcome grouped = vm::Interp(setting.code, setting.in_groups(1)).run();
  REQUIRE(ordinary.error);
  REQUIRE(grouped.error);
  CHECK(ordinary.error->kind == vm::Fault::Kind::kRecursion);
  CHECK(describe(*ordinary.error) == describe(*grouped.error));
  CHECK(setting.mode->counters().failed == 1);
}

TEST_CASE("a run that is to stop stops in groups too") {
  const ssa::Module module = test::vcode_module(test::kFactorial);
  Setting setting(module, 2);
  const std::atomic<vm::Stop> stop{vm::Stop::kInterrupt};
  setting.machine.prims.stop = &stop;
  const vm::Outcome grouped = vm::Interp(setting.code, setting.in_groups(1)).run();
  REQUIRE(grouped.error);
  CHECK(grouped.error->kind == vm::Fault::Kind::kInterrupted);
}

TEST_CASE("block mode keeps the results of factorials") {
  const ssa::Module module = test::vcode_module(test::kFactorial);
  ssa::FunctionId id = 0;
  while (module.functions[static_cast<std::size_t>(id)].name != "FACT") ++id;
  CHECK(rc::check("factorial", [&] { same_call(module, id, test::Choices(test::long_list())); }));
}

TEST_CASE("recursive NESL programs give the same in groups") {
  std::uint64_t by_functions = 0;
  for (const test::Recursion& recursion : test::nesl_recursions()) {
    INFO(recursion.name);
    const ssa::Module module = test::nesl_module(recursion.text);
    Setting setting(module, 2);
    const vm::Outcome ordinary = vm::Interp(setting.code, setting.machine).run();
    REQUIRE(!ordinary.error);
    for (const auto& [group_bytes, compiled] :  // with so small ones workers cut too
         {std::pair{1 << 17, Compiled::kNothing},
          {8, Compiled::kNothing},
          {1 << 17, Compiled::kFunctions},
          {8, Compiled::kFunctions}}) {
      const vm::Outcome grouped = vm::Interp(setting.code, setting.in_groups(2, group_bytes, compiled)).run();
      REQUIRE(!grouped.error);
      CHECK(setting.mode->counters().calls + setting.nests.counters().calls > 0);
      REQUIRE(ordinary.values.size() == grouped.values.size());
      for (std::size_t i = 0; i < ordinary.values.size(); ++i)
        CHECK(vm::difference(ordinary.values[i], grouped.values[i]) == "");
    }
    by_functions += setting.nests.counters().calls;
  }
  CHECK(by_functions > 0);
}

// All threads work on what can not be cut, however small it is here, and cut what can be within it.
TEST_CASE("calls that all threads make together give the same") {
  std::uint64_t together = 0;
  for (const test::Recursion& recursion : test::nesl_recursions()) {
    INFO(recursion.name);
    const ssa::Module module = test::nesl_module(recursion.text);
    for (const int threads : {1, 3}) {
      Setting setting(module, threads);
      setting.machine.prims.grain = 16;
      const vm::Outcome ordinary = vm::Interp(setting.code, setting.machine).run();
      REQUIRE(!ordinary.error);
      for (const std::int64_t group_bytes : {1 << 17, 8}) {
        vm::block::Options options;
        options.group_bytes = group_bytes;
        options.large_bytes = 1;
        const vm::Outcome grouped = vm::Interp(setting.code, setting.with(options)).run();
        REQUIRE(!grouped.error);
        together += setting.mode->counters().together;
        REQUIRE(ordinary.values.size() == grouped.values.size());
        for (std::size_t i = 0; i < ordinary.values.size(); ++i)
          CHECK(vm::difference(ordinary.values[i], grouped.values[i]) == "");
      }
    }
  }
  CHECK(together > 0);
}

TEST_CASE("quicksort of long lists is made by all threads together") {
  const ssa::Module module = test::nesl_module(R"(
function quicksort(v) =
if #v < 2 then v
else
  let pivot = v[#v / 2];
      less = {x in v | x < pivot};
      same = {x in v | x == pivot};
      more = {x in v | x > pivot};
      sorted = {quicksort(part) : part in [less, more]}
  in sorted[0] ++ same ++ sorted[1] $
{quicksort({rem(i * 7919 + k * k, 100003) : i in [0:n]}) : n in [0, 30000, 5, 70000, 1]; k in [0:5]} $)");
  Setting setting(module, 3);
  setting.machine.prims.grain = 256;
  const vm::Outcome ordinary = vm::Interp(setting.code, setting.machine).run();
  vm::block::Options options;
  options.large_bytes = 1 << 12;
  const vm::Outcome grouped = vm::Interp(setting.code, setting.with(options)).run();
  REQUIRE(!ordinary.error);
  REQUIRE(!grouped.error);
  CHECK(setting.mode->counters().together > 0);
  CHECK(setting.mode->counters().groups > 0);
  for (std::size_t i = 0; i < ordinary.values.size(); ++i)
    CHECK(vm::difference(ordinary.values[i], grouped.values[i]) == "");
}

namespace {

constexpr const char* kNaiveQuicksort = R"(
function naive(v) =
if #v < 2 then v
else
  let pivot = v[0];
      rest = drop(v, 1);
      sorted = {naive(part) : part in [{x in rest | x < pivot}, {x in rest | x >= pivot}]}
  in sorted[0] ++ [pivot] ++ sorted[1] $
)";

}  // namespace

// Whichever allocation fails: in a worker its group is made in kernel mode, elsewhere the call is made as a
// whole or fails as it would have; what comes out is right.
TEST_CASE("a group whose worker runs out of memory is handed back") {
  const ssa::Module module = test::nesl_module(std::string(kNaiveQuicksort) +
                                               "{naive({rem(i * k, 31) : i in [0:k]}) : k in [0:60]} $");
  Setting setting(module, 2);
  const vm::Outcome ordinary = vm::Interp(setting.code, setting.machine).run();
  REQUIRE(!ordinary.error);
  std::uint64_t whole = 0;
  for (std::uint64_t k = 1; k < 4000; k += 7) {
    const vm::Machine machine = setting.in_groups(2, 64);
    setting.pool.fail_at(k);
    const vm::Outcome grouped = vm::Interp(setting.code, machine).run();
    setting.pool.fail_at(0);
    whole += setting.mode->counters().whole;
    if (grouped.error) {
      CHECK(grouped.error->kind == vm::Fault::Kind::kMemory);
      continue;
    }
    for (std::size_t i = 0; i < ordinary.values.size(); ++i)
      REQUIRE(vm::difference(ordinary.values[i], grouped.values[i]) == "");
  }
  CHECK(whole > 0);
}

TEST_CASE("a recursion too deep ends with the same error in every mode") {
  const ssa::Module module =
      test::nesl_module(std::string(kNaiveQuicksort) + "{naive([0:k]) : k in [3, 3000, 0, 7]} $");
  for (const int threads : {1, 2}) {
    Setting setting(module, threads);
    setting.machine.max_depth = 500;
    const vm::Outcome ordinary = vm::Interp(setting.code, setting.machine).run();
    REQUIRE(ordinary.error);
    CHECK(ordinary.error->kind == vm::Fault::Kind::kRecursion);
    for (const std::int64_t threshold : {std::int64_t{1}, std::int64_t{2}, vm::block::Options::kAuto}) {
      vm::block::Options options;
      options.threshold = threshold;
      options.large_bytes = 1;
      const vm::Outcome grouped = vm::Interp(setting.code, setting.with(options)).run();
      REQUIRE(grouped.error);
      CHECK(describe(*ordinary.error) == describe(*grouped.error));
      CHECK(setting.mode->counters().failed == 1);
    }
  }
}

// A failed check ends the program in a group too: then the whole says so, once.
TEST_CASE("a check that fails in a group ends the program as without groups") {
  const ssa::Module module = test::nesl_module(R"(
function root(v) = if #v == 0 then 0.0 else sqrt(v[0]) + root(drop(v, 1)) $
{root({float(k - i) : i in [0:k]}) : k in [0:9]} ++ {root([float(3 - i)]) : i in [0:9]} $)");
  Setting setting(module, 2);
  struct Close {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };
  const std::unique_ptr<std::FILE, Close> out(std::tmpfile());
  vm::HostOptions options;
  options.err = out.get();  // WRITE is for messages
  vm::Host host(options, setting.pool, IntBits::k64);
  setting.machine.host = &host;
  const auto written = [&] {
    const long length = std::ftell(out.get());
    std::rewind(out.get());
    return length;
  };
  const vm::Outcome ordinary = vm::Interp(setting.code, setting.machine).run();
  const long once = written();
  const vm::Outcome grouped = vm::Interp(setting.code, setting.in_groups(2)).run();
  CHECK(once > 0);
  CHECK(written() == once);
  CHECK(ordinary.exited);
  CHECK(grouped.exited);
  CHECK(setting.mode->counters().failed > 0);
}

TEST_CASE("block mode keeps the results and faults of random programs") {
  for (const std::int64_t threshold : {1, 2})
    CHECK(rc::check("random programs", [threshold] {
      const ssa::Module module = test::random_module();
      same_program(module, threshold, 1);
      same_program(module, threshold, 3);
      for (std::size_t i = 0; i < module.functions.size(); ++i)
        if (module.functions[i].lifted.lifted)
          same_call(module, static_cast<ssa::FunctionId>(i), test::Choices(test::long_list()));
    }));
}

}  // namespace nvm
