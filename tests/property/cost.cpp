// What the cost model counts does not depend on how an instruction is executed, and of a call in groups it is
// the sum of the groups' work and the depth of the deepest.
#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "bytecode/ssa/passes.h"
#include "bytecode/verify/verify.h"
#include "tests/support/lifted_arguments.h"
#include "tests/support/lifted_programs.h"
#include "tests/support/nesl_module.h"
#include "tests/support/nesl_recursions.h"
#include "tests/support/random_module.h"
#include "vm/block/block_mode.h"
#include "vm/block/worker.h"
#include "vm/interp/interp.h"

namespace nvm {
namespace {

struct Setting {
  explicit Setting(const ssa::Module& m) : code(vm::make_code(m, pool)) {
    machine.prims.pool = &pool;
    machine.prims.int_bits = m.int_bits;
    machine.prims.random = &host.random();
    machine.host = &host;
    machine.max_depth = 100;
  }
  vm::Pool pool;
  vm::Code code;
  vm::HostOptions options{nullptr, nullptr, nullptr, {}, vm::RandomKind::kPhilox};
  vm::Host host{options, pool, IntBits::k64};
  vm::Machine machine;
};

// Counts what operands and results say, as they are.
class ByValues final : public vm::Observer {
 public:
  void begin(const ssa::Inst& inst, const vm::Site&, std::span<const vm::Value> operands) override {
    cost.work += static_cast<std::uint64_t>(vm::work_before(inst, operands));
    ++cost.depth;
  }
  void end(const ssa::Inst& inst, const vm::Site&, std::span<const vm::Value> results) override {
    cost.work += static_cast<std::uint64_t>(vm::work_after(inst, results));
  }
  vm::block::Cost cost;
};

vm::block::Cost of(const vm::Tally& tally) { return {tally.work, tally.instructions}; }

enum class How { kAlone, kThreads, kBytes };

// Nothing if it fails.
std::optional<vm::block::Cost> counted(Setting& setting, How how) {
  vm::Machine machine = setting.machine;
  vm::Tally tally;
  tally.counts_bytes = how == How::kBytes;
  machine.tally = &tally;
  machine.prims.threads = how == How::kThreads ? 3 : 1;
  const vm::Outcome outcome = vm::Interp(setting.code, machine).run();
  return outcome.error ? std::nullopt : std::optional(of(tally));
}

void same_cost_however(const ssa::Module& module) {
  Setting setting(module);
  vm::Machine machine = setting.machine;
  ByValues by_values;
  machine.observer = &by_values;
  machine.prims.threads = 1;
  if (vm::Interp(setting.code, machine).run().error) return;
  for (const How how : {How::kAlone, How::kThreads, How::kBytes}) {
    const auto cost = counted(setting, how);
    RC_ASSERT(cost.has_value());
    RC_ASSERT(cost->work == by_values.cost.work);
    RC_ASSERT(cost->depth == by_values.cost.depth);
  }
}

// The groups one after another, each as a call of its own.
void groups_add_up(const ssa::Module& module, ssa::FunctionId id, test::Choices choices) {
  const ssa::Function& f = module.functions[static_cast<std::size_t>(id)];
  Setting setting(module);
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
  vm::block::Cost sum;
  for (std::size_t g = 0; g + 1 < bounds.size(); ++g) {
    tally = {};
    const vm::Outcome one =
        vm::Interp(setting.code, machine).call(id, layout->group(bounds[g], bounds[g + 1], setting.pool));
    RC_ASSERT(!one.error || groups.failed || !groups.over_budget.empty());
    sum.beside(of(tally));
  }
  if (groups.failed || !groups.over_budget.empty()) return;
  RC_ASSERT(groups.cost.work == sum.work);
  RC_ASSERT(groups.cost.depth == sum.depth);
  RC_CLASSIFY(bounds.size() > 2, "several groups");
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

TEST_CASE("the work of groups adds up, their depth is that of the deepest") {
  CHECK(rc::check("random programs", [] {
    const ssa::Module module = test::random_module();
    for (std::size_t i = 0; i < module.functions.size(); ++i)
      if (module.functions[i].lifted.lifted)
        groups_add_up(module, static_cast<ssa::FunctionId>(i), test::Choices(test::long_list()));
  }));
}

// A group executes nothing that the whole does not: it may lack the packing and merging of instances.
TEST_CASE("groups are no deeper than the whole") {
  for (const test::Recursion& recursion : test::nesl_recursions()) {
    INFO(recursion.name);
    const ssa::Module module = test::nesl_module(recursion.text);
    Setting setting(module);
    setting.machine.prims.threads = 1;
    vm::Tally whole, cut;
    vm::Machine machine = setting.machine;
    machine.tally = &whole;
    REQUIRE(!vm::Interp(setting.code, machine).run().error);
    machine.tally = &cut;
    vm::block::Options options;
    options.threshold = 2;
    options.group_bytes = 1 << 17;
    vm::block::BlockMode mode(setting.code, machine, {}, options);
    machine.calls = &mode;
    REQUIRE(!vm::Interp(setting.code, machine).run().error);
    REQUIRE(mode.counters().calls > 0);
    CHECK(cut.instructions <= whole.instructions);
    CHECK(cut.work > 0);
  }
}

}  // namespace nvm
