// Tail-parallel recursion as a loop over levels: what is found in the code, and that results and errors are
// those of calls made where they stand.
#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "bytecode/ssa/levels.h"
#include "tests/support/choices.h"
#include "tests/support/fast_paths.h"
#include "tests/support/gallery.h"
#include "tests/support/nesl_module.h"
#include "tests/support/random_module.h"
#include "vm/block/block_mode.h"
#include "vm/data/compare.h"
#include "vm/interp/interp.h"

namespace nvm {
namespace {

struct Sort {
  const char* name;
  std::string function;  // order, of a sequence of integers
  bool levels;           // is the recursion found to be of this kind?
  bool as_long;          // and are results as long as arguments?
};

constexpr const char* kParts = R"(
  let pivot = v[#v / 2];
      less = {x in v | x < pivot};
      same = {x in v | x == pivot};
      more = {x in v | x > pivot}; )";

std::vector<Sort> shapes() {
  const std::string head = "function order(v) : [int] -> [int] = if #v < 2 then v else ";
  const std::string parts = head + kParts;
  return {
      {"joined one by one", test::first_definition("quicksort") + "function order(v) = quicksort(v) $", true,
       true},
      {"flattened", parts + "s = {order(p) : p in [less, more]} in flatten([s[0], same, s[1]]) $", true,
       true},
      {"all that was parted",
       parts + "n = #same in if n == #v then v else flatten({order(p) : p in [less, same, more]}) $", true,
       true},
      {"the other way round", parts + "s = {order(p) : p in [less, more]} in s[1] ++ same ++ s[0] $", true,
       true},
      {"naive", head + R"(
let pivot = v[0]; rest = drop(v, 1);
    s = {order(p) : p in [{x in rest | x < pivot}, {x in rest | x >= pivot}]}
in s[0] ++ [pivot] ++ s[1] $)",
       true, true},
      {"pairs", R"(
function pairs(v) : [(int, float)] -> [(int, float)] =
if #v < 2 then v
else let (pivot, q) = v[#v / 2];
         less = {(x, y) in v | x < pivot};
         same = {(x, y) in v | x == pivot};
         more = {(x, y) in v | x > pivot};
         s = {pairs(p) : p in [less, more]}
     in s[0] ++ same ++ s[1] $
function order(v) = {x : (x, y) in pairs({(x, sqrt(float(abs(x)))) : x in v})} $)",
       true, true},
      {"without what is alike", parts + "s = {order(p) : p in [less, more]} in s[0] ++ [pivot] ++ s[1] $",
       true, false},
      {"a part is lost", parts + "s = {order(p) : p in [less, more]} in s[0] ++ same $", true, false},
      {"a part is there twice",
       parts + "s = {order(p) : p in [less, less, more]} in take(s[0] ++ same ++ s[2], #v) $", false, false},
      {"something is added", head + "flatten({order(p) : p in [take(v, #v / 2), drop(v, #v / 2)]}) ++ [0] $",
       true, false},
      {"results are looked at",
       parts + "s = {order(p) : p in [less, more]} in if sum(s[0]) < 0 then s[0] ++ same ++ s[1] "
               "else s[0] ++ same ++ s[1] $",
       false, true},
      {"results are changed",
       parts + "s = {{abs(x) : x in order(p)} : p in [less, more]} in s[0] ++ same ++ s[1] $", false, true},
  };
}

bool found(const ssa::Module& module) {
  for (std::size_t f = 0; f < module.functions.size(); ++f)
    if (ssa::find_levels(module, static_cast<ssa::FunctionId>(f))) return true;
  return false;
}

struct Setting {
  Setting(const ssa::Module& m, int threads) : code(vm::make_code(m, pool)) {
    machine.prims.pool = &pool;
    machine.prims.fast_paths = &fast_paths;
    machine.prims.int_bits = m.int_bits;
    machine.prims.threads = threads;
    machine.prims.grain = 16;
  }
  vm::Outcome ordinary() { return vm::Interp(code, machine).run(); }
  // With every call cut from two instances on, or as the rules say, all threads working on what is not.
  vm::Outcome grouped(std::int64_t threshold, std::int64_t group_bytes) {
    vm::block::Options options;
    options.threshold = threshold;
    options.group_bytes = group_bytes;
    options.large_bytes = 1;
    mode.emplace(code, machine, std::span<const vm::Value>(), options);
    vm::Machine m = machine;
    m.calls = &*mode;
    return vm::Interp(code, m).run();
  }

  vm::Pool pool;
  vm::FastPathCounts fast_paths;
  vm::Code code;
  vm::Machine machine;
  std::optional<vm::block::BlockMode> mode;
};

constexpr std::int64_t kAuto = vm::block::Options::kAuto;

void same_in_groups(const ssa::Module& module, vm::FastPathCounts& fast_paths) {
  for (const int threads : {1, 3}) {
    Setting setting(module, threads);
    const vm::Outcome ordinary = setting.ordinary();
    RC_ASSERT(!ordinary.error);
    for (const auto& [threshold, bytes] :
         {std::pair<std::int64_t, std::int64_t>{2, 1 << 17}, {2, 8}, {kAuto, 8}}) {
      const vm::Outcome grouped = setting.grouped(threshold, bytes);
      RC_ASSERT(!grouped.error);
      for (std::size_t i = 0; i < ordinary.values.size(); ++i)
        RC_ASSERT(vm::difference(ordinary.values[i], grouped.values[i]) == "");
      setting.mode.reset();
    }
    fast_paths.take(setting.fast_paths);
  }
}

}  // namespace

TEST_CASE("recursion whose results are only put together is found") {
  for (const Sort& shape : shapes()) {
    INFO(shape.name);
    CHECK(found(test::nesl_module(shape.function + "{order({rem(i * k, 7) : i in [0:k]}) : k in [0:9]} $")) ==
          shape.levels);
  }
}

TEST_CASE("a loop over levels gives what calls give") {
  for (const Sort& shape : shapes()) {
    vm::FastPathCounts fast_paths;
    CHECK(rc::check(shape.name, [&] {
      test::Choices choices(test::long_list());
      const std::string below = std::to_string(1 + choices.below(choices.one_in(2) ? 5 : 4000));
      const std::string most = std::to_string(1 + choices.below(choices.one_in(8) ? 300 : 30));
      const std::string text = shape.function + "{order({rem(i * i * 7919 + k * 31, " + below + ") - " +
                               std::to_string(choices.below(3)) + " : i in [0:rem(k * 37, " + most +
                               ")]}) : k in [0:12]} $";
      same_in_groups(test::nesl_module(text), fast_paths);
    }));
    INFO(shape.name);
    if (shape.levels && shape.as_long)
      testing::check_taken(fast_paths,
                           {vm::FastPath::kGroup, vm::FastPath::kLevel, vm::FastPath::kDestination,
                            vm::FastPath::kLeaveHole, vm::FastPath::kLeaveMove});
    if (!shape.levels) CHECK(fast_paths[vm::FastPath::kLevel] == 0);
  }
}

namespace {}  // namespace

// A frame for each level would be hundreds of megabytes.
TEST_CASE("a hundred thousand levels take no memory") {
  const ssa::Module module = test::nesl_module(R"(
function spin(v, n) = if n == 0 or #v == 0 then v else flatten({spin(x, n - 1) : x in [v, drop(v, #v)]}) $
spin([5, 6, 7], 100000) ++ spin([8], 3) $)");
  Setting setting(module, 2);
  setting.machine.max_frame_bytes = std::size_t{8} << 30;
  const std::size_t before = setting.pool.stats().peak;
  const vm::Outcome grouped = setting.grouped(1, 1 << 17);
  REQUIRE(!grouped.error);
  CHECK(std::get<vm::Vector>(grouped.values.back()).int_at(2) == 7);
  CHECK(setting.mode->levels() > 100000);
  CHECK(setting.pool.stats().peak < before + (1 << 20));
}

TEST_CASE("too many levels are the error that too many calls are") {
  const ssa::Module module = test::nesl_module(R"(
function spin(v, n) = if n == 0 or #v == 0 then v else flatten({spin(x, n - 1) : x in [v, drop(v, #v)]}) $
spin([5, 6, 7], -1) $)");
  for (const bool by_number : {true, false}) {
    Setting setting(module, 2);
    if (by_number)
      setting.machine.max_depth = 1000;
    else
      setting.machine.max_frame_bytes = 1 << 20;
    const vm::Outcome ordinary = setting.ordinary();
    const vm::Outcome grouped = setting.grouped(1, 1 << 17);
    REQUIRE(ordinary.error);
    REQUIRE(grouped.error);
    CHECK(ordinary.error->kind == vm::Fault::Kind::kRecursion);
    CHECK(ordinary.error->message == grouped.error->message);
  }
}

// Whichever allocation fails, what comes out is right, or memory is what it lacked.
TEST_CASE("a loop over levels that runs out of memory is made otherwise") {
  const ssa::Module module = test::nesl_module(
      shapes()[0].function + "{order({rem(i * i * 7919, 97) : i in [0:k]}) : k in [0:60]} $");
  Setting setting(module, 2);
  const vm::Outcome ordinary = setting.ordinary();
  REQUIRE(!ordinary.error);
  for (std::uint64_t k = 1; k < 3000; k += 11) {
    setting.pool.fail_at(k);
    const vm::Outcome grouped = setting.grouped(k % 2 == 0 ? 2 : kAuto, 64);
    setting.pool.fail_at(0);
    if (grouped.error) {
      CHECK(grouped.error->kind == vm::Fault::Kind::kMemory);
      continue;
    }
    for (std::size_t i = 0; i < ordinary.values.size(); ++i)
      REQUIRE(vm::difference(ordinary.values[i], grouped.values[i]) == "");
  }
}

}  // namespace nvm
