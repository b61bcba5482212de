#include "bytecode/base/budget.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <limits>
#include <thread>

using nvm::Budget;
using nvm::Cancelled;
using nvm::MemoryAccount;

namespace {

// How many checks pass before one throws; -1: none of many does.
int checks_until_spent() {
  constexpr int kMany = 1000;
  for (int i = 0; i < kMany; ++i) try {
      nvm::check_budget();
    } catch (const Cancelled&) {
      return i;
    } catch (const nvm::OutOfMemory&) {
      return i;
    }
  return -1;
}

// Bytes of a heap that somebody counts.
struct Heap {
  explicit Heap(std::ptrdiff_t bytes) {
    nvm::heap_counted = true;
    nvm::heap_bytes = bytes;
  }
  ~Heap() {
    nvm::heap_counted = false;
    nvm::heap_bytes = 0;
  }
};

}  // namespace

TEST_CASE("work without a budget has no limits") {
  CHECK(checks_until_spent() == -1);
  CHECK(Budget::seconds_left() == std::numeric_limits<double>::infinity());
  CHECK(Budget::account() == nullptr);
  Budget::heap_grows(SIZE_MAX / 2);
}

TEST_CASE("a deadline that has come ends the next hundred checks, on its thread only") {
  const Budget budget(nullptr, 1e-9);
  CHECK(checks_until_spent() < 100);
  try {
    Budget::look();
    FAIL("out of time");
  } catch (const Cancelled& spent) {
    CHECK(spent.why == Cancelled::Why::kTime);
  }
  int elsewhere = 0;
  std::thread([&] { elsewhere = checks_until_spent(); }).join();
  CHECK(elsewhere == -1);
}

TEST_CASE("numbers of seconds that no clock can tell are no limit") {
  for (const double seconds : {0.0, -1.0, 1e18, std::numeric_limits<double>::infinity()}) {
    const Budget budget(nullptr, seconds);
    CHECK(checks_until_spent() == -1);
  }
  const Budget budget(nullptr, std::numeric_limits<double>::quiet_NaN());
  CHECK(checks_until_spent() == -1);
}

TEST_CASE("a budget inside another one has no more than that") {
  std::atomic<bool> asked{false};
  const Budget outer(nullptr, 1e6, &asked);
  {
    const Budget inner(nullptr, 2e6);
    CHECK(Budget::seconds_left() < 1.5e6);
    CHECK(checks_until_spent() == -1);
    asked = true;
    CHECK(checks_until_spent() < 100);
    asked = false;
  }
  {
    const Budget inner(nullptr, 1e-9);
    CHECK(checks_until_spent() < 100);
  }
  CHECK(checks_until_spent() == -1);
}

TEST_CASE("vectors and the heap share an account") {
  constexpr std::ptrdiff_t kMega = 1 << 20, kFree = MemoryAccount::kFreeHeap;
  const Heap heap(kFree);
  const auto account = std::make_shared<MemoryAccount>(100 * kMega);
  const Budget budget(account);
  CHECK(account->heap() == 0);
  account->add_vectors(60 * kMega);
  CHECK(account->allows(40 * kMega));
  CHECK_FALSE(account->allows(40 * kMega + 1));
  CHECK(checks_until_spent() == -1);
  nvm::heap_bytes = kFree + 40 * kMega;
  CHECK(checks_until_spent() == -1);
  nvm::heap_bytes = kFree + 40 * kMega + 1;
  CHECK(checks_until_spent() < 100);
  account->add_vectors(-kMega);
  CHECK(checks_until_spent() == -1);
}

TEST_CASE("pages that no vector needs are given back where the heap wants them") {
  constexpr std::ptrdiff_t kMega = 1 << 20, kFree = MemoryAccount::kFreeHeap;
  const Heap heap(kFree + 50 * kMega);
  const auto account = std::make_shared<MemoryAccount>(100 * kMega);
  int trims = 0;
  const MemoryAccount::Trimmer trimmer(account, [&] { ++trims; });
  const Budget budget(account);
  account->add_mapped(50 * kMega);
  Budget::look();
  CHECK(trims == 0);
  account->add_mapped(1);
  Budget::look();
  CHECK(trims == 1);
  {
    const MemoryAccount::Trimmer another(account, [&] { trims += 10; });
    Budget::look();
    CHECK(trims == 12);
  }
  Budget::look();
  CHECK(trims == 13);
}

TEST_CASE("budgets end in any order") {
  const auto account = std::make_shared<MemoryAccount>(0);
  auto outer = std::make_unique<Budget>(account, 1000.0), middle = std::make_unique<Budget>(nullptr, 100.0),
       inner = std::make_unique<Budget>(nullptr, 10.0);
  outer.reset();
  CHECK(Budget::current() == inner.get());
  CHECK(Budget::account() == account);
  inner.reset();
  CHECK(Budget::current() == middle.get());
  CHECK(Budget::seconds_left() > 50);
  middle.reset();
  CHECK(Budget::current() == nullptr);
}

TEST_CASE("the heap grows a little beyond the limit at once, and by no large block") {
  constexpr std::ptrdiff_t kMega = 1 << 20, kFree = MemoryAccount::kFreeHeap;
  const Heap heap(kFree + 101 * kMega);
  const Budget budget(std::make_shared<MemoryAccount>(100 * kMega));
  Budget::heap_grows(1000);
  CHECK_THROWS_AS(Budget::heap_grows(kMega), nvm::OutOfMemory);
  {
    const Budget::Exempt exempt;
    Budget::heap_grows(kMega);
  }
  nvm::heap_bytes = kFree + 112 * kMega;
  CHECK_THROWS_AS(Budget::heap_grows(1000), std::bad_alloc);
}
