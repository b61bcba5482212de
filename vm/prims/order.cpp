// RANK: the place of each element in its segment sorted, stable in both directions.
//
// Keys become unsigned integers of the wanted order, less the segment's smallest: INT by value, FLOAT by the
// total order of its bits (-0 below 0, NaN by sign at the ends), RANK_DOWN counted from the largest. A key
// and the element's number are packed into one 64-bit word, the number below, so that words are distinct and
// any sort of them is stable. If both do not fit, the lowest key bits are left out, and runs of equal words'
// keys are sorted by the whole key afterwards.
//
//   up to 32 elements  the rank is counted: every pair compared, no data moved
//   up to kCached      packed words sorted in the cache: insertion, std::sort, or radix from the lowest
//                      digit over the digits that differ
//   longer             split by the highest key bits into buckets by all threads (count, then move: two
//                      reads of the keys, one write of words), buckets sorted in the cache, the largest by
//                      splitting again. Keys of few bits are only counted: two reads, one write in order.
// Many short segments are shared out between threads by whole segments. The ranks are written once, at random
// places of the segment, which costs more than the rest from about 2^22 elements on.
#include "vm/prims/order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "vm/prims/buckets.h"
#include "vm/prims/by_length.h"
#include "vm/prims/key_range.h"
#include "vm/prims/operands.h"
#include "vm/prims/order_elsewhere.h"
#include "vm/prims/parallel.h"

namespace nvm::vm {

namespace {

using Word = std::uint64_t;

constexpr std::int64_t kCached = 1 << 15;  // words of a bucket and its double lie in the second-level cache
constexpr int kSplitBits = 10;             // buckets of one split: as many streams as the caches carry
constexpr int kCountedBits = 14;           // counters of this many bits stay in the second-level cache
constexpr std::int64_t kSplitChunk = 1 << 15;

// Key of element i, before the smallest is subtracted.
template <typename T>
std::int64_t ordered(T x) {
  return x;
}
template <>
std::int64_t ordered(double x) {
  const auto b = std::bit_cast<std::int64_t>(x);
  return b ^ ((b >> 63) & INT64_MAX);
}

// How the keys of one segment are packed.
struct Packing {
  std::int64_t low, high;  // smallest and largest key
  bool down;
  int key_bits;     // of high - low
  int number_bits;  // of an element's number
  [[nodiscard]] Word key(std::int64_t k) const {
    return down ? static_cast<Word>(high) - static_cast<Word>(k)
                : static_cast<Word>(k) - static_cast<Word>(low);
  }
};

// Sorts words; their bits below `low_bit` are in order already.
void sort_words(Word* a, Word* spare, std::int64_t n, int low_bit, int high_bit) {
  if (n <= 48) {
    for (std::int64_t i = 1; i < n; ++i) {
      const Word x = a[i];
      std::int64_t j = i;
      for (; j > 0 && a[j - 1] > x; --j) a[j] = a[j - 1];
      a[j] = x;
    }
    return;
  }
  if (n <= 256) {
    std::sort(a, a + n);
    return;
  }
  Word differs = 0;
  for (std::int64_t i = 0; i < n; ++i) differs |= a[i] ^ a[0];
  const Word* const home = a;
  for (int bit = low_bit; bit < high_bit; bit += 8) {
    const Word mask = high_bit - bit >= 8 ? 255 : (Word{1} << (high_bit - bit)) - 1;
    if ((differs >> bit & mask) == 0) continue;
    std::array<std::uint32_t, 257> place{};
    for (std::int64_t i = 0; i < n; ++i) ++place[(a[i] >> bit & mask) + 1];
    for (std::size_t d = 1; d < 256; ++d) place[d] += place[d - 1];
    for (std::int64_t i = 0; i < n; ++i) spare[place[a[i] >> bit & mask]++] = a[i];
    std::swap(a, spare);
  }
  if (a != home) std::copy(a, a + n, spare);
}

// Ranks of one call: element type T, rank type R.
template <typename T, typename R>
class Ranker {
 public:
  Ranker(const PrimCall& call, const T* v, R* out)
      : context_(call.context),
        t_(kernel_table(call.context.isa)),
        v_(v),
        out_(out),
        down_(call.op == Op::kRankDown),
        cached_(std::min(kCached, 8 * call.context.grain)),
        chunk_(std::min(kSplitChunk, call.context.grain)) {}

  void run(const Segdes& s) {
    by_length(
        context_, s, cached_,
        [&](std::int64_t start, std::int64_t n, std::vector<Word>& room) {
          return rank_short(v_ + start, n, out_ + start, room);
        },
        [&](std::int64_t start, std::int64_t n) { rank_long(v_ + start, n, out_ + start); }, kShort);
  }

 private:
  static constexpr FastPath kShort[] = {FastPath::kRankPairs, FastPath::kRankCached};
  int rank_short(const T* v, std::int64_t n, R* out, std::vector<Word>& room) const {
    if (n <= kernels::kPairs) return count_pairs(v, n, out), 0;
    return rank_cached(v, n, out, room), 1;
  }

  void count_pairs(const T* v, std::int64_t n, R* out) const {
    std::int64_t key[kernels::kPairs] = {};
    std::int64_t place[kernels::kPairs];
    for (std::int64_t i = 0; i < n; ++i) key[i] = down_ ? ~ordered(v[i]) : ordered(v[i]);
    t_.rank_pairs(key, n, place);
    for (std::int64_t i = 0; i < n; ++i) out[i] = static_cast<R>(place[i]);
  }

  [[nodiscard]] Packing packing(std::int64_t low, std::int64_t high, std::int64_t n) const {
    const Word range = static_cast<Word>(high) - static_cast<Word>(low);
    return {low, high, down_, static_cast<int>(std::bit_width(range)),
            static_cast<int>(std::bit_width(static_cast<Word>(n - 1)))};
  }
  [[nodiscard]] Packing pack_range(const T* v, std::int64_t n) const {
    std::int64_t r[2];
    range_of(v, n, r);
    return packing(r[0], r[1], n);
  }
  void range_of(const T* v, std::int64_t n, std::int64_t* r) const {
    key_range<std::is_same_v<T, double>>(t_, v, n, r);
  }

  // Puts runs of words that agree in the kept key bits, but not in all, in order; `dropped` key bits are
  // missing.
  void mend(const T* v, const Packing& p, Word* words, std::int64_t n, int dropped) const {
    if (dropped == 0) return;
    const Word numbers = (Word{1} << p.number_bits) - 1;
    for (std::int64_t i = 0; i < n;) {
      std::int64_t end = i + 1;
      while (end < n && (words[end] >> p.number_bits) == (words[i] >> p.number_bits)) ++end;
      if (end - i > 1) {
        std::stable_sort(words + i, words + end, [&](Word a, Word b) {
          return p.key(ordered(v[a & numbers])) < p.key(ordered(v[b & numbers]));
        });
      }
      i = end;
    }
  }
  void write_ranks(const Packing& p, const Word* words, std::int64_t n, std::int64_t first, R* out) const {
    const Word numbers = (Word{1} << p.number_bits) - 1;
    std::int64_t i = 0;
    for (constexpr std::int64_t kAhead = 48; i + kAhead < n; ++i) {  // asks for the lines of far places early
      __builtin_prefetch(out + (words[i + kAhead] & numbers), 1);
      out[words[i] & numbers] = static_cast<R>(first + i);
    }
    for (; i < n; ++i) out[words[i] & numbers] = static_cast<R>(first + i);
  }

  void rank_cached(const T* v, std::int64_t n, R* out, std::vector<Word>& room) const {
    const Packing p = pack_range(v, n);
    const int dropped = std::max(0, p.key_bits + p.number_bits - 64);
    room.resize(static_cast<std::size_t>(2 * n));
    Word* words = room.data();
    for (std::int64_t i = 0; i < n; ++i)
      words[i] = p.key(ordered(v[i])) >> dropped << p.number_bits | static_cast<Word>(i);
    sort_words(words, words + n, n, p.number_bits, p.number_bits + p.key_bits - dropped);
    mend(v, p, words, n, dropped);
    write_ranks(p, words, n, 0, out);
  }

  // One segment by all threads.
  void rank_long(const T* v, std::int64_t n, R* out) const {
    const Packing p = long_packing(v, n);
    took(context_, p.key_bits <= kCountedBits ? FastPath::kRankCounted : FastPath::kRankSplit);
    if (p.key_bits <= kCountedBits) {
      rank_by_counts(p, v, n, out);
      return;
    }
    const int split = std::min(kSplitBits, p.key_bits);
    const int rest = p.key_bits - split;  // key bits that stay in the words
    const int dropped = std::max(0, rest + p.number_bits - 64);
    const BufferRef memory = context_.pool->allocate(ByteCount::of<Word>(n));
    auto* words = reinterpret_cast<Word*>(memory.data());
    const Word rest_mask = (Word{1} << rest) - 1;
    const std::vector<std::int64_t> starts =
        Buckets(context_, chunk_, std::size_t{1} << split)
            .deal(
                n, words, [&](std::int64_t i) { return p.key(ordered(v[i])); },
                [&](Word key) { return key >> rest; },
                [&](Word key, std::int64_t i) {
                  return (key & rest_mask) >> dropped << p.number_bits | static_cast<Word>(i);
                });
    for_chunks(context_, static_cast<std::int64_t>(starts.size()) - 1, [&](std::int64_t b) {
      const std::int64_t first = starts[static_cast<std::size_t>(b)];
      const std::int64_t m = starts[static_cast<std::size_t>(b) + 1] - first;
      if (m == 0) return;
      if (rest > dropped) {
        const BufferRef spare = context_.pool->allocate(ByteCount::of<Word>(m));
        sort_bucket(words + first, reinterpret_cast<Word*>(spare.data()), m, p.number_bits,
                    p.number_bits + rest - dropped);
      }
      mend(v, p, words + first, m, dropped);
      write_ranks(p, words + first, m, first, out);
    });
  }
  [[nodiscard]] Packing long_packing(const T* v, std::int64_t n) const {
    std::int64_t r[2];
    key_range_of_all(
        context_, n, chunk_,
        [&](std::int64_t begin, std::int64_t m, std::int64_t* some) { range_of(v + begin, m, some); }, r);
    return packing(r[0], r[1], n);
  }

  // Few different keys: a rank is the number of smaller keys and of equal ones before.
  void rank_by_counts(const Packing& p, const T* v, std::int64_t n, R* out) const {
    const auto key = [&](std::int64_t i) { return p.key(ordered(v[i])); };
    std::vector<std::int64_t> places;
    const std::int64_t parts = Buckets(context_, chunk_, std::size_t{1} << p.key_bits).count(n, key, places);
    for_chunks(context_, parts, [&](std::int64_t c) {
      std::int64_t* place = places.data() + (static_cast<std::size_t>(c) << p.key_bits);
      const std::int64_t end = part_bound(n, parts, c + 1);
      for (std::int64_t i = part_bound(n, parts, c); i < end; ++i) out[i] = static_cast<R>(place[key(i)]++);
    });
  }

  // As sort_words; a bucket beyond the cache is split once more by its highest bits.
  void sort_bucket(Word* a, Word* spare, std::int64_t n, int low_bit, int high_bit) const {
    if (n <= cached_ || high_bit - low_bit <= 16) {
      sort_words(a, spare, n, low_bit, high_bit);
      return;
    }
    const int shift = high_bit - 8;
    std::array<std::int64_t, 257> place{};
    for (std::int64_t i = 0; i < n; ++i) ++place[(a[i] >> shift & 255) + 1];
    for (std::size_t d = 1; d < place.size(); ++d) place[d] += place[d - 1];
    std::array<std::int64_t, 257> next = place;
    for (std::int64_t i = 0; i < n; ++i) spare[next[a[i] >> shift & 255]++] = a[i];
    std::copy(spare, spare + n, a);
    for (std::size_t d = 0; d < 256; ++d)
      if (place[d] < place[d + 1])
        sort_bucket(a + place[d], spare + place[d], place[d + 1] - place[d], low_bit, shift);
  }

  const PrimContext& context_;
  const kernels::Table& t_;
  const T* v_;
  R* out_;
  bool down_;
  std::int64_t cached_;  // kCached and kSplitChunk, smaller where tests set a small grain
  std::int64_t chunk_;
};

template <typename R>
void rank_into(const PrimCall& call, const Elements& v, const Segdes& s, R* out) {
  const auto run = [&]<typename T>(const T* from) { Ranker<T, R>(call, from, out).run(s); };
  switch (v.storage()) {
    case Storage::kI8: run(reinterpret_cast<const std::int8_t*>(v.data())); break;
    case Storage::kI32: run(reinterpret_cast<const std::int32_t*>(v.data())); break;
    case Storage::kI64: run(reinterpret_cast<const std::int64_t*>(v.data())); break;
    default: run(reinterpret_cast<const double*>(v.data())); break;
  }
}

}  // namespace

void rank(const PrimCall& call) {
  check_shape(call);
  const Segdes& s = segdes_operand(call, 1);
  const bool narrow = call.context.int_bits == IntBits::k32 || s.total() < (std::int64_t{1} << 31);
  if (order_elsewhere(call, s, call.op == Op::kRankDown, narrow ? Storage::kI32 : Storage::kI64)) return;
  const Elements v(vector_operand(call, 0), call.context);
  Fresh out(call.context, narrow ? Storage::kI32 : Storage::kI64, s.total());
  if (narrow)
    rank_into(call, v, s, reinterpret_cast<std::int32_t*>(out.data()));
  else
    rank_into(call, v, s, reinterpret_cast<std::int64_t*>(out.data()));
  call.results[0] = out.take();
}

}  // namespace nvm::vm
