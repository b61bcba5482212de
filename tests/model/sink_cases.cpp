#include "tests/model/sink_cases.h"

#include <algorithm>
#include <set>

namespace nvm::model {

namespace {

using plan::SinkKind;
using Desc = std::optional<std::vector<std::size_t>>;

// No descriptor, and all.
std::vector<Desc> with_and_without(std::size_t n, std::size_t most) {
  std::vector<Desc> all = {std::nullopt};
  for (auto& desc : all_descs(n, most)) all.emplace_back(std::move(desc));
  return all;
}

bool repeats(const std::vector<Word>& x) { return std::set<Word>(x.begin(), x.end()).size() < x.size(); }

}  // namespace

SinkCases::SinkCases(const plan::SinkRule& rule)
    : kind_(rule.sink), in_tree_(rule.condition == plan::Condition::kTree), algebras_(algebras(in_tree_)) {
  switch (kind_) {
    case SinkKind::kStore: stores(); return;
    case SinkKind::kReduce:
    case SinkKind::kScan: folds(false); return;
    case SinkKind::kSegReduce:
    case SinkKind::kSegScan: folds(true); return;
    case SinkKind::kCount: counts(); return;
    case SinkKind::kScatter: scatters(rule.condition == plan::Condition::kDistinct); return;
    case SinkKind::kPartition: partitions(); return;
    case SinkKind::kRank: ranks(); return;
    case SinkKind::kRandom: draws(); return;
    case SinkKind::kSegdes: descriptors(); return;
  }
}

void SinkCases::folds(bool segmented) {
  for (const auto& algebra : algebras_) {
    const bool is_symbolic = algebra->elements().empty();
    if (is_symbolic && in_tree_ && !segmented)
      for (const std::size_t n : {kBlock * kBlock + 1, 5 * kBlock * kBlock - 3})  // one level more, and two
        symbolic.push_back({kind_, true, algebra.get(), symbols(n)});
    const std::size_t most = is_symbolic ? (segmented ? 7 : 10) : (in_tree_ && !segmented ? 5 : 4);
    for (std::size_t n = 0; n <= most; ++n) {
      const auto vectors =
          is_symbolic ? std::vector<std::vector<Word>>{symbols(n)} : all_vectors(n, algebra->elements());
      const auto descs = segmented ? all_descs(n, is_symbolic ? 4
                                                  : in_tree_  ? 3
                                                              : 2)
                                   : std::vector<std::vector<std::size_t>>{};
      for (const auto& value : vectors) {
        SinkCase c{kind_, in_tree_, algebra.get(), value};
        std::vector<SinkCase>& cases = is_symbolic ? symbolic : concrete;
        if (!segmented) cases.push_back(c);
        for (const auto& desc : descs) {
          c.desc = desc;
          cases.push_back(c);
        }
        if (kind_ != SinkKind::kReduce || !in_tree_ || n == most) continue;
        for (auto& kept : all_vectors(n, {0, 1})) {
          c.kept = std::move(kept);
          cases.push_back(c);
        }
      }
    }
  }
}

void SinkCases::stores() {
  for (std::size_t n = 0; n <= 6; ++n) {
    symbolic.push_back({.kind = kind_, .value = symbols(n)});
    for (auto& kept : all_vectors(n, {0, 1}))
      symbolic.push_back({.kind = kind_, .value = symbols(n), .kept = std::move(kept)});
  }
}

void SinkCases::counts() {
  for (std::size_t n = 0; n <= 6; ++n)
    for (const auto& flags : all_vectors(n, {0, 1}))
      for (const auto& desc : with_and_without(n, 3))
        symbolic.push_back({.kind = kind_, .value = flags, .desc = desc});
}

void SinkCases::scatters(bool distinct) {
  for (std::size_t n = 0; n <= 4; ++n)
    for (std::size_t length = 0; length <= 3; ++length) {
      std::vector<Word> places, init;
      for (std::size_t i = 0; i <= length; ++i) places.push_back(i);  // the last is none
      for (std::size_t i = 0; i < length; ++i) init.push_back(symbol(50 + i));
      for (const auto& index : all_vectors(n, places)) {
        if (distinct && repeats(index)) continue;
        SinkCase c{.kind = kind_, .value = symbols(n), .index = index, .init = init};
        symbolic.push_back(c);
        if (n > 3) continue;
        for (auto& kept : all_vectors(n, {0, 1})) {
          c.kept = std::move(kept);
          symbolic.push_back(c);
        }
      }
    }
}

void SinkCases::partitions() {
  for (std::size_t n = 0; n <= 5; ++n)
    for (const auto& kept : all_vectors(n, {0, 1}))
      for (const auto& desc : with_and_without(n, 3)) {
        SinkCase c{.kind = kind_, .value = symbols(n), .kept = kept, .desc = desc};
        const auto offsets = offsets_of(desc ? *desc : std::vector<std::size_t>{n});
        for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
          c.init.push_back(static_cast<Word>(
              std::count(kept.begin() + static_cast<std::ptrdiff_t>(offsets[s]),
                         kept.begin() + static_cast<std::ptrdiff_t>(offsets[s + 1]), Word{0})));
        symbolic.push_back(c);
        for (std::size_t s = 0; s < c.init.size(); ++s) {
          ++c.init[s];
          symbolic.push_back(c);
          --c.init[s];
        }
      }
}

void SinkCases::ranks() {
  for (std::size_t n = 0; n <= 5; ++n)
    for (const auto& keys : all_vectors(n, {0, 1, 2}))
      for (const auto& desc : with_and_without(n, 3))
        for (const bool down : {false, true})
          symbolic.push_back({.kind = kind_, .value = keys, .desc = desc, .down = down});
}

void SinkCases::draws() {
  for (std::size_t n = 0; n <= 6; ++n)
    symbolic.push_back({.kind = kind_, .algebra = algebras_.front().get(), .value = symbols(n)});
}

void SinkCases::descriptors() {
  for (std::size_t n = 0; n <= 5; ++n)
    for (const auto& lengths : all_vectors(n, {0, 1, 2, ~Word{0}}))
      symbolic.push_back({.kind = kind_, .value = lengths});
}

std::vector<Cut> target_cuts(const SinkCase& c) {
  const std::size_t n = c.value.size();
  switch (c.kind) {
    case SinkKind::kScatter: return all_cuts(c.init.size());
    case SinkKind::kPartition: return all_cuts(n);
    case SinkKind::kReduce:
    case SinkKind::kSegReduce:
    case SinkKind::kCount:
      return {{0, c.desc ? c.desc->size() : 1, c.desc ? c.desc->size() : 1, c.desc ? c.desc->size() : 1}};
    default: return {{0, n, n, n}};
  }
}

}  // namespace nvm::model
