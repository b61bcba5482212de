#include <algorithm>

#include "tests/model/part_fold.h"
#include "tests/model/sinks.h"

namespace nvm::model {

namespace {

using plan::Join;
using plan::SinkKind;

constexpr Word kNowhere = ~Word{0};

// What a part makes, before it is joined; a place is that in what the sink makes.
struct Item {
  Word place = kNowhere;
  Word value = 0;
};

class ByParts {
 public:
  ByParts(const SinkCase& c, const plan::SinkRule& rule, const Cut& cut, const Cut& target, Defect defect)
      : c_(c),
        rule_(rule),
        cut_(cut),
        target_(target),
        defect_(defect),
        n_(c.value.size()),
        offsets_(offsets_of(c.desc ? *c.desc : std::vector<std::size_t>{n_})) {}

  Made run() {
    make();
    join();
    if (made_.failed) return {{}, 0, made_.failed};
    return made_;
  }

 private:
  using Items = std::vector<Item>;

  void make() {
    switch (c_.kind) {
      case SinkKind::kStore: each_iteration([&](std::size_t i) { put(kNowhere, c_.value[i]); }); return;
      case SinkKind::kReduce:
      case SinkKind::kSegReduce: fold(*c_.algebra, c_.value, false); return;
      case SinkKind::kScan:
      case SinkKind::kSegScan: fold(*c_.algebra, c_.value, true); return;
      case SinkKind::kCount: count(); return;
      case SinkKind::kScatter:
        each_iteration([&](std::size_t i) {
          if (c_.index[i] >= c_.init.size()) fail(i);
          put(c_.index[i], c_.value[i]);
        });
        return;
      case SinkKind::kPartition: part(); return;
      case SinkKind::kRank: each_iteration([&](std::size_t i) { put(kNowhere, c_.value[i]); }); return;
      case SinkKind::kRandom:
        each_iteration([&](std::size_t i) {
          const std::size_t off = defect_ == Defect::kPlaceOff && begin() > 0 ? 1 : 0;
          put(kNowhere, c_.algebra->op(symbol(100 + i + off), c_.value[i]));
        });
        return;
      case SinkKind::kSegdes: describe(); return;
    }
  }

  // ------------------------------------------------------------------------------------------- a part

  [[nodiscard]] std::size_t begin() const { return cut_[part_]; }
  [[nodiscard]] std::size_t end() const { return cut_[part_ + 1]; }
  void put(Word place, Word value) { items_[part_].push_back({place, value}); }
  void fail(std::size_t i) { made_.failed = std::min(made_.failed.value_or(i), i); }
  [[nodiscard]] bool keeps(std::size_t i) const { return !c_.kept || (*c_.kept)[i] != 0; }

  template <typename F>
  void each_part(const F& f) {
    for (part_ = 0; part_ < kParts; ++part_) f();
  }
  template <typename F>
  void each_iteration(const F& f) {
    each_part([&] {
      for (std::size_t i = begin(); i < end(); ++i)
        if (keeps(i)) f(i);
    });
  }
  // f(s, lo, hi) for the segments that meet the part, or are empty and begin in it.
  template <typename F>
  void each_segment(const F& f) {
    for (std::size_t s = 0; s + 1 < offsets_.size(); ++s) {
      const std::size_t lo = std::max(begin(), offsets_[s]), hi = std::min(end(), offsets_[s + 1]);
      if (lo < hi || (offsets_[s] == offsets_[s + 1] && in_part(offsets_[s]))) f(s, lo, hi);
    }
  }
  // A segment begins in the part of its first element, an empty one in that of the element behind it.
  [[nodiscard]] bool in_part(std::size_t offset) const {
    return offset >= begin() && (offset < end() || (offset == n_ && part_ + 1 == kParts));
  }

  // Walks the fold of each segment over the parts: element(i, s, what is before it), total(s, value).
  template <typename Element, typename Total>
  void walk(const Algebra& algebra, const std::vector<Word>& value, const Element& element,
            const Total& total) {
    std::optional<PartFold> going;
    std::size_t place = 0;
    each_part([&] {
      each_segment([&](std::size_t s, std::size_t lo, std::size_t hi) {
        if (lo == offsets_[s]) {
          going.emplace(algebra, rule_.record, length(s), defect_);
          place = 0;
        } else {
          going->enter(place);
        }
        for (std::size_t i = lo; i < hi; ++i) {
          if (folds() && !keeps(i)) continue;
          element(i, s, going->push(value[i]));
          ++place;
        }
        if (hi == offsets_[s + 1])
          total(s, going->finish());
        else
          going->leave();
      });
    });
  }
  // A partition sees what its filter drops, too.
  [[nodiscard]] bool folds() const { return c_.kind != SinkKind::kPartition; }
  // Behind a filter, of what it keeps: the counts of all parts are known.
  [[nodiscard]] std::size_t length(std::size_t s) const {
    std::size_t length = 0;
    for (std::size_t i = offsets_[s]; i < offsets_[s + 1]; ++i) length += !folds() || keeps(i) ? 1 : 0;
    return length;
  }
  [[nodiscard]] std::size_t number(std::size_t s) const {
    return s + (defect_ == Defect::kNumberOff && begin() > 0 ? 1 : 0);
  }

  void fold(const Algebra& algebra, const std::vector<Word>& value, bool scans) {
    walk(
        algebra, value,
        [&](std::size_t, std::size_t, Word before) {
          if (scans) put(kNowhere, before);
        },
        [&](std::size_t s, Word total) {
          if (!scans) put(number(s), total);
        });
  }
  void count() {
    fold(sums_, c_.value, false);
    for (const Items& part : items_)
      for (const Item& item : part) made_.total += item.value;
  }
  void describe() {
    walk(
        sums_, c_.value,
        [&](std::size_t i, std::size_t, Word before) {
          put(kNowhere, before);
          if (static_cast<std::int64_t>(c_.value[i]) < 0) fail(i);
        },
        [&](std::size_t, Word total) { made_.total = total; });
  }
  void part() {
    walk(
        sums_, *c_.kept,
        [&](std::size_t i, std::size_t s, Word before) {
          const bool off = defect_ == Defect::kPlaceOff && begin() > offsets_[s];
          const Word kept = before + (off ? 1 : 0), place = i - offsets_[s];
          put(offsets_[s] + (keeps(i) ? c_.init[s] + kept : place - kept), c_.value[i]);
        },
        [&](std::size_t s, Word total) {
          const Word length = offsets_[s + 1] - offsets_[s];
          if (length > 0 && c_.init[s] != length - total) fail(offsets_[s + 1] - 1);
        });
  }

  // ------------------------------------------------------------------------------------------- joining

  void join() {
    made_.parts.assign(kParts, {});
    switch (rule_.join) {
      case Join::kSideBySide:
        for (std::size_t p = 0; p < kParts; ++p)
          for (const Item& item : items_[defect_ == Defect::kReversed ? kParts - 1 - p : p])
            made_.parts[p].push_back(item.value);
        return;
      case Join::kAtBegin: bring_to_begin(); return;
      case Join::kInOrder: write(defect_ == Defect::kReversed); return;
      case Join::kAnyOrder: write(true); return;
      case Join::kMerged: merge(); return;
    }
  }

  void bring_to_begin() {
    std::vector<Word> of_segment(offsets_.size() - 1, kNowhere);
    for (const Items& part : items_)
      for (const Item& item : part)
        if (item.place < of_segment.size()) of_segment[item.place] = item.value;
    each_part([&] {
      for (std::size_t s = 0; s < of_segment.size(); ++s)
        if (!c_.desc || in_part(offsets_[s])) made_.parts[part_].push_back(of_segment[s]);
    });
  }

  // Each part has a range of places and writes what all parts have for it.
  void write(bool reversed) {
    const bool of_elements = c_.kind == SinkKind::kScatter;
    each_part([&] {
      std::vector<Word>& out = made_.parts[part_];
      out.assign(target_[part_ + 1] - target_[part_], kNowhere);
      for (std::size_t i = 0; of_elements && i < out.size(); ++i) out[i] = c_.init[target_[part_] + i];
      std::vector<std::size_t> senders = {0, 1, 2};
      if (reversed) std::reverse(senders.begin(), senders.end());
      if (defect_ == Defect::kOwnFirst)
        std::rotate(senders.begin(), senders.begin() + signed_part(), senders.end());
      for (const std::size_t p : senders)
        for (const Item& item : items_[p])
          if (item.place >= target_[part_] && item.place < target_[part_ + 1])
            out[item.place - target_[part_]] = item.value;
    });
  }
  [[nodiscard]] std::ptrdiff_t signed_part() const { return static_cast<std::ptrdiff_t>(part_); }

  struct Key {
    std::size_t segment;
    Word value;
    std::size_t part, element;  // where it goes back to
  };
  [[nodiscard]] bool before(const Key& a, const Key& b) const {
    if (a.segment != b.segment) return a.segment < b.segment;
    return c_.down ? a.value > b.value : a.value < b.value;
  }
  // The segment of iteration `i`, as a part knows it.
  [[nodiscard]] std::size_t segment(std::size_t i) const {
    return static_cast<std::size_t>(std::upper_bound(offsets_.begin(), offsets_.end(), i) -
                                    offsets_.begin()) -
           1;
  }
  void merge() {
    std::vector<Key> all;
    const auto less = [&](const Key& a, const Key& b) { return before(a, b); };
    each_part([&] {
      std::vector<Key> own, both;
      for (std::size_t k = 0; k < items_[part_].size(); ++k)
        own.push_back({number(segment(begin() + k)), items_[part_][k].value, part_, k});
      std::stable_sort(own.begin(), own.end(), less);
      if (defect_ == Defect::kReversed) std::swap(own, all);
      std::merge(all.begin(), all.end(), own.begin(), own.end(), std::back_inserter(both), less);
      all = both;
      made_.parts[part_].resize(items_[part_].size());
    });
    for (std::size_t k = 0; k < all.size(); ++k)
      made_.parts[all[k].part][all[k].element] = k - offsets_[std::min(all[k].segment, offsets_.size() - 1)];
  }

  const SinkCase& c_;
  const plan::SinkRule& rule_;
  const Cut& cut_;
  const Cut& target_;
  Defect defect_;
  std::size_t n_;
  std::vector<std::size_t> offsets_;
  Ints sums_{Scalar::kAdd};
  std::size_t part_ = 0;
  std::vector<Items> items_ = std::vector<Items>(kParts);
  Made made_;
};

}  // namespace

Made made_by_parts(const SinkCase& c, const plan::SinkRule& rule, const Cut& cut, const Cut& target,
                   Defect defect) {
  return ByParts(c, rule, cut, target, defect).run();
}

}  // namespace nvm::model
