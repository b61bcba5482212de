#include "vm/split/devices.h"

#include <atomic>
#include <catch2/catch.hpp>
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
  for (const char* wrong : {"", "cpu*", "cpu*0", "cpu*-1", "cpu*65", "cpu*2x", "gpu", "cpu*2=1", "cpu*2=1:0",
                            "cpu*2=1:2:3", "cpu*2=1:", "cpu*2=", "cpu*99999999999999"}) {
    INFO(wrong);
    std::string why;
    CHECK_FALSE(vm::parse_devices(wrong, why));
    CHECK_FALSE(why.empty());
  }
}

TEST_CASE("kernels are cut by speed, where blocks begin, and short ones are not") {
  Devices devices({{1, 3}}, 1000);
  const plan::Kernel kernel;
  CHECK(devices.ends(kernel, 1999) == std::vector<std::int64_t>{1999});
  CHECK(devices.ends(kernel, 2000) == std::vector<std::int64_t>{496, 2000});
  CHECK(devices.ends(kernel, 400'001) == std::vector<std::int64_t>{98'304, 400'001});
  const std::int64_t superblock = std::int64_t{1} << 22;
  CHECK(devices.ends(kernel, 64 * superblock + 1) ==
        std::vector<std::int64_t>{16 * superblock, 64 * superblock + 1});
}

TEST_CASE("each part is run once, by its device, and beside it the others") {
  Devices devices({{1, 1, 1}});
  for (int round = 0; round < 100; ++round) {
    std::vector<std::atomic<int>> runs(3);
    std::atomic<int> waiting{0}, all_threads{0};
    devices.work(3, 6, [&](std::size_t part, int threads) {
      all_threads += threads;
      ++runs[part];
      ++waiting;
      while (waiting < 3) std::this_thread::yield();
      devices.ran(part, 10);
    });
    for (const auto& r : runs) CHECK(r == 1);
    CHECK(all_threads == 6);
  }
  for (const vm::DeviceCounters& c : devices.counters()) {
    CHECK(c.parts == 100);
    CHECK(c.iterations == 1000);
  }
}
