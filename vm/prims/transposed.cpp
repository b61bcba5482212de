#include "vm/prims/transposed.h"

#include <algorithm>

#include "vm/prims/operands.h"
#include "vm/prims/parallel.h"

namespace nvm::vm {

namespace {

constexpr std::int64_t kSide = 16;  // of a square: a line of four-byte elements

// Columns begin..end-1.
template <typename E>
void columns_to_rows(const std::byte* from, std::int64_t rows, std::int64_t columns, std::int64_t begin,
                     std::int64_t end, std::byte* to) {
  const E* v = reinterpret_cast<const E*>(from);
  E* out = reinterpret_cast<E*>(to);
  for (std::int64_t i = begin; i < end; i += kSide)
    for (std::int64_t k = 0; k < rows; k += kSide) {
      const std::int64_t last = std::min(k + kSide, rows);
      for (std::int64_t c = i; c < std::min(i + kSide, end); ++c)
        for (std::int64_t r = k; r < last; ++r) out[c * rows + r] = v[r * columns + c];
    }
}

}  // namespace

Vector transposed(const PrimContext& context, const Vector& v, std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t kChunk = 1 << 15;  // elements
  took(context, FastPath::kTranspose);
  const Elements e(v, context);
  Fresh out(context, e.storage(), e.length());
  const std::int64_t squares = (columns + kSide - 1) / kSide;
  const std::int64_t chunks = std::min(squares, chunk_count(context, e.length(), kChunk));
  for_chunks(context.threads, chunks, [&](std::int64_t c) {
    const std::int64_t begin = squares * c / chunks * kSide;
    const std::int64_t end = std::min(columns, squares * (c + 1) / chunks * kSide);
    switch (storage_bytes(e.storage())) {
      case 1: return columns_to_rows<std::uint8_t>(e.data(), rows, columns, begin, end, out.data());
      case 4: return columns_to_rows<std::uint32_t>(e.data(), rows, columns, begin, end, out.data());
      default: return columns_to_rows<std::uint64_t>(e.data(), rows, columns, begin, end, out.data());
    }
  });
  return out.take();
}

}  // namespace nvm::vm
