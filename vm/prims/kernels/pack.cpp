// Counting and moving flagged elements: flags are read once more than by the count (n bytes), elements once,
// results written once.
#include "vm/prims/kernels/isa.h"
#include "vm/simd/compress.h"

namespace nvm::vm::kernels::NVM_ISA {

namespace {

i64 count(const u8* flags, i64 n) { return count_flags(flags, n); }

template <typename E>
void compress_elements(const void* v, const u8* flags, i64 n, void* out, i64 room) {
  compress(static_cast<const E*>(v), flags, n, static_cast<E*>(out), room);
}

// Flags of one short segment.
#if NVM_VECTOR_BYTES == 64
constexpr i64 kShort = 64;
i64 count_short(const u8* flags, i64 n) {
  const __mmask64 m = _bzhi_u64(~u64{0}, static_cast<u32>(n));
  const __m512i f = _mm512_maskz_loadu_epi8(m, flags);
  return __builtin_popcountll(_mm512_test_epi8_mask(f, f));
}
#else
constexpr i64 kShort = 16;
i64 count_short(const u8* flags, i64 n) {
  i64 sum = 0;
  for (i64 i = 0; i < n; ++i) sum += flags[i];
  return sum;
}
#endif

template <typename T>
void count_segments(const u8* flags, Segments s, i64 k0, i64 k1, void* pout) {
  T* out = static_cast<T*>(pout);
  i64 start = s.start(k0);
  for (i64 k = k0; k < k1; ++k) {
    const i64 end = s.start(k + 1);
    const i64 n = end - start;
    out[k] = static_cast<T>(n <= kShort ? count_short(flags + start, n) : count_flags(flags + start, n));
    start = end;
  }
}

}  // namespace

void fill_pack(Table& t) {
  t.count = count;
  t.compress[0] = compress_elements<u8>;
  t.compress[1] = compress_elements<u32>;
  t.compress[2] = compress_elements<u64>;
  t.count_segments[0] = count_segments<i32>;
  t.count_segments[1] = count_segments<i64>;
}

}  // namespace nvm::vm::kernels::NVM_ISA
