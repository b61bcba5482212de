// Keys become unsigned integers of the wanted order, less the segment's smallest; 32 bits of them if that is
// enough (FLOAT: the total order of the bits, as RANK has it).
//
//   up to kPairs elements    every pair compared, elements stored at their places
//   up to kFew               std::sort
//   up to kCached            radix from the lowest digit, in the cache
//   longer, few key bits     keys are counted: one read, one write
//   longer                   split by the highest key bits by all threads (range, count and move: three reads
//                            of the elements, one write of the keys), buckets sorted in the cache and written
//                            as elements. A bucket with much of everything is split again by all threads.
// Many short segments are shared out between threads by whole segments.
#include "vm/prims/sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <vector>

#include "vm/prims/buckets.h"
#include "vm/prims/by_length.h"
#include "vm/prims/key_range.h"
#include "vm/prims/move.h"
#include "vm/prims/operands.h"
#include "vm/prims/order_elsewhere.h"
#include "vm/prims/parallel.h"
#include "vm/prims/views.h"

namespace nvm::vm {

namespace {

constexpr std::int64_t kFew = 128;
constexpr std::int64_t kCached = 1 << 16;  // keys of a bucket and its double lie in the second-level cache
constexpr int kCountedBits = 14;           // counters of this many bits stay in the second-level cache
constexpr std::int64_t kSplitChunk = 1 << 15;

// Sorts n keys below 2^bits; they lie in `a` or in `spare` then.
template <typename W>
W* sort_digits(W* a, W* spare, std::int64_t n, int bits) {
  if (n <= kFew) {
    std::sort(a, a + n);
    return a;
  }
  constexpr int kMost = 11;
  const int widest = n < 4096 ? 8 : kMost;
  const int passes = std::max(1, (bits + widest - 1) / widest);
  const int width = (bits + passes - 1) / passes;
  const W mask = (W{1} << width) - 1;
  for (int shift = 0; shift < bits; shift += width) {
    std::array<std::uint32_t, (1 << kMost) + 1> place{};
    for (std::int64_t i = 0; i < n; ++i) ++place[(a[i] >> shift & mask) + 1];
    if (place[(a[0] >> shift & mask) + 1] == n) continue;
    for (std::size_t d = 1; d < mask; ++d) place[d + 1] += place[d];
    for (std::int64_t i = 0; i < n; ++i) spare[place[a[i] >> shift & mask]++] = a[i];
    std::swap(a, spare);
  }
  return a;
}

// Elements as integers of the same order: those of INT themselves, FLOAT by its bits.
template <typename I, bool kFloat>
class Sorter {
 public:
  Sorter(const PrimContext& context, const std::byte* v, std::byte* out, bool down)
      : context_(context),
        t_(kernel_table(context.isa)),
        v_(reinterpret_cast<const I*>(v)),
        out_(reinterpret_cast<I*>(out)),
        down_(down),
        cached_(std::min(kCached, 16 * context.grain)),
        chunk_(std::min(kSplitChunk, context.grain)) {}

  void run(const Segdes& s) const {
    by_length(
        context_, s, cached_,
        [&](std::int64_t start, std::int64_t n, std::vector<std::uint64_t>& room) {
          return sort_short(v_ + start, n, out_ + start, room);
        },
        [&](std::int64_t start, std::int64_t n) { sort_long(v_ + start, n, out_ + start); }, kShort);
  }

 private:
  // Its own inverse.
  static I turned(I x) {
    if constexpr (kFloat)
      return x ^ ((x >> 63) & INT64_MAX);
    else
      return x;
  }

  // Keys of a segment, and back.
  template <typename W>
  struct Keys {
    std::int64_t low, high;
    bool down;
    [[nodiscard]] W of(I x) const {
      const auto k = static_cast<std::uint64_t>(static_cast<std::int64_t>(turned(x)));
      return static_cast<W>(down ? static_cast<std::uint64_t>(high) - k
                                 : k - static_cast<std::uint64_t>(low));
    }
    [[nodiscard]] I back(W key) const {
      return turned(static_cast<I>(down ? static_cast<std::uint64_t>(high) - key
                                        : static_cast<std::uint64_t>(low) + key));
    }
    void write(const W* keys, std::int64_t n, I* out) const {
      const Keys here = *this;
      for (std::int64_t i = 0; i < n; ++i) out[i] = here.back(keys[i]);
    }
  };

  static constexpr FastPath kShort[] = {FastPath::kSortPairs, FastPath::kSortFew, FastPath::kSortRadix};
  int sort_short(const I* v, std::int64_t n, I* out, std::vector<std::uint64_t>& room) const {
    if (n <= kernels::kPairs) return count_pairs(v, n, out), 0;
    if (n <= kFew) return sort_few(v, n, out), 1;
    return sort_cached(v, n, out, room), 2;
  }

  void count_pairs(const I* v, std::int64_t n, I* out) const {
    std::int64_t key[kernels::kPairs] = {};
    std::int64_t place[kernels::kPairs];
    for (std::int64_t i = 0; i < n; ++i) key[i] = down_ ? ~std::int64_t{turned(v[i])} : turned(v[i]);
    t_.rank_pairs(key, n, place);
    for (std::int64_t i = 0; i < n; ++i) out[place[i]] = v[i];
  }
  void sort_few(const I* v, std::int64_t n, I* out) const {
    std::transform(v, v + n, out, turned);
    if (down_)
      std::sort(out, out + n, std::greater<I>());
    else
      std::sort(out, out + n);
    if constexpr (kFloat) std::transform(out, out + n, out, turned);
  }

  void range_of(const I* v, std::int64_t n, std::int64_t* r) const { key_range<kFloat>(t_, v, n, r); }

  // f(keys, bits of one), with as wide keys as the range needs.
  template <typename F>
  void with_keys(const std::int64_t* range, F f) const {
    const int bits = static_cast<int>(
        std::bit_width(static_cast<std::uint64_t>(range[1]) - static_cast<std::uint64_t>(range[0])));
    if (sizeof(I) <= 4 || bits <= 32)
      f(Keys<std::uint32_t>{range[0], range[1], down_}, bits);
    else
      f(Keys<std::uint64_t>{range[0], range[1], down_}, bits);
  }

  void sort_cached(const I* v, std::int64_t n, I* out, std::vector<std::uint64_t>& room) const {
    room.resize(static_cast<std::size_t>(2 * n));
    std::int64_t range[2];
    range_of(v, n, range);
    with_keys(range, [&]<typename W>(const Keys<W>& keys, int bits) {
      W* words = reinterpret_cast<W*>(room.data());
      for (std::int64_t i = 0; i < n; ++i) words[i] = keys.of(v[i]);
      keys.write(sort_digits(words, words + n, n, bits), n, out);
    });
  }

  // One segment by all threads.
  void sort_long(const I* v, std::int64_t n, I* out) const {
    std::int64_t range[2];
    key_range_of_all(
        context_, n, chunk_,
        [&](std::int64_t begin, std::int64_t m, std::int64_t* r) { range_of(v + begin, m, r); }, range);
    with_keys(range, [&]<typename W>(const Keys<W>& keys, int bits) {
      if (sizeof(W) < sizeof(I)) took(context_, FastPath::kSortNarrow);
      sort_keys<W>(n, bits, keys, out, W{0}, [=](std::int64_t i) { return keys.of(v[i]); });
    });
  }
  // Keys key(0), ... below 2^bits, to which `more` is added before they are written as elements.
  template <typename W, typename Key>
  void sort_keys(std::int64_t n, int bits, const Keys<W>& keys, I* out, W more, const Key& key) const {
    took(context_, bits <= kCountedBits ? FastPath::kSortCounted : FastPath::kSortSplit);
    if (bits <= kCountedBits) return sort_by_counts(n, bits, keys, out, more, key);
    const int wanted = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n / cached_)));
    const int split = std::min(bits, std::clamp(wanted, 6, 11));
    const int rest = bits - split;
    const BufferRef memory = context_.pool->allocate(ByteCount::of<W>(n));
    W* words = reinterpret_cast<W*>(memory.data());
    const W mask = (W{1} << rest) - 1;
    const std::vector<std::int64_t> starts =
        Buckets(context_, chunk_, std::size_t{1} << split)
            .deal(
                n, words, key, [rest](W k) { return k >> rest; },
                [mask](W k, std::int64_t) { return static_cast<W>(k & mask); });
    const std::int64_t most = std::max(4 * cached_, n / (2 * context_.threads));
    const auto buckets = static_cast<std::int64_t>(starts.size()) - 1;
    const auto add = [&](std::int64_t b) { return static_cast<W>(more + (static_cast<W>(b) << rest)); };
    for_chunks(context_, buckets, [&](std::int64_t b) {
      const std::int64_t first = starts[static_cast<std::size_t>(b)];
      const std::int64_t m = starts[static_cast<std::size_t>(b) + 1] - first;
      if (m == 0 || m > most) return;
      const BufferRef spare = context_.pool->allocate(ByteCount::of<W>(m));
      const Keys<W> base = keys;
      const W* sorted = sort_digits(words + first, reinterpret_cast<W*>(spare.data()), m, rest);
      const W offset = add(b);
      for (std::int64_t i = 0; i < m; ++i) out[first + i] = base.back(static_cast<W>(sorted[i] + offset));
    });
    for (std::int64_t b = 0; b < buckets; ++b) {
      const std::int64_t first = starts[static_cast<std::size_t>(b)];
      const std::int64_t m = starts[static_cast<std::size_t>(b) + 1] - first;
      if (m > most) sort_again(words + first, m, keys, out + first, add(b), mask);
    }
  }
  // A bucket that is too large for one thread, by its own range.
  template <typename W>
  void sort_again(const W* words, std::int64_t n, const Keys<W>& keys, I* out, W more, W mask) const {
    took(context_, FastPath::kSortAgain);
    std::int64_t range[2];
    const auto some = [&](std::int64_t begin, std::int64_t m, std::int64_t* r) {
      W low = mask;
      W high = 0;
      for (std::int64_t i = begin; i < begin + m; ++i) {
        low = std::min(low, words[i]);
        high = std::max(high, words[i]);
      }
      r[0] = static_cast<std::int64_t>(low);  // below 2^63: a bit at least has been split off
      r[1] = static_cast<std::int64_t>(high);
    };
    key_range_of_all(context_, n, chunk_, some, range);
    const auto low = static_cast<W>(range[0]);
    const int bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(range[1] - range[0])));
    sort_keys<W>(n, bits, keys, out, static_cast<W>(more + low),
                 [=](std::int64_t i) { return static_cast<W>(words[i] - low); });
  }

  // Few different keys: each is written as often as it was counted.
  template <typename W, typename Key>
  void sort_by_counts(std::int64_t n, int bits, const Keys<W>& keys, I* out, W more, const Key& key) const {
    const std::size_t buckets = std::size_t{1} << bits;
    std::vector<std::int64_t> ends;
    static_cast<void>(Buckets(context_, chunk_, buckets).count(n, key, ends));
    ends.resize(buckets);
    ends.push_back(n);  // ends[b + 1]: behind the last of bucket b
    const std::int64_t parts = std::max<std::int64_t>(1, n / chunk_);
    for_chunks(context_, parts, [&](std::int64_t c) {
      std::int64_t at = part_bound(n, parts, c);
      const std::int64_t end = part_bound(n, parts, c + 1);
      auto bucket = std::upper_bound(ends.begin(), ends.end(), at) - ends.begin() - 1;
      for (; at < end; ++bucket) {
        const std::int64_t stop = std::min(end, ends[static_cast<std::size_t>(bucket) + 1]);
        std::fill(out + at, out + stop, keys.back(static_cast<W>(more + static_cast<W>(bucket))));
        at = stop;
      }
    });
  }

  const PrimContext& context_;
  const kernels::Table& t_;
  const I* v_;
  I* out_;
  bool down_;
  std::int64_t cached_;  // kCached and kSplitChunk, smaller where tests set a small grain
  std::int64_t chunk_;
};

}  // namespace

void rank_later(const PrimCall& call) {
  check_shape(call);
  took(call.context, FastPath::kLeaveRanks);
  View places;
  places.source = View::Source::kRanks;
  places.compare = call.op == Op::kRankDown ? Scalar::kGt : Scalar::kLt;
  call.results[0] = make_view(std::move(places));
}

void permute_ranked(const PrimCall& call) {
  const auto* places = std::get_if<ViewRef>(&call.operands[1]);
  if (places == nullptr) return permute(call);
  took(call.context, FastPath::kSort);
  const bool down = (*places)->compare == Scalar::kGt;
  const Segdes& s = segdes_operand(call, 2);
  if (order_elsewhere(call, s, down, std::nullopt)) return;
  const Elements v(vector_operand(call, 0), call.context);
  Fresh out(call.context, v.storage(), s.total());
  switch (v.storage()) {
    case Storage::kI8: Sorter<std::int8_t, false>(call.context, v.data(), out.data(), down).run(s); break;
    case Storage::kI32: Sorter<std::int32_t, false>(call.context, v.data(), out.data(), down).run(s); break;
    case Storage::kI64: Sorter<std::int64_t, false>(call.context, v.data(), out.data(), down).run(s); break;
    default: Sorter<std::int64_t, true>(call.context, v.data(), out.data(), down).run(s); break;
  }
  call.results[0] = out.take();
}

}  // namespace nvm::vm
