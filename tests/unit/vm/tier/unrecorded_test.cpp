// Calls that a recorder does not want: the interpreter makes them as it would alone, and says when they end.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/vm/interp/fixture.h"
#include "vm/tier/eager.h"
#include "vm/trace/recorder.h"

using namespace nvm;
using namespace nvm::vm;

namespace {

// Executes regions instruction by instruction, and has calls made as `ways` says, by function: MAIN is the
// first, the others follow in the order of their first calls.
class Choosing final : public RegionExecutor {
 public:
  Choosing(const PrimContext& context, std::vector<CallWay> by_function)
      : ways(std::move(by_function)), context_(context) {}
  void execute(RecordedRegion& region, std::span<Value> outputs, RecordedSite& failed) override {
    for (const RecordedSite& site : region.sites) recorded.push_back(site.site.function);
    run_eager(context_, region, outputs, failed);
  }
  [[nodiscard]] CallWay call_begins(ssa::FunctionId function, std::int64_t elements,
                                    std::int64_t depth) override {
    asked += std::to_string(function) + ":" + std::to_string(elements) + "@" + std::to_string(depth) + " ";
    return ways[static_cast<std::size_t>(function)];
  }
  std::int64_t call_ends(std::int64_t depth) override {
    ended += std::to_string(depth) + " ";
    return -1;
  }
  std::vector<CallWay> ways;
  std::vector<ssa::FunctionId> recorded;  // of the instructions of all regions
  std::string asked, ended;

 private:
  const PrimContext& context_;
};

constexpr CallWay kR = CallWay::kRecorded, kW = CallWay::kWatched, kU = CallWay::kUnrecorded;
constexpr const char* kTen = "CONST INT 10000 MAKE_SEGDES ";
// ADDS adds 7 distributed to each; BOTH calls it at its end, and before that does the same with 1.
const std::string kAdds = std::string("FUNC ADDS CONST INT 7 ") + kTen + "DIST INT + INT RET ";
const std::string kBoth = std::string("FUNC BOTH CONST INT 1 ") + kTen + "DIST INT + INT CALL ADDS RET ";
const std::string kNumbers = std::string("CONST INT 0 CONST INT 1 ") + kTen + "INDEX ";

struct Run {
  Run(const std::string& text, std::vector<CallWay> ways)
      : fixture(text, IntBits::k64, false),
        executor(fixture.machine.prims, std::move(ways)),
        recorder(executor, IntBits::k64, {}) {
    fixture.machine.hook = &recorder;
    outcome = fixture.interpret();
  }
  [[nodiscard]] std::uint64_t count(FastPath path) const { return fixture.fast_paths[path]; }
  [[nodiscard]] bool has_recorded(ssa::FunctionId function) const {
    return std::find(executor.recorded.begin(), executor.recorded.end(), function) != executor.recorded.end();
  }
  Fixture fixture;
  Choosing executor;
  Recorder recorder;
  Outcome outcome;
};

std::string alone(const std::string& text) {
  Fixture fixture(text, IntBits::k64, false);
  const Outcome outcome = fixture.interpret();
  return printed(outcome) + (outcome.error ? describe_place(*outcome.error, {}) : "");
}

}  // namespace

TEST_CASE("nothing of such a call is recorded, what is behind it is, and results are written") {
  const std::string text = kAdds + main_of(kNumbers + "CALL ADDS CONST INT 2 " + kTen + "DIST INT * INT");
  const Run usual(text, {kR, kR}), run(text, {kR, kU});
  CHECK(usual.has_recorded(1));
  CHECK(!run.has_recorded(1));
  CHECK(run.has_recorded(0));
  CHECK(run.count(FastPath::kUnrecorded) == 1);
  CHECK(usual.count(FastPath::kUnrecorded) == 0);
  CHECK(run.count(FastPath::kComputeRepeated) > usual.count(FastPath::kComputeRepeated));
  CHECK(printed(run.outcome) == alone(text));
  CHECK(run.executor.asked == "1:10000@1 ");
  CHECK(run.executor.ended == "1 ");
}

TEST_CASE("one that is watched is recorded, and its end told") {
  const std::string text =
      kAdds + main_of(kNumbers + "CALL ADDS CALL ADDS CONST INT 1 " + kTen + "DIST INT + INT");
  const Run run(text, {kR, kW});
  CHECK(run.has_recorded(1));
  CHECK(run.executor.ended == "1 1 ");
  CHECK(printed(run.outcome) == alone(text));
}

TEST_CASE("a tail call ends one and is asked about") {
  const std::string text =
      kAdds + kBoth + main_of(kNumbers + "CALL BOTH CONST INT 1 " + kTen + "DIST INT + INT");
  const Run run(text, {kR, kU, kR});
  CHECK(run.executor.asked == "1:10000@1 2:10000@1 ");
  CHECK(run.executor.ended == "1 ");
  CHECK(run.has_recorded(2));
  CHECK(!run.has_recorded(1));
  CHECK(printed(run.outcome) == alone(text));
  const Run both(text, {kR, kW, kU});
  CHECK(both.executor.ended == "1 1 ");
  CHECK(!both.has_recorded(2));
  CHECK(both.has_recorded(1));
  CHECK(printed(both.outcome) == alone(text));
}

TEST_CASE("what fails within it is told with its place and callers") {
  const std::string text = "FUNC ADDS CONST INT 0 " + std::string(kTen) + "DIST INT / INT RET " +
                           main_of(kNumbers + "CALL ADDS CONST INT 1 " + kTen + "DIST INT + INT");
  Run run(text, {kR, kU});
  REQUIRE(run.outcome.error);
  CHECK(printed(run.outcome) + describe_place(*run.outcome.error, {}) == alone(text));
  CHECK(run.executor.ended == "1 ");
}

TEST_CASE("what was promised before fails before") {
  const std::string text = kAdds + main_of(kNumbers + "CONST INT 0 " + kTen +
                                           "DIST INT / INT CALL ADDS POP 1 0 " + kNumbers + "CALL ADDS");
  const Run run(text, {kR, kU});
  REQUIRE(run.outcome.error);
  CHECK(printed(run.outcome) + describe_place(*run.outcome.error, {}) == alone(text));
  CHECK(run.executor.ended.empty());
}
