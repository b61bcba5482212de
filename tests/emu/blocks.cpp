// Block mode on the emulated device gives the values and faults of ordinary calls: with arenas in shared
// memory, in the device's, and where they are too small, so that the host makes the rest.
#include <catch2/catch.hpp>
#include <optional>

#include "tests/support/emu_device.h"
#include "tests/support/nesl_module.h"
#include "tests/support/nesl_recursions.h"
#include "vm/block/block_mode.h"
#include "vm/data/compare.h"
#include "vm/interp/interp.h"
#include "vm/lib/group_device.h"

using namespace nvm;
using nvm::testing::control;
using nvm::testing::counts;

namespace {

struct Ended {
  vm::Outcome outcome;
  vm::block::Counters counters;
  std::uint64_t there = 0;  // groups that a device has made to the end
};

class Recursive {
 public:
  explicit Recursive(const std::string& text, IntBits bits = IntBits::k64)
      : module_(test::nesl_module(text, bits)), code_(vm::make_code(module_, pool_)) {
    machine_.prims.pool = &pool_;
    machine_.prims.int_bits = bits;
    machine_.prims.random = &host_.random();
    machine_.prims.threads = 2;
    machine_.host = &host_;
  }
  Ended ordinary() { return {vm::Interp(code_, machine_).run(), {}}; }
  // `tally`: null, or what is counted.
  Ended in_groups(const gpu::BlockLimits& limits, vm::Tally* tally = nullptr) {
    const auto device = lib::make_group_device(module_, false, limits);
    REQUIRE(device != nullptr);
    vm::block::Options options;
    options.threshold = 1;
    options.group_bytes = 256;
    options.device = device.get();
    vm::Machine machine = machine_;
    machine.tally = tally;
    vm::FastPathCounts paths;
    machine.prims.fast_paths = &paths;
    vm::block::BlockMode mode(code_, machine, {}, options);
    machine.calls = &mode;
    vm::Outcome outcome = vm::Interp(code_, machine).run();
    return {std::move(outcome), mode.counters(), paths[vm::FastPath::kGroupOnDevice]};
  }

 private:
  ssa::Module module_;
  vm::Pool pool_;
  vm::Code code_;
  vm::HostOptions options_{nullptr, nullptr, nullptr, {}, vm::RandomKind::kPhilox};
  vm::Host host_{options_, pool_, IntBits::k64};
  vm::Machine machine_;
};

void same(const vm::Outcome& ordinary, const vm::Outcome& grouped) {
  REQUIRE(ordinary.error.has_value() == grouped.error.has_value());
  if (ordinary.error) CHECK(ordinary.error->message == grouped.error->message);
  REQUIRE(ordinary.values.size() == grouped.values.size());
  for (std::size_t i = 0; i < ordinary.values.size(); ++i)
    CHECK(vm::difference(ordinary.values[i], grouped.values[i]) == "");
}

constexpr gpu::BlockLimits kInShared{}, kInGlobal{0, 0}, kTooSmall{0, 8 << 10};

}  // namespace

TEST_CASE("recursive functions in blocks of threads give what ordinary calls give") {
  std::uint64_t whole = 0;
  for (const test::Recursion& r : test::nesl_recursions()) {
    INFO(r.name);
    Recursive program(r.text);
    const Ended ordinary = program.ordinary();
    for (const gpu::BlockLimits& limits : {kInShared, kInGlobal, kTooSmall}) {
      INFO("shared " << limits.shared_bytes << ", arena " << limits.arena_bytes);
      const Ended grouped = program.in_groups(limits);
      same(ordinary.outcome, grouped.outcome);
      CHECK(grouped.counters.on_device > 0);
      CHECK(grouped.counters.failed == 0);
      CHECK(grouped.there == grouped.counters.on_device - grouped.counters.whole);
      whole += grouped.counters.whole;
    }
  }
  CHECK(whole > 0);
}

TEST_CASE("INT of 32 bits in blocks of threads") {
  const test::Recursion& r = test::nesl_recursions().front();
  Recursive program(r.text, IntBits::k32);
  const Ended grouped = program.in_groups(kInShared);
  same(program.ordinary().outcome, grouped.outcome);
  CHECK(grouped.counters.on_device > 0);
}

TEST_CASE("scans of long segments by all threads of a block have the bits of the fixed tree") {
  Recursive program(R"(
function sums(v) =
if #v < 300 then plus_scan(v)
else
  let w = {max(x, y * 0.5) : x in plus_scan(v); y in v};
      m = #v / 2;
      s = {sums(part) : part in [take(w, m), drop(w, m)]}
  in s[0] ++ s[1] $
{sums({float(rem(i * 7919, 1001)) * 0.1 : i in [0:k]}) : k in [5000, 0, 40, 257, 2048, 2049, 3, 700]} $)");
  const Ended ordinary = program.ordinary();
  for (const gpu::BlockLimits& limits : {kInShared, kInGlobal}) {
    const Ended grouped = program.in_groups(limits);
    same(ordinary.outcome, grouped.outcome);
    CHECK(grouped.counters.on_device > 0);
  }
}

TEST_CASE("bytes of blocks of threads do not depend on where their arenas stand") {
  for (const test::Recursion& r : test::nesl_recursions()) {
    INFO(r.name);
    Recursive program(r.text);
    const Ended ordinary = program.ordinary();
    std::vector<std::uint64_t> bytes;
    for (const gpu::BlockLimits& limits : {kInShared, kInGlobal, gpu::BlockLimits{2 << 10, 0}}) {
      vm::Tally tally;
      tally.counts_bytes = true;
      same(ordinary.outcome, program.in_groups(limits, &tally).outcome);
      bytes.push_back(tally.bytes);
    }
    CHECK(bytes[0] > 0);
    CHECK(bytes[1] == bytes[0]);
    CHECK(bytes[2] == bytes[0]);  // what does not fit is begun again
  }
}

TEST_CASE("a check that fails in a block of threads is the ordinary fault") {
  Recursive program(R"(
function halves(v) =
if #v < 2 then {100 / x : x in v}
else let m = #v / 2; s = {halves(p) : p in [take(v, m), drop(v, m)]} in s[0] ++ s[1] $
{halves({rem(i, 5) : i in [0:k]}) : k in [2:9]} $)");
  const Ended ordinary = program.ordinary();
  REQUIRE(ordinary.outcome.error);
  const Ended grouped = program.in_groups(kInShared);
  same(ordinary.outcome, grouped.outcome);
  CHECK(grouped.counters.failed > 0);
}

TEST_CASE("where the device has no memory, or fails, the processor's workers make the groups") {
  Recursive program(test::nesl_recursions().front().text);
  const Ended ordinary = program.ordinary();
  control("");
  program.in_groups(kInGlobal);
  const std::uint64_t all = counts().allocations;
  for (std::uint64_t k = 1; k <= all; ++k) {
    INFO("allocation " << k);
    control("full_from=" + std::to_string(k));
    same(ordinary.outcome, program.in_groups(kInGlobal).outcome);
  }
  control("bad_launch=1");  // the last: the device is lost for good in this process
  const Ended lost = program.in_groups(kInGlobal);
  same(ordinary.outcome, lost.outcome);
  CHECK(lost.counters.calls > 0);
  CHECK(lost.counters.on_device == 0);
}
