// Which kernels must run behind which, while kernels are still being made and in no order yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bytecode/base/at.h"

namespace nvm::plan {

class KernelOrder {
 public:
  // For at most so many kernels; at first all may run in any order.
  explicit KernelOrder(std::size_t most) : words_((most + 63) / 64), before_(most * words_) {}

  [[nodiscard]] bool behind(std::int32_t later, std::int32_t earlier) const {
    return (row(later)[at(earlier) / 64] >> (at(earlier) % 64) & 1) != 0;
  }
  // Requires: `earlier` need not run behind `later`.
  void put_behind(std::int32_t later, std::int32_t earlier);
  // The first `kernels` kernels by number, each as early as it may run, lower numbers first.
  [[nodiscard]] std::vector<std::int32_t> sorted(std::int32_t kernels) const;

 private:
  [[nodiscard]] const std::uint64_t* row(std::int32_t k) const { return before_.data() + at(k) * words_; }

  std::size_t words_;
  std::vector<std::uint64_t> before_;  // by kernel: bits of those that run before it
};

}  // namespace nvm::plan
