#include <catch2/catch.hpp>

#include <limits>
#include <string>
#include <vector>

#include "vm/data/pool.h"
#include "vm/profile/chrome_trace.h"
#include "vm/profile/json.h"

namespace nvm::vm {
namespace {

ssa::Module two_functions() {
  ssa::Module m;
  m.file = "p.vcode";
  for (const char* name : {"outer", "inner"}) {
    ssa::Function f;
    f.name = name;
    ssa::Block block;
    ssa::Inst inst;
    inst.pos = {7, 1};
    block.insts = {inst};
    f.blocks = {block};
    m.functions.push_back(f);
  }
  return m;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

// A trace that nobody writes before it is closed.
TraceOptions by_hand(std::size_t ring) {
  TraceOptions options;
  options.ring = ring;
  options.period = 0;
  options.budget = 0;
  return options;
}

TEST_CASE("a trace holds calls and lines as slices") {
  std::string text;
  const ssa::Module module = two_functions();
  const Pool pool;
  {
    ChromeTrace trace([&](std::string_view part) { return text += part, true; }, by_hand(1000));
    trace.begin_run(module, pool);
    trace.enter({0, nullptr, {}, false});
    trace.begin(module.functions[0].blocks[0].insts[0], {}, {});
    trace.enter({1, &module.functions[0].blocks[0].insts[0], {}, false});
    trace.leave(1);
    trace.leave(0);
    trace.end_run();
  }
  CHECK(text.starts_with("[\n"));
  CHECK(text.ends_with("\n]\n"));
  CHECK(count(text, R"("cat":"call","name":"outer")") == 1);
  CHECK(count(text, R"("cat":"call","name":"inner","args":{"level":0,"called from":"outer:7"})") == 1);
  CHECK(count(text, R"("cat":"line","name":"outer:7")") == 1);
  CHECK(count(text, "dropped") == 0);
}

TEST_CASE("a full ring drops the oldest events and says so") {
  std::string text;
  const ssa::Module module = two_functions();
  const Pool pool;
  ChromeTrace trace([&](std::string_view part) { return text += part, true; }, by_hand(10));
  trace.begin_run(module, pool);
  trace.enter({0, nullptr, {}, false});
  for (int i = 0; i < 100; ++i) {
    trace.enter({1, nullptr, {}, false});
    trace.leave(1);
  }
  trace.leave(0);
  CHECK(trace.close());
  CHECK(count(text, "events before this one were dropped") == 1);
  CHECK(count(text, R"("name":"inner")") == 9);
  CHECK(count(text, R"("name":"outer")") == 1);  // the last event
}

TEST_CASE("regions are noted while the budget lasts, those of long vectors and failed checks always") {
  std::string text;
  const ssa::Module module = two_functions();
  const ssa::Inst* first = &module.functions[0].blocks[0].insts[0];
  const Pool pool;
  TraceOptions options = by_hand(1000);
  options.kernels = 2;
  ChromeTrace trace([&](std::string_view part) { return text += part, true; }, options);
  trace.begin_run(module, pool);
  constexpr std::int64_t kLong = std::int64_t{1} << 40;
  const bool others = GENERATE(false, true);  // that want to see every region
  for (int i = 0; i < 4; ++i) {
    if (!trace.wants_region(100) && !others) continue;
    trace.begin_region(first, "asked");
    trace.begin_kernel(0, 0);
    trace.end_kernel({});
    trace.end_region({}, {});
  }
  REQUIRE(trace.wants_region(kLong));
  trace.begin_region(first, "asked");
  trace.end_region({}, {});
  REQUIRE_FALSE(trace.wants_region(100));
  RegionRun trapped;
  trapped.trapped = true;
  trace.end_region({}, trapped);
  trace.end_run();
  CHECK(trace.close());
  CHECK(count(text, R"("cat":"region")") == 3);
  CHECK(count(text, R"("name":"guard failed")") == 1);
  CHECK(count(text, R"("name":"left out","args":{"calls":0,"regions":3)") == 1);
}

TEST_CASE("a sink that fails ends the trace only") {
  int asked = 0;
  const ssa::Module module = two_functions();
  const Pool pool;
  ChromeTrace trace([&](std::string_view) { return ++asked < 0; }, by_hand(10));
  trace.begin_run(module, pool);
  trace.enter({0, nullptr, {}, false});
  trace.leave(0);
  trace.end_run();
  CHECK_FALSE(trace.close());
  CHECK(asked == 1);
}

TEST_CASE("levels count open calls, and go on through tail calls") {
  Levels levels;
  levels.begin(2);
  CHECK(levels.enter({0, nullptr, {}, false}) == 0);
  CHECK(levels.enter({1, nullptr, {}, false}) == 0);
  CHECK(levels.enter({0, nullptr, {}, false}) == 1);
  levels.leave();
  CHECK(levels.enter({0, nullptr, {}, true}) == 2);
  levels.leave();
  CHECK(levels.enter({0, nullptr, {}, false}) == 1);
  levels.leave();
  levels.leave();
  CHECK(levels.enter({1, nullptr, {}, false}) == 0);
}

TEST_CASE("JSON text is valid whatever the bytes") {
  CHECK(json_text("a\"b\\c\n") == R"("a\"b\\c\u000a")");
  CHECK(json_text("\xc3\xa4") == "\"\xc3\xa4\"");
  CHECK(json_text("\xc3") == R"("\ufffd")");
  CHECK(json_text("\xff\xfe") == R"("\ufffd\ufffd")");
  CHECK(json_text("\xed\xa0\x80") == R"("\ufffd\ufffd\ufffd")");  // half a surrogate pair
  CHECK(json_number(std::numeric_limits<double>::infinity()) == "null");
}

TEST_CASE("histograms of segments") {
  Pool pool;
  const std::int64_t lengths[] = {0, 1, 1, 3, 8};
  const SegmentShape shape = shape_of(Segdes::from_lengths(int_vector(pool, lengths), 13), 100);
  CHECK(histogram_json(shape) == R"({"0":1,"1":2,"2-3":1,"8-15":1})");
  CHECK(shape.longest == 8);
  CHECK_FALSE(shape.sampled);
  const SegmentShape regular = shape_of(Segdes::regular(1000000, 4), 100);
  CHECK(histogram_json(regular) == R"({"4-7":1000000})");
  std::vector<std::int64_t> many(1000, 2);
  many[0] = 5;
  const SegmentShape sample = shape_of(Segdes::from_lengths(int_vector(pool, many), 2003), 10);
  CHECK(sample.sampled);
  CHECK(histogram_json(sample) == R"({"2-3":900,"4-7":100})");
}

}  // namespace
}  // namespace nvm::vm
