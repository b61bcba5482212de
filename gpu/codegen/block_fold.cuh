// Reductions and scans of block mode, behind block.cuh. Once in a source.
#ifndef NVM_FEW
// ---- combining, in the order of the fixed tree ----
template <class Op, class T>
NVM_FAR void nvm_b_reduce(nvm_arena& b, nvm_val x, nvm_val d, T identity, nvm_val* to) {
  nvm_val r = {0, 0};
  if (nvm_must(b, x.n == nvm_total(d)) && nvm_take(b, d.n, sizeof(T), r)) {
    const int lane = (int)(threadIdx.x % 16);
    for (i64 round = 0; round < d.n; round += NVM_BT / 16) {
      const i64 s = round + threadIdx.x / 16;
      const T* v = (const T*)x.at + (s < d.n ? nvm_offset(d, s) : 0);
      const i64 n = s < d.n ? nvm_offset(d, s + 1) - nvm_offset(d, s) : 0;
      T all = identity;
      if (n <= 32)
        for (i64 i = 0; i < n; ++i) all = Op::apply(all, v[i]);
      else {
        nvm_totals<Op, T> totals;
        totals.start(identity);
        for (i64 first = 0; first < n; first += NVM_UNIT) {
          const i64 end = first + NVM_UNIT < n ? first + NVM_UNIT : n;
          T mine[1] = {identity};
          for (i64 i = first + lane; i < end; i += 16) mine[0] = Op::apply(mine[0], v[i]);
          totals.push(nvm_fold_lanes<Op>(mine));
        }
        all = totals.total();
      }
      if (lane == 0 && s < d.n) ((T*)r.at)[s] = all;
    }
  }
  nvm_give(to, r);
}
// An inclusive scan of the first n of eight elements, for who scans alone and who does together: in one order,
// so that both give the same bits.
template <class Op, class T>
NVM_DEV void nvm_scan_group(const T* v, i64 n, T identity, T (&s)[8]) {
  for (int k = 0; k < 8; ++k) s[k] = k < n ? v[k] : identity;
  nvm_scan_eight<Op>(s);
}
// An exclusive scan of n elements by one thread.
template <class Op, class T>
NVM_DEV void nvm_scan_alone(const T* v, i64 n, T identity, T* to) {
  T carry = identity;
  if (n <= 32) {
    for (i64 i = 0; i < n; ++i) {
      to[i] = carry;
      carry = Op::apply(carry, v[i]);
    }
    return;
  }
  nvm_carries<Op, T> carries;
  carries.start(n, identity);
  for (i64 first = 0; first < n; first += NVM_UNIT) {
    const i64 end = first + NVM_UNIT < n ? first + NVM_UNIT : n;
    T local = identity;
    for (i64 g = first; g < end; g += 8) {
      T s[8];
      nvm_scan_group<Op>(v + g, end - g, identity, s);
      for (int k = 0; k < 8 && g + k < end; ++k)
        to[g + k] = Op::apply(carries.next, Op::apply(local, k == 0 ? identity : s[k - 1]));
      local = Op::apply(local, s[7]);
    }
    carries.push(local);
  }
}
// The same, n > 32, by all threads: groups of 8 side by side, place 0 of each for what stands before it in the unit.
template <class Op, class T>
NVM_DEV void nvm_scan_together(nvm_arena& b, const T* v, i64 n, T identity, T* to) {
  nvm_carries<Op, T> carries;
  carries.start(n, identity);
  for (i64 first = 0; first < n; first += NVM_UNIT) {
    const i64 end = first + NVM_UNIT < n ? first + NVM_UNIT : n;
    for (i64 g = first + 8 * (i64)threadIdx.x; g < end; g += 8 * NVM_BT) {
      T s[8];
      nvm_scan_group<Op>(v + g, end - g, identity, s);
      to[g] = s[7];
      for (int k = 1; k < 8 && g + k < end; ++k) to[g + k] = s[k - 1];
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      T local = identity;
#pragma unroll 8
      for (i64 g = first; g < end; g += 8) {
        const T group = to[g];
        to[g] = local;
        local = Op::apply(local, group);
      }
      b.box[0] = (i64)nvm_bits(local);
    }
    __syncthreads();
    for (i64 g = first + 8 * (i64)threadIdx.x; g < end; g += 8 * NVM_BT) {
      const T local = to[g];
      to[g] = Op::apply(carries.next, Op::apply(local, identity));
      for (int k = 1; k < 8 && g + k < end; ++k)
        to[g + k] = Op::apply(carries.next, Op::apply(local, to[g + k]));
    }
    carries.push(nvm_as<T>((u64)b.box[0]));
    __syncthreads();
  }
}
// Of few segments the long ones are scanned by all threads, one after the other.
#define NVM_FEW 32
#define NVM_LONG 256
template <class Op, class T>
NVM_FAR void nvm_b_scan(nvm_arena& b, nvm_val x, nvm_val d, T identity, nvm_val* to) {
  nvm_val r = {0, 0};
  if (nvm_must(b, x.n == nvm_total(d)) && nvm_take(b, x.n, sizeof(T), r)) {
    const bool few = d.n <= NVM_FEW;
    NVM_EACH(s, d.n) {
      const i64 first = nvm_offset(d, s), n = nvm_offset(d, s + 1) - first;
      if (few && n > NVM_LONG) continue;
      nvm_scan_alone<Op, T>((const T*)x.at + first, n, identity, (T*)r.at + first);
    }
    for (i64 s = 0; few && s < d.n; ++s) {
      const i64 first = nvm_offset(d, s), n = nvm_offset(d, s + 1) - first;
      if (n > NVM_LONG) nvm_scan_together<Op, T>(b, (const T*)x.at + first, n, identity, (T*)r.at + first);
    }
  }
  nvm_give(to, r);
}
#endif
