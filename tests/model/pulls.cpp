#include "tests/model/pulls.h"

#include <algorithm>

namespace nvm::model {

namespace {

using plan::Need;
using soac::Pull;

constexpr Word kConstant = 77;

Word word(std::size_t n) { return n; }

// ---------------------------------------------------------------------------------------------- whole

class Definition {
 public:
  explicit Definition(const PullCase& c)
      : c_(c),
        offsets_(offsets_of(c.desc.value_or(std::vector<std::size_t>(c.n, 1)))),
        offsets2_(offsets_of(c.desc2)) {}

  Yield run() {
    for (i_ = 0; i_ < c_.n; ++i_) yield_.values.push_back(value());
    return yield_;
  }

 private:
  [[nodiscard]] std::size_t segment() const {
    std::size_t s = 0;
    while (offsets_[s + 1] <= i_) ++s;
    return s;
  }
  Word fail() {
    if (!yield_.failed) yield_.failed = i_;
    return 0;
  }
  Word value() {
    switch (c_.pull) {
      case Pull::kConst:
      case Pull::kUniform: return kConstant;
      case Pull::kApply: return static_cast<Word>(c_.arg[i_]) + 1;
      case Pull::kElement: return c_.var[i_];
      case Pull::kIndex: return i_;
      case Pull::kPerSegment: return c_.var[segment()];
      case Pull::kSegment: return segment();
      case Pull::kWithin: return i_ - offsets_[segment()];
      case Pull::kCheck: return c_.arg[i_] != 0 ? fail() : 0;
      case Pull::kGather: return gathered(0, c_.var.size(), true);
      case Pull::kSegGather:
      case Pull::kSegPlace:
        return gathered(offsets2_[segment()], c_.desc2[segment()], c_.pull == Pull::kSegGather);
      case Pull::kScanned: {
        const Strings strings;
        Word before = strings.identity();
        for (std::size_t i = 0; i < i_; ++i) before = strings.op(before, c_.var[i]);
        return before;
      }
    }
    return 0;
  }
  Word gathered(std::size_t from, std::size_t length, bool element) {
    if (!c_.wanted.empty() && !c_.wanted[i_]) return 0;
    const std::int64_t index = c_.arg[i_];
    if (index < 0 || index >= static_cast<std::int64_t>(length)) return fail();
    const std::size_t place = from + static_cast<std::size_t>(index);
    return element ? c_.var[place] : word(place);
  }

  const PullCase& c_;
  std::vector<std::size_t> offsets_, offsets2_;
  std::size_t i_ = 0;
  Yield yield_;
};

// ---------------------------------------------------------------------------------------------- parts

// All that a part is given; nothing: not given.
struct Given {
  std::optional<std::size_t> begin;
  std::optional<std::size_t> from;  // elements[k] is var[from + k]
  std::vector<Word> elements;
  std::optional<std::size_t> first, place;  // of the first segment: its number, the place of a in it
  std::vector<std::size_t> lengths;         // of the segments
  std::optional<std::size_t> from2;         // where the first segment of desc2 begins
  std::vector<std::size_t> lengths2;
  std::optional<Word> before;
};

// Knows everything, and gives a part what it needs.
class Bringer {
 public:
  Bringer(const PullCase& c, std::size_t a, std::size_t b, PullDefect defect)
      : c_(c), a_(a), b_(b), off_(a > 0 ? defect : PullDefect::kNoDefect) {}

  Given bring(Need need) {
    switch (need) {
      case Need::kNothing: break;
      case Need::kBegin: given_.begin = a_ + off(PullDefect::kBeginOff); break;
      case Need::kElements: elements(a_, b_); break;
      case Need::kSegments: segments(false); break;
      case Need::kSegmentsOf: segments(true); break;
      case Need::kRange: range(); break;
      case Need::kWhole:
        given_.from = 0;
        given_.elements = c_.var;
        break;
      case Need::kBefore: record(); break;
    }
    return given_;
  }

 private:
  [[nodiscard]] std::size_t off(PullDefect defect) const { return off_ == defect ? 1 : 0; }
  void elements(std::size_t from, std::size_t to) {
    given_.from = from;
    for (std::size_t i = from; i < std::min(to, c_.var.size()); ++i) {
      const std::size_t k = i + off(PullDefect::kShifted);
      given_.elements.push_back(k < c_.var.size() ? c_.var[k] : 0);
    }
  }
  void range() {
    if (a_ == b_ || c_.arg.empty()) return elements(0, 0);
    const auto [low, high] = std::minmax(c_.arg[a_], c_.arg[b_ - 1]);
    elements(static_cast<std::size_t>(std::max<std::int64_t>(low, 0)),
             static_cast<std::size_t>(std::max<std::int64_t>(high + 1, 0)));
  }
  void segments(bool with_elements) {
    if (a_ == b_) return;
    const std::vector<std::size_t> lengths = c_.desc.value_or(std::vector<std::size_t>(c_.n, 1));
    const std::vector<std::size_t> offsets = offsets_of(lengths), offsets2 = offsets_of(c_.desc2);
    std::size_t s = 0, end = 0;
    while (offsets[s + 1] <= a_) ++s;
    while (offsets[end] < b_) ++end;
    given_.first = s + off(PullDefect::kNumberOff);
    given_.place = a_ - offsets[s] + off(PullDefect::kPlaceOff);
    given_.lengths.assign(lengths.begin() + signed_of(s), lengths.begin() + signed_of(end));
    if (!with_elements && c_.desc2.empty()) elements(s, end);
    if (c_.desc2.empty()) return;
    given_.from2 = offsets2[s] + off(PullDefect::kNumberOff);
    given_.lengths2.assign(c_.desc2.begin() + signed_of(s), c_.desc2.begin() + signed_of(end));
    if (with_elements) elements(offsets2[s], offsets2[end]);
  }
  static std::ptrdiff_t signed_of(std::size_t i) { return static_cast<std::ptrdiff_t>(i); }
  void record() {
    const Strings strings;
    given_.before = strings.identity();
    given_.elements.clear();
    for (std::size_t i = 0; i < std::min(a_, c_.var.size()) && off(PullDefect::kDropsRecord) == 0; ++i)
      given_.before = strings.op(*given_.before, c_.var[i]);
  }

  const PullCase& c_;
  std::size_t a_, b_;
  PullDefect off_;
  Given given_;
};

// Knows what it was given, and the values of its own iterations.
class Part {
 public:
  Part(const PullCase& c, const Given& given, std::size_t a, std::size_t b)
      : pull_(c.pull), var_length_(c.var.size()), given_(given) {
    for (std::size_t i = a; i < b; ++i) {
      arg_.push_back(c.arg.empty() ? 0 : c.arg[i]);
      wanted_.push_back(c.wanted.empty() || c.wanted[i]);
      if (c.pull == Pull::kScanned) combined_.push_back(c.var[i]);
    }
  }

  // Failures count from the part's first iteration.
  Yield run() {
    for (j_ = 0; j_ < arg_.size(); ++j_) yield_.values.push_back(value());
    yield_.given = given_.elements.size();
    return yield_;
  }

 private:
  template <typename T>
  T known(const std::optional<T>& x) {
    yield_.missed = yield_.missed || !x;
    return x.value_or(T{});
  }
  template <typename T>
  T at(const std::vector<T>& x, std::size_t i) {
    if (i < x.size()) return x[i];
    yield_.missed = true;
    return T{};
  }
  Word fail() {
    if (!yield_.failed) yield_.failed = j_;
    return 0;
  }
  // The segment of the iteration, counted from the first given, and the place in it.
  struct Where {
    std::size_t segment = 0, place = 0;
  };
  Where where() {
    Where w{0, known(given_.place) + j_};
    while (w.segment < given_.lengths.size() && w.place >= given_.lengths[w.segment])
      w.place -= given_.lengths[w.segment++];
    yield_.missed = yield_.missed || w.segment == given_.lengths.size();
    return w;
  }
  Word value() {
    switch (pull_) {
      case Pull::kConst:
      case Pull::kUniform: return kConstant;
      case Pull::kApply: return static_cast<Word>(arg_[j_]) + 1;
      case Pull::kElement: return at(given_.elements, j_);
      case Pull::kIndex: return known(given_.begin) + j_;
      case Pull::kPerSegment: return at(given_.elements, where().segment);
      case Pull::kSegment: return known(given_.first) + where().segment;
      case Pull::kWithin: return where().place;
      case Pull::kCheck: return arg_[j_] != 0 ? fail() : 0;
      case Pull::kGather: return gathered(0, var_length_, true);
      case Pull::kSegGather:
      case Pull::kSegPlace: {
        const std::size_t s = where().segment;
        std::size_t from = known(given_.from2);
        for (std::size_t k = 0; k < s; ++k) from += at(given_.lengths2, k);
        return gathered(from, at(given_.lengths2, s), pull_ == Pull::kSegGather);
      }
      case Pull::kScanned: {
        const Strings strings;
        Word before = known(given_.before);
        for (std::size_t k = 0; k < j_; ++k) before = strings.op(before, combined_[k]);
        return before;
      }
    }
    return 0;
  }
  Word gathered(std::size_t begin, std::size_t length, bool element) {
    if (!wanted_[j_]) return 0;
    const std::int64_t index = arg_[j_];
    if (index < 0 || index >= static_cast<std::int64_t>(length)) return fail();
    const std::size_t place = begin + static_cast<std::size_t>(index);
    return element ? at(given_.elements, place - known(given_.from)) : word(place);
  }

  Pull pull_;
  std::size_t var_length_;
  const Given& given_;
  std::vector<std::int64_t> arg_;
  std::vector<bool> wanted_;
  std::vector<Word> combined_;  // of the scan: what the part itself combines
  std::size_t j_ = 0;
  Yield yield_;
};

}  // namespace

Yield yield_whole(const PullCase& c) { return Definition(c).run(); }

Yield yield_by_parts(const PullCase& c, Need need, const Cut& cut, PullDefect defect) {
  Yield all;
  for (std::size_t p = 0; p < kParts; ++p) {
    const Given given = Bringer(c, cut[p], cut[p + 1], defect).bring(need);
    const Yield part = Part(c, given, cut[p], cut[p + 1]).run();
    all.values.insert(all.values.end(), part.values.begin(), part.values.end());
    all.missed = all.missed || part.missed;
    all.given += part.given;
    if (!part.failed) continue;
    const std::size_t i = *part.failed + (defect == PullDefect::kLocalFailure ? 0 : cut[p]);
    all.failed = all.failed && defect != PullDefect::kLastFailure ? std::min(*all.failed, i) : i;
  }
  return all;
}

}  // namespace nvm::model
