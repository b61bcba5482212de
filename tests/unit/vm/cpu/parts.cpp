// Scans that are only reduced, in one sweep: the reference's results where no number wraps, and where one
// would.
#include "bytecode/plan/parts.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <random>

#include "tests/support/isas.h"
#include "tests/support/plan_runner.h"
#include "tests/support/plan_writer.h"

namespace {

using namespace nvm;
using soac::Pull;
using testing::Bindings;
using testing::PlanWriter;
using vm::cpu::Isa;

enum class Form { kSubsequence, kMirrored, kSums, kManyScans, kUnmasked, kProduct };
constexpr Form kForms[] = {Form::kSubsequence, Form::kMirrored, Form::kSums,
                           Form::kManyScans,   Form::kUnmasked, Form::kProduct};

// Does a term add or multiply what only may be compared?
bool says(Form shape) { return shape != Form::kUnmasked && shape != Form::kProduct; }

// Elements of a storage, `fill` giving each.
struct Scanned : PlanWriter {
  template <typename Fill>
  Scanned(Form shape, Storage storage, std::int64_t n, Fill fill) : PlanWriter(IntBits::k64, n) {
    const std::int32_t elements = add_var(plan::VarRole::kInput, Type::kInt, storage, 0);
    for (std::int64_t i = 0; i < n; ++i) bindings.vectors[0].push_back({fill(i), 0.0});
    const std::int32_t x = w.pull(Pull::kElement, elements, Type::kInt);
    const std::int32_t sums = scan(Scalar::kAdd, x, Type::kInt);
    const std::int32_t here = w.apply(Scalar::kAdd, Type::kInt, sums, x);
    finish(shape, x, sums, here);
  }
  void finish(Form shape, std::int32_t x, std::int32_t sums, std::int32_t here) {
    const auto apply = [&](Scalar op, std::int32_t a, std::int32_t b) {
      return w.apply(op, Type::kInt, a, b);
    };
    switch (shape) {
      case Form::kSubsequence: {
        const std::int32_t least = scan(Scalar::kMin, sums, Type::kInt);
        const std::int32_t from = apply(Scalar::kMin, least, sums);
        return reduce(Scalar::kMax, apply(Scalar::kSub, here, from), Type::kInt);
      }
      case Form::kMirrored: {
        const std::int32_t most = scan(Scalar::kMax, here, Type::kInt);
        const std::int32_t drop = apply(Scalar::kSub, here, apply(Scalar::kMax, most, here));
        reduce(Scalar::kMin, drop, Type::kInt);
        return reduce(Scalar::kAdd, x, Type::kInt);
      }
      case Form::kSums:
        reduce(Scalar::kAdd, here, Type::kInt);
        reduce(Scalar::kMax, here, Type::kInt);
        reduce(Scalar::kMin, apply(Scalar::kSub, w.number(3), sums), Type::kInt);
        return reduce(Scalar::kMax, x, Type::kInt);
      case Form::kManyScans: {
        const std::int32_t second = scan(Scalar::kAdd, apply(Scalar::kSub, w.index(), x), Type::kInt);
        const std::int32_t both = apply(Scalar::kSub, sums, second);
        const std::int32_t most = scan(Scalar::kMax, both, Type::kInt);
        reduce(Scalar::kMax, apply(Scalar::kAdd, apply(Scalar::kMax, most, both), x), Type::kInt);
        return reduce(Scalar::kMin, apply(Scalar::kAdd, second, second), Type::kInt);
      }
      case Form::kUnmasked: {  // the least of none takes part
        const std::int32_t least = scan(Scalar::kMin, sums, Type::kInt);
        return reduce(Scalar::kMin, apply(Scalar::kSub, least, sums), Type::kInt);
      }
      case Form::kProduct: return reduce(Scalar::kMax, apply(Scalar::kMul, sums, x), Type::kInt);
    }
  }
};

bool in_one_sweep(const plan::Code& code) {
  return code.listing().find("in one sweep, parts joined") != std::string::npos;
}

void compare(Scanned& s, int in_one_sweep) {
  const plan::Plan plan = s.finished();
  Bindings wanted = s.bindings;
  REQUIRE(evaluate(plan, wanted));
  for (const Isa isa : testing::isas())
    for (const int threads : {1, 2}) {
      INFO(isa_name(isa) << ", threads " << threads);
      const auto run = run_plan(*testing::compiled(plan, isa), plan, s.bindings, threads);
      REQUIRE(run.status == plan::RunStatus::kDone);
      REQUIRE(run.kernels(plan::KernelWay::kOneSweep) == in_one_sweep);
      REQUIRE(run.trouble + differences(plan, wanted, run.results) == "");
    }
}

}  // namespace

TEST_CASE("scans that are only reduced give in one sweep what the reference says") {
  std::mt19937_64 random(11);
  for (const Form shape : kForms)
    for (const Storage storage : {Storage::kI8, Storage::kI32, Storage::kI64})
      for (const std::int64_t n : {0, 1, 1023, 1024, 1025, 1061, 2048, 65536, 65537, 66560, 66563, 140003}) {
        if (n > 70000 && storage != Storage::kI32) continue;
        INFO("shape " << static_cast<int>(shape) << ", storage " << static_cast<int>(storage) << ", n " << n);
        Scanned s(shape, storage, n,
                  [&](std::int64_t) { return static_cast<std::int64_t>(random() % 201) - 100; });
        compare(s, says(shape) && n >= 1024 ? 1 : 0);
      }
}

TEST_CASE("sums that rise, fall, and lie at the limits of their storage are joined like any") {
  for (const Form shape : kForms)
    for (const Storage storage : {Storage::kI8, Storage::kI32, Storage::kI64}) {
      const std::int64_t most = storage == Storage::kI8    ? INT8_MAX
                                : storage == Storage::kI32 ? INT32_MAX
                                                           : INT64_MAX;
      for (const int kind : {0, 1, 2, 3}) {
        INFO("shape " << static_cast<int>(shape) << ", storage " << static_cast<int>(storage) << ", kind "
                      << kind);
        Scanned s(shape, storage, 66600, [&](std::int64_t i) {
          return kind == 0   ? most
                 : kind == 1 ? -most - 1
                 : kind == 2 ? (i % 2 == 0 ? most : -most - 1)
                             : (i < 40000 ? -most - 1 : most);
        });
        compare(s, says(shape) && storage != Storage::kI64 ? 1 : 0);
      }
    }
}

TEST_CASE("INTs stored in 64 bits: one sweep until a number may have wrapped, then never again") {
  constexpr std::int64_t kSmall = std::int64_t{1} << 40;
  for (const Form shape : kForms) {
    INFO("shape " << static_cast<int>(shape));
    const auto filled = [&](std::int64_t most) {
      return Scanned(shape, Storage::kI64, 66600, [&](std::int64_t i) {
        return i % 3 == 0 ? most : i % 3 == 1 ? -most : i;
      });
    };
    for (const Isa isa : testing::isas())
      for (const int threads : {1, 2}) {
        Scanned first = filled(kSmall);
        const plan::Plan plan = first.finished();
        const auto code = testing::compiled(plan, isa);
        const auto run = [&](Scanned& s) {
          Bindings wanted = s.bindings;
          REQUIRE(evaluate(plan, wanted));
          const auto found = run_plan(*code, plan, s.bindings, threads);
          REQUIRE(found.status == plan::RunStatus::kDone);
          REQUIRE(found.trouble + differences(plan, wanted, found.results) == "");
          return found.kernels(plan::KernelWay::kOneSweep);
        };
        Scanned wide = filled(INT64_MAX);
        CHECK(run(first) == (says(shape) ? 1 : 0));
        CHECK(run(wide) == 0);
        CHECK(run(first) == 0);
      }
  }
}

TEST_CASE("one sweep is compiled for what its terms can say, and for nothing else") {
  for (const Isa isa : testing::isas())
    for (const Form shape : kForms)
      for (const Storage storage : {Storage::kI8, Storage::kI32, Storage::kI64}) {
        INFO("shape " << static_cast<int>(shape) << ", storage " << static_cast<int>(storage));
        Scanned s(shape, storage, 5, [](std::int64_t i) { return i; });
        const plan::Plan plan = s.finished();
        CHECK(in_one_sweep(*testing::compiled(plan, isa)) == says(shape));
        const auto parts = plan::parts_of(plan.kernels[0]);
        if (shape == Form::kSubsequence) {
          REQUIRE(parts);
          CHECK(parts->folds.size() == 4);  // sum, least sum, and two of the result
          CHECK(parts->results[0].terms.size() == 2);
          CHECK(plan::holds(*parts, plan.kernels[0], plan.vars, std::int64_t{1} << 20) ==
                (storage != Storage::kI64));
          CHECK_FALSE(plan::holds(*parts, plan.kernels[0], plan.vars, std::int64_t{1} << 57));
          const Range byte[] = {{-128, 127}};  // whatever the storage
          REQUIRE(parts->leaves.size() == 1);
          CHECK(plan::holds(*parts, plan.kernels[0], plan.vars, std::int64_t{1} << 20, byte));
          const Range wide[] = {{-128, std::int64_t{1} << 50}};
          CHECK_FALSE(plan::holds(*parts, plan.kernels[0], plan.vars, std::int64_t{1} << 20, wide));
        }
      }
}

TEST_CASE("what traps, traps in every part, and beside them nothing does") {
  for (const std::int64_t bad : {0, 8191, 30000, 65535, 65536, 66599, 66600}) {
    Scanned s(Form::kSubsequence, Storage::kI8, 66600, [](std::int64_t i) { return i % 7 - 3; });
    soac::BodyInst check{Pull::kCheck, Type::kBool};
    check.a = s.w.apply(Scalar::kEq, Type::kBool, s.w.index(), s.w.number(bad));
    s.w.body.add(check);
    const plan::Plan plan = s.finished();
    for (const Isa isa : testing::isas()) {
      const auto code = testing::compiled(plan, isa);
      REQUIRE(in_one_sweep(*code));
      for (const int threads : {1, 2}) {
        const auto run = run_plan(*code, plan, s.bindings, threads);
        CHECK(run.kernels(plan::KernelWay::kOneSweep) == 1);
        CHECK(run.status == (bad < 66600 ? plan::RunStatus::kTrapped : plan::RunStatus::kDone));
      }
    }
  }
}

TEST_CASE("what may trap is computed in one sweep, too, though nobody wants its value") {
  for (const Pull pull : {Pull::kGather, Pull::kSegGather, Pull::kSegPlace}) {
    Scanned s(Form::kSubsequence, Storage::kI8, 5, [](std::int64_t i) { return i; });
    plan::Kernel kernel = s.finished().kernels[0];
    soac::BodyInst traps{pull, Type::kInt};
    traps.a = 0;
    traps.var = traps.desc2 = 0;
    kernel.body.insts.push_back(traps);
    const auto parts = plan::parts_of(kernel);
    REQUIRE(parts);
    CHECK(std::any_of(parts->body.insts.begin(), parts->body.insts.end(),
                      [&](const soac::BodyInst& in) { return in.pull == pull; }));
  }
}
