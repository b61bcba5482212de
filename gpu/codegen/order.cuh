// Ranking and sorting by radix, from the lowest digit of 8 bits, one pass a digit (Adinets and Merrill 2022, "Onesweep").
//
// Keys become words: unsigned numbers of the wanted order, from 0, above them the number of the segment, below them the
// index of the element where that is wanted. A word has 4 bytes if all fits. The first pass reads keys itself, the last
// one writes elements or ranks, so words only stand between passes. A pass reads its elements once: it ranks those of a
// tile, gathers them in shared memory in their order and writes runs. It learns by look-back how many of each digit came
// in tiles before. The range of the keys is found together with the counts of their lowest four bytes, which are, turned,
// those of the first digits if no digit borrows from the next; what is not known so, a pass counts for the next one.
//
// cells[0], cells[1]: the largest key and the largest complement; from cells[2] on, tickets of passes.
#define NVM_ORDER_THREADS 256
#define NVM_SIGN 0x8000000000000000ull
// What words are made of and become: INT of 1, 4, 8 bytes, FLOAT; words; ranks of 4 and 8 bytes.
#define NVM_ORDER_FLOAT 3
#define NVM_ORDER_WORDS 4
#define NVM_ORDER_RANKS4 5
#define NVM_ORDER_RANKS8 6

template <class Word>
struct nvm_order_items;  // of a thread
template <>
struct nvm_order_items<unsigned> {
  static const int value = 24;
};
template <>
struct nvm_order_items<u64> {
  static const int value = 16;
};

// FLOAT as an integer of the same order, and back.
NVM_DEV i64 nvm_order_bits(i64 x) { return x ^ ((x >> 63) & 0x7fffffffffffffffll); }
NVM_DEV i64 nvm_order_key(u64 keys, u64 kind, i64 i) {
  if (kind == 0) return ((const i8*)keys)[i];
  if (kind == 1) return ((const int*)keys)[i];
  const i64 x = ((const i64*)keys)[i];
  return kind == NVM_ORDER_FLOAT ? nvm_order_bits(x) : x;
}
NVM_DEV int nvm_order_rest(u64 n, i64 first) {
  const i64 rest = (i64)n - first;
  return rest < 0x7fffffff ? (int)rest : 0x7fffffff;
}

// Elements of a lane, 32 apart, or `missing` behind the end; all are asked for before one is used.
template <class T, class S, int kItems>
NVM_DEV void nvm_order_read(u64 from, u64 n, i64 first, S (&x)[kItems], S missing) {
  const int rest = nvm_order_rest(n, first);
#pragma unroll
  for (int j = 0; j < kItems; ++j) x[j] = 32 * j < rest ? (S)((const T*)from)[first + 32 * j] : missing;
}
template <int kItems>
NVM_DEV void nvm_order_read_keys(u64 keys, u64 kind, u64 n, i64 first, i64 (&x)[kItems]) {
  if (kind == 0) nvm_order_read<i8>(keys, n, first, x, 0ll);
  if (kind == 1) nvm_order_read<int>(keys, n, first, x, 0ll);
  if (kind < 2) return;
  nvm_order_read<i64>(keys, n, first, x, 0ll);
  if (kind != NVM_ORDER_FLOAT) return;
#pragma unroll
  for (int j = 0; j < kItems; ++j) x[j] = nvm_order_bits(x[j]);
}

// ---- elements in their order: chunks of 2048 of a block ----
#define NVM_ORDER_CHUNK 2048
#define NVM_ORDER_CHUNKS(from, n) \
  for (i64 from = (i64)blockIdx.x * NVM_ORDER_CHUNK; from < (i64)(n); from += (i64)gridDim.x * NVM_ORDER_CHUNK)
// Segments of `length` elements each, or by offsets.
struct nvm_order_segments {
  u64 offsets, segments, length;
};
// The segments of the first and the last element of a chunk, for the whole block; of any element if not `near`.
template <class Ends>
NVM_DEV void nvm_order_find_ends(Ends& ends, const nvm_order_segments& s, i64 from, u64 n, bool near) {
  if (s.offsets == 0) return;
  const i64* const offsets = (const i64*)s.offsets;
  const i64 last = from + NVM_ORDER_CHUNK < (i64)n ? from + NVM_ORDER_CHUNK - 1 : (i64)n - 1;
  __syncthreads();
  if (threadIdx.x == 0) ends[0] = near ? (u64)nvm_find_segment(offsets, (i64)s.segments, 0, from) : 0;
  if (threadIdx.x == 32) ends[1] = near ? (u64)nvm_find_segment(offsets, (i64)s.segments, 0, last) : s.segments - 1;
  __syncthreads();
}
template <class Ends>
NVM_DEV i64 nvm_order_segment(Ends& ends, const nvm_order_segments& s, i64 i, i64& start) {
  start = 0;
  if (s.segments <= 1) return 0;
  const i64* const offsets = (const i64*)s.offsets;
  const i64 k = offsets != 0 ? nvm_find_segment(offsets, (i64)(u64)ends[1] + 1, (i64)(u64)ends[0], i) : i / (i64)s.length;
  start = offsets != 0 ? offsets[k] : k * (i64)s.length;
  return k;
}

// To this thread's bin of a pass.
NVM_DEV void nvm_order_add_bin(u64 counts, unsigned count) {
  if (count != 0) atomicAdd((unsigned*)counts + threadIdx.x, count);
}

// counts: of the lowest bytes, a row each.
#define NVM_ORDER_BYTES 4
struct nvm_order_range_args {
  u64 cells, keys, n, kind, counts;
};
extern "C" __global__ void __launch_bounds__(256) nvm_order_range(const nvm_order_range_args a) {
  NVM_SHARED(unsigned, bins, 256 * NVM_ORDER_BYTES);
  NVM_SHARED(u64, most_of, 8);
  NVM_SHARED(u64, least_of, 8);
  const int lane = (int)threadIdx.x & 31, warp = (int)threadIdx.x / 32;
  for (int b = 0; b < NVM_ORDER_BYTES; ++b) bins[256 * b + threadIdx.x] = 0;
  __syncthreads();
  u64 most = 0, least = 0;
  NVM_ORDER_CHUNKS(from, a.n) {
    const i64 first = from + NVM_ORDER_CHUNK / 8 * warp + lane;
    const int rest = nvm_order_rest(a.n, first);
    i64 x[8];
    nvm_order_read_keys(a.keys, a.kind, a.n, first, x);
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      if (32 * j >= rest) continue;
      const u64 key = (u64)x[j] ^ NVM_SIGN;
      most = key > most ? key : most;
      least = ~key > least ? ~key : least;
#pragma unroll
      for (int b = 0; b < NVM_ORDER_BYTES; ++b) nvm_shared_add(bins, 256 * b + ((unsigned)key >> 8 * b & 255), 1u);
    }
  }
  most = nvm_fold_warp<nvm_op_max>(most);
  least = nvm_fold_warp<nvm_op_max>(least);
  if (lane == 0) {
    most_of[warp] = most;
    least_of[warp] = least;
  }
  __syncthreads();
  for (int b = 0; b < NVM_ORDER_BYTES; ++b) nvm_order_add_bin(a.counts + 1024 * b, bins[256 * b + threadIdx.x]);
  if (warp != 0) return;
  most = nvm_fold_warp<nvm_op_max>((u64)most_of[lane % 8]);
  least = nvm_fold_warp<nvm_op_max>((u64)least_of[lane % 8]);
  if (lane != 0) return;
  atomicMax((u64*)a.cells, most);
  atomicMax((u64*)a.cells + 1, least);
}
NVM_ENTRY(nvm_order_range, nvm_order_range_args)

// Words of elements in their order, or, if `before` are words that end in indices, in the order of those. A word is
// `chunk` bits of segment and key (of `bits` bits) from bit `skip` on, then an index. counts: of the lowest digits.
struct nvm_order_words_args {
  u64 cells, keys, n, kind, flip, base, before, before_bytes, to, to_bytes;
  nvm_order_segments in;
  u64 bits, skip, chunk, index_bits, index_mask, counts;
};
NVM_DEV u64 nvm_order_word(u64 words, u64 bytes, i64 i) {
  return bytes == 4 ? ((const unsigned*)words)[i] : ((const u64*)words)[i];
}
extern "C" __global__ void __launch_bounds__(256) nvm_order_words(const nvm_order_words_args a) {
  NVM_SHARED(unsigned, bins, 256);
  NVM_SHARED(u64, ends, 2);
  bins[threadIdx.x] = 0;
  __syncthreads();
  NVM_ORDER_CHUNKS(from, a.n) {
    nvm_order_find_ends(ends, a.in, from, a.n, a.before == 0);
    for (int j = 0; j < NVM_ORDER_CHUNK / 256; ++j) {
      const i64 at = from + 256 * j + (i64)threadIdx.x;
      if (at >= (i64)a.n) break;
      const i64 i = a.before != 0 ? (i64)(nvm_order_word(a.before, a.before_bytes, at) & a.index_mask) : at;
      const u64 key = ((u64)nvm_order_key(a.keys, a.kind, i) ^ a.flip) + a.base;
      i64 start = 0;
      const u64 segment = (u64)nvm_order_segment(ends, a.in, i, start);
      u64 part = a.skip < a.bits ? key >> a.skip : segment >> (a.skip - a.bits);
      if (a.skip < a.bits && segment != 0 && a.bits - a.skip < 64) part |= segment << (a.bits - a.skip);
      if (a.chunk < 64) part &= (1ull << a.chunk) - 1;
      const u64 word = part << a.index_bits | ((u64)i & a.index_mask);
      if (a.to_bytes == 4)
        ((unsigned*)a.to)[at] = (unsigned)word;
      else
        ((u64*)a.to)[at] = word;
      nvm_shared_add(bins, (int)(part & 255), 1u);
    }
  }
  __syncthreads();
  nvm_order_add_bin(a.counts, bins[threadIdx.x]);
}
NVM_ENTRY(nvm_order_words, nvm_order_words_args)

// ---- a pass ----
// from, to: of a kind each; `from` keys are (key ^ flip) + base. counts: of this pass's digits, or of bytes of keys: those
// of digit d are at (d - turn) ^ mirror. next: of the next pass; 0 if they are known. state: a word for each tile and
// digit, zero before; spare: the next pass's, which this one clears, if any. mask: of the key in a word.
struct nvm_order_pass_args {
  u64 cells, ticket, from, from_kind, to, to_kind, n, shift, counts, turn, mirror, next, state, spare, flip, base, mask,
      index_bits, index_mask;
};

// Lanes whose bit is as this one's.
NVM_DEV unsigned nvm_order_alike(unsigned x, unsigned bit) {
#ifndef NVM_EMULATION  // from C++ it would be seven instructions instead of four
  unsigned lanes;
  asm volatile(
      "{\n .reg .pred p;\n .reg .b32 t;\n and.b32 t, %1, %2;\n setp.ne.u32 p, t, 0;\n"
      " vote.sync.ballot.b32 %0, p, 0xffffffff;\n @!p not.b32 %0, %0;\n}"
      : "=r"(lanes)
      : "r"(x), "r"(bit));
  return lanes;
#else
  const bool set = (x & bit) != 0;
  return __ballot_sync(NVM_ALL, set) ^ (set ? 0 : NVM_ALL);
#endif
}
// Lanes that have the same digit.
NVM_DEV unsigned nvm_order_same(unsigned digit) {
  unsigned same = NVM_ALL;
#pragma unroll
  for (int b = 0; b < 8; ++b) same &= nvm_order_alike(digit, 1u << b);
  return same;
}

// A word of state: 1 + how many in this tile alone, or, with the highest bit, how many in all up to here.
#define NVM_ORDER_ALL 0x80000000u
NVM_DEV void nvm_order_tell(u64 state, i64 t, unsigned word) {
  *((volatile unsigned*)state + 256 * t + threadIdx.x) = word;
}
// How many of this thread's digit came in tiles before t.
NVM_DEV unsigned nvm_order_before(u64 state, i64 t) {
  const volatile unsigned* const tile = (const volatile unsigned*)state + threadIdx.x;
  unsigned before = 0;
  for (i64 p = t - 1; p >= 0;) {
    const unsigned word = tile[256 * p];
    if (word >= NVM_ORDER_ALL) return before + (word - NVM_ORDER_ALL);
    if (word == 0) {
      __nanosleep(40);
      continue;
    }
    before += word - 1;
    --p;
  }
  return before;
}

// Inclusive sum over the first 256 threads; all threads take part. sums: 8.
template <class Sums>
NVM_DEV u64 nvm_order_sum(u64 x, Sums& sums) {
  const int lane = (int)threadIdx.x & 31, warp = (int)threadIdx.x / 32;
  for (int w = 1; w < 32; w *= 2) {
    const u64 other = __shfl_up_sync(NVM_ALL, x, w);
    x += lane >= w ? other : 0;
  }
  if (lane == 31 && warp < 8) sums[warp] = x;
  __syncthreads();
#pragma unroll
  for (int w = 0; w < 7; ++w) x += w < warp ? (u64)sums[w] : 0;
  return x;
}

template <class Word>
NVM_DEV unsigned nvm_order_digit(Word word, u64 shift) {
  return (unsigned)(word >> shift) & 255;
}

template <class Word, int kItems>
NVM_DEV void nvm_order_load(const nvm_order_pass_args& a, i64 first, Word (&word)[kItems]) {
  if (a.from_kind == NVM_ORDER_WORDS) return nvm_order_read<Word>(a.from, a.n, first, word, ~(Word)0);
  constexpr int kBatch = 8;
#pragma unroll
  for (int b = 0; b < kItems; b += kBatch) {
    i64 x[kBatch];
    nvm_order_read_keys(a.from, a.from_kind, a.n, first + 32 * b, x);
    const int rest = nvm_order_rest(a.n, first + 32 * b);
#pragma unroll
    for (int j = 0; j < kBatch; ++j) {
      const u64 key = ((u64)x[j] ^ a.flip) + a.base, index = (u64)(first + 32 * (b + j)) & a.index_mask;
      word[b + j] = 32 * j < rest ? (Word)(key << a.index_bits | index) : ~(Word)0;
    }
  }
}

// The element at `to + at` of a word.
template <class Word>
struct nvm_order_as_word {
  NVM_DEV void store(const nvm_order_pass_args& a, u64 at, Word word) { ((Word*)a.to)[at] = word; }
};
template <class T, bool kFloat>
struct nvm_order_as_key {
  NVM_DEV void store(const nvm_order_pass_args& a, u64 at, u64 word) {
    const i64 x = (i64)(((word & a.mask) - a.base) ^ a.flip);
    ((T*)a.to)[at] = (T)(kFloat ? nvm_order_bits(x) : x);
  }
};
template <class T>
struct nvm_order_as_rank {
  NVM_DEV void store(const nvm_order_pass_args& a, u64 at, u64 word) { ((T*)a.to)[word & a.index_mask] = (T)at; }
};
template <class As, class Word, int kItems>
NVM_DEV void nvm_order_write(const nvm_order_pass_args& a, int rest, const Word (&word)[kItems],
                             const unsigned (&at)[kItems]) {
#pragma unroll
  for (int j = 0; j < kItems; ++j)
    if (NVM_ORDER_THREADS * j < rest) As::store(a, at[j], word[j]);
}
template <class Word, int kItems>
NVM_DEV void nvm_order_write_kind(const nvm_order_pass_args& a, int rest, const Word (&word)[kItems],
                                  const unsigned (&at)[kItems]) {
  if (a.to_kind == NVM_ORDER_WORDS) return nvm_order_write<nvm_order_as_word<Word>>(a, rest, word, at);
  if (a.to_kind == 0) return nvm_order_write<nvm_order_as_key<i8, false>>(a, rest, word, at);
  if (a.to_kind == 1) return nvm_order_write<nvm_order_as_key<int, false>>(a, rest, word, at);
  if (a.to_kind == 2) return nvm_order_write<nvm_order_as_key<i64, false>>(a, rest, word, at);
  if (a.to_kind == NVM_ORDER_FLOAT) return nvm_order_write<nvm_order_as_key<i64, true>>(a, rest, word, at);
  if (a.to_kind == NVM_ORDER_RANKS4) return nvm_order_write<nvm_order_as_rank<int>>(a, rest, word, at);
  nvm_order_write<nvm_order_as_rank<i64>>(a, rest, word, at);
}

template <class Word>
NVM_DEV void nvm_order_pass(const nvm_order_pass_args& a) {
  constexpr int kItems = nvm_order_items<Word>::value, kWarps = NVM_ORDER_THREADS / 32;
  constexpr int kTile = NVM_ORDER_THREADS * kItems;
  NVM_SHARED(u64, box, 8);
  NVM_SHARED(unsigned, next, 256);
  NVM_SHARED(unsigned, place, 256);
  NVM_SHARED(unsigned, count, 256 * kWarps);  // 256 of each warp
  NVM_SHARED(Word, stage, kTile);
  const int tid = (int)threadIdx.x, lane = tid & 31, warp = tid / 32;
#pragma unroll
  for (int k = 0; k < 8; ++k) count[256 * warp + 32 * k + lane] = 0;
  if (tid < 256) next[tid] = 0;
  const i64 t = nvm_ticket(box, (u64*)a.cells + a.ticket);
  if (tid < 256 && a.spare != 0) ((unsigned*)a.spare)[256 * t + tid] = 0;

  unsigned count_of_all = 0;
  if (tid < 256)
    count_of_all = ((const unsigned*)a.counts)[(((unsigned)tid - (unsigned)a.turn) ^ (unsigned)a.mirror) & 255];
  const int size = nvm_order_rest(a.n, t * kTile);
  Word word[kItems];  // what is missing in the last tile is the largest, so it comes last
  nvm_order_load(a, t * kTile + warp * (32 * kItems) + lane, word);
#pragma unroll
  for (int j = 0; j < kItems; ++j) nvm_shared_add(count, 256 * warp + nvm_order_digit(word[j], a.shift), 1u);
  if (a.next != 0) {
#pragma unroll
    for (int j = 0; j < kItems; ++j) nvm_shared_add(next, nvm_order_digit(word[j], a.shift + 8), 1u);
  }
  __syncthreads();

  // Of this thread's digit: in warps before, in the tile, and in all passes' words.
  unsigned here = 0, of_warp[kWarps];
  u64 both = 0;
  if (tid < 256) {
#pragma unroll
    for (int w = 0; w < kWarps; ++w) {
      of_warp[w] = here;
      here += count[256 * w + tid];
    }
    nvm_order_tell(a.state, t, t == 0 ? NVM_ORDER_ALL | here : 1 + here);
    if (a.next != 0) {
      const bool missing = (unsigned)tid == nvm_order_digit(~(Word)0, a.shift + 8) && size < kTile;
      nvm_order_add_bin(a.next, next[tid] - (missing ? (unsigned)(kTile - size) : 0));
    }
    both = (u64)count_of_all << 32 | here;
  }
  const u64 starts = nvm_order_sum(both, box) - both;
  if (tid < 256) {
#pragma unroll
    for (int w = 0; w < kWarps; ++w) count[256 * w + tid] = of_warp[w] + (unsigned)starts;
  }
  __syncthreads();

#pragma unroll
  for (int j = 0; j < kItems; ++j) {
    const unsigned digit = nvm_order_digit(word[j], a.shift);
    const unsigned same = nvm_order_same(digit);
    const int last = 31 - __clz((int)same);
    const unsigned number = (unsigned)__popc(same & (NVM_ALL >> (31 - lane)));  // from 1
    unsigned at = 0;
    if (lane == last) at = nvm_shared_add(count, 256 * warp + digit, number);
    __syncwarp();  // before those of the next elements
    stage[__shfl_sync(NVM_ALL, at, last) + number - 1] = word[j];
  }
  if (tid < 256) {
    const unsigned before = nvm_order_before(a.state, t);
    if (t > 0) nvm_order_tell(a.state, t, NVM_ORDER_ALL | (before + here));
    place[tid] = (unsigned)(starts >> 32) + before - (unsigned)starts;
  }
  __syncthreads();

  unsigned to[kItems];
#pragma unroll
  for (int j = 0; j < kItems; ++j) word[j] = stage[NVM_ORDER_THREADS * j + tid];
#pragma unroll
  for (int j = 0; j < kItems; ++j)
    to[j] = (unsigned)place[nvm_order_digit(word[j], a.shift)] + (unsigned)(NVM_ORDER_THREADS * j + tid);
  nvm_order_write_kind(a, size - tid, word, to);
}
extern "C" __global__ void __launch_bounds__(NVM_ORDER_THREADS, 3) nvm_order_pass4(const nvm_order_pass_args a) {
  nvm_order_pass<unsigned>(a);
}
NVM_ENTRY(nvm_order_pass4, nvm_order_pass_args)
extern "C" __global__ void __launch_bounds__(NVM_ORDER_THREADS, 3) nvm_order_pass8(const nvm_order_pass_args a) {
  nvm_order_pass<u64>(a);
}
NVM_ENTRY(nvm_order_pass8, nvm_order_pass_args)

// Of sorted words that end in indices: the places of elements in their segments, or the elements (`keys`), of `width`
// bytes.
struct nvm_order_finish_args {
  u64 cells, words, bytes, index_mask, n, keys;
  nvm_order_segments in;
  u64 out, width;
};
template <class T, class Ends>
NVM_DEV void nvm_order_finish_one(const nvm_order_finish_args& a, Ends& ends, i64 i) {
  const i64 index = (i64)(nvm_order_word(a.words, a.bytes, i) & a.index_mask);
  if (a.keys != 0) {
    ((T*)a.out)[i] = ((const T*)a.keys)[index];
    return;
  }
  i64 start = 0;
  nvm_order_segment(ends, a.in, i, start);
  ((T*)a.out)[index] = (T)(i - start);
}
extern "C" __global__ void __launch_bounds__(256) nvm_order_finish(const nvm_order_finish_args a) {
  NVM_SHARED(u64, ends, 2);
  NVM_ORDER_CHUNKS(from, a.n) {
    nvm_order_find_ends(ends, a.in, from, a.n, true);
    for (int j = 0; j < NVM_ORDER_CHUNK / 256; ++j) {
      const i64 i = from + 256 * j + (i64)threadIdx.x;
      if (i >= (i64)a.n) break;
      if (a.width == 8) nvm_order_finish_one<i64>(a, ends, i);
      if (a.width == 4) nvm_order_finish_one<int>(a, ends, i);
      if (a.width == 1) nvm_order_finish_one<i8>(a, ends, i);
    }
  }
}
NVM_ENTRY(nvm_order_finish, nvm_order_finish_args)
