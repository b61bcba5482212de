// What the instructions that move elements by index share.
#pragma once

#include <atomic>
#include <optional>

#include "vm/prims/operands.h"
#include "vm/prims/parallel.h"

namespace nvm::vm {

// Elements on their way: v, their indices, the flags that let them pass (or none), and the segments that
// indices count in.
struct Moving {
  const PrimCall& call;
  const kernels::Table& t;
  const Elements& v;
  const Indices& idx;
  const std::uint8_t* flags;  // or null
  Segdes source, dest;
  int width;  // as width_index
};

inline bool same_segments(const Segdes& a, const Segdes& b) { return a.identical(b) || a == b; }

// Legacy: a source of one segment takes the destination as one segment.
inline Segdes destination(const Segdes& source, const Segdes& dest) {
  if (source.segments() == 1 && dest.segments() != 1) return Segdes::regular(1, dest.total());
  return dest;
}

// The flags of an optional operand, readable while this is there.
class OptionalFlags {
 public:
  OptionalFlags(const Vector* flags, const PrimContext& context) {
    if (flags != nullptr) elements_.emplace(*flags, context);
  }
  [[nodiscard]] const std::uint8_t* data() const { return elements_ ? elements_->flags() : nullptr; }

 private:
  std::optional<Elements> elements_;
};

// Elements of `from`, stored as `storage`, to `out`; nothing to do if they lie there already.
inline void copy_as(const PrimContext& context, const Elements& from, Storage storage, const Fresh& out) {
  if (from.data() == out.data() || from.length() == 0) return;
  const auto convert =
      kernel_table(context.isa).convert[static_cast<int>(from.storage())][static_cast<int>(storage)];
  for_ranges(context, from.length(), [&](std::int64_t begin, std::int64_t end) {
    if (from.storage() == storage)
      std::memcpy(out.at(begin), from.at(begin), static_cast<std::size_t>(out.at(end) - out.at(begin)));
    else
      convert(from.at(begin), out.at(begin), end - begin);
  });
}

// Runs step(first, last) over ranges of segments; the first segment whose index is outside it, or -1.
template <typename F>
std::int64_t first_of_segments(const PrimContext& context, std::int64_t segments, F step) {
  std::atomic<std::int64_t> first_bad{-1};
  for_ranges(context, segments, [&](std::int64_t first, std::int64_t last) {
    if (const std::int64_t bad = step(first, last); bad >= 0) note_first(first_bad, bad);
  });
  return first_bad;
}

// Is a part of n elements worth keeping all of v's memory? Else it is copied, so that no program holds much
// more than it uses.
inline bool worth_sharing(const Vector& v, std::int64_t n) {
  const auto bytes = static_cast<std::size_t>(n) * storage_bytes(v.storage());
  return v.buffer() && bytes >= v.buffer().get()->capacity / (v.buffer().unique() ? 2 : 8);
}

// The defaults of a scatter: elements, or one that is repeated and need not be written before it is copied.
class Defaults {
 public:
  Defaults(const Vector& v, const PrimContext& context) : length_(v.length()), storage_(v.storage()) {
    if (v.is_repeated()) {
      repeated_ = v;
    } else {
      elements_.emplace(v, context);
      storage_ = elements_->storage();
    }
  }
  [[nodiscard]] std::int64_t length() const { return length_; }
  [[nodiscard]] Storage storage() const { return storage_; }
  // If they are one element, stored so; else null.
  [[nodiscard]] const Vector* repeated(Storage storage) const {
    return !elements_ && storage == storage_ ? &repeated_ : nullptr;
  }
  // Stored as `storage`, which is not narrower; `out` may have taken over the operand's memory.
  void copy_to(const PrimContext& context, Storage storage, const Fresh& out) const {
    if (elements_) return copy_as(context, *elements_, storage, out);
    if (storage != storage_) return copy_as(context, Elements(repeated_, context), storage, out);
    for_ranges(context, length_, [&](std::int64_t begin, std::int64_t end) {
      fill_repeated(repeated_, context, end - begin, out.at(begin));
    });
  }

 private:
  std::int64_t length_;
  Storage storage_;
  Vector repeated_;
  std::optional<Elements> elements_;
};
// Elements of eight bytes that all fit in four, so stored.
inline std::optional<Vector> in_four_bytes(const Elements& v, const PrimContext& context) {
  Fresh out(context, Storage::kI32, v.length());
  const auto* from = reinterpret_cast<const std::int64_t*>(v.data());
  auto* to = reinterpret_cast<std::int32_t*>(out.data());
  std::atomic<bool> fits{true};
  for_ranges(context, v.length(), [&](std::int64_t begin, std::int64_t end) {
    std::int64_t lost = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      to[i] = static_cast<std::int32_t>(from[i]);
      lost |= from[i] ^ to[i];
    }
    if (lost != 0) fits = false;
  });
  if (!fits) return std::nullopt;
  return out.take();
}
// v if its elements lie as `storage`, else in memory of its own where they do.
inline Vector stored_as(const Vector& v, Storage storage, const PrimContext& context) {
  const Elements e(v, context);
  if (e.storage() == storage) return v;
  Fresh out(context, storage, e.length());
  copy_as(context, e, storage, out);
  return out.take();
}

}  // namespace nvm::vm
