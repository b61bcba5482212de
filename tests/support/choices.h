// Random decisions as a list of numbers: a generator that draws from it is repeatable, and a shorter list or
// smaller numbers make a simpler object, so RapidCheck and libFuzzer can shrink what they find.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace nvm::test {

class Choices {
 public:
  explicit Choices(std::vector<std::uint32_t> numbers) : numbers_(std::move(numbers)) {}

  // A number below `n`; 0 when the list is used up.
  std::size_t below(std::size_t n) {
    if (at_ >= numbers_.size()) return 0;
    return numbers_[at_++] % n;
  }
  // True in one of `n` cases; never when the list is used up.
  bool one_in(std::size_t n) { return below(n) == n - 1 && n > 1; }
  std::uint64_t bits() {
    return std::uint64_t{below(1U << 31)} << 33 ^ std::uint64_t{below(1U << 31)} << 8 ^ below(256);
  }
  [[nodiscard]] bool empty() const { return at_ >= numbers_.size(); }

 private:
  std::vector<std::uint32_t> numbers_;
  std::size_t at_ = 0;
};

}  // namespace nvm::test
