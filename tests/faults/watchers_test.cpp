// Every allocation fails once while a watcher is made: there is none, and nothing is thrown.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "tests/faults/failing_malloc.h"
#include "vm/lib/profile.hpp"
#include "vm/lib/record.hpp"

namespace {

using namespace nvm;

template <typename F>
void check_refusals(F make) {
  int refused = 0;
  bool some = true;
  for (long at = 1; some; ++at) {
    testing::fail_allocation(at);
    const auto watcher = make();
    some = testing::failed();
    if (watcher) continue;  // it does without
    ++refused;
    CHECK_FALSE(watcher.failure().message.empty());
  }
  CHECK(refused > 0);
}

}  // namespace

TEST_CASE("no memory while a watcher is made") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "nvm_watchers_test";
  std::filesystem::create_directories(folder);
  const std::string trace = folder / "trace", record = folder / "record";
  const std::vector<std::string> words = {"-e",
                                          "sum([1, 2, 3]) and words that are longer than a string holds"};
  check_refusals([&] { return lib::Trace::open(trace); });
  check_refusals([&] { return lib::Recording::open(record, words); });
  {
    auto recording = lib::Recording::open(record, words);
    REQUIRE(recording);
    REQUIRE((*recording)->close().empty());
  }
  check_refusals([&] { return lib::Replay::open(record); });
  check_refusals([] { return lib::Progress::make(stderr); });
  check_refusals([] { return lib::WhyNot::make(); });
  lib::ProfileOptions options;
  options.timeline = true;
  check_refusals([&] { return lib::Profiler::make(options); });
  std::filesystem::remove_all(folder);
}
