#include <algorithm>

#include "tests/model/sinks.h"

namespace nvm::model {

namespace {

using plan::SinkKind;
using Words = std::vector<Word>;

bool keeps(const SinkCase& c, std::size_t i) { return !c.kept || (*c.kept)[i] != 0; }

class Definition {
 public:
  explicit Definition(const SinkCase& c)
      : c_(c), n_(c.value.size()), offsets_(offsets_of(c.desc ? *c.desc : std::vector<std::size_t>{n_})) {}

  void make() {
    switch (c_.kind) {
      case SinkKind::kStore: out_ = kept(); return;
      case SinkKind::kReduce: out_ = {reduced(kept())}; return;
      case SinkKind::kSegReduce:
        each([&](std::size_t, const Words& x) { out_.push_back(reduced(x)); });
        return;
      case SinkKind::kScan:
      case SinkKind::kSegScan: each([&](std::size_t, const Words& x) { append(scanned(x)); }); return;
      case SinkKind::kCount: count(); return;
      case SinkKind::kScatter: scatter(); return;
      case SinkKind::kPartition: each([&](std::size_t s, const Words& x) { part(s, x); }); return;
      case SinkKind::kRank: each([&](std::size_t, const Words& x) { rank(x); }); return;
      case SinkKind::kRandom:
        for (std::size_t i = 0; i < n_; ++i) out_.push_back(c_.algebra->op(symbol(100 + i), c_.value[i]));
        return;
      case SinkKind::kSegdes: describe(); return;
    }
  }

  [[nodiscard]] const Words& out() const { return out_; }
  [[nodiscard]] Word total() const { return total_; }
  [[nodiscard]] std::optional<std::size_t> failed() const { return failed_; }

 private:
  template <typename F>
  void each(const F& f) {
    for (std::size_t s = 0; s + 1 < offsets_.size(); ++s)
      f(s, Words(c_.value.begin() + signed_at(offsets_[s]), c_.value.begin() + signed_at(offsets_[s + 1])));
  }
  static std::ptrdiff_t signed_at(std::size_t i) { return static_cast<std::ptrdiff_t>(i); }
  void append(const Words& x) { out_.insert(out_.end(), x.begin(), x.end()); }
  [[nodiscard]] Words kept() const {
    Words x;
    for (std::size_t i = 0; i < n_; ++i)
      if (keeps(c_, i)) x.push_back(c_.value[i]);
    return x;
  }
  void fail(std::size_t i) { failed_ = std::min(failed_.value_or(i), i); }

  // ------------------------------------------------------------------------------------------- folds

  [[nodiscard]] Word op(Word a, Word b) const { return c_.algebra->op(a, b); }
  [[nodiscard]] Word left_to_right(const Words& x) const {
    Word r = c_.algebra->identity();
    for (const Word e : x) r = op(r, e);
    return r;
  }
  [[nodiscard]] bool flat(const Words& x) const { return !c_.in_tree || x.size() <= kSequential; }
  [[nodiscard]] Word reduced(const Words& x) const {
    if (flat(x)) return left_to_right(x);
    Words totals = totals_of(x);
    while (totals.size() > kBlock) totals = totals_of(totals);
    return left_to_right(totals);
  }
  [[nodiscard]] Words totals_of(const Words& x) const {
    Words totals;
    for (std::size_t b = 0; b < x.size(); b += kBlock) {
      Words lane(kLanes, c_.algebra->identity());
      for (std::size_t i = b; i < std::min(b + kBlock, x.size()); ++i)
        lane[(i - b) % kLanes] = op(lane[(i - b) % kLanes], x[i]);
      for (std::size_t w = kLanes / 2; w >= 1; w /= 2)
        for (std::size_t l = 0; l < w; ++l) lane[l] = op(lane[l], lane[l + w]);
      totals.push_back(lane[0]);
    }
    return totals;
  }
  [[nodiscard]] Words scanned_in_order(const Words& x) const {
    Words out;
    Word carry = c_.algebra->identity();
    for (const Word e : x) {
      out.push_back(carry);
      carry = op(carry, e);
    }
    return out;
  }
  [[nodiscard]] Words scanned(const Words& x) const {
    return flat(x) ? scanned_in_order(x) : scanned_in_blocks(x);
  }
  [[nodiscard]] Words scanned_in_blocks(const Words& x) const {
    static_assert(kGroup == 2, "a group's inclusive scan is x0, x0 op x1");
    Words out, totals;
    for (std::size_t i = 0; i < x.size(); i += kGroup) {
      if (i % kBlock == 0) totals.push_back(c_.algebra->identity());
      Word& local = totals.back();
      out.push_back(op(local, c_.algebra->identity()));
      if (i + 1 == x.size()) break;
      out.push_back(op(local, x[i]));
      local = op(local, op(x[i], x[i + 1]));
    }
    const Words carries = totals.size() > kBlock ? scanned_in_blocks(totals) : scanned_in_order(totals);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = op(carries[i / kBlock], out[i]);
    return out;
  }

  // ------------------------------------------------------------------------------------------- others

  void count() {
    each([&](std::size_t, const Words& x) {
      out_.push_back(static_cast<Word>(std::count(x.begin(), x.end(), Word{1})));
      total_ += out_.back();
    });
  }
  void scatter() {
    out_ = c_.init;
    for (std::size_t i = 0; i < n_; ++i) {
      if (!keeps(c_, i)) continue;
      if (c_.index[i] >= out_.size())
        fail(i);
      else
        out_[c_.index[i]] = c_.value[i];
    }
  }
  void part(std::size_t s, const Words& x) {
    for (const Word side : {Word{0}, Word{1}})
      for (std::size_t i = 0; i < x.size(); ++i)
        if ((*c_.kept)[offsets_[s] + i] == side) out_.push_back(x[i]);
    const auto flags = c_.kept->begin() + signed_at(offsets_[s]);
    const auto front = std::count(flags, flags + signed_at(x.size()), Word{0});
    if (!x.empty() && c_.init[s] != static_cast<Word>(front)) fail(offsets_[s + 1] - 1);
  }
  void rank(const Words& x) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      Word place = 0;
      for (std::size_t j = 0; j < x.size(); ++j) {
        const bool before = c_.down ? x[j] > x[i] : x[j] < x[i];
        place += before || (x[j] == x[i] && j < i) ? 1 : 0;
      }
      out_.push_back(place);
    }
  }
  void describe() {
    for (std::size_t i = 0; i < n_; ++i) {
      out_.push_back(total_);
      total_ += c_.value[i];
      if (static_cast<std::int64_t>(c_.value[i]) < 0) fail(i);
    }
  }

  const SinkCase& c_;
  std::size_t n_;
  std::vector<std::size_t> offsets_;
  Words out_;
  Word total_ = 0;
  std::optional<std::size_t> failed_;
};

// Segments that begin in part p; the last part has those behind all elements.
std::size_t begins(const SinkCase& c, const Cut& cut, std::size_t p) {
  const std::vector<std::size_t> offsets = offsets_of(*c.desc);
  const auto in_part = [&](std::size_t o) {
    return o >= cut[p] && (o < cut[p + 1] || (o == cut.back() && p + 1 == kParts));
  };
  return static_cast<std::size_t>(std::count_if(offsets.begin(), offsets.end() - 1, in_part));
}

// Is there one result, which all parts have?
bool everywhere(const SinkCase& c) {
  return c.kind == SinkKind::kReduce || (c.kind == SinkKind::kCount && !c.desc);
}

// How many elements of what is made part p has.
std::size_t size(const SinkCase& c, const Cut& cut, const Cut& target, std::size_t p) {
  if (everywhere(c)) return 1;
  switch (c.kind) {
    case SinkKind::kCount:
    case SinkKind::kSegReduce: return begins(c, cut, p);
    case SinkKind::kScatter:
    case SinkKind::kPartition: return target[p + 1] - target[p];
    default: break;
  }
  std::size_t size = 0;
  for (std::size_t i = cut[p]; i < cut[p + 1]; ++i) size += keeps(c, i) ? 1 : 0;
  return size;
}

}  // namespace

Whole::Whole(const SinkCase& c) : c_(c) {
  Definition definition(c);
  definition.make();
  made_ = definition.out();
  total_ = definition.total();
  failed_ = definition.failed();
}

Made Whole::laid_out(const Cut& cut, const Cut& target) const {
  Made made;
  made.failed = failed_;
  if (failed_) return made;
  made.total = total_;
  std::size_t next = 0;
  for (std::size_t p = 0; p < kParts; ++p) {
    made.parts.emplace_back();
    for (std::size_t i = 0; i < size(c_, cut, target, p); ++i)
      made.parts.back().push_back(made_[everywhere(c_) ? 0 : next++]);
  }
  return made;
}

}  // namespace nvm::model
