// The levels of the fixed tree above the elements (vm/simd/reduce_tree.h): what is done with the totals of a segment's
// units. Up to NVM_MANY are combined in order (carry.cuh); more are cut into superblocks of NVM_MANY, each folded or
// scanned as a unit of elements is. In order again: a scan's superblocks, so it has up to 2^33 elements; and what is
// above the second level of a reduction, of up to 2^44.
#define NVM_UNIT 2048
#define NVM_MANY 2048

// lane[l] = lane[l] op lane[l + w] for w = 8, 4, 2, 1 among 16 lanes, kWidth to a thread; the result in the first.
template <class Op, class T, int kWidth>
NVM_DEV T nvm_fold_lanes(T (&x)[kWidth]) {
  const int team = 16 / kWidth;
  const unsigned mask = ((1u << team) - 1) << (threadIdx.x & 31 & ~(team - 1));
#pragma unroll
  for (int w = 8; w > 0; w /= 2) {
#pragma unroll
    for (int e = 0; e < kWidth; ++e) {
      if (w >= kWidth)
        x[e] = Op::apply(x[e], nvm_as<T>(__shfl_down_sync(mask, nvm_bits(x[e]), w / kWidth, team)));
      else if (e < w)
        x[e] = Op::apply(x[e], x[e + w]);
    }
  }
  return x[0];
}

// A chunk of kCount elements that a warp reads in order, packs of kWidth to a thread, and then folds by lanes: it is put
// into shared memory so that neither meets a bank twice.
template <int kWidth, int kCount>
NVM_DEV int nvm_staged(int at) {
  return at % kWidth * (kCount / kWidth + 16 / kWidth) + at / kWidth;
}
// lane op the elements of this thread's lane, of the first `count` of a chunk that begins at `first`; by one whole warp,
// whose halves do the same.
template <class Op, int kWidth, int kCount, class T, class S>
NVM_DEV T nvm_fold_staged(T lane, S& stage, int first, i64 count) {
  const int l = (int)threadIdx.x & 15;
  __syncwarp();
  if (count >= kCount) {
#pragma unroll
    for (int at = 0; at < kCount; at += 16)
      lane = Op::apply(lane, nvm_as<T>((u64)stage[first + nvm_staged<kWidth, kCount>(l) + at / kWidth]));
  } else {
#pragma unroll 1
    for (int at = 0; at + l < (int)count; at += 16)
      lane = Op::apply(lane, nvm_as<T>((u64)stage[first + nvm_staged<kWidth, kCount>(l) + at / kWidth]));
  }
  __syncwarp();
  return lane;
}

// The inclusive scan of a group.
template <class Op, class T>
NVM_DEV void nvm_scan_eight(T (&s)[8]) {
#pragma unroll
  for (int k = 1; k < 8; k += 2) s[k] = Op::apply(s[k - 1], s[k]);
#pragma unroll
  for (int k = 0; k < 8; k += 4) {
    s[k + 2] = Op::apply(s[k + 1], s[k + 2]);
    s[k + 3] = Op::apply(s[k + 1], s[k + 3]);
  }
#pragma unroll
  for (int k = 4; k < 8; ++k) s[k] = Op::apply(s[3], s[k]);
}

// ---- totals one after the other, by a thread or by several that see the same ----

// Of a reduction.
template <class Op, class T>
struct nvm_totals {
  T id, in_order, above, lane[16];
  i64 count;
  __device__ __forceinline__ void start(T identity) {
    id = in_order = above = identity;
    count = 0;
  }
  __device__ __forceinline__ void push(T x) {
    const int at = (int)(count++ % NVM_MANY);
    if (count <= NVM_MANY) in_order = Op::apply(in_order, x);
    lane[at % 16] = Op::apply(at < 16 ? id : lane[at % 16], x);
    if (at + 1 == NVM_MANY) above = Op::apply(above, folded(NVM_MANY));
  }
  __device__ __forceinline__ T total() const {
    if (count <= NVM_MANY) return in_order;
    const int rest = (int)(count % NVM_MANY);
    return rest == 0 ? above : Op::apply(above, folded(rest));
  }
  __device__ __forceinline__ T folded(int n) const {
    T x[16];
    for (int l = 0; l < 16; ++l) x[l] = l < n ? lane[l] : id;
    for (int w = 8; w > 0; w /= 2)
      for (int l = 0; l < w; ++l) x[l] = Op::apply(x[l], x[l + w]);
    return x[0];
  }
};

// Of a scan over n elements: what the next unit starts from.
template <class Op, class T>
struct nvm_carries {
  T id, next, above, local, held[8];
  i64 count;
  bool many;
  __device__ __forceinline__ void start(i64 n, T identity) {
    id = next = above = local = identity;
    count = 0;
    many = !nvm_any_order<T>::value && n > (i64)NVM_MANY * NVM_UNIT;
  }
  __device__ __forceinline__ void push(T x) {
    if (!many) {
      next = Op::apply(next, x);
      return;
    }
    const int at = (int)(count++ % 8);
    held[at] = x;
    T s[8];
    for (int k = 0; k < 8; ++k) s[k] = k <= at ? held[k] : id;
    nvm_scan_eight<Op>(s);
    T before = s[at];
    if (at == 7) {
      local = Op::apply(local, s[7]);
      before = id;
    }
    if (count % NVM_MANY == 0) {
      above = Op::apply(above, local);
      local = id;
    }
    next = Op::apply(above, Op::apply(local, before));
  }
};

// ---- totals that blocks publish ----

template <class T>
NVM_DEV T nvm_await(const u64* state, i64 t) {
  ulonglong2 x = nvm_published(state, t);
  while (x.x == 0) {
    __nanosleep(40);
    x = nvm_published(state, t);
  }
  return nvm_as<T>(x.y);
}

// Lane `lane` of 16 over the totals first .. first + count - 1.
#define NVM_AHEAD 8
template <class Op, class T>
NVM_DEV T nvm_lane_of_many(const u64* state, i64 first, int count, int lane, T id) {
  for (int base = lane; base < count; base += 16 * NVM_AHEAD) {
    ulonglong2 x[NVM_AHEAD];
#pragma unroll
    for (int k = 0; k < NVM_AHEAD; ++k)
      if (base + 16 * k < count) x[k] = nvm_published(state, first + base + 16 * k);
#pragma unroll
    for (int k = 0; k < NVM_AHEAD; ++k) {
      if (base + 16 * k >= count) break;
      while (x[k].x == 0) {
        __nanosleep(40);
        x[k] = nvm_published(state, first + base + 16 * k);
      }
      id = Op::apply(id, nvm_as<T>(x[k].y));
    }
  }
  return id;
}

// Folds more than NVM_MANY totals as they arrive, two superblocks side by side; by one whole warp.
template <class Op, class T>
NVM_FAR T nvm_fold_many(const u64* state, i64 count, T id) {
  const int half = (int)(threadIdx.x & 31) / 16;
  nvm_totals<Op, T> all;
  all.start(id);
  for (i64 base = 0; base < count; base += 2 * NVM_MANY) {
    const i64 left = count - base - NVM_MANY * half;
    const int here = left < 0 ? 0 : left < NVM_MANY ? (int)left : NVM_MANY;
    T x[1] = {nvm_lane_of_many<Op>(state, base + NVM_MANY * half, here, (int)threadIdx.x & 15, id)};
    __syncwarp();
    const T total = nvm_fold_lanes<Op>(x);
    for (int h = 0; h < 2; ++h) {
      const T one = nvm_as<T>(__shfl_sync(NVM_ALL, nvm_bits(total), 16 * h));
      if (base + NVM_MANY * h < count) all.push(one);
    }
  }
  return all.total();
}

// Folds `count` totals published with flag 1, in order, as they arrive; by one whole warp. While it folds some, the
// next are on their way: the chain of operations, one behind the other, is all that it waits for.
#define NVM_ARRIVING 4  // by a lane at once
template <class Op, class T>
NVM_FAR T nvm_fold_arriving(const u64* state, i64 count, T id) {
  NVM_SHARED(u64, arrived, 32 * NVM_ARRIVING);
  const int lane = threadIdx.x & 31;
  ulonglong2 next[NVM_ARRIVING];
#pragma unroll
  for (int k = 0; k < NVM_ARRIVING; ++k) {
    next[k].x = next[k].y = 0;
    if (32 * k + lane < count) next[k] = nvm_published(state, 32 * k + lane);
  }
  const bool any_order = nvm_any_order<T>::value;
  if (!any_order && count > NVM_MANY) return nvm_fold_many<Op, T>(state, count, id);
  T result = id, mine = id;
  for (i64 base = 0; base < count; base += 32 * NVM_ARRIVING) {
#pragma unroll
    for (int k = 0; k < NVM_ARRIVING; ++k) {
      const i64 at = base + 32 * k + lane;
      while (at < count && next[k].x == 0) {
        __nanosleep(40);
        next[k] = nvm_published(state, at);
      }
      if (!any_order)
        arrived[32 * k + lane] = next[k].y;
      else if (at < count)
        mine = Op::apply(mine, nvm_as<T>(next[k].y));
    }
    __syncwarp();
#pragma unroll
    for (int k = 0; k < NVM_ARRIVING; ++k) {
      const i64 at = base + 32 * (NVM_ARRIVING + k) + lane;
      next[k].x = 0;
      if (at < count) next[k] = nvm_published(state, at);
    }
    if (any_order) continue;
    if (count - base >= 32 * NVM_ARRIVING) {
#pragma unroll 32
      for (int l = 0; l < 32 * NVM_ARRIVING; ++l) result = Op::apply(result, nvm_as<T>((u64)arrived[l]));
    } else {
      for (int l = 0; l < (int)(count - base); ++l) result = Op::apply(result, nvm_as<T>((u64)arrived[l]));
    }
    __syncwarp();
  }
  return any_order ? nvm_fold_warp<Op>(mine) : result;
}

// Segments of many units, whose tiles follow each other. Tile t has unit `number`, not the first, with the total `own`;
// the segment goes on behind it or not. Beside the units' totals in `state` there is `far`, of which a reduction keeps
// at the last unit of a superblock what that comes to; a scan at the last unit of a group `local` behind it, and at the
// first of a superblock C. By one whole warp.

// What the segment comes to, if it ends here.
template <class Op, class T>
NVM_FAR T nvm_total_of_many(const u64* state, u64* far, i64 t, i64 number, bool goes_on, T own, T id) {
  const int lane = (int)threadIdx.x & 15;
  const int at = (int)(number % NVM_MANY);
  if (goes_on && at + 1 < NVM_MANY) return id;
  T x[1] = {nvm_lane_of_many<Op>(state, t - at, at, lane, id)};
  if (lane == at % 16) x[0] = Op::apply(x[0], own);
  __syncwarp();
  const T mine = nvm_as<T>(__shfl_sync(NVM_ALL, nvm_bits(nvm_fold_lanes<Op>(x)), 0));
  if (goes_on) {
    if ((threadIdx.x & 31) == 0) nvm_publish(far, t, 1, nvm_bits(mine));
    return id;
  }
  nvm_totals<Op, T> all;
  all.start(id);
  for (i64 unit = NVM_MANY - 1; unit < number - at; unit += NVM_MANY)
    all.push(nvm_await<T>(far, t - number + unit));
  all.push(mine);
  return all.total();
}

// `local` behind the first `groups` groups of the superblock that begins with tile `first`: from the nearest that is
// known, which is among the last 32 sooner or later.
template <class Op, class T>
NVM_FAR T nvm_local_of_many(const u64* state, const u64* far, i64 first, int groups, T id) {
  const int lane = (int)threadIdx.x & 31;
  const int group = groups - 1 - lane;
  for (;;) {
    ulonglong2 seen;
    seen.x = seen.y = 0;
    if (group >= 0) seen = nvm_published(far, first + 8 * group + 7);
    const int known = nvm_see(seen.x != 0 ? 2 : 0).full;
    if (known == 32 && groups > 32) {
      __nanosleep(40);
      continue;
    }
    const int open = known < groups ? known : groups;
    T sum = id;
    if (lane < open) {
      T s[8];
      for (int k = 0; k < 8; ++k) s[k] = nvm_await<T>(state, first + 8 * group + k);
      nvm_scan_eight<Op>(s);
      sum = s[7];
    }
    __syncwarp();
    T local = id;
    if (known < 32) local = nvm_as<T>(__shfl_sync(NVM_ALL, seen.y, known));
    for (int l = open - 1; l >= 0; --l)
      local = Op::apply(local, nvm_as<T>(__shfl_sync(NVM_ALL, nvm_bits(sum), l)));
    return local;
  }
}

// What the group starts from that the unit is in: `above`, and `local` behind the groups before it in the superblock.
template <class Op, class T>
NVM_FAR void nvm_reach_many(const u64* state, u64* far, i64 t, i64 number, bool goes_on, T id, T& above, T& local) {
  const int at = (int)(number % NVM_MANY);
  const i64 first = at == 0 ? t - NVM_MANY : t - at;
  local = nvm_local_of_many<Op, T>(state, far, first, at == 0 ? NVM_MANY / 8 : at / 8, id);
  above = nvm_await<T>(far, first);
  __syncwarp();
  if (at != 0) return;
  above = Op::apply(above, local);
  local = id;
  if ((threadIdx.x & 31) == 0 && goes_on) nvm_publish(far, t, 1, nvm_bits(above));
}
// What the tile's unit starts from.
template <class Op, class T>
NVM_FAR T nvm_carry_of_many(const u64* state, u64* far, i64 t, i64 number, bool goes_on, T own, T id) {
  const int in_group = (int)(number % 8);
  T above, local;
  nvm_reach_many<Op, T>(state, far, t, number, goes_on, id, above, local);
  T s[8];
  for (int k = 0; k < 8; ++k) s[k] = k < in_group ? nvm_await<T>(state, t - in_group + k) : own;
  nvm_scan_eight<Op>(s);
  if ((threadIdx.x & 31) == 0 && goes_on && in_group == 7)
    nvm_publish(far, t, 1, nvm_bits(Op::apply(local, s[7])));
  T before = id;
#pragma unroll
  for (int k = 1; k < 8; ++k)
    if (k == in_group) before = s[k - 1];
  return Op::apply(above, Op::apply(local, before));
}
