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

// For each row, its elements at the indices that a list has, from the second on in every fifth row, and at
// those a place further on; the first ten as they are.
struct Listed : PlanWriter {
  std::int32_t elements = 0, list = 0;  // vectors

  Listed(Storage storage, Storage list_storage, std::int64_t rows, std::int64_t length,
         const std::vector<std::int64_t>& indices)
      : PlanWriter(IntBits::k64, rows * length) {
    const Type type = storage == Storage::kF64 ? Type::kFloat : Type::kInt;
    plan.lengths.push_back(plan::LengthKind::kBound);
    plan.lengths.push_back(plan::LengthKind::kBound);
    bindings.lengths.push_back(rows);
    bindings.lengths.push_back(static_cast<std::int64_t>(indices.size()));
    desc = add_var(plan::VarRole::kInput, Type::kInt, Storage::kI64, 3);
    plan.vars.back().is_desc = true;
    plan.vars.back().total = 0;
    plan.vars.back().form = length % 2 == 0 ? soac::DescForm::kRegular : soac::DescForm::kIrregular;
    bindings.descs.back().assign(static_cast<std::size_t>(rows), length);
    elements = add_var(plan::VarRole::kInput, type, storage, 0);
    for (std::int64_t i = 0; i < rows * length; ++i)
      bindings.vectors.back().push_back({i * 7 % 100, static_cast<double>(i % 1000) / 8});
    list = add_var(plan::VarRole::kInput, Type::kInt, list_storage, 4);
    for (const std::int64_t i : indices) bindings.vectors.back().push_back({i, 0});
    BodyInst within{Pull::kWithin, Type::kInt};
    within.desc = desc;
    const std::int32_t at = w.body.add(within);
    const std::int32_t bound = w.number(length - 1);
    BodyInst later{Pull::kPerSegment, Type::kInt};
    later.var = add_var(plan::VarRole::kInput, Type::kInt, Storage::kI64, 3);
    later.desc = desc;
    for (std::int64_t r = 0; r < rows; ++r) bindings.vectors.back().push_back({r % 5 == 3 ? 1 : 0, 0});
    const std::int32_t place =
        w.apply(Scalar::kMin, Type::kInt, w.apply(Scalar::kAdd, Type::kInt, at, w.body.add(later)), bound);
    const std::int32_t index = w.gather(list, place, Type::kInt);
    const std::int32_t next =
        w.apply(Scalar::kMin, Type::kInt, w.apply(Scalar::kAdd, Type::kInt, index, w.number(1)), bound);
    const std::int32_t both = w.apply(Scalar::kMax, type, of_row(index, type), of_row(next, type));
    const std::int32_t first = w.apply(Scalar::kLt, Type::kBool, at, w.number(10));
    store(w.apply(Scalar::kSelect, type, first, w.pull(Pull::kElement, elements, type), both), type, storage,
          0, soac::kNone);
  }

 private:
  std::int32_t of_row(std::int32_t index, Type type) {
    BodyInst in{Pull::kSegGather, type};
    in.var = elements;
    in.a = index;
    in.desc = in.desc2 = desc;
    return w.body.add(in);
  }
  std::int32_t desc = 0;
};

// Lists of `length` indices into rows of as many, by how many runs they are: few, or too many.
struct Indices {
  const char* name;
  bool few;
  std::vector<std::int64_t> list;
};
std::vector<Indices> index_lists(std::int64_t length) {
  const auto made = [length](auto f) {
    std::vector<std::int64_t> list;
    for (std::int64_t i = 0; i < length; ++i) list.push_back(f(i));
    return list;
  };
  return {{"identity", true, made([](std::int64_t i) { return i; })},
          {"turned by one", true, made([=](std::int64_t i) { return (i + 1) % length; })},
          {"turned back by one", true, made([=](std::int64_t i) { return (i + length - 1) % length; })},
          {"two halves, changed over", true, made([=](std::int64_t i) { return (i + length / 2) % length; })},
          {"sixteen parts, turned round", true, made([=](std::int64_t i) {
             const std::int64_t part = length / 16;
             return i / part < 16 ? (15 - i / part) * part + i % part : i;
           })},
          {"reversed", false, made([=](std::int64_t i) { return length - 1 - i; })},
          {"one number", false, made([](std::int64_t) { return std::int64_t{5}; })},
          {"scattered", false, made([=](std::int64_t i) { return i * 37 % length; })}};
}

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

TEST_CASE("rows look indices up in a list that they share: where it is a few runs, they are loads") {
  for (const Storage storage : {Storage::kI8, Storage::kI32, Storage::kI64, Storage::kF64})
    for (const std::int64_t length : {256, 300, 1023})
      for (const std::int64_t rows : {16, 40})
        for (const Indices& indices : index_lists(length)) {
          Listed k(storage, length % 2 == 0 ? Storage::kI32 : Storage::kI64, rows, length, indices.list);
          const plan::Plan plan = k.finished();
          Bindings wanted = k.bindings;
          REQUIRE(evaluate(plan, wanted));
          for (const Isa isa : testing::isas())
            for (const int threads : {1, 2}) {
              const auto run = run_plan(*testing::compiled(plan, isa), plan, k.bindings, threads);
              INFO(isa_name(isa) << ", " << indices.name << ", rows " << rows << " of " << length);
              REQUIRE(run.status == plan::RunStatus::kDone);
              REQUIRE(run.trouble + differences(plan, wanted, run.results) == "");
              REQUIRE(run.kernels(plan::KernelWay::kRows) == (indices.few ? 1 : 0));
            }
        }
}

TEST_CASE("few rows are not worth looking for runs in their list") {
  Listed k(Storage::kI32, Storage::kI32, 15, 300, index_lists(300)[1].list);
  const plan::Plan plan = k.finished();
  for (const Isa isa : testing::isas())
    CHECK(run_plan(*testing::compiled(plan, isa), plan, k.bindings, 1).kernels(plan::KernelWay::kRows) == 0);
}

TEST_CASE("an index in the list that leaves the row traps, and so does a list that is too short") {
  for (const std::int64_t bad : {std::int64_t{-1}, std::int64_t{300}, std::int64_t{1} << 40,
                                 std::int64_t{INT64_MIN}, std::int64_t{INT64_MAX}})
    for (const std::size_t at : {0, 1, 150, 298, 299}) {
      std::vector<std::int64_t> list = index_lists(300)[1].list;
      list[at] = bad;
      Listed k(Storage::kI32, Storage::kI64, 40, 300, list);
      const plan::Plan plan = k.finished();
      for (const Isa isa : testing::isas())
        CHECK(run_plan(*testing::compiled(plan, isa), plan, k.bindings, 2).status ==
              plan::RunStatus::kTrapped);
    }
  std::vector<std::int64_t> list = index_lists(300)[1].list;
  list.pop_back();
  Listed k(Storage::kI32, Storage::kI64, 40, 300, list);
  const plan::Plan plan = k.finished();
  for (const Isa isa : testing::isas())
    CHECK(run_plan(*testing::compiled(plan, isa), plan, k.bindings, 2).status == plan::RunStatus::kTrapped);
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
