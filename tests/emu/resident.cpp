// Vectors stay on the device: what is copied, and what happens when memory runs out or the device fails.
#include <catch2/catch.hpp>

#include "gpu/cuda_engine.h"
#include "tests/support/emu_device.h"
#include "tests/support/sweeps.h"
#include "vm/data/compare.h"

using namespace nvm;
using namespace nvm::testing;

namespace {

constexpr int kSweeps = 100;

plan::Engine& engine() {
  static std::string reason;
  static const auto kEngine = gpu::make_engine(reason);
  INFO(reason);
  REQUIRE(kEngine != nullptr);
  return *kEngine;
}

}  // namespace

TEST_CASE("a loop of 100 sweeps copies its vector to the device once and back once") {
  control("");
  Loop loop(&engine());
  const Value got = loop.run(kSweeps);
  CHECK(counts().uploads == 1);
  CHECK(counts().downloads == 0);
  CHECK(difference(got, expected(kSweeps)).empty());
  CHECK(counts().downloads == 1);
  CHECK(difference(got, expected(kSweeps)).empty());
  CHECK(counts().downloads == 1);
  CHECK(loop.counters().fused == kSweeps);
  CHECK(loop.taken(FastPath::kOnDevice) == kSweeps);
}

TEST_CASE("what a primitive makes on the device in the middle of a line stays there") {
  control("");
  Loop loop(&engine(), true);
  const Value got = loop.run(10);
  CHECK(counts().uploads == 1);
  CHECK(counts().downloads == 0);
  CHECK(difference(got, expected(10, true)).empty());
  CHECK(loop.counters().fused == 10);
}

TEST_CASE("vectors that die free the device's memory") {
  control("");
  Loop(&engine()).run(kSweeps);
  CHECK(counts().peak < 10 * 8 * kElements);
  empty_device();
  CHECK(counts().live == 0);
}

TEST_CASE("a region of fixed size is four calls of the driver, of which the host waits for one") {
  const auto counts_of = [](int sweeps) {
    control("");
    Loop(&engine()).run(sweeps);
    return counts();
  };
  static_cast<void>(counts_of(kSweeps));  // graphs are made
  const emu::Counts few = counts_of(10), many = counts_of(10 + kSweeps);
  CHECK(many.calls - few.calls <= 4 * kSweeps);
  CHECK(many.waits - few.waits == kSweeps);
  CHECK(many.allocations == few.allocations);
}

TEST_CASE("memory that runs out at any allocation changes no result") {
  for (const bool ranks : {false, true}) {
    const Value wanted = expected(5, ranks);
    empty_device();
    control("");
    Loop(&engine(), ranks).run(5);
    const std::uint64_t all = counts().allocations;
    CHECK(all >= 5);
    for (std::uint64_t k = 1; k <= all; ++k) {
      INFO("allocation " << k << (ranks ? ", with ranks" : ""));
      empty_device();
      control("no_memory=" + std::to_string(k));
      CHECK(difference(Loop(&engine(), ranks).run(5), wanted).empty());
      empty_device();
      control("full_from=" + std::to_string(k));
      CHECK(difference(Loop(&engine(), ranks).run(5), wanted).empty());
    }
  }
  control("");
}
