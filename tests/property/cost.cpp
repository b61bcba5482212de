// What the cost model counts does not depend on how an instruction is executed, nor on whether a call is cut
// into groups and into which.
#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <vector>

#include "tests/support/bare_machine.h"
#include "tests/support/lifted_arguments.h"
#include "tests/support/lifted_programs.h"
#include "tests/support/nesl_module.h"
#include "tests/support/nesl_recursions.h"
#include "tests/support/random_module.h"
#include "tests/support/vcode_module.h"
#include "vm/block/block_mode.h"
#include "vm/block/worker.h"
#include "vm/interp/interp.h"

namespace nvm {
namespace {

using Setting = test::BareMachine;
constexpr std::int64_t kDeep = 100;  // calls

struct Figures {
  std::uint64_t work = 0, depth = 0;
  std::int64_t levels = 0;      // of tail-parallel recursion, made as a loop
  std::uint64_t uncharged = 0;  // further instructions
};

// Counts what it is told.
class Watching final : public vm::Observer {
 public:
  void begin(const ssa::Inst& inst, const vm::Site&, std::int64_t work) override {
    if (inst.unpaid) {
      ++cost.uncharged;
      return;
    }
    cost.work += static_cast<std::uint64_t>(work);
    ++cost.depth;
  }
  void worked(std::int64_t work) override { cost.work += static_cast<std::uint64_t>(work); }
  Figures cost;
};

Figures of(const vm::Tally& tally) { return {tally.work, tally.instructions, 0, tally.uncharged}; }

enum class How { kAlone, kThreads, kBytes };

// Nothing if it fails.
std::optional<Figures> counted(Setting& setting, How how) {
  vm::Machine machine = setting.machine;
  vm::Tally tally;
  tally.counts_bytes = how == How::kBytes;
  machine.tally = &tally;
  machine.prims.threads = how == How::kThreads ? 3 : 1;
  const vm::Outcome outcome = vm::Interp(setting.code, machine).run();
  return outcome.error ? std::nullopt : std::optional(of(tally));
}

void same_cost_however(const ssa::Module& module) {
  Setting setting(module, kDeep);
  vm::Machine machine = setting.machine;
  Watching watching;
  machine.observer = &watching;
  machine.prims.threads = 1;
  if (vm::Interp(setting.code, machine).run().error) return;
  for (const How how : {How::kAlone, How::kThreads, How::kBytes}) {
    const auto cost = counted(setting, how);
    RC_ASSERT(cost.has_value());
    RC_ASSERT(cost->work == watching.cost.work);
    RC_ASSERT(cost->depth == watching.cost.depth);
    RC_ASSERT(cost->uncharged == watching.cost.uncharged);
  }
}

// The call as a whole, and in groups by workers that cut no further.
void groups_cost_what_the_whole_does(const ssa::Module& module, ssa::FunctionId id, test::Choices choices) {
  const ssa::Function& f = module.functions[static_cast<std::size_t>(id)];
  Setting setting(module, kDeep);
  setting.machine.prims.threads = 1;
  const auto instances = static_cast<std::int64_t>(2 + choices.below(30));
  const std::vector<test::Column> columns = test::lifted_columns(f, instances, choices);
  const std::vector<vm::Value> arguments = test::lifted_arguments(setting.pool, f, columns);
  const auto layout = vm::block::Layout::of(f.lifted.parameters, arguments);
  if (!layout) return;
  const std::vector<std::int64_t> bounds = layout->bounds(1 + static_cast<std::int64_t>(choices.below(5)));
  vm::Tally tally;
  vm::Machine machine = setting.machine;
  machine.tally = &tally;
  vm::block::Options options;
  options.threshold = vm::block::Options::kOff;  // groups are not cut in turn
  const vm::block::Policy policy(module, options, 1);
  vm::block::Workers workers(setting.code, machine, {}, policy);
  const vm::block::Groups groups = workers.run(id, 0, *layout, bounds);
  if (groups.failed || !groups.over_budget.empty()) return;
  tally = {};
  const vm::Outcome whole = vm::Interp(setting.code, machine).call(id, arguments);
  RC_ASSERT(!whole.error);
  RC_ASSERT(groups.cost.work() == tally.work);
  RC_ASSERT(groups.cost.depth() == tally.instructions);
  RC_CLASSIFY(bounds.size() > 2, "several groups");
}

// In groups of all calls with `threshold` instances, again within groups.
Figures in_groups(const Setting& setting, std::int64_t threshold, std::int64_t group_bytes,
                  bool expects_calls) {
  vm::Tally tally;
  vm::Machine machine = setting.machine;
  machine.tally = &tally;
  vm::block::Options options;
  options.threshold = threshold;
  options.group_bytes = group_bytes;
  options.exact_costs = true;
  vm::block::BlockMode mode(setting.code, machine, {}, options);
  machine.calls = &mode;
  REQUIRE(!vm::Interp(setting.code, machine).run().error);
  if (threshold == 1 && expects_calls) REQUIRE(mode.counters().calls > 0);
  return {tally.work, tally.instructions, mode.levels()};
}

}  // namespace

TEST_CASE("random programs cost the same however they are executed") {
  CHECK(rc::check("random programs", [] { same_cost_however(test::random_module()); }));
}

TEST_CASE("recursive NESL programs cost the same however they are executed") {
  for (const test::Recursion& recursion : test::nesl_recursions()) {
    INFO(recursion.name);
    const ssa::Module module = test::nesl_module(recursion.text);
    CHECK(rc::check(std::string(recursion.name), [&] { same_cost_however(module); }));
  }
}

// Of all functions whose costs add up, with any arguments.
void groups_cost_what_the_whole_does(const ssa::Module& module) {
  for (std::size_t i = 0; i < module.functions.size(); ++i)
    if (module.functions[i].lifted.adds_up)
      groups_cost_what_the_whole_does(module, static_cast<ssa::FunctionId>(i),
                                      test::Choices(test::long_list()));
}

TEST_CASE("calls of random lifted functions cost in groups what they cost") {
  CHECK(rc::check("random programs", [] {
    const ssa::Module module = test::random_module();
    groups_cost_what_the_whole_does(module);
  }));
}

TEST_CASE("calls of recursive functions with any arguments cost in groups what they cost") {
  for (const test::Recursion& recursion : test::nesl_recursions()) {
    INFO(recursion.name);
    const ssa::Module module = test::nesl_module(recursion.text);
    CHECK(rc::check(std::string(recursion.name), [&] { groups_cost_what_the_whole_does(module); }));
  }
}

TEST_CASE("recursive NESL programs cost in groups what they cost") {
  std::int64_t levels = 0;
  for (const test::Recursion& recursion : test::nesl_recursions()) {
    INFO(recursion.name);
    const ssa::Module module = test::nesl_module(recursion.text);
    bool adds_up = false;
    for (const ssa::Function& f : module.functions) adds_up = adds_up || f.lifted.adds_up;
    CHECK(adds_up);
    Setting setting(module, kDeep);
    setting.machine.prims.threads = 2;
    vm::Tally whole;
    vm::Machine machine = setting.machine;
    machine.tally = &whole;
    REQUIRE(!vm::Interp(setting.code, machine).run().error);
    for (const std::int64_t threshold : {1, 2, 3})
      for (const std::int64_t bytes : {16, 256, 1 << 17}) {
        const Figures cut = in_groups(setting, threshold, bytes, adds_up);
        CHECK(cut.work == whole.work);
        CHECK(cut.depth == whole.instructions);
        levels += cut.levels;
      }
  }
  CHECK(levels > 0);
}

TEST_CASE("what stands twice for the same instances is charged on both ways, in the same order") {
  std::size_t stretches = 0;
  for (const test::Recursion& recursion : test::nesl_recursions()) {
    INFO(recursion.name);
    const ssa::Module module = test::nesl_module(recursion.text);
    for (const ssa::Function& f : module.functions) {
      std::map<std::int32_t, std::vector<Op>> of;
      for (const ssa::Block& block : f.blocks)
        for (const ssa::Inst& inst : block.insts) {
          if (inst.twin == 0) continue;
          of[inst.twin].push_back(inst.op);
          CHECK(!inst.unpaid);
        }
      for (const auto& [twin, ops] : of) CHECK(of.at(-twin) == ops);
      stretches += of.size() / 2;
    }
  }
  CHECK(stretches > 0);
}

// `low` stands twice, too, but groups may call it for no instance, and then go the way of all.
constexpr const char* kCallsForNobody = R"(
function low(v) = if #v < 2 then {x * x + 1 : x in v} else low(take(v, #v / 2)) $
function rows(n) = if n < 1 then [0] else flatten({low([0:k + 4]) : k in [0:n - 1]}) ++ rows(n - 3) $
{rows(k) : k in [0:7]} $)";

TEST_CASE("what groups may call for no instance costs what it costs, or is refused") {
  const ssa::Module module = test::nesl_module(kCallsForNobody);
  std::size_t lifted = 0;
  for (const ssa::Function& f : module.functions) {
    if (f.origin == "rows" || f.origin == "low") lifted += f.lifted.lifted ? 1 : 0;
    if (f.origin != "low" || !f.lifted.lifted) continue;
    for (const ssa::Block& block : f.blocks)
      for (const ssa::Inst& inst : block.insts) CHECK(inst.twin == 0);
  }
  CHECK(lifted == 2);
  CHECK(rc::check("calls for nobody", [&] { groups_cost_what_the_whole_does(module); }));
}

// The call in G is for one instance, whatever G has; nobody reads what it gives.
constexpr const char* kCallsForOne = R"(
FUNC MAIN
CONST INT 0 CONST INT (0 0 0) COPY 1 0 CONST BOOL F COPY 1 2 LENGTH INT MAKE_SEGDES DIST BOOL
COPY 1 2 LENGTH INT MAKE_SEGDES PACK INT COPY 1 1 COPY 1 1 CALL G
COPY 1 2 CONST INT 3 COPY 1 4 LENGTH INT MAKE_SEGDES DIST INT AND INT MAKE_SEGDES COPY 1 3 COPY 1 1 DIST INT
COPY 1 1 COPY 1 1 COPY 1 3 LENGTHS LENGTH INT MAKE_SEGDES CALL H RET
FUNC G
COPY 1 0 COPY 1 2 COPY 1 2 LENGTHS LENGTH INT MAKE_SEGDES CALL H COPY 1 2 POP 3 1 RET
FUNC H
CONST INT 1 COPY 1 3 LENGTHS COPY 1 0 LENGTH INT MAKE_SEGDES +_REDUCE INT MAKE_SEGDES DIST INT POP 3 1 RET)";

TEST_CASE("a call for other instances than those of the caller does not add up") {
  ssa::Module module = test::lowered_module(kCallsForOne);
  ssa::eliminate_common(module);
  ssa::simplify_segdes(module);
  ssa::eliminate_dead(module);
  ssa::find_lifted(module);
  std::size_t calls = 0;
  for (const ssa::Function& f : module.functions) {
    if (f.name != "G") continue;
    for (const ssa::Block& block : f.blocks)
      for (const ssa::Inst& inst : block.insts) calls += inst.op == Op::kCall ? 1 : 0;
    CHECK(f.lifted.lifted);
    CHECK(!f.lifted.adds_up);
  }
  CHECK(calls == 1);
}

// Each way of it has code of its own, also for when all instances go that way.
TEST_CASE("what is computed where all instances agree is seen not to add up") {
  const ssa::Module module = test::vcode_module(test::kFactorial);
  for (const ssa::Function& f : module.functions)
    if (f.lifted.lifted) {
      CHECK(!f.lifted.adds_up);
      CHECK(!f.lifted.cost_refusal.empty());
    }
}

}  // namespace nvm
