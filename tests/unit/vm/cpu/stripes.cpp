// Scans that are only reduced: whatever loop an engine makes of them, the results are the reference's.
#include <catch2/catch.hpp>
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

// Three scans, two of which follow another, of elements of two storages, the iteration and a uniform; with
// `bad` not negative, a check that fails there. `divides`: operands are costly.
struct Scanned : PlanWriter {
  Scanned(Storage storage, IntBits bits, std::int64_t n, bool divides, std::int64_t bad = -1)
      : PlanWriter(bits, n) {
    const Type type = storage == Storage::kF64  ? Type::kFloat
                      : storage == Storage::kB8 ? Type::kBool
                                                : Type::kInt;
    const std::int32_t elements = add_var(plan::VarRole::kInput, type, storage, 0);
    const std::int32_t others = add_var(plan::VarRole::kInput, Type::kInt, Storage::kI8, 0);
    std::mt19937_64 random(static_cast<std::uint64_t>(n));
    for (std::int64_t i = 0; i < n; ++i) {
      const auto x = static_cast<std::int64_t>(random() % 200) - 100;
      bindings.vectors[0].push_back({type == Type::kBool ? x & 1 : x, static_cast<double>(x)});
      bindings.vectors[1].push_back({static_cast<std::int64_t>(random() % 256) - 128, 0});
    }
    std::int32_t x = w.pull(Pull::kElement, elements, type);
    if (type == Type::kBool) x = w.apply(Scalar::kBtoI, Type::kInt, x);
    if (type == Type::kFloat) x = w.apply(Scalar::kFloor, Type::kInt, x);
    x = w.apply(Scalar::kSub, Type::kInt, x, w.uniform(add_number(1)));
    if (divides) x = w.apply(Scalar::kRem, Type::kInt, x, w.number(7));
    const std::int32_t sums = scan(Scalar::kAdd, x, Type::kInt);
    const std::int32_t least = scan(Scalar::kMin, sums, Type::kInt);
    const std::int32_t y = w.pull(Pull::kElement, others, Type::kInt);
    const std::int32_t most = scan(Scalar::kMax, w.apply(Scalar::kAdd, Type::kInt, least, y), Type::kInt);
    const std::int32_t turn = w.apply(Scalar::kMul, Type::kInt, most, w.index());
    if (bad >= 0) {
      soac::BodyInst check{Pull::kCheck, Type::kBool};
      check.a = w.apply(Scalar::kEq, Type::kBool, w.index(), w.number(bad));
      w.body.add(check);
    }
    for (const Scalar op : {Scalar::kAdd, Scalar::kMax, Scalar::kMin, Scalar::kXor})
      reduce(op, w.apply(Scalar::kSub, Type::kInt, sums, turn), Type::kInt);
    reduce(Scalar::kMax, w.apply(Scalar::kSub, Type::kInt, sums, least), Type::kInt);
    reduce(Scalar::kAdd, most, Type::kInt);
  }
};

std::unique_ptr<plan::Code> compile(const plan::Plan& plan, Isa isa) {
  auto code = testing::compiled(plan, isa);
  CHECK(code->listing().find("each lane on its own part") != std::string::npos);
  return code;
}

}  // namespace

TEST_CASE("scans that are only reduced are what the reference says, for all lengths and storages") {
  for (const Storage storage : {Storage::kI8, Storage::kI32, Storage::kI64, Storage::kF64, Storage::kB8})
    for (const IntBits bits : {IntBits::k64, IntBits::k32})
      for (const bool divides : {false, true})
        for (const std::int64_t n :
             {0, 1, 33, 1000, 1023, 1024, 1025, 1039, 1040, 1041, 2049, 65535, 65537, 66561, 140003}) {
          if (bits == IntBits::k32 && storage == Storage::kI64) continue;
          if (n > 2049 && divides && storage != Storage::kI32) continue;
          Scanned s(storage, bits, n, divides);
          const plan::Plan plan = s.finished();
          Bindings wanted = s.bindings;
          REQUIRE(evaluate(plan, wanted));
          for (const Isa isa : testing::isas()) {
            const auto code = compile(plan, isa);
            for (const int threads : {1, 2}) {
              const auto run = run_plan(*code, plan, s.bindings, threads);
              INFO(isa_name(isa) << ", storage " << static_cast<int>(storage) << ", n " << n << ", threads "
                                 << threads);
              REQUIRE(run.status == plan::RunStatus::kDone);
              REQUIRE(run.trouble + differences(plan, wanted, run.results) == "");
            }
          }
        }
}

TEST_CASE("what traps, traps in the part of every lane and behind them") {
  constexpr std::int64_t kN = 70001;
  for (const std::int64_t bad : {0, 16383, 16384, 40000, 65535, 65536, 70000}) {
    Scanned s(Storage::kI32, IntBits::k64, kN, false, bad);
    const plan::Plan plan = s.finished();
    for (const Isa isa : testing::isas()) {
      const auto code = compile(plan, isa);
      for (const int threads : {1, 2})
        CHECK(run_plan(*code, plan, s.bindings, threads).status == plan::RunStatus::kTrapped);
    }
  }
  Scanned fine(Storage::kI32, IntBits::k64, kN, false, kN);
  const plan::Plan plan = fine.finished();
  for (const Isa isa : testing::isas())
    CHECK(run_plan(*compile(plan, isa), plan, fine.bindings, 2).status == plan::RunStatus::kDone);
}
