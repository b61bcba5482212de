// INT results are stored in four bytes until one does not fit; then the line is compiled again, wide.
#include <algorithm>
#include <catch2/catch.hpp>

#include "vm/cpu/cpu_engine.h"
#include "vm/tier/jit.h"

using namespace nvm;
using namespace nvm::vm;

namespace {

constexpr std::int64_t kElements = 5000;

struct Products {
  Pool pool;
  PrimContext context;
  std::unique_ptr<plan::Engine> engine = cpu::make_engine({});
  std::unique_ptr<Jit> jit;
  ssa::Inst mul;

  Products() {
    context.pool = &pool;
    context.isa = best_isa();
    jit = std::make_unique<Jit>(*engine, context, JitOptions{.mode = JitMode::kAlways});
    mul.op = Op::kMul;
    mul.word = TypeWord::kInt;
  }
  // Squares of kElements numbers of which one is `largest`, by the recorder.
  Vector squares(std::int64_t largest) {
    Vector x = pool.vector(Storage::kI64, kElements);
    for (std::int64_t i = 0; i < kElements; ++i) x.mutable_data<std::int64_t>()[i] = i % 100;
    x.mutable_data<std::int64_t>()[kElements - 3] = largest;
    return squares_of(x);
  }
  Vector squares_of(const Vector& x) {
    Recorder recorder(*jit, IntBits::k64, {.min_elements = 1});
    std::vector<Value> operands = {x, x};
    std::vector<Value> results(1);
    REQUIRE(recorder.offer(mul, {}, operands, results));
    recorder.force(results[0]);
    return std::get<Vector>(results[0]);
  }
};

}  // namespace

TEST_CASE("what fits is stored in four bytes, and what does not is computed again") {
  Products p;
  if (p.engine->name() == "cpu") return;  // no instruction set to compile for
  const Vector small = p.squares(1000);
  CHECK(small.storage() == Storage::kI32);
  CHECK(small.data<std::int32_t>()[kElements - 3] == 1'000'000);
  const std::int64_t big = std::int64_t{1} << 40;
  const Vector large = p.squares(std::int64_t{1} << 20);
  REQUIRE(large.storage() == Storage::kI64);
  CHECK(large.data<std::int64_t>()[kElements - 3] == big);
  CHECK(large.data<std::int64_t>()[99] == 99 * 99);
  CHECK(p.jit->counters().trapped == 0);  // no check of the program failed
  CHECK(p.jit->counters().compiled == 2);
  CHECK(p.squares(10).storage() == Storage::kI64);
  CHECK(p.jit->counters().fused == 3);
}

TEST_CASE("kernels read a part of a vector where it lies") {
  Products p;
  Vector x = p.pool.vector(Storage::kI32, kElements);
  for (std::int32_t i = 0; i < kElements; ++i) x.mutable_data<std::int32_t>()[i] = i;
  const Vector squares = p.squares_of(x.part(7, 1000));
  REQUIRE(squares.length() == 1000);
  CHECK(squares.int_at(0) == 49);
  CHECK(squares.int_at(999) == 1006 * 1006);
}

TEST_CASE("what picks few elements is short, however much it picks from") {
  Products p;
  ssa::Inst gather;
  gather.op = Op::kBpermute;
  gather.word = TypeWord::kInt;
  const auto recorded = [&](std::int64_t from, std::int64_t indices) {
    Recorder recorder(*p.jit, IntBits::k64, {.min_elements = kElements});
    Vector v = p.pool.vector(Storage::kI64, from), i = p.pool.vector(Storage::kI64, indices);
    std::fill_n(v.mutable_data<std::int64_t>(), from, 1);
    std::fill_n(i.mutable_data<std::int64_t>(), indices, 0);
    std::vector<Value> operands = {v, i, Segdes::regular(1, from), Segdes::regular(1, indices)};
    std::vector<Value> results(1);
    const bool offered = recorder.offer(gather, {}, operands, results);
    recorder.finish();
    return offered;
  };
  CHECK_FALSE(recorded(kElements, 10));
  CHECK(recorded(10, kElements));
}
