// Filters by segment: the counts of what they keep, over segments of every kind of length, and sums by
// segment of the flags that a filter counts in any case.
#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>
#include <vector>

#include "tests/support/isas.h"
#include "tests/support/plan_runner.h"
#include "tests/support/plan_writer.h"

namespace {

using namespace nvm;
using soac::Pull;
using testing::PlanWriter;
using vm::cpu::Isa;

enum class Kept { kNone, kSome, kAll };
enum class Sums { kNone, kOfFlags, kOfOthers };

// The positive elements of each segment, and how many there are, in all and by segment.
struct Positive : PlanWriter {
  Positive(IntBits bits, const std::vector<std::int64_t>& lengths, Kept kept, Sums sums, Storage sums_in)
      : PlanWriter(bits, sum(lengths)) {
    const std::int64_t n = bindings.lengths[0];
    plan.lengths.push_back(plan::LengthKind::kBound);  // 3: segments
    bindings.lengths.push_back(static_cast<std::int64_t>(lengths.size()));
    const std::int32_t elements = add_var(plan::VarRole::kInput, Type::kInt, ints(), 0);
    std::mt19937_64 random(static_cast<std::uint64_t>(n + 1));
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t sign = kept == Kept::kAll    ? 1
                                : kept == Kept::kNone ? -1
                                : random() % 2 == 0   ? 1
                                                      : -1;
      bindings.vectors[0].push_back({sign * (i + 1), 0});
    }
    const std::int32_t desc = add_desc(plan::VarRole::kInput, 0);
    bindings.descs[1] = lengths;
    const std::int32_t x = w.pull(Pull::kElement, elements, Type::kInt);
    const std::int32_t positive = w.apply(Scalar::kGt, Type::kBool, x, w.number(0));
    const std::int32_t count = add_sink(plan::SinkKind::kCount, positive, Type::kBool);
    kernel.sinks.back().out_length = 2;
    kernel.sinks.back().desc = desc;
    kernel.sinks.back().out_desc = add_desc(plan::VarRole::kOutput, 2);
    store(x, Type::kInt, ints(), 2, count);
    if (sums == Sums::kNone) return;
    const std::int32_t of =
        sums == Sums::kOfFlags ? positive : w.apply(Scalar::kGe, Type::kBool, x, w.number(1));
    const std::int32_t one = w.apply(Scalar::kBtoI, Type::kInt, of);
    add_sink(plan::SinkKind::kSegReduce, one, Type::kInt);
    kernel.sinks.back().combine = Scalar::kAdd;
    kernel.sinks.back().desc = desc;
    kernel.sinks.back().out = add_var(plan::VarRole::kOutput, Type::kInt, sums_in, 3);
  }
  std::int32_t add_desc(plan::VarRole role, plan::LengthId total) {
    const std::int32_t desc = add_var(role, Type::kInt, Storage::kI64, 3);
    plan.vars.back().is_desc = true;
    plan.vars.back().total = total;
    plan.vars.back().form = plan::DescForm::kIrregular;
    return desc;
  }
  static std::int64_t sum(const std::vector<std::int64_t>& lengths) {
    return std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  }
};

void compare(Positive& p) {
  const plan::Plan plan = p.finished();
  testing::Bindings wanted = p.bindings;
  REQUIRE(evaluate(plan, wanted));
  for (const Isa isa : testing::isas())
    for (const int threads : {1, 2}) {
      INFO(isa_name(isa) << ", threads " << threads);
      const auto run = run_plan(*testing::compiled(plan, isa), plan, p.bindings, threads);
      REQUIRE(run.status == plan::RunStatus::kDone);
      REQUIRE(run.trouble + differences(plan, wanted, run.results) == "");
    }
}

}  // namespace

TEST_CASE("what filters keep is counted by segment, short and long, empty and across blocks and chunks") {
  const std::vector<std::vector<std::int64_t>> shapes = {
      {},
      {0},
      {0, 0, 0},
      {1},
      {0, 1, 0},
      {7, 8, 9, 0, 63, 64, 65, 1},
      {2047, 1, 0, 0, 2048, 0, 2049, 0},
      {0, 5, 65536, 0, 0, 3},
      {200000},
      {0, 200000, 0, 1, 130000, 0},
      std::vector<std::int64_t>(5000, 0),
      std::vector<std::int64_t>(70000, 1),
      std::vector<std::int64_t>(10000, 13),
  };
  for (const IntBits bits : {IntBits::k32, IntBits::k64})
    for (const auto& lengths : shapes)
      for (const Kept kept : {Kept::kNone, Kept::kSome, Kept::kAll})
        for (const Sums sums : {Sums::kNone, Sums::kOfFlags}) {
          INFO("segments " << lengths.size() << ", elements " << Positive::sum(lengths));
          Positive p(bits, lengths, kept, sums, bits == IntBits::k32 ? Storage::kI32 : Storage::kI64);
          compare(p);
        }
}

TEST_CASE("sums of flags that a filter counts are stored as narrow as any") {
  for (const Storage storage : {Storage::kI8, Storage::kI32}) {
    Positive p(IntBits::k64, {0, 100, 127, 3000 % 128, 1, 0}, Kept::kAll, Sums::kOfFlags, storage);
    compare(p);
  }
}

TEST_CASE("the loop of a filter that counts has nothing more to do for sums of its flags") {
  for (const Isa isa : testing::isas()) {
    const auto loop = [&](Sums sums) {
      Positive p(IntBits::k64, {1, 2, 3}, Kept::kSome, sums, Storage::kI64);
      const std::string text = testing::compiled(p.finished(), isa)->listing();
      return std::count(text.begin(), text.end(), '\n');
    };
    CHECK(loop(Sums::kOfFlags) == loop(Sums::kNone));
    CHECK(loop(Sums::kOfOthers) > loop(Sums::kNone));
  }
}
