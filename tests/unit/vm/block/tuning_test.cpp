// What is remembered about where cutting pays.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "bytecode/ssa/passes.h"
#include "tests/support/temp_folder.h"
#include "vm/block/tuning.h"

using namespace nvm;
using vm::Choice;
using vm::Way;
using vm::block::PartTrial;
using vm::block::StepTuning;
using vm::block::Tuning;
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

// Timed as often as it takes.
void learn(Tuning& tuning, ssa::FunctionId function, std::int64_t average, double cut, double whole,
           Tuning::Reach reach = Tuning::Reach::kCached) {
  const std::size_t before = tuning.measured().size();
  for (int i = 0; i < 4 && tuning.measured().size() == before; ++i)
    tuning.note(function, average, whole, cut, 1 << 20, reach);
}

}  // namespace

TEST_CASE("what pays at one size pays below it, what loses loses above") {
  const ssa::Module module = two_functions();
  Tuning tuning(module, "here", nullptr, false);
  CHECK(tuning.of(0, 1000) == Tuning::Verdict::kUnknown);
  learn(tuning, 0, 1000, 1.0, 2.0);
  learn(tuning, 0, 100000, 2.0, 1.0);
  CHECK(tuning.of(0, 1000) == Tuning::Verdict::kPays);
  CHECK(tuning.of(0, 0) == Tuning::Verdict::kPays);
  CHECK(tuning.of(0, 10000) == Tuning::Verdict::kUnknown);
  CHECK(tuning.of(0, 100000) == Tuning::Verdict::kLoses);
  CHECK(tuning.of(0, std::int64_t{1} << 50) == Tuning::Verdict::kLoses);
  CHECK(tuning.of(1, 1000) == Tuning::Verdict::kUnknown);
  learn(tuning, 0, 200000, 1.0, 2.0);  // the later measurement counts
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
  learn(tuning, 0, 1000, 1.2, 1.0, kCached);
  CHECK(tuning.of(0, 1000, kCached) == Tuning::Verdict::kLoses);
  CHECK(tuning.of(0, 1000, kStreams) == Tuning::Verdict::kUnknown);
  learn(tuning, 0, 1000, 1.2, 1.0, kStreams);
  CHECK(tuning.of(0, 1000, kStreams) == Tuning::Verdict::kPays);
  learn(tuning, 1, 1000, 2.0, 1.0, kStreams);
  CHECK(tuning.of(1, 1000, kStreams) == Tuning::Verdict::kLoses);
  Tuning again(module, "here", &cache, false);
  CHECK(again.of(0, 1000, kStreams) == Tuning::Verdict::kPays);
  CHECK(again.of(0, 1000, kCached) == Tuning::Verdict::kLoses);
}

TEST_CASE("a gain is clear if it is large and nothing has lost") {
  const ssa::Module module = two_functions();
  Tuning tuning(module, "here", nullptr, false);
  CHECK_FALSE(tuning.clear(0));
  learn(tuning, 0, 1000, 1.0, 1.2);
  CHECK_FALSE(tuning.clear(0));
  learn(tuning, 0, 2000, 1.0, 2.0);
  CHECK(tuning.clear(0));
  CHECK_FALSE(tuning.clear(1));
  learn(tuning, 0, 100000, 2.0, 1.0);
  CHECK_FALSE(tuning.clear(0));
}

TEST_CASE("a step that comes often is tried both ways in turn, and each size for itself") {
  StepTuning steps;
  const StepTuning::Kind kind(3, 100, 5000), other(3, 100, 50000);
  int before = 0;
  while (steps.waits(kind)) ++before;
  CHECK(before == 32);
  for (int i = 0; i < 2; ++i) {
    steps.choice(kind).note(Way::kBaseline, 1.0);
    steps.choice(kind).note(Way::kCandidate, 2.0);
  }
  CHECK(steps.choice(kind).settled());
  CHECK(steps.choice(kind).next_in_turn(Way::kCandidate) == Way::kBaseline);
  CHECK(steps.choice(other).next_in_turn(Way::kCandidate) == Way::kCandidate);
  CHECK(steps.waits(other));
}

TEST_CASE("a trial on a part of a call takes at most a tenth of the call") {
  const std::int64_t groups = GENERATE(1, 4, 16, 39, 60, 128, 1000);
  const int threads = GENERATE(1, 2, 16);
  const double slower = GENERATE(1.0, 1.1, 3.0, 20.0);
  constexpr std::int64_t kBytes = 64 << 20;
  PartTrial part(kBytes, groups, threads);
  CHECK(part.groups() >= threads);
  Choice tried;
  double spent = 0, first = 0;  // of the faster way's time for the call
  int times = 0;
  for (std::int64_t warm = 1; !tried.settled() && part.begin(tried, warm); warm = 0, ++times) {
    const double made = static_cast<double>(part.groups() + warm) / static_cast<double>(groups);
    spent += made * (1 + slower);
    if (times == 0) first = made * (slower - 1);  // what nobody could know
    tried.note(Way::kBaseline, 1.0);
    tried.note(Way::kCandidate, slower);
  }
  CHECK(spent <= 0.1 + first);
  if (groups >= 1000) CHECK(times > 0);
  if (groups <= 4) CHECK(times == 0);
}

TEST_CASE("small calls are tried in turn, from run to run, until it is known what pays at their size") {
  const test::TempFolder folder("nvm_tuning_test");
  const DiskCache cache(folder.name(), "tuning 1");
  const ssa::Module module = two_functions();
  const double groups = GENERATE(0.5, 2.0);
  for (int call = 0; call < 4; ++call) {
    Tuning tuning(module, "here", &cache, false);
    CHECK(tuning.of(0, 1000) == Tuning::Verdict::kUnknown);
    const Way way = tuning.tried(0, 1000).next_in_turn(Way::kCandidate);
    CHECK(way == (call % 2 == 0 ? Way::kCandidate : Way::kBaseline));
    CHECK(tuning.tried(0, 100'000).runs(Way::kCandidate) == 0);  // another size
    tuning.note(0, 1000, way, way == Way::kCandidate ? groups : 1.0, 1000);
  }
  Tuning tuning(module, "here", &cache, false);
  CHECK(tuning.of(0, 1000) == (groups < 1.0 ? Tuning::Verdict::kPays : Tuning::Verdict::kLoses));
  CHECK(tuning.of(1, 1000) == Tuning::Verdict::kUnknown);
}

TEST_CASE("what is as fast in groups is left whole") {
  const ssa::Module module = two_functions();
  Tuning tuning(module, "here", nullptr, false);
  learn(tuning, 0, 1000, 0.99, 1.0);
  CHECK(tuning.of(0, 1000) == Tuning::Verdict::kLoses);
}

TEST_CASE("measurements are remembered for the same code and setting") {
  const test::TempFolder folder("nvm_tuning_test");
  const DiskCache cache(folder.name(), "tuning 1");
  const ssa::Module module = two_functions();
  Tuning first(module, "here", &cache, false);
  learn(first, 0, 1000, 1.0, 2.0);
  CHECK(Tuning(module, "here", &cache, false).of(0, 1000) == Tuning::Verdict::kPays);
  CHECK(Tuning(module, "here", &cache, true).of(0, 1000) == Tuning::Verdict::kUnknown);
  CHECK(Tuning(module, "elsewhere", &cache, false).of(0, 1000) == Tuning::Verdict::kUnknown);
  CHECK(Tuning(module, "here", &cache, false).of(1, 1000) == Tuning::Verdict::kUnknown);
}

TEST_CASE("what cannot be read is measured again") {
  const test::TempFolder folder("nvm_tuning_test");
  const DiskCache cache(folder.name(), "tuning 1");
  const ssa::Module module = two_functions();
  Tuning tuning(module, "here", &cache, false);
  learn(tuning, 0, 1000, 1.0, 2.0);
  for (const auto& entry : fs::directory_iterator(folder.name())) {
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-3, std::ios::end).put('x');
  }
  Tuning again(module, "here", &cache, false);
  CHECK(again.of(0, 1000) == Tuning::Verdict::kUnknown);
  learn(again, 0, 1000, 2.0, 1.0);
  CHECK(Tuning(module, "here", &cache, false).of(0, 1000) == Tuning::Verdict::kLoses);
}
