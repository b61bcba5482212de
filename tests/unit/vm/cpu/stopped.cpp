// A run that is stopped while a chunk waits to be told where it starts.
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "tests/support/isas.h"
#include "tests/support/plan_writer.h"

namespace {

using namespace nvm;
using vm::cpu::Isa;

constexpr std::int64_t kUntouched = -0x5A5A5A5A5A5A5A5A;

// The first thread that asks, which is with a chunk in hand, sleeps; when another has asked so often that it
// must be waiting for the sleeper's chunk, the run is cancelled, and the sleeper wakes. It gives up
// after two minutes without the other.
class StoppingHost final : public plan::Host {
 public:
  explicit StoppingHost(bool stops) : stops_(stops) {}
  void* allocate(plan::VarId /*var*/, Storage /*storage*/, std::int64_t length) override {
    result.assign(static_cast<std::size_t>(length), kUntouched);
    return result.data();
  }
  void release(plan::VarId /*var*/) override {}
  void begin_share() override { shared_ = true; }
  [[nodiscard]] bool cancelled() const override {
    if (!stops_ || !shared_ || stop_) return stop_;
    std::thread::id nobody;
    const std::thread::id me = std::this_thread::get_id();
    if (sleeper_.compare_exchange_strong(nobody, me)) {
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(120);
      while (!stop_ && std::chrono::steady_clock::now() < end) std::this_thread::yield();
      return stop_;
    }
    constexpr int kWaits = 1000;  // chunks and blocks are fewer
    if (++asked_ > kWaits) stop_ = true;
    return stop_;
  }
  [[nodiscard]] bool waited() const { return stop_; }
  std::vector<std::int64_t> result;

 private:
  bool stops_;
  std::atomic<bool> shared_{false};  // chunks are handed out
  mutable std::atomic<std::thread::id> sleeper_{};
  mutable std::atomic<int> asked_{0};
  mutable std::atomic<bool> stop_{false};
};

// The indices of the even elements of a space.
struct Filtered : testing::PlanWriter {
  explicit Filtered(std::int64_t n) : PlanWriter(IntBits::k64, n) {
    const std::int32_t i = w.index();
    const std::int32_t even =
        w.apply(Scalar::kEq, Type::kBool, w.apply(Scalar::kAnd, Type::kInt, i, w.number(1)), w.number(0));
    const std::int32_t count = add_sink(plan::SinkKind::kCount, even, Type::kBool);
    kernel.sinks.back().out_length = 2;
    store(i, Type::kInt, Storage::kI64, 2, count);
  }
};

// Cancelled when it has been asked a few times.
class SoonStopped final : public plan::Host {
 public:
  void* allocate(plan::VarId /*var*/, Storage /*storage*/, std::int64_t length) override {
    result.assign(static_cast<std::size_t>(length), kUntouched);
    return result.data();
  }
  void release(plan::VarId /*var*/) override {}
  [[nodiscard]] bool cancelled() const override { return ++asked_ > 3; }
  std::vector<std::int64_t> result;

 private:
  mutable std::atomic<int> asked_{0};
};

}  // namespace

TEST_CASE("a loop that leaves nothing but what it writes looks up between few elements") {
  testing::PlanWriter map(IntBits::k64, std::int64_t{1} << 21);
  const std::int32_t twice = map.w.apply(Scalar::kAdd, Type::kInt, map.w.index(), map.w.index());
  map.store(twice, Type::kInt, Storage::kI64, 0, soac::kNone);
  const plan::Plan plan = map.finished();
  for (const Isa isa : testing::isas()) {
    const auto code = testing::compiled(plan, isa);
    std::vector<std::int64_t> lengths = map.bindings.lengths;
    std::vector<plan::Array> arrays(plan.vars.size());
    std::vector<plan::Desc> descs(plan.vars.size());
    SoonStopped host;
    CHECK(code->run({arrays, descs, lengths, &host, 1}) == plan::RunStatus::kCancelled);
    const auto untouched = std::count(host.result.begin(), host.result.end(), kUntouched);
    CHECK(untouched > std::int64_t{1} << 20);
    CHECK(untouched < std::int64_t{1} << 21);
  }
}

TEST_CASE("a chunk that was never told where it starts puts nothing in place") {
  if (std::thread::hardware_concurrency() < 2) {
    std::printf("skipped 1 test, chunks that wait: one processor\n");
    return;
  }
  Filtered filtered(300'000);
  const plan::Plan plan = filtered.finished();
  for (const Isa isa : testing::isas()) {
    const auto code = testing::compiled(plan, isa);
    // What an earlier run has left in the notes of its chunks is nobody's place either.
    for (const bool stopped : {false, true}) {
      std::vector<std::int64_t> lengths = filtered.bindings.lengths;
      std::vector<plan::Array> arrays(plan.vars.size());
      std::vector<plan::Desc> descs(plan.vars.size());
      StoppingHost host(stopped);
      const auto status = code->run({arrays, descs, lengths, &host, 2});
      if (!stopped) continue;
      REQUIRE(host.waited());
      CHECK(status == plan::RunStatus::kCancelled);
      std::int64_t wrong = 0;
      for (std::size_t k = 0; k < host.result.size(); ++k)
        wrong += host.result[k] != kUntouched && host.result[k] != 2 * static_cast<std::int64_t>(k) ? 1 : 0;
      CHECK(wrong == 0);
    }
  }
}
