// One element of each segment, read or replaced. Indices are checked as vectors, a few hundred at a time;
// lines to be written are asked for first, for the segments lie apart.
#include <algorithm>

#include "vm/prims/kernels/isa.h"

namespace nvm::vm::kernels::NVM_ISA {

namespace {

template <typename Idx>
bool outside(Idx i, i64 len) {
  return static_cast<u64>(static_cast<i64>(i)) >= static_cast<u64>(len);
}

// Do these n indices lie in their segments? Bit 63 of i | (length - 1 - i) is clear only then.
template <typename Idx>
bool all_inside(const Idx* idx, Segments s, i64 k, i64 n) {
  u64 wild = 0;
  if (s.offsets == nullptr) {
    using U = typename Unsigned<Idx>::type;
    constexpr u64 kNegative = u64{1} << (sizeof(Idx) * 8 - 1);
    U high = 0;
    for (i64 j = 0; j < n; ++j) {
      const U x = static_cast<U>(idx[k + j]);
      high = x > high ? x : high;
    }
    return high < std::min(static_cast<u64>(s.length), kNegative);
  }
  const i64* start = s.offsets + k;
  for (i64 j = 0; j < n; ++j) {
    const u64 i = static_cast<u64>(static_cast<i64>(idx[k + j]));
    wild |= i | (static_cast<u64>(start[j + 1] - start[j]) - 1 - i);
  }
  return wild >> 63 == 0;
}

// f(j, place) for segments k..k+n-1: where the element with this index lies.
template <typename Idx, typename F>
[[gnu::always_inline]] inline void at_places(const Idx* idx, Segments s, i64 k, i64 n, F f) {
  if (s.offsets == nullptr) {
    i64 start = k * s.length;
    for (i64 j = 0; j < n; ++j, start += s.length) f(j, start + static_cast<i64>(idx[k + j]));
  } else {
    const i64* start = s.offsets + k;
    for (i64 j = 0; j < n; ++j) f(j, start[j] + static_cast<i64>(idx[k + j]));
  }
}

enum class Does { kRead, kWrite, kReplace };  // kReplace leaves out segments without elements

template <typename E, typename Idx, Does kDoes>
i64 single(const void* pv, const void* pidx, Segments s, i64 k0, i64 k1, void* pout) {
  constexpr i64 kSome = 256;
  const E* v = static_cast<const E*>(pv);
  const Idx* idx = static_cast<const Idx*>(pidx);
  E* out = static_cast<E*>(pout);
  for (i64 k = k0; k < k1; k += kSome) {
    const i64 n = k1 - k < kSome ? k1 - k : kSome;
    if (!all_inside(idx, s, k, n)) {
      const auto wrong = [&](i64 j) {
        const i64 len = s.start(j + 1) - s.start(j);
        return !(kDoes == Does::kReplace && len == 0) && outside(idx[j], len);
      };
      for (i64 j = k; j < k + n; ++j)
        if (wrong(j)) return j;
      if constexpr (kDoes == Does::kReplace)
        for (i64 j = 0; j < n; ++j)
          if (s.start(k + j) != s.start(k + j + 1))
            out[s.start(k + j) + static_cast<i64>(idx[k + j])] = v[k + j];
      continue;
    }
    if constexpr (kDoes != Does::kRead) {
      at_places(idx, s, k, n, [&](i64, i64 place) { __builtin_prefetch(out + place, 1); });
      at_places(idx, s, k, n, [&](i64 j, i64 place) { out[place] = v[k + j]; });
    } else {
      at_places(idx, s, k, n, [&](i64 j, i64 place) { out[k + j] = v[place]; });
    }
  }
  return -1;
}

template <typename E, bool kReplace>
void single_at(const void* pv, i64 length, i64 index, i64 k0, i64 k1, void* pout) {
  const E* v = static_cast<const E*>(pv);
  E* out = static_cast<E*>(pout);
  if constexpr (kReplace) {
    for (i64 k = k0; k < k1; ++k) __builtin_prefetch(out + k * length + index, 1);
    for (i64 k = k0; k < k1; ++k) out[k * length + index] = v[k];
  } else {
#pragma GCC unroll 4
    for (i64 k = k0; k < k1; ++k) out[k] = v[k * length + index];
  }
}

template <typename E>
void set_at(Table& t, int width) {
  t.extract_at[width] = single_at<E, false>;
  t.replace_at[width] = single_at<E, true>;
}
template <typename E, typename Idx>
void set(Table& t, int width, int index) {
  t.extract[width][index] = single<E, Idx, Does::kRead>;
  t.write[width][index] = single<E, Idx, Does::kWrite>;
  t.replace[width][index] = single<E, Idx, Does::kReplace>;
}
template <typename Idx>
void set_widths(Table& t, int index) {
  set<u8, Idx>(t, 0, index);
  set<u32, Idx>(t, 1, index);
  set<u64, Idx>(t, 2, index);
}

}  // namespace

void fill_single(Table& t) {
  set_widths<i32>(t, 0);
  set_widths<i64>(t, 1);
  set_at<u8>(t, 0);
  set_at<u32>(t, 1);
  set_at<u64>(t, 2);
}

}  // namespace nvm::vm::kernels::NVM_ISA
