#include "vm/data/extents.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "vm/data/pages.h"

namespace nvm::vm {

namespace {

constexpr std::size_t kArena = std::size_t{1} << 30;  // of addresses, not of memory
// Of smaller ones a call of the system costs more than a first touch.
constexpr std::size_t kLeastMoved = 256 * 1024;
constexpr std::size_t kLeastPiece = 64 * 1024;
// Huge pages are moved as a whole for blocks from the first size on if enough of them are free, and from the
// second size on only so.
constexpr std::size_t kLeastWhole = std::size_t{4} << 20;
constexpr std::size_t kOnlyWhole = std::size_t{16} << 20;
constexpr std::size_t kSmallPool = std::size_t{16} << 20;
static_assert(Extents::kStep == kPage);

std::byte* aligned(std::byte* p, std::size_t unit) {
  return p + (unit - reinterpret_cast<std::uintptr_t>(p) % unit) % unit;
}

// Adds a range, merged with its neighbours; returns the whole.
std::map<std::byte*, std::size_t>::iterator merge(std::map<std::byte*, std::size_t>& ranges, std::byte* p,
                                                  std::size_t size) {
  auto next = ranges.lower_bound(p);
  if (next != ranges.end() && p + size == next->first) {
    size += next->second;
    next = ranges.erase(next);
  }
  if (next != ranges.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == p) {
      before->second += size;
      return before;
    }
  }
  return ranges.emplace_hint(next, p, size);
}

}  // namespace

Extents::~Extents() {
  for (const auto& [p, size] : arenas_) munmap(p, size);
}

// Of exactly this size and, though perhaps merged with its neighbours, free as a whole; null if there is
// none.
std::byte* Extents::take_recent(std::size_t size) {
  for (auto& [p, given] : recent_) {
    if (p == nullptr || given != size) continue;
    auto range = free_.upper_bound(p);
    if (range == free_.begin()) continue;
    const auto [begin, whole] = *--range;
    if (begin + whole < p + size) continue;
    remove_free(range);
    if (begin != p) add_free(begin, static_cast<std::size_t>(p - begin));
    if (begin + whole != p + size) add_free(p + size, static_cast<std::size_t>(begin + whole - (p + size)));
    return std::exchange(p, nullptr);
  }
  return nullptr;
}

std::byte* Extents::take(std::size_t size, std::size_t fresh) {
  if (std::byte* p = take_recent(size)) return p;
  const auto best = by_size_.lower_bound({size, nullptr});
  if (best == by_size_.end()) {
    if (size > fresh)
      if (std::byte* p = take_moved(size)) return p;
    std::byte* p = take_fresh(size);
    return p != nullptr || !add_arena(size) ? p : take_fresh(size);
  }
  const auto [whole, p] = *best;
  remove_free(free_.find(p));
  if (whole != size) add_free(p + size, whole - size);
  return p;
}

void Extents::give(std::byte* p, std::size_t size) {
  if (size >= kLeastRecent) {
    std::move_backward(recent_.begin(), recent_.end() - 1, recent_.end());
    recent_.front() = {p, size};
  }
  add_free(p, size);
}

void Extents::give_untouched(std::byte* p, std::size_t size) {
  merge(fresh_, p, size);
  touched_ -= size;
}

void Extents::add_free(std::byte* p, std::size_t size) {
  const auto next = free_.lower_bound(p);
  if (next != free_.end() && p + size == next->first) by_size_.erase({next->second, next->first});
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == p) by_size_.erase({before->second, before->first});
  }
  const auto whole = merge(free_, p, size);
  by_size_.emplace(whole->second, whole->first);
}

void Extents::remove_free(Ranges::iterator range) {
  by_size_.erase({range->second, range->first});
  free_.erase(range);
}

// The first fresh range that is large enough together with the free one just below it.
std::byte* Extents::take_fresh(std::size_t size) {
  for (auto fresh = fresh_.begin(); fresh != fresh_.end(); ++fresh) {
    auto lead = free_.lower_bound(fresh->first);
    std::size_t below = 0;
    if (lead != free_.begin() && (--lead)->first + lead->second == fresh->first) below = lead->second;
    if (below + fresh->second < size) continue;
    const auto [p, whole] = *fresh;
    fresh_.erase(fresh);
    if (below != 0) remove_free(lead);
    if (below + whole != size) fresh_.emplace(p + (size - below), below + whole - size);
    note_fresh(size - below);
    return p - below;
  }
  return nullptr;
}

// Pieces of free ranges, each of one mapping and a multiple of `unit`, of `size` bytes together; the largest
// ranges first. None if they are less than half of it.
std::vector<Extents::Range> Extents::movable(std::size_t size, std::size_t unit) const {
  std::vector<Range> pieces;
  std::size_t sum = 0;
  for (auto range = by_size_.rbegin(); sum < size && range != by_size_.rend() && range->first >= kLeastPiece;
       ++range) {
    std::byte* const end = range->second + range->first;
    for (std::byte* p = range->second; p != end && sum < size;) {
      const auto seam = seams_.upper_bound(p);
      std::byte* const stop = seam == seams_.end() ? end : std::min(end, *seam);
      std::byte* const begin = aligned(p, unit);
      p = stop;
      if (begin >= stop) continue;
      const std::size_t room = static_cast<std::size_t>(stop - begin) / unit * unit;
      if (room < kLeastPiece) continue;
      const std::size_t length = std::min(room, size - sum);
      pieces.emplace_back(begin, length);
      sum += length;
    }
  }
  if (sum < size / 2) pieces.clear();
  return pieces;
}

// The first fresh addresses of this alignment; null if there are none.
std::byte* Extents::take_addresses(std::size_t size, std::size_t unit) {
  for (auto fresh = fresh_.begin(); fresh != fresh_.end(); ++fresh) {
    const auto [begin, whole] = *fresh;
    std::byte* const p = aligned(begin, unit);
    const std::size_t skip = static_cast<std::size_t>(p - begin);
    if (skip + size > whole) continue;
    fresh_.erase(fresh);
    if (skip != 0) fresh_.emplace(begin, skip);
    if (skip + size != whole) fresh_.emplace(p + size, whole - skip - size);
    note_fresh(size);
    return p;
  }
  return nullptr;
}

// Puts the pages of these pieces there, one after the other; the bytes moved.
std::size_t Extents::move(const std::vector<Range>& pieces, std::byte* to) {
  std::size_t moved = 0;
  for (const auto& [from, length] : pieces) {
    seams_.insert({to + moved, to + moved + length});  // whether it succeeds or not
    if (!move_pages(from, to + moved, length)) break;
    moved += length;
    const auto range = std::prev(free_.upper_bound(from));
    const auto [begin, whole] = *range;
    remove_free(range);
    if (begin != from) add_free(begin, static_cast<std::size_t>(from - begin));
    if (begin + whole != from + length)
      add_free(from + length, static_cast<std::size_t>(begin + whole - (from + length)));
    merge(fresh_, from, length);
    touched_ -= length;
  }
  return moved;
}

// Fresh addresses, at the beginning of which pages of free ranges are put; null if it cannot or need not be
// so.
std::byte* Extents::take_moved(std::size_t size) {
  if (size < kLeastMoved || !can_move_pages() || !has_seams_left()) return nullptr;
  std::size_t unit = size >= kLeastWhole ? kHugePage : kPage;
  std::vector<Range> pieces = movable(size / unit * unit, unit);
  if (pieces.empty() && unit != kPage && size < kOnlyWhole) pieces = movable(size, unit = kPage);
  if (pieces.empty()) return nullptr;
  std::byte* const p = take_addresses(size, unit);
  if (p == nullptr) return nullptr;
  const std::size_t moved = move(pieces, p);
  const std::size_t rest = size - moved;  // if small, one page of it would touch a whole huge one
  if (unit != kPage && rest < kHugePage) move(movable(rest, kPage), p + moved);
  spare_huge_pages(unit == kPage ? p + moved : p + size, p + size);
  return p;
}

// From the rest of a block, which ends at `next`, to the end of the last arena, if nothing behind it is in
// use: where pages are moved, there will be little more to touch.
void Extents::spare_huge_pages(std::byte* from, std::byte* next) {
  const auto behind = fresh_.find(next);
  if (spared_.first != nullptr || touched_ >= kSmallPool || behind == fresh_.end()) return;
  std::byte* const end = behind->first + behind->second;
  if (end != arenas_.back().first + arenas_.back().second) return;
  spared_ = {from, static_cast<std::size_t>(end - from)};
  madvise(from, spared_.second, MADV_NOHUGEPAGE);
}

void Extents::note_fresh(std::size_t size) {
  touched_ += size;
  if (spared_.first == nullptr || touched_ < kSmallPool) return;
  madvise(spared_.first, spared_.second, MADV_HUGEPAGE);
  spared_ = {};
}

bool Extents::has_seams_left() {
  constexpr std::size_t kPatience = 256;
  if (seams_.size() <= most_seams_) return true;
  if (until_mended_ > 0) {
    --until_mended_;
    return false;
  }
  mend();
  if (seams_.size() <= most_seams_) return true;
  until_mended_ = kPatience;
  return false;
}

// Fresh ranges have no pages: one mapping may take the place of the several that moves have left there.
void Extents::mend() {
  for (const auto& [p, size] : fresh_) {
    const auto first = seams_.upper_bound(p);
    const auto last = seams_.lower_bound(p + size);
    if (std::distance(first, last) <= 2) continue;  // its ends may be new ones
    renew_pages(p, size);
    seams_.erase(first, last);
    seams_.insert({p, p + size});
  }
  mend_at_ = std::max(most_seams_ / 2, seams_.size() + seams_.size() / 4);
}

bool Extents::add_arena(std::size_t size) {
  const std::size_t least = (size + kHugePage - 1) / kHugePage * kHugePage;
  for (const std::size_t wanted : {std::max(least, kArena), least}) {
    std::byte* p = map_memory(wanted);
    if (p == nullptr) continue;
    arenas_.emplace_back(p, wanted);
    seams_.insert({p, p + wanted});
    merge(fresh_, p, wanted);
    return true;
  }
  return false;
}

void Extents::give_back(std::size_t bytes) {
  while (bytes != 0 && !by_size_.empty()) {
    const auto [whole, p] = *by_size_.rbegin();
    const std::size_t steps = (std::min(bytes, whole) + kStep - 1) / kStep;
    const std::size_t size = std::min(steps * kStep, whole);
    const std::size_t left = whole - size;
    remove_free(free_.find(p));
    if (left != 0) add_free(p, left);
    madvise(p + left, size, MADV_DONTNEED);
    merge(fresh_, p + left, size);
    touched_ -= size;
    bytes -= std::min(bytes, size);
  }
  if (seams_.size() > mend_at_) mend();
}

}  // namespace nvm::vm
