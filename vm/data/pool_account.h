// What a pool has of the memory that it shares with others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "bytecode/base/budget.h"

namespace nvm::vm {

class PoolAccount {
 public:
  // A pool that is made with the limit of its thread's account shares that; one without a limit is nobody's.
  void open(std::size_t limit) {
    auto account = Budget::account();
    if (account != nullptr && limit != 0 && account->limit() == limit) account_ = std::move(account);
  }
  void close(std::ptrdiff_t taken) {
    add(-taken);
    note_mapped(0);
  }
  void add(std::ptrdiff_t taken) {
    if (account_ != nullptr) account_->add_vectors(taken);
  }
  std::size_t note_mapped(std::size_t mapped) {
    if (account_ != nullptr && mapped != noted_)
      account_->add_mapped(static_cast<std::ptrdiff_t>(mapped) - static_cast<std::ptrdiff_t>(noted_));
    return noted_ = mapped;
  }
  // What others leave of the limit to a pool whose blocks have taken so much.
  [[nodiscard]] std::size_t left_of(std::size_t limit, std::ptrdiff_t taken) const {
    if (account_ == nullptr) return limit;
    const std::size_t vectors = account_->vectors(), here = taken > 0 ? static_cast<std::size_t>(taken) : 0;
    return limit - std::min(limit, account_->heap() + vectors - std::min(vectors, here));
  }

  // Whether a pool has too much; what it has is noted already, for others to see.
  [[nodiscard]] bool refuses(std::size_t limit, std::ptrdiff_t taken) const {
    const auto beyond = [&] { return taken > static_cast<std::ptrdiff_t>(left_of(limit, taken)); };
    if (limit == 0 || !beyond()) return false;
    if (account_ != nullptr) MemoryAccount::measure_heap();
    return beyond();
  }
  // Without the lock of any pool: pages that another one keeps for nobody are given back.
  void trim_others() {
    if (account_ != nullptr && account_->should_trim()) account_->trim();
  }
  // What others have, for a message; "" if that is nothing.
  [[nodiscard]] std::string others_text(std::size_t limit, std::ptrdiff_t taken) const {
    const std::size_t others = limit - left_of(limit, taken);
    return others == 0 ? "" : ", " + std::to_string(others) + " by the program itself,";
  }

 private:
  std::shared_ptr<MemoryAccount> account_;
  std::size_t noted_ = 0;
};

// With the lock of a pool nothing is refused for memory: its lists would be left in disorder.
class PoolLock {
 public:
  explicit PoolLock(std::mutex& mutex) : lock_(mutex) {}

 private:
  Budget::Exempt exempt_;
  std::lock_guard<std::mutex> lock_;
};

}  // namespace nvm::vm
