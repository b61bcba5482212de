// The sums of a descriptor's lengths, kept with the vector that they are: who walks over nested sequences
// asks for them again and again, each time for a few of them only.
#pragma once

#include <cstdint>
#include <optional>

#include "vm/data/value.h"

namespace nvm::vm {

// Keeps sums[i], the sum of the elements before i, for i up to their number, with the buffer of an INT vector
// that begins where a pool's buffer does; others have no place for it. The first sums are kept; from then on
// the buffer is never overwritten.
void keep_sums(const Vector& v, BufferRef sums);
// For the pool, which takes the buffer back: what kept its sums, a reference, if it had any.
[[nodiscard]] Buffer* take_sums(Buffer& b);
// The exclusive sums of a vector's elements, where they are kept.
[[nodiscard]] std::optional<Vector> kept_sums(const Vector& v);
// The sum of all of them; likewise.
[[nodiscard]] std::optional<std::int64_t> kept_sum(const Vector& v);

}  // namespace nvm::vm
