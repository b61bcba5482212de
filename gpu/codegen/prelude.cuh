// What every generated source starts with: scalar operations, memory, segments. Compiled into nvm as text, so that
// NVRTC needs no file; also built for the host by tests/emu. Scalar operations are overloads named nvm_<name of
// scalar.def>. C points to the cells of a run: C[0] is the trap word, then lengths, then scalars, 8 bytes each.
typedef long long i64;
typedef unsigned long long u64;
typedef signed char i8;
typedef unsigned char u8;

#ifndef NVM_EMULATION
#define NVM_SHARED(T, name, n) __shared__ T name[n]
#define NVM_ENTRY(name, args)
#define nvm_shared_add(array, at, by) atomicAdd(&(array)[at], by)
#endif
#pragma nv_diag_suppress 177  // not every source uses all of this
#define NVM_DEV static __device__ __forceinline__
#define NVM_FAR static __device__ __noinline__  // where inlining would only cost compile time

// ---- cells and bits ----
NVM_DEV u64 nvm_bits(double x) { return (u64)__double_as_longlong(x); }
NVM_DEV u64 nvm_bits(i64 x) { return (u64)x; }
NVM_DEV u64 nvm_bits(u64 x) { return x; }
NVM_DEV u64 nvm_bits(int x) { return (u64)(i64)x; }
NVM_DEV u64 nvm_bits(bool x) { return x ? 1 : 0; }
template <class T>
struct nvm_cast {
  NVM_DEV T from(u64 x) { return (T)x; }
};
template <>
struct nvm_cast<double> {
  NVM_DEV double from(u64 x) { return __longlong_as_double((i64)x); }
};
template <>
struct nvm_cast<bool> {
  NVM_DEV bool from(u64 x) { return x != 0; }
};
template <class T>
NVM_DEV T nvm_as(u64 x) {
  return nvm_cast<T>::from(x);
}
NVM_DEV void nvm_trap(u64* C) { *(volatile u64*)C = 1; }
NVM_DEV u64 nvm_peek(const u64* p) { return *(const volatile u64*)p; }

// ---- scalar operations ----
NVM_DEV int nvm_add(int a, int b) { return (int)((unsigned)a + (unsigned)b); }
NVM_DEV i64 nvm_add(i64 a, i64 b) { return (i64)((u64)a + (u64)b); }
NVM_DEV double nvm_add(double a, double b) { return a + b; }
NVM_DEV int nvm_sub(int a, int b) { return (int)((unsigned)a - (unsigned)b); }
NVM_DEV i64 nvm_sub(i64 a, i64 b) { return (i64)((u64)a - (u64)b); }
NVM_DEV double nvm_sub(double a, double b) { return a - b; }
NVM_DEV int nvm_mul(int a, int b) { return (int)((unsigned)a * (unsigned)b); }
NVM_DEV i64 nvm_mul(i64 a, i64 b) { return (i64)((u64)a * (u64)b); }
NVM_DEV double nvm_mul(double a, double b) { return a * b; }

template <class T>
NVM_DEV T nvm_least() {
  return sizeof(T) == 4 ? (T)(-2147483647 - 1) : (T)(-9223372036854775807LL - 1);
}
NVM_DEV bool nvm_check(bool wrong, u64* C) {
  if (wrong) nvm_trap(C);
  return wrong;
}
template <class T>
NVM_DEV bool nvm_divides(T a, T b, u64* C) {
  const bool good = b != 0 && !(b == -1 && a == nvm_least<T>());
  if (!good) nvm_trap(C);
  return good;
}
template <class T>
NVM_DEV T nvm_div(T a, T b, u64* C) {
  return nvm_divides(a, b, C) ? (T)(a / b) : (T)0;
}
NVM_DEV double nvm_div(double a, double b, u64*) { return a / b; }
template <class T>
NVM_DEV T nvm_rem(T a, T b, u64* C) {
  return nvm_divides(a, b, C) ? (T)(a % b) : (T)0;
}

#define NVM_COMPARE(name, op)              \
  template <class T>                       \
  NVM_DEV bool nvm_##name(T a, T b) {      \
    return a op b;                         \
  }
NVM_COMPARE(lt, <)
NVM_COMPARE(le, <=)
NVM_COMPARE(gt, >)
NVM_COMPARE(ge, >=)
NVM_COMPARE(eq, ==)
NVM_COMPARE(ne, !=)
#undef NVM_COMPARE

#define NVM_BITWISE(name, op)                                      \
  NVM_DEV int nvm_##name(int a, int b) { return a op b; }          \
  NVM_DEV i64 nvm_##name(i64 a, i64 b) { return a op b; }          \
  NVM_DEV bool nvm_##name(bool a, bool b) { return (a op b) != 0; }
NVM_BITWISE(and, &)
NVM_BITWISE(or, |)
NVM_BITWISE(xor, ^)
#undef NVM_BITWISE
NVM_DEV int nvm_not(int a) { return ~a; }
NVM_DEV i64 nvm_not(i64 a) { return ~a; }
NVM_DEV bool nvm_not(bool a) { return !a; }
NVM_DEV int nvm_shl(int a, int b) { return (int)((unsigned)a << ((unsigned)b & 31)); }
NVM_DEV i64 nvm_shl(i64 a, i64 b) { return (i64)((u64)a << ((u64)b & 63)); }
NVM_DEV int nvm_shr(int a, int b) { return a >> ((unsigned)b & 31); }
NVM_DEV i64 nvm_shr(i64 a, i64 b) { return a >> ((u64)b & 63); }

template <class T>
NVM_DEV T nvm_select(bool f, T a, T b) {
  return f ? a : b;
}
// The later of equals and of unordered; no device intrinsic has this order.
template <class T>
NVM_DEV T nvm_max(T a, T b) {
  return a > b ? a : b;
}
template <class T>
NVM_DEV T nvm_min(T a, T b) {
  return a < b ? a : b;
}

// Out of range, unordered included, gives the least INT.
template <class T>
NVM_DEV T nvm_trunc(double x) {
  const double bound = sizeof(T) == 4 ? 2147483648.0 : 9223372036854775808.0;
  const bool fits = sizeof(T) == 4 ? (x > -bound - 1.0 && x < bound) : (x >= -bound && x < bound);
  return fits ? (T)x : nvm_least<T>();
}
template <class T>
NVM_DEV T nvm_floor(double x) {
  return nvm_trunc<T>(floor(x));
}
template <class T>
NVM_DEV T nvm_ceil(double x) {
  return nvm_trunc<T>(ceil(x));
}
template <class T>
NVM_DEV T nvm_round(double x) {
  return nvm_trunc<T>(x + 0.5);
}
template <class T>
NVM_DEV double nvm_itof(T x) {
  return (double)x;
}
template <class T>
NVM_DEV bool nvm_itob(T x) {
  return x != 0;
}
template <class T>
NVM_DEV T nvm_btoi(bool x) {
  return x ? (T)1 : (T)0;
}
#define NVM_FUNCTION(name) \
  NVM_DEV double nvm_##name(double x) { return name(x); }
NVM_FUNCTION(log)
NVM_FUNCTION(sqrt)
NVM_FUNCTION(exp)
NVM_FUNCTION(sin)
NVM_FUNCTION(cos)
NVM_FUNCTION(tan)
NVM_FUNCTION(asin)
NVM_FUNCTION(acos)
NVM_FUNCTION(atan)
NVM_FUNCTION(sinh)
NVM_FUNCTION(cosh)
NVM_FUNCTION(tanh)
#undef NVM_FUNCTION

// Folding operations as types.
#define NVM_FOLD(name)                      \
  struct nvm_op_##name {                    \
    template <class T>                      \
    static __device__ __forceinline__ T apply(T a, T b) { \
      return nvm_##name(a, b);              \
    }                                       \
  };
NVM_FOLD(add)
NVM_FOLD(mul)
NVM_FOLD(max)
NVM_FOLD(min)
NVM_FOLD(and)
NVM_FOLD(or)
NVM_FOLD(xor)
#undef NVM_FOLD

// ---- memory ----
template <class T, class S>
NVM_DEV T nvm_gather(const S* x, i64 n, i64 i, u64* C) {
  if ((u64)i < (u64)n) return (T)x[i];
  nvm_trap(C);
  return (T)0;
}
template <class T>
NVM_DEV T nvm_gather_cell(u64 cell, i64 i, u64* C) {
  if (i == 0) return nvm_as<T>(cell);
  nvm_trap(C);
  return (T)0;
}
// Place i of a segment of n elements from `first` on; -1, which no vector has, if there is none.
NVM_DEV i64 nvm_segment_place(i64 first, i64 n, i64 i, u64* C) {
  if ((u64)i < (u64)n) return first + i;
  nvm_trap(C);
  return -1;
}

// ---- random numbers: the default generator of RAND (vm/interp/random.cpp), Philox-4x32-10 ----
// Draws 4 number .. 4 number + 3 of a seed.
NVM_DEV void nvm_draws(u64 seed, u64 number, unsigned (&draw)[4]) {
  unsigned x[4] = {(unsigned)number, (unsigned)(number >> 32), 0, 0};
  unsigned low = (unsigned)seed, high = (unsigned)(seed >> 32);
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const u64 p = 0xD2511F53ull * x[0], q = 0xCD9E8D57ull * x[2];
    x[0] = (unsigned)(q >> 32) ^ x[1] ^ low;
    x[1] = (unsigned)q;
    x[2] = (unsigned)(p >> 32) ^ x[3] ^ high;
    x[3] = (unsigned)p;
    low += 0x9E3779B9u;
    high += 0xBB67AE85u;
  }
  for (int e = 0; e < 4; ++e) draw[e] = x[e] >> 1;
}
// As the remainder of INT, which it is; most limits fit 32 bits, where it is cheap.
template <class T>
NVM_DEV T nvm_below(unsigned draw, T limit, u64* C) {
  if (limit > 0 && limit <= (T)0x7fffffff) return (T)(draw % (unsigned)limit);
  return nvm_rem((T)draw, limit, C);
}

// ---- packs: kWidth neighbouring elements of type S ----
// Moved in one access if the vectors of the kernel are aligned to 16 bytes (`wide`) and the pack is whole.
NVM_DEV bool nvm_aligned(u64 addresses) { return (addresses & 15) == 0; }
template <int kBytes>
struct nvm_access;
template <>
struct nvm_access<16> {
  NVM_DEV void read(const void* p, u64* w) {
    const ulonglong2 x = *(const ulonglong2*)p;
    w[0] = x.x;
    w[1] = x.y;
  }
  NVM_DEV void write(void* p, const u64* w) {
#ifndef NVM_EMULATION  // a structure would be written in halves where these also stand in another branch
    asm volatile("st.global.v2.u64 [%0], {%1, %2};" ::"l"(p), "l"(w[0]), "l"(w[1]) : "memory");
#else
    ulonglong2 x;
    x.x = w[0];
    x.y = w[1];
    *(ulonglong2*)p = x;
#endif
  }
};
#define NVM_ACCESS(T)                                                           \
  template <>                                                                   \
  struct nvm_access<sizeof(T)> {                                                \
    NVM_DEV void read(const void* p, u64* w) { w[0] = (u64) * (const T*)p; }    \
    NVM_DEV void write(void* p, const u64* w) { *(T*)p = (T)w[0]; }             \
  };
NVM_ACCESS(u64)
NVM_ACCESS(unsigned)
NVM_ACCESS(unsigned short)
NVM_ACCESS(u8)
#undef NVM_ACCESS
template <class S, int kWidth>
struct nvm_pack {
  static const int kPer = 8 / (int)sizeof(S);  // elements of a word
  static const int kBits = 8 * (int)sizeof(S);
  u64 w[(kWidth + kPer - 1) / kPer];
  __device__ __forceinline__ S get(int e) const { return nvm_as<S>(w[e / kPer] >> e % kPer * kBits); }
  __device__ __forceinline__ void set(int e, S x) {
    const u64 mask = ~0ull >> (64 - kBits) << e % kPer * kBits;
    w[e / kPer] = (w[e / kPer] & ~mask) | (nvm_bits(x) << e % kPer * kBits & mask);
  }
  // Elements at .. at + kWidth of x.
  __device__ __forceinline__ void read(const S* x, i64 at) {
    nvm_access<(int)sizeof(S) * kWidth>::read(x + at, w);
  }
  // The same, those behind n left out.
  __device__ __forceinline__ void load(const S* x, i64 at, i64 n, bool wide) {
    if (wide && at + kWidth <= n) return read(x, at);
    for (int e = 0; e < kWidth; ++e) set(e, at + e < n ? x[at + e] : (S)0);
  }
  // Into x, but those in front of begin or behind end.
  __device__ __forceinline__ void store(S* x, i64 at, i64 begin, i64 end, bool wide) const {
    if (wide && at >= begin && at + kWidth <= end) {
      nvm_access<(int)sizeof(S) * kWidth>::write(x + at, w);
      return;
    }
    for (int e = 0; e < kWidth; ++e)
      if (at + e >= begin && at + e < end) x[at + e] = get(e);
  }
};

// ---- segments: offset(s) .. offset(s + 1) are the elements of segment s ----
// seek(s, i): the segment of element i, given one at or before it. within(first, last, i): the same, given one
// that is not behind it and one that is not before. find(i, n): the same of n elements, by one whole warp.
struct nvm_whole {
  i64 n;
  __device__ __forceinline__ i64 offset(i64 s) const { return s == 0 ? 0 : n; }
  __device__ __forceinline__ i64 seek(i64, i64) const { return 0; }
  __device__ __forceinline__ i64 within(i64, i64, i64) const { return 0; }
  __device__ __forceinline__ i64 find(i64, i64) const { return 0; }
};
struct nvm_regular {
  i64 length;
  __device__ __forceinline__ i64 offset(i64 s) const { return s * length; }
  __device__ __forceinline__ i64 seek(i64 s, i64 i) const {
    if (i < (s + 1) * length) return s;
    return find(i, 0);
  }
  __device__ __forceinline__ i64 within(i64, i64, i64 i) const { return find(i, 0); }
  __device__ __forceinline__ i64 find(i64 i, i64) const {
    return ((u64)i | (u64)length) >> 32 ? i / length : (i64)((unsigned)i / (unsigned)length);
  }
};
// s with offsets[s] <= i < offsets[s + 1], low <= s < high.
NVM_DEV i64 nvm_bisect(const i64* offsets, i64 low, i64 high, i64 i) {
  while (high - low > 1) {
    const i64 middle = low + (high - low) / 2;
    if (offsets[middle] <= i)
      low = middle;
    else
      high = middle;
  }
  return low;
}
// The same; low is near.
NVM_FAR i64 nvm_find_segment(const i64* offsets, i64 segments, i64 low, i64 i) {
  i64 step = 1;
  while (low + step < segments && offsets[low + step] <= i) {
    low += step;
    step *= 2;
  }
  return nvm_bisect(offsets, low, low + step < segments ? low + step : segments, i);
}
// The same by one whole warp, among `segments` of n elements: around where it would be if they were of one length, at
// growing distances, then among 32 parts.
NVM_FAR i64 nvm_find_by_warp(const i64* offsets, i64 segments, i64 n, i64 i) {
  const int lane = (int)threadIdx.x & 31;
  i64 guess = (i64)((double)i / (double)n * (double)segments);
  if (guess >= segments) guess = segments - 1;
  i64 low = 0, high = segments;
  {
    const i64 away = (lane & 15) == 0 ? 0 : (i64)1 << 2 * ((lane & 15) - 1);
    const i64 at = lane < 16 ? guess - away : guess + 1 + away;
    const bool before = at <= 0 || (at < segments && offsets[at] <= i);
    const unsigned all = __ballot_sync(0xffffffffu, before);
    const int above = __popc(all >> 16), below = 16 - __popc(all & 0xffffu);
    const int first = above > 0 ? 15 + above : below;  // the nearest that is not behind it
    const int last = above > 0 || below == 0 ? 16 + above : below - 1;
    const i64 from = __shfl_sync(0xffffffffu, at, first & 31), to = __shfl_sync(0xffffffffu, at, last & 31);
    if (below < 16 && from > low) low = from;
    if (last < 32 && to < high) high = to;
  }
  while (high - low > 1) {
    const i64 step = (high - low + 31) / 32;
    const i64 at = low + (lane + 1) * step;
    low += step * __popc(__ballot_sync(0xffffffffu, at < high && offsets[at] <= i));
    if (low + step < high) high = low + step;
  }
  return low;
}
struct nvm_irregular {
  const i64* offsets;
  i64 segments;
  __device__ __forceinline__ i64 offset(i64 s) const { return offsets[s]; }
  __device__ __forceinline__ i64 seek(i64 s, i64 i) const {
    if (i < offsets[s + 1]) return s;
    return nvm_find_segment(offsets, segments, s + 1, i);
  }
  __device__ __forceinline__ i64 within(i64 first, i64 last, i64 i) const {
    return nvm_bisect(offsets, first, last + 1, i);
  }
  __device__ __forceinline__ i64 find(i64 i, i64 n) const { return nvm_find_by_warp(offsets, segments, n, i); }
};

// x[i] = the low `width` bytes of bits for i < n.
struct nvm_fill_args {
  u64 cells, x, n, bits, width;
};
extern "C" __global__ void nvm_fill(const nvm_fill_args a) {
  for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < (i64)a.n; i += (i64)gridDim.x * blockDim.x) {
    if (a.width == 8) ((u64*)a.x)[i] = a.bits;
    if (a.width == 4) ((unsigned*)a.x)[i] = (unsigned)a.bits;
    if (a.width == 1) ((u8*)a.x)[i] = (u8)a.bits;
  }
}
NVM_ENTRY(nvm_fill, nvm_fill_args)
