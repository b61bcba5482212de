#include "vm/interp/line_meter.h"

#include <catch2/catch.hpp>
#include <vector>

namespace nvm::vm {
namespace {

ssa::Inst on_line(std::uint32_t nesl, std::uint32_t vcode) {
  ssa::Inst inst;
  inst.origin_line = nesl;
  inst.pos = {vcode, 1};
  return inst;
}

// Two functions without parameters.
ssa::Module two_functions() {
  ssa::Module module;
  module.functions.resize(2);
  for (ssa::Function& f : module.functions) f.blocks.resize(1);
  return module;
}

CallStart call_of(ssa::FunctionId f) { return {f, nullptr, {}, false, 0}; }

TEST_CASE("instructions of one line count as the first of them") {
  const std::vector<ssa::Inst> insts = {on_line(3, 10), on_line(3, 11), on_line(4, 12), on_line(0, 13),
                                        on_line(0, 14)};
  const ssa::Module module = two_functions();
  LineMeter meter(module);
  meter.begin_group(0, 0);
  for (const std::size_t i : {0u, 1u, 2u, 0u, 1u, 3u, 4u}) meter.at(insts[i], 0, 10, true);
  const std::vector<LineSpent> spent = meter.take().lines;
  REQUIRE(spent.size() == 4);
  CHECK(spent[0].inst == &insts[0]);
  CHECK(spent[0].times == 2);
  CHECK(spent[0].instructions == 4);
  CHECK(spent[0].work == 40);
  CHECK(spent[1].inst == &insts[2]);
  CHECK(spent[2].inst == &insts[3]);  // of VCODE without a source, lines are those of the text
  CHECK(spent[3].inst == &insts[4]);
  CHECK(spent[3].times == 1);
  for (const LineSpent& s : spent) CHECK(s.ticks >= 0);
}

TEST_CASE("levels of a recursion are told apart, and the deepest group counts") {
  const ssa::Inst inst = on_line(3, 10);
  const ssa::Module module = two_functions();
  LineMeter meter(module);
  for (const int deep : {1, 3}) {
    meter.begin_group(0, 2);
    meter.at(inst, 0, 1, true);
    for (int l = 0; l < deep; ++l) {
      CHECK(meter.level_of(0) == 3 + l);
      meter.enter(call_of(0));
      meter.at(inst, 0, 1, true);
      meter.at(inst, 0, 1, true);
    }
    for (int l = 0; l < deep; ++l) meter.leave();
    meter.at(inst, 0, 1, true);
    meter.end_group();
  }
  const GroupsSpent spent = meter.take();
  REQUIRE(spent.lines.size() == 4);
  for (std::size_t l = 0; l < 4; ++l) {
    CHECK(spent.lines[l].level == 2 + static_cast<std::int32_t>(l));
    CHECK(spent.lines[l].instructions == 2);
    CHECK(spent.lines[l].work == (l < 2 ? 4u : 2u));
  }
  REQUIRE(spent.calls.size() == 3);  // a group's own is not counted again
  CHECK(spent.calls[0].level == 3);
  CHECK(spent.calls[0].calls == 2);
  CHECK(spent.calls[2].calls == 1);
}

TEST_CASE("a recursion that is made as a loop has levels, too") {
  const ssa::Inst inst = on_line(3, 10);
  const ssa::Module module = two_functions();
  LineMeter meter(module);
  meter.begin_group(0, 2);
  meter.at(inst, 0, 5, true);
  meter.moved(100);
  meter.leave();
  const LineMeter::Counts before = meter.counts();
  for (std::int32_t level = 3; level < 6; ++level) {
    meter.next_level(0);
    CHECK(meter.level_of(0) == level);
    meter.enter_level(0, {});
    meter.at(inst, 0, 1, true);
    meter.moved(10);
    meter.leave();
    meter.moved(1);
  }
  SECTION("as counted") {
    const GroupsSpent spent = meter.take();
    REQUIRE(spent.lines.size() == 4);
    for (std::size_t l = 0; l < 4; ++l) {
      CHECK(spent.lines[l].level == 2 + static_cast<std::int32_t>(l));
      CHECK(spent.lines[l].bytes == (l == 0 ? 100 : 11));
    }
    CHECK(spent.calls.size() == 3);
  }
  SECTION("an attempt leaves its time alone") {
    meter.go_back_to(before);
    const GroupsSpent spent = meter.take();
    REQUIRE(spent.lines.size() == 4);
    CHECK(spent.lines[0].work == 5);
    CHECK(spent.lines[0].bytes == 100);
    for (std::size_t l = 1; l < 4; ++l) CHECK(spent.lines[l].work + spent.lines[l].instructions == 0);
    CHECK(spent.calls.empty());
  }
}

TEST_CASE("nothing is measured while a meter pauses") {
  const ssa::Inst inst = on_line(3, 10);
  const ssa::Module module = two_functions();
  LineMeter meter(module);
  meter.begin_group(0, 0);
  meter.at(inst, 0, 1, true);
  meter.pause();
  const std::int64_t before = ticks();
  while (ticks() - before < 1'000'000) continue;
  meter.pause();
  const std::vector<LineSpent> spent = meter.take().lines;
  REQUIRE(spent.size() == 1);
  CHECK(spent[0].ticks < 1'000'000);
  CHECK(meter.take().empty());
  meter.at(inst, 0, 1, true);
  CHECK(meter.take().lines.size() == 1);
}

}  // namespace
}  // namespace nvm::vm
