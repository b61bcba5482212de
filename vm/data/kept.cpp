#include "vm/data/kept.h"

#include <cstring>

namespace nvm::vm {

namespace {

struct Owned {
  Buffer header;
  BufferRef elements;
  std::shared_ptr<const void> owner;  // destroyed behind them
};

void release_owned(Buffer*, void* user) {
  const std::unique_ptr<Owned> owned(static_cast<Owned*>(user));
  owned->elements = BufferRef();
}

// `change` applied to the vector of a value, if it has memory.
template <typename F>
Value changed(const Value& value, Pool& pool, F change) {
  if (const auto* v = std::get_if<Vector>(&value)) return v->buffer() ? Value(change(*v)) : value;
  if (const auto* s = std::get_if<Segdes>(&value); s != nullptr && !s->is_regular())
    return Segdes::from_lengths(change(s->lengths(pool)), s->total(), false);
  if (const auto* pair = std::get_if<std::shared_ptr<const PairValue>>(&value))
    return make_pair_value(changed((*pair)->left, pool, change), changed((*pair)->right, pool, change));
  return value;
}

}  // namespace

Value with_owner(const Value& value, const std::shared_ptr<const void>& owner) {
  Pool unused;
  return changed(value, unused, [&](const Vector& v) {
    auto owned = std::make_unique<Owned>();
    Buffer& b = owned->header;
    b.refs.store(1, std::memory_order_relaxed);
    b.capacity = static_cast<std::size_t>(v.bytes());
    b.release = release_owned;
    b.bytes = const_cast<std::byte*>(v.raw());
    owned->elements = v.buffer();
    owned->owner = owner;
    b.user = owned.release();
    return Vector(v.storage(), v.length(), BufferRef(&b));
  });
}

Value moved_out(const Value& value, const Pool& from, Pool& to) {
  return changed(value, to, [&](const Vector& v) {
    if (v.buffer().get()->pool != &from) return v;
    Vector copy = to.vector(v.storage(), v.length());
    if (v.length() > 0)
      std::memcpy(copy.buffer().get()->data(), v.raw(), static_cast<std::size_t>(v.bytes()));
    return copy;
  });
}

}  // namespace nvm::vm
