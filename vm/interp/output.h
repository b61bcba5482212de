// How much a program may still write, to its streams and files.
#pragma once

#include <atomic>
#include <cstdint>

namespace nvm::vm {

class OutputBudget {
 public:
  // Bytes; 0: no limit.
  explicit OutputBudget(std::uint64_t limit) : limit_(limit) {}
  [[nodiscard]] bool limited() const { return limit_ > 0; }
  [[nodiscard]] bool has(std::uint64_t bytes) const {
    return !limited() || bytes <= limit_ - written_.load();
  }
  // Before so much is written: false if it is too much; then nothing more is. Any thread may ask.
  [[nodiscard]] bool take(std::uint64_t bytes) {
    if (!limited()) return true;
    std::uint64_t before = written_.load();
    while (!written_.compare_exchange_weak(before, bytes <= limit_ - before ? before + bytes : limit_)) {
    }
    return bytes <= limit_ - before;
  }

 private:
  std::uint64_t limit_;
  std::atomic<std::uint64_t> written_{0};
};

}  // namespace nvm::vm
