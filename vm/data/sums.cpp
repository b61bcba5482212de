#include "vm/data/sums.h"

#include <memory>
#include <utility>

namespace nvm::vm {

namespace {

struct Sums {
  Buffer* sums;  // a reference
  std::int64_t count;
};

// The buffer that a vector begins, if it is a pool's: other owners may write to theirs.
Buffer* begun_by(const Vector& v) {
  Buffer* const b = v.buffer().get();
  return v.length() > 1 && b != nullptr && b->pool != nullptr && v.place() == b->bytes ? b : nullptr;
}

// Null if there are none. A vector may have more of the buffer's elements than were added up.
const Sums* sums_of(const Vector& v) {
  Buffer* const b = begun_by(v);
  if (b == nullptr) return nullptr;
  const auto* const kept = static_cast<const Sums*>(std::atomic_ref(b->user).load(std::memory_order_acquire));
  return kept != nullptr && v.length() <= kept->count ? kept : nullptr;
}

}  // namespace

void keep_sums(const Vector& v, BufferRef sums) {
  Buffer* const b = begun_by(v);
  if (b == nullptr) return;
  auto kept = std::make_unique<Sums>(Sums{sums.get(), v.length()});
  void* none = nullptr;
  if (!std::atomic_ref(b->user).compare_exchange_strong(none, kept.get(), std::memory_order_release)) return;
  static_cast<void>(kept.release());
  sums.release();
}

Buffer* take_sums(Buffer& b) {
  const std::unique_ptr<Sums> kept(static_cast<Sums*>(std::exchange(b.user, nullptr)));
  return kept != nullptr ? kept->sums : nullptr;
}

std::optional<Vector> kept_sums(const Vector& v) {
  const Sums* const kept = sums_of(v);
  if (kept == nullptr) return {};
  kept->sums->refs.fetch_add(1, std::memory_order_relaxed);
  return Vector(Storage::kI64, v.length(), BufferRef(kept->sums));
}

std::optional<std::int64_t> kept_sum(const Vector& v) {
  const Sums* const kept = sums_of(v);
  if (kept == nullptr) return {};
  return reinterpret_cast<const std::int64_t*>(kept->sums->bytes)[v.length()];
}

}  // namespace nvm::vm
