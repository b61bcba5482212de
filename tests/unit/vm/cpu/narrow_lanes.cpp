// Narrow lanes: the reference's results where what a kernel computes fits in 1, 2 or 4 bytes, at the limits
// of these and for every number of elements left over; and which kernels have them.
#include <catch2/catch.hpp>
#include <limits>
#include <random>

#include "tests/support/isas.h"
#include "tests/support/plan_runner.h"
#include "tests/support/plan_writer.h"

namespace {

using namespace nvm;
using soac::kNone;
using soac::Pull;
using testing::PlanWriter;
using vm::cpu::Isa;

constexpr std::int64_t kLengths[] = {0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 200, 5000};

struct Kernel : PlanWriter {
  explicit Kernel(std::int64_t n) : PlanWriter(IntBits::k64, n) {}

  std::int32_t element(Type type, Storage storage, std::int64_t least, std::int64_t most) {
    const std::int32_t v = add_var(plan::VarRole::kInput, type, storage, 0);
    for (std::int64_t i = 0; i < bindings.lengths[0]; ++i) {
      const std::int64_t corners[] = {least, most, 0, 1};
      const auto drawn =
          least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
      bindings.vectors.back().push_back(
          {random() % 4 == 0 ? std::clamp(corners[random() % 4], least, most) : drawn, 0});
    }
    return w.pull(Pull::kElement, v, type);
  }
  std::int32_t letters() { return element(Type::kInt, Storage::kI8, -128, 127); }
  std::int32_t words() {
    return element(Type::kInt, Storage::kI32, std::numeric_limits<std::int32_t>::min(),
                   std::numeric_limits<std::int32_t>::max());
  }
  std::int32_t flags() { return element(Type::kBool, Storage::kB8, 0, 1); }
  std::int32_t number(std::int64_t v) { return w.uniform(add_number(v)); }
  std::int32_t keep(std::int32_t flag, std::int32_t value, Type type, Storage storage) {
    const std::int32_t count = add_sink(plan::SinkKind::kCount, flag, Type::kBool);
    kernel.sinks.back().out_length = 2;
    store(value, type, storage, 2, count);
    return count;
  }
  std::mt19937_64 random{7};
};

// `narrow`: kernels that are to have narrow lanes, with AVX2 and with AVX-512.
void compare(Kernel& k, int with_avx2, int with_avx512) {
  const plan::Plan plan = k.finished();
  testing::Bindings wanted = k.bindings;
  REQUIRE(evaluate(plan, wanted));
  for (const Isa isa : testing::isas())
    for (const int threads : {1, 2}) {
      INFO(isa_name(isa) << ", threads " << threads << ", n " << k.bindings.lengths[0]);
      const auto run = run_plan(*testing::compiled(plan, isa), plan, k.bindings, threads);
      REQUIRE(run.status == plan::RunStatus::kDone);
      const std::string wrong = run.trouble + differences(plan, wanted, run.results);
      INFO(wrong);
      REQUIRE(wrong.empty());
      if (k.bindings.lengths[0] == 5000)
        CHECK(run.kernels(plan::KernelWay::kNarrowLanes) == (isa == Isa::kAvx512 ? with_avx512 : with_avx2));
    }
}

}  // namespace

TEST_CASE("narrow lanes: every operation, into every storage") {
  for (const std::int64_t n : kLengths)
    for (const Storage storage : {Storage::kI8, Storage::kI32, Storage::kI64}) {
      Kernel k(n);
      const std::int32_t a = k.letters(), b = k.letters();
      const auto apply = [&](Scalar op, std::int32_t x, std::int32_t y) {
        return k.w.apply(op, Type::kInt, x, y);
      };
      const std::int32_t less = k.w.apply(Scalar::kLt, Type::kBool, a, b);
      for (const Scalar op : {Scalar::kAdd, Scalar::kSub, Scalar::kMul, Scalar::kMax, Scalar::kMin,
                              Scalar::kAnd, Scalar::kOr, Scalar::kXor}) {
        const bool fits = op != Scalar::kAdd && op != Scalar::kSub && op != Scalar::kMul;
        if (fits || storage != Storage::kI8) k.store(apply(op, a, b), Type::kInt, storage, 0, kNone);
      }
      k.store(k.w.apply(Scalar::kSelect, Type::kInt, less, a, b), Type::kInt, storage, 0, kNone);
      k.store(k.w.apply(Scalar::kNot, Type::kInt, a), Type::kInt, storage, 0, kNone);
      k.store(k.w.apply(Scalar::kBtoI, Type::kInt, less), Type::kInt, storage, 0, kNone);
      const int pays = storage == Storage::kI64 ? 0 : 1;  // as many stores as without
      compare(k, pays, pays);
    }
}

TEST_CASE("narrow lanes: flags of comparisons, logic, and what they say of flags that are stored") {
  for (const std::int64_t n : kLengths)
    for (const bool of_words : {false, true}) {
      Kernel k(n);
      const std::int32_t a = of_words ? k.words() : k.letters(), b = of_words ? k.words() : k.letters();
      const std::int32_t f = k.flags();
      std::int32_t all = f;
      for (const Scalar op : {Scalar::kLt, Scalar::kLe, Scalar::kGt, Scalar::kGe, Scalar::kEq, Scalar::kNe}) {
        const std::int32_t flag = k.w.apply(op, Type::kBool, a, b);
        k.store(flag, Type::kBool, Storage::kB8, 0, kNone);
        all = k.w.apply(Scalar::kXor, Type::kBool, all, k.w.apply(Scalar::kOr, Type::kBool, flag, f));
      }
      k.store(k.w.apply(Scalar::kAnd, Type::kBool, all, k.w.apply(Scalar::kNot, Type::kBool, f)), Type::kBool,
              Storage::kB8, 0, kNone);
      k.store(k.w.apply(Scalar::kItoB, Type::kBool, a), Type::kBool, Storage::kB8, 0, kNone);
      compare(k, 1, 1);
    }
}

TEST_CASE("narrow lanes: numbers that are the same for all are looked at when a kernel runs") {
  for (const std::int64_t number :
       {std::int64_t{-128}, std::int64_t{127}, std::int64_t{128}, std::int64_t{-129}, std::int64_t{300},
        std::int64_t{1} << 40, std::int64_t{1} << 62})
    for (const std::int64_t n : {std::int64_t{64}, std::int64_t{200}}) {
      Kernel k(n);
      const std::int32_t a = k.letters(), x = k.number(number);
      k.store(k.w.apply(Scalar::kEq, Type::kBool, a, x), Type::kBool, Storage::kB8, 0, kNone);
      k.store(k.w.apply(Scalar::kLt, Type::kBool, a, x), Type::kBool, Storage::kB8, 0, kNone);
      compare(k, 1, 1);
    }
}

TEST_CASE("narrow lanes: what is kept, and where it stood") {
  for (const std::int64_t n : kLengths)
    for (const int often : {0, 1, 2, 3}) {
      Kernel k(n);
      const std::int32_t a = k.letters();
      const std::int32_t x = k.number(often == 0 ? -128 : often == 1 ? 100 : often == 2 ? 0 : 127);
      const std::int32_t flag = k.w.apply(often == 3 ? Scalar::kLe : Scalar::kGt, Type::kBool, a, x);
      const std::int32_t count = k.keep(flag, k.w.index(), Type::kInt, Storage::kI32);
      k.store(a, Type::kInt, Storage::kI8, 2, count);
      k.store(k.flags(), Type::kBool, Storage::kB8, 2, count);
      k.store(k.w.apply(Scalar::kItoF, Type::kFloat, a), Type::kFloat, Storage::kF64, 2, count);
      compare(k, 0, 1);
    }
  for (const std::int64_t n : kLengths) {
    Kernel k(n);
    const std::int32_t a = k.letters(), b = k.letters(), x = k.number(100);
    const std::int32_t flag =
        k.w.apply(Scalar::kAnd, Type::kBool, k.w.apply(Scalar::kGt, Type::kBool, a, x),
                  k.w.apply(Scalar::kLt, Type::kBool, k.w.apply(Scalar::kSub, Type::kInt, b, a), x));
    k.keep(flag, k.w.index(), Type::kInt, Storage::kI32);
    compare(k, 1, 1);
  }
}

TEST_CASE("narrow lanes: flags are counted, and sums stay wide") {
  for (const std::int64_t n : kLengths) {
    Kernel k(n);
    const std::int32_t a = k.letters(), b = k.letters();
    const std::int32_t equal = k.w.apply(Scalar::kEq, Type::kBool, a, b);
    k.reduce(Scalar::kAdd, k.w.apply(Scalar::kBtoI, Type::kInt, equal), Type::kInt);
    compare(k, 1, 1);
  }
  for (const std::int64_t n : kLengths) {
    Kernel k(n);
    std::int32_t least = k.letters();
    for (int turn = 0; turn < 8; ++turn) least = k.w.apply(Scalar::kMin, Type::kInt, least, k.letters());
    k.reduce(Scalar::kAdd, least, Type::kInt);
    k.reduce(Scalar::kMax, least, Type::kInt);
    compare(k, 1, 1);
  }
}

TEST_CASE("narrow lanes: flags of few elements are counted in lanes that are read") {
  for (std::int64_t n = 0; n <= 70; ++n)
    for (const bool letters : {false, true}) {
      INFO("letters " << letters);
      Kernel k(n);
      const std::int32_t a = letters ? k.letters() : k.words();
      const std::int32_t small = k.w.apply(Scalar::kLt, Type::kBool, a, k.number(100));
      k.reduce(Scalar::kAdd, k.w.apply(Scalar::kBtoI, Type::kInt, small), Type::kInt);
      compare(k, 1, 1);
    }
}

TEST_CASE("narrow lanes: none where something may fail or does not fit") {
  Kernel k(5000);
  const std::int32_t a = k.letters();
  k.store(k.w.apply(Scalar::kDiv, Type::kInt, k.number(100),
                    k.w.apply(Scalar::kOr, Type::kInt, a, k.w.number(1))),
          Type::kInt, Storage::kI32, 0, kNone);
  compare(k, 0, 0);
  Kernel wide(5000);
  const std::int32_t b = wide.element(Type::kInt, Storage::kI64, -5, 5);
  wide.store(wide.w.apply(Scalar::kAdd, Type::kInt, b, b), Type::kInt, Storage::kI64, 0, kNone);
  compare(wide, 0, 0);
}
