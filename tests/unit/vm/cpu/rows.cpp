// Rows: stages that run over one long segment at a time.
#include "vm/cpu/codegen/rows.h"

#include <catch2/catch.hpp>
#include <random>

#include "tests/support/isas.h"
#include "tests/support/plan_runner.h"
#include "tests/support/plan_writer.h"

namespace {

using namespace nvm;
using soac::BodyInst;
using soac::Pull;
using testing::Bindings;
using testing::PlanWriter;
using vm::cpu::Isa;

// For each row r: scale[r] * table[start[r] + step[r] * j] + j + r, stored, and its sum. Lengths: 3 the rows.
struct Rows : PlanWriter {
  std::int32_t start = 0, step = 0;  // vectors

  Rows(IntBits bits, const std::vector<std::int64_t>& lengths, std::int64_t other_step)
      : PlanWriter(bits, total_of(lengths)) {
    const auto rows = static_cast<std::int64_t>(lengths.size());
    std::int64_t longest = 1;
    for (const std::int64_t l : lengths) longest = std::max(longest, l);
    plan.lengths.push_back(plan::LengthKind::kBound);
    plan.lengths.push_back(plan::LengthKind::kBound);
    bindings.lengths.push_back(rows);
    bindings.lengths.push_back(4 * longest + 40);
    desc = add_var(plan::VarRole::kInput, Type::kInt, Storage::kI64, 3);
    plan.vars.back().is_desc = true;
    plan.vars.back().total = 0;
    plan.vars.back().form = soac::DescForm::kIrregular;
    bindings.descs.back() = lengths;
    start = add_var(plan::VarRole::kInput, Type::kInt, Storage::kI32, 3);
    step = add_var(plan::VarRole::kInput, Type::kInt, ints(), 3);
    const auto scale = add_var(plan::VarRole::kInput, Type::kFloat, Storage::kF64, 3);
    const auto table = add_var(plan::VarRole::kInput, Type::kFloat, Storage::kF64, 4);
    std::mt19937_64 random(static_cast<std::uint64_t>(rows));
    for (std::int64_t r = 0; r < rows; ++r) {
      at(start).push_back({static_cast<std::int64_t>(random() % 40), 0});
      at(step).push_back({r % 3 == 1 ? other_step : 1, 0});
      at(scale).push_back({0, static_cast<double>(random() % 100) / 8});
    }
    for (std::int64_t i = 0; i < bindings.lengths[4]; ++i)
      at(table).push_back({0, static_cast<double>(i % 977) / 4});
    const auto within = of_segment(Pull::kWithin, soac::kNone, Type::kInt);
    const auto place =
        w.apply(Scalar::kAdd, Type::kInt, of_segment(Pull::kPerSegment, start, Type::kInt),
                w.apply(Scalar::kMul, Type::kInt, of_segment(Pull::kPerSegment, step, Type::kInt), within));
    const auto number =
        w.apply(Scalar::kAdd, Type::kInt, within, of_segment(Pull::kSegment, soac::kNone, Type::kInt));
    const auto scaled =
        w.apply(Scalar::kMul, Type::kFloat, of_segment(Pull::kPerSegment, scale, Type::kFloat),
                w.gather(table, place, Type::kFloat));
    const auto value =
        w.apply(Scalar::kAdd, Type::kFloat, scaled, w.apply(Scalar::kItoF, Type::kFloat, number));
    store(value, Type::kFloat, Storage::kF64, 0, soac::kNone);
    add_sink(plan::SinkKind::kSegReduce, value, Type::kFloat);
    kernel.sinks.back().combine = Scalar::kAdd;
    kernel.sinks.back().desc = desc;
    kernel.sinks.back().out = add_var(plan::VarRole::kOutput, Type::kFloat, Storage::kF64, 3);
  }
  static std::int64_t total_of(const std::vector<std::int64_t>& lengths) {
    std::int64_t n = 0;
    for (const std::int64_t l : lengths) n += l;
    return n;
  }
  decltype(Bindings::vectors)::value_type& at(std::int32_t v) {
    return bindings.vectors[static_cast<std::size_t>(v)];
  }

 private:
  std::int32_t of_segment(Pull how, std::int32_t var, Type type) {
    BodyInst in{how, type};
    in.var = var;
    in.desc = desc;
    return w.body.add(in);
  }
  std::int32_t desc = 0;
};

std::vector<std::vector<std::int64_t>> shapes() {
  std::vector<std::vector<std::int64_t>> all{{256}, {5000}, {0, 0, 3000, 0}, {1, 2000, 1, 2000}};
  all.emplace_back(40, 300);
  all.emplace_back(9, 10001);
  std::mt19937_64 random(7);
  std::vector<std::int64_t> uneven;
  for (int k = 0; k < 60; ++k) uneven.push_back(static_cast<std::int64_t>(random() % 2000));
  all.push_back(uneven);
  return all;
}

}  // namespace

TEST_CASE("rows give what the reference says, whether their gathers are loads or not") {
  for (const IntBits bits : {IntBits::k64, IntBits::k32})
    for (const std::int64_t other_step : {1, 0, 3})
      for (const auto& lengths : shapes()) {
        Rows rows(bits, lengths, other_step);
        const plan::Plan plan = rows.finished();
        Bindings wanted = rows.bindings;
        REQUIRE(evaluate(plan, wanted));
        for (const Isa isa : testing::isas())
          for (const int threads : {1, 2}) {
            const auto run = run_plan(*testing::compiled(plan, isa), plan, rows.bindings, threads);
            INFO(isa_name(isa) << ", rows " << lengths.size() << ", other step " << other_step);
            REQUIRE(run.status == plan::RunStatus::kDone);
            REQUIRE(run.trouble + differences(plan, wanted, run.results) == "");
          }
      }
}

TEST_CASE("a row whose index leaves the vector traps, beside rows that do not") {
  for (const std::size_t bad : {0, 17, 39})
    for (const std::int64_t begin : {std::int64_t{-1}, std::int64_t{4 * 300 + 40 - 299}}) {
      Rows rows(IntBits::k64, std::vector<std::int64_t>(40, 300), 1);
      rows.at(rows.start)[bad].i = begin;
      const plan::Plan plan = rows.finished();
      for (const Isa isa : testing::isas())
        for (const int threads : {1, 2})
          CHECK(run_plan(*testing::compiled(plan, isa), plan, rows.bindings, threads).status ==
                plan::RunStatus::kTrapped);
    }
}

TEST_CASE("what is folded, packed or pulled by two descriptors is not run by rows") {
  Rows rows(IntBits::k64, {300, 300}, 1);
  vm::cpu::StageSpec spec;
  spec.body = &rows.w.body;
  const auto count = static_cast<std::int32_t>(rows.w.body.insts.size());
  for (std::int32_t v = 0; v < count; ++v)
    if (rows.w.body.insts[static_cast<std::size_t>(v)].desc != soac::kNone)
      spec.inputs.push_back({v, Storage::kI64, v});
  spec.outputs.push_back({count - 1, Storage::kF64, {vm::cpu::SlotKind::kOut, 0}});
  const auto found = vm::cpu::row_spec(spec);
  REQUIRE(found);
  CHECK(found->inputs.empty());
  CHECK(found->straight.gathers.size() == 1);
  vm::cpu::StageSpec folded = spec;
  folded.folds.push_back({count - 1, Scalar::kAdd, Storage::kF64, 0});
  CHECK_FALSE(vm::cpu::row_spec(folded));
  vm::cpu::StageSpec packed = spec;
  packed.packs.push_back({count - 1, Storage::kF64, 0, 0});
  CHECK_FALSE(vm::cpu::row_spec(packed));
  soac::Body two = rows.w.body;
  two.insts[static_cast<std::size_t>(spec.inputs[0].value)].desc += 1;
  spec.body = &two;
  CHECK_FALSE(vm::cpu::row_spec(spec));
  spec.inputs.clear();
  CHECK_FALSE(vm::cpu::row_spec(spec));
}
