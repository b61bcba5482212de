#include "vm/data/extents.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace nvm::vm {

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kArena = std::size_t{1} << 30;  // of addresses, not of memory

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

std::byte* map_memory(std::size_t size) {
  const bool huge = size >= kHugePage;
  const std::size_t slack = huge ? kHugePage : 0;
  void* raw =
      mmap(nullptr, size + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (raw == MAP_FAILED) return nullptr;
  auto* p = static_cast<std::byte*>(raw);
  if (huge) {
    const auto address = reinterpret_cast<std::uintptr_t>(p);
    const std::size_t skip = (kHugePage - address % kHugePage) % kHugePage;
    if (skip != 0) munmap(p, skip);
    if (skip != slack) munmap(p + skip + size, slack - skip);
    p += skip;
    madvise(p, size, MADV_HUGEPAGE);
  }
  return p;
}

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

std::byte* Extents::take(std::size_t size) {
  if (std::byte* p = take_recent(size)) return p;
  const auto best = by_size_.lower_bound({size, nullptr});
  if (best == by_size_.end()) {
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
    touched_ += size - below;
    return p - below;
  }
  return nullptr;
}

bool Extents::add_arena(std::size_t size) {
  const std::size_t least = (size + kHugePage - 1) / kHugePage * kHugePage;
  for (const std::size_t wanted : {std::max(least, kArena), least}) {
    std::byte* p = map_memory(wanted);
    if (p == nullptr) continue;
    arenas_.emplace_back(p, wanted);
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
}

}  // namespace nvm::vm
