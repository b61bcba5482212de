// Elements of a caller's that nvm reads where they lie.
#pragma once

#include <cstddef>

namespace nvm::test {

// It copies elements that end less than 64 bytes before a page does (vm/lib/nvm.h): where a test's own happen
// to lie must not decide what it sees.
template <typename T, std::size_t kCount>
struct alignas(4096) Lent {
  static constexpr std::size_t kPage = 4096, kLast = (kCount * sizeof(T) - 1) % kPage;
  static_assert(kLast + 64 < kPage);
  explicit Lent(T value) {
    for (T& x : elements) x = value;
  }
  T elements[kCount];
};

}  // namespace nvm::test
