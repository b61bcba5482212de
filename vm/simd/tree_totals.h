// The totals of a segment's blocks on their way up the tree of reduce_tree.h, as they come, one after the
// other. What a state holds is all that a part of a segment hands on to the next. INT and BOOL know no
// levels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "vm/simd/reduce_tree.h"

namespace nvm::vm {

// The tree's sizes, which tests shrink.
struct TreeSizes {
  static constexpr std::int64_t kBlock = kReduceBlock;
  static constexpr std::int64_t kLanes = kReduceLanes;
  static constexpr std::int64_t kGroup = kScanGroup;
};

// Values are in 8 bytes, the low ones first.
template <typename Sizes>
struct TotalsOf {
  struct Level {
    std::uint64_t lanes[Sizes::kLanes];  // of the superblock that goes on
    std::uint64_t in_order;              // of the first kBlock: what they come to if there are no more
    std::int64_t count;                  // that have come
  };
  Level levels[kTreeLevels];  // one counts if the level below has seen kBlock totals
};
using Totals = TotalsOf<TreeSizes>;

template <typename Sizes>
struct CarriesOf {
  struct Level {
    std::uint64_t held[Sizes::kGroup];  // totals of the group that goes on
    std::uint64_t local;
    std::int64_t count;  // in the superblock
  };
  static constexpr int kMostDepth = kTreeLevels - 1;

  int depth;  // levels that are scanned as elements are; the next one goes from left to right
  // By level: C of what comes next, of which the first is the next block's.
  std::uint64_t carries[kTreeLevels];
  Level levels[kMostDepth];

  CarriesOf() = default;
  ~CarriesOf() = default;
  CarriesOf(const CarriesOf& o) { copy(o); }
  CarriesOf& operator=(const CarriesOf& o) {
    if (this != &o) copy(o);
    return *this;
  }

 private:
  // What counts, which for few blocks is one word. One that was never begun may be copied, too.
  void copy(const CarriesOf& o) {
    depth = std::clamp(o.depth, 0, kMostDepth);
    std::memcpy(carries, o.carries, sizeof(*carries) * static_cast<std::size_t>(depth + 1));
    std::memcpy(levels, o.levels, sizeof(*levels) * static_cast<std::size_t>(depth));
  }
};
using Carries = CarriesOf<TreeSizes>;

namespace {

[[nodiscard]] constexpr std::int64_t blocks_of(std::int64_t elements) {
  return (elements + kReduceBlock - 1) / kReduceBlock;
}

}  // namespace

namespace simd {

namespace {

template <typename T>
T from_bits(std::uint64_t bits) {
  T v;
  std::memcpy(&v, &bits, sizeof v);
  return v;
}
template <typename T>
std::uint64_t to_bits(T v) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &v, sizeof v);
  return bits;
}

// Of a reduction.
template <typename Op, typename T, typename Sizes = TreeSizes>
struct CombineTotals {
  using State = TotalsOf<Sizes>;
  static constexpr std::int64_t kBlock = Sizes::kBlock;
  static constexpr std::int64_t kLanes = Sizes::kLanes;
  static constexpr T kId = Op::template identity<T>();

  static void start(State& st) { start_level(st.levels[0]); }
  static void push(State& st, T total) {
    auto& blocks = st.levels[0];
    if constexpr (kLevels)
      push_to(st, 0, total);
    else
      blocks.in_order = to_bits(op(from_bits<T>(blocks.in_order), total));
  }
  [[nodiscard]] static T finish(const State& st) {
    const auto& blocks = st.levels[0];
    if constexpr (kLevels)
      if (blocks.count > kBlock) return finish_levels(st);
    return from_bits<T>(blocks.in_order);
  }

 private:
  static constexpr bool kLevels = std::is_floating_point_v<T>;
  static T op(T a, T b) { return Op::apply(a, b); }

  [[gnu::noinline]] static T finish_levels(State st) {
    for (int k = 0;; ++k) {
      const auto& at = st.levels[k];
      if (at.count <= kBlock || k + 1 == kTreeLevels) return from_bits<T>(at.in_order);
      if (const std::int64_t rest = at.count % kBlock; rest != 0) push_to(st, k + 1, fold(at, rest));
    }
  }
  static void start_level(typename State::Level& at) {
    at.in_order = to_bits(kId);
    at.count = 0;
  }
  // Apart, as is all that few segments need: kernels of every operation and type are in one unit, and what it
  // inlines is limited.
  [[gnu::noinline]] static void push_to(State& st, int k, T total) {
    auto& at = st.levels[k];
    const bool last = k + 1 == kTreeLevels;
    if (last || at.count < kBlock) at.in_order = to_bits(op(from_bits<T>(at.in_order), total));
    const std::int64_t in_block = at.count++ % kBlock;
    if (last) return;
    auto& lane = at.lanes[in_block % kLanes];
    lane = to_bits(op(in_block < kLanes ? kId : from_bits<T>(lane), total));
    if (in_block + 1 < kBlock) return;
    if (at.count == kBlock) start_level(st.levels[k + 1]);
    push_to(st, k + 1, fold(at, kBlock));
  }
  // The lanes of a superblock of n totals.
  static T fold(const typename State::Level& at, std::int64_t n) {
    T lane[kLanes];
    for (std::int64_t l = 0; l < kLanes; ++l) lane[l] = l < n ? from_bits<T>(at.lanes[l]) : kId;
    for (std::int64_t w = kLanes / 2; w > 0; w /= 2)
      for (std::int64_t l = 0; l < w; ++l) lane[l] = op(lane[l], lane[l + w]);
    return lane[0];
  }
};

// Of a scan: what each block starts from.
template <typename Op, typename T, typename Sizes = TreeSizes>
struct CarryTotals {
  using State = CarriesOf<Sizes>;
  static constexpr std::int64_t kBlock = Sizes::kBlock;
  static constexpr std::int64_t kGroup = Sizes::kGroup;
  static constexpr T kId = Op::template identity<T>();

  // The segment has so many blocks.
  static void start(State& st, std::int64_t blocks) {
    st.depth = 0;
    if constexpr (std::is_floating_point_v<T>)
      for (; blocks > kBlock && st.depth + 1 < kTreeLevels; blocks = (blocks + kBlock - 1) / kBlock)
        start_level(st.levels[st.depth++]);
    st.carries[st.depth] = to_bits(kId);
    for (int k = st.depth; k-- > 0;)
      st.carries[k] = to_bits(op(from_bits<T>(st.carries[k + 1]), op(kId, kId)));
  }
  static void push(State& st, T total) {
    if (!std::is_floating_point_v<T> || st.depth == 0)
      st.carries[0] = to_bits(op(from_bits<T>(st.carries[0]), total));
    else if constexpr (std::is_floating_point_v<T>)
      push_to(st, 0, total);
  }

 private:
  static T op(T a, T b) { return Op::apply(a, b); }

  static void start_level(typename State::Level& at) {
    at.local = to_bits(kId);
    at.count = 0;
  }
  [[gnu::noinline]] static void push_to(State& st, int k, T total) {
    if (k == st.depth) {
      st.carries[k] = to_bits(op(from_bits<T>(st.carries[k]), total));
      return;
    }
    auto& at = st.levels[k];
    const std::int64_t in_group = at.count++ % kGroup;
    at.held[in_group] = to_bits(total);
    T before = kId;  // in the group
    if (in_group + 1 < kGroup)
      before = inclusive(at, in_group);
    else
      at.local = to_bits(op(from_bits<T>(at.local), inclusive(at, in_group)));
    if (at.count == kBlock) {
      push_to(st, k + 1, from_bits<T>(at.local));
      start_level(at);
    }
    st.carries[k] = to_bits(op(from_bits<T>(st.carries[k + 1]), op(from_bits<T>(at.local), before)));
  }
  // Element i of the group's inclusive scan.
  static T inclusive(const typename State::Level& at, std::int64_t i) {
    T s[kGroup];
    for (std::int64_t j = 0; j <= i; ++j) s[j] = from_bits<T>(at.held[j]);
    for (std::int64_t half = 1; half < kGroup; half *= 2)
      for (std::int64_t j = 0; j <= i; ++j)
        if (j / half % 2 != 0) s[j] = op(s[j / half * half - 1], s[j]);
    return s[i];
  }
};

}  // namespace

}  // namespace simd

}  // namespace nvm::vm
