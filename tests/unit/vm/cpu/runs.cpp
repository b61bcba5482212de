// Moves by places that go up evenly: no place is computed for an element.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/support/isas.h"
#include "tests/support/plan_runner.h"
#include "tests/support/plan_writer.h"

namespace {

using namespace nvm;
using soac::Pull;
using testing::PlanWriter;
using vm::cpu::Isa;

enum class Move { kScatter, kGather };
enum class Places { kRuns, kNumbers };

constexpr std::int64_t kSegments = 50, kEach = 20;

// The first half of each segment goes to the segment, or comes from it, from its third element on.
struct Halves : PlanWriter {
  Halves(Move move, Places places) : PlanWriter(IntBits::k64, kSegments * kEach / 2) {
    plan.lengths.insert(plan.lengths.end(), {plan::LengthKind::kBound, plan::LengthKind::kBound});
    bindings.lengths.insert(bindings.lengths.end(), {kSegments, kSegments * kEach});  // 3, 4
    const std::int32_t halves = add_desc(0, kEach / 2), wholes = add_desc(4, kEach);
    const bool scatters = move == Move::kScatter;
    const std::int32_t moved = add_input(scatters ? 0 : 4);
    const std::int32_t numbers = add_input(0);
    for (std::size_t i = 0; i < bindings.vectors.back().size(); ++i)
      bindings.vectors.back()[i].i = static_cast<std::int64_t>(i) % (kEach / 2) + 2;
    soac::BodyInst in{scatters ? Pull::kSegPlace : Pull::kSegGather, Type::kInt};
    in.a = places == Places::kNumbers ? w.pull(Pull::kElement, numbers, Type::kInt)
                                      : w.apply(Scalar::kAdd, Type::kInt, within(halves), w.number(2));
    in.desc = halves;
    in.desc2 = wholes;
    if (!scatters) in.var = moved;
    const std::int32_t at = w.body.add(in);
    if (!scatters) {
      store(at, Type::kInt, Storage::kI64, 0, soac::kNone);
      return;
    }
    add_sink(plan::SinkKind::kScatter, w.pull(Pull::kElement, moved, Type::kInt), Type::kInt);
    kernel.sinks.back().index = at;
    kernel.sinks.back().out = add_var(plan::VarRole::kOutput, Type::kInt, Storage::kI64, 4);
  }
  std::int32_t within(std::int32_t desc) {
    soac::BodyInst in{Pull::kWithin, Type::kInt};
    in.desc = desc;
    return w.body.add(in);
  }
  std::int32_t add_desc(plan::LengthId total, std::int64_t each) {
    const std::int32_t desc = add_var(plan::VarRole::kInput, Type::kInt, Storage::kI64, 3);
    plan.vars.back().is_desc = true;
    plan.vars.back().total = total;
    plan.vars.back().form = plan::DescForm::kIrregular;
    bindings.descs.back().assign(kSegments, each);
    return desc;
  }
  std::int32_t add_input(plan::LengthId length) {
    const std::int32_t v = add_var(plan::VarRole::kInput, Type::kInt, Storage::kI64, length);
    for (std::int64_t i = 0; i < bindings.lengths[static_cast<std::size_t>(length)]; ++i)
      bindings.vectors.back().push_back({100 + i, 0});
    return v;
  }
};

void runs(const plan::Plan& plan, const testing::Bindings& bindings, const plan::Code& code) {
  testing::Bindings wanted = bindings;
  REQUIRE(evaluate(plan, wanted));
  const testing::PlanRun run = run_plan(code, plan, bindings, 1);
  REQUIRE(run.status == plan::RunStatus::kDone);
  REQUIRE(run.trouble + differences(plan, wanted, run.results) == "");
}

}  // namespace

TEST_CASE("moves by runs compute no places") {
  for (const Isa isa : testing::isas())
    for (const Move move : {Move::kScatter, Move::kGather}) {
      const auto loop = [&](Places places) {
        Halves h(move, places);
        const plan::Plan plan = h.finished();
        const auto code = testing::compiled(plan, isa);
        runs(plan, h.bindings, *code);
        const std::string text = code->listing();
        return std::count(text.begin(), text.end(), '\n');
      };
      CHECK(loop(Places::kRuns) < loop(Places::kNumbers));
    }
}
