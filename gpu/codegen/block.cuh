// Once in a source, which may be made of several.
#ifndef NVM_BT
// ---- block mode: one block of threads runs a lifted function on a group of instances ----
// Every thread of the block takes the same way; values stand in the block's arena. A frame is a row of nvm_val, the
// first of which says who called: the caller's frame and where it goes on. What an instruction makes is there for
// all threads when its function returns.
#define NVM_BT 128
#ifndef NVM_EMULATION
#define NVM_ARENA(bytes) nvm_shared_arena
extern __shared__ u64 nvm_shared_arena[];
#endif

// A vector: its elements and their number. A descriptor: its offsets, n + 1 of them.
struct nvm_val {
  u64 at;
  i64 n;
};
struct nvm_arena {
  u64 top, end;
  u64* C;    // the group's state: 0, or 1 if a check failed
  i64* box;  // NVM_BT + 2 words for the block
  u64 stop;  // 1: a check failed, 2: the arena is full; the same in all threads
#ifdef NVM_COUNTS_BYTES
  u64 moved;  // bytes, of thread 0
#endif
};
// Bytes read and written, in kernels that somebody watches.
#ifdef NVM_COUNTS_BYTES
#define NVM_COUNT(bytes) \
  if (threadIdx.x == 0) b.moved += (u64)(bytes)
#else
#define NVM_COUNT(bytes)
#endif
#define NVM_EACH(i, count) for (i64 i = threadIdx.x; i < (count); i += NVM_BT)

NVM_DEV bool nvm_take(nvm_arena& b, i64 count, i64 width, nvm_val& r) {
  const u64 bytes = ((u64)count * (u64)width + 15) & ~(u64)15;
  r.at = b.top;
  r.n = count;
  if (count < 0 || count > (1ll << 40) || bytes > b.end - b.top) b.stop = 2;
  if (b.stop != 0) r.n = 0;
  if (b.stop != 0) return false;
  b.top += bytes;
  return true;
}
NVM_DEV void nvm_give(nvm_val* to, const nvm_val& r) {
  if (threadIdx.x == 0) *to = r;
  __syncthreads();
}
// What must hold, known to all threads alike.
NVM_DEV bool nvm_must(nvm_arena& b, bool holds) {
  if (!holds && b.stop == 0) b.stop = 1;
  return holds && b.stop == 0;
}
NVM_DEV bool nvm_failed(nvm_arena& b) {
  const u64 state = nvm_peek(b.C);
  __syncthreads();
  if (state != 0 && b.stop == 0) b.stop = 1;
  return b.stop != 0;
}
NVM_DEV i64 nvm_offset(const nvm_val& d, i64 s) { return ((const i64*)d.at)[s]; }
NVM_DEV i64 nvm_total(const nvm_val& d) { return nvm_offset(d, d.n); }

// f(s, i) for every element i of every segment s. Short segments get one thread each, longer ones half a warp, a
// single one all threads.
template <class F>
NVM_DEV void nvm_each(const nvm_val& d, F f) {
  const i64 total = nvm_total(d);
  const i64 lanes = d.n == 1 ? NVM_BT : total <= 4 * d.n ? 1 : 16;
  for (i64 s = threadIdx.x / lanes; s < d.n; s += NVM_BT / lanes)
    for (i64 i = nvm_offset(d, s) + threadIdx.x % lanes; i < nvm_offset(d, s + 1); i += lanes) f(s, i);
}

// box[t] = sum of the values of threads before t, box[NVM_BT] = of all.
NVM_DEV i64 nvm_before(nvm_arena& b, i64 mine) {
  b.box[threadIdx.x] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    i64 sum = 0;
    for (int t = 0; t < NVM_BT; ++t) {
      const i64 x = b.box[t];
      b.box[t] = sum;
      sum += x;
    }
    b.box[NVM_BT] = sum;
  }
  __syncthreads();
  return b.box[threadIdx.x];
}
// to[i] = sum of value(0) .. value(i - 1) for i <= count.
template <class F>
NVM_DEV void nvm_sums(nvm_arena& b, i64 count, i64* to, F value) {
  const i64 part = (count + NVM_BT - 1) / NVM_BT;
  const i64 begin = (i64)threadIdx.x * part < count ? (i64)threadIdx.x * part : count;
  const i64 end = begin + part < count ? begin + part : count;
  i64 sum = 0;
  for (i64 i = begin; i < end; ++i) sum += value(i);
  sum = nvm_before(b, sum);
  for (i64 i = begin; i < end; ++i) {
    to[i] = sum;
    sum += value(i);
  }
  if (threadIdx.x == 0) to[count] = b.box[NVM_BT];
  __syncthreads();
}

// ---- arguments, constants, shapes ----
// w: address (0: the bits themselves), number, bits, storage as the host numbers them.
template <class T>
NVM_DEV T nvm_stored(const u64* w, i64 i) {
  if (w[0] == 0) return nvm_as<T>(w[2]);
  if (w[3] == 0) return (T)((const i8*)w[0])[i];
  if (w[3] == 1) return (T)((const int*)w[0])[i];
  if (w[3] == 2) return (T)((const i64*)w[0])[i];
  if (w[3] == 3) return (T)((const double*)w[0])[i];
  return (T)((const u8*)w[0])[i];
}
NVM_DEV i64 nvm_stored_bytes(const u64* w) {
  return w[0] == 0 ? 0 : w[3] == 1 ? 4 : w[3] == 2 || w[3] == 3 ? 8 : 1;
}
template <class T>
NVM_DEV void nvm_b_vector(nvm_arena& b, const u64* w, nvm_val* to) {
  nvm_val r;
  if (nvm_take(b, (i64)w[1], sizeof(T), r)) NVM_EACH(i, r.n)((T*)r.at)[i] = nvm_stored<T>(w, i);
  NVM_COUNT(r.n * (nvm_stored_bytes(w) + (i64)sizeof(T)));
  nvm_give(to, r);
}
// w: address of offsets that start anywhere (0: none), segments, length of each.
NVM_DEV void nvm_b_segments(nvm_arena& b, const u64* w, nvm_val* to) {
  nvm_val r;
  if (nvm_take(b, (i64)w[1] + 1, 8, r)) {
    const i64* from = (const i64*)w[0];
    NVM_EACH(i, r.n)((i64*)r.at)[i] = from == 0 ? i * (i64)w[2] : from[i] - from[0];
    --r.n;
  }
  nvm_give(to, r);
}
template <class T>
NVM_DEV void nvm_b_constant(nvm_arena& b, T x, i64 count, nvm_val* to) {
  nvm_val r;
  if (nvm_take(b, count, sizeof(T), r)) NVM_EACH(i, r.n)((T*)r.at)[i] = x;
  nvm_give(to, r);
}
// Elements from a table of their bits; of a descriptor its offsets, one more than segments.
template <class T>
NVM_FAR void nvm_b_table(nvm_arena& b, const u64* bits, i64 count, bool segments, nvm_val* to) {
  nvm_val r;
  if (nvm_take(b, count + (segments ? 1 : 0), sizeof(T), r)) {
    NVM_EACH(i, r.n)((T*)r.at)[i] = nvm_as<T>(bits[i]);
    r.n = count;
  }
  nvm_give(to, r);
}
template <class T>
NVM_FAR void nvm_b_lengths(nvm_arena& b, nvm_val d, nvm_val* to) {
  nvm_val r;
  if (nvm_take(b, d.n, sizeof(T), r))
    NVM_EACH(s, r.n)((T*)r.at)[s] = (T)(nvm_offset(d, s + 1) - nvm_offset(d, s));
  nvm_give(to, r);
}
template <class T>
NVM_FAR void nvm_b_make_segdes(nvm_arena& b, nvm_val x, nvm_val* to) {
  nvm_val r;
  if (nvm_take(b, x.n + 1, 8, r)) {
    const T* lengths = (const T*)x.at;
    u64* C = b.C;
    NVM_EACH(s, x.n) if (lengths[s] < 0) nvm_trap(C);
    nvm_sums(b, x.n, (i64*)r.at, [=](i64 s) { return lengths[s] < 0 ? (i64)0 : (i64)lengths[s]; });
    --r.n;
  }
  nvm_give(to, r);
}

// ---- moving ----
template <class T>
NVM_FAR void nvm_b_dist(nvm_arena& b, nvm_val x, nvm_val d, nvm_val* to) {
  nvm_val r = {0, 0};
  if (nvm_must(b, x.n == d.n) && nvm_take(b, nvm_total(d), sizeof(T), r))
    nvm_each(d, [=](i64 s, i64 i) { ((T*)r.at)[i] = ((const T*)x.at)[s]; });
  nvm_give(to, r);
}
template <class T>
NVM_FAR void nvm_b_index(nvm_arena& b, nvm_val start, nvm_val stride, nvm_val d, nvm_val* to) {
  nvm_val r = {0, 0};
  if (nvm_must(b, start.n == d.n && stride.n == d.n) && nvm_take(b, nvm_total(d), sizeof(T), r))
    nvm_each(d, [=](i64 s, i64 i) {
      ((T*)r.at)[i] =
          nvm_add(((const T*)start.at)[s], nvm_mul(((const T*)stride.at)[s], (T)(i - nvm_offset(d, s))));
    });
  nvm_give(to, r);
}
template <class T, class I>
NVM_FAR void nvm_b_gather(nvm_arena& b, nvm_val x, nvm_val index, nvm_val flags, nvm_val d, nvm_val e, nvm_val* to) {
  nvm_val r = {0, 0};
  const bool fits = d.n == e.n && x.n == nvm_total(d) && index.n == nvm_total(e);
  if (nvm_must(b, fits && (flags.n < 0 || flags.n == index.n)) && nvm_take(b, index.n, sizeof(T), r)) {
    u64* C = b.C;
    nvm_each(e, [=](i64 s, i64 i) {
      const i64 first = nvm_offset(d, s);
      const bool wanted = flags.n < 0 || ((const u8*)flags.at)[i] != 0;
      ((T*)r.at)[i] = wanted ? nvm_gather<T>((const T*)x.at + first, nvm_offset(d, s + 1) - first,
                                             (i64)((const I*)index.at)[i], C)
                             : (T)0;
    });
  }
  nvm_give(to, r);
}
// The last writer of a place wins: the greatest number of an element that goes there.
template <class T, class I>
NVM_FAR void nvm_b_scatter(nvm_arena& b, nvm_val x, nvm_val index, nvm_val flags, nvm_val rest, nvm_val d, nvm_val e,
                           nvm_val* to) {
  nvm_val r = {0, 0};
  nvm_val last = {0, 0};
  const bool fits = d.n == e.n && x.n == nvm_total(d) && index.n == x.n && (flags.n < 0 || flags.n == x.n);
  if (nvm_must(b, fits && (rest.n < 0 || rest.n == nvm_total(e))) &&
      nvm_take(b, nvm_total(e), sizeof(T), r) && nvm_take(b, nvm_total(e), 8, last)) {
    NVM_EACH(i, last.n)((u64*)last.at)[i] = 0;
    __syncthreads();
    u64* C = b.C;
    nvm_each(d, [=](i64 s, i64 i) {
      if (flags.n >= 0 && ((const u8*)flags.at)[i] == 0) return;
      const i64 place = (i64)((const I*)index.at)[i];
      const i64 first = nvm_offset(e, s);
      if ((u64)place < (u64)(nvm_offset(e, s + 1) - first))
        atomicMax((u64*)last.at + first + place, (u64)i + 1);
      else
        nvm_trap(C);
    });
    __syncthreads();
    NVM_EACH(i, r.n) {
      const u64 from = ((u64*)last.at)[i];
      ((T*)r.at)[i] = from != 0 ? ((const T*)x.at)[from - 1] : rest.n >= 0 ? ((const T*)rest.at)[i] : (T)0;
    }
    b.top = last.at;
  }
  nvm_give(to, r);
}
template <class T, class I>
NVM_FAR void nvm_b_extract(nvm_arena& b, nvm_val x, nvm_val index, nvm_val d, nvm_val* to) {
  nvm_val r = {0, 0};
  if (nvm_must(b, index.n == d.n && x.n == nvm_total(d)) && nvm_take(b, d.n, sizeof(T), r)) NVM_EACH(s, d.n) {
    const i64 first = nvm_offset(d, s);
    ((T*)r.at)[s] = nvm_gather<T>((const T*)x.at + first, nvm_offset(d, s + 1) - first,
                                  (i64)((const I*)index.at)[s], b.C);
  }
  nvm_give(to, r);
}
template <class T, class I>
NVM_FAR void nvm_b_replace(nvm_arena& b, nvm_val x, nvm_val index, nvm_val by, nvm_val d, nvm_val* to) {
  nvm_val r = {0, 0};
  if (nvm_must(b, index.n == d.n && by.n == d.n && x.n == nvm_total(d)) && nvm_take(b, x.n, sizeof(T), r)) {
    NVM_EACH(i, x.n)((T*)r.at)[i] = ((const T*)x.at)[i];
    __syncthreads();
    NVM_EACH(s, d.n) {
      const i64 first = nvm_offset(d, s), length = nvm_offset(d, s + 1) - first;
      const i64 place = (i64)((const I*)index.at)[s];
      if ((u64)place < (u64)length)
        ((T*)r.at)[first + place] = ((const T*)by.at)[s];
      else if (length != 0)
        nvm_trap(b.C);
    }
  }
  nvm_give(to, r);
}
template <class T>
NVM_FAR void nvm_b_pack(nvm_arena& b, nvm_val x, nvm_val flags, nvm_val d, nvm_val* to, nvm_val* to_segments) {
  nvm_val r = {0, 0};
  nvm_val e = {0, 0};
  nvm_val place = {0, 0};
  const bool fits = nvm_must(b, flags.n == x.n && x.n == nvm_total(d));
  const u8* kept = (const u8*)flags.at;
  if (fits && nvm_take(b, d.n + 1, 8, e) && nvm_take(b, x.n, sizeof(T), r) && nvm_take(b, x.n + 1, 8, place)) {
    i64* places = (i64*)place.at;
    nvm_sums(b, x.n, places, [=](i64 i) { return (i64)(kept[i] != 0); });
    NVM_EACH(i, x.n) if (kept[i] != 0)((T*)r.at)[places[i]] = ((const T*)x.at)[i];
    NVM_EACH(s, d.n + 1)((i64*)e.at)[s] = places[nvm_offset(d, s)];
    --e.n;
    r.n = places[x.n];
    b.top = r.at + (((u64)r.n * sizeof(T) + 15) & ~(u64)15);
  }
  if (threadIdx.x == 0) *to_segments = e;
  nvm_give(to, r);
}
// FLOATs are ranked in the total order of their bits: -0 below 0, NaNs by sign at the ends.
NVM_DEV i64 nvm_ordered(double x) {
  const i64 bits = (i64)nvm_bits(x);
  return bits < 0 ? bits ^ 0x7fffffffffffffffll : bits;
}
NVM_DEV i64 nvm_ordered(i64 x) { return x; }
NVM_DEV i64 nvm_ordered(int x) { return x; }
// Each element is compared with its whole segment; long segments are left to the host.
template <class T, class I, bool kDown>
NVM_FAR void nvm_b_rank(nvm_arena& b, nvm_val x, nvm_val d, nvm_val* to) {
  nvm_val r = {0, 0};
  if (nvm_must(b, x.n == nvm_total(d)) && nvm_take(b, x.n, sizeof(I), r)) {
    i64 longest = 0;
    for (i64 s = 0; s < d.n; ++s) {
      const i64 length = nvm_offset(d, s + 1) - nvm_offset(d, s);
      if (length > longest) longest = length;
    }
    if (longest > 4096) b.stop = 2;
    const T* v = (const T*)x.at;
    if (b.stop == 0) nvm_each(d, [=](i64 s, i64 i) {
        i64 rank = 0;
        const i64 mine = nvm_ordered(v[i]);
        for (i64 j = nvm_offset(d, s); j < nvm_offset(d, s + 1); ++j) {
          const i64 other = nvm_ordered(v[j]);
          rank += (kDown ? other > mine : other < mine) || (j < i && other == mine);
        }
        ((I*)r.at)[i] = (I)rank;
      });
  }
  nvm_give(to, r);
}

// ---- calls ----
// The frame of a callee with `slots` values, its arguments not yet set; null if the arena is full.
NVM_DEV nvm_val* nvm_enter(nvm_arena& b, nvm_val* caller, i64 back, i64 slots) {
  nvm_val frame;
  if (!nvm_take(b, slots + 1, sizeof(nvm_val), frame)) return 0;
  nvm_val* F = (nvm_val*)frame.at;
  if (threadIdx.x == 0) {
    F[0].at = (u64)caller;
    F[0].n = back;
  }
  return F;
}
NVM_DEV u64 nvm_size(const nvm_val& v, int width) {
  return width == 0 ? (u64)(v.n + 1) * 8 : (u64)v.n * (u64)width;
}
// bytes from `from` down to `to`, which may overlap.
NVM_FAR void nvm_slide(u64 to, u64 from, u64 bytes) {
  const u64 step = from - to < bytes ? from - to : bytes;
  for (u64 done = 0; done < bytes; done += step) {
    const u64 end = done + step < bytes ? done + step : bytes;
    for (u64 i = done + threadIdx.x; i < end; i += NVM_BT) ((u8*)to)[i] = ((const u8*)from)[i];
    __syncthreads();
  }
}
#define NVM_MOVED (1ull << 63)
// Moves the results of a frame to its place and gives up the rest. width: bytes of an element, 0: a descriptor.
template <int kCount>
NVM_DEV void nvm_leave(nvm_arena& b, nvm_val* F, nvm_val (&v)[kCount], const int (&width)[kCount]) {
  __syncthreads();
  u64 top = (u64)F;
  u64 moved = top;  // results before this have been moved
  for (int round = 0; round < kCount; ++round) {
    u64 next = ~(u64)0;
    u64 bytes = 0;
    bool elements = false;
    for (int k = 0; k < kCount; ++k) {
      if (nvm_size(v[k], width[k]) == 0) v[k].at = 0;
      if ((v[k].at & NVM_MOVED) != 0 || v[k].at < moved || v[k].at > next) continue;
      next = v[k].at;
      bytes = nvm_size(v[k], width[k]);
      elements = width[k] != 0;
    }
    if (next == ~(u64)0) break;
    if (elements && next != top) {
      NVM_COUNT(2 * bytes);
    }
    nvm_slide(top, next, bytes);
    for (int k = 0; k < kCount; ++k)
      if (v[k].at == next) v[k].at = top | NVM_MOVED;
    moved = next + 1;
    top += (bytes + 15) & ~(u64)15;
  }
  for (int k = 0; k < kCount; ++k) v[k].at &= ~NVM_MOVED;
  b.top = top;
}
// Results of the outermost frame to the heap that all groups share: words at, n, total of descriptors.
template <int kCount>
NVM_DEV void nvm_deliver(nvm_arena& b, const nvm_val (&v)[kCount], const int (&width)[kCount], u64 heap, u64 heap_bytes,
                         u64* heap_top, u64* out) {
  for (int k = 0; k < kCount; ++k) {
    const u64 bytes = (nvm_size(v[k], width[k]) + 15) & ~(u64)15;
    if (threadIdx.x == 0) b.box[0] = (i64)atomicAdd(heap_top, bytes);
    __syncthreads();
    const u64 at = (u64)b.box[0];
    __syncthreads();
    if (at + bytes > heap_bytes) b.stop = 2;
    if (b.stop != 0) return;
    for (u64 i = threadIdx.x; i < nvm_size(v[k], width[k]); i += NVM_BT)
      ((u8*)(heap + at))[i] = ((const u8*)v[k].at)[i];
    if (width[k] != 0) {
      NVM_COUNT(2 * nvm_size(v[k], width[k]));
    }
    if (threadIdx.x != 0) continue;
    out[3 * k] = heap + at;
    out[3 * k + 1] = (u64)v[k].n;
    out[3 * k + 2] = width[k] == 0 ? (u64)nvm_total(v[k]) : 0;
  }
}

// Results of groups put end to end: block g copies group g. Words by group: where they stand, how many, where they go.
// width 0: lengths from offsets, as INT of `made` bytes.
struct nvm_join_args {
  u64 pieces, to, width, made;
};
extern "C" __global__ void nvm_join(const nvm_join_args a) {
  const u64* piece = (const u64*)a.pieces + 3 * (u64)blockIdx.x;
  if (a.width != 0) {
    u8* to = (u8*)a.to + piece[2] * a.width;
    for (u64 i = threadIdx.x; i < piece[1] * a.width; i += blockDim.x) to[i] = ((const u8*)piece[0])[i];
    return;
  }
  const i64* offsets = (const i64*)piece[0];
  for (u64 i = threadIdx.x; i < piece[1]; i += blockDim.x) {
    const i64 length = offsets[i + 1] - offsets[i];
    if (a.made == 8) ((i64*)a.to)[piece[2] + i] = length;
    if (a.made == 4) ((int*)a.to)[piece[2] + i] = (int)length;
  }
}
NVM_ENTRY(nvm_join, nvm_join_args)
#endif
