#include "vm/data/extents.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <new>
#include <utility>

#include "bytecode/base/check.h"
#include "vm/data/pages.h"

namespace nvm::vm {

namespace {

constexpr std::size_t kArena = std::size_t{1} << 30;      // of addresses, not of memory
constexpr std::size_t kSomeWhole = std::size_t{4} << 20;  // what gets huge pages, if enough of them are free
constexpr std::size_t kSmallPool = std::size_t{16} << 20;
static_assert(Extents::kStep == kPage);

std::size_t total(const std::vector<std::pair<std::byte*, std::size_t>>& pieces) {
  std::size_t sum = 0;
  for (const auto& piece : pieces) sum += piece.second;
  return sum;
}

std::byte* aligned(std::byte* p, std::size_t unit) {
  return p + (unit - reinterpret_cast<std::uintptr_t>(p) % unit) % unit;
}

// Adds a range, merged with its neighbours; returns the whole.
Extents::Ranges::iterator merge(Extents::Ranges& ranges, std::byte* p, std::size_t size) {
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
    take_part(range, p, size);
    return std::exchange(p, nullptr);
  }
  return nullptr;
}

std::byte* Extents::take(std::size_t size, std::size_t fresh) {
  NVM_CHECK(size == whole_units(size), "blocks are whole units");
  reserve_nodes();
  std::byte* p = take_anywhere(size, fresh);
  if (p != nullptr) ++blocks_;
  return p;
}

std::byte* Extents::take_anywhere(std::size_t size, std::size_t fresh) {
  if (std::byte* p = take_recent(size)) return p;
  if (std::byte* p = take_fitting(size)) return p;
  if (size > fresh)
    if (std::byte* p = take_moved(size, fresh)) return p;
  std::byte* p = take_fresh(size);
  return p != nullptr || !add_arena(size) ? p : take_fresh(size);
}

// From the smallest free range that has room for it; null if none has.
std::byte* Extents::take_fitting(std::size_t size) {
  for (auto best = by_size_.lower_bound({size, nullptr}); best != by_size_.end(); ++best) {
    const auto [whole, begin] = *best;
    std::byte* const p = aligned(begin, alignment_of(size));
    if (p + size > begin + whole) continue;
    take_part(free_.find(begin), p, size);
    return p;
  }
  return nullptr;
}

void Extents::give(std::byte* p, std::size_t size) {
  --blocks_;
  add_recent(p, size);
}

void Extents::add_recent(std::byte* p, std::size_t size) {
  if (size >= kLeastRecent) {
    std::move_backward(recent_.begin(), recent_.end() - 1, recent_.end());
    recent_.front() = {p, size};
  }
  add_free(p, size);
}

void Extents::give_end(std::byte* p, std::size_t written, std::size_t untouched) {
  reserve_nodes();
  if (written != 0) add_recent(p, written);
  if (untouched == 0) return;
  merge(fresh_, p + written, untouched);
  touched_ -= untouched;
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

// Takes p .. p+size out of a free range.
void Extents::take_part(Ranges::iterator range, std::byte* p, std::size_t size) {
  const auto [begin, whole] = *range;
  remove_free(range);
  if (begin != p) add_free(begin, static_cast<std::size_t>(p - begin));
  if (begin + whole != p + size) add_free(p + size, static_cast<std::size_t>(begin + whole - (p + size)));
}

// The first fresh range that is large enough, or is so together with the free one just below it.
std::byte* Extents::take_fresh(std::size_t size) {
  for (const auto& [begin, whole] : fresh_) {
    auto lead = free_.lower_bound(begin);
    const bool follows = lead != free_.begin() && (--lead)->first + lead->second == begin;
    std::byte* const p = aligned(follows ? lead->first : begin, alignment_of(size));
    if (p + size > begin + whole) continue;
    if (p >= begin) return take_addresses(p, size);
    take_part(lead, p, static_cast<std::size_t>(begin - p));
    take_addresses(begin, static_cast<std::size_t>(p + size - begin));
    return p;
  }
  return nullptr;
}

// Fresh ones that are there.
std::byte* Extents::take_addresses(std::byte* p, std::size_t size) {
  const auto range = std::prev(fresh_.upper_bound(p));
  const auto [begin, whole] = *range;
  fresh_.erase(range);
  if (begin != p) fresh_.emplace(begin, p - begin);
  if (begin + whole != p + size) fresh_.emplace(p + size, begin + whole - (p + size));
  note_fresh(size);
  return p;
}

// Pieces of free ranges, each of one mapping and a multiple of `unit`, of `size` bytes together; the largest
// ranges first.
std::vector<Extents::Range> Extents::movable(std::size_t size, std::size_t unit) const {
  std::vector<Range> pieces;
  for (auto range = by_size_.rbegin(); size != 0 && range != by_size_.rend() && range->first >= unit;
       ++range) {
    std::byte* const end = range->second + range->first;
    for (std::byte* p = range->second; p != end && size != 0;) {
      const auto seam = seams_.upper_bound(p);
      std::byte* const stop = seam == seams_.end() ? end : std::min(end, *seam);
      std::byte* const begin = aligned(p, unit);
      p = stop;
      if (begin >= stop) continue;
      const std::size_t room = static_cast<std::size_t>(stop - begin) / unit * unit;
      const std::size_t length = std::min(room, size / unit * unit);
      if (length == 0) continue;
      pieces.emplace_back(begin, length);
      size -= length;
    }
  }
  return pieces;
}

// The first fresh addresses of this alignment; null if there are none.
std::byte* Extents::find_addresses(std::size_t size, std::size_t unit) const {
  for (const auto& [begin, whole] : fresh_) {
    std::byte* const p = aligned(begin, unit);
    if (p + size <= begin + whole) return p;
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
    take_part(std::prev(free_.upper_bound(from)), from, length);
    merge(fresh_, from, length);
    touched_ -= length;
  }
  return moved;
}

// Fresh addresses, at the beginning of which pages of free ranges are put; null if it cannot or need not be
// so. Small pieces, which take long and leave small pages, only until no more than `fresh` bytes are missing.
std::byte* Extents::take_moved(std::size_t size, std::size_t fresh) {
  if (size < kLeastMoved || !can_move_pages() || !has_seams_left()) return nullptr;
  std::size_t unit = size >= kSomeWhole ? kHugePage : kPiece;
  std::vector<Range> pieces = movable(size, unit);
  if (unit != kPiece && total(pieces) < size / 2) pieces = movable(size, unit = kPiece);
  if (total(pieces) < size / 2) return nullptr;
  reserve_nodes(pieces.size());
  unit = std::max(unit, alignment_of(size));
  std::byte* p = find_addresses(size, unit);
  if (p == nullptr && add_arena(size)) p = find_addresses(size, unit);
  if (p == nullptr) return nullptr;
  take_addresses(p, size);
  std::size_t moved = move(pieces, p);
  if (unit != kPiece && size - moved > fresh) moved += move_small(size - moved - fresh, p + moved);
  spare_huge_pages(unit == kPiece ? p + moved : p + size, p + size);
  return p;
}

// What is left in small pieces; nothing where there is no memory to list them.
std::size_t Extents::move_small(std::size_t size, std::byte* to) {
  try {
    const std::vector<Range> pieces = movable(size, kPiece);
    reserve_nodes(pieces.size());
    return move(pieces, to);
  } catch (const std::bad_alloc&) {
    return 0;
  }
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
    arenas_.reserve(arenas_.size() + 1);
    std::byte* p = map_memory(wanted);
    if (p == nullptr) continue;
    arenas_.emplace_back(p, wanted);
    seams_.insert({p, p + wanted});
    merge(fresh_, p, wanted);
    return true;
  }
  return false;
}

// Whole units, so that what stays can be moved.
void Extents::give_back(std::size_t bytes) {
  while (bytes != 0 && !by_size_.empty()) {
    const auto [whole, p] = *by_size_.rbegin();
    std::byte* const end = p + whole;
    std::byte* const least = end - std::min(bytes, whole);
    const std::size_t over =
        reinterpret_cast<std::uintptr_t>(least) % (bytes < kHugePage ? kPiece : kHugePage);
    std::byte* const from = least - std::min(over, static_cast<std::size_t>(least - p));
    const std::size_t size = static_cast<std::size_t>(end - from);
    take_part(free_.find(p), from, size);
    madvise(from, size, MADV_DONTNEED);
    merge(fresh_, from, size);
    touched_ -= size;
    bytes -= std::min(bytes, size);
  }
  if (seams_.size() > mend_at_) mend();
}

}  // namespace nvm::vm
