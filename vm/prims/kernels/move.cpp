// Gathers and scatters. Indices are checked a block at a time as vectors, then used while they are in L1:
// each index is read from memory once. Short segments are checked element by element.
#include "vm/prims/kernels/indices.h"
#include "vm/simd/compress.h"

namespace nvm::vm::kernels::NVM_ISA {

namespace {

template <typename E, typename Idx>
void gather_far(const E* v, const Idx* idx, i64 n, E* out) {
  i64 i = 0;
  for (; i + kAhead < n; ++i) {
    __builtin_prefetch(v + idx[i + kAhead]);
    out[i] = v[idx[i]];
  }
  for (; i < n; ++i) out[i] = v[idx[i]];
}
template <typename E, typename Idx>
void scatter_far(const E* v, const Idx* idx, i64 n, E* out) {
  i64 i = 0;
  for (; i + kAhead < n; ++i) {
    __builtin_prefetch(out + idx[i + kAhead], 1);
    out[idx[i]] = v[i];
  }
  for (; i < n; ++i) out[idx[i]] = v[i];
}

// How many indices go on as idx[0], idx[0] + step, ...; step is 1 or -1.
template <typename Idx, bool kUp>
i64 run_length_by(const Idx* idx, i64 n) {
  constexpr i64 kStride = 256;
  using U = typename Unsigned<Idx>::type;
  const U first = static_cast<U>(idx[0]);
  const auto differs = [&](i64 i) {
    const U x = static_cast<U>(i);
    return static_cast<U>(static_cast<U>(idx[i]) - (kUp ? first + x : first - x));
  };
  i64 i = 0;
  for (; i + kStride <= n; i += kStride) {
    U any = 0;
    for (i64 j = i; j < i + kStride; ++j) any |= differs(j);
    if (any != 0) break;
  }
  while (i < n && differs(i) == 0) ++i;
  return i;
}
template <typename Idx>
i64 run_length(const void* idx, i64 n, i64 step) {
  const Idx* from = static_cast<const Idx*>(idx);
  return step > 0 ? run_length_by<Idx, true>(from, n) : run_length_by<Idx, false>(from, n);
}

// out[n - 1 - i] = v[i]
template <typename E>
void reverse(const void* pv, i64 n, void* pout) {
  const E* v = static_cast<const E*>(pv);
  E* out = static_cast<E*>(pout);
#pragma GCC ivdep
  for (i64 i = 0; i < n; ++i) out[n - 1 - i] = v[i];
}

// A block whose indices go up or down by one: it moves as a copy does.
struct Steady {
  i64 step;  // 1, -1, or 0: it is not one, or an index is outside
  i64 low;   // the smallest index
};
template <typename Idx>
Steady steady(const Idx* idx, i64 m, i64 len) {
  constexpr i64 kWorth = 64;
  if (m < kWorth) return {};
  const i64 step = static_cast<i64>(idx[1]) - static_cast<i64>(idx[0]);
  if (step != 1 && step != -1) return {};
  const i64 low = step > 0 ? idx[0] : idx[m - 1];
  if (low < 0 || low > len - m || run_length<Idx>(idx, m, step) != m) return {};
  return {step, low};
}
// The same of short segments, ascending only. A look at both ends says whether it is worth a closer one.
constexpr i64 kShortestRun = 8;
template <typename Idx>
bool looks_a_run(const Idx* idx, i64 n) {
  return n >= kShortestRun && static_cast<i64>(idx[n - 1]) - static_cast<i64>(idx[0]) == n - 1;
}
template <typename Idx>
bool is_run(const Idx* idx, i64 n, i64 len) {
  if (!looks_a_run(idx, n) || idx[0] < 0 || static_cast<i64>(idx[0]) > len - n) return false;
  using U = typename Unsigned<Idx>::type;
  const U first = static_cast<U>(idx[0]);
  U differs = 0;
  for (i64 i = 0; i < n; ++i)
    differs |= static_cast<U>(static_cast<U>(idx[i]) ^ static_cast<U>(first + static_cast<U>(i)));
  return differs == 0;
}

template <typename E>
void move_steadily(const E* from, i64 m, i64 step, E* to) {
  if (step > 0)
    __builtin_memcpy(to, from, static_cast<u64>(m) * sizeof(E));
  else
    reverse<E>(from, m, to);
}

// One segment (or the rest of one); E is an element of the width.
template <typename E, typename Idx>
i64 gather_one(const E* v, const Idx* idx, const u8* flags, i64 n, i64 len, E* out) {
  for (i64 at = 0; at < n; at += kBlock) {
    const i64 m = n - at < kBlock ? n - at : kBlock;
    const Idx* from = idx + at;
    E* to = out + at;
    const Steady run = flags == nullptr ? steady(from, m, len) : Steady{};
    if (run.step != 0) {
      move_steadily(v + run.low, m, run.step, to);
      continue;
    }
    const i64 bad = first_outside(from, flags == nullptr ? nullptr : flags + at, m, len);
    if (bad >= 0) return at + bad;
    if (flags == nullptr) {
      if (scattered(from, m)) {
        gather_far(v, from, m, to);
        continue;
      }
#pragma GCC ivdep
      for (i64 i = 0; i < m; ++i) to[i] = v[from[i]];
    } else {
      for (i64 i = 0; i < m; ++i) to[i] = flags[at + i] != 0 ? v[from[i]] : E{0};
    }
  }
  return -1;
}

template <typename E, typename Idx>
i64 scatter_one(const E* v, const Idx* idx, const u8* flags, i64 n, i64 len, E* out) {
  for (i64 at = 0; at < n; at += kBlock) {
    const i64 m = n - at < kBlock ? n - at : kBlock;
    const Steady run = flags == nullptr ? steady(idx + at, m, len) : Steady{};
    if (run.step != 0) {
      move_steadily(v + at, m, run.step, out + run.low);
      continue;
    }
    const i64 bad = first_outside(idx + at, flags == nullptr ? nullptr : flags + at, m, len);
    if (bad >= 0) return at + bad;
    if (flags == nullptr && scattered(idx + at, m)) {
      scatter_far(v + at, idx + at, m, out);
    } else if (flags == nullptr) {
      for (i64 i = at; i < at + m; ++i) out[idx[i]] = v[i];
    } else {
      for (i64 i = at; i < at + m; ++i)
        if (flags[i] != 0) out[idx[i]] = v[i];
    }
  }
  return -1;
}

template <typename E, typename Idx>
i64 gather(const void* v, const void* idx, const u8* flags, i64 n, i64 len, void* out) {
  return gather_one(static_cast<const E*>(v), static_cast<const Idx*>(idx), flags, n, len,
                    static_cast<E*>(out));
}
template <typename E, typename Idx>
i64 scatter(const void* v, const void* idx, const u8* flags, i64 n, i64 len, void* out) {
  return scatter_one(static_cast<const E*>(v), static_cast<const Idx*>(idx), flags, n, len,
                     static_cast<E*>(out));
}

// What of a block belongs to the range is collected first, without a branch on each.
template <typename E, typename Idx>
void scatter_range(const void* pv, const void* pidx, const u8* flags, i64 n, i64 lo, i64 hi, void* pout) {
  using U = typename Unsigned<Idx>::type;
  const E* v = static_cast<const E*>(pv);
  const U* idx = static_cast<const U*>(pidx);
  E* out = static_cast<E*>(pout);
  u8 mine[kBlock];
  U places[kBlock];
  E values[kBlock];
  for (i64 at = 0; at < n; at += kBlock) {
    const i64 m = n - at < kBlock ? n - at : kBlock;
    for (i64 i = 0; i < m; ++i)
      mine[i] = (static_cast<Idx>(idx[at + i]) >= static_cast<Idx>(lo)) &
                (static_cast<Idx>(idx[at + i]) <= static_cast<Idx>(hi - 1));
    if (flags != nullptr)
      for (i64 i = 0; i < m; ++i) mine[i] = static_cast<u8>(mine[i] & flags[at + i]);
    const i64 count = simd::compress(idx + at, mine, m, places, kBlock) - places;
    for (i64 j = 0; j < count; ++j) __builtin_prefetch(out + places[j], 1);
    simd::compress(v + at, mine, m, values, kBlock);
    for (i64 j = 0; j < count; ++j) out[places[j]] = values[j];
  }
}

// Gathers and scatters of whole segments: indices lie beside the results of a gather and beside the elements
// of a scatter.
template <typename E, typename Idx, bool kGather>
struct Segmented {
  const E* v;
  const Idx* idx;
  const u8* flags;
  Segments beside, addressed;
  E* out;

  // Segments k0..k1-1; the first bad index or -1.
  i64 run(i64 k0, i64 k1) const {
    if (flags == nullptr && k1 - k0 >= kFew) return run_short(k0, k1);
    for (i64 k = k0; k < k1; ++k)
      if (const i64 bad = one(k); bad >= 0) return bad;
    return -1;
  }

 private:
  static constexpr i64 kFew = 16;
  static constexpr i64 kStep = 16;  // elements that are filled at once

  i64 one(i64 k) const {
    const i64 at = beside.start(k);
    const i64 end = beside.start(k + 1);
    const i64 base = addressed.start(k);
    const i64 len = addressed.start(k + 1) - base;
    if (end - at <= kShort && flags == nullptr) {
      if (is_run(idx + at, end - at, len)) {
        const i64 there = base + idx[at];
        __builtin_memcpy(out + (kGather ? at : there), v + (kGather ? there : at),
                         static_cast<u64>(end - at) * sizeof(E));
        return -1;
      }
      for (i64 i = at; i < end; ++i) {
        if (outside(idx[i], len)) return i;
        const i64 there = base + idx[i];
        out[kGather ? i : there] = v[kGather ? there : i];
      }
      return -1;
    }
    const u8* let = flags == nullptr ? nullptr : flags + at;
    const i64 bad = kGather ? gather_one(v + base, idx + at, let, end - at, len, out + at)
                            : scatter_one(v + at, idx + at, let, end - at, len, out + base);
    return bad >= 0 ? at + bad : -1;
  }

  // Where the addressed segment of an element begins, counted from the first of its block, and how long it
  // is.
  struct Block {
    i32 base[kBlock + kStep];
    u32 length[kBlock + kStep];
  };
  template <typename T>
  static void fill(T* to, i64 n, T x) {
    i64 i = 0;
    do {  // no branch on the length of most segments; what is written too much is overwritten
      for (i64 j = 0; j < kStep; ++j) to[i + j] = x;
      i += kStep;
    } while (i < n);
  }

  // Short segments a block of elements at a time, without a branch on their lengths; long ones one by one.
  i64 run_short(i64 k0, i64 k1) const {
    Block block;
    for (i64 k = k0; k < k1;) {
      const i64 at = beside.start(k);
      const i64 first = addressed.start(k);
      i64 n = 0;
      i64 begin = 0;
      bool alone = false;  // segment k is not one for the block
      for (; k < k1; ++k) {
        const i64 more = beside.start(k + 1) - at - n;
        const i64 end = addressed.start(k + 1) - first;
        alone = more > kShort || end > INT32_MAX || looks_a_run(idx + at + n, more);
        if (alone || n + more > kBlock) break;
        fill(block.base + n, more, static_cast<i32>(begin));
        fill(block.length + n, more, static_cast<u32>(end - begin));
        n += more;
        begin = end;
      }
      if (const i64 bad = move(block, at, first, n); bad >= 0) return bad;
      if (alone) {
        if (const i64 bad = one(k); bad >= 0) return bad;
        ++k;
      }
    }
    return -1;
  }
  i64 move(const Block& block, i64 at, i64 first, i64 n) const {
    const Idx* index = idx + at;
    const auto wild_at = [&](i64 i) { return outside(index[i], static_cast<i64>(block.length[i])); };
    u64 wild = 0;
    for (i64 i = 0; i < n; ++i) wild |= wild_at(i);
    if (wild != 0)
      for (i64 i = 0;; ++i)
        if (wild_at(i)) return at + i;
    const E* from = kGather ? v + first : v + at;
    E* to = kGather ? out + at : out + first;
    const auto move_one = [&](i64 i) {
      const i64 there = block.base[i] + index[i];
      to[kGather ? i : there] = from[kGather ? there : i];
    };
    // In order: the last writer of a place wins. The next block is asked for meanwhile; checks and moves by
    // turns are no stream to the hardware's prefetcher.
    constexpr i64 kSome = 64;
    constexpr i64 kLine = 8;
    i64 i = 0;
    for (; i + kSome <= n; i += kSome) {
      for (i64 j = i; j < i + kSome; j += kLine) {
        __builtin_prefetch(index + kBlock + j);
        if constexpr (!kGather) __builtin_prefetch(from + kBlock + j);
      }
      if constexpr (kGather) {
#pragma GCC ivdep
        for (i64 j = i; j < i + kSome; ++j) to[j] = from[block.base[j] + static_cast<i32>(index[j])];
      } else {
        for (i64 j = i; j < i + kSome; ++j) move_one(j);
      }
    }
    for (; i < n; ++i) move_one(i);
    return -1;
  }
};

template <typename E, typename Idx, bool kGather>
i64 move_segments(const void* v, const void* idx, const u8* flags, Segments source, Segments dest, i64 k0,
                  i64 k1, void* out) {
  return Segmented<E, Idx, kGather>{
      static_cast<const E*>(v), static_cast<const Idx*>(idx), flags,
      kGather ? dest : source,  kGather ? source : dest,      static_cast<E*>(out)}
      .run(k0, k1);
}

template <typename Idx>
void index_range(const void* pidx, i64 n, i64* range) {
  const Idx* idx = static_cast<const Idx*>(pidx);
  Idx lo = idx[0];
  Idx hi = idx[0];
  for (i64 i = 0; i < n; ++i) {
    lo = idx[i] < lo ? idx[i] : lo;
    hi = idx[i] > hi ? idx[i] : hi;
  }
  range[0] = lo;
  range[1] = hi;
}

void float_range(const void* v, i64 n, i64* range) {
  const i64* bits = static_cast<const i64*>(v);
  const auto ordered = [](i64 b) { return b ^ ((b >> 63) & INT64_MAX); };
  i64 lo = ordered(bits[0]);
  i64 hi = lo;
  for (i64 i = 0; i < n; ++i) {
    const i64 x = ordered(bits[i]);
    lo = x < lo ? x : lo;
    hi = x > hi ? x : hi;
  }
  range[0] = lo;
  range[1] = hi;
}

template <typename E, typename Idx>
void set(Table& t, int width, int index) {
  t.gather[width][index] = gather<E, Idx>;
  t.scatter[width][index] = scatter<E, Idx>;
  t.scatter_range[width][index] = scatter_range<E, Idx>;
  t.gather_segments[width][index] = move_segments<E, Idx, true>;
  t.scatter_segments[width][index] = move_segments<E, Idx, false>;
}
template <typename Idx>
void set_widths(Table& t, int index) {
  set<u8, Idx>(t, 0, index);
  set<u32, Idx>(t, 1, index);
  set<u64, Idx>(t, 2, index);
  t.index_range[index] = index_range<Idx>;
  t.run_length[index] = run_length<Idx>;
}

}  // namespace

void fill_move(Table& t) {
  t.float_range = float_range;
  t.reverse[0] = reverse<u8>;
  t.reverse[1] = reverse<u32>;
  t.reverse[2] = reverse<u64>;
  set_widths<i32>(t, 0);
  set_widths<i64>(t, 1);
}

}  // namespace nvm::vm::kernels::NVM_ISA
