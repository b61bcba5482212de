// Address space for large blocks: ranges of any size in steps of 4 KB, best fit, free neighbours merged, so
// that memory freed in one size serves every other. Pages that were written once are handed out again before
// fresh ones, because a first touch costs more than several passes that write the elements; what was freed a
// moment ago goes first to a request of its size, because it may still be in the caches. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace nvm::vm {

class Extents {
 public:
  static constexpr std::size_t kStep = 4096;  // sizes and addresses are multiples of it

  Extents() = default;
  ~Extents();
  Extents(const Extents&) = delete;
  Extents& operator=(const Extents&) = delete;

  // `size` bytes, uninitialised; null if the system has none.
  [[nodiscard]] std::byte* take(std::size_t size);
  // True if take(size) needs no fresh page.
  [[nodiscard]] bool has(std::size_t size) const {
    return by_size_.lower_bound({size, nullptr}) != by_size_.end();
  }
  // `p` and `size` of a take().
  void give(std::byte* p, std::size_t size);
  // The same for the last part of a take() that no one has written and that needed fresh pages.
  void give_untouched(std::byte* p, std::size_t size);
  // Gives pages of free ranges back to the system, those of the largest first, as far as there are: `bytes`,
  // rounded up to steps. Their addresses stay.
  void give_back(std::size_t bytes = SIZE_MAX);
  // Bytes that have been handed out and not been given back to the system since.
  [[nodiscard]] std::size_t touched() const { return touched_; }

 private:
  using Ranges = std::map<std::byte*, std::size_t>;

  std::byte* take_recent(std::size_t size);
  void add_free(std::byte* p, std::size_t size);
  void remove_free(Ranges::iterator range);
  std::byte* take_fresh(std::size_t size);
  bool add_arena(std::size_t size);

  Ranges free_;                                           // written once, by address
  std::set<std::pair<std::size_t, std::byte*>> by_size_;  // the same, by size
  Ranges fresh_;                                          // no pages behind them
  static constexpr std::size_t kRecent = 4;
  static constexpr std::size_t kLeastRecent = std::size_t{1} << 20;   // bytes: threads keep smaller ones
  std::array<std::pair<std::byte*, std::size_t>, kRecent> recent_{};  // as given, the last one first
  std::vector<std::pair<std::byte*, std::size_t>> arenas_;
  std::size_t touched_ = 0;
};

// Anonymous memory from the system, with huge pages if `size` allows; null if there is none.
[[nodiscard]] std::byte* map_memory(std::size_t size);

}  // namespace nvm::vm
