// The emulated driver finds work on streams and in graphs that nothing orders, whatever order it happens to
// do it in.
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdio>
#include <functional>

#include "gpu/api/driver.h"
#include "tests/emu/device/order.h"
#include "tests/support/emu_device.h"

using namespace nvm::gpu;
using namespace nvm::testing;

namespace {

constexpr std::size_t kBytes = 256;

struct Setting {
  const Driver& driver;
  Stream one = nullptr, two = nullptr;
  DevicePointer memory = 0, other = 0;
  Event event = nullptr;

  void fill(Stream s) const { CHECK(driver.fill8(memory, 1, kBytes, s) == 0); }
  void read(Stream s) const { CHECK(driver.copy_within(other, memory, kBytes, s) == 0); }
  void order(Stream first, Stream then) const {
    CHECK(driver.event_record(event, first) == 0);
    CHECK(driver.stream_after(then, event, 0) == 0);
  }
  void finish() const {
    CHECK(driver.stream_wait(one) == 0);
    CHECK(driver.stream_wait(two) == 0);
  }
};

// True if it ends well; in a process of its own, since the emulation aborts.
bool ends_well(const std::function<void(Setting&)>& work) {
  std::string reason;
  const Driver* driver = load_driver(reason);
  REQUIRE(driver != nullptr);
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);
    static_cast<void>(std::freopen("/dev/null", "w", stderr));
    Setting s{*driver};
    const bool ready =
        driver->stream_create(&s.one, 1) == 0 && driver->stream_create(&s.two, 1) == 0 &&
        driver->event_create(&s.event, 2) == 0 && driver->allocate_async(&s.memory, kBytes, s.one) == 0 &&
        driver->allocate_async(&s.other, kBytes, s.one) == 0 && driver->stream_wait(s.one) == 0;
    if (ready) work(s);
    s.finish();
    _exit(ready ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// A graph of a fill and a copy of what was filled.
void graph(Setting& s, bool ordered) {
  const Driver& d = s.driver;
  Graph g = nullptr;
  GraphNode first = nullptr, second = nullptr;
  GraphExec ready = nullptr;
  FillNode fill;
  fill.to = s.memory;
  fill.width = kBytes;
  CopyNode copy;
  copy.to.device = s.other;
  copy.from.device = s.memory;
  copy.width = kBytes;
  REQUIRE(d.graph_create(&g, 0) == 0);
  REQUIRE(d.graph_add_fill(&first, g, nullptr, 0, &fill, nullptr) == 0);
  REQUIRE(d.graph_add_copy(&second, g, &first, ordered ? 1 : 0, &copy, nullptr) == 0);
  REQUIRE(d.graph_ready(&ready, g, 0) == 0);
  REQUIRE(d.graph_launch(ready, s.one) == 0);
}

}  // namespace

TEST_CASE("what an event, a stream or the host orders is fine") {
  control("");
  CHECK(ends_well([](Setting& s) {
    s.fill(s.one);
    s.read(s.one);
  }));
  CHECK(ends_well([](Setting& s) {
    s.fill(s.one);
    s.order(s.one, s.two);
    s.read(s.two);
  }));
  CHECK(ends_well([](Setting& s) {
    s.fill(s.one);
    s.finish();
    s.fill(s.two);
  }));
  CHECK(ends_well([](Setting& s) {  // both only read
    s.fill(s.one);
    s.order(s.one, s.two);
    s.read(s.one);
    CHECK(s.driver.copy_within(s.memory, s.memory, 0, s.one) == 0);
  }));
  CHECK(ends_well([](Setting& s) { graph(s, true); }));
}

TEST_CASE("work of two streams on the same memory is found, in whatever order it is done") {
  for (const char* order : {"", "others_first=1"}) {
    control(order);
    CHECK_FALSE(ends_well([](Setting& s) {
      s.fill(s.one);
      s.read(s.two);
    }));
    CHECK_FALSE(ends_well([](Setting& s) {
      s.read(s.one);
      s.fill(s.two);
    }));
    CHECK_FALSE(ends_well([](Setting& s) {  // the event is recorded too early
      CHECK(s.driver.event_record(s.event, s.one) == 0);
      s.fill(s.one);
      CHECK(s.driver.stream_after(s.two, s.event, 0) == 0);
      s.fill(s.two);
    }));
    CHECK_FALSE(ends_well([](Setting& s) {  // waited for before it is recorded: not waited for
      CHECK(s.driver.stream_after(s.two, s.event, 0) == 0);
      s.fill(s.one);
      CHECK(s.driver.event_record(s.event, s.one) == 0);
      s.fill(s.two);
    }));
    CHECK_FALSE(ends_well([](Setting& s) {  // freed while another stream uses it
      s.fill(s.one);
      CHECK(s.driver.free_async(s.memory, s.two) == 0);
    }));
    CHECK_FALSE(ends_well([](Setting& s) {  // memory of another stream that is not there yet
      DevicePointer fresh = 0;
      CHECK(s.driver.allocate_async(&fresh, kBytes, s.one) == 0);
      CHECK(s.driver.fill8(fresh, 0, kBytes, s.two) == 0);
    }));
    CHECK_FALSE(ends_well([](Setting& s) {
      s.fill(s.two);
      graph(s, true);
    }));
  }
  control("");
}

TEST_CASE("nodes of a graph that no path orders are found") {
  CHECK_FALSE(ends_well([](Setting& s) { graph(s, false); }));
}

TEST_CASE("cells are shared word by word, by kernels and copies") {
  const emu::Moment one{1, 1, {{1, 1}}}, two{2, 1, {{2, 1}}}, after{2, 2, {{1, 1}, {2, 2}}};
  const emu::Words changes3{{3}, {}}, changes4{{4}, {}}, reads3{{}, {3}};
  const auto second = [&](const emu::Words& first, const emu::Moment& m, const emu::Words& then) {
    emu::History history;
    CHECK(history.touch(one, !first.changed.empty(), &first).empty());
    return history.touch(m, !then.changed.empty(), &then);
  };
  CHECK(second(changes3, two, changes4).empty());
  CHECK(second(changes4, two, reads3).empty());
  CHECK(second(reads3, two, changes4).empty());
  CHECK(second(reads3, two, reads3).empty());
  CHECK(second(changes3, after, reads3).empty());
  CHECK(second(reads3, after, changes3).empty());
  CHECK_FALSE(second(changes3, two, changes3).empty());
  CHECK_FALSE(second(changes3, two, reads3).empty());
  CHECK_FALSE(second(reads3, two, changes3).empty());
  emu::History history;
  CHECK(history.touch(one, false, &reads3).empty());
  CHECK_FALSE(history.touch(two, true, nullptr).empty());
}
