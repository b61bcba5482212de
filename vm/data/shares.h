// Which worker takes which chunk. Each has a share of its own, neighbouring chunks, and those of others when
// it is through: so what a worker has written is read by the same one in the next loop over as many chunks,
// from its own cache. Where cores do not share a cache, as the halves of many processors, another core's
// line comes over no faster than from memory.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <span>

namespace nvm::vm {

class Shares {
 public:
  // Equal shares of chunks 0..count-1. A single one is handed out in ascending order, whoever asks.
  Shares(int workers, std::int64_t count) {
    count_ =
        static_cast<std::size_t>(std::clamp<std::int64_t>(std::min<std::int64_t>(workers, count), 1, kMost));
    for (std::size_t s = 0; s < count_; ++s) {
      const auto end = [&](std::size_t k) {
        return count * static_cast<std::int64_t>(k) / static_cast<std::int64_t>(count_);
      };
      set(s, end(s), end(s + 1));
    }
  }
  // Share s is chunks ends[s - 1] .. ends[s] - 1; at most kMost shares, at least one.
  explicit Shares(std::span<const std::int64_t> ends) : count_(ends.size()) {
    for (std::size_t s = 0; s < count_; ++s) set(s, s == 0 ? 0 : ends[s - 1], ends[s]);
  }

  // The next chunk for this worker, of its own share if that has one left; -1: all are taken.
  [[nodiscard]] std::int64_t next(int worker) {
    const std::size_t own = static_cast<std::size_t>(worker) % count_;
    for (std::size_t k = 0; k < count_; ++k) {
      Share& s = shares_[(own + k) % count_];
      const std::atomic_ref next(s.next);
      if (next.load(std::memory_order_relaxed) >= s.end) continue;
      const std::int64_t c = next.fetch_add(1);
      if (c < s.end) return c;
    }
    return -1;
  }

  static constexpr int kMost = 64;  // more workers share a share

 private:
  struct alignas(64) Share {  // a cache line: workers do not meet before they help each other
    std::int64_t next;        // atomic where workers meet; those that are not used stay unwritten
    std::int64_t end;
  };
  void set(std::size_t s, std::int64_t begin, std::int64_t end) {
    shares_[s].next = begin;
    shares_[s].end = end;
  }

  std::size_t count_ = 1;
  std::array<Share, kMost> shares_;
};

}  // namespace nvm::vm
