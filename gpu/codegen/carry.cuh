// What blocks of one kernel hand on to each other, in the order of the CPU (tile.cuh).
//
// state: 2 words per tile, zero before the launch: flag (1: the unit's total is there, 2: the carry behind it) and
// value. Both are written and read by one access of 16 bytes that cannot be divided; so no fence is needed, and nobody
// waits for one.
#define NVM_WINDOWS 4
#define NVM_ALL 0xffffffffu

#ifndef NVM_EMULATION
#if __CUDACC_VER_MAJOR__ >= 13 || (__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ >= 4)
#define NVM_PUBLISH "{\n .reg .b128 x;\n mov.b128 x, {%1, %2};\n st.relaxed.gpu.global.b128 [%0], x;\n}"
#define NVM_PUBLISHED "{\n .reg .b128 x;\n ld.relaxed.gpu.global.b128 x, [%2];\n mov.b128 {%0, %1}, x;\n}"
#else  // the same instructions of the device, which older compilers do not promise
#define NVM_PUBLISH "st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};"
#define NVM_PUBLISHED "ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
#endif
NVM_DEV void nvm_publish(u64* state, i64 t, u64 flag, u64 value) {
  asm volatile(NVM_PUBLISH ::"l"(state + 2 * t), "l"(flag), "l"(value) : "memory");
}
NVM_DEV ulonglong2 nvm_published(const u64* state, i64 t) {
  ulonglong2 x;
  asm volatile(NVM_PUBLISHED : "=l"(x.x), "=l"(x.y) : "l"(state + 2 * t) : "memory");
  return x;
}
#else
NVM_DEV void nvm_publish(u64* state, i64 t, u64 flag, u64 value) {
  ulonglong2 x;
  x.x = flag;
  x.y = value;
  *(ulonglong2*)(state + 2 * t) = x;
}
NVM_DEV ulonglong2 nvm_published(const u64* state, i64 t) { return *(const ulonglong2*)(state + 2 * t); }
#endif

// carry op x[first] op .. op x[0] of a window, in this order.
template <class Op, class T>
NVM_DEV T nvm_fold_window(T carry, u64 x, int first) {
  if (first == 31) {
#pragma unroll
    for (int l = 31; l >= 0; --l) carry = Op::apply(carry, nvm_as<T>(__shfl_sync(NVM_ALL, x, l)));
    return carry;
  }
#pragma unroll 4
  for (int l = first; l >= 0; --l) carry = Op::apply(carry, nvm_as<T>(__shfl_sync(NVM_ALL, x, l)));
  return carry;
}
// Whether operations on T are associative and commutative: no FLOAT.
template <class T>
struct nvm_any_order {
  static const bool value = true;
};
template <>
struct nvm_any_order<double> {
  static const bool value = false;
};
// Of all lanes, in any order, to all.
template <class Op, class T>
NVM_DEV T nvm_fold_warp(T x) {
  const int lane = threadIdx.x & 31;
  for (int l = 16; l > 0; l /= 2) x = Op::apply(x, nvm_as<T>(__shfl_sync(NVM_ALL, nvm_bits(x), lane ^ l)));
  return x;
}

// What a warp sees of 32 tiles in a row, the nearest in lane 0: how many stand there without a gap, and the nearest
// carry; 32 if there is none.
struct nvm_window {
  int gap, full;
};
NVM_DEV nvm_window nvm_see(u64 flag) {
  const unsigned missing = ~__ballot_sync(NVM_ALL, flag != 0);
  const unsigned full = __ballot_sync(NVM_ALL, flag == 2);
  nvm_window w;
  w.gap = missing != 0 ? __ffs((int)missing) - 1 : 32;
  w.full = full != 0 ? __ffs((int)full) - 1 : 32;
  return w;
}

// The carry behind tile t - 1; by one whole warp. The nearest window alone, then the others at once.
template <class Op, class T>
NVM_FAR T nvm_lookback(const u64* state, i64 t, T id) {
  const int lane = threadIdx.x & 31;
  for (;;) {
    ulonglong2 seen[NVM_WINDOWS];
    int found = -1, first = 0;
#pragma unroll
    for (int w = 0; w < NVM_WINDOWS; ++w) {
      if (w < 2)
#pragma unroll
        for (int v = w; v < (w == 0 ? 1 : NVM_WINDOWS); ++v) {
          const i64 at = t - 1 - 32 * v - lane;
          seen[v].x = seen[v].y = 0;
          if (at >= 0) seen[v] = nvm_published(state, at);
        }
      const nvm_window window = nvm_see(seen[w].x);
      if (window.full < window.gap) {
        found = w;
        first = window.full;
      }
      if (window.full < window.gap || window.gap < 32) break;
    }
    if (found >= 0) {
      T carry = id;
      if (nvm_any_order<T>::value) {
#pragma unroll
        for (int w = 0; w < NVM_WINDOWS; ++w)
          if (w < found || (w == found && lane <= first)) carry = Op::apply(carry, nvm_as<T>(seen[w].y));
        return nvm_fold_warp<Op>(carry);
      }
#pragma unroll
      for (int w = NVM_WINDOWS - 1; w >= 0; --w) {
        if (w > found) continue;
        if (w == found) carry = nvm_as<T>(__shfl_sync(NVM_ALL, seen[w].y, first));
        carry = nvm_fold_window<Op, T>(carry, seen[w].y, w == found ? first - 1 : 31);
      }
      return carry;
    }
    __nanosleep(40);
  }
}
