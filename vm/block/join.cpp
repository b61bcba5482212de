#include "vm/block/join.h"

#include <algorithm>
#include <cstring>

#include "vm/prims/parallel.h"

namespace nvm::vm::block {

namespace {

constexpr std::int64_t kNarrow = std::int64_t{1} << 31;

template <typename F>
void with_ints(Storage storage, F f) {
  switch (storage) {
    case Storage::kI8: return f(std::int8_t{});
    case Storage::kI32: return f(std::int32_t{});
    default: return f(std::int64_t{});
  }
}

// Copies ints of any width; the target is wide enough.
void copy_ints(const Vector& from, Storage storage, std::byte* to) {
  with_ints(from.storage(), [&](auto source) {
    with_ints(storage, [&](auto target) {
      const auto* p = from.data<decltype(source)>();
      auto* out = reinterpret_cast<decltype(target)*>(to);
      std::transform(p, p + from.length(), out, [](auto x) { return static_cast<decltype(target)>(x); });
    });
  });
}

void copy_vector(const Vector& from, Storage storage, std::byte* to) {
  if (from.length() == 0) return;
  if (from.storage() != storage) return copy_ints(from, storage, to);
  std::memcpy(to, from.raw(), static_cast<std::size_t>(from.length()) * storage_bytes(storage));
}

void fill_ints(std::int64_t value, std::int64_t n, Storage storage, std::byte* to) {
  with_ints(storage, [&](auto target) {
    std::fill_n(reinterpret_cast<decltype(target)*>(to), n, static_cast<decltype(target)>(value));
  });
}

Storage narrowest(std::int64_t value) {
  if (value >= -128 && value < 128) return Storage::kI8;
  return value >= -kNarrow && value < kNarrow ? Storage::kI32 : Storage::kI64;
}

// Of a vector that is to hold these pieces. Unboxed Ints have no storage of their own.
Storage common_storage(const GroupResults& groups, std::size_t r, IntBits bits) {
  const Storage widest = bits == IntBits::k32 ? Storage::kI32 : Storage::kI64;
  bool boxed = false;
  Storage least = Storage::kI8;
  for (const auto& group : groups) {
    const auto& v = std::get<Vector>(group[r]);
    if (!storage_is_int(v.storage())) return v.storage();
    if (v.length() == 0) continue;
    boxed |= !v.is_scalar();
    least = std::max(least, v.is_scalar() ? narrowest(v.scalar_int()) : v.storage());
  }
  return boxed ? least : widest;
}

// One result: how long its pieces are, and where they go.
struct Target {
  Storage storage = Storage::kI64;
  std::vector<std::int64_t> begins;  // by group
  std::int64_t length = 0;
  std::int64_t total = 0;  // of a descriptor's lengths
  bool is_segdes = false;
  bool is_regular = false;
  Vector elements;
};

Target plan_vector(const GroupResults& groups, std::size_t r, IntBits bits) {
  Target target;
  target.storage = common_storage(groups, r, bits);
  for (const auto& group : groups) {
    target.begins.push_back(target.length);
    target.length += std::get<Vector>(group[r]).length();
  }
  return target;
}

Target plan_segdes(const GroupResults& groups, std::size_t r) {
  Target target;
  target.is_segdes = target.is_regular = true;
  std::int64_t common = -1;
  for (const auto& group : groups) {
    const auto& s = std::get<Segdes>(group[r]);
    target.begins.push_back(target.length);
    target.length += s.segments();
    target.total += s.total();
    if (s.segments() == 0) continue;
    if (common < 0 && s.is_regular()) common = s.regular_length();
    target.is_regular &= s.is_regular() && s.regular_length() == common;
  }
  target.storage = target.total < kNarrow ? Storage::kI32 : Storage::kI64;
  return target;
}

Value one_element(const GroupResults& groups, std::size_t r) {
  for (const auto& group : groups)
    if (std::get<Vector>(group[r]).length() == 1) return group[r];
  return {};
}

// Copies a piece to its place and lets go of it.
void place(Value& piece, const Target& target, std::size_t group, Pool& pool) {
  if (target.length > 1 && !target.is_regular) {
    auto* to = const_cast<std::byte*>(target.elements.raw()) +
               static_cast<std::size_t>(target.begins[group]) * storage_bytes(target.storage);
    if (const auto* v = std::get_if<Vector>(&piece)) {
      copy_vector(*v, target.storage, to);
    } else {
      const auto& s = std::get<Segdes>(piece);
      if (s.is_regular())
        fill_ints(s.regular_length(), s.segments(), target.storage, to);
      else
        copy_ints(s.lengths(pool), target.storage, to);
    }
  }
  piece = {};
}

Value finish(Target& target) {
  if (!target.is_segdes) return std::move(target.elements);
  if (target.is_regular) {
    const std::int64_t length = target.length == 0 ? 0 : target.total / target.length;
    return Segdes::regular(target.length, length);
  }
  return Segdes::from_lengths(std::move(target.elements), target.total);
}

}  // namespace

std::vector<Value> join(const PrimContext& context, GroupResults& groups, std::int64_t* moved) {
  if (groups.size() == 1) return std::move(groups[0]);
  const std::size_t results = groups.empty() ? 0 : groups[0].size();
  std::vector<Target> targets;
  std::vector<Value> out(results);
  std::int64_t bytes = 0;
  for (std::size_t r = 0; r < results; ++r) {
    const bool is_segdes = std::holds_alternative<Segdes>(groups[0][r]);
    targets.push_back(is_segdes ? plan_segdes(groups, r) : plan_vector(groups, r, context.int_bits));
    Target& target = targets.back();
    if (!is_segdes && target.length == 1) out[r] = one_element(groups, r);
    if (target.length == 1 || target.is_regular) continue;
    target.elements = context.pool->vector(target.storage, target.length);
    bytes += target.elements.bytes();
  }
  if (moved != nullptr) *moved += 2 * bytes;
  const int threads = bytes >= 2 * context.grain ? context.threads : 1;
  for_chunks_of(context.stop, threads, static_cast<std::int64_t>(groups.size()), threads,
                [&](std::int64_t g) {
                  auto& group = groups[static_cast<std::size_t>(g)];
                  for (std::size_t r = 0; r < results; ++r)
                    place(group[r], targets[r], static_cast<std::size_t>(g), *context.pool);
                });
  for (std::size_t r = 0; r < results; ++r)
    if (std::holds_alternative<std::monostate>(out[r])) out[r] = finish(targets[r]);
  return out;
}

}  // namespace nvm::vm::block
