#include "vm/prims/halves.h"

#include <cstring>
#include <utility>

#include "vm/prims/operands.h"

namespace nvm::vm {

void make_halves(const Vector& joined, const Segdes& first, const Segdes& second, Value& first_half,
                 Value& second_half) {
  View f;
  f.source = View::Source::kElements;
  f.half = View::Half::kFirst;
  f.x = joined;
  f.s = first;
  f.other = second;
  View g = f;
  std::swap(g.s, g.other);
  g.half = View::Half::kSecond;
  first_half = make_view(std::move(f));
  second_half = make_view(std::move(g));
}

Value written_half(const View& half, const PrimContext& context) {
  if (half.other.total() == 0) return half.x;
  const auto width = static_cast<std::int64_t>(storage_bytes(half.x.storage()));
  Fresh out(context, half.x.storage(), half.s.total());
  const std::byte* from = half.x.raw();
  std::byte* to = out.data();
  const bool second = half.half == View::Half::kSecond;
  for (std::int64_t k = 0; k < half.s.segments(); ++k) {
    const std::int64_t skipped = half.other.length(k) * width;
    const std::int64_t bytes = half.s.length(k) * width;
    if (second) from += skipped;
    if (bytes > 0 && from != nullptr) std::memcpy(to, from, static_cast<std::size_t>(bytes));
    from += second ? bytes : bytes + skipped;
    to += bytes;
  }
  return out.take();
}

}  // namespace nvm::vm
