// Fields of records that are left as pulls while lines are recorded: read as instructions of those lines.

#include <catch2/catch.hpp>

#include "tests/support/engines.h"
#include "tests/support/record_list.h"
#include "tests/unit/vm/interp/fixture.h"
#include "vm/cpu/cpu_engine.h"
#include "vm/tier/jit.h"

using namespace nvm;
using namespace nvm::vm;
using namespace nvm::testing;

namespace {

std::string recorded(Fixture& f, plan::Engine& engine) {
  Jit jit(engine, f.machine.prims, {.mode = JitMode::kAlways});
  Recorder recorder(jit, f.machine.prims.int_bits, {.min_elements = 1});
  f.machine.hook = &recorder;
  const std::string text = printed(f.interpret());
  f.machine.hook = nullptr;
  return text;
}

// FLOATs that recorded lines move by BPERMUTE, with a tally or without.
std::int64_t moved(bool counted) {
  class Counting final : public RegionExecutor {
   public:
    explicit Counting(Jit& jit) : jit_(jit) {}
    void execute(RecordedRegion& region, std::span<Value> outputs, RecordedSite& failed) override {
      for (const soac::RegionInst& in : region.region.insts)
        if (in.op == Op::kBpermute && in.word == TypeWord::kFloat) elements += elements_of(region, in);
      jit_.execute(region, outputs, failed);
    }
    std::int64_t elements = 0;

   private:
    Jit& jit_;
  };
  Fixture f(record_list(kThirds, kInside));
  f.machine.prims.grain = 64;
  RefusingEngine none;
  Jit jit(none, f.machine.prims, {.mode = JitMode::kAlways});
  Counting counting(jit);
  Recorder recorder(counting, f.machine.prims.int_bits, {.min_elements = 1});
  Tally tally;
  f.machine.hook = &recorder;
  if (counted) f.machine.tally = &tally;
  CHECK(!f.interpret().error);
  f.machine.hook = nullptr;
  return counting.elements;
}

}  // namespace

TEST_CASE("recorded, fields that nobody reads are not moved") {
  constexpr std::int64_t kNextLists =
      3 * 5 * 500;  // steps, fields, records: what they alone would move whole
  CHECK(moved(false) < kNextLists);
  CHECK(moved(true) == moved(false));
}

TEST_CASE("recorded, records moved as pulls are those moved field by field") {
  const auto cpu = cpu::make_engine({});
  RefusingEngine none;
  for (const std::string& flags : partings())
    for (const IntBits bits : {IntBits::k32, IntBits::k64})
      for (plan::Engine* engine : {static_cast<plan::Engine*>(&none), cpu.get()}) {
        Fixture f(record_list(flags, kInside), bits);
        f.machine.prims.grain = 64;
        CHECK(recorded(f, *engine) == printed(f.on_stack()));
      }
}

TEST_CASE("recorded, an index outside the table is told where it is read") {
  Fixture f(record_list(kThirds, "POP 1 0"));
  f.machine.prims.grain = 64;
  RefusingEngine none;
  CHECK(recorded(f, none) == printed(f.on_stack()));
}
