// Vectors that stay delayed while lines are recorded: the results are those of the interpreter alone,
// and what makes them is in no line.
#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/engines.h"
#include "tests/unit/vm/interp/delayed_programs.h"
#include "tests/unit/vm/interp/fixture.h"
#include "vm/cpu/cpu_engine.h"
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

enum class Tier {
  kDeclines,  // DIST, so that one number distributed stays one
  kEager,
  kCompiles
};

Recorded recorded(Fixture& f, Tier tier = Tier::kDeclines) {
  class Listing final : public RegionExecutor {
   public:
    Listing(Jit& jit, std::vector<Op>& ops, Tier tier) : jit_(jit), ops_(ops), tier_(tier) {}
    void execute(RecordedRegion& region, std::span<Value> outputs, RecordedSite& failed) override {
      for (const soac::RegionInst& in : region.region.insts) ops_.push_back(in.op);
      jit_.execute(region, outputs, failed);
    }
    bool declines(const ssa::Inst& inst, std::int64_t) override {
      return tier_ == Tier::kDeclines && inst.op == Op::kDist;
    }

   private:
    Jit& jit_;
    std::vector<Op>& ops_;
    Tier tier_;
  };
  Recorded made;
  RefusingEngine none;
  const std::unique_ptr<plan::Engine> cpu = cpu::make_engine({});
  plan::Engine& engine = tier == Tier::kCompiles ? *cpu : none;
  Jit jit(engine, f.machine.prims, {.mode = JitMode::kAlways});
  Listing listing(jit, made.ops, tier);
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

// What is left of numbers whose bits are known, and stays alive to the end.
std::string left_of(const std::string& by, std::int64_t x) {
  return main_of(all(200) + "RAND " + or_of() + one(0) + "= INT IF CONST INT 1 ELSE CONST INT 2 ENDIF " +
                 "CPOP 1 1 COPY 1 0 " + all(x) + by + " " + or_of() + "CPOP 1 1 " + places() + permute());
}

std::int64_t lines_have(const std::string& text, Op op) {
  const std::vector<Op> ops = check(text);
  return std::count(ops.begin(), ops.end(), op);
}

}  // namespace

TEST_CASE("indices that only permute are in no line", "[delayed]") {
  const std::string columns =
      counted(0, 200) + all(200, 200) + all(200, 200) + "MAKE_SEGDES INDEX ";          // of 200 rows
  CHECK(lines_have(main_of(counted(0) + places() + permute()), Op::kIndex) == kRuns);  // that of places()
  CHECK(lines_have(main_of(places() + columns + permute()), Op::kIndex) == kRuns);
  CHECK(lines_have(main_of(counted(0) + all(3) + "+ INT"), Op::kIndex) == kRuns);
}

TEST_CASE("masks and shifts that follow from known bits make no vector", "[delayed]") {
  const auto peak = [](const std::string& by, std::int64_t x) {
    const std::string text = left_of(by, x);
    check(text);
    Fixture f(text);
    return recorded(f).peak;
  };
  CHECK(peak("AND INT", 255) < peak("AND INT", 15));
  CHECK(peak("AND INT", 256) < peak("AND INT", 15));
  CHECK(peak("RSHIFT", 0) < peak("RSHIFT", 3));
  CHECK(peak("RSHIFT", 8) < peak("RSHIFT", 3));
}

TEST_CASE("masks and shifts that follow from known bits are in no line", "[delayed]") {
  // The number is promised, and the bits were found by a primitive or a kernel.
  const Tier tier = GENERATE(Tier::kEager, Tier::kCompiles);
  const auto recorded_as = [&](const std::string& by, std::int64_t x, Op op) {
    const std::string text = left_of(by, x);
    Fixture f(text);
    const Recorded r = recorded(f, tier);
    CHECK(r.text == alone(text, IntBits::k64));
    return std::count(r.ops.begin(), r.ops.end(), op);
  };
  CHECK(recorded_as("AND INT", 255, Op::kAnd) == 0);
  CHECK(recorded_as("AND INT", 256, Op::kAnd) == 0);
  CHECK(recorded_as("AND INT", 15, Op::kAnd) == 1);
  CHECK(recorded_as("RSHIFT", 0, Op::kRshift) == 0);
  CHECK(recorded_as("RSHIFT", 8, Op::kRshift) == 0);
  CHECK(recorded_as("RSHIFT", 3, Op::kRshift) == 1);
}

TEST_CASE("masks that follow from known bits are in no line that is followed", "[delayed]") {
  // Counts down; at each turn the bits are known, and the numbers to mask by are promised.
  const std::int64_t turns = 6;
  const std::string choose =
      one(0) + "= INT IF CPOP 1 2 CONST INT 1 + INT ELSE CPOP 1 2 CONST INT 2 + INT ENDIF ";
  const std::string text =
      "FUNC MAIN " + all(200) + "RAND " + one(0) + one(turns) + "CALL TURN RET " +
      "FUNC TURN COPY 1 0 CONST INT 0 = INT IF POP 1 0 ELSE CONST INT 1 - INT COPY 1 2 " + or_of() + choose +
      "CPOP 1 1 " + all(255) + "AND INT " + all(7) + "AND INT " + descriptor(kMany) +
      "OR_REDUCE INT + INT CPOP 1 1 CALL TURN ENDIF RET";
  Fixture f(text);
  REQUIRE(f.loaded.verdict == Verdict::kOk);
  const Recorded r = recorded(f, Tier::kEager);
  CHECK(r.text == alone(text, IntBits::k64));
  CHECK(std::count(r.ops.begin(), r.ops.end(), Op::kAnd) == turns);  // of those by 7 alone
}
