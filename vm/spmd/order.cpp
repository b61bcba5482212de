// RANK by sampling: each rank orders its part; samples of all cut the order into as many buckets as there are
// ranks; a key goes to the rank of its bucket, and its place comes back. Four rounds.
//
// The order is that of segment, key and position, in which no two elements are equal: so there is one, the
// stable one, and many equal keys are shared out, too. A rank's keys arrive in order and before those of the
// next rank, so positions are not sent. Descending keys are their complements.
#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "bytecode/table/op_kind.h"
#include "vm/spmd/rules.h"

namespace nvm::vm::spmd {

namespace {

struct Item {
  std::int64_t segment, key, position;
  friend auto operator<=>(const Item&, const Item&) = default;
};

template <typename T>
std::span<const std::byte> bytes_of(const std::vector<T>& items) {
  return std::as_bytes(std::span(items));
}
template <typename T>
std::vector<T> items_of(std::span<const std::byte> bytes) {
  std::vector<T> items(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(items.data(), bytes.data(), bytes.size());
  return items;
}

// What decides where a FLOAT goes: the total order of its bits.
std::int64_t ordered(double x) {
  const auto b = std::bit_cast<std::int64_t>(x);
  return b ^ ((b >> 63) & INT64_MAX);
}

class Ordering {
 public:
  Ordering(const Together& t, const CutRef& cut, const Vector& mine)
      : t_(t), s_(t.segdes(1)), cut_(cut), ranks_(static_cast<std::size_t>(cut->ranks())) {
    sort(mine);
  }
  [[nodiscard]] Vector places();

 private:
  // By rank, where its elements end, among those of this rank in order.
  using Ends = std::vector<std::int64_t>;

  void sort(const Vector& mine);
  [[nodiscard]] std::vector<Item> splitters() const;
  [[nodiscard]] Ends ends(const std::vector<Item>& splitters) const;
  // By rank, by rank: how much goes from one to the other.
  [[nodiscard]] std::vector<Ends> counts(const Ends& ends) const;
  struct Key {
    std::int64_t segment, key;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  // Of those that this rank has received, in the order received: which place in the whole order.
  [[nodiscard]] std::vector<std::int64_t> merged(const std::vector<std::vector<Key>>& runs,
                                                 std::int64_t before) const;

  const Together& t_;
  const Segdes& s_;
  const CutRef& cut_;
  std::size_t ranks_;
  std::vector<Item> items_;  // this rank's, in order
};

// By the primitive, on what this rank has of its segments.
void Ordering::sort(const Vector& mine) {
  const std::int64_t begin = cut_->begin(t_.parts.rank()), n = mine.length();
  const Clipped own = clip(t_.prims(), s_, begin, begin + n);
  Value operands[] = {mine, own.s};
  Value result;
  run_primitive(t_.prims(), t_.inst.op, t_.inst.word, operands, {&result, 1});
  const auto& rank = std::get<Vector>(result);
  const bool up = t_.inst.op == rank_op(false);
  items_.resize(static_cast<std::size_t>(n));
  std::int64_t k = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    while (i >= own.s.offset(k) + own.s.length(k)) ++k;
    const std::int64_t key = mine.type() == Type::kFloat ? ordered(mine.float_at(i)) : mine.int_at(i);
    items_[static_cast<std::size_t>(own.s.offset(k) + rank.int_at(i))] = {own.first + k, up ? key : ~key,
                                                                          begin + i};
  }
}

std::vector<Item> Ordering::splitters() const {
  const auto each = static_cast<std::int64_t>(16 * std::bit_width(ranks_));
  std::vector<std::int64_t> lengths;
  for (int r = 0; r < cut_->ranks(); ++r)
    lengths.push_back(std::min(each, cut_->length(r)) * static_cast<std::int64_t>(sizeof(Item)));
  const std::size_t own =
      static_cast<std::size_t>(lengths[static_cast<std::size_t>(t_.parts.rank())]) / sizeof(Item);
  std::vector<Item> samples;
  for (std::size_t i = 0; i < own; ++i) samples.push_back(items_[(2 * i + 1) * items_.size() / (2 * own)]);
  const Pieces pieces = t_.parts.exchange().gather(bytes_of(samples), lengths);
  // A sample stands for as many elements as there are between it and the next one.
  std::vector<std::pair<Item, double>> all;
  for (int r = 0; r < cut_->ranks(); ++r) {
    const std::vector<Item> of = items_of<Item>(pieces.of(r));
    for (const Item& item : of)
      all.emplace_back(item, static_cast<double>(cut_->length(r)) / static_cast<double>(of.size()));
  }
  std::sort(all.begin(), all.end());
  const double bucket = static_cast<double>(cut_->total()) / static_cast<double>(ranks_);
  std::vector<Item> chosen;
  double before = 0;
  for (const auto& [item, weight] : all) {
    if (chosen.size() + 1 < ranks_ && before + weight / 2 >= bucket * static_cast<double>(chosen.size() + 1))
      chosen.push_back(item);
    before += weight;
  }
  return chosen;
}

Ordering::Ends Ordering::ends(const std::vector<Item>& splitters) const {
  Ends ends;
  for (const Item& item : splitters)
    ends.push_back(std::lower_bound(items_.begin(), items_.end(), item) - items_.begin());
  ends.resize(ranks_, static_cast<std::int64_t>(items_.size()));
  return ends;
}

std::vector<Ordering::Ends> Ordering::counts(const Ends& ends) const {
  Ends mine;
  for (std::size_t r = 0; r < ranks_; ++r) mine.push_back(ends[r] - (r == 0 ? 0 : ends[r - 1]));
  const std::vector<std::int64_t> lengths(ranks_, static_cast<std::int64_t>(ranks_ * sizeof(std::int64_t)));
  const Pieces pieces = t_.parts.exchange().gather(bytes_of(mine), lengths);
  std::vector<Ends> all;
  for (int r = 0; r < cut_->ranks(); ++r) all.push_back(items_of<std::int64_t>(pieces.of(r)));
  return all;
}

std::vector<std::int64_t> Ordering::merged(const std::vector<std::vector<Key>>& runs,
                                           std::int64_t before) const {
  struct Received {
    Key key;
    std::int64_t number;
  };
  std::vector<Received> all, next;
  std::vector<std::size_t> ends = {0};
  for (const std::vector<Key>& run : runs) {
    for (const Key& key : run) all.push_back({key, static_cast<std::int64_t>(all.size())});
    ends.push_back(all.size());
  }
  const auto below = [](const Received& a, const Received& b) { return a.key < b.key; };
  while (ends.size() > 2) {  // pairs of neighbours
    next.clear();
    std::vector<std::size_t> fewer = {0};
    for (std::size_t i = 0; i + 1 < ends.size(); i += 2) {
      const auto at = [&](std::size_t j) {
        return all.begin() + static_cast<std::ptrdiff_t>(ends[std::min(j, ends.size() - 1)]);
      };
      std::merge(at(i), at(i + 1), at(i + 1), at(i + 2), std::back_inserter(next), below);
      fewer.push_back(next.size());
    }
    all.swap(next);
    ends.swap(fewer);
  }
  std::vector<std::int64_t> places(all.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    places[static_cast<std::size_t>(all[i].number)] =
        before + static_cast<std::int64_t>(i) - s_.offset(all[i].key.segment);
  return places;
}

Vector Ordering::places() {
  const Ends ends = this->ends(splitters());
  const std::vector<Ends> counts = this->counts(ends);
  const auto me = static_cast<std::size_t>(t_.parts.rank());
  std::int64_t before = 0;  // what goes to the ranks before this one
  for (const Ends& from : counts)
    before += std::accumulate(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(me), std::int64_t{0});

  std::vector<std::vector<Key>> keys(ranks_);
  std::vector<std::span<const std::byte>> out;
  std::vector<std::int64_t> received;
  std::size_t i = 0;
  for (std::size_t r = 0; r < ranks_; ++r) {
    for (; i < static_cast<std::size_t>(ends[r]); ++i) keys[r].push_back({items_[i].segment, items_[i].key});
    out.push_back(r == me ? std::span<const std::byte>() : bytes_of(keys[r]));
    received.push_back(r == me ? 0 : counts[r][me] * static_cast<std::int64_t>(sizeof(Key)));
  }
  const Pieces in = t_.parts.exchange().trade(out, received);
  std::vector<std::vector<Key>> runs;
  for (std::size_t r = 0; r < ranks_; ++r)
    runs.push_back(r == me ? std::move(keys[me]) : items_of<Key>(in.of(static_cast<int>(r))));
  const std::vector<std::int64_t> found = merged(runs, before);

  std::vector<std::span<const std::byte>> answers;
  std::vector<std::int64_t> own;
  received.clear();
  std::size_t at = 0;
  for (std::size_t r = 0; r < ranks_; ++r) {
    const std::span places = std::span(found).subspan(at, runs[r].size());
    if (r == me) own.assign(places.begin(), places.end());
    answers.push_back(r == me ? std::span<const std::byte>() : std::as_bytes(places));
    received.push_back(r == me ? 0 : counts[me][r] * static_cast<std::int64_t>(sizeof(std::int64_t)));
    at += runs[r].size();
  }
  const Pieces back = t_.parts.exchange().trade(answers, received);
  std::vector<std::int64_t> places(items_.size());
  i = 0;
  for (std::size_t r = 0; r < ranks_; ++r)
    for (const std::int64_t place : r == me ? own : items_of<std::int64_t>(back.of(static_cast<int>(r))))
      places[static_cast<std::size_t>(items_[i++].position - cut_->begin(static_cast<int>(me)))] = place;
  return int_vector(*t_.prims().pool, places, t_.parts.storage(Type::kInt));
}

}  // namespace

bool rank_parts(const Together& t) {
  const std::int64_t n = t.length(0);
  if (!t.parts.is_long(n)) return false;
  const CutRef cut = t.cut(n);
  const Vector mine = t.parts.part(t.operands[0], cut);
  t.results[0] = t.parts.join(Type::kInt, cut, Ordering(t, cut, mine).places());
  return true;
}

}  // namespace nvm::vm::spmd
