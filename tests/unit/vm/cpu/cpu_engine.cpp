#include "vm/cpu/cpu_engine.h"

#include <catch2/catch.hpp>

#include "tests/support/isas.h"
#include "tests/support/plan_runner.h"
#include "tests/support/plan_writer.h"

namespace {

using namespace nvm;
using soac::BodyInst;
using soac::Pull;
using testing::Bindings;
using testing::Element;
using vm::cpu::EngineOptions;
using vm::cpu::Isa;

// Two INT vectors through one scalar operation, elementwise.
struct Elementwise {
  plan::Plan plan;
  Bindings bindings;
  Elementwise(Scalar op, IntBits bits) {
    plan.int_bits = bits;
    plan.lengths = {plan::LengthKind::kBound};
    plan::Var in;
    in.storage = bits == IntBits::k64 ? Storage::kI64 : Storage::kI32;
    in.length = 0;
    plan::Var out = in;
    out.role = plan::VarRole::kOutput;
    plan.vars = {in, in, out};
    plan::Kernel k;
    k.space = 0;
    BodyInst a{Pull::kElement, Type::kInt};
    a.var = 0;
    BodyInst b = a;
    b.var = 1;
    BodyInst c{Pull::kApply, Type::kInt, op};
    c.a = k.body.add(a);
    c.b = k.body.add(b);
    plan::Sink s;
    s.value = k.body.add(c);
    s.out = 2;
    k.sinks = {s};
    plan.kernels = {k};
    bindings.vectors.resize(3);
    bindings.descs.resize(3);
    bindings.lengths = {0};
  }
  void add(std::int64_t a, std::int64_t b) {
    bindings.vectors[0].push_back({a, 0});
    bindings.vectors[1].push_back({b, 0});
    ++bindings.lengths[0];
  }
};

}  // namespace

TEST_CASE("integer division is exact for every pair of extreme operands") {
  for (const IntBits bits : {IntBits::k64, IntBits::k32})
    for (const Scalar op : {Scalar::kDiv, Scalar::kRem}) {
      Elementwise e(op, bits);
      std::vector<std::int64_t> interesting;
      const int width = bits == IntBits::k64 ? 64 : 32;
      for (int shift = 0; shift < width; ++shift)
        for (const std::int64_t near : {-3, -1, 0, 1, 2, 77}) {
          const auto v = (std::uint64_t{1} << shift) + static_cast<std::uint64_t>(near);
          const auto fit = width == 64 ? static_cast<std::int64_t>(v) : static_cast<std::int32_t>(v);
          interesting.push_back(fit);
          interesting.push_back(width == 64 ? static_cast<std::int64_t>(0 - v)
                                            : static_cast<std::int32_t>(0 - v));
        }
      const std::int64_t least = bits == IntBits::k64 ? INT64_MIN : INT32_MIN;
      for (const std::int64_t a : interesting)
        for (const std::int64_t b : interesting)
          if (b != 0 && !(a == least && b == -1)) e.add(a, b);
      Bindings wanted = e.bindings;
      REQUIRE(evaluate(e.plan, wanted));
      for (const Isa isa : testing::isas()) {
        const auto run = run_plan(*testing::compiled(e.plan, isa), e.plan, e.bindings, 1);
        REQUIRE(run.status == plan::RunStatus::kDone);
        CHECK(differences(e.plan, wanted, run.results) == "");
      }
    }
}

TEST_CASE("division traps on zero and on the least integer by minus one, in whole vectors and in the tail") {
  for (const Isa isa : testing::isas())
    for (const std::int64_t bad : {0, 5, 8})
      for (const bool zero : {true, false}) {
        Elementwise e(Scalar::kDiv, IntBits::k64);
        for (std::int64_t i = 0; i < 9; ++i)
          i == bad ? e.add(zero ? 7 : INT64_MIN, zero ? 0 : -1) : e.add(i, 3);
        const auto code = testing::compiled(e.plan, isa);
        CHECK(run_plan(*code, e.plan, e.bindings, 1).status == plan::RunStatus::kTrapped);
        e.bindings.vectors[1][static_cast<std::size_t>(bad)].i = 1;
        CHECK(run_plan(*code, e.plan, e.bindings, 1).status == plan::RunStatus::kDone);
      }
}

TEST_CASE("code is listed and counted") {
  Elementwise e(Scalar::kAdd, IntBits::k64);
  for (const Isa isa : testing::isas()) {
    const auto code = testing::compiled(e.plan, isa);
    CHECK(code->code_bytes() > 0);
    CHECK(code->listing().find("vpaddq") != std::string::npos);
  }
}

// The processor sees that vectors are read in order, unless few iterations are under way at a time.
TEST_CASE("only loops that compute much ask ahead for what they read") {
  for (const Isa isa : testing::isas())
    for (const int operations : {1, 10, 60}) {
      testing::PlanWriter p(IntBits::k64, 100);
      const std::int32_t in = p.add_var(plan::VarRole::kInput, Type::kFloat, Storage::kF64, 0);
      const std::int32_t x = p.w.pull(Pull::kElement, in, Type::kFloat);
      std::int32_t y = x;
      for (int i = 0; i < operations; ++i)
        y = p.w.apply(i % 2 == 0 ? Scalar::kAdd : Scalar::kMul, Type::kFloat, y, x);
      p.reduce(Scalar::kAdd, y, Type::kFloat);
      const bool asks = testing::compiled(p.finished(), isa)->listing().find("prefetch") != std::string::npos;
      CHECK(asks == (operations == 60 && isa == Isa::kAvx512));
    }
}

TEST_CASE("full code memory refuses with a reason, and freed code makes room") {
  Elementwise e(Scalar::kAdd, IntBits::k64);
  EngineOptions options;
  options.code_limit = 1;
  const auto engine = make_engine(options);
  std::string reason;
  auto first = engine->compile(e.plan, reason);
  REQUIRE(first != nullptr);
  CHECK(engine->compile(e.plan, reason) == nullptr);
  CHECK(reason.find("full") != std::string::npos);
  first.reset();
  CHECK(engine->compile(e.plan, reason) != nullptr);
}

TEST_CASE("a fold that has no identity is refused in words") {
  Elementwise e(Scalar::kAdd, IntBits::k64);
  plan::Sink s;
  s.kind = plan::SinkKind::kReduce;
  s.combine = Scalar::kSub;
  s.value = 0;
  s.out = 2;
  e.plan.kernels[0].sinks = {s};
  std::string reason;
  CHECK(vm::cpu::make_engine()->compile(e.plan, reason) == nullptr);
  CHECK(reason.find("identity") != std::string::npos);
}

TEST_CASE("a FLOAT scan carries the sign of zero from one group of elements to the next") {
  plan::Plan plan;
  plan.lengths = {plan::LengthKind::kBound};
  plan::Var in;
  in.type = Type::kFloat;
  in.storage = Storage::kF64;
  in.length = 0;
  plan::Var out = in;
  out.role = plan::VarRole::kOutput;
  plan.vars = {in, out};
  plan::Kernel k;
  k.space = 0;
  BodyInst x{Pull::kElement, Type::kFloat};
  x.var = 0;
  plan::Sink scan;
  scan.kind = plan::SinkKind::kScan;
  scan.combine = Scalar::kMul;
  scan.type = Type::kFloat;
  scan.value = k.body.add(x);
  BodyInst scanned{Pull::kScanned, Type::kFloat};
  scanned.a = 0;
  plan::Sink store;
  store.type = Type::kFloat;
  store.value = k.body.add(scanned);
  store.out = 1;
  k.sinks = {scan, store};
  plan.kernels = {k};
  for (const std::int64_t n : {33, 41, 1032, 2100}) {
    Bindings bindings;
    bindings.vectors.resize(2);
    bindings.descs.resize(2);
    bindings.lengths = {n};
    bindings.vectors[0].assign(static_cast<std::size_t>(n), {0, 1.0});
    bindings.vectors[0][0].f = -0.0;
    Bindings wanted = bindings;
    REQUIRE(evaluate(plan, wanted));
    for (const Isa isa : testing::isas()) {
      const auto run = run_plan(*testing::compiled(plan, isa), plan, bindings, 1);
      REQUIRE(run.status == plan::RunStatus::kDone);
      CHECK(differences(plan, wanted, run.results) == "");
    }
  }
}

TEST_CASE("a sum over more chunks than one wave holds") {
  plan::Plan plan;
  plan.lengths = {plan::LengthKind::kBound, plan::LengthKind::kOne};
  plan::Var out;
  out.role = plan::VarRole::kOutput;
  out.length = 1;
  plan.vars = {out};
  plan::Kernel k;
  k.space = 0;
  plan::Sink s;
  s.kind = plan::SinkKind::kReduce;
  s.combine = Scalar::kAdd;
  s.value = k.body.add({Pull::kIndex, Type::kInt});
  s.out = 0;
  k.sinks = {s};
  plan.kernels = {k};
  const std::int64_t n = (std::int64_t{1} << 27) + 5;
  Bindings bindings;
  bindings.vectors.resize(1);
  bindings.descs.resize(1);
  bindings.lengths = {n, 1};
  for (const Isa isa : testing::isas()) {
    const auto run = run_plan(*testing::compiled(plan, isa), plan, bindings, 2);
    REQUIRE(run.status == plan::RunStatus::kDone);
    CHECK(run.results.vectors[0].at(0).i == n / 2 * n);  // n is odd: the sum of all below it
  }
}

TEST_CASE("a scan over very many chunks is refused before it keeps notes of each") {
  plan::Plan plan;
  plan.lengths = {plan::LengthKind::kBound, plan::LengthKind::kOne};
  plan::Var out;
  out.role = plan::VarRole::kOutput;
  out.length = 1;
  out.type = Type::kFloat;
  out.storage = Storage::kF64;
  plan.vars = {out};
  plan::Kernel k;
  k.space = 0;
  BodyInst one{Pull::kConst, Type::kFloat};
  one.real = 1.0;
  plan::Sink scan;
  scan.kind = plan::SinkKind::kScan;
  scan.type = Type::kFloat;
  scan.combine = Scalar::kAdd;
  scan.value = k.body.add(one);
  BodyInst scanned{Pull::kScanned, Type::kFloat};
  scanned.a = 0;
  plan::Sink most = scan;
  most.kind = plan::SinkKind::kReduce;
  most.combine = Scalar::kMax;
  most.value = k.body.add(scanned);
  most.out = 0;
  k.sinks = {scan, most};
  plan.kernels = {k};
  Bindings bindings;
  bindings.vectors.resize(1);
  bindings.descs.resize(1);
  bindings.lengths = {1'000'000'000'000, 1};
  for (const Isa isa : testing::isas())
    CHECK(run_plan(*testing::compiled(plan, isa), plan, bindings, 2).status == plan::RunStatus::kNoMemory);
}
