#include "vm/cpu/codegen/stretches.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "bytecode/base/at.h"
#include "vm/cpu/codegen/lanes.h"
#include "vm/cpu/codegen/strided.h"

namespace nvm::vm::cpu {

namespace {

using soac::BodyInst;
using soac::kNone;
using soac::Pull;

constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kShortest = 64;  // iterations of a stretch that is worth a call
constexpr int kMost = 64;               // pieces that are looked at

// -------------------------------------------------------------------------------------- piecewise affine

// A value at iterations from..from + steps: `at` + slope * (i - from). BOOL is 0 or 1. Unknown if steps < 0.
struct Affine {
  std::int64_t at = 0, slope = 0, steps = -1;
};

// Steps for which x stays below zero, as it is; or from zero on, as it is.
std::int64_t steps_of_sign(const Affine& x) {
  if (x.at < 0) return x.slope <= 0 ? kForever : (-x.at - 1) / x.slope;
  return x.slope >= 0 ? kForever : x.at / -x.slope;
}

// Steps for which x, inside of 0..length - 1, stays there; or, on its way to there, does not come inside.
std::int64_t steps_below(const Affine& x, std::int64_t length) {
  return x.slope > 0 ? (length - 1 - x.at) / x.slope : x.at / -x.slope;
}
std::int64_t steps_outside(const Affine& x, std::int64_t length) {
  return x.slope > 0 ? (-1 - x.at) / x.slope : (x.at - length) / -x.slope;
}

Affine negated(const Affine& x) { return {-x.at, -x.slope, x.steps}; }
Affine sum(const Affine& x, const Affine& y) {
  return {x.at + y.at, x.slope + y.slope, std::min(x.steps, y.steps)};
}
Affine flag(bool v, std::int64_t steps) { return {v ? 1 : 0, 0, steps}; }
Affine inverted(const Affine& x) { return flag(x.at == 0, x.steps); }

Affine less(const Affine& x, const Affine& y) {
  const Affine d = sum(x, negated(y));
  return flag(d.at < 0, std::min(d.steps, steps_of_sign(d)));
}

Affine same(const Affine& x, const Affine& y) {
  Affine d = sum(x, negated(y));
  if (d.at > 0) d = negated(d);
  if (d.at == 0) return flag(true, d.slope == 0 ? d.steps : 0);
  return flag(false, std::min(d.steps, steps_of_sign(d)));
}

Affine product(const Affine& x, const Affine& y) {
  Affine p{0, 0, std::min(x.steps, y.steps)};
  if (x.slope != 0) return y.slope != 0 ? Affine{} : product(y, x);
  if (__builtin_mul_overflow(x.at, y.at, &p.at) || __builtin_mul_overflow(x.at, y.slope, &p.slope)) return {};
  return p;
}

// By a divisor above zero. The quotient is one number as long as x, on its side of zero, is in its piece.
Affine quotient(const Affine& x, const Affine& by) {
  if (by.slope != 0 || by.at <= 0) return {};
  if (x.slope < 0) return negated(quotient(negated(x), by));
  const std::int64_t q = x.at / by.at;
  const std::int64_t last = q < 0 ? q * by.at : (q + 1) * by.at - 1;
  const std::int64_t left = x.slope == 0 ? kForever : (last - x.at) / x.slope;
  return {q, 0, std::min({x.steps, by.steps, left})};
}
Affine remainder(const Affine& x, const Affine& by) { return sum(x, negated(product(quotient(x, by), by))); }

Affine chosen(const Affine& flag, const Affine& a, const Affine& b) {
  Affine x = flag.at != 0 ? a : b;
  x.steps = std::min(x.steps, flag.steps);
  return x;
}

bool keeps_affine(Scalar op, Type operand) {
  if (operand == Type::kFloat) return false;
  switch (op) {
    case Scalar::kAdd:
    case Scalar::kSub:
    case Scalar::kMul:
    case Scalar::kDiv:
    case Scalar::kRem:
    case Scalar::kLt:
    case Scalar::kLe:
    case Scalar::kGt:
    case Scalar::kGe:
    case Scalar::kEq:
    case Scalar::kNe:
    case Scalar::kMax:
    case Scalar::kMin:
    case Scalar::kSelect:
    case Scalar::kItoB:
    case Scalar::kBtoI: return true;
    case Scalar::kNot:
    case Scalar::kAnd:
    case Scalar::kOr:
    case Scalar::kXor: return operand == Type::kBool;
    default: return false;
  }
}

Affine applied(Scalar op, const Affine& a, const Affine& b, const Affine& c) {
  constexpr Affine kZero{0, 0, kForever};
  switch (op) {
    case Scalar::kAdd: return sum(a, b);
    case Scalar::kSub: return sum(a, negated(b));
    case Scalar::kMul: return product(a, b);
    case Scalar::kDiv: return quotient(a, b);
    case Scalar::kRem: return remainder(a, b);
    case Scalar::kLt: return less(a, b);
    case Scalar::kLe: return inverted(less(b, a));
    case Scalar::kGt: return less(b, a);
    case Scalar::kGe: return inverted(less(a, b));
    case Scalar::kEq: return same(a, b);
    case Scalar::kNe: return inverted(same(a, b));
    case Scalar::kMax: return chosen(less(b, a), a, b);
    case Scalar::kMin: return chosen(less(a, b), a, b);
    case Scalar::kSelect: return chosen(a, b, c);
    case Scalar::kItoB: return inverted(same(a, kZero));
    case Scalar::kBtoI: return a;
    case Scalar::kNot: return inverted(a);
    case Scalar::kAnd: return chosen(a, b, a);
    case Scalar::kOr: return chosen(a, a, b);
    case Scalar::kXor: return chosen(a, inverted(b), b);
    default: return {};
  }
}

// Only as far as x is an INT of the run, and far from where sums would wrap.
Affine in_range(Affine x, IntBits bits) {
  const std::int64_t most = bits == IntBits::k32 ? INT32_MAX : std::int64_t{1} << 46;
  if (x.at > most || x.at < -most || x.slope > most || x.slope < -most) return {};
  if (x.slope > 0) x.steps = std::min(x.steps, (most - x.at) / x.slope);
  if (x.slope < 0) x.steps = std::min(x.steps, (most + x.at) / -x.slope);
  return x;
}

// ------------------------------------------------------------------------------------- which gathers

class IndexFinder {
 public:
  explicit IndexFinder(const StageSpec& spec) : spec_(spec), body_(*spec.body), settled_(body_.insts.size()) {
    for (const BodyInst& in : body_.insts) {
      affine_.push_back(is_affine(in));
      follows_.push_back(in.pull == Pull::kIndex || in.pull == Pull::kWithin || any_operand(in, follows_) ||
                         (in.pull == Pull::kGather && follows_[at(in.a)]));
    }
  }

  StretchIndices find() {
    StretchIndices indices;
    indices.row = spec_.row;
    const std::vector<bool> needed = needed_values(spec_);
    for (std::size_t i = 0; i < needed.size(); ++i) {
      const std::int32_t index = body_.insts[i].a;
      if (!needed[i] || !gathers_flat(i) || !affine_[at(index)] || !follows_[at(index)]) continue;
      indices.gathers.push_back(static_cast<std::int32_t>(i));
      settle(index);
    }
    for (std::size_t i = 0; i < settled_.size(); ++i) {
      if (!settled_[i]) continue;
      indices.settled.push_back(static_cast<std::int32_t>(i));
      if (body_.insts[i].pull == Pull::kGather) indices.lists.push_back(static_cast<std::int32_t>(i));
    }
    return indices;
  }

 private:
  [[nodiscard]] static bool any_operand(const BodyInst& in, const std::vector<bool>& holds) {
    if (in.pull != Pull::kApply) return false;
    const auto is = [&](std::int32_t v) { return v != kNone && holds[at(v)]; };
    return is(in.a) || is(in.b) || is(in.c);
  }
  [[nodiscard]] bool gathers_flat(std::size_t i) const {
    const Pull pull = body_.insts[i].pull;
    const auto is_it = [i](const auto& given) { return at(given.value) == i; };
    if (std::any_of(spec_.inputs.begin(), spec_.inputs.end(), is_it)) return false;
    if (pull == Pull::kGather) return true;
    return pull == Pull::kSegGather && std::none_of(spec_.segments.begin(), spec_.segments.end(), is_it);
  }
  [[nodiscard]] bool of_row(const BodyInst& in) const {
    const bool pull = in.pull == Pull::kPerSegment || in.pull == Pull::kSegment || in.pull == Pull::kWithin;
    return pull && spec_.row != kNone;
  }
  [[nodiscard]] bool is_affine(const BodyInst& in) const {
    if (of_row(in)) return in.type != Type::kFloat;
    if (in.pull == Pull::kGather)
      return spec_.row != kNone && in.type == Type::kInt && in.b == kNone && affine_[at(in.a)];
    if (in.pull != Pull::kApply) {
      const bool scalar = in.pull == Pull::kIndex || in.pull == Pull::kConst || in.pull == Pull::kUniform;
      return scalar && in.type != Type::kFloat;
    }
    const auto is = [&](std::int32_t v) { return v == kNone || affine_[at(v)]; };
    return keeps_affine(in.scalar, body_.insts[at(in.a)].type) && is(in.a) && is(in.b) && is(in.c);
  }
  void settle(std::int32_t v) {
    if (settled_[at(v)]) return;
    settled_[at(v)] = true;
    const BodyInst& in = body_.insts[at(v)];
    if (in.pull != Pull::kApply && in.pull != Pull::kGather) return;
    for (const std::int32_t arg : {in.a, in.b, in.c})
      if (arg != kNone) settle(arg);
  }

  const StageSpec& spec_;
  const soac::Body& body_;
  std::vector<bool> affine_, follows_, settled_;  // by value; follows_: depends on the iteration
};

// --------------------------------------------------------------------------------------- which iterations

class StretchFinder {
 public:
  StretchFinder(const StretchIndices& indices, const soac::Body& body, IntBits bits,
                const StretchFacts& facts)
      : indices_(indices), body_(body), bits_(bits), facts_(facts), values_(body.insts.size()) {}

  std::vector<Stretch> find(std::int64_t n) {
    std::vector<Stretch> found;
    std::int64_t covered = 0, i = 0;
    bool plain = false;
    for (int k = 0; i < n && k < kMost; ++k) {
      if (k >= 8 && covered < i / 2) break;
      const std::int64_t steps = std::min(evaluate(i), n - 1 - i);
      if (steps < 0) break;
      if (straight_ && steps + 1 >= kShortest) {
        found.push_back({i, i + steps + 1, {}});
        set_offsets(i, found.back());
        covered += steps + 1;
        plain |= strided_loads(found.back(), body_).empty();
      }
      i += steps + 1;
    }
    if (found.empty()) return found;
    const auto loads = plain ? std::vector<StridedLoad>() : strided_loads(found[0], body_);
    const auto others = std::remove_if(found.begin(), found.end(),
                                       [&](const Stretch& s) { return strided_loads(s, body_) != loads; });
    for (auto s = others; s != found.end(); ++s) covered -= s->end - s->begin;
    found.erase(others, found.end());
    if (covered < n / 2) found.clear();
    return found;
  }
  bool find_in(std::int64_t i, const Row& row, Stretch& stretch) {
    row_ = &row;
    const std::int64_t steps = evaluate(i);
    stretch.begin = i;
    stretch.end = steps < 0 ? row.end : std::min(steps, row.end - 1 - i) + i + 1;
    if (steps < 0 || !straight_) return false;
    set_offsets(i, stretch);
    return true;
  }

 private:
  // For how many steps everything stays in its piece; negative: that is not known.
  [[nodiscard]] std::int64_t evaluate(std::int64_t i) {
    std::int64_t steps = kForever;
    for (const std::int32_t v : indices_.settled) {
      const BodyInst& in = body_.insts[at(v)];
      values_[at(v)] = in_range(value(in, i), bits_);
      const bool may_trap = in.pull == Pull::kGather ||
                            (in.pull == Pull::kApply && scalar_traps(in.scalar, body_.insts[at(in.a)].type));
      if (may_trap) steps = std::min(steps, values_[at(v)].steps);
    }
    straight_ = true;
    for (const std::int32_t g : indices_.gathers) {
      const BodyInst& in = body_.insts[at(g)];
      const Affine& index = values_[at(in.a)];
      const std::int64_t length = of_row(in) ? row_->end - row_->begin : facts_.length(in);
      const bool strides = row_ == nullptr ? index.slope != 0 : index.slope == 1;
      const bool inside = strides && index.at >= 0 && index.at < length;
      const bool before = strides && (index.slope > 0 ? index.at < 0 : index.at >= length);  // guarded so far
      steps = std::min({steps, index.steps,
                        inside   ? steps_below(index, length)
                        : before ? steps_outside(index, length)
                                 : kForever});
      straight_ &= inside;
    }
    return steps;
  }
  [[nodiscard]] Affine value(const BodyInst& in, std::int64_t i) const {
    switch (in.pull) {
      case Pull::kIndex: return {i, 1, kForever};
      case Pull::kConst: return constant(in.type, in.imm);
      case Pull::kUniform: return constant(in.type, facts_.uniform(in.var));
      case Pull::kPerSegment: return constant(in.type, facts_.element(in.var, row_->number));
      case Pull::kSegment: return constant(in.type, row_->number);
      case Pull::kWithin: return {i - row_->begin, 1, kForever};
      case Pull::kGather: return looked_up(in.var, values_[at(in.a)]);
      default: break;
    }
    const Affine a = operand(in.a), b = operand(in.b), c = operand(in.c);
    const bool known = a.steps >= 0 && (b.steps >= 0 || in.scalar == Scalar::kSelect);
    return known ? applied(in.scalar, a, b, c) : Affine{};
  }
  [[nodiscard]] Affine looked_up(std::int32_t list, const Affine& index) const {
    if (index.steps < 0 || (index.slope != 0 && index.slope != 1)) return {};
    const ListRuns::Element x = facts_.looked_up(list, index.at);
    if (x.steps < 0) return {};
    return {x.value, index.slope, index.slope == 0 ? index.steps : std::min(index.steps, x.steps)};
  }
  // A gather from the row itself.
  [[nodiscard]] bool of_row(const BodyInst& in) const {
    return in.pull == Pull::kSegGather && row_ != nullptr && in.desc == indices_.row;
  }
  [[nodiscard]] static Affine constant(Type type, std::int64_t v) {
    return {type == Type::kBool ? std::int64_t{v != 0} : v, 0, kForever};
  }
  [[nodiscard]] Affine operand(std::int32_t v) const {
    return v == kNone ? Affine{0, 0, kForever} : values_[at(v)];
  }
  void set_offsets(std::int64_t i, Stretch& stretch) const {
    stretch.offsets.clear();
    for (const std::int32_t g : indices_.gathers) {
      const BodyInst& in = body_.insts[at(g)];
      const Affine& index = values_[at(in.a)];
      stretch.offsets.push_back(
          {g, index.at - i * index.slope + (of_row(in) ? row_->begin : 0), index.slope});
    }
  }

  const StretchIndices& indices_;
  const soac::Body& body_;
  IntBits bits_;
  const StretchFacts& facts_;
  std::vector<Affine> values_;
  const Row* row_ = nullptr;
  bool straight_ = false;  // over the steps, all indices go up evenly inside their vectors, of rows by one
};

}  // namespace

StretchIndices stretch_indices(const StageSpec& spec) { return IndexFinder(spec).find(); }

std::vector<Stretch> find_stretches(const StretchIndices& indices, const soac::Body& body, IntBits bits,
                                    std::int64_t n, const StretchFacts& facts) {
  if (indices.gathers.empty() || n < kShortest) return {};
  return StretchFinder(indices, body, bits, facts).find(n);
}

RowStretches::RowStretches(const StretchIndices& indices, const soac::Body& body, IntBits bits,
                           std::int64_t length, const StretchFacts& facts) {
  for (const std::int32_t v : indices.settled) {
    const BodyInst& in = body.insts[at(v)];
    if (in.pull == Pull::kIndex || in.pull == Pull::kSegment) return;
    if (in.pull == Pull::kPerSegment) numbers_.emplace_back(in.var, facts.element(in.var, 0));
  }
  for (const std::int32_t g : indices.gathers)
    if (body.insts[at(g)].pull == Pull::kSegGather && body.insts[at(g)].desc == indices.row)
      from_row_.push_back(g);
  const Row row{0, 0, length};
  StretchFinder finder(indices, body, bits, facts);
  for (std::int64_t i = 0; i < length;) {
    Piece& piece = pieces_.emplace_back();
    piece.straight = finder.find_in(i, row, piece.in_row);
    i = piece.in_row.end;
    if (pieces_.size() <= static_cast<std::size_t>(kMost)) continue;
    pieces_.clear();
    return;
  }
}

bool RowStretches::hold(const Row& row, const StretchFacts& facts) const {
  return !pieces_.empty() && std::all_of(numbers_.begin(), numbers_.end(), [&](const auto& known) {
    return facts.element(known.first, row.number) == known.second;
  });
}

bool RowStretches::find(std::int64_t i, const Row& row, Stretch& stretch) const {
  const auto piece = std::upper_bound(pieces_.begin(), pieces_.end(), i - row.begin,
                                      [](std::int64_t k, const Piece& p) { return k < p.in_row.end; });
  stretch.begin = i;
  stretch.end = row.begin + piece->in_row.end;
  stretch.offsets = piece->in_row.offsets;
  for (Stretch::Offset& o : stretch.offsets)
    if (std::find(from_row_.begin(), from_row_.end(), o.gather) == from_row_.end()) o.by -= row.begin;
  return piece->straight;
}

bool find_stretch(const StretchIndices& indices, const soac::Body& body, IntBits bits, std::int64_t i,
                  const Row& row, const StretchFacts& facts, Stretch& stretch) {
  return StretchFinder(indices, body, bits, facts).find_in(i, row, stretch);
}

}  // namespace nvm::vm::cpu
