// How long and how large things may be: the one place where lengths are bounded and multiplied by sizes, so
// that no product wraps around. Whatever makes a vector or a descriptor asks is_length(); whatever asks for
// memory says ByteCount::of(how many, of what size).
#pragma once

#include <cstddef>
#include <cstdint>

namespace nvm {

// Vectors, descriptors and their totals have fewer elements than this. No memory holds as many, and bytes,
// places and sums over many threads of what is shorter fit 64 bits.
inline constexpr std::int64_t kTooLong = std::int64_t{1} << 46;

[[nodiscard]] constexpr bool is_length(std::int64_t n) { return n >= 0 && n < kTooLong; }

// Elements of `segments` segments of `each`, and of two parts; kTooLong where one of the operands or the
// result is no length.
[[nodiscard]] constexpr std::int64_t length_of_all(std::int64_t segments, std::int64_t each) {
  std::int64_t all = 0;
  const bool fits = is_length(segments) && is_length(each) && !__builtin_mul_overflow(segments, each, &all);
  return fits && is_length(all) ? all : kTooLong;
}
[[nodiscard]] constexpr std::int64_t length_of_both(std::int64_t a, std::int64_t b) {
  return is_length(a) && is_length(b) && is_length(a + b) ? a + b : kTooLong;
}

// Bytes of memory; more than any memory has, instead of a product or sum that would wrap around.
class ByteCount {
 public:
  constexpr explicit ByteCount(std::size_t bytes) : bytes_(bytes < kTooMany ? bytes : kTooMany) {}
  // n elements of `size` bytes.
  [[nodiscard]] static constexpr ByteCount of(std::int64_t n, std::size_t size) {
    std::size_t bytes = 0;
    const bool fits = is_length(n) && !__builtin_mul_overflow(static_cast<std::size_t>(n), size, &bytes);
    return ByteCount(fits ? bytes : kTooMany);
  }
  template <typename T>
  [[nodiscard]] static constexpr ByteCount of(std::int64_t n) {
    return of(n, sizeof(T));
  }
  [[nodiscard]] constexpr ByteCount operator+(std::size_t more) const {
    return ByteCount(more < kTooMany ? bytes_ + more : kTooMany);
  }
  [[nodiscard]] constexpr std::size_t get() const { return bytes_; }

 private:
  static constexpr std::size_t kTooMany = std::size_t{1} << 62;
  std::size_t bytes_;
};

}  // namespace nvm
