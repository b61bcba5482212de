// Segments joined from pieces of two vectors, and pieces taken out of segments, written in order. What lies
// behind a piece is overwritten by the next; pieces of a few elements, all of one length, are shuffled
// together.
#include "vm/prims/kernels/isa.h"
#include "vm/simd/short_copy.h"

namespace nvm::vm::kernels::NVM_ISA {

namespace {

// Runs that are not empty: where they begin in the result and in the source.
template <typename Idx>
class Notes {
 public:
  Notes(const void* first, Segments runs, i64* place, i64* from)
      : first_(static_cast<const Idx*>(first)), runs_(runs), place_(place), from_(from) {}
  // Run k goes to a segment of `room` elements from `base` on.
  void note(i64 k, i64 base, i64 room) {
    const i64 end = runs_.start(k + 1);
    const i64 n = end - start_;
    const i64 to = static_cast<i64>(first_[k]);
    const bool some = n > 0;
    inside_ &= !(some & ((to < 0) | (to > room - n)));
    place_[count_] = static_cast<i64>(static_cast<u64>(base) + static_cast<u64>(to));
    from_[count_] = start_;
    count_ += some;
    start_ = end;
  }
  i64 finish() {
    place_[count_] = i64{0x7fffffffffffffff};
    from_[count_] = from_[count_ + 1] = start_;
    return inside_ ? count_ : -1;
  }
  [[nodiscard]] i64 start() const { return start_; }

 private:
  const Idx* first_;
  Segments runs_;
  i64* place_;
  i64* from_;
  i64 start_ = 0;
  i64 count_ = 0;
  bool inside_ = true;
};

template <typename Idx>
i64 note_pieces(const void* first, Segments runs, i64 count, Segments source, Segments dest, i64 segments,
                i64* place, i64* from) {
  Notes<Idx> notes(first, runs, place, from);
  i64 k = 0;
  for (i64 j = 0; j < segments; ++j) {
    const i64 base = dest.start(j);
    const i64 room = dest.start(j + 1) - base;
    const i64 end = source.start(j + 1);
    for (; k < count && runs.start(k + 1) <= end && (notes.start() < end || j + 1 == segments); ++k)
      notes.note(k, base, room);
    if (notes.start() != end) return -1;  // a run crosses the end of its segment
  }
  return k == count ? notes.finish() : -1;
}

// The same if as many runs lie in every segment.
template <typename Idx>
i64 note_evenly(const void* first, Segments runs, i64 count, Segments source, Segments dest, i64 segments,
                i64* place, i64* from) {
  const i64 each = count / segments;
  Notes<Idx> notes(first, runs, place, from);
  bool even = true;
  i64 k = 0;
  i64 base = dest.start(0);
  for (i64 j = 0; j < segments; ++j) {
    const i64 next = dest.start(j + 1);
    for (i64 i = 0; i < each; ++i, ++k) notes.note(k, base, next - base);
    even &= notes.start() == source.start(j + 1);
    base = next;
  }
  return even ? notes.finish() : -1;
}

template <typename Idx>
i64 note(const void* first, Segments runs, i64 count, Segments source, Segments dest, i64 segments,
         i64* place, i64* from) {
  if (segments > 0 && count % segments == 0) {
    const i64 noted = note_evenly<Idx>(first, runs, count, source, dest, segments, place, from);
    if (noted >= 0) return noted;
  }
  return note_pieces<Idx>(first, runs, count, source, dest, segments, place, from);
}

template <typename Idx>
bool stairs(const void* pfirst, i64 count, i64 each, i64 n) {
  const Idx* first = static_cast<const Idx*>(pfirst);
  u64 differs = 0;
  if (each == 2) {
    for (i64 k = 0; k < count / 2; ++k)
      differs |= static_cast<u64>(static_cast<i64>(first[2 * k]) | (static_cast<i64>(first[2 * k + 1]) ^ n));
    return differs == 0;
  }
  for (i64 k = 0; k < count; k += each)
    for (i64 i = 0; i < each; ++i) differs |= static_cast<u64>(static_cast<i64>(first[k + i]) ^ (i * n));
  return differs == 0;
}

// What comes next is a question of two loads and a comparison, without a branch: either is as likely. Whether
// it lies where the one before ended is not waited for.
template <typename E>
bool merge_pieces(const PieceStream* streams, i64 count, i64 total, void* pout) {
  const PieceStream a = streams[0];
  const PieceStream b = streams[1];
  const auto va = reinterpret_cast<u64>(a.v);
  const auto vb = reinterpret_cast<u64>(b.v);
  E* out = static_cast<E*>(pout);
  i64 ia = 0;
  i64 ib = 0;
  i64 pos = 0;
  i64 gaps = 0;
  for (i64 i = 0; i < count; ++i) {
    const i64 pa = a.place[ia];
    const i64 pb = b.place[ib];
    const i64 in_b = -static_cast<i64>(pb < pa);
    const i64 place = pa ^ ((pa ^ pb) & in_b);
    const i64 from = a.from[ia] ^ ((a.from[ia] ^ b.from[ib]) & in_b);
    const i64 n = (a.from[ia + 1] ^ ((a.from[ia + 1] ^ b.from[ib + 1]) & in_b)) - from;
    const u64 v = va ^ ((va ^ vb) & static_cast<u64>(in_b));
    gaps |= place ^ pos;
    pos = place + n;
    copy_over(reinterpret_cast<const E*>(v) + from, n, out + place, out + total);
    ia += 1 + in_b;
    ib -= in_b;
  }
  return gaps == 0 && pos == total;
}

#if NVM_VECTOR_BYTES >= 32
// A register whose lanes are chosen from two, one behind the other.
template <typename E>
class Shuffle {
 public:
  static constexpr i64 kLanes = NVM_VECTOR_BYTES / sizeof(E);
  explicit Shuffle(const E* lanes);
  [[nodiscard]] Bytes operator()(Bytes a, Bytes b) const;

 private:
  Bytes lanes_;
  Bytes second_{};  // which are from the second; AVX2 only
};
#if NVM_VECTOR_BYTES == 64
template <typename E>
Shuffle<E>::Shuffle(const E* lanes) : lanes_(_mm512_loadu_si512(lanes)) {}
template <typename E>
Bytes Shuffle<E>::operator()(Bytes a, Bytes b) const {
  if constexpr (sizeof(E) == 4) return _mm512_permutex2var_epi32(a, lanes_, b);
  return _mm512_permutex2var_epi64(a, lanes_, b);
}
#else
template <typename E>
Shuffle<E>::Shuffle(const E* lanes) {
  constexpr i64 kWords = sizeof(E) / 4;
  u32 words[8];
  u32 second[8];
  for (i64 i = 0; i < 8; ++i) {
    const auto lane = static_cast<i64>(lanes[i / kWords]);
    words[i] = static_cast<u32>(lane % kLanes * kWords + i % kWords);
    second[i] = lane >= kLanes ? ~u32{0} : 0;
  }
  lanes_ = load_bytes(reinterpret_cast<const u8*>(words));
  second_ = load_bytes(reinterpret_cast<const u8*>(second));
}
template <typename E>
Bytes Shuffle<E>::operator()(Bytes a, Bytes b) const {
  return _mm256_blendv_epi8(_mm256_permutevar8x32_epi32(a, lanes_), _mm256_permutevar8x32_epi32(b, lanes_),
                            second_);
}
#endif
template <typename E>
Bytes load(const E* p) {
  return load_bytes(reinterpret_cast<const u8*>(p));
}
template <typename E>
void store(E* p, Bytes x) {
  store_bytes(reinterpret_cast<u8*>(p), x);
}

// Pieces of h elements, a power of two that divides a register, of a and b in turn; how many elements of each
// have gone.
template <typename E>
i64 shuffle_in(const E* a, const E* b, i64 h, i64 n, E* out) {
  using S = Shuffle<E>;
  E low[S::kLanes];
  E high[S::kLanes];
  for (i64 i = 0; i < S::kLanes; ++i) {
    const i64 at = i / (2 * h) * h + i % h + (i / h % 2) * S::kLanes;
    low[i] = static_cast<E>(at);
    high[i] = static_cast<E>(at + S::kLanes / 2);
  }
  const S lower(low);
  const S upper(high);
  i64 i = 0;
  for (; i + S::kLanes <= n; i += S::kLanes) {
    const Bytes x = load(a + i);
    const Bytes y = load(b + i);
    store(out + 2 * i, lower(x, y));
    store(out + 2 * i + S::kLanes, upper(x, y));
  }
  return i;
}
// The first (offset 0) or second h of every 2h elements; how many have come.
template <typename E>
i64 shuffle_out(const E* v, i64 h, i64 offset, i64 n, E* out) {
  using S = Shuffle<E>;
  E index[S::kLanes];
  for (i64 i = 0; i < S::kLanes; ++i) index[i] = static_cast<E>(i / h * 2 * h + offset + i % h);
  const S part(index);
  i64 i = 0;
  for (; i + S::kLanes <= n; i += S::kLanes)
    store(out + i, part(load(v + 2 * i), load(v + 2 * i + S::kLanes)));
  return i;
}
template <typename E>
constexpr bool shuffles(i64 h) {
  if constexpr (sizeof(E) == 1)
    return false;
  else
    return (h & (h - 1)) == 0 && h < Shuffle<E>::kLanes;
}
#endif

template <typename E>
void join_regular(const void* pa, i64 la, const void* pb, i64 lb, i64 count, void* pout) {
  const E* a = static_cast<const E*>(pa);
  const E* b = static_cast<const E*>(pb);
  E* out = static_cast<E*>(pout);
  i64 k = 0;
#if NVM_VECTOR_BYTES >= 32
  if constexpr (sizeof(E) > 1)
    if (la == lb && la > 0 && shuffles<E>(la)) k = shuffle_in(a, b, la, count * la, out) / la;
#endif
  const E* const end = out + count * (la + lb);
  for (; k < count; ++k) {
    E* const to = out + k * (la + lb);
    copy_over(a + k * la, la, to, end);
    copy_over(b + k * lb, lb, to + la, end);
  }
}

template <typename E>
void take_regular(const void* pv, i64 length, i64 offset, i64 n, i64 count, void* pout) {
  const E* v = static_cast<const E*>(pv);
  E* out = static_cast<E*>(pout);
  i64 k = 0;
#if NVM_VECTOR_BYTES >= 32
  if constexpr (sizeof(E) > 1)
    if (length == 2 * n && offset % n == 0 && shuffles<E>(n))
      k = shuffle_out(v, n, offset, count * n, out) / n;
#endif
  const E* const end = out + count * n;
  for (; k < count; ++k) copy_over(v + k * length + offset, n, out + k * n, end);
}

template <typename E>
void shuffle_within(const void* pv, const i64* from, i64 n, i64 count, void* pout) {
  const E* v = static_cast<const E*>(pv);
  E* out = static_cast<E*>(pout);
  i64 i = 0;
#if NVM_VECTOR_BYTES >= 32
  if constexpr (sizeof(E) > 1) {
    using S = Shuffle<E>;
    if (S::kLanes % n == 0) {
      E lanes[S::kLanes];
      for (i64 k = 0; k < S::kLanes; ++k) lanes[k] = static_cast<E>(k / n * n + from[k % n]);
      const S shuffle(lanes);
      for (; i + S::kLanes <= count * n; i += S::kLanes) {
        const Bytes x = load(v + i);
        store(out + i, shuffle(x, x));
      }
    }
  }
#endif
  for (; i < count * n; i += n)
    for (i64 k = 0; k < n; ++k) out[i + k] = v[i + from[k]];
}

template <typename E>
void set(Table& t, int width) {
  t.shuffle_within[width] = shuffle_within<E>;
  t.merge_pieces[width] = merge_pieces<E>;
  t.join_regular[width] = join_regular<E>;
  t.take_regular[width] = take_regular<E>;
}

}  // namespace

void fill_pieces(Table& t) {
  set<u8>(t, 0);
  set<u32>(t, 1);
  set<u64>(t, 2);
  t.note_pieces[0] = note<i32>;
  t.note_pieces[1] = note<i64>;
  t.stairs[0] = stairs<i32>;
  t.stairs[1] = stairs<i64>;
}

}  // namespace nvm::vm::kernels::NVM_ISA
