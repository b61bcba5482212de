// Reductions, scans and compaction in one pass over tiles of a segmented space. The order of combination is the
// CPU's (vm/simd/reduce_tree.h) for every type: a segment of at most 32 elements left to right; a longer one in units
// of 2048 elements from its start, whose totals are combined by tree.cuh. A unit lies in one tile: tile t covers the units
// that start in [2048 t, 2048 (t + 1)), hence fewer than 4096 elements. Values handed from tile to tile go through
// decoupled look-back (Merrill and Garland 2016; carry.cuh), folded from left to right, so bits do not depend on timing.
#define NVM_SEQUENTIAL 32
#define NVM_THREADS 256
#define NVM_WARPS 8
#define NVM_BIG 512  // units above take the whole block, others a warp
#define NVM_BOX 12  // words that hand on
#define NVM_PAD(i) ((i) + ((i) >> 3))  // groups of 8 fall into different banks

// Element j of a thread, counted from the tile's begin: kWidth neighbours at a time, from a multiple of kWidth; so the
// first may be negative.
template <int kWidth>
NVM_DEV int nvm_place(int j, i64 begin) {
  return (j / kWidth * NVM_THREADS + (int)threadIdx.x) * kWidth + j % kWidth - (int)(begin % kWidth);
}

// Tiles in the order in which blocks start, so that a tile only waits for tiles that run.
template <class S>
NVM_DEV i64 nvm_ticket(S& box, u64* ticket) {
  if (threadIdx.x == 0) box[0] = atomicAdd(ticket, 1ull);
  __syncthreads();
  const i64 t = (i64)box[0];
  __syncthreads();
  return t;
}

// A tile's elements, and segments of which the first is not behind them and the last not before.
struct nvm_span {
  i64 begin, end, first, last;
};
template <class G, class S>
NVM_DEV nvm_span nvm_range(const G& g, i64 n, i64 t, S& box) {
  const int side = (int)threadIdx.x / 32;
  if (side < 2 && n > 0) {
    const i64 p = (t + side) * NVM_UNIT;  // the first unit that starts at or behind it
    const i64 s = g.find(p < n ? p : n - 1, n);
    const i64 start = g.offset(s), stop = g.offset(s + 1);
    const i64 unit = start + (p - start + NVM_UNIT - 1) / NVM_UNIT * NVM_UNIT;
    if (threadIdx.x % 32 == 0) {
      box[side] = (u64)(unit < stop ? unit : stop);
      box[2 + side] = (u64)s;
    }
  }
  __syncthreads();
  nvm_span span = {0, 0, 0, -1};
  if (n > 0) span = {(i64)box[0], (i64)box[1], (i64)box[2], (i64)box[3]};
  __syncthreads();
  return span;
}

// visit(s, start, stop) for every segment with elements in the tile. Offsets are read one ahead. Where there are far more
// segments than elements, those with elements are looked for.
#define NVM_CROWDED 16384
template <class G, class F>
NVM_DEV void nvm_each_segment(const G& g, const nvm_span& span, F visit) {
  if (span.last - span.first >= NVM_CROWDED) {
#pragma unroll 1
    for (i64 i = span.begin + threadIdx.x; i < span.end; i += NVM_THREADS) {
      const i64 s = g.within(span.first, span.last, i);
      const i64 start = g.offset(s);
      if (i == start || i == span.begin) visit(s, start, g.offset(s + 1));
    }
    return;
  }
  i64 s = span.first + threadIdx.x;
  i64 start = 0, stop = 0;
  if (s <= span.last) start = g.offset(s), stop = g.offset(s + 1);
#pragma unroll 1
  while (s <= span.last) {
    const i64 next = s + NVM_THREADS;
    i64 next_start = 0, next_stop = 0;
    if (next <= span.last) next_start = g.offset(next), next_stop = g.offset(next + 1);
    if (start < stop && start < span.end && stop > span.begin) visit(s, start, stop);
    s = next, start = next_start, stop = next_stop;
  }
}

// Units of the tile that belong to segments of more than NVM_SEQUENTIAL elements, of which a tile has one each: list[0]
// of them, in any order; unit u starts list[1 + 2 u] >> 32 elements behind the tile's begin, has as many as the low half
// says, and belongs to segment list[2 + 2 u]. The unit that continues a segment from the tile before starts at 0 and
// has bit 31 set.
#define NVM_LIST 264
#define NVM_CONTINUES 0x80000000ull
template <class G, class S>
NVM_DEV void nvm_list_units(const G& g, const nvm_span& span, S& list) {
  NVM_SHARED(unsigned, units, 1);  // of 32 bits, since shared memory adds no wider ones at once
  if (threadIdx.x == 0) units[0] = 0;
  __syncthreads();
  nvm_each_segment(g, span, [&](i64 s, i64 start, i64 stop) {
    if (stop - start <= NVM_SEQUENTIAL) return;
    const bool continues = start < span.begin;
    const i64 from = continues ? span.begin : start;
    const i64 length = (stop < span.end ? stop : span.end) - from;
    const unsigned u = nvm_shared_add(units, 0, 1);
    list[1 + 2 * u] = (u64)(from - span.begin) << 32 | (u64)length | (continues ? NVM_CONTINUES : 0);
    list[2 + 2 * u] = (u64)s;
  });
  __syncthreads();
  if (threadIdx.x == 0) list[0] = (unsigned)units[0];
  __syncthreads();
}
struct nvm_unit {
  i64 start, length, segment;
  bool continues;
};
template <class S>
NVM_DEV nvm_unit nvm_unit_of(S& list, int u) {
  const u64 word = list[1 + 2 * u];
  return {(i64)(word >> 32), (i64)(word & 0x7fffffff), (i64)(u64)list[2 + 2 * u], (word & NVM_CONTINUES) != 0};
}

// What a tile receives and hands on; in shared memory. box[2]: 1 if its last unit goes on behind the tile, 2 if that
// unit continues too; box[3]: its total; box[4]: the carry received; box[5]: 1 if one is needed; box[0]: the total of
// the unit that continues; box[6]: its number in a segment of many units, else 0; box[7]: 1 if the last unit lies in
// such a segment. Of many units, a reduction receives what the segment comes to, if it ends here.
template <class Op, class T, bool kScan, class S>
NVM_DEV void nvm_hand_on(S& box, u64* state, u64* far, i64 t, T id) {
  if (threadIdx.x < 32) {
    const u64 out = box[2];
    const T total = nvm_as<T>(box[3]);
    const bool many = !nvm_any_order<T>::value && box[7] != 0;
    const i64 number = nvm_any_order<T>::value ? 0 : (i64)box[6];
    if (threadIdx.x == 0 && out == 1 && many) nvm_publish(far, t, 1, nvm_bits(id));
    if (threadIdx.x == 0 && out == 1 && !many) nvm_publish(state, t, 2, nvm_bits(Op::apply(id, total)));
    if (threadIdx.x == 0 && (out == 2 || (out == 1 && many))) nvm_publish(state, t, 1, nvm_bits(total));
    if (number != 0) {
      const T own = nvm_as<T>(box[0]);
      const T carry = kScan ? nvm_carry_of_many<Op, T>(state, far, t, number, out == 2, own, id)
                            : nvm_total_of_many<Op, T>(state, far, t, number, out == 2, own, id);
      if (threadIdx.x == 0) box[4] = nvm_bits(carry);
    } else if (box[5] != 0) {
      const T carry = nvm_lookback<Op, T>(state, t, id);
      if (threadIdx.x == 0 && out == 2) nvm_publish(state, t, 2, nvm_bits(Op::apply(carry, total)));
      __syncwarp();
      if (threadIdx.x == 0) box[4] = nvm_bits(carry);
    }
  }
  __syncthreads();
}
template <class G, class S>
NVM_DEV void nvm_note_total(const G& g, S& box, const nvm_unit& unit, i64 begin, i64 end, u64 total) {
  const i64 first = g.offset(unit.segment);
  const bool many = g.offset(unit.segment + 1) - first > (i64)NVM_MANY * NVM_UNIT;
  if (unit.continues) {
    box[5] = 1;
    box[0] = total;
    if (many) box[6] = (u64)((begin - first) / NVM_UNIT);
  }
  if (begin + unit.start + unit.length < end || g.offset(unit.segment + 1) <= end) return;
  box[2] = unit.continues ? 2 : 1;
  box[3] = total;
  box[7] = many ? 1 : 0;
}

// A team of threads: the whole block or one warp.
struct nvm_team {
  int rank, size;
  __device__ __forceinline__ void wait() const {
    if (size == NVM_THREADS)
      __syncthreads();
    else
      __syncwarp();
  }
};
template <class F>
NVM_DEV void nvm_share_units(int units, bool big, F work) {
  const int warp = (int)threadIdx.x / 32;
  const nvm_team team = big ? nvm_team{(int)threadIdx.x, NVM_THREADS} : nvm_team{(int)threadIdx.x & 31, 32};
#pragma unroll 1
  for (int u = 0; u < units; ++u)
    if (big || u % NVM_WARPS == warp) work(u, team);
}

// The exclusive scan of `count` groups' totals, kStep cells from one to the next, in order, by one thread; returns what they
// come to. The next ones are read before these are written, since the chain is long enough without waiting for memory.
template <class Op, class T, int kStep, class S>
NVM_DEV T nvm_scan_totals(S& tile, int at, int count, T id) {
  const int many = 8;
  T local = id;
  T next[many];
  const int whole = count / many * many;
  if (whole > 0)
#pragma unroll
    for (int k = 0; k < many; ++k) next[k] = nvm_as<T>(tile[at + kStep * k]);
#pragma unroll 2
  for (int g = 0; g < whole; g += many, at += kStep * many) {
    T now[many];
#pragma unroll
    for (int k = 0; k < many; ++k) now[k] = next[k];
    if (g + many < whole)
#pragma unroll
      for (int k = 0; k < many; ++k) next[k] = nvm_as<T>(tile[at + kStep * (many + k)]);
#pragma unroll
    for (int k = 0; k < many; ++k) {
      tile[at + kStep * k] = nvm_bits(local);
      local = Op::apply(local, now[k]);
    }
  }
#pragma unroll 1
  for (int g = whole; g < count; ++g, at += kStep) {
    const T group = nvm_as<T>(tile[at]);
    tile[at] = nvm_bits(local);
    local = Op::apply(local, group);
  }
  return local;
}

// First half of a unit's scan: groups of 8 in place, place 0 of each for what stands before it in the unit.
// Returns the unit's total to the team's first thread.
template <class Op, class T, class S>
NVM_DEV T nvm_scan_groups(S& tile, const nvm_unit& unit, const nvm_team& team, T id) {
  const int length = (int)unit.length;
  const int start = (int)unit.start;
#pragma unroll 1
  for (int g = team.rank * 8; g < length; g += team.size * 8) {
    T s[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) s[k] = g + k < length ? nvm_as<T>(tile[NVM_PAD(start + g + k)]) : id;
    nvm_scan_eight<Op>(s);
    tile[NVM_PAD(start + g)] = nvm_bits(s[7]);
#pragma unroll
    for (int k = 1; k < 8; ++k)
      if (g + k < length) tile[NVM_PAD(start + g + k)] = nvm_bits(s[k - 1]);
  }
  team.wait();
  T local = id;
  if (team.rank == 0) local = nvm_scan_totals<Op, T, 9>(tile, NVM_PAD(start), (length + 7) / 8, id);
  team.wait();
  return local;
}
template <class Op, class T, class S>
NVM_DEV void nvm_scan_apply(S& tile, const nvm_unit& unit, const nvm_team& team, T carry, T id) {
  const int length = (int)unit.length;
  const int start = (int)unit.start;
#pragma unroll 1
  for (int g = team.rank * 8; g < length; g += team.size * 8) {
    T s[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) s[k] = g + k < length ? nvm_as<T>(tile[NVM_PAD(start + g + k)]) : id;
    const T local = s[0];
    s[0] = id;
#pragma unroll
    for (int k = 0; k < 8; ++k)
      if (g + k < length) tile[NVM_PAD(start + g + k)] = nvm_bits(Op::apply(carry, Op::apply(local, s[k])));
  }
}

// The values of the tile's elements into shared memory, and back.
template <int kWidth, int kItems, class T, class S>
NVM_DEV void nvm_put(S& tile, const T (&value)[kItems], i64 begin, i64 end) {
#pragma unroll
  for (int j = 0; j < kItems; ++j) {
    const int at = nvm_place<kWidth>(j, begin);
    if (at >= 0 && at < (int)(end - begin)) tile[NVM_PAD(at)] = nvm_bits(value[j]);
  }
  __syncthreads();
}
template <int kWidth, int kItems, class T, class S>
NVM_DEV void nvm_get(S& tile, T (&value)[kItems], i64 begin, i64 end) {
  __syncthreads();
#pragma unroll
  for (int j = 0; j < kItems; ++j) {
    const int at = nvm_place<kWidth>(j, begin);
    value[j] = at >= 0 && at < (int)(end - begin) ? nvm_as<T>((u64)tile[NVM_PAD(at)]) : T();
  }
  __syncthreads();
}

// `value` becomes its exclusive scan.
template <class Op, class T, int kWidth, int kItems, class G, class S, class L, class X>
NVM_DEV void nvm_tile_scan(S& tile, L& list, X& box, const G& g, const nvm_span& span, T (&value)[kItems], T id,
                           u64* state, u64* far, i64 t) {
  const i64 begin = span.begin, end = span.end;
  if (threadIdx.x == 0) box[2] = box[5] = box[6] = box[7] = 0;
  nvm_put<kWidth>(tile, value, begin, end);
  nvm_each_segment(g, span, [&](i64, i64 start, i64 stop) {
    if (stop - start > NVM_SEQUENTIAL) return;
    T before = id;
#pragma unroll 1
    for (int at = (int)(start - begin); at < (int)(stop - begin); ++at) {
      const T x = nvm_as<T>(tile[NVM_PAD(at)]);
      tile[NVM_PAD(at)] = nvm_bits(before);
      before = Op::apply(before, x);
    }
  });
  const int units = (int)list[0];
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    const bool big = pass == 0;
    nvm_share_units(units, big, [&](int u, const nvm_team& team) {
      const nvm_unit unit = nvm_unit_of(list, u);
      if ((unit.length > NVM_BIG) != big) return;
      const T total = nvm_scan_groups<Op, T>(tile, unit, team, id);
      if (team.rank == 0) nvm_note_total(g, box, unit, begin, end, nvm_bits(total));
    });
  }
  __syncthreads();
  nvm_hand_on<Op, T, true>(box, state, far, t, id);
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    const bool big = pass == 0;
    nvm_share_units(units, big, [&](int u, const nvm_team& team) {
      const nvm_unit unit = nvm_unit_of(list, u);
      if ((unit.length > NVM_BIG) != big) return;
      nvm_scan_apply<Op, T>(tile, unit, team, unit.continues ? nvm_as<T>(box[4]) : id, id);
    });
  }
  nvm_get<kWidth>(tile, value, begin, end);
}

// write(s, x) for every segment s that ends in the tile and is not empty.
template <class Op, class T, int kWidth, int kItems, class G, class S, class L, class X, class W>
NVM_DEV void nvm_tile_reduce(S& tile, L& list, X& box, const G& g, const nvm_span& span, const T (&value)[kItems],
                             T id, u64* state, u64* far, i64 t, W write) {
  const i64 begin = span.begin, end = span.end;
  const int tid = (int)threadIdx.x;
  if (tid == 0) box[2] = box[5] = box[6] = box[7] = 0;
  nvm_put<kWidth>(tile, value, begin, end);
  nvm_each_segment(g, span, [&](i64 s, i64 start, i64 stop) {
    if (stop - start > NVM_SEQUENTIAL) return;
    T total = id;
#pragma unroll 4
    for (int at = (int)(start - begin); at < (int)(stop - begin); ++at)
      total = Op::apply(total, nvm_as<T>(tile[NVM_PAD(at)]));
    write(s, total);
  });
  const int units = (int)list[0];
  T tail = id;
  i64 tail_segment = -1;
#pragma unroll 1
  for (int u = tid / 16; u < units; u += NVM_THREADS / 16) {
    const nvm_unit unit = nvm_unit_of(list, u);
    T lane[1] = {id};
#pragma unroll 8
    for (int k = tid & 15; k < (int)unit.length; k += 16)
      lane[0] = Op::apply(lane[0], nvm_as<T>(tile[NVM_PAD((int)unit.start + k)]));
    const T total = nvm_fold_lanes<Op>(lane);
    if ((tid & 15) != 0) continue;
    nvm_note_total(g, box, unit, begin, end, nvm_bits(total));
    if (g.offset(unit.segment + 1) > begin + unit.start + unit.length) continue;
    if (!unit.continues) {
      write(unit.segment, Op::apply(id, total));
    } else {
      tail = total;
      tail_segment = unit.segment;
    }
  }
  __syncthreads();
  nvm_hand_on<Op, T, false>(box, state, far, t, id);
  if (tail_segment >= 0) {
    const bool many = !nvm_any_order<T>::value && box[6] != 0;
    write(tail_segment, many ? nvm_as<T>(box[4]) : Op::apply(nvm_as<T>(box[4]), tail));
  }
  __syncthreads();
}

// rank[j], -1 where element j is not kept, becomes how many elements of the tile before it are, where it is. Returns how
// many the tile keeps, which those behind may count on.
#define NVM_COUNTS 136
template <int kWidth, int kItems, class S>
NVM_DEV int nvm_rank(S& counts, int (&rank)[kItems], u64* state, i64 t) {
  const int lane = (int)threadIdx.x & 31;
  const int warp = (int)threadIdx.x / 32;
  const int groups = kItems / kWidth;
  for (int q = 0; q < groups; ++q) {
    int before = 0, all = 0;
    for (int e = 0; e < kWidth; ++e) {
      const unsigned kept = __ballot_sync(NVM_ALL, rank[q * kWidth + e] >= 0);
      before += __popc(kept & ((1u << lane) - 1));
      all += __popc(kept);
    }
    for (int e = 0; e < kWidth; ++e) {
      if (rank[q * kWidth + e] >= 0) rank[q * kWidth + e] = before++;
    }
    if (lane == 0) counts[q * NVM_WARPS + warp] = (u64)all;
  }
  __syncthreads();
  if (warp == 0) {
    int total = 0;
    for (int base = 0; base < groups * NVM_WARPS; base += 32) {
      const bool there = base + lane < groups * NVM_WARPS;
      const int mine = there ? (int)counts[base + lane] : 0;
      int sum = mine;
      for (int w = 1; w < 32; w *= 2) {
        const int other = __shfl_up_sync(NVM_ALL, sum, w);
        if (lane >= w) sum += other;
      }
      if (there) counts[base + lane] = (u64)(total + sum - mine);
      total += __shfl_sync(NVM_ALL, sum, 31);
    }
    if (lane == 0) {
      nvm_publish(state, t, t == 0 ? 2 : 1, (u64)total);
      counts[groups * NVM_WARPS] = (u64)total;
    }
  }
  __syncthreads();
  const int kept = (int)counts[groups * NVM_WARPS];
  for (int j = 0; j < kItems; ++j)
    if (rank[j] >= 0) rank[j] += (int)counts[j / kWidth * NVM_WARPS + warp];
  __syncthreads();
  return kept;
}
// How many the tiles before keep, of which this one keeps `kept`.
template <class S>
NVM_DEV i64 nvm_kept_before(S& counts, int kept, u64* state, i64 t) {
  if (threadIdx.x < 32) {
    const i64 before = t > 0 ? nvm_lookback<nvm_op_add, i64>(state, t, (i64)0) : 0;
    if (threadIdx.x == 0) {
      if (t > 0) nvm_publish(state, t, 2, (u64)(before + kept));
      counts[0] = (u64)before;
    }
  }
  __syncthreads();
  const i64 before = (i64)counts[0];
  __syncthreads();
  return before;
}
