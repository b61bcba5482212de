// The counts of fast ways to execute (vm/data/fast_paths.def) that a run has, and of its regions.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "vm/data/fast_paths.h"
#include "vm/lib/nesl.hpp"
#include "vm/lib/profile.hpp"
#include "vm/lib/watch.hpp"

using namespace nvm;
using namespace nvm::lib;
using vm::FastPath;

namespace {

std::uint64_t taken(const Options& options, const std::string& body, vm::FastPath path) {
  auto program = Program::from_text("FUNC MAIN " + body + " RET", "t.vcode", {});
  REQUIRE(program);
  Vm machine(options);
  auto run = machine.run(*program, {});
  REQUIRE(run);
  for (const auto& [name, times] : run->counters.fast_paths)
    if (name == vm::kFastPathNames[static_cast<std::size_t>(path)]) return times;
  return 0;
}

// Is the path taken once if `body` is compiled, and never if it is not?
bool taken_if_compiled(const std::string& body, vm::FastPath path) {
  Options compiled, plain;
  compiled.threads = plain.threads = 1;
  compiled.jit = Jit::kAlways;
  plain.jit = Jit::kOff;
  return taken(compiled, body, path) == 1 && taken(plain, body, path) == 0;
}

const std::string kSquares =
    "CONST INT 0 CONST INT 1 CONST INT 100000 MAKE_SEGDES INDEX COPY 1 0 * INT COPY 1 0 + INT "
    "CONST INT 100000 MAKE_SEGDES +_REDUCE INT";

// Programs of the gallery, but for those that ask for files.
std::vector<std::string> gallery() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(NVM_SOURCE_DIR) + "/programs"))
    if (const std::string name = entry.path().stem(); entry.path().extension() == ".nesl" &&
                                                      name != "k_means" && name != "word_count" &&
                                                      name != "mandelbrot_pgm")
      files.push_back(entry.path());
  return files;
}

std::string taken_by(const std::string& file, Options options) {
  NeslOptions nesl_options;
  options.seed = 1;
  nesl_options.vm = options;
  std::ostringstream out, err;
  Nesl nesl(nesl_options, out, err);
  INFO(err.str());
  REQUIRE(nesl.run_file(file) == NeslStatus::kOk);
  std::string text;
  const Counters ran = nesl.counters();
  for (const auto& [name, times] : ran.fast_paths)
    text += std::string(name) + " " + std::to_string(times) + "\n";
  // What was compiled shows which regions there were, and which lengths were taken to be the same.
  text += "regions " + std::to_string(ran.regions) + ", fused " + std::to_string(ran.fused) + ", kernels " +
          std::to_string(ran.kernels) + ", compiled " + std::to_string(ran.compiled) + "\n";
  return text;
}

using Watched = std::pair<const char*, std::function<void(Options&)>>;

std::vector<Watched> ways_to_watch(const std::string& trace) {
  return {{"--stats", [](Options& o) { o.count = true; }},
          {"--cost", [](Options& o) { o.cost = true; }},
          {"a profile", [](Options& o) { o.watchers = {*Profiler::make(ProfileOptions{})}; }},
          {"a trace", [=](Options& o) { o.watchers = {*Trace::open(trace)}; }},
          {"explain --show w", [](Options& o) { o.watchers = {*WhyNot::make()}; }},
          {"all of them", [=](Options& o) {
             o.count = o.cost = true;
             o.watchers = {*Profiler::make(ProfileOptions{}), *Trace::open(trace), *WhyNot::make()};
           }}};
}

}  // namespace

TEST_CASE("a run says which fast ways it went", "[lib]") {
  Options options;
  options.threads = 1;
  options.jit = Jit::kOff;
  CHECK(taken(options, kSquares, FastPath::kStripLoop) == 1);
  CHECK(taken(options, kSquares, FastPath::kKernels) == 0);
  options.jit = Jit::kAlways;
  CHECK(taken(options, kSquares, FastPath::kStripLoop) == 0);
  CHECK(taken(options, kSquares, FastPath::kKernels) > 0);
}

TEST_CASE("scans that are only reduced take one sweep in a run", "[lib]") {
  const std::string sums =
      "CONST INT 0 CONST INT 1 CONST INT 100000 MAKE_SEGDES INDEX CONST INT 100000 MAKE_SEGDES +_SCAN INT "
      "CONST INT 100000 MAKE_SEGDES MAX_REDUCE INT";
  CHECK(taken_if_compiled(sums, FastPath::kOneSweep));
}

TEST_CASE("scans of many short segments of one length take a lane for each", "[lib]") {
  const std::string powers =
      "CONST INT 0 CONST INT 1 CONST INT 32000 MAKE_SEGDES INDEX CONST INT 8 CONST INT 4000 MAKE_SEGDES DIST "
      "INT MAKE_SEGDES *_SCAN INT CONST INT 8 CONST INT 4000 MAKE_SEGDES DIST INT MAKE_SEGDES +_REDUCE INT";
  CHECK(taken_if_compiled(powers, FastPath::kLanePerSegment));
}

TEST_CASE("what fits in a byte takes narrow lanes", "[lib]") {
  std::string letters = "CONST INT (";
  for (int i = 0; i < 5000; ++i) letters += " " + std::to_string(i % 100);
  letters +=
      " ) CONST INT 7 CONST INT 5000 MAKE_SEGDES DIST INT = INT B_TO_I CONST INT 5000 MAKE_SEGDES +_REDUCE "
      "INT";
  CHECK(taken_if_compiled(letters, FastPath::kNarrowLanes));
}

TEST_CASE("neighbours are loads", "[lib]") {
  const std::string shifted =
      "CONST INT 3 CONST INT 2 CONST INT 100000 MAKE_SEGDES INDEX CONST INT 1 CONST INT 1 CONST INT 99999 "
      "MAKE_SEGDES INDEX CONST INT 100000 MAKE_SEGDES CONST INT 99999 MAKE_SEGDES BPERMUTE INT CONST INT "
      "99999 "
      "MAKE_SEGDES +_REDUCE INT";
  CHECK(taken_if_compiled(shifted, FastPath::kStretches));
}

TEST_CASE("elements that lie evenly apart are loads", "[lib]") {
  const std::string odd =
      "CONST INT 3 CONST INT 2 CONST INT 100000 MAKE_SEGDES INDEX CONST INT 1 CONST INT 2 CONST INT 50000 "
      "MAKE_SEGDES INDEX CONST INT 100000 MAKE_SEGDES CONST INT 50000 MAKE_SEGDES BPERMUTE INT CONST INT "
      "50000 MAKE_SEGDES +_REDUCE INT";
  CHECK(taken_if_compiled(odd, FastPath::kStridedLoads));
}

TEST_CASE("what long segments count up is computed row by row", "[lib]") {
  const std::string rows =
      "CONST INT 0 CONST INT 1 CONST INT 40 MAKE_SEGDES INDEX CONST INT 2 CONST INT 40 MAKE_SEGDES DIST INT "
      "CONST INT 3000 CONST INT 40 MAKE_SEGDES DIST INT MAKE_SEGDES INDEX COPY 1 0 * INT";
  CHECK(taken_if_compiled(rows, FastPath::kRows));
}

TEST_CASE("columns that are read again are read in tiles", "[lib]") {
  // 4096 times the sum of 1100 places, 64 apart, from 64 places on.
  const std::string lengths = "CONST INT 1100 CONST INT 4096 MAKE_SEGDES DIST INT MAKE_SEGDES ";
  const std::string sums =
      "CONST INT 0 CONST INT 1 CONST INT 70400 MAKE_SEGDES INDEX "
      "CONST INT 0 CONST INT 64 MAKE_SEGDES DIST INT CONST INT 1 CONST INT 64 MAKE_SEGDES DIST INT "
      "CONST INT 64 CONST INT 64 MAKE_SEGDES DIST INT MAKE_SEGDES INDEX "
      "CONST INT 64 CONST INT 4096 MAKE_SEGDES DIST INT " +
      lengths + "INDEX CONST INT 70400 MAKE_SEGDES CONST INT 4505600 MAKE_SEGDES BPERMUTE INT " + lengths +
      "+_REDUCE INT";
  CHECK(taken_if_compiled(sums, FastPath::kTiles));
}

TEST_CASE("a run that is watched goes the ways that it goes unwatched", "[lib]") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("nvm_ways_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  for (const std::string& file : gallery())
    for (const auto& [jit, threads] : {std::pair{Jit::kOff, 1}, {Jit::kOff, 2}, {Jit::kAlways, 1}})
      for (const std::int64_t threshold : {0, 2}) {
        Options options;
        options.jit = jit;
        options.threads = threads;
        options.block_threshold = threshold;
        const std::string unwatched = taken_by(file, options);
        for (const auto& [name, watch] : ways_to_watch(folder / "trace.json")) {
          Options watched = options;
          watch(watched);
          if (watched.cost && jit == Jit::kAlways && threshold > 0)
            continue;  // compiled nests and masked loops do not count their work
          INFO(file << ", " << name << ", threads " << threads << ", jit " << static_cast<int>(jit)
                    << ", groups from " << threshold);
          CHECK(taken_by(file, watched) == unwatched);
        }
      }
  std::filesystem::remove_all(folder);
}
