// How much a program may still write, to its streams and files.
#pragma once

#include <cstdint>

namespace nvm::vm {

class OutputBudget {
 public:
  // Bytes; 0: no limit.
  explicit OutputBudget(std::uint64_t limit) : limit_(limit) {}
  [[nodiscard]] bool limited() const { return limit_ > 0; }
  [[nodiscard]] bool has(std::uint64_t bytes) const { return !limited() || bytes <= limit_ - written_; }
  // Before so much is written: false if it is too much; then nothing more is.
  [[nodiscard]] bool take(std::uint64_t bytes) {
    if (!has(bytes)) {
      written_ = limit_;
      return false;
    }
    written_ += bytes;
    return true;
  }

 private:
  std::uint64_t limit_;
  std::uint64_t written_ = 0;
};

}  // namespace nvm::vm
