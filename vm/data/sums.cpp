#include "vm/data/sums.h"

namespace nvm::vm {

namespace {

// Null if there are none.
const Buffer* sums_of(const Vector& v) {
  Buffer* const b = v.buffer().get();
  if (v.length() < 2 || b == nullptr || b->pool == nullptr || v.place() != b->bytes) return nullptr;
  const auto* const sums =
      static_cast<const Buffer*>(std::atomic_ref(b->user).load(std::memory_order_acquire));
  const auto last = static_cast<std::size_t>(v.length());
  return sums != nullptr && (last + 1) * sizeof(std::int64_t) <= sums->capacity ? sums : nullptr;
}

}  // namespace

void keep_sums(Buffer& b, const BufferRef& sums) {
  if (b.pool == nullptr) return;  // somebody else's, who may write to it
  sums.get()->refs.fetch_add(1, std::memory_order_relaxed);
  void* none = nullptr;
  if (!std::atomic_ref(b.user).compare_exchange_strong(none, sums.get(), std::memory_order_release))
    static_cast<void>(BufferRef(sums.get()));
}

std::optional<Vector> kept_sums(const Vector& v) {
  auto* const sums = const_cast<Buffer*>(sums_of(v));
  if (sums == nullptr) return {};
  sums->refs.fetch_add(1, std::memory_order_relaxed);
  return Vector(Storage::kI64, v.length(), BufferRef(sums));
}

std::optional<std::int64_t> kept_sum(const Vector& v) {
  const Buffer* const sums = sums_of(v);
  if (sums == nullptr) return {};
  return reinterpret_cast<const std::int64_t*>(sums->bytes)[v.length()];
}

}  // namespace nvm::vm
