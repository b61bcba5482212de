// FLOAT reductions of what a filter keeps, behind nvm_rank. Element k of those kept has place k of the fixed tree, so a unit
// of 2048 may be spread over any number of tiles. The tile that keeps a unit's last element folds it; those before hand
// their elements of it on, in a ring: at k % NVM_RING stands k + 1, and the element's bits. A place is used again when the
// unit that had it is folded. A tile waits for tiles before it only.
#define NVM_RING (1 << 20)

// Lane `lane` of 16 over the elements first .. first + count - 1 that other tiles keep.
template <class Op, class T>
NVM_FAR T nvm_lane_of_kept(const u64* ring, i64 first, int count, int lane, T id) {
#pragma unroll 1
  for (int base = lane; base < count; base += 16 * NVM_AHEAD) {
    ulonglong2 x[NVM_AHEAD];
#pragma unroll
    for (int k = 0; k < NVM_AHEAD; ++k)
      if (base + 16 * k < count) x[k] = nvm_published(ring, (first + base + 16 * k) % NVM_RING);
#pragma unroll
    for (int k = 0; k < NVM_AHEAD; ++k) {
      const i64 at = first + base + 16 * k;
      if (base + 16 * k >= count) break;
      while (x[k].x != (u64)(at + 1)) {
        __nanosleep(40);
        x[k] = nvm_published(ring, at % NVM_RING);
      }
      id = Op::apply(id, nvm_as<T>(x[k].y));
    }
  }
  return id;
}

// What `units` totals come to, by one whole warp; and what the superblock that ends with a unit does.
template <class Op, class T>
NVM_FAR T nvm_total_of_kept(const u64* state, u64* far, i64 units, T id) {
  if (units <= NVM_MANY) return nvm_fold_arriving<Op, T>(state, units, id);
  return nvm_total_of_many<Op, T>(state, far, units - 1, units - 1, false, nvm_await<T>(state, units - 1), id);
}
template <class Op, class T>
NVM_FAR void nvm_end_superblock(const u64* state, u64* far, i64 unit, T id) {
  nvm_total_of_many<Op, T>(state, far, unit, unit, true, nvm_await<T>(state, unit), id);
}

// The tile keeps `kept` elements, in order in `tile`; those before it keep `before`. write(total) in the last one.
template <class Op, class T, class S, class W>
NVM_DEV void nvm_reduce_kept(S& tile, i64 before, int kept, bool last, T id, u64* ring, u64* state, u64* far, W write) {
  const int tid = (int)threadIdx.x;
  const i64 all = before + kept;
  const i64 whole = last ? all : all / NVM_UNIT * NVM_UNIT;  // to here units end in this tile
  if (whole < all) {
    if (whole >= NVM_RING) nvm_await<T>(state, (whole - NVM_RING) / NVM_UNIT);
    for (i64 k = (before > whole ? before : whole) + tid; k < all; k += NVM_THREADS)
      nvm_publish(ring, k % NVM_RING, (u64)(k + 1), (u64)tile[(int)(k - before)]);
  }
  if (last && all <= NVM_SEQUENTIAL) {
    if (tid == 0) {
      for (int l = 0; l < (int)before; ++l) id = nvm_lane_of_kept<Op, T>(ring, l, 1, 0, id);
      for (int l = 0; l < kept; ++l) id = Op::apply(id, nvm_as<T>((u64)tile[l]));
      write(id);
    }
    __syncthreads();
    return;
  }
  const i64 start = (before / NVM_UNIT + tid / 16) * NVM_UNIT;
  if (start < whole) {
    const int foreign = before > start ? (int)(before - start) : 0;
    const int count = whole - start < NVM_UNIT ? (int)(whole - start) : NVM_UNIT;
    const int lane = tid & 15;
    T x[1] = {id};
    if (foreign > 0) x[0] = nvm_lane_of_kept<Op, T>(ring, start, foreign, lane, id);
#pragma unroll 8
    for (int l = lane + (foreign > lane ? (foreign - lane + 15) / 16 * 16 : 0); l < count; l += 16)
      x[0] = Op::apply(x[0], nvm_as<T>((u64)tile[(int)(start - before) + l]));
    const T total = nvm_fold_lanes<Op>(x);
    if (lane == 0) nvm_publish(state, start / NVM_UNIT, 1, nvm_bits(total));
  }
  __syncthreads();
  if (tid < 32) {
    const i64 units = (whole + NVM_UNIT - 1) / NVM_UNIT;
    const i64 ended = units / NVM_MANY * NVM_MANY;
    if (ended > before / NVM_UNIT && !(last && units == ended)) nvm_end_superblock<Op, T>(state, far, ended - 1, id);
    if (last) {
      const T total = nvm_total_of_kept<Op, T>(state, far, units, id);
      if (tid == 0) write(total);
    }
  }
  __syncthreads();
}
// ---- end of the prelude ----
