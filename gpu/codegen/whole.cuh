// Scans and reductions of the whole space in one pass, in tiles of two units (reduce_tree.h), whose totals stand in
// `state`, and what tree.cuh keeps of many in `far`, by unit. Types that may be combined in any order have one entry of
// `state` for a tile. While one warp scans the totals of the groups in a unit, another looks back.
#define NVM_WHOLE_UNITS 2
#define NVM_WHOLE (NVM_WHOLE_UNITS * NVM_UNIT)
#define NVM_GROUPS 257  // of a unit and one more, so that units fall into different banks

NVM_DEV int nvm_whole_count(i64 n, i64 t) {
  return n - t * NVM_WHOLE < NVM_WHOLE ? (int)(n - t * NVM_WHOLE) : NVM_WHOLE;
}

// x becomes the exclusive scan over the block's threads, in order; returns what all come to. In any order.
template <class Op, class T, class S>
NVM_DEV T nvm_scan_block(S& warps, T& x, T id) {
  const int lane = (int)threadIdx.x & 31;
  const int warp = (int)threadIdx.x / 32;
  T sum = x;
  for (int w = 1; w < 32; w *= 2) {
    const T other = nvm_as<T>(__shfl_up_sync(NVM_ALL, nvm_bits(sum), w));
    if (lane >= w) sum = Op::apply(other, sum);
  }
  if (lane == 31) warps[warp] = nvm_bits(sum);
  const T before = nvm_as<T>(__shfl_up_sync(NVM_ALL, nvm_bits(sum), 1));
  __syncthreads();
  x = id;
  T all = id;
  for (int w = 0; w < NVM_WARPS; ++w) {
    if (w == warp) x = all;
    all = Op::apply(all, nvm_as<T>((u64)warps[w]));
  }
  if (lane > 0) x = Op::apply(x, before);
  return all;
}

// What stands before a tile, and after the call before its units: in order.
template <class Op, class T, class S, class X>
NVM_DEV void nvm_whole_carries(S& totals, X& box, i64 n, i64 t, T id, u64* state, u64* far, T (&carry)[NVM_WHOLE_UNITS]) {
  const i64 unit = t * NVM_WHOLE_UNITS;
  const bool many = n > (i64)NVM_MANY * NVM_UNIT;
  const int in_group = (int)(unit % 8);
  const int tid = (int)threadIdx.x;
  const i64 units = (n + NVM_UNIT - 1) / NVM_UNIT;
  if (tid < NVM_WHOLE_UNITS) {
    const T total = nvm_scan_totals<Op, T, 1>(totals, tid * NVM_GROUPS, NVM_UNIT / 8, id);
    if (unit + tid + 1 < units) nvm_publish(state, unit + tid, 1, nvm_bits(total));
    box[2 + in_group + tid] = nvm_bits(total);
  } else if (tid / 32 == 1) {
    T above = id, local = id;
    if (!many) {
      if (unit > 0) above = nvm_lookback<Op, T>(state, unit, id);
    } else if (unit == 0) {
      if (tid == 32) nvm_publish(far, 0, 1, nvm_bits(id));
    } else {
      nvm_reach_many<Op, T>(state, far, unit, unit, true, id, above, local);
      if (tid - 32 < in_group) box[2 + tid - 32] = nvm_bits(nvm_await<T>(state, unit - in_group + tid - 32));
    }
    if (tid == 32) box[0] = nvm_bits(above);
    if (tid == 32) box[1] = nvm_bits(local);
  }
  __syncthreads();
  const T above = nvm_as<T>((u64)box[0]);
  if (!many) {
    T at = above;
#pragma unroll
    for (int u = 0; u < NVM_WHOLE_UNITS; ++u) {
      carry[u] = at;
      at = Op::apply(at, nvm_as<T>((u64)box[2 + in_group + u]));
    }
    if (tid == NVM_WHOLE_UNITS - 1 && unit + tid + 1 < units) nvm_publish(state, unit + tid, 2, nvm_bits(at));
    return;
  }
  const T local = nvm_as<T>((u64)box[1]);
  T s[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) s[k] = k < in_group + NVM_WHOLE_UNITS ? nvm_as<T>((u64)box[2 + k]) : id;
  nvm_scan_eight<Op>(s);
  if (in_group + NVM_WHOLE_UNITS == 8 && tid == 0 && unit + NVM_WHOLE_UNITS < units)
    nvm_publish(far, unit + NVM_WHOLE_UNITS - 1, 1, nvm_bits(Op::apply(local, s[7])));
#pragma unroll
  for (int u = 0; u < NVM_WHOLE_UNITS; ++u) {
    T before = id;
#pragma unroll
    for (int k = 0; k < 7; ++k)
      if (k + 1 == in_group + u) before = s[k];
    carry[u] = Op::apply(above, Op::apply(local, before));
  }
}
// The same where any order will do: a group's total becomes what stands before it in the unit.
template <class Op, class T, class S, class X>
NVM_DEV void nvm_whole_carries_any(S& totals, X& box, i64 t, T id, u64* state, T (&group)[NVM_WHOLE_UNITS],
                                   T (&carry)[NVM_WHOLE_UNITS]) {
  T all = id;
#pragma unroll
  for (int u = 0; u < NVM_WHOLE_UNITS; ++u) {
    carry[u] = all;
    all = Op::apply(all, nvm_scan_block<Op>(totals, group[u], id));
    __syncthreads();
  }
  if (threadIdx.x < 32) {
    T before = id;
    if (t > 0) {
      if (threadIdx.x == 0) nvm_publish(state, t, 1, nvm_bits(all));
      before = nvm_lookback<Op, T>(state, t, id);
    }
    if (threadIdx.x == 0) {
      nvm_publish(state, t, 2, nvm_bits(Op::apply(before, all)));
      box[0] = nvm_bits(before);
    }
  }
  __syncthreads();
#pragma unroll
  for (int u = 0; u < NVM_WHOLE_UNITS; ++u) carry[u] = Op::apply(nvm_as<T>((u64)box[0]), carry[u]);
}

template <class T, class S>
NVM_DEV void nvm_group(S& tile, int first, int count, T id, T (&s)[8]) {
#pragma unroll
  for (int k = 0; k < 8; ++k) s[k] = first + k < count ? nvm_as<T>((u64)tile[NVM_PAD(first + k)]) : id;
}

// `value` becomes its exclusive scan.
template <class Op, class T, int kWidth, int kItems, class S, class L, class X>
NVM_DEV void nvm_whole_scan(S& tile, L& totals, X& box, i64 n, i64 t, T (&value)[kItems], T id, u64* state, u64* far) {
  const int count = nvm_whole_count(n, t);
  const int tid = (int)threadIdx.x;
  nvm_put<kWidth>(tile, value, 0, count);
  if (!nvm_any_order<T>::value && n <= NVM_SEQUENTIAL) {
    if (tid == 0) {
      for (int i = 0; i < count; ++i) {
        const T x = nvm_as<T>((u64)tile[NVM_PAD(i)]);
        tile[NVM_PAD(i)] = nvm_bits(id);
        id = Op::apply(id, x);
      }
    }
    nvm_get<kWidth>(tile, value, 0, count);
    return;
  }
  T s[8], group[NVM_WHOLE_UNITS], carry[NVM_WHOLE_UNITS];
#pragma unroll
  for (int u = 0; u < NVM_WHOLE_UNITS; ++u) {
    nvm_group(tile, u * NVM_UNIT + 8 * tid, count, id, s);
    nvm_scan_eight<Op>(s);
    group[u] = s[7];
    if (!nvm_any_order<T>::value) totals[u * NVM_GROUPS + tid] = nvm_bits(s[7]);
  }
  if (nvm_any_order<T>::value) {
    nvm_whole_carries_any<Op>(totals, box, t, id, state, group, carry);
  } else {
    __syncthreads();
    nvm_whole_carries<Op>(totals, box, n, t, id, state, far, carry);
  }
#pragma unroll
  for (int u = 0; u < NVM_WHOLE_UNITS; ++u) {
    const int first = u * NVM_UNIT + 8 * tid;
    const T local = nvm_any_order<T>::value ? group[u] : nvm_as<T>((u64)totals[u * NVM_GROUPS + tid]);
    nvm_group(tile, first, count, id, s);  // again, rather than keep them in registers meanwhile
    nvm_scan_eight<Op>(s);
#pragma unroll
    for (int k = 0; k < 8; ++k)
      if (first + k < count)
        tile[NVM_PAD(first + k)] = nvm_bits(Op::apply(carry[u], Op::apply(local, k == 0 ? id : s[k == 0 ? 0 : k - 1])));
  }
  nvm_get<kWidth>(tile, value, 0, count);
}

// What all come to, to the first thread of the last tile; only there the result is one.
template <class Op, class T, int kWidth, int kItems, class S, class X, class W>
NVM_DEV void nvm_whole_reduce(S& tile, X& box, i64 n, i64 t, const T (&value)[kItems], T id, u64* state, W write) {
  const int count = nvm_whole_count(n, t);
  const int tid = (int)threadIdx.x;
  nvm_put<kWidth>(tile, value, 0, count);
  const int start = tid / 16 * NVM_UNIT;
  const i64 units = (n + NVM_UNIT - 1) / NVM_UNIT;
  if (n <= NVM_SEQUENTIAL) {
    T total = id;
    if (tid == 0) {
      for (int i = 0; i < count; ++i) total = Op::apply(total, nvm_as<T>((u64)tile[NVM_PAD(i)]));
      write(0, total);
    }
    __syncthreads();
    return;
  }
  if (tid < 16 * NVM_WHOLE_UNITS && start < count) {
    T lane[1] = {id};
    const int stop = start + NVM_UNIT < count ? start + NVM_UNIT : count;
#pragma unroll 8
    for (int i = start + tid % 16; i < stop; i += 16) lane[0] = Op::apply(lane[0], nvm_as<T>((u64)tile[NVM_PAD(i)]));
    const T total = nvm_fold_lanes<Op>(lane);
    if (tid % 16 == 0) nvm_publish(state, t * NVM_WHOLE_UNITS + tid / 16, 1, nvm_bits(total));
  }
  __syncthreads();
  if (tid < 32 && (t + 1) * NVM_WHOLE >= n) {
    const T total = nvm_fold_arriving<Op, T>(state, units, id);
    if (tid == 0) write(0, total);
  }
  __syncthreads();
}
