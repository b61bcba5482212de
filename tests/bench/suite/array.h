// Memory as the machine prefers it, and what inputs are drawn from.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

namespace nvm::bench {

// n elements of zero in huge pages, touched. A vector's end may be read over by up to 64 bytes.
template <typename T>
class Array {
 public:
  Array() = default;
  explicit Array(std::int64_t n) : size_(n) {
    const std::size_t huge = std::size_t{2} << 20;
    const std::size_t bytes = (static_cast<std::size_t>(n) * sizeof(T) + 64 + huge - 1) / huge * huge;
    void* p = std::aligned_alloc(huge, bytes);
    if (p == nullptr) throw std::bad_alloc();
    madvise(p, bytes, MADV_HUGEPAGE);
    std::fill_n(static_cast<char*>(p), bytes, char{0});
    memory_.reset(static_cast<T*>(p));
  }
  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] T* data() const { return memory_.get(); }
  [[nodiscard]] T& operator[](std::int64_t i) const { return memory_.get()[i]; }
  [[nodiscard]] T* begin() const { return data(); }
  [[nodiscard]] T* end() const { return data() + size_; }
  [[nodiscard]] std::span<const T> all() const { return {data(), static_cast<std::size_t>(size_)}; }

 private:
  struct Free {
    void operator()(T* p) const { std::free(p); }
  };
  std::unique_ptr<T, Free> memory_;
  std::int64_t size_ = 0;
};

// Random numbers by index: the i-th of stream `stream` of a seed (finaliser of MurmurHash3).
class Draw {
 public:
  Draw(std::uint64_t seed, std::uint64_t stream) : base_(mix(seed * 0x9e3779b97f4a7c15ULL + stream + 1)) {}
  [[nodiscard]] std::uint64_t bits(std::int64_t i) const {
    return mix(base_ + 0x9e3779b97f4a7c15ULL * (static_cast<std::uint64_t>(i) + 1));
  }
  [[nodiscard]] double unit(std::int64_t i) const {
    return static_cast<double>(bits(i) >> 11) * 0x1p-53;
  }  // [0, 1)
  [[nodiscard]] std::int64_t below(std::int64_t i, std::int64_t bound) const {
    return static_cast<std::int64_t>(bits(i) % static_cast<std::uint64_t>(bound));
  }

 private:
  static std::uint64_t mix(std::uint64_t u) {
    u = (u ^ (u >> 30)) * 0xbf58476d1ce4e5b9ULL;
    u = (u ^ (u >> 27)) * 0x94d049bb133111ebULL;
    return u ^ (u >> 31);
  }
  std::uint64_t base_;
};

}  // namespace nvm::bench
