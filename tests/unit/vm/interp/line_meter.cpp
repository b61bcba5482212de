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

TEST_CASE("instructions of one line count as the first of them") {
  const std::vector<ssa::Inst> insts = {on_line(3, 10), on_line(3, 11), on_line(4, 12), on_line(0, 13),
                                        on_line(0, 14)};
  LineMeter meter;
  for (const std::size_t i : {0u, 1u, 2u, 0u, 1u, 3u, 4u}) meter.at(insts[i], 0);
  meter.at(insts[4], 1);  // the same line in another function
  const std::vector<LineSpent> spent = meter.take();
  REQUIRE(spent.size() == 4);
  CHECK(spent[0].inst == &insts[0]);
  CHECK(spent[0].times == 2);
  CHECK(spent[1].inst == &insts[2]);
  CHECK(spent[2].inst == &insts[3]);  // of VCODE without a source, lines are those of the text
  CHECK(spent[3].inst == &insts[4]);
  CHECK(spent[3].times == 2);
  for (const LineSpent& s : spent) CHECK(s.ticks >= 0);
}

TEST_CASE("nothing is measured while a meter pauses") {
  const ssa::Inst inst = on_line(3, 10);
  LineMeter meter;
  meter.at(inst, 0);
  meter.pause();
  const std::int64_t before = ticks();
  while (ticks() - before < 1'000'000) continue;
  meter.pause();
  const std::vector<LineSpent> spent = meter.take();
  REQUIRE(spent.size() == 1);
  CHECK(spent[0].ticks < 1'000'000);
  CHECK(meter.take().empty());
  meter.at(inst, 0);
  CHECK(meter.take().size() == 1);
}

}  // namespace
}  // namespace nvm::vm
