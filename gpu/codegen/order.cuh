// Ranking and sorting: keys become unsigned words of the wanted order, less the least, above them the number of their
// segment if both fit into 64 bits, and are sorted from the lowest digit of 8 bits, one pass a digit: the places of all
// digits are counted beforehand in one read, and a pass hands on how many of each digit came before by
// look-back between tiles, as scans do (Adinets and Merrill 2022, "Onesweep"). A pass reads and writes every word once.
// Segments whose numbers do not fit take passes of their own over ids. cells[0], cells[1]: the largest key and the
// largest complement; from cells[2] on, tickets of passes.
#define NVM_ORDER_ITEMS 16
#define NVM_ORDER_TILE 4096
#define NVM_SIGN 0x8000000000000000ull

// kind: 0, 1, 2: INT of 1, 4, 8 bytes; 3: FLOAT.
NVM_DEV u64 nvm_order_key(u64 keys, u64 kind, i64 i) {
  i64 x = 0;
  if (kind == 0) x = ((const i8*)keys)[i];
  if (kind == 1) x = ((const int*)keys)[i];
  if (kind >= 2) x = ((const i64*)keys)[i];
  if (kind == 3) x ^= (x >> 63) & 0x7fffffffffffffffll;
  return (u64)x ^ NVM_SIGN;
}
NVM_DEV i64 nvm_order_segment(u64 offsets, u64 segments, u64 length, i64 i, i64& start) {
  if (segments <= 1) {
    start = 0;
    return 0;
  }
  if (offsets == 0) {
    const i64 s = i / (i64)length;
    start = s * (i64)length;
    return s;
  }
  const i64 s = nvm_find_segment((const i64*)offsets, (i64)segments, 0, i);
  start = ((const i64*)offsets)[s];
  return s;
}
#define NVM_ORDER_LOOP(i, n) \
  for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < (i64)(n); i += (i64)gridDim.x * blockDim.x)

struct nvm_order_range_args {
  u64 cells, keys, n, kind;
};
extern "C" __global__ void nvm_order_range(const nvm_order_range_args a) {
  u64 most = 0, least = 0;
  NVM_ORDER_LOOP(i, a.n) {
    const u64 key = nvm_order_key(a.keys, a.kind, i);
    most = key > most ? key : most;
    least = ~key > least ? ~key : least;
  }
  for (int w = 16; w > 0; w /= 2) {
    const u64 other_most = __shfl_down_sync(NVM_ALL, most, w, 32);
    const u64 other_least = __shfl_down_sync(NVM_ALL, least, w, 32);
    most = other_most > most ? other_most : most;
    least = other_least > least ? other_least : least;
  }
  if (threadIdx.x % 32 != 0) return;
  atomicMax((u64*)a.cells, most);
  atomicMax((u64*)a.cells + 1, least);
}
NVM_ENTRY(nvm_order_range, nvm_order_range_args)

// index and ids: 0 where not wanted.
struct nvm_order_words_args {
  u64 cells, keys, n, kind, down, low, high, words, index, ids, offsets, segments, length, bits;
};
extern "C" __global__ void nvm_order_words(const nvm_order_words_args a) {
  NVM_ORDER_LOOP(i, a.n) {
    const u64 key = nvm_order_key(a.keys, a.kind, i);
    u64 word = a.down != 0 ? a.high - key : key - a.low;
    i64 start = 0;
    const u64 segment = (u64)nvm_order_segment(a.offsets, a.segments, a.length, i, start);
    if (a.ids != 0)
      ((u64*)a.ids)[i] = segment;
    else if (segment != 0)
      word |= segment << a.bits;
    ((u64*)a.words)[i] = word;
    if (a.index != 0) ((unsigned*)a.index)[i] = (unsigned)i;
  }
}
NVM_ENTRY(nvm_order_words, nvm_order_words_args)

// counts[256 p + d] += how many words have digit d in pass p; all passes in one read.
struct nvm_order_count_args {
  u64 cells, words, n, passes, counts;
};
extern "C" __global__ void nvm_order_count(const nvm_order_count_args a) {
  NVM_SHARED(unsigned, bins, 2048);
  const int passes = (int)a.passes;
  for (int k = (int)threadIdx.x; k < 256 * passes; k += (int)blockDim.x) bins[k] = 0;
  __syncthreads();
  NVM_ORDER_LOOP(i, a.n) {
    const u64 word = ((const u64*)a.words)[i];
    for (int p = 0; p < passes; ++p) nvm_shared_add(bins, 256 * p + (int)(word >> (8 * p) & 255), 1);
  }
  __syncthreads();
  for (int k = (int)threadIdx.x; k < 256 * passes; k += (int)blockDim.x) {
    const unsigned count = bins[k];
    if (count != 0) atomicAdd((u64*)a.counts + k, (u64)count);
  }
}
NVM_ENTRY(nvm_order_count, nvm_order_count_args)

// A block's 256 counts become the sums of those before.
struct nvm_order_starts_args {
  u64 cells, counts;
};
extern "C" __global__ void nvm_order_starts(const nvm_order_starts_args a) {
  NVM_SHARED(u64, sums, 256);
  u64* const count = (u64*)a.counts + 256 * blockIdx.x + threadIdx.x;
  u64 sum = *count;
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int w = 1; w < 256; w *= 2) {
    const u64 other = (int)threadIdx.x >= w ? (u64)sums[(int)threadIdx.x - w] : 0;
    __syncthreads();
    sum += other;
    sums[threadIdx.x] = sum;
    __syncthreads();
  }
  *count = sum - *count;
}
NVM_ENTRY(nvm_order_starts, nvm_order_starts_args)

// How many of this thread's digit came in tiles before t; adds this tile's. A word of state: how far it is in the
// highest two bits (1: this tile alone, 2: all up to here), the number below.
NVM_DEV u64 nvm_order_before(u64* state, i64 t, u64 here) {
  const int digit = (int)threadIdx.x;
  u64 before = 0;
  if (t > 0) *(volatile u64*)(state + 256 * t + digit) = 1ull << 62 | here;
  for (i64 p = t - 1; p >= 0;) {
    const u64 word = nvm_peek(state + 256 * p + digit);
    if (word == 0) {
      __nanosleep(40);
      continue;
    }
    before += word & ((1ull << 62) - 1);
    if (word >> 62 == 2) break;
    --p;
  }
  *(volatile u64*)(state + 256 * t + digit) = 2ull << 62 | (before + here);
  return before;
}

// One digit: of the words, or, if there are ids, of the id of the element that index names.
struct nvm_order_pass_args {
  u64 cells, ticket, words, index, to_words, to_index, n, shift, starts, state, ids;
};
extern "C" __global__ void __launch_bounds__(256, 2) nvm_order_pass(const nvm_order_pass_args a) {
  NVM_SHARED(u64, box, 8);
  NVM_SHARED(u64, place, 256);
  NVM_SHARED(unsigned, count, 2048);  // 256 of each warp
  const int tid = (int)threadIdx.x, lane = tid & 31, warp = tid / 32;
  const i64 t = nvm_ticket(box, (u64*)a.cells + a.ticket);
  for (int k = tid; k < 2048; k += 256) count[k] = 0;
  __syncthreads();
  const i64 first = t * NVM_ORDER_TILE + warp * (NVM_ORDER_TILE / 8) + lane;
  u64 word[NVM_ORDER_ITEMS];
  unsigned index[NVM_ORDER_ITEMS], rank[NVM_ORDER_ITEMS];
  u8 digit[NVM_ORDER_ITEMS];
#pragma unroll
  for (int j = 0; j < NVM_ORDER_ITEMS; ++j) {
    const i64 i = first + 32 * j;
    const bool in = i < (i64)a.n;
    word[j] = in ? ((const u64*)a.words)[i] : 0;
    index[j] = in && a.index != 0 ? ((const unsigned*)a.index)[i] : 0;
    const u64 from = in && a.ids != 0 ? ((const u64*)a.ids)[index[j]] : word[j];
    digit[j] = (u8)(from >> a.shift & 255);
    unsigned same = __ballot_sync(NVM_ALL, in);
    for (int b = 0; b < 8; ++b) {
      const bool set = (digit[j] >> b & 1) != 0;
      const unsigned votes = __ballot_sync(NVM_ALL, set);
      same &= set ? votes : ~votes;
    }
    const int mine = warp * 256 + digit[j];
    const unsigned before = in ? (unsigned)count[mine] : 0;
    __syncwarp();
    rank[j] = before + (unsigned)__popc(same & ((1u << lane) - 1));
    if (in && (same & ((1u << lane) - 1)) == 0) count[mine] = before + (unsigned)__popc(same);
    __syncwarp();
  }
  __syncthreads();
  unsigned total = 0;
  for (int w = 0; w < 8; ++w) {
    const unsigned here = count[256 * w + tid];
    count[256 * w + tid] = total;
    total += here;
  }
  place[tid] = ((const u64*)a.starts)[tid] + nvm_order_before((u64*)a.state, t, total);
  __syncthreads();
#pragma unroll
  for (int j = 0; j < NVM_ORDER_ITEMS; ++j) {
    if (first + 32 * j >= (i64)a.n) break;
    const u64 at = (u64)place[digit[j]] + (unsigned)count[256 * warp + digit[j]] + rank[j];
    ((u64*)a.to_words)[at] = word[j];
    if (a.index != 0) ((unsigned*)a.to_index)[at] = index[j];
  }
}
NVM_ENTRY(nvm_order_pass, nvm_order_pass_args)

// Sorted: the place in its segment of the element that stands at i.
struct nvm_order_ranks_args {
  u64 cells, index, n, offsets, segments, length, out, width;
};
extern "C" __global__ void nvm_order_ranks(const nvm_order_ranks_args a) {
  NVM_ORDER_LOOP(i, a.n) {
    i64 start = 0;
    nvm_order_segment(a.offsets, a.segments, a.length, i, start);
    const i64 to = (i64)((const unsigned*)a.index)[i];
    if (a.width == 8) ((i64*)a.out)[to] = i - start;
    if (a.width == 4) ((int*)a.out)[to] = (int)(i - start);
  }
}
NVM_ENTRY(nvm_order_ranks, nvm_order_ranks_args)

// Sorted: the elements again. mask: of a word's key.
struct nvm_order_elements_args {
  u64 cells, words, n, kind, down, low, high, mask, out;
};
extern "C" __global__ void nvm_order_elements(const nvm_order_elements_args a) {
  NVM_ORDER_LOOP(i, a.n) {
    const u64 k = ((const u64*)a.words)[i] & a.mask;
    i64 x = (i64)((a.down != 0 ? a.high - k : k + a.low) ^ NVM_SIGN);
    if (a.kind == 3) x ^= (x >> 63) & 0x7fffffffffffffffll;
    if (a.kind == 0) ((i8*)a.out)[i] = (i8)x;
    if (a.kind == 1) ((int*)a.out)[i] = (int)x;
    if (a.kind >= 2) ((i64*)a.out)[i] = x;
  }
}
NVM_ENTRY(nvm_order_elements, nvm_order_elements_args)
