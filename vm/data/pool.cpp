// Blocks and where they come from
//   block   = header (64 bytes) | colour gap | elements | 64 bytes of padding.
//   small   (<= 16 KB): classes, four sizes per power of two, from 256 bytes, so that at most a fifth of a
//           block is waste. A list per class in the thread's cache; refilled from and spilled to the shared
//           lists. Carved from regions that grow and stay.
//   large   whole units, best fit among the free ones (extents.h), under the lock. The last few that a thread
//           has freed it keeps for itself if they are small enough for its cache and a small part of the
//           peak: of another thread's memory every line would have to come over.
// Free ranges too small for a large block: their pages are moved to it (extents.h), or given back to the
// system, when with fresh ones too much would be kept.
//
// The colour gap shifts the elements of large blocks by a few cache lines, so that operands of one
// instruction do not all start in the same cache set.
//
// TRIED: size classes for large blocks too. A program whose vectors shrink and grow (Barnes-Hut) then touches
// twice the memory that is live at its peak.
#include "vm/data/pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "bytecode/base/check.h"
#include "bytecode/base/per_thread.h"
#include "vm/data/extents.h"
#include "vm/data/guard_pages.h"
#include "vm/data/pages.h"
#include "vm/data/pool_account.h"
#include "vm/data/size_classes.h"
#include "vm/data/sums.h"
#include "vm/data/thread_cache.h"

namespace nvm::vm {

namespace {

constexpr std::size_t kHeader = 64;
constexpr std::size_t kPadding = 64;
constexpr std::size_t kLargestRegion = std::size_t{8} << 20;
constexpr std::size_t kLargest = std::size_t{1} << 46;
constexpr std::size_t kColours = 8;
constexpr std::size_t kColourStep = 5 * 64;
static_assert(sizeof(Buffer) <= kHeader);

// No class: Buffer::size_class of large blocks, plus how many of their first pages had been in use before.
constexpr std::uint32_t kLargeClass = kSmallClasses;
constexpr std::uint32_t kGuardedClass = UINT32_MAX;

constexpr std::ptrdiff_t kStatSlack = 1 << 20;
constexpr std::size_t kCachedBytesPerClass = 128 * 1024, kKeptBytes = 768 * 1024;  // of the largest of them
constexpr std::size_t kKeptShare = 32;          // part of the peak that a thread may keep
constexpr std::size_t kLeastKept = 256 * 1024;  // if that is less
// Hundredths of the peak above which free pages are moved, or else given back, for fresh ones.
constexpr std::size_t kMovesFrom = 115, kMostKept = 145;
constexpr std::size_t kAlwaysKept = std::size_t{4} << 20;

// Bytes of a large block at `b` for `capacity` bytes of elements. The gap depends on the address alone.
std::size_t colour_gap(const Buffer* b) {
  const std::uint64_t page = reinterpret_cast<std::uintptr_t>(b) / Extents::kStep;
  return static_cast<std::size_t>(page * 0x9E3779B97F4A7C15 >> 61) * kColourStep;
}
constexpr std::size_t large_size(std::size_t capacity) {
  constexpr std::size_t kOverhead = kHeader + kPadding + (kColours - 1) * kColourStep;
  return Extents::whole_units(capacity + kOverhead);
}

}  // namespace

struct Pool::Impl {
  std::uint64_t id = 0;
  Pool* self = nullptr;
  std::size_t limit = 0;
  PoolAccount charged;                                    // whom it shares its limit with
  std::size_t most = wants_guard_pages() ? 0 : kLargest;  // bytes of a block from the lists
  std::ptrdiff_t stat_slack = kStatSlack;
  std::atomic<std::uint64_t> fail{0};
  std::atomic<std::size_t> may_keep{kLeastKept};  // bytes of large blocks, of a thread

  std::mutex mutex;  // guards the rest
  std::ptrdiff_t live = 0;
  std::ptrdiff_t peak = 0;
  std::ptrdiff_t taken = 0;  // what blocks take, which is charged: small ones for good, large ones in use
  std::size_t carved = 0;    // bytes of regions
  std::size_t mapped_peak = 0;
  std::uint64_t allocations = 0;
  std::uint64_t from_system = 0;
  std::array<FreeList, kSmallClasses> lists;
  std::vector<std::pair<std::byte*, std::size_t>> regions;
  std::byte* bump = nullptr;
  std::byte* bump_end = nullptr;
  std::size_t next_region = 256 * 1024;
  Extents large;

  class Room;
  BufferRef allocate(std::size_t bytes);
  void release(Buffer* b);
  void shrink(Buffer* b, std::size_t bytes);

  BufferRef allocate_apart(std::size_t bytes);
  BufferRef hand_out(Buffer* b, std::size_t capacity);
  Buffer* allocate_shared(std::uint32_t c, std::size_t capacity);
  Buffer* carve(std::uint32_t c);
  Buffer* take_large(std::size_t capacity);
  void give_large(Buffer* b);
  void give_kept();
  void give_back() {
    give_kept();
    large.give_back();
    charged.note_mapped(mapped());
  }
  Buffer* take_cached(std::uint32_t c, std::size_t& capacity);
  void release_large(Buffer* b);
  void refill(std::uint32_t c);
  [[nodiscard]] std::size_t mapped() const {
    return carved - static_cast<std::size_t>(bump_end - bump) + large.touched();
  }
  [[nodiscard]] std::size_t allowance(std::size_t capacity, std::size_t hundredths) const;
  void note_mapped() { mapped_peak = std::max(mapped_peak, charged.note_mapped(mapped())); }
  void account(std::ptrdiff_t bytes);
  void charge(std::ptrdiff_t bytes) {
    taken += bytes;
    charged.add(bytes);
  }
  void note_peak(std::ptrdiff_t bytes);
  [[noreturn]] void out_of_memory(std::size_t wanted) const;
};

namespace {

constinit thread_local ThreadCache t_cache;
constinit thread_local std::uint64_t t_allocations = 0;

// Pools that exist, so that a thread can return its cache to a pool that may have gone meanwhile.
std::mutex g_pools_mutex;
std::unordered_map<std::uint64_t, Pool::Impl*>& pools() {
  static auto* const map = new std::unordered_map<std::uint64_t, Pool::Impl*>;
  return *map;
}

void settle(Pool::Impl& pool) {  // with the lock of `pool`
  ThreadCache& t = t_cache;
  pool.note_peak(pool.live + t.peak);
  pool.live += t.live;
  pool.charge(t.large);
  pool.allocations += t.allocations;
  t.live = t.peak = t.large = 0;
  t.allocations = 0;
}

void empty_cache() {
  ThreadCache& t = t_cache;
  if (t.pool_id == 0) return;
  const std::lock_guard pools_lock(g_pools_mutex);
  if (const auto it = pools().find(t.pool_id); it != pools().end()) {
    Pool::Impl& pool = *it->second;
    const PoolLock lock(pool.mutex);
    settle(pool);
    for (std::uint32_t c = 0; c < kSmallClasses; ++c)
      while (t.lists[c].head != nullptr) pool.lists[c].push(t.lists[c].pop());
    pool.give_kept();
  }
  t = ThreadCache{};
}

// Makes the thread's cache that of `pool`.
[[gnu::noinline]] void adopt(const Pool::Impl& pool) {
  static const AtThreadEnd kAtEnd([](void*) { empty_cache(); });
  kAtEnd.note(&t_cache);  // what is not noted stays with the pool
  empty_cache();
  t_cache.pool_id = pool.id;
}

}  // namespace

void Pool::Impl::out_of_memory(std::size_t wanted) const {
  std::string text = "ran out of vector memory: " + std::to_string(wanted) + " more bytes wanted, " +
                     std::to_string(taken) + " in use";
  text += charged.others_text(limit, taken);
  if (limit != 0) text += " of " + std::to_string(limit) + " allowed; raise --memory";
  throw Fault{Fault::Kind::kMemory, std::move(text)};
}

// These hundredths of what the program needs at its peak, or now with `capacity` bytes more.
std::size_t Pool::Impl::allowance(std::size_t capacity, std::size_t hundredths) const {
  const auto needed = static_cast<std::size_t>(std::max<std::ptrdiff_t>(
      {peak, live + static_cast<std::ptrdiff_t>(capacity), static_cast<std::ptrdiff_t>(kAlwaysKept)}));
  return needed / 100 * hundredths;
}

Buffer* Pool::Impl::take_large(std::size_t capacity) {
  const std::size_t size = large_size(capacity);
  const std::size_t wanted = allowance(capacity, kMovesFrom);
  std::size_t before = large.touched();
  std::byte* p = large.take(size, wanted - std::min(wanted, mapped()));
  if (p == nullptr) {
    give_back();
    before = large.touched();
    if ((p = large.take(size)) == nullptr) return nullptr;
  }
  const std::size_t fresh = large.touched() - before;
  if (fresh != 0) {
    ++from_system;
    if (mapped() > (limit != 0 ? charged.left_of(limit, taken + static_cast<std::ptrdiff_t>(size))
                               : physical_bytes() / 4 * 3))
      give_back();
    large.give_back(mapped() - std::min(mapped(), allowance(capacity, kMostKept)));
  }
  note_mapped();
  auto* b = new (p) Buffer;
  const std::size_t warm = (size - fresh) / Extents::kStep;
  b->bytes = p + kHeader + colour_gap(b);
  b->size_class = kLargeClass + static_cast<std::uint32_t>(std::min<std::size_t>(warm, 1U << 31));
  return b;
}

Buffer* Pool::Impl::carve(std::uint32_t c) {
  const std::size_t size = class_size(c);
  if (static_cast<std::size_t>(bump_end - bump) < size) {
    const std::size_t region = std::max(next_region, size);
    regions.reserve(regions.size() + 1);
    std::byte* p = map_memory(region);
    if (p == nullptr) return nullptr;
    ++from_system;
    carved += region;
    regions.emplace_back(p, region);
    bump = p;
    bump_end = p + region;
    next_region = std::min(region * 2, kLargestRegion);
  }
  auto* b = new (bump) Buffer;
  b->bytes = bump + kHeader;
  b->size_class = c;
  bump += size;
  charge(static_cast<std::ptrdiff_t>(size));
  note_mapped();
  return b;
}

// Moves a few blocks of a small class into the thread's cache; at least one unless memory has run out.
void Pool::Impl::refill(std::uint32_t c) {
  ThreadCache& t = t_cache;
  const std::size_t batch = std::clamp<std::size_t>(8192 / std::max(class_size(c), class_size(0)), 1, 16);
  for (std::size_t i = 0; i < batch; ++i) {
    Buffer* b = lists[c].head != nullptr ? lists[c].pop() : carve(c);
    if (b == nullptr) return;
    t.lists[c].push(b);
  }
}

// Room for a block, as long as this lives: taken before it is looked whether there is any, since other pools
// take from the same.
class Pool::Impl::Room {
 public:
  Room(Impl& pool, std::size_t bytes, std::size_t wanted)
      : pool_(pool), bytes_(static_cast<std::ptrdiff_t>(bytes)) {
    if (pool.fail.load(std::memory_order_relaxed) != 0 && --pool.fail == 0) pool.out_of_memory(wanted);
    if (bytes == 0) return;
    pool.charged.add(bytes_);
    if (!pool.charged.refuses(pool.limit, pool.taken + bytes_)) return;
    pool.charged.add(-bytes_);
    pool.out_of_memory(wanted);
  }
  ~Room() { pool_.charged.add(-bytes_); }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

 private:
  Impl& pool_;
  std::ptrdiff_t bytes_;
};

Buffer* Pool::Impl::allocate_shared(std::uint32_t c, std::size_t capacity) {
  const PoolLock lock(mutex);
  if (t_cache.pool_id == id) settle(*this);
  const bool small = c < kSmallClasses;
  const std::size_t taken_more = !small ? large_size(capacity) : lists[c].head != nullptr ? 0 : class_size(c);
  const Room room(*this, taken_more, capacity);
  Buffer* b = nullptr;
  if (small) {
    refill(c);
    if (t_cache.lists[c].head != nullptr) b = t_cache.lists[c].pop();
  } else {
    b = take_large(capacity);
  }
  if (b == nullptr) out_of_memory(capacity);
  if (!small) charge(static_cast<std::ptrdiff_t>(taken_more));
  account(static_cast<std::ptrdiff_t>(capacity));
  ++allocations;
  return b;
}

void Pool::Impl::note_peak(std::ptrdiff_t bytes) {
  if (bytes <= peak) return;
  peak = bytes;
  may_keep.store(std::max(static_cast<std::size_t>(peak) / kKeptShare, kLeastKept),
                 std::memory_order_relaxed);
}

void Pool::Impl::account(std::ptrdiff_t bytes) {
  live += bytes;
  note_peak(live);
}

// From the thread's cache; `capacity` becomes that of a large block. Null if it has none or must settle.
Buffer* Pool::Impl::take_cached(std::uint32_t c, std::size_t& capacity) {
  ThreadCache& t = t_cache;
  const bool small = c < kSmallClasses;
  if (!small && capacity > kKeptBytes) return nullptr;
  if (t.pool_id != id) [[unlikely]]
    adopt(*this);
  if (fail.load(std::memory_order_relaxed) != 0 || t.live >= stat_slack) return nullptr;
  Buffer* b = nullptr;
  if (!small)
    b = t.take_kept(capacity);
  else if (t.lists[c].head != nullptr)
    b = t.lists[c].pop();
  if (b == nullptr) return nullptr;
  if (!small) t.large += static_cast<std::ptrdiff_t>(large_size(capacity = b->capacity));
  t.live += static_cast<std::ptrdiff_t>(capacity);
  t.peak = std::max(t.peak, t.live);
  ++t.allocations;
  return b;
}

// Too much, or a guarded block.
BufferRef Pool::Impl::allocate_apart(std::size_t bytes) {
  const PoolLock lock(mutex);
  if (bytes > kLargest) out_of_memory(bytes);
  const Room room(*this, bytes, bytes);
  Buffer* b = map_guarded(bytes);
  if (b == nullptr) out_of_memory(bytes);
  b->size_class = kGuardedClass;
  charge(static_cast<std::ptrdiff_t>(b->capacity));
  account(static_cast<std::ptrdiff_t>(b->capacity));
  ++allocations;
  return hand_out(b, b->capacity);
}

BufferRef Pool::Impl::allocate(std::size_t bytes) {
  if (bytes > most) [[unlikely]]
    return allocate_apart(bytes);
  std::size_t capacity = (bytes + 63) & ~std::size_t{63};
  const std::uint32_t c = std::min(class_of(capacity + kHeader + kPadding), kLargeClass);
  Buffer* b = take_cached(c, capacity);
  if (b != nullptr) return hand_out(b, capacity);
  BufferRef taken = hand_out(allocate_shared(c, capacity), capacity);
  if (c == kLargeClass) charged.trim_others();
  return taken;
}

BufferRef Pool::Impl::hand_out(Buffer* b, std::size_t capacity) {
  ++t_allocations;
  b->refs.store(1, std::memory_order_relaxed);
  b->capacity = capacity;
  b->pool = self;
  b->release = nullptr;
  b->run = 0;
  b->user = nullptr;
  return BufferRef(b);
}

void Pool::Impl::release(Buffer* b) {
  const std::uint32_t c = b->size_class;
  ThreadCache& t = t_cache;
  if (c < kSmallClasses) {
    if (t.pool_id != id) [[unlikely]]
      adopt(*this);
    t.live -= static_cast<std::ptrdiff_t>(b->capacity);
    t.lists[c].push(b);
    const bool full = t.lists[c].count * class_size(c) > kCachedBytesPerClass;
    if (!full && t.live > -stat_slack) [[likely]]
      return;
    const PoolLock lock(mutex);
    settle(*this);
    if (full)
      for (std::uint32_t n = t.lists[c].count / 2; n > 0; --n) lists[c].push(t.lists[c].pop());
    return;
  }
  release_large(b);
}

void Pool::Impl::give_large(Buffer* b) {
  large.give(reinterpret_cast<std::byte*>(b), large_size(b->capacity));
}

// What this thread keeps; with the lock.
void Pool::Impl::give_kept() {
  if (t_cache.pool_id != id) return;
  for (std::size_t i = 0; i < t_cache.kept_count; ++i) give_large(t_cache.kept[i]);
  t_cache.kept_count = t_cache.kept_bytes = 0;
}

void Pool::Impl::release_large(Buffer* b) {
  ThreadCache& t = t_cache;
  const std::size_t may = may_keep.load(std::memory_order_relaxed);
  if (b->size_class == kGuardedClass || b->capacity > std::min(kKeptBytes, may) || stat_slack != kStatSlack) {
    const PoolLock lock(mutex);
    account(-static_cast<std::ptrdiff_t>(b->capacity));
    const bool guarded = b->size_class == kGuardedClass;
    charge(-static_cast<std::ptrdiff_t>(guarded ? b->capacity : large_size(b->capacity)));
    return guarded ? unmap_guarded(b) : give_large(b);
  }
  if (t.pool_id != id) [[unlikely]]
    adopt(*this);
  t.live -= static_cast<std::ptrdiff_t>(b->capacity);
  t.large -= static_cast<std::ptrdiff_t>(large_size(b->capacity));
  b->size_class = kLargeClass + static_cast<std::uint32_t>(large_size(b->capacity) / Extents::kStep);
  t.keep(b);
  if (!t.keeps_too_much(may) && t.live > -stat_slack) return;
  const PoolLock lock(mutex);
  settle(*this);
  while (t.keeps_too_much(may)) give_large(t.take_kept_at(0));
}

void Pool::Impl::shrink(Buffer* b, std::size_t bytes) {
  const std::size_t capacity = (bytes + 63) & ~std::size_t{63};
  if (b->size_class < kLargeClass || b->size_class == kGuardedClass || capacity >= b->capacity) return;
  const PoolLock lock(mutex);
  const std::size_t keep = large_size(capacity);
  const std::size_t size = large_size(b->capacity);
  const std::size_t pages = b->size_class - kLargeClass;
  const std::size_t warm = std::clamp(pages * Extents::kStep, keep, size);
  large.give_end(reinterpret_cast<std::byte*>(b) + keep, warm - keep, size - warm);
  account(static_cast<std::ptrdiff_t>(capacity) - static_cast<std::ptrdiff_t>(b->capacity));
  charge(static_cast<std::ptrdiff_t>(keep) - static_cast<std::ptrdiff_t>(size));
  b->capacity = capacity;
}

Pool::Pool(std::size_t limit) : impl_(std::make_unique<Impl>()) {
  static std::atomic<std::uint64_t> next_id{1};
  impl_->id = next_id.fetch_add(1);
  impl_->self = this;
  impl_->limit = limit;
  impl_->charged.open(limit);
  if (limit != 0)
    impl_->stat_slack = static_cast<std::ptrdiff_t>(std::min<std::size_t>(kStatSlack, limit / 16));
  const std::lock_guard lock(g_pools_mutex);
  pools().emplace(impl_->id, impl_.get());
}

Pool::~Pool() {
  {
    const std::lock_guard lock(g_pools_mutex);
    pools().erase(impl_->id);
  }
  for (const auto& [base, size] : impl_->regions) munmap(base, size);
  impl_->charged.close(impl_->taken);
}

BufferRef Pool::allocate(ByteCount bytes) { return impl_->allocate(bytes.get()); }

void Pool::shrink(const BufferRef& buffer, ByteCount bytes) {
  if (buffer) impl_->shrink(buffer.get(), bytes.get());
}

Vector Pool::vector(Storage storage, std::int64_t length) {
  NVM_CHECK(length >= 0, "a length is never negative");
  if (length == 0) return Vector(storage, 0, BufferRef());
  BufferRef memory = impl_->allocate(ByteCount::of(length, storage_bytes(storage)).get());
  return Vector(storage, length, std::move(memory));
}

PoolStats Pool::stats() const {
  const PoolLock lock(impl_->mutex);
  if (t_cache.pool_id == impl_->id) settle(*impl_);
  PoolStats s;
  s.live = static_cast<std::size_t>(std::max<std::ptrdiff_t>(impl_->live, 0));
  s.peak = static_cast<std::size_t>(impl_->peak);
  s.mapped = impl_->mapped();
  s.mapped_peak = impl_->mapped_peak;
  s.allocations = impl_->allocations;
  s.reuses = s.allocations - std::min(s.allocations, impl_->from_system);
  return s;
}

std::uint64_t Pool::allocations_here() { return t_allocations; }

void Pool::trim() {
  const PoolLock lock(impl_->mutex);
  impl_->give_back();
}

void Pool::fail_at(std::uint64_t k) { impl_->fail.store(k); }

void release_buffer(Buffer* b) {
  for (Buffer* sums = nullptr; b != nullptr; b = sums) {  // they may have sums, too
    if (b->remote.load(std::memory_order_relaxed) != nullptr) drop_remote(*b);
    if (b->release != nullptr) return b->release(b, b->user);
    sums = take_sums(*b);
    b->pool->impl_->release(b);
    if (sums != nullptr && sums->refs.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  }
}

}  // namespace nvm::vm
