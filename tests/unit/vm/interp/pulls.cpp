// Fields of records that are left as pulls give what written ones give.

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "fixture.h"
#include "tests/support/fast_paths.h"
#include "tests/support/record_list.h"

using namespace nvm;
using namespace nvm::vm;
using namespace nvm::testing;

namespace {

void check_same(const std::string& text, FastPaths paths) {
  for (const IntBits bits : {IntBits::k32, IntBits::k64})
    for (const int threads : {1, 3}) {
      Fixture f(text, bits);
      REQUIRE(f.loaded.verdict == Verdict::kOk);
      f.machine.prims.threads = threads;
      f.machine.prims.grain = 64;
      CHECK(printed(f.interpret()) == printed(f.on_stack()));
      check_taken(f.fast_paths, paths);
    }
}

class Watching final : public Observer {
 public:
  explicit Watching(bool work) { see_work(work); }
  void begin(const ssa::Inst& inst, const Site&, std::int64_t) override { seen.insert(inst.op); }
  std::set<Op> seen;
};

int count_steps(const std::string& text, bool Step::*what) {
  const Fixture f(text);
  int count = 0;
  for (const CodeFunction& function : f.code.functions)
    for (const Step& s : function.steps) count += s.*what ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("fields that are moved on, or read by nobody, may stay pulls", "[pulls]") {
  CHECK(count_steps(record_list(kThirds, kInside), &Step::leaves_pull) == 5);
  CHECK(count_steps(record_list(kThirds, kInside), &Step::takes_pull) >= 12);
}

TEST_CASE("records moved as pulls are those moved field by field", "[pulls]") {
  for (const std::string& flags : partings()) check_same(record_list(flags, kInside), {FastPath::kLeavePull});
  check_same(record_list(kThirds, kInside),
             {FastPath::kMovePull, FastPath::kMovePullAgain, FastPath::kWritePull});
}

TEST_CASE("an index outside the table is told where it is read", "[pulls]") {
  const std::string text = record_list(kThirds, "POP 1 0");
  check_same(text, {});
  Fixture f(text);
  f.machine.prims.grain = 64;
  const Outcome outcome = f.interpret();
  REQUIRE(outcome.error);
  CHECK(outcome.error->instruction == "BPERMUTE FLOAT");
}

TEST_CASE("one who watches changes nothing in what is made", "[pulls]") {
  const std::string text = record_list(kThirds, kInside);
  const auto made = [&](Observer* observer) {
    Fixture f(text);
    f.machine.prims.threads = 3;
    f.machine.prims.grain = 64;
    f.machine.observer = observer;
    CHECK(printed(f.interpret()) == printed(Fixture(text).on_stack()));
    return f.pool->stats().allocations;
  };
  Watching lines(false), work(true);
  const std::uint64_t unwatched = made(nullptr);
  CHECK(made(&lines) == unwatched);
  CHECK(lines.seen.contains(Op::kBpermute));
  CHECK(made(&work) == unwatched);
  CHECK(work.seen.contains(Op::kBpermute));
}
