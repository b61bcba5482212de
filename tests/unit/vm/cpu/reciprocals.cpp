// Division by a number that is the same for all elements, in machine code without division instructions:
// what the reference says, for divisors and dividends at every boundary.
#include <catch2/catch.hpp>
#include <random>

#include "tests/support/division_cases.h"
#include "tests/support/isas.h"
#include "tests/support/plan_runner.h"
#include "tests/support/plan_writer.h"
#include "vm/simd/reciprocal.h"

namespace {

using namespace nvm;
using soac::Pull;
using testing::Bindings;
using testing::PlanWriter;
using vm::cpu::Isa;

std::vector<testing::Element> elements_of(const std::vector<std::int64_t>& numbers) {
  std::vector<testing::Element> out;
  for (const std::int64_t x : numbers) out.push_back({x, 0.0});
  return out;
}

// Quotients and remainders of a vector by a number; where `guarded`, of what is kept only: the elements of
// odd number are divided by one.
struct Divided : PlanWriter {
  Divided(IntBits bits, Storage storage, const std::vector<testing::Element>& elements, std::int64_t d,
          bool constant, bool guarded)
      : PlanWriter(bits, static_cast<std::int64_t>(elements.size())) {
    const std::int32_t from = add_var(plan::VarRole::kInput, Type::kInt, storage, 0);
    bindings.vectors[0] = elements;
    const std::int32_t x = w.pull(Pull::kElement, from, Type::kInt);
    std::int32_t by = constant ? w.number(d) : w.uniform(add_number(d));
    if (guarded) {
      const std::int32_t low = w.apply(Scalar::kAnd, Type::kInt, w.index(), w.number(1));
      const std::int32_t even = w.apply(Scalar::kEq, Type::kBool, low, w.number(0));
      by = w.apply(Scalar::kSelect, Type::kInt, even, by, w.number(1));
    }
    store(w.apply(Scalar::kDiv, Type::kInt, x, by), Type::kInt, ints(), 0, soac::kNone);
    store(w.apply(Scalar::kRem, Type::kInt, x, by), Type::kInt, ints(), 0, soac::kNone);
  }
};

void compare(Divided& divided) {
  const plan::Plan plan = divided.finished();
  Bindings wanted = divided.bindings;
  const bool fine = evaluate(plan, wanted);
  for (const Isa isa : testing::isas()) {
    const auto run = run_plan(*testing::compiled(plan, isa), plan, divided.bindings, 1);
    INFO(isa_name(isa));
    REQUIRE(run.status == (fine ? plan::RunStatus::kDone : plan::RunStatus::kTrapped));
    if (fine) REQUIRE(run.trouble + differences(plan, wanted, run.results) == "");
  }
}

}  // namespace

TEST_CASE("quotients and remainders by one number are exact at every boundary") {
  for (const IntBits bits : {IntBits::k64, IntBits::k32})
    for (const std::int64_t d : testing::boundary_divisors(bits == IntBits::k64 ? 64 : 32)) {
      if (d == 0) continue;
      for (const Storage storage : {Storage::kI64, Storage::kI32, Storage::kI8}) {
        if (bits == IntBits::k32 && storage == Storage::kI64) continue;
        INFO("divisor " << d << ", storage " << static_cast<int>(storage));
        const auto elements = elements_of(testing::dividends(d, storage, bits));
        Divided divided(bits, storage, elements, d, d % 4 == 0, d % 3 == 0);
        compare(divided);
      }
    }
}

TEST_CASE("a divisor of zero, and the quotient that is no INT, trap where they are meant") {
  for (const IntBits bits : {IntBits::k64, IntBits::k32}) {
    const Storage storage = bits == IntBits::k64 ? Storage::kI64 : Storage::kI32;
    const std::int64_t least = bits == IntBits::k64 ? INT64_MIN : INT32_MIN;
    for (const std::int64_t d : {0, -1, 1})
      for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{19}, std::size_t{5000}})
        for (const std::size_t place : {std::size_t{0}, std::size_t{1}, std::size_t{18}, std::size_t{4999}})
          for (const bool guarded : {false, true})
            for (const bool constant : {false, true}) {
              std::vector<testing::Element> elements(n, {5, 0.0});
              if (place < n) elements[place].i = least;
              Divided divided(bits, storage, elements, d, constant, guarded);
              compare(divided);
            }
  }
}

TEST_CASE("no division instruction is left where the divisor is one number") {
  const std::vector<testing::Element> elements(100, {5, 0.0});
  Divided divided(IntBits::k64, Storage::kI64, elements, 7, false, false);
  const plan::Plan plan = divided.finished();
  for (const Isa isa : testing::isas()) {
    const std::string listing = testing::compiled(plan, isa)->listing();
    CHECK(listing.find("vdivpd") == std::string::npos);
    CHECK(listing.find("vpmuludq") != std::string::npos);
  }
  Divided narrow(IntBits::k64, Storage::kI32, elements, 7, false, false);
  const plan::Plan short_way = narrow.finished();
  for (const Isa isa : testing::isas()) {
    const std::string listing = testing::compiled(short_way, isa)->listing();
    CHECK(listing.find("vmulpd") != std::string::npos);
    CHECK(listing.find("vpmuludq") == std::string::npos);
  }
}

TEST_CASE("reciprocals are exact up to the bound that is given for them") {
  std::mt19937_64 random(7);
  for (const std::int64_t d : testing::boundary_divisors(64)) {
    if (d == 0) continue;
    const vm::Reciprocal r = vm::reciprocal_of(d);
    const auto check = [&](std::int64_t x) {
      if (x < -vm::kSmallDividend || x > vm::kSmallDividend) return;
      INFO(x << " by " << d);
      REQUIRE(static_cast<std::int64_t>(static_cast<double>(x) * r.inverse) == x / d);
    };
    for (const std::int64_t bound : {-vm::kSmallDividend, vm::kSmallDividend})
      for (const std::int64_t near : {-1, 0, 1}) {
        check(bound + near);
        check(bound / d * d + near);
      }
    for (int i = 0; i < 200; ++i) {
      const auto x = static_cast<std::int64_t>(random() >> (14 + random() % 50));
      for (const std::int64_t near : {-1, 0, 1}) check((i % 2 == 0 ? x / d * d : -(x / d) * d) + near);
    }
  }
}
