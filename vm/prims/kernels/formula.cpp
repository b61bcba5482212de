// PACKs whose flags are not written: how many elements compare with a value, and segments that go as a whole,
// read and written once.
#include "vm/prims/kernels/isa.h"
#include "vm/prims/kernels/lanes.h"
#include "vm/simd/short_copy.h"

namespace nvm::vm::kernels::NVM_ISA {

namespace {

#if NVM_VECTOR_BYTES < 32
template <Scalar kScalar, typename T>
bool stands(T a, T b) {
  switch (kScalar) {
    case Scalar::kLt: return a < b;
    case Scalar::kLe: return a <= b;
    case Scalar::kGt: return a > b;
    case Scalar::kGe: return a >= b;
    case Scalar::kEq: return a == b;
    default: return a != b;
  }
}
#endif

// How many of n elements stand in the relation to *px.
template <typename T, Scalar kScalar>
i64 count_compare(const void* pv, i64 n, const void* px) {
  const T* v = static_cast<const T*>(pv);
  const T x = *static_cast<const T*>(px);
  i64 taken = 0;
#if NVM_VECTOR_BYTES >= 32
  using L = Lanes<T>;
  const auto y = L::all(x);
  const auto step = [&](u64 first, const T* p) {
    taken += __builtin_popcountll(L::template compare<kScalar>(first, L::load(first, p), y));
  };
  constexpr u64 kAll = (u64{1} << L::kCount) - 1;
  i64 i = 0;
  for (; i + L::kCount <= n; i += L::kCount) step(kAll, v + i);
  step(_bzhi_u64(~u64{0}, static_cast<u32>(n - i)) & kAll, v + i);
#else
  for (i64 i = 0; i < n; ++i) taken += stands<kScalar>(v[i], x) ? 1 : 0;
#endif
  return taken;
}

// length(k) of those that are flagged, else 0.
template <typename F>
i64 lengths_where(const u8* __restrict flags, i64 count, i32* __restrict lengths, F length) {
  i64 total = 0;
  if (lengths == nullptr) {
    for (i64 k = 0; k < count; ++k) total += length(k) & -static_cast<i64>(flags[k]);
    return total;
  }
  for (i64 k = 0; k < count; ++k) {
    const i64 n = length(k) & -static_cast<i64>(flags[k]);
    lengths[k] = static_cast<i32>(n);
    total += n;
  }
  return total;
}
i64 flagged_lengths(const u8* flags, Segments s, i64 count, i32* lengths) {
  if (const i64* start = s.offsets; start != nullptr)
    return lengths_where(flags, count, lengths, [start](i64 k) { return start[k + 1] - start[k]; });
  return lengths_where(flags, count, lengths, [n = s.length](i64) { return n; });
}

// Copies flagged segments, elements of `bytes`, one behind the other.
class FlaggedCopy {
 public:
  FlaggedCopy(const u8* v, i64 bytes, const u8* flags, Segments s, i64 count, i64 total, u8* out)
      : v_(v), bytes_(bytes), flags_(flags), s_(s), out_(out) {
    v_end_ = v + s.start(count) * bytes;
    out_end_ = out + total * bytes;
  }
  // Segments k..end-1.
  void each(i64 k, i64 end) {
    const u8* from = v_ + s_.start(k) * bytes_;
#if NVM_VECTOR_BYTES >= 32
    // Short ones as a register of 32 bytes: the next one lies over what is too much, as long as there is
    // room.
    constexpr i64 kRegister = 32;
    for (; k < end && v_end_ - from >= kRegister && out_end_ - out_ >= kRegister; ++k) {
      const u8* const next = v_ + s_.start(k + 1) * bytes_;
      const i64 n = (next - from) & -static_cast<i64>(flags_[k]);
      if (n <= kRegister)
        __builtin_memcpy(out_, from, kRegister);
      else
        copy_exactly(from, n, out_);
      out_ += n;
      from = next;
    }
#endif
    for (; k < end; ++k) {
      const u8* const next = v_ + s_.start(k + 1) * bytes_;
      const i64 n = (next - from) & -static_cast<i64>(flags_[k]);
      copy_exactly(from, n, out_);
      out_ += n;
      from = next;
    }
  }
#if NVM_VECTOR_BYTES == 64
  // The segments from 0 on, eight at a time, as long as there is room for whole registers; how many.
  template <typename T>
  i64 eights(i64 count) {
    using L = Lanes<T>;
    const T* v = reinterpret_cast<const T*>(v_);
    i64 k = 0;
    for (; k + 8 <= count; k += 8) {
      const i64 begin = s_.offsets[k];
      const i64 n = s_.offsets[k + 8] - begin;
      if (n > 64) {
        each(k, k + 8);
        continue;
      }
      if (out_end_ - out_ < (n + L::kCount) * static_cast<i64>(sizeof(T))) break;
      const u64 taken = _bzhi_u64(taken_of(k), static_cast<u32>(n));
      T* out = reinterpret_cast<T*>(out_);
      for (i64 i = 0; i < n; i += L::kCount) {
        const u64 some = (taken >> i) & ((u64{1} << L::kCount) - 1);
        L::store(some, L::load(some, v + begin + i), out);
        out += __builtin_popcountll(some);
      }
      out_ = reinterpret_cast<u8*>(out);
    }
    return k;
  }
#endif

 private:
#if NVM_VECTOR_BYTES == 64
  // Which elements of the eight segments from k on, of 64 elements at most, lie in flagged ones; anything
  // behind them. A bit where flags change, then the parity of the bits up to each place.
  [[nodiscard]] u64 taken_of(i64 k) const {
    u64 bytes;
    __builtin_memcpy(&bytes, flags_ + k, sizeof bytes);
    const u64 flags = _pext_u64(bytes, 0x0101010101010101);
    const __m512i starts = _mm512_loadu_si512(s_.offsets + k);
    const __m512i places = _mm512_sub_epi64(starts, _mm512_set1_epi64(s_.offsets[k]));
    const __m512i ones = _mm512_maskz_set1_epi64(static_cast<__mmask8>(flags ^ (flags << 1)), 1);
    const __m512i changes = _mm512_sllv_epi64(ones, places);
    const __m256i four =
        _mm256_xor_si256(_mm512_castsi512_si256(changes), _mm512_extracti64x4_epi64(changes, 1));
    const __m128i two = _mm_xor_si128(_mm256_castsi256_si128(four), _mm256_extracti128_si256(four, 1));
    u64 parity = static_cast<u64>(_mm_extract_epi64(two, 0) ^ _mm_extract_epi64(two, 1));
    for (int by = 1; by < 64; by *= 2) parity ^= parity << by;
    return parity;
  }
#endif

  const u8 *v_, *v_end_ = nullptr;
  i64 bytes_;
  const u8* flags_;
  Segments s_;
  u8 *out_, *out_end_ = nullptr;
};

void copy_flagged(const void* v, i64 bytes, const u8* flags, Segments s, i64 count, i64 total, void* out) {
  FlaggedCopy copy(static_cast<const u8*>(v), bytes, flags, s, count, total, static_cast<u8*>(out));
  i64 done = 0;
#if NVM_VECTOR_BYTES == 64
  if (s.offsets != nullptr && bytes == 4) done = copy.eights<i32>(count);
  if (s.offsets != nullptr && bytes == 8) done = copy.eights<i64>(count);
#endif
  copy.each(done, count);
}

template <Scalar kScalar>
void set_compare(Table& t) {
  constexpr int kAt = index_of(kScalar) - index_of(Scalar::kLt);
  t.count_compare[kAt][0] = count_compare<i32, kScalar>;
  t.count_compare[kAt][1] = count_compare<i64, kScalar>;
  t.count_compare[kAt][2] = count_compare<f64, kScalar>;
}

}  // namespace

void fill_formula(Table& t) {
  set_compare<Scalar::kLt>(t);
  set_compare<Scalar::kLe>(t);
  set_compare<Scalar::kGt>(t);
  set_compare<Scalar::kGe>(t);
  set_compare<Scalar::kEq>(t);
  set_compare<Scalar::kNe>(t);
  t.flagged_lengths = flagged_lengths;
  t.copy_flagged = copy_flagged;
}

}  // namespace nvm::vm::kernels::NVM_ISA
