#include "vm/split/devices.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <thread>

using namespace nvm;
using vm::DeviceList;
using vm::Devices;

namespace {

std::vector<int> speeds(std::string_view text) {
  std::string why;
  const auto list = vm::parse_devices(text, why);
  return list ? list->speeds : std::vector<int>{};
}

}  // namespace

TEST_CASE("lists of devices") {
  CHECK(speeds("cpu") == std::vector{1});
  CHECK(speeds("cpu*3") == std::vector{1, 1, 1});
  CHECK(speeds("cpu*2=1:3") == std::vector{1, 3});
  for (const char* wrong :
       {"", "cpu*", "cpu*0", "cpu*-1", "cpu*65", "cpu*2x", "gpu", "cpu*2=1", "cpu*2=1:0", "cpu*2=1:2:3",
        "cpu*2=1:", "cpu*2=", "cpu*99999999999999", "cpu*2=1:1001", "cpu*2=0.5:0.25"}) {
    INFO(wrong);
    std::string why;
    CHECK_FALSE(vm::parse_devices(wrong, why));
    CHECK(why.find("K from 1 to 64") != std::string::npos);
    CHECK(why.find("an integer from 1 to 1000") != std::string::npos);
  }
}

TEST_CASE("kernels are cut where blocks begin, half of each by speed, and short ones are not") {
  Devices devices({{1, 3}}, 1000);
  const plan::Kernel kernel;
  CHECK(devices.ends(kernel, 1999, {}) == std::vector<std::int64_t>{1999});
  for (const std::int64_t n : {std::int64_t{2000}, std::int64_t{400'001}, std::int64_t{1} << 33}) {
    const std::vector<std::int64_t> ends = devices.ends(kernel, n, {});
    INFO(n);
    CHECK(ends.size() > 4);
    CHECK(ends.size() < 100);
    CHECK(ends.back() == n);
    CHECK(std::abs(4.0 * static_cast<double>(ends[0]) / static_cast<double>(ends[1]) - 1.0) < 0.1);
    CHECK(std::is_sorted(ends.begin(), ends.end(), std::less_equal<>()));
    const std::int64_t grain = n < 10'000 ? 8 : n < 1'000'000 ? 2048 : std::int64_t{2048} * 2048;
    for (std::size_t p = 0; p + 1 < ends.size(); ++p) CHECK(ends[p] % grain == 0);
  }
}

TEST_CASE("folds of FLOATs are cut where a segment begins, or a block of a long one") {
  Devices devices({{1, 1}}, 1000);
  plan::Kernel kernel;
  plan::Sink sink{plan::SinkKind::kSegReduce};
  sink.type = Type::kFloat;
  sink.desc = 0;
  kernel.sinks.push_back(sink);
  const std::vector<std::int64_t> offsets{0, 7, 14, 100'014, 100'021};
  const plan::Desc irregular{4, 100'021, 0, offsets.data()};
  const plan::Desc regular{10'000, 100'000, 10};
  for (const std::int64_t end : devices.ends(kernel, 100'000, std::vector{regular})) CHECK(end % 10 == 0);
  const std::vector<std::int64_t> ends = devices.ends(kernel, 100'021, std::vector{irregular});
  CHECK(ends.size() > 4);
  for (const std::int64_t end : ends) CHECK((end == 100'014 || end == 100'021 || (end - 14) % 2048 == 0));
}

TEST_CASE("whoever is free takes the next part") {
  Devices devices({{1, 1}});
  std::vector<std::atomic<int>> runs(9);
  devices.work(9, 2, [&](std::size_t part, int) -> std::int64_t {
    ++runs[part];
    while (part == 1 && runs[8] == 0) std::this_thread::yield();  // the second device is very slow
    return 1;
  });
  for (const auto& r : runs) CHECK(r == 1);
  CHECK(devices.counters()[0].parts == 8);
  CHECK(devices.counters()[1].parts == 1);
}

TEST_CASE("each part is run once, by its device, and beside it the others") {
  Devices devices({{1, 1, 1}});
  for (int round = 0; round < 100; ++round) {
    std::vector<std::atomic<int>> runs(3);
    std::atomic<int> waiting{0}, all_threads{0};
    devices.work(3, 6, [&](std::size_t part, int threads) -> std::int64_t {
      all_threads += threads;
      ++runs[part];
      ++waiting;
      while (waiting < 3) std::this_thread::yield();
      return 10;
    });
    for (const auto& r : runs) CHECK(r == 1);
    CHECK(all_threads == 6);
  }
  for (const vm::DeviceCounters& c : devices.counters()) {
    CHECK(c.parts == 100);
    CHECK(c.iterations == 1000);
  }
}

TEST_CASE("who comes while the devices work does all parts alone, however many") {
  Devices devices({{1, 1}});
  constexpr std::size_t kMany = 100'000;
  std::vector<int> runs(kMany);
  devices.work(2, 2, [&](std::size_t part, int) -> std::int64_t {
    if (part == 0) devices.work(kMany, 1, [&](std::size_t p, int) -> std::int64_t { return ++runs[p]; });
    return 1;
  });
  CHECK(std::count(runs.begin(), runs.end(), 1) == static_cast<std::ptrdiff_t>(kMany));
  const std::vector<vm::DeviceCounters> counters = devices.counters();
  CHECK(counters[0].parts + counters[1].parts == kMany + 2);
  CHECK(counters[0].iterations + counters[1].iterations == kMany + 2);
}
