// Vectors that stay unwritten while lines are recorded: the results are those of the interpreter alone,
// and what makes them is in no line.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/engines.h"
#include "tests/unit/vm/interp/fixture.h"
#include "tests/unit/vm/interp/unwritten_programs.h"
#include "vm/tier/jit.h"

using namespace nvm;
using namespace nvm::vm;
using namespace nvm::testing;

namespace {

struct Recorded {
  std::string text;
  std::vector<Op> ops;
  std::size_t peak = 0;  // bytes
};

Recorded recorded(Fixture& f) {
  class Listing final : public RegionExecutor {
   public:
    Listing(Jit& jit, std::vector<Op>& ops) : jit_(jit), ops_(ops) {}
    void execute(RecordedRegion& region, std::span<Value> outputs, RecordedSite& failed) override {
      for (const soac::RegionInst& in : region.region.insts) ops_.push_back(in.op);
      jit_.execute(region, outputs, failed);
    }
    // Then one number distributed stays one.
    bool declines(const ssa::Inst& inst, std::int64_t) override { return inst.op == Op::kDist; }

   private:
    Jit& jit_;
    std::vector<Op>& ops_;
  };
  Recorded made;
  RefusingEngine none;
  Jit jit(none, f.machine.prims, {.mode = JitMode::kAlways});
  Listing listing(jit, made.ops);
  Recorder recorder(listing, f.machine.prims.int_bits, {.min_elements = 4096});
  f.machine.hook = &recorder;
  made.text = printed(f.interpret());
  made.peak = f.pool->stats().peak;
  f.machine.hook = nullptr;
  return made;
}

// A run of its own, so that it draws the same numbers.
std::string alone(const std::string& text, IntBits bits) {
  Fixture f(text, bits);
  return printed(f.on_stack());
}

constexpr std::int64_t kRuns = 4;  // of check()

// As without the hook; the operations of lines.
std::vector<Op> check(const std::string& text) {
  std::vector<Op> ops;
  for (const IntBits bits : {IntBits::k64, IntBits::k32})
    for (const int threads : {1, 3}) {
      Fixture f(text, bits);
      REQUIRE(f.loaded.verdict == Verdict::kOk);
      f.machine.prims.threads = threads;
      f.machine.prims.grain = 64;
      const Recorded r = recorded(f);
      CHECK(r.text == alone(text, bits));
      ops.insert(ops.end(), r.ops.begin(), r.ops.end());
    }
  return ops;
}

std::string or_of() { return "COPY 1 0 " + descriptor(kMany) + "OR_REDUCE INT "; }

std::int64_t lines_have(const std::string& text, Op op) {
  const std::vector<Op> ops = check(text);
  return std::count(ops.begin(), ops.end(), op);
}

}  // namespace

TEST_CASE("indices that only permute are in no line", "[unwritten]") {
  const std::string columns =
      counted(0, 200) + all(200, 200) + all(200, 200) + "MAKE_SEGDES INDEX ";          // of 200 rows
  CHECK(lines_have(main_of(counted(0) + places() + permute()), Op::kIndex) == kRuns);  // that of places()
  CHECK(lines_have(main_of(places() + columns + permute()), Op::kIndex) == kRuns);
  CHECK(lines_have(main_of(counted(0) + all(3) + "+ INT"), Op::kIndex) == kRuns);
}

TEST_CASE("masks and shifts that follow from known bits make no vector", "[unwritten]") {
  // The numbers stay alive to the end.
  const auto peak = [](const std::string& by, std::int64_t x) {
    const std::string text = main_of(all(200) + "RAND " + or_of() + one(0) +
                                     "= INT IF CONST INT 1 ELSE CONST INT 2 ENDIF CPOP 1 1 " + "COPY 1 0 " +
                                     all(x) + by + " " + or_of() + "CPOP 1 1 " + places() + permute());
    check(text);
    Fixture f(text);
    return recorded(f).peak;
  };
  CHECK(peak("AND INT", 255) < peak("AND INT", 15));
  CHECK(peak("AND INT", 256) < peak("AND INT", 15));
  CHECK(peak("RSHIFT", 0) < peak("RSHIFT", 3));
  CHECK(peak("RSHIFT", 8) < peak("RSHIFT", 3));
}
