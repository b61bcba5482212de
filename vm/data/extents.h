// Address space for large blocks: ranges of any size in steps of 4 KB, best fit, free neighbours merged, so
// that memory freed in one size serves every other. Pages that were written once are handed out again before
// fresh ones, because a first touch costs more than several passes that write the elements; what was freed a
// moment ago goes first to a request of its size, because it may still be in the caches. Where no free range
// is large enough, pages of several are moved to one place: 2 MB in less than a tenth of a millisecond, while
// to touch as much for the first time takes from a third to ten. Blocks lie on whole units, which are larger
// for larger ones, so that whatever is free can be moved, and in few pieces. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "vm/data/nodes.h"
#include "vm/data/pages.h"

namespace nvm::vm {

class Extents {
 public:
  static constexpr std::size_t kStep = 4096;  // the smallest unit
  // What a block of at least `size` bytes takes.
  static constexpr std::size_t whole_units(std::size_t size) {
    return (size + unit_of(size) - 1) / unit_of(size) * unit_of(size);
  }

  // The system allows a process some 65,000 mappings.
  explicit Extents(std::size_t most_seams = 8000) : most_seams_(most_seams), mend_at_(most_seams / 2) {}
  ~Extents();
  Extents(const Extents&) = delete;
  Extents& operator=(const Extents&) = delete;

  // `size` bytes, whole units, uninitialised; null if the system has none. Throws std::bad_alloc where there
  // is none to note it; all others never fail. If some are fresh, they are the last ones. Pages of free
  // ranges are moved only where more than `fresh` bytes would be touched otherwise.
  [[nodiscard]] std::byte* take(std::size_t size, std::size_t fresh = 0);
  // `p` and `size` of a take().
  void give(std::byte* p, std::size_t size);
  // The end of a take(), from `p` on: bytes that may have been written, then bytes that needed fresh pages
  // and have not. Throws std::bad_alloc, and nothing has changed.
  void give_end(std::byte* p, std::size_t written, std::size_t untouched);
  // Gives pages of free ranges back to the system, those of the largest first, as far as there are: `bytes`,
  // rounded up to units. Their addresses stay.
  void give_back(std::size_t bytes = SIZE_MAX);
  // Bytes that have been handed out and not been given back to the system since.
  [[nodiscard]] std::size_t touched() const { return touched_; }
  // Places where one mapping of the system may end and the next begin. Who has too many moves no pages.
  [[nodiscard]] std::size_t seams() const { return seams_.size(); }

 private:
  template <typename T>
  using Set = std::set<T, std::less<>, NodeAllocator<T>>;
  using Range = std::pair<std::byte*, std::size_t>;

 public:
  using Ranges =
      std::map<std::byte*, std::size_t, std::less<>, NodeAllocator<std::pair<std::byte* const, std::size_t>>>;

 private:
  static constexpr std::size_t kPiece = 64 * 1024;  // least that is moved
  // Of smaller ones a call of the system costs more than a first touch.
  static constexpr std::size_t kLeastMoved = 256 * 1024;
  static constexpr std::size_t kLeastWhole = std::size_t{16} << 20;  // what begins with a huge page
  static constexpr std::size_t unit_of(std::size_t size) { return size < kLeastMoved ? kStep : kPiece; }
  static constexpr std::size_t alignment_of(std::size_t size) {
    return size < kLeastWhole ? unit_of(size) : kHugePage;
  }

  // Nodes for all that a take() does, where it moves so many pieces, and for every block that is given later.
  void reserve_nodes(std::size_t pieces = 0) { nodes_.reserve(16 + 5 * pieces + 3 * (blocks_ + 1)); }
  std::byte* take_anywhere(std::size_t size, std::size_t fresh);
  std::byte* take_recent(std::size_t size);
  void add_recent(std::byte* p, std::size_t size);
  void add_free(std::byte* p, std::size_t size);
  void remove_free(Ranges::iterator range);
  void take_part(Ranges::iterator range, std::byte* p, std::size_t size);
  std::byte* take_fitting(std::size_t size);
  std::byte* take_fresh(std::size_t size);
  std::byte* take_moved(std::size_t size, std::size_t fresh);
  [[nodiscard]] std::vector<Range> movable(std::size_t size, std::size_t unit) const;
  std::size_t move(const std::vector<Range>& pieces, std::byte* to);
  std::size_t move_small(std::size_t size, std::byte* to);
  [[nodiscard]] std::byte* find_addresses(std::size_t size, std::size_t unit) const;
  std::byte* take_addresses(std::byte* p, std::size_t size);
  // In a small pool, a huge page that a block only begins weighs more than first touches of small ones.
  void spare_huge_pages(std::byte* from, std::byte* next);
  void note_fresh(std::size_t size);
  bool add_arena(std::size_t size);
  [[nodiscard]] bool has_seams_left();
  void mend();

  Nodes nodes_;
  std::size_t blocks_ = 0;                                 // taken and not given
  Ranges free_{Ranges::allocator_type(nodes_)};            // written once, by address
  using BySize = Set<std::pair<std::size_t, std::byte*>>;  // the same, by size
  BySize by_size_{BySize::allocator_type(nodes_)};
  Ranges fresh_{Ranges::allocator_type(nodes_)};  // no pages behind them
  static constexpr std::size_t kRecent = 4;
  static constexpr std::size_t kLeastRecent = std::size_t{1} << 20;  // bytes: threads keep smaller ones
  std::array<Range, kRecent> recent_{};                              // as given, the last one first
  std::vector<Range> arenas_;
  Set<std::byte*> seams_{Set<std::byte*>::allocator_type(nodes_)};
  std::size_t most_seams_;
  std::size_t mend_at_;           // where memory is given back: from so many seams on
  std::size_t until_mended_ = 0;  // where there are too many: blocks before it is tried again
  std::size_t touched_ = 0;
  Range spared_ = {};  // fresh pages here are small ones
};

}  // namespace nvm::vm
