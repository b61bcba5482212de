// What is remembered about where cutting pays.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "bytecode/ssa/passes.h"
#include "tests/support/temp_folder.h"
#include "vm/block/trials.h"
#include "vm/block/tuning.h"

using namespace nvm;
using vm::block::Timings;
using vm::block::Tuning;
using vm::block::Way;
namespace fs = std::filesystem;

namespace {

// Functions that differ in name only.
ssa::Module two_functions() {
  ssa::Module module;
  for (const char* name : {"F", "G"}) {
    ssa::Function f;
    f.name = name;
    f.blocks.emplace_back();
    module.functions.push_back(f);
  }
  return module;
}

}  // namespace

TEST_CASE("what pays at one size pays below it, what loses loses above") {
  const ssa::Module module = two_functions();
  Tuning tuning(module, "here", nullptr, false);
  CHECK(tuning.of(0, 1000) == Tuning::Verdict::kUnknown);
  tuning.learn(0, 1000, 1.0, 2.0);
  tuning.learn(0, 100000, 2.0, 1.0);
  CHECK(tuning.of(0, 1000) == Tuning::Verdict::kPays);
  CHECK(tuning.of(0, 0) == Tuning::Verdict::kPays);
  CHECK(tuning.of(0, 10000) == Tuning::Verdict::kUnknown);
  CHECK(tuning.of(0, 100000) == Tuning::Verdict::kLoses);
  CHECK(tuning.of(0, std::int64_t{1} << 50) == Tuning::Verdict::kLoses);
  CHECK(tuning.of(1, 1000) == Tuning::Verdict::kUnknown);
  tuning.learn(0, 200000, 1.0, 2.0);  // the later measurement counts
  CHECK(tuning.of(0, 200000) == Tuning::Verdict::kPays);
  CHECK(tuning.measured().size() == 3);
}

TEST_CASE(
    "calls that stream through memory are measured for themselves, and need not win by a small part of "
    "them") {
  using enum Tuning::Reach;
  const test::TempFolder folder("nvm_tuning_test");
  const DiskCache cache(folder.name(), "tuning 1");
  const ssa::Module module = two_functions();
  Tuning tuning(module, "here", &cache, false);
  tuning.learn(0, 1000, 1.2, 1.0, kCached);
  CHECK(tuning.of(0, 1000, kCached) == Tuning::Verdict::kLoses);
  CHECK(tuning.of(0, 1000, kStreams) == Tuning::Verdict::kUnknown);
  tuning.learn(0, 1000, 1.2, 1.0, kStreams);
  CHECK(tuning.of(0, 1000, kStreams) == Tuning::Verdict::kPays);
  tuning.learn(1, 1000, 2.0, 1.0, kStreams);
  CHECK(tuning.of(1, 1000, kStreams) == Tuning::Verdict::kLoses);
  Tuning again(module, "here", &cache, false);
  CHECK(again.of(0, 1000, kStreams) == Tuning::Verdict::kPays);
  CHECK(again.of(0, 1000, kCached) == Tuning::Verdict::kLoses);
}

TEST_CASE("a gain is clear if it is large and nothing has lost") {
  const ssa::Module module = two_functions();
  Tuning tuning(module, "here", nullptr, false);
  CHECK_FALSE(tuning.clear(0));
  tuning.learn(0, 1000, 1.0, 1.2);
  CHECK_FALSE(tuning.clear(0));
  tuning.learn(0, 2000, 1.0, 2.0);
  CHECK(tuning.clear(0));
  CHECK_FALSE(tuning.clear(1));
  tuning.learn(0, 100000, 2.0, 1.0);
  CHECK_FALSE(tuning.clear(0));
}

TEST_CASE("a step that comes often is tried both ways in turn, then made as was faster") {
  const Way first = GENERATE(Way::kWhole, Way::kGroups);
  const Way second = first == Way::kWhole ? Way::kGroups : Way::kWhole;
  vm::block::Trials trials;
  const vm::block::Trials::Kind kind(3, 100, 5000);
  const double slow[] = {3.0, 4.0}, fast[] = {9.0, 2.0};
  int before = 0;
  while (trials.waits(kind)) ++before;
  CHECK(before == 32);
  Timings& timings = trials.timings(kind);
  for (const int i : {0, 1}) {
    CHECK(timings.next(first) == first);
    timings.note(first, slow[i]);
    CHECK_FALSE(timings.settled());
    CHECK(timings.next(first) == second);
    timings.note(second, fast[i]);
  }
  CHECK(timings.settled());
  CHECK(timings.next(first) == second);
  const vm::block::Trials::Kind other(3, 100, 50000);
  CHECK_FALSE(trials.timings(other).settled());
  CHECK(trials.timings(other).next(first) == first);
}

TEST_CASE("two ways that are close are timed more often") {
  Timings timings;
  for (int i = 0; i < 8; ++i) {
    CHECK_FALSE(timings.settled());
    timings.note(timings.next(Way::kGroups), i % 2 == 0 ? 1.1 : 1.0);
  }
  CHECK(timings.settled());
  CHECK(timings.next(Way::kGroups) == Way::kWhole);
  CHECK(Timings::enough(2, 1.0, 2.0));
  CHECK_FALSE(Timings::enough(1, 1.0, 2.0));
  CHECK_FALSE(Timings::enough(3, 1.0, 1.1));
}

TEST_CASE("small calls are tried in turn, from run to run, until it is known what pays at their size") {
  const test::TempFolder folder("nvm_tuning_test");
  const DiskCache cache(folder.name(), "tuning 1");
  const ssa::Module module = two_functions();
  const double groups = GENERATE(0.5, 2.0);
  for (int call = 0; call < 4; ++call) {
    Tuning tuning(module, "here", &cache, false);
    CHECK(tuning.of(0, 1000) == Tuning::Verdict::kUnknown);
    const Way way = tuning.next(0, 1000);
    CHECK(way == (call % 2 == 0 ? Way::kGroups : Way::kWhole));
    CHECK(tuning.next(0, 100'000) == Way::kGroups);  // another size
    tuning.note(0, 1000, way, way == Way::kGroups ? groups : 1.0);
  }
  Tuning tuning(module, "here", &cache, false);
  CHECK(tuning.of(0, 1000) == (groups < 1.0 ? Tuning::Verdict::kPays : Tuning::Verdict::kLoses));
  CHECK(tuning.of(1, 1000) == Tuning::Verdict::kUnknown);
}

TEST_CASE("what is as fast in groups is left whole") {
  const ssa::Module module = two_functions();
  Tuning tuning(module, "here", nullptr, false);
  tuning.learn(0, 1000, 0.99, 1.0);
  CHECK(tuning.of(0, 1000) == Tuning::Verdict::kLoses);
}

TEST_CASE("measurements are remembered for the same code and setting") {
  const test::TempFolder folder("nvm_tuning_test");
  const DiskCache cache(folder.name(), "tuning 1");
  const ssa::Module module = two_functions();
  Tuning first(module, "here", &cache, false);
  first.learn(0, 1000, 1.0, 2.0);
  CHECK(Tuning(module, "here", &cache, false).of(0, 1000) == Tuning::Verdict::kPays);
  CHECK(Tuning(module, "here", &cache, true).of(0, 1000) == Tuning::Verdict::kUnknown);
  CHECK(Tuning(module, "elsewhere", &cache, false).of(0, 1000) == Tuning::Verdict::kUnknown);
  CHECK(Tuning(module, "here", &cache, false).of(1, 1000) == Tuning::Verdict::kUnknown);
}

TEST_CASE("what cannot be read is measured again") {
  const test::TempFolder folder("nvm_tuning_test");
  const DiskCache cache(folder.name(), "tuning 1");
  const ssa::Module module = two_functions();
  Tuning(module, "here", &cache, false).learn(0, 1000, 1.0, 2.0);
  for (const auto& entry : fs::directory_iterator(folder.name())) {
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-3, std::ios::end).put('x');
  }
  Tuning again(module, "here", &cache, false);
  CHECK(again.of(0, 1000) == Tuning::Verdict::kUnknown);
  again.learn(0, 1000, 2.0, 1.0);
  CHECK(Tuning(module, "here", &cache, false).of(0, 1000) == Tuning::Verdict::kLoses);
}
