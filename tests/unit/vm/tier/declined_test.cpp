// Instructions that are not worth recording: the interpreter executes them as it would alone.
#include <catch2/catch.hpp>

#include "tests/unit/vm/interp/fixture.h"
#include "vm/trace/recorder.h"

using namespace nvm;
using namespace nvm::vm;

namespace {

class Refusing final : public RegionExecutor {
 public:
  void execute(RecordedRegion& region, std::span<Value> /*outputs*/, RecordedSite& /*failed*/) override {
    ++regions;
    begun = region.begun;
  }
  bool declines(const ssa::Inst& /*inst*/, std::int64_t /*elements*/) override { return refuses; }
  bool refuses = true;
  int regions = 0;
  std::chrono::steady_clock::time_point begun;  // of the last region
};

// The numbers from 0 on, and one number added to each.
constexpr const char* kShifted =
    "CONST INT 0 CONST INT 1 CONST INT 10000 MAKE_SEGDES INDEX "
    "CONST INT 7 CONST INT 10000 MAKE_SEGDES DIST INT + INT";

Vector sevens() { return Vector::repeated(Vector::of_int(7), 10'000); }

ssa::Inst inst_of(Op op) {
  ssa::Inst inst;
  inst.op = op;
  inst.word = TypeWord::kInt;
  return inst;
}

}  // namespace

TEST_CASE("one value distributed is not written if recording is declined") {
  Fixture alone(main_of(kShifted));
  alone.machine.prims.threads = 2;
  const std::string want = printed(alone.interpret());
  Fixture hooked(main_of(kShifted));
  hooked.machine.prims.threads = 2;
  Refusing executor;
  Recorder recorder(executor, IntBits::k64, {});
  hooked.machine.hook = &recorder;
  CHECK(printed(hooked.interpret()) == want);
  CHECK(executor.regions == 0);
  CHECK(hooked.pool->stats().peak == alone.pool->stats().peak);
}

TEST_CASE("who reads a value that is not written is not recorded") {
  Pool pool;
  Refusing executor;
  executor.refuses = false;
  Recorder recorder(executor, IntBits::k64, {});
  const ssa::Inst add = inst_of(Op::kAdd);
  Value result;
  Value operands[2] = {sevens(), pool.vector(Storage::kI64, 10'000)};
  CHECK(!recorder.offer(add, {}, operands, {&result, 1}));
  CHECK(recorder.declined());
  Value written[2] = {pool.vector(Storage::kI64, 10'000), pool.vector(Storage::kI64, 10'000)};
  CHECK(recorder.offer(add, {}, written, {&result, 1}));
  CHECK(!recorder.declined());
}

TEST_CASE("a region says when its first instruction was recorded") {
  Pool pool;
  Refusing executor;
  executor.refuses = false;
  Recorder recorder(executor, IntBits::k64, {});
  const ssa::Inst add = inst_of(Op::kAdd);
  for (int i = 0; i < 2; ++i) {
    const auto before = std::chrono::steady_clock::now();
    Value results[2];
    for (Value& result : results) {
      Value operands[2] = {pool.vector(Storage::kI64, 10'000), pool.vector(Storage::kI64, 10'000)};
      REQUIRE(recorder.offer(add, {}, operands, {&result, 1}));
    }
    recorder.finish();
    CHECK(executor.begun >= before);
    CHECK(executor.begun <= std::chrono::steady_clock::now());
  }
  CHECK(executor.regions == 2);
}
