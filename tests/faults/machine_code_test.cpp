// Every allocation fails once while a kernel is compiled, those of asmjit among them: the kernel is refused,
// and the next attempt succeeds.
#include <catch2/catch.hpp>
#include <new>

#include "tests/faults/failing_malloc.h"
#include "tests/support/isas.h"
#include "tests/support/plan_writer.h"

namespace {

using namespace nvm;

// Calls of functions, a division (a call on AVX2), a scan, a filter.
plan::Plan kernel() {
  testing::PlanWriter p(IntBits::k64, 100);
  const std::int32_t in = p.add_var(plan::VarRole::kInput, Type::kInt, Storage::kI64, 0);
  const std::int32_t x = p.w.pull(soac::Pull::kElement, in, Type::kInt);
  const std::int32_t rest = p.w.apply(Scalar::kRem, Type::kInt, x, p.w.number(7));
  const std::int32_t before = p.scan(Scalar::kAdd, rest, Type::kInt);
  const std::int32_t sine =
      p.w.apply(Scalar::kSin, Type::kFloat, p.w.apply(Scalar::kItoF, Type::kFloat, before));
  p.reduce(Scalar::kMax, sine, Type::kFloat);
  return p.finished();
}

// Fails each allocation of a compilation in turn, of one engine or of new ones. How many were refused.
int refusals(const vm::cpu::EngineOptions& options, bool anew) {
  const plan::Plan plan = kernel();
  auto engine = make_engine(options);
  int refused = 0;
  bool some = true;
  for (long at = 1; some; ++at) {
    if (anew) engine = make_engine(options);
    std::string reason;
    const auto compiles = [&] {
      try {
        return engine->compile(plan, reason) != nullptr;
      } catch (const std::bad_alloc&) {
        return false;
      }
    };
    testing::fail_allocation(at);
    if (!compiles()) ++refused;
    some = testing::failed();
    if (!compiles()) FAIL("after allocation " << at << " had failed: " << reason);
  }
  return refused;
}

}  // namespace

TEST_CASE("no memory while a kernel is compiled") {
  for (const vm::cpu::Isa isa : testing::isas()) {
    vm::cpu::EngineOptions options;
    options.isa = isa;
    options.listings = true;
    CHECK(refusals(options, true) > 50);
    options.code_limit = 64 << 10;  // what a refused kernel had is free again
    CHECK(refusals(options, false) > 50);
  }
}
