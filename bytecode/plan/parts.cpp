#include "bytecode/plan/parts.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "bytecode/base/at.h"
#include "bytecode/base/check.h"
#include "bytecode/base/stack.h"
#include "bytecode/plan/value_ranges.h"
#include "bytecode/table/identities.h"
#include "bytecode/table/op_kind.h"

namespace nvm::plan {

namespace {

using soac::BodyInst;
using soac::Pull;

__extension__ using Wide = __int128;  // sums of INTs do not wrap

using Factors = std::vector<std::int32_t>;  // by carry

// The least or greatest of terms: op is kNoScalar if there is one. A local value of kNone is zero.
struct Symbol {
  Scalar op = Scalar::kNoScalar;
  std::map<Factors, std::int32_t> terms;
};

class Finder {
 public:
  explicit Finder(const Kernel& kernel) : kernel_(kernel), symbols_(kernel.body.insts.size()) {
    for (const Sink& s : kernel.sinks)
      if (s.kind == SinkKind::kScan) ++scans_;
  }

  std::optional<Parts> run() {
    const auto flat = [](const Sink& s) {
      const bool known = s.combine == Scalar::kAdd || is_extreme(s.combine);
      return (s.kind == SinkKind::kScan || s.kind == SinkKind::kReduce) && s.filter == kNone &&
             s.type == Type::kInt && known;
    };
    if (scans_ == 0 || !std::all_of(kernel_.sinks.begin(), kernel_.sinks.end(), flat)) return std::nullopt;
    for (std::size_t i = 0; i < kernel_.body.insts.size();
         ++i)  // an error is one whether the value is wanted or not
      if (soac::may_trap(kernel_.body, i)) failed_ |= !independent(static_cast<std::int32_t>(i));
    for (std::size_t i = 0; i < kernel_.sinks.size(); ++i) {
      const Sink& s = kernel_.sinks[i];
      auto& totals = s.kind == SinkKind::kScan ? parts_.carries : parts_.results;
      if (!total(static_cast<std::int32_t>(i), s, totals)) return std::nullopt;
    }
    return failed_ ? std::nullopt : std::optional(std::move(parts_));
  }

 private:
  [[nodiscard]] Factors nothing() const { return Factors(scans_, 0); }
  [[nodiscard]] bool is_leaf(const Symbol& s) const {
    return s.terms.size() == 1 && s.terms.begin()->first == nothing();
  }

  bool total(std::int32_t sink, const Sink& s, std::vector<Parts::Total>& totals) {
    const auto symbol = symbol_of(s.value);
    if (!symbol) return false;
    const bool scans = s.kind == SinkKind::kScan;
    const bool one = symbol->terms.size() == 1;
    if (s.combine == Scalar::kAdd ? !one || (scans && !is_leaf(*symbol)) : !one && symbol->op != s.combine)
      return false;
    Parts::Total out{sink, s.combine, {}};
    for (const auto& [factors, local] : symbol->terms)
      out.terms.push_back({factors, local == kNone ? kNone : fold(s.combine, local, false)});
    totals.push_back(std::move(out));
    return true;
  }
  // A fold that is scanned, too, serves both.
  std::int32_t fold(Scalar op, std::int32_t value, bool scanned) {
    for (std::size_t k = 0; k < parts_.folds.size(); ++k) {
      Parts::Fold& f = parts_.folds[k];
      if (f.op != op || f.value != value) continue;
      f.scanned |= scanned;
      return static_cast<std::int32_t>(k);
    }
    parts_.folds.push_back({op, value, scanned});
    return static_cast<std::int32_t>(parts_.folds.size() - 1);
  }

  std::optional<Symbol> symbol_of(std::int32_t v) {
    check_stack();
    auto& known = symbols_[at(v)];
    if (!known) known = find(kernel_.body.insts[at(v)], v);
    return known;
  }
  std::optional<Symbol> find(const BodyInst& in, std::int32_t v) {
    if (in.pull == Pull::kScanned) return scanned(in.a);
    if (independent(v)) {
      if (in.pull != Pull::kConst) parts_.leaves.push_back({v, local_[v]});
      return Symbol{Scalar::kNoScalar, {{nothing(), local_[v]}}};
    }
    if (in.pull != Pull::kApply) return std::nullopt;
    const bool sums = in.scalar == Scalar::kAdd || in.scalar == Scalar::kSub;
    if (!sums && !is_extreme(in.scalar)) return std::nullopt;
    const auto a = symbol_of(in.a);
    const auto b = symbol_of(in.b);
    if (!a || !b) return std::nullopt;
    return sums ? sum(*a, *b, in.scalar) : joined(*a, *b, in.scalar);
  }
  // Copies what does not depend on a scan.
  bool independent(std::int32_t v) {
    check_stack();
    if (local_.contains(v)) return true;
    const BodyInst& in = kernel_.body.insts[at(v)];
    if (in.pull == Pull::kScanned) return false;
    BodyInst copy = in;
    for (std::int32_t* arg : {&copy.a, &copy.b, &copy.c}) {
      if (*arg == kNone) continue;
      if (!independent(*arg)) return false;
      *arg = local_[*arg];
    }
    local_[v] = parts_.body.add(copy);
    return true;
  }

  std::optional<Symbol> scanned(std::int32_t sink) {
    const Sink& s = kernel_.sinks[at(sink)];
    const auto value = symbol_of(s.value);
    if (!value) return std::nullopt;
    std::size_t carry = 0;
    for (std::int32_t i = 0; i < sink; ++i) carry += kernel_.sinks[at(i)].kind == SinkKind::kScan ? 1 : 0;
    Factors own = nothing();
    own[carry] = 1;
    if (s.combine == Scalar::kAdd) {
      if (!is_leaf(*value)) return std::nullopt;
      return Symbol{Scalar::kNoScalar, {{own, running(s.combine, value->terms.begin()->second)}}};
    }
    if (value->terms.size() > 1 && value->op != s.combine) return std::nullopt;
    Symbol out{s.combine, {{own, kNone}}};
    for (const auto& [factors, local] : value->terms) {
      if (factors == own) return std::nullopt;
      out.terms[factors] = running(s.combine, local == kNone ? zero() : local);
    }
    return out;
  }
  std::int32_t running(Scalar op, std::int32_t value) {
    BodyInst in;
    in.pull = Pull::kScanned;
    in.a = fold(op, value, true);
    return parts_.body.add(in);
  }
  std::int32_t zero() { return parts_.body.add(BodyInst{}); }

  std::int32_t apply(Scalar op, std::int32_t a, std::int32_t b) {
    return parts_.body.apply(op, Type::kInt, a, b);
  }
  std::int32_t added(Scalar op, std::int32_t a, std::int32_t b) {
    if (b == kNone) return a;
    return a == kNone && op == Scalar::kAdd ? b : apply(op, a == kNone ? zero() : a, b);
  }
  std::optional<Symbol> sum(const Symbol& a, const Symbol& b, Scalar op) {
    const Scalar of_b = op == Scalar::kSub ? other_extreme(b.op) : b.op;
    const bool same = a.op == of_b || a.terms.size() == 1 || b.terms.size() == 1;
    if (!same) return std::nullopt;
    Symbol out{a.terms.size() > 1 ? a.op : of_b, {}};
    for (const auto& [x, of_x] : a.terms)
      for (const auto& [y, of_y] : b.terms) {
        Factors both = x;
        for (std::size_t k = 0; k < both.size(); ++k) both[k] += op == Scalar::kSub ? -y[k] : y[k];
        add(out, both, added(op, of_x, of_y));
      }
    return out;
  }
  std::optional<Symbol> joined(const Symbol& a, const Symbol& b, Scalar op) {
    for (const Symbol* s : {&a, &b})
      if (s->terms.size() > 1 && s->op != op) return std::nullopt;
    Symbol out{op, a.terms};
    for (const auto& [factors, local] : b.terms) add(out, factors, local);
    return out;
  }
  void add(Symbol& out, const Factors& factors, std::int32_t local) {
    const auto known = out.terms.find(factors);
    if (known == out.terms.end()) {
      out.terms[factors] = local;
      return;
    }
    const auto number = [&](std::int32_t v) { return v == kNone ? zero() : v; };
    known->second = apply(out.op, number(known->second), number(local));
  }

  const Kernel& kernel_;
  Parts parts_;
  std::vector<std::optional<Symbol>> symbols_;  // by value of the kernel
  std::map<std::int32_t, std::int32_t> local_;  // values that depend on no scan, in parts_.body
  std::size_t scans_ = 0;
  bool failed_ = false;
};

struct Interval {
  Wide low = 0, high = 0;
  bool scanned = false;  // depends on a scan
};

constexpr Wide kNever = Wide{1} << 100;  // what no fold has yet

// Which numbers a body computes over `length` elements; its scans are given by operation and operand.
class Intervals {
 public:
  struct Scan {
    Scalar op;
    std::int32_t value;
  };
  Intervals(const Body& body, const std::vector<Var>& vars, std::vector<Scan> scans, std::int64_t length,
            bool begins_nowhere)
      : body_(body),
        ranges_(value_ranges(body, vars, IntBits::k64, length)),
        scans_(std::move(scans)),
        length_(length),
        begins_nowhere_(begins_nowhere) {}

  void narrow(std::int32_t v, const Range& seen) { ranges_[at(v)] = seen; }
  // False if a value that depends on a scan may wrap.
  [[nodiscard]] bool run(const std::vector<bool>& wanted) {
    for (std::size_t i = 0; i < body_.insts.size(); ++i) {
      const auto found = wanted[i] ? value(i) : std::optional(Interval{});
      if (!found) return false;
      of_.push_back(*found);
    }
    return true;
  }
  [[nodiscard]] const Interval& of(std::int32_t v) const { return of_[at(v)]; }
  [[nodiscard]] static bool fits(const Interval& x) { return x.low >= INT64_MIN && x.high <= INT64_MAX; }
  // Over any number of elements up to the length.
  [[nodiscard]] Interval folded(Scalar op, const Interval& x) const {
    if (op == Scalar::kAdd)
      return {std::min<Wide>(0, x.low * length_), std::max<Wide>(0, x.high * length_), true};
    Interval out = x;
    out.scanned = true;
    const Wide first = begins_nowhere_ ? kNever : INT64_MAX;
    op == Scalar::kMin ? out.high = first : out.low = -first;
    return out;
  }

 private:
  [[nodiscard]] std::optional<Interval> value(std::size_t i) const {
    const BodyInst& in = body_.insts[i];
    if (in.pull == Pull::kScanned) {
      const Scan& s = scans_[at(in.a)];
      const Interval out = folded(s.op, of(s.value));
      return s.op == Scalar::kAdd && !fits(out) ? std::nullopt : std::optional(out);
    }
    const Interval given{ranges_[i].low, ranges_[i].high, false};
    if (in.pull != Pull::kApply || in.type != Type::kInt) return given;
    const bool scanned =
        of(in.a).scanned || (in.b != kNone && of(in.b).scanned) || (in.c != kNone && of(in.c).scanned);
    if (!scanned) return given;
    if (in.b == kNone) return std::nullopt;
    const Interval& a = of(in.a);
    const Interval& b = of(in.b);
    Interval out{0, 0, true};
    switch (in.scalar) {
      case Scalar::kAdd: out = {a.low + b.low, a.high + b.high, true}; break;
      case Scalar::kSub: out = {a.low - b.high, a.high - b.low, true}; break;
      case Scalar::kMin: return Interval{std::min(a.low, b.low), std::min(a.high, b.high), true};
      case Scalar::kMax: return Interval{std::max(a.low, b.low), std::max(a.high, b.high), true};
      default: return std::nullopt;
    }
    return fits(out) ? std::optional(out) : std::nullopt;
  }

  const Body& body_;
  std::vector<Range> ranges_;
  std::vector<Scan> scans_;  // as kScanned numbers them
  std::int64_t length_;
  bool begins_nowhere_;
  std::vector<Interval> of_;
};

// What the sinks depend on, through scans.
std::vector<bool> wanted_of(const Kernel& kernel) {
  std::vector<bool> wanted(kernel.body.insts.size(), false);
  for (const Sink& s : kernel.sinks) wanted[at(s.value)] = true;
  for (std::size_t i = wanted.size(); i-- > 0;) {
    const BodyInst& in = kernel.body.insts[i];
    if (!wanted[i] || in.pull == Pull::kScanned) continue;
    for (const std::int32_t arg : {in.a, in.b, in.c})
      if (arg != kNone) wanted[at(arg)] = true;
  }
  return wanted;
}

std::int64_t combined(Scalar op, Wide a, Wide b) {
  const Wide out = op == Scalar::kAdd ? a + b : op == Scalar::kMin ? std::min(a, b) : std::max(a, b);
  return static_cast<std::int64_t>(out);
}

}  // namespace

void Parts::join(std::vector<std::int64_t>& carried, std::vector<std::int64_t>& result,
                 const std::int64_t* found, std::int64_t length) const {
  const auto advance = [&](const Total& t, std::int64_t before) {
    for (const Term& term : t.terms) {
      Wide sum = 0;
      for (std::size_t k = 0; k < carried.size(); ++k) sum += Wide{term.factors[k]} * carried[k];
      if (t.op == Scalar::kAdd) sum *= length;
      if (term.fold != kNone) sum += found[term.fold];
      before = combined(t.op, before, sum);
    }
    return before;
  };
  std::vector<std::int64_t> next(carried.size());
  for (std::size_t k = 0; k < results.size(); ++k) result[k] = advance(results[k], result[k]);
  for (std::size_t k = 0; k < carries.size(); ++k) next[k] = advance(carries[k], carried[k]);
  carried = std::move(next);
}

bool Parts::observe(const Kernel& kernel, const std::vector<Var>& vars, std::int64_t length) {
  const std::vector<Leaf> all = std::exchange(leaves, {});
  for (const Leaf& leaf : all) {
    Parts alone{body, {}, folds, carries, results, false};  // others are 0
    for (const Leaf& other : all)
      if (other.local != leaf.local) alone.leaves.push_back(other);
    const std::vector<Range> zeros(alone.leaves.size(), Range{0, 0});
    if (!holds(alone, kernel, vars, length, zeros)) leaves.push_back(leaf);
  }
  if (!holds(*this, kernel, vars, length, std::vector<Range>(leaves.size(), Range{0, 0}))) return false;
  observed = true;
  const std::vector<std::int32_t> none(carries.size(), 0);
  for (const Leaf& leaf : leaves)
    for (const Scalar op : {Scalar::kMin, Scalar::kMax}) {
      const auto known = std::find_if(folds.begin(), folds.end(),
                                      [&](const Fold& f) { return f.op == op && f.value == leaf.local; });
      const auto fold = static_cast<std::int32_t>(known - folds.begin());
      if (known == folds.end()) folds.push_back({op, leaf.local, false});
      results.push_back({kNone, op, {{none, fold}}});
    }
  return true;
}

std::optional<Parts> parts_of(const Kernel& kernel) { return Finder(kernel).run(); }

bool holds(const Parts& parts, const Kernel& kernel, const std::vector<Var>& vars, std::int64_t length,
           std::span<const Range> seen) {
  std::vector<Intervals::Scan> given;
  for (const Sink& s : kernel.sinks) given.push_back({s.combine, s.value});
  Intervals whole(kernel.body, vars, std::move(given), length, false);
  for (std::size_t k = 0; k < seen.size(); ++k) whole.narrow(parts.leaves[k].of_kernel, seen[k]);
  if (!whole.run(wanted_of(kernel))) return false;
  std::vector<Intervals::Scan> own;
  for (const Parts::Fold& f : parts.folds) own.push_back({f.op, f.value});
  Intervals part(parts.body, vars, std::move(own), length, true);
  for (std::size_t k = 0; k < seen.size(); ++k) part.narrow(parts.leaves[k].local, seen[k]);
  if (!part.run(std::vector<bool>(parts.body.insts.size(), true))) return false;
  return std::all_of(parts.folds.begin(), parts.folds.end(), [&](const Parts::Fold& f) {
    const Interval& x = part.of(f.value);
    return Intervals::fits(f.op == Scalar::kAdd && f.scanned ? part.folded(f.op, x) : x);
  });
}

}  // namespace nvm::plan
