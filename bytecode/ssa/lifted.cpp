// find_lifted.
//
// Requires: check(); works best on optimised code. Ensures: Function::lifted says which functions treat the
// instances of their frame independently, proved, and why the others do not. Changes no code. Cost: code size
// times the rounds until no function loses its place (a few).
//
// The proof. All functions with a frame are assumed to be lifted, those that fail lose the assumption, until
// nothing changes: an induction over the depth of calls. Within a function every value gets a Piece: how it
// is composed of what single instances compute (see instances.h). Elementwise instructions on pieces, and
// segmented ones whose descriptor is made of pieces, act on each instance alone: so do calls of lifted
// functions. Indices into the whole frame are tracked as offsets from each instance's own beginning, so that
// gathering and scattering groups of instances is seen as what it is. What is known about sizes is worked out
// for any call with parameters cut as LiftedInfo says, so it holds for a single instance too. Where two ways
// meet after "are all flags set?" or "are there no instances?", the terms must agree: that of the special way
// must be what the general way computes when all flags are set. Checks that may fail are taken to succeed,
// see LiftedInfo.
#include <algorithm>

#include "bytecode/ssa/cfg.h"
#include "bytecode/ssa/facts.h"
#include "bytecode/ssa/instances.h"
#include "bytecode/ssa/passes.h"

namespace nvm::ssa {

namespace {

constexpr std::size_t kMaxInsts = 20000;  // of a function that is looked at

// How a value is composed.
struct Piece {
  enum class Kind : std::uint8_t {
    kUnknown,  // in no way that is understood
    kSame,     // the same for every set of instances: constants and what follows from them
    kPieces,   // one piece per instance, end to end
    kOffsets,  // pieces of indices into something laid out over all instances; the term counts from the
               // instance's own beginning
    kFrame,    // a descriptor of one segment, its length the sum over instances
    kCount,    // an Int of length one, a sum over instances
    kIfEmpty,  // a Bool of length one: has the group no instances?
    kIfAll,    // a Bool of length one: do all instances of the group have the flag?
  } kind = Kind::kUnknown;
  bool negated = false;   // kIfEmpty, kIfAll
  Group group = kAll;     // kPieces, kOffsets, kIfEmpty, kIfAll
  Term term = kNoTerm;    // kSame, kPieces, kOffsets; kIfAll: the flag
  Term layout = kNoTerm;  // kOffsets: sizes of what each instance has in the thing indexed
  Total total;            // kFrame, kCount; kOffsets: size of the thing indexed
  friend bool operator==(const Piece&, const Piece&) = default;
};
using Kind = Piece::Kind;

// Frame and parameters of a function: what has to be proved for its results.
bool find_frame(Function& f, const FunctionFacts& facts) {
  const std::vector<ValueId>& parameters = f.blocks[0].parameters;
  auto type = [&](ValueId v) { return f.value_types[static_cast<std::size_t>(v)]; };
  LiftedInfo& info = f.lifted;
  info.frame = kNoValue;
  for (const ValueId p : parameters)
    if (type(p) == Type::kSegdes && facts.is_scalar(p) && !facts.symbols.is_constant(facts.of(p).sum))
      info.frame = p;  // the last one: legacy functions get their context on top
  info.parameters.assign(parameters.size(), {});
  if (info.frame == kNoValue) return false;
  // From the frame inwards: what has one element per instance, then what lies under descriptors found.
  const Symbol instances = facts.of(info.frame).sum;
  for (bool found = true; found;) {
    found = false;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      Split& split = info.parameters[i];
      if (split.kind != Split::Kind::kSame) continue;
      if (parameters[i] == info.frame) split.kind = Split::Kind::kFrame;
      if (split.kind == Split::Kind::kSame && facts.of(parameters[i]).length == instances)
        split.kind = Split::Kind::kInstances;
      for (std::size_t d = 0; d < parameters.size() && split.kind == Split::Kind::kSame; ++d) {
        const bool above = info.parameters[d].kind == Split::Kind::kInstances ||
                           info.parameters[d].kind == Split::Kind::kUnder;
        if (!above || d == i || type(parameters[d]) != Type::kSegdes) continue;
        const Symbol total = facts.of(parameters[d]).sum;
        if (facts.of(parameters[i]).length != total || facts.symbols.is_constant(total)) continue;
        split = {Split::Kind::kUnder, static_cast<std::int32_t>(d)};
      }
      found |= split.kind != Split::Kind::kSame;
    }
  }
  return true;
}

// The least that holds of the parameters however the instances are cut: what the cut itself says.
ParameterClasses classes_of_cut(const Function& f) {
  const auto n = static_cast<std::int32_t>(f.lifted.parameters.size());
  ParameterClasses classes;
  std::int32_t frame = 0;
  for (std::int32_t i = 0; i < n; ++i)
    if (f.lifted.parameters[static_cast<std::size_t>(i)].kind == Split::Kind::kFrame) frame = i;
  for (std::int32_t i = 0; i < n; ++i) {
    const Split& split = f.lifted.parameters[static_cast<std::size_t>(i)];
    std::int32_t length = 2 * i;
    if (split.kind == Split::Kind::kFrame) length = kClassOne;
    if (split.kind == Split::Kind::kInstances) length = 2 * frame + 1;
    if (split.kind == Split::Kind::kUnder) length = 2 * split.under + 1;
    classes.push_back(length);
    classes.push_back(2 * i + 1);
  }
  return classes;
}

class Proof {
 public:
  Proof(const Module& m, const Function& f, const FunctionFacts& facts, const std::vector<bool>& assumed)
      : m_(m),
        f_(f),
        facts_(facts),
        assumed_(assumed),
        pieces_(f.value_types.size()),
        idom_(immediate_dominators(f)),
        from_(predecessors(f)) {}

  // Empty if the function is lifted, else why not.
  std::string run() {
    for (std::size_t i = 0; i < f_.blocks[0].parameters.size(); ++i) parameter(i);
    for (std::size_t b = 0; b < f_.blocks.size() && refusal_.empty(); ++b) block(b);
    if (refusal_.empty() && !returned_) refuse("it never returns", f_.pos);
    return refusal_;
  }

 private:
  // ---- results and reasons

  void refuse(const std::string& why, SourcePos pos) {
    if (!refusal_.empty()) return;
    refusal_ = why;
    if (pos.line != 0)
      refusal_ += " (line " + std::to_string(pos.line) + ", column " + std::to_string(pos.column) + ")";
  }

  const Piece& piece(ValueId v) const { return pieces_[static_cast<std::size_t>(v)]; }
  const Piece& operand(const Inst& in, std::uint32_t i) const { return piece(f_.operands_of(in)[i]); }
  void set(const Inst& in, std::uint32_t r, Piece p) {
    pieces_[static_cast<std::size_t>(in.first_result) + r] = std::move(p);
  }
  static Piece same(Term t) { return {Kind::kSame, false, kAll, t, kNoTerm, {}}; }
  static Piece pieces(Group g, Term t) { return {Kind::kPieces, false, g, t, kNoTerm, {}}; }
  static Piece frame(Total t) { return {Kind::kFrame, false, kAll, kNoTerm, kNoTerm, std::move(t)}; }
  static Piece count(Total t) { return {Kind::kCount, false, kAll, kNoTerm, kNoTerm, std::move(t)}; }
  static Piece offsets(Group g, Term t, Term layout, Total of) {
    return {Kind::kOffsets, false, g, t, layout, std::move(of)};
  }

  void parameter(std::size_t i) {
    const auto number = static_cast<std::int32_t>(i);
    Piece& p = pieces_[static_cast<std::size_t>(f_.blocks[0].parameters[i])];
    switch (f_.lifted.parameters[i].kind) {
      case Split::Kind::kFrame: p = frame(terms_.total(kAll, kUnit)); break;
      case Split::Kind::kSame: p = same(terms_.parameter(number)); break;
      default: p = pieces(kAll, terms_.parameter(number)); break;
    }
  }

  // ---- control

  void block(std::size_t b) {
    if (b > 0 && !f_.blocks[b].parameters.empty()) join(b);
    for (const Inst& in : f_.blocks[b].insts) {
      inst(in);
      for (std::uint32_t r = 0; r < in.results; ++r)
        if (unknown_at_.line == 0 &&
            pieces_[static_cast<std::size_t>(in.first_result) + r].kind == Kind::kUnknown) {
          unknown_at_ = in.pos;
          unknown_ = std::string(op_info(in.op).text);
        }
      if (!refusal_.empty()) return;
    }
    const Terminator& end = f_.blocks[b].end;
    if (end.kind == Exit::kStop) refuse("it may end the program", end.pos);
    if (end.kind != Exit::kReturn) return;
    returned_ = true;
    for (std::size_t i = 0; i < end.arguments.size(); ++i) {
      const Piece& p = piece(end.arguments[i]);
      if (p.kind == Kind::kPieces && p.group == kAll) continue;
      std::string why = "result " + std::to_string(i) + " is not made of one piece per instance";
      if (p.kind == Kind::kUnknown && !unknown_.empty())
        why += "; the first that is not understood is " + unknown_;
      refuse(why, unknown_at_.line != 0 ? unknown_at_ : end.pos);
    }
  }

  void join(std::size_t b) {
    const BlockId top = idom_[b];
    const Terminator& branch = f_.blocks[static_cast<std::size_t>(top)].end;
    if (from_[b].size() != 2 || branch.kind != Exit::kBranch) return;  // parameters stay unknown
    BlockId yes = from_[b][0], no = from_[b][1];
    if (!dominates(idom_, branch.target, yes)) std::swap(yes, no);
    if (!dominates(idom_, branch.target, yes) || !dominates(idom_, branch.otherwise, no)) return;
    const Piece& condition = piece(branch.condition);
    if (condition.negated) std::swap(yes, no);
    for (std::size_t i = 0; i < f_.blocks[b].parameters.size(); ++i) {
      const ValueId v = f_.blocks[b].parameters[i];
      const ValueId from_yes = f_.blocks[static_cast<std::size_t>(yes)].end.arguments[i];
      const ValueId from_no = f_.blocks[static_cast<std::size_t>(no)].end.arguments[i];
      pieces_[static_cast<std::size_t>(v)] = meet(condition, from_yes, from_no, branch.pos);
    }
  }

  // The piece of a value that is `yes` if the (unnegated) condition holds, else `no`.
  Piece meet(const Piece& condition, ValueId from_yes, ValueId from_no, SourcePos pos) {
    const Piece& yes = piece(from_yes);
    const Piece& no = piece(from_no);
    switch (condition.kind) {
      case Kind::kIfEmpty:
        if (condition.group == no.group && no.kind == Kind::kPieces && is_empty(from_yes)) return no;
        refuse_join("without instances the result is not empty", pos);
        return {};
      case Kind::kIfAll: {
        const bool pieces_both = yes.kind == Kind::kPieces && no.kind == Kind::kPieces &&
                                 yes.group == condition.group && no.group == condition.group;
        if (pieces_both && terms_.assume(no.term, condition.term) == terms_.assume(yes.term, condition.term))
          return no;
        if (yes == no) return no;
        refuse_join("the two ways are not seen to agree when all flags are set", pos);
        return {};
      }
      case Kind::kSame:
        if (yes.kind == Kind::kPieces && no.kind == Kind::kPieces && yes.group == no.group)
          return pieces(yes.group,
                        terms_.apply(Op::kIf, TypeWord::kNone, 0, 0, {condition.term, yes.term, no.term}));
        return {};
      default:
        refuse_join("a condition that is neither the same for all nor about how many flags are set", pos);
        return {};
    }
  }
  void refuse_join(const std::string& why, SourcePos pos) {
    if (unknown_at_.line != 0) return;
    unknown_at_ = pos;
    unknown_ = "IF: " + why;
  }
  [[nodiscard]] bool is_empty(ValueId v) const {
    const Symbol length = facts_.of(v).length;
    return length != kNoSymbol && facts_.symbols.is_constant(length) && facts_.symbols.value(length) == 0;
  }

  // ---- instructions

  void inst(const Inst& in) {
    if (in.op == Op::kConst) {
      set(in, 0, same(terms_.constant(in.index)));
      return;
    }
    if (op_info(in.op).effect == Effect::kOrdered)
      return refuse(std::string(op_info(in.op).text) + " reads or changes state", in.pos);
    if (in.op == Op::kCall) return call(in);
    if (in.op == Op::kPair || in.op == Op::kUnpair) return;
    if (all(in, Kind::kSame)) {
      for (std::uint32_t r = 0; r < in.results; ++r) set(in, r, same(apply(in, r, in.operands)));
      return;
    }
    if (!lengths_agree(facts_, f_, in)) return disagree(in);
    switch (op_info(in.op).kind) {
      case OpKind::kShape: return shape(in);
      case OpKind::kDist: return dist(in);
      case OpKind::kIota: return index(in);
      case OpKind::kFilter: return pack(in);
      case OpKind::kMap: return map(in);
      default: break;
    }
    const Piece& descriptor = operand(in, in.operands - 1);
    if (descriptor.kind == Kind::kPieces) return segmented(in);
    if (descriptor.kind != Kind::kFrame) return;
    if (in.op == Op::kBpermute) return gather(in);
    if (in.op == Op::kDpermute || in.op == Op::kPermute) return scatter(in);
    if (op_info(in.op).kind == OpKind::kReduce) return reduce(in);
    if (in.op == Op::kAddScan && in.word == TypeWord::kInt) return scan(in);
  }

  void disagree(const Inst& in) {
    if (unknown_at_.line != 0) return;
    unknown_at_ = in.pos;
    unknown_ = std::string(op_info(in.op).text) + ", whose operands are not known to agree in length";
  }

  [[nodiscard]] bool all(const Inst& in, Kind kind) const {
    for (std::uint32_t i = 0; i < in.operands; ++i)
      if (operand(in, i).kind != kind) return false;
    return true;
  }
  // All operands are pieces of the same group.
  [[nodiscard]] bool together(const Inst& in) const {
    for (std::uint32_t i = 0; i < in.operands; ++i)
      if (operand(in, i).group != operand(in, 0).group) return false;
    return all(in, Kind::kPieces);
  }
  Term apply(const Inst& in, std::uint32_t result, std::uint32_t operands) {
    std::vector<Term> of;
    for (std::uint32_t i = 0; i < operands; ++i) of.push_back(operand(in, i).term);
    return terms_.apply(in.op, in.word, 0, static_cast<std::int32_t>(result), of);
  }

  // What acts on every segment, and so on every instance, alone. Indices into the whole may be carried along
  // as data by what only moves them.
  void segmented(const Inst& in) {
    const OpKind kind = op_info(in.op).kind;
    const bool moves = kind == OpKind::kExtract || kind == OpKind::kGather || kind == OpKind::kFilter;
    const Piece& first = operand(in, 0);
    for (std::uint32_t i = 0; i < in.operands; ++i) {
      const Piece& p = operand(in, i);
      if (p.group != first.group) return;
      if (p.kind != Kind::kPieces && !(i == 0 && moves && p.kind == Kind::kOffsets)) return;
    }
    for (std::uint32_t r = 0; r < in.results; ++r) {
      Piece out = pieces(first.group, apply(in, r, in.operands));
      if (r == 0 && first.kind == Kind::kOffsets)
        out = offsets(first.group, out.term, first.layout, first.total);
      set(in, r, std::move(out));
    }
  }

  // Lengths and descriptors: the lengths of pieces are the same pieces, of a frame a count.
  void shape(const Inst& in) {
    const Piece& of = operand(in, 0);
    const ValueId v = f_.operands_of(in)[0];
    if (in.op == Op::kLength) {
      if (of.kind != Kind::kPieces && of.kind != Kind::kOffsets) return;
      const auto known = totals_.find(facts_.of(v).length);
      set_count(in, known != totals_.end() ? known->second
                                           : terms_.total(of.group, terms_.apply(Op::kLength, TypeWord::kNone,
                                                                                 0, 0, {of.term})));
    } else if (of.kind == Kind::kPieces) {
      set(in, 0, of);
    } else if (of.kind == Kind::kFrame) {
      set_count(in, of.total);
    } else if (of.kind == Kind::kCount) {
      set(in, 0, frame(of.total));
    }
  }
  void set_count(const Inst& in, Total total) {
    totals_.try_emplace(facts_.of(in.first_result).sum, total);
    set(in, 0, count(std::move(total)));
  }

  void dist(const Inst& in) {
    const Piece& value = operand(in, 0);
    const Piece& over = operand(in, 1);
    if (over.kind == Kind::kFrame) {
      const auto whole = terms_.whole(over.total);
      if (value.kind != Kind::kSame || !whole) return;
      return set(in, 0, pieces(whole->first, terms_.fill(value.term, whole->second)));
    }
    if (over.kind != Kind::kPieces || value.group != over.group) return;
    if (value.kind == Kind::kOffsets)
      return set(in, 0, offsets(over.group, apply(in, 0, 2), value.layout, value.total));
    if (value.kind != Kind::kPieces) return;
    const auto filled = terms_.filled(value.term);
    set(in, 0, pieces(over.group, filled ? terms_.fill(*filled, over.term) : apply(in, 0, 2)));
  }

  // 0, 1, ... over a frame, or from offsets that say where each segment begins.
  void index(const Inst& in) {
    const Piece& start = operand(in, 0);
    const Piece& stride = operand(in, 1);
    const Piece& over = operand(in, 2);
    if (over.kind == Kind::kFrame) {
      const auto whole = terms_.whole(over.total);
      if (!whole || !is_constant(start, 0) || !is_constant(stride, 1)) return;
      return set(in, 0, offsets(whole->first, terms_.iota(whole->second), whole->second, over.total));
    }
    if (over.kind != Kind::kPieces || start.group != over.group || stride.group != over.group) return;
    if (stride.kind != Kind::kPieces) return;
    if (start.kind == Kind::kPieces) return set(in, 0, pieces(over.group, apply(in, 0, 3)));
    if (start.kind != Kind::kOffsets) return;
    const bool runs = start.term == terms_.starts(over.term) && counts_by_one(stride);
    set(in, 0,
        offsets(over.group, runs ? terms_.iota(over.term) : apply(in, 0, 3), start.layout, start.total));
  }
  [[nodiscard]] bool is_constant(const Piece& p, std::int64_t value) {
    return p.kind == Kind::kSame && is_constant_term(p.term, value);
  }
  [[nodiscard]] bool counts_by_one(const Piece& p) {
    const auto filled = terms_.filled(p.term);
    return filled && is_constant_term(*filled, 1);
  }
  [[nodiscard]] bool is_constant_term(Term t, std::int64_t value) {
    for (std::size_t i = 0; i < m_.constants.size(); ++i) {
      const Constant& c = m_.constants[i];
      if (c.word != TypeWord::kInt || c.input >= 0 || c.ints != std::vector<std::int64_t>{value}) continue;
      if (terms_.constant(static_cast<std::int32_t>(i)) == t) return true;
    }
    return false;
  }

  // Choosing instances by one flag each, their segments by the flag copied over them, or elements.
  void pack(const Inst& in) {
    const Piece& value = operand(in, 0);
    const Piece& flags = operand(in, 1);
    const Piece& over = operand(in, 2);
    if (over.kind == Kind::kPieces) return segmented(in);
    if (over.kind != Kind::kFrame || flags.kind != Kind::kPieces || value.group != flags.group) return;
    if (value.kind != Kind::kPieces && value.kind != Kind::kOffsets) return;
    Piece out = value;
    const auto spread = terms_.spread_flag(flags.term);
    if (over.total == terms_.total(flags.group, kUnit)) {
      out.group = terms_.where(flags.group, flags.term);
      set(in, 1, frame(terms_.total(out.group, kUnit)));
    } else if (spread && over.total == terms_.total(flags.group, spread->second)) {
      out.group = terms_.where(flags.group, spread->first);
      set(in, 1, frame(terms_.total(out.group, spread->second)));
    } else {
      out.term = apply(in, 0, 2);
      const Term length = terms_.apply(Op::kLength, TypeWord::kNone, 0, 0, {out.term});
      set(in, 1, frame(terms_.total(out.group, length)));
    }
    out.term = terms_.within(out.term, out.group);
    set(in, 0, std::move(out));
  }

  void map(const Inst& in) {
    if (together(in)) {
      const Term flag = operand(in, 0).term;
      const bool negation = in.op == Op::kNot && in.word == TypeWord::kBool;
      return set(in, 0,
                 pieces(operand(in, 0).group, negation ? terms_.negate(flag) : apply(in, 0, in.operands)));
    }
    if (in.operands == 1) return negate_condition(in);
    if (in.operands != 2 || in.word != TypeWord::kInt) return;
    const Piece& a = operand(in, 0);
    const Piece& b = operand(in, 1);
    if (a.kind == Kind::kCount) return on_counts(in);
    if (a.kind != Kind::kOffsets || a.group != b.group) return;
    const Term term = apply(in, 0, 2);
    if (b.kind == Kind::kPieces && (in.op == Op::kAdd || in.op == Op::kSub))
      return set(in, 0, offsets(a.group, term, a.layout, a.total));
    // Differences and comparisons of indices into one thing do not depend on where an instance begins.
    const bool relative = in.op == Op::kSub || letter_type(op_info(in.op).results[0], in.word) == Type::kBool;
    if (b.kind == Kind::kOffsets && a.total == b.total && relative) set(in, 0, pieces(a.group, term));
  }

  void negate_condition(const Inst& in) {
    Piece p = operand(in, 0);
    if (in.op != Op::kNot || (p.kind != Kind::kIfAll && p.kind != Kind::kIfEmpty)) return;
    p.negated = !p.negated;
    set(in, 0, std::move(p));
  }

  // Sums, differences and comparisons of counts.
  void on_counts(const Inst& in) {
    const Piece& a = operand(in, 0);
    const Piece& b = operand(in, 1);
    if (in.op == Op::kEq || in.op == Op::kNe) return compare(in, a, b);
    if (b.kind != Kind::kCount) return;
    if (in.op == Op::kAdd) return set_count(in, terms_.add(a.total, b.total));
    if (in.op != Op::kSub) return;
    if (auto difference = terms_.subtract(a.total, b.total)) set_count(in, std::move(*difference));
  }

  // Number of instances = 0; number with the flag = number of all, or = 0.
  void compare(const Inst& in, const Piece& a, const Piece& b) {
    Piece out;
    out.negated = in.op == Op::kNe;
    auto counts = [](const Piece& p) { return p.total.size() == 1 && p.total[0].second == kUnit; };
    if (!counts(a)) return;
    const Group some = a.total[0].first;
    if (is_constant(b, 0)) {
      out.kind = Kind::kIfEmpty;
      out.group = some;
      const auto parent = terms_.parent(some);
      if (parent) {  // nobody has the flag: all have its negation
        out.kind = Kind::kIfAll;
        out.group = parent->first;
        out.term = terms_.negate(parent->second);
      }
      return set(in, 0, std::move(out));
    }
    if (b.kind != Kind::kCount || !counts(b)) return;
    const Group other = b.total[0].first;
    auto flag = terms_.chosen_by(some, other);
    out.group = other;
    if (!flag) {
      flag = terms_.chosen_by(other, some);
      out.group = some;
    }
    if (!flag) return;
    out.kind = Kind::kIfAll;
    out.term = *flag;
    set(in, 0, std::move(out));
  }

  // Reductions over everything: sums, and "all" and "any" of one flag per instance.
  void reduce(const Inst& in) {
    const Piece& value = operand(in, 0);
    const Total& over = operand(in, 1).total;
    if (value.kind != Kind::kPieces) return;
    const bool per_instance = over == terms_.total(value.group, kUnit);
    if (in.op == Op::kAddReduce && in.word == TypeWord::kInt) {
      const auto flag = terms_.flag_as_number(value.term);
      if (flag && per_instance) return set_count(in, terms_.total(terms_.where(value.group, *flag), kUnit));
      return set_count(in, terms_.total(value.group, value.term));
    }
    if (in.word != TypeWord::kBool || !per_instance) return;
    Piece out;
    out.kind = Kind::kIfAll;
    out.group = value.group;
    out.term = value.term;
    if (in.op == Op::kOrReduce) {
      out.term = terms_.negate(value.term);
      out.negated = true;
    }
    if (in.op == Op::kAndReduce || in.op == Op::kOrReduce) set(in, 0, std::move(out));
  }

  // Sums of lengths over everything say where segments begin.
  void scan(const Inst& in) {
    const Piece& lengths = operand(in, 0);
    if (lengths.kind != Kind::kPieces) return;
    set(in, 0,
        offsets(lengths.group, terms_.starts(lengths.term), lengths.term,
                terms_.total(lengths.group, lengths.term)));
  }

  // Do these indices go through all that the instances of their group have in the thing indexed?
  [[nodiscard]] bool runs_through(const Piece& indices) {
    return indices.term == terms_.iota(terms_.within(indices.layout, indices.group));
  }
  // The group whose instances lie in the thing indexed.
  [[nodiscard]] std::optional<Group> indexed(const Piece& indices) {
    const auto whole = terms_.whole(indices.total);
    if (!whole || whole->second != indices.layout) return std::nullopt;
    return whole->first;
  }

  void gather(const Inst& in) {
    const Piece& from = operand(in, 0);
    const Piece& indices = operand(in, 1);
    if (indices.kind != Kind::kOffsets || operand(in, 2).kind != Kind::kFrame) return;
    if (operand(in, 2).total != indices.total || indexed(indices) != from.group) return;
    if (from.kind != Kind::kPieces && from.kind != Kind::kOffsets) return;
    Piece out = from;
    out.group = indices.group;
    const Term term = terms_.within(from.term, indices.group);
    if (!runs_through(indices)) return;  // it might read what belongs to another instance
    out.term = term;
    set(in, 0, std::move(out));
  }

  void scatter(const Inst& in) {
    const Piece& value = operand(in, 0);
    const Piece& indices = operand(in, 1);
    const Piece& over = operand(in, in.operands - 1);
    if (value.kind != Kind::kPieces || indices.kind != Kind::kOffsets) return;
    if (value.group != indices.group || over.total != indices.total) return;
    const auto group = indexed(indices);
    if (!group) return;
    const bool runs = runs_through(indices);
    if (runs && value.group == *group) return set(in, 0, value);
    const bool defaults = in.op == Op::kDpermute;
    if (defaults && (operand(in, 2).kind != Kind::kPieces || operand(in, 2).group != *group)) return;
    const auto flag = terms_.chosen_by(value.group, *group);
    if (defaults && runs && flag)
      return set(in, 0, pieces(*group, terms_.merge(*flag, value.term, operand(in, 2).term)));
  }

  // A lifted callee works on each instance of its own frame alone, and so on each of ours.
  void call(const Inst& in) {
    const auto to = static_cast<std::size_t>(in.index);
    const Function& callee = m_.functions[to];
    if (!assumed_[to]) return refuse("it calls " + callee.name + ", which is not lifted", in.pos);
    std::vector<Term> of;
    std::optional<Group> group;
    for (std::uint32_t i = 0; i < in.operands; ++i) {
      const Piece& p = operand(in, i);
      switch (callee.lifted.parameters[i].kind) {
        case Split::Kind::kSame:
          if (p.kind != Kind::kSame) return;
          of.push_back(p.term);
          break;
        case Split::Kind::kFrame: {
          const auto whole = p.kind == Kind::kFrame ? terms_.whole(p.total) : std::nullopt;
          if (!whole || (group && *group != whole->first)) return;
          group = whole->first;
          of.push_back(whole->second);
          break;
        }
        default:
          if (p.kind != Kind::kPieces || (group && *group != p.group)) return;
          group = p.group;
          of.push_back(p.term);
          break;
      }
    }
    for (std::uint32_t r = 0; r < in.results; ++r)
      set(in, r, pieces(*group, terms_.apply(in.op, in.word, in.index, static_cast<std::int32_t>(r), of)));
  }

  const Module& m_;
  const Function& f_;
  const FunctionFacts& facts_;
  const std::vector<bool>& assumed_;
  std::vector<Piece> pieces_;
  std::vector<BlockId> idom_;
  std::vector<std::vector<BlockId>> from_;
  Instances terms_;
  std::map<Symbol, Total> totals_;  // what a number counts, by its symbol
  bool returned_ = false;
  std::string refusal_;
  SourcePos unknown_at_;  // the first value that is not understood, for the refusal
  std::string unknown_;
};

std::size_t size_of(const Function& f) {
  std::size_t n = 0;
  for (const Block& block : f.blocks) n += block.insts.size();
  return n;
}

}  // namespace

namespace {

// Finds frames and cuts such that the facts, worked out from the cuts alone, confirm the cuts. True by
// function if it has a frame.
std::vector<FunctionFacts> find_cuts(Module& module, std::vector<bool>& has_frame) {
  constexpr int kMaxRounds = 8;  // each round takes away relations between parameters
  std::vector<FunctionFacts> facts = analyse_sizes(module);
  for (int round = 0; round < kMaxRounds; ++round) {
    std::vector<ParameterClasses> most(module.functions.size());
    for (std::size_t i = 0; i < module.functions.size(); ++i) {
      Function& f = module.functions[i];
      if (f.removed || f.blocks[0].parameters.empty()) continue;
      has_frame[i] = find_frame(f, facts[i]);
      if (has_frame[i]) most[i] = classes_of_cut(f);
    }
    std::vector<FunctionFacts> confirmed = analyse_sizes(module, most);
    bool same = true;
    for (std::size_t i = 0; i < module.functions.size(); ++i) {
      if (!has_frame[i]) continue;
      const LiftedInfo before = module.functions[i].lifted;
      same &= find_frame(module.functions[i], confirmed[i]) &&
              module.functions[i].lifted.frame == before.frame &&
              module.functions[i].lifted.parameters == before.parameters;
    }
    facts = std::move(confirmed);
    if (same) return facts;
  }
  has_frame.assign(module.functions.size(), false);
  return facts;
}

}  // namespace

void find_lifted(Module& module) {
  std::vector<bool> assumed(module.functions.size(), false);
  const std::vector<FunctionFacts> facts = find_cuts(module, assumed);
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    LiftedInfo& info = module.functions[i].lifted;
    info.refusal.clear();
    info.lifted = false;
    if (module.functions[i].removed) continue;
    if (!assumed[i]) {
      info.refusal = "it has no frame: no parameter is a descriptor that always has one segment";
    } else if (size_of(module.functions[i]) > kMaxInsts) {
      info.refusal = "it is too large to look at";
      assumed[i] = false;
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < module.functions.size(); ++i) {
      if (!assumed[i]) continue;
      module.functions[i].lifted.refusal = Proof(module, module.functions[i], facts[i], assumed).run();
      if (module.functions[i].lifted.refusal.empty()) continue;
      assumed[i] = false;
      changed = true;
    }
  }
  for (std::size_t i = 0; i < module.functions.size(); ++i) module.functions[i].lifted.lifted = assumed[i];
}

}  // namespace nvm::ssa
