// Bytes: the defaults once, unless the result takes over their memory, and the places once, in the cache.
#include "vm/prims/strided.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "vm/prims/move_parts.h"

namespace nvm::vm {

namespace {

constexpr std::int64_t kBlockBytes = 1 << 18;  // of places, in L2
constexpr std::int64_t kShortest = 64;         // elements of a run on average; shorter ones gain little

// Places first, first + stride .. last; stride > 0.
struct Run {
  std::int64_t first, last, stride;
};

// The run of one segment with elements; none if a place of it lies outside of 0 .. places - 1.
std::optional<Run> run_of(std::int64_t start, std::int64_t stride, std::int64_t length, std::int64_t places) {
  std::int64_t way = 0;
  std::int64_t end = 0;
  if (__builtin_mul_overflow(length - 1, stride, &way) || __builtin_add_overflow(start, way, &end))
    return std::nullopt;
  const auto [first, last] = std::minmax(start, end);
  if (first < 0 || last >= places) return std::nullopt;
  // One place, however often, has no stride; others lie apart by less than `places`.
  return Run{first, last, first == last ? 1 : std::abs(stride)};
}

bool find_runs(const PrimContext& context, const Vector& starts, const Vector& strides, const Segdes& s,
               std::int64_t places, std::vector<Run>& runs) {
  const Elements from(starts, context);
  const Elements apart(strides, context);
  runs.reserve(static_cast<std::size_t>(s.segments()));
  for (std::int64_t k = 0; k < s.segments(); ++k) {
    const std::int64_t length = s.length(k);
    if (length == 0) continue;
    const auto run = run_of(from.int_at(k), apart.int_at(k), length, places);
    if (!run) return false;
    runs.push_back(*run);
  }
  return true;
}

template <typename E>
void put(const std::vector<Run>& runs, std::int64_t low, std::int64_t high, E value, E* out) {
  for (const Run& r : runs) {
    if (r.first >= high || r.last < low) continue;
    const std::int64_t stride = r.stride;  // out of memory, which stores of bytes might change
    std::int64_t at = r.first;
    if (at < low) at += (low - at + stride - 1) / stride * stride;
    const std::int64_t end = std::min(r.last + 1, high);
    for (; at < end; at += stride) out[at] = value;
  }
}

// The value lies in a cell of eight bytes, low ones first, whatever its own width.
void put_block(const std::vector<Run>& runs, std::int64_t low, std::int64_t high, const Elements& value,
               Storage storage, const Fresh& out) {
  const auto as = [&]<typename E>(E) {
    E element;
    std::memcpy(&element, value.data(), sizeof element);
    put(runs, low, high, element, reinterpret_cast<E*>(out.data()));
  };
  switch (width_index(storage)) {
    case 0: return as(std::uint8_t{});
    case 1: return as(std::uint32_t{});
    default: return as(std::uint64_t{});
  }
}

}  // namespace

bool put_strided(const PrimContext& context, const Vector& value, const Vector& starts, const Vector& strides,
                 const Segdes& s, Vector& defaults, Value& result) {
  if (starts.length() != s.segments() || strides.length() != s.segments() ||
      s.total() < kShortest * s.segments())
    return false;
  const Defaults d(defaults, context);
  if (d.length() < 2) return false;
  std::vector<Run> runs;
  if (!find_runs(context, starts, strides, s, d.length(), runs)) return false;
  took(context, FastPath::kPutStrided);
  const Elements element(value, context, true);
  Storage storage = d.storage();
  if (storage_is_int(storage)) storage = std::max(storage, element.storage());
  Fresh out(context, storage, d.length(), defaults);
  d.copy_to(context, storage, out);
  const auto bytes = static_cast<std::int64_t>(storage_bytes(storage));
  // Each block looks at all runs: there must not be more of that than places to write.
  const std::int64_t most = std::max<std::int64_t>(s.total() / (8 * s.segments() + 1), 1);
  const std::int64_t blocks = std::clamp<std::int64_t>(d.length() * bytes / kBlockBytes, 1, most);
  const std::int64_t step = (d.length() / blocks + 64) / 64 * 64;
  const int threads = s.total() < context.grain ? 1 : context.threads;
  for_chunks_of(context.stop, threads, (d.length() + step - 1) / step, threads, [&](std::int64_t b) {
    put_block(runs, b * step, std::min(d.length(), (b + 1) * step), element, storage, out);
  });
  result = out.take();
  return true;
}

}  // namespace nvm::vm
