// Scalar primitives, reductions and scans, comparison of structures, and run-time checks.
#include <optional>
#include <set>

#include "bytecode/base/check.h"
#include "bytecode/base/printable.h"
#include "bytecode/base/stack.h"
#include "bytecode/table/op_of.h"
#include "bytecode/table/ranges.h"
#include "frontend/flatten.h"

namespace nvm::frontend {

using core::Expr;
using core::Prim;
using core::TypeKind;
using flat::Atom;
using flat::Atoms;

namespace {

struct Plain {  // a primitive that is one instruction
  Prim prim;
  Op op;
  bool typed;       // takes the type word of its operand
  TypeKind result;  // kUnit: that of the operand
};

const Plain kPlain1[] = {
    {Prim::kNot, Op::kNot, true, TypeKind::kUnit},         {Prim::kBtoi, Op::kBtoI, false, TypeKind::kInt},
    {Prim::kFloat, Op::kItoF, false, TypeKind::kFloat},    {Prim::kCeil, Op::kCeil, false, TypeKind::kInt},
    {Prim::kFloor, Op::kFloor, false, TypeKind::kInt},     {Prim::kTrunc, Op::kTrunc, false, TypeKind::kInt},
    {Prim::kPrimSqrt, Op::kSqrt, false, TypeKind::kFloat}, {Prim::kPrimLn, Op::kLog, false, TypeKind::kFloat},
    {Prim::kExp, Op::kExp, false, TypeKind::kFloat},       {Prim::kSin, Op::kSin, false, TypeKind::kFloat},
    {Prim::kCos, Op::kCos, false, TypeKind::kFloat},       {Prim::kTan, Op::kTan, false, TypeKind::kFloat},
    {Prim::kAsin, Op::kAsin, false, TypeKind::kFloat},     {Prim::kAcos, Op::kAcos, false, TypeKind::kFloat},
    {Prim::kAtan, Op::kAtan, false, TypeKind::kFloat},     {Prim::kSinh, Op::kSinh, false, TypeKind::kFloat},
    {Prim::kCosh, Op::kCosh, false, TypeKind::kFloat},     {Prim::kTanh, Op::kTanh, false, TypeKind::kFloat},
};

const Plain kPlain2[] = {
    {Prim::kAdd, Op::kAdd, true, TypeKind::kUnit},       {Prim::kSub, Op::kSub, true, TypeKind::kUnit},
    {Prim::kMul, Op::kMul, true, TypeKind::kUnit},       {Prim::kEq, Op::kEq, true, TypeKind::kBool},
    {Prim::kNe, Op::kNe, true, TypeKind::kBool},         {Prim::kLt, Op::kLt, true, TypeKind::kBool},
    {Prim::kGt, Op::kGt, true, TypeKind::kBool},         {Prim::kLe, Op::kLe, true, TypeKind::kBool},
    {Prim::kGe, Op::kGe, true, TypeKind::kBool},         {Prim::kAnd, Op::kAnd, true, TypeKind::kUnit},
    {Prim::kOr, Op::kOr, true, TypeKind::kUnit},         {Prim::kXor, Op::kXor, true, TypeKind::kUnit},
    {Prim::kLshift, Op::kLshift, false, TypeKind::kInt}, {Prim::kRshift, Op::kRshift, false, TypeKind::kInt},
};

// Scans, reductions and combining scatters.
struct Folding {
  Prim prim;
  OpKind kind;
  Scalar by;
};
constexpr Folding kFolding[] = {
    {Prim::kPlusScan, OpKind::kScan, Scalar::kAdd},  {Prim::kMultScan, OpKind::kScan, Scalar::kMul},
    {Prim::kMaxScan, OpKind::kScan, Scalar::kMax},   {Prim::kMinScan, OpKind::kScan, Scalar::kMin},
    {Prim::kAndScan, OpKind::kScan, Scalar::kAnd},   {Prim::kOrScan, OpKind::kScan, Scalar::kOr},
    {Prim::kXorScan, OpKind::kScan, Scalar::kXor},   {Prim::kSum, OpKind::kReduce, Scalar::kAdd},
    {Prim::kProduct, OpKind::kReduce, Scalar::kMul}, {Prim::kMaxVal, OpKind::kReduce, Scalar::kMax},
    {Prim::kMinVal, OpKind::kReduce, Scalar::kMin},  {Prim::kAll, OpKind::kReduce, Scalar::kAnd},
    {Prim::kAny, OpKind::kReduce, Scalar::kOr},      {Prim::kParity, OpKind::kReduce, Scalar::kXor},
    {Prim::kAddAt, OpKind::kCombine, Scalar::kAdd},  {Prim::kMaxAt, OpKind::kCombine, Scalar::kMax},
    {Prim::kMinAt, OpKind::kCombine, Scalar::kMin},  {Prim::kOrAt, OpKind::kCombine, Scalar::kOr},
};
// The instruction of a primitive of this kind.
std::optional<Op> folding(OpKind kind, Prim prim) {
  for (const Folding& f : kFolding)
    if (f.kind == kind && f.prim == prim) return op_of(kind, f.by);
  return std::nullopt;
}
std::optional<Op> scan_or_rank(Prim prim) {
  if (prim == Prim::kRank || prim == Prim::kRankDown) return rank_op(prim == Prim::kRankDown);
  return folding(OpKind::kScan, prim);
}

template <std::size_t N>
const Plain* find(const Plain (&table)[N], Prim prim) {
  for (const Plain& row : table)
    if (row.prim == prim) return &row;
  return nullptr;
}

// The operands of a ++ b ++ c, which are put together in one step.
void appended(const Expr& e, std::vector<const Expr*>& out) {
  check_stack();
  if (e.kind != core::ExprKind::kPrim || e.prim != Prim::kAppend ||
      e.kids[0]->kind != core::ExprKind::kPair) {
    out.push_back(&e);
    return;
  }
  for (const auto& part : e.kids[0]->kids) appended(*part, out);
}

}  // namespace

Val Body::prim(const Expr& e, const Lanes* lanes) {
  std::vector<const Expr*> operands;
  appended(e, operands);
  if (operands.size() > 1) return chain(operands, lanes);
  const Val x = eval(*e.kids[0], lanes);
  switch (core::prim_info(e.prim).effect == core::PrimEffect::kEffect ? Prim::kFail : e.prim) {
    case Prim::kFail: return effect_prim(e, x, lanes);
    case Prim::kSelect: return choose(x.kids[0], x.kids[1].kids[0], x.kids[1].kids[1]);
    case Prim::kEql: return equal(x.kids[0], x.kids[1]);
    case Prim::kIdentity:
    case Prim::kZeroElt: return ops_.zero(e.type);
    default:
      return all_scalar(x.type) && e.prim != Prim::kDist && e.prim != Prim::kIseq
                 ? scalar_prim(e, x, lanes)
                 : sequence_prim(e, x, lanes);
  }
}

// a ++ b ++ c. Where all elements of a sequence of known length are among the operands, each once and by
// its index, they are not taken out one by one.
Val Body::chain(const std::vector<const Expr*>& operands, const Lanes* lanes) {
  std::vector<Part> parts;
  std::map<std::int32_t, std::set<std::int32_t>> places;
  std::map<std::int32_t, int> count;
  for (const Expr* operand : operands) {
    parts.push_back({{}, -1, -1});
    if (operand->kind != core::ExprKind::kPrim || operand->prim != Prim::kElt) continue;
    const Expr& of = *operand->kids[0];
    if (of.kind != core::ExprKind::kPair || of.kids[0]->kind != core::ExprKind::kVar) continue;
    const Val& v = scope_.vars.at(of.kids[0]->id);
    if (of.kids[1]->kind != core::ExprKind::kInt || of.kids[1]->number < 0 ||
        of.kids[1]->number >= v.lanes->each || level(v.kids[0]) != v.lanes)
      continue;
    parts.back() = {v, of.kids[0]->id, static_cast<std::int32_t>(of.kids[1]->number)};
    places[parts.back().variable].insert(parts.back().place);
    ++count[parts.back().variable];
  }
  bool plain = true;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Part& part = parts[i];
    const auto all = part.place < 0 ? 0 : static_cast<std::size_t>(part.value.lanes->each);
    if (all < 2 || places[part.variable].size() != all || count[part.variable] != static_cast<int>(all))
      part = {eval(*operands[i], lanes), -1, -1};
    plain = plain && part.place < 0;
  }
  if (!plain) return concatenate(parts);
  std::vector<Val> values;
  for (const Part& part : parts) values.push_back(part.value);
  return concatenate(values);
}

Val Body::map1(Op op, TypeWord word, TypeKind result, const Val& x) {
  return ops_.scalar(core::base_type(result), x.lanes, b_.op(op, word, {x.atom}));
}

// What can be told of the result without computing it.
std::optional<Val> Body::known_result(Op op, TypeWord word, const Val& x, const Val& y) {
  if (word == TypeWord::kInt && op_info(op).results == "B") {
    if (const auto flag = b_.decided(op, x.atom, y.atom)) return ops_.boolean(*flag);
    return std::nullopt;
  }
  if (word == TypeWord::kBool && (op == Op::kAnd || op == Op::kOr)) {
    for (const Val* one : {&x, &y})
      if (const Constant* value = one->lanes == ops_.root() ? b_.known(one->atom) : nullptr)
        return (value->ints[0] != 0) == (op == Op::kOr) ? *one : one == &x ? y : x;
  }
  return std::nullopt;
}

// Numbers at equal distances stay such if one number of their segment is added, or multiplies them. Where
// they start, and their distances, are computed element by element, whatever these are themselves.
std::optional<Val> Body::shifted(Op op, TypeWord word, const Val& x, const Val& y) {
  if (word != TypeWord::kInt || (op != Op::kAdd && op != Op::kSub && op != Op::kMul)) return std::nullopt;
  const bool first = x.lanes->depth > y.lanes->depth;
  const Val& run = first ? x : y;
  const Val& other = first ? y : x;
  const flat::Builder::Made* m = b_.made(run.atom);
  if (run.lanes->depth == other.lanes->depth || !m || m->op != Op::kIndex ||
      m->args[2] != run.lanes->segments)
    return std::nullopt;
  const Lanes* outer = run.lanes->parent;
  const Val start = integer(outer, m->args[0]), stride = integer(outer, m->args[1]);
  const auto compute = [&](Op what, const Val& a, const Val& b) {
    if (auto known = known_result(what, TypeWord::kInt, a, b)) return std::move(*known);
    const Lanes* level = deeper(a.lanes, b.lanes);
    return integer(level, b_.op(what, TypeWord::kInt, {ops_.at(a, level), ops_.at(b, level)}));
  };
  const auto numbers = [&](const Val& from, const Val& by) {
    return integer(run.lanes, ops_.iota(from, by, run.lanes));
  };
  if (op == Op::kAdd) return numbers(compute(op, start, other), stride);
  if (op == Op::kMul) return numbers(compute(op, start, other), compute(op, stride, other));
  if (first) return numbers(compute(op, start, other), stride);
  return numbers(compute(op, other, start), compute(op, ops_.integer(0), stride));
}

Val Body::map2(Op op, TypeWord word, TypeKind result, const Val& x, const Val& y) {
  if (auto known = known_result(op, word, x, y)) return std::move(*known);
  if (auto numbers = shifted(op, word, x, y)) return std::move(*numbers);
  const Lanes* level = deeper(x.lanes, y.lanes);
  return ops_.scalar(core::base_type(result), level, b_.op(op, word, {ops_.at(x, level), ops_.at(y, level)}));
}

// A constant by which every number can be divided, whatever the width of INT.
bool Body::divides(const Val& x) const {
  const Constant* value = b_.known(x.atom);
  return value && (value->word == TypeWord::kFloat ? value->floats[0] != 0.0 : divides_all(value->ints[0]));
}

// Integer division faults by itself, so it stays with the instances that divide; dividing floats is checked.
Val Body::quotient(Op op, const Val& x, const Val& y, const Lanes* lanes, const char* message) {
  const TypeWord word = op == Op::kRem ? TypeWord::kNone : word_of(x.type);
  if (x.type->kind == TypeKind::kFloat) {
    if (message && !divides(y))
      check(map2(Op::kEq, word, TypeKind::kBool, y, ops_.zero(y.type)), lanes, message);
    return map2(op, word, x.type->kind, x, y);
  }
  const Lanes* natural = deeper(x.lanes, y.lanes);
  const bool free = divides(y) || (lanes->inhabited && natural == ops_.root());
  const Lanes* level = free ? natural : deeper(natural, lanes);
  const Atom result = b_.op(op, word, {ops_.at(x, level), ops_.at(y, level)});
  if (!divides(y)) b_.keep(result);
  return integer(level, result);
}

Val Body::scalar_prim(const Expr& e, const Val& x, const Lanes* lanes) {
  if (const Plain* row = find(kPlain1, e.prim))
    return map1(row->op, row->typed ? word_of(x.type) : TypeWord::kNone,
                row->result == TypeKind::kUnit ? x.type->kind : row->result, x);
  if (const Plain* row = find(kPlain2, e.prim)) {
    const Val& a = x.kids[0];
    return map2(row->op, row->typed ? word_of(a.type) : TypeWord::kNone,
                row->result == TypeKind::kUnit ? a.type->kind : row->result, a, x.kids[1]);
  }
  const auto zero = [&] { return ops_.zero(x.type); };
  switch (e.prim) {
    case Prim::kDiv: return quotient(Op::kDiv, x.kids[0], x.kids[1], lanes, "Divide by zero.");
    case Prim::kDivInternal: return quotient(Op::kDiv, x.kids[0], x.kids[1], lanes, nullptr);
    case Prim::kRem: return quotient(Op::kRem, x.kids[0], x.kids[1], lanes, nullptr);
    case Prim::kNegate: return map2(Op::kSub, word_of(x.type), x.type->kind, zero(), x);
    case Prim::kPlusp: return map2(Op::kGt, word_of(x.type), TypeKind::kBool, x, zero());
    case Prim::kMinusp: return map2(Op::kLt, word_of(x.type), TypeKind::kBool, x, zero());
    case Prim::kZerop: return map2(Op::kEq, word_of(x.type), TypeKind::kBool, x, zero());
    case Prim::kZero: return zero();
    case Prim::kOne:
      return x.type->kind == TypeKind::kFloat ? ops_.scalar(x.type, ops_.root(), b_.real(1.0))
                                              : ops_.integer(1);
    case Prim::kCharCode:
    case Prim::kCodeChar: return ops_.scalar(e.type, x.lanes, x.atom);
    case Prim::kSqrt:
      check(map2(Op::kLt, TypeWord::kFloat, TypeKind::kBool, x, zero()), lanes, "Sqrt of negative number.");
      return map1(Op::kSqrt, TypeWord::kNone, TypeKind::kFloat, x);
    case Prim::kLn:
      check(map2(Op::kLt, TypeWord::kFloat, TypeKind::kBool, x, zero()), lanes, "Ln of negative number.");
      return map1(Op::kLog, TypeWord::kNone, TypeKind::kFloat, x);
    default: break;
  }
  NVM_CHECK(false, "primitive without a translation");
  return x;
}

Val Body::sequence_prim(const Expr& e, const Val& x, const Lanes* lanes) {
  if (const auto op = scan_or_rank(e.prim)) {
    const Val& element = x.kids[0];
    const Atom result = b_.op(*op, word_of(element.type), {ops_.at(element, x.lanes), x.lanes->segments});
    return ops_.sequence(x.lanes, ops_.scalar(e.type->a, x.lanes, result));
  }
  if (const auto op = folding(OpKind::kReduce, e.prim)) {
    const Val& element = x.kids[0];
    return ops_.scalar(e.type, x.lanes->parent,
                       b_.op(*op, word_of(element.type), {ops_.at(element, x.lanes), x.lanes->segments}));
  }
  if (const auto op = folding(OpKind::kCombine, e.prim)) return put(*op, x.kids[0], x.kids[1]);
  switch (e.prim) {
    case Prim::kLength: return lengths(x);
    case Prim::kDist: return distribute(x.kids[0], x.kids[1], lanes);
    case Prim::kIseq: return range(e, x.kids[0], x.kids[1].kids[0], x.kids[1].kids[1], lanes);
    case Prim::kElt: return element(x.kids[0], x.kids[1], lanes);
    case Prim::kRep: return replace(x.kids[0], x.kids[1].kids[0], x.kids[1].kids[1], lanes);
    case Prim::kGet: return get(x.kids[0], x.kids[1], lanes);
    case Prim::kPut: return put(Op::kDpermute, x.kids[0], x.kids[1]);
    case Prim::kPermute: return permute(x.kids[0], x.kids[1], lanes);
    case Prim::kSplit: return split_by(x.kids[0], x.kids[1], lanes);
    case Prim::kPack: return pack(x);
    case Prim::kAppend: return concatenate({x.kids[0], x.kids[1]});
    case Prim::kFlatten: return flattened(x);
    case Prim::kPartition: return partition(x.kids[0], x.kids[1], lanes);
    case Prim::kZip: return zip(x.kids[0], x.kids[1], lanes);
    case Prim::kUnzip: {
      Val a = ops_.sequence(x.lanes, x.kids[0].kids[0]);
      return LaneOps::pair(std::move(a), ops_.sequence(x.lanes, x.kids[0].kids[1]));
    }
    default: break;
  }
  NVM_CHECK(false, "primitive without a translation");
  return x;
}

Val Body::equal(const Val& a, const Val& b) {
  check_stack();
  switch (a.type->kind) {
    case TypeKind::kUnit: return ops_.boolean(true);
    case TypeKind::kPair:
      return map2(Op::kAnd, TypeWord::kBool, TypeKind::kBool, equal(a.kids[0], b.kids[0]),
                  equal(a.kids[1], b.kids[1]));
    case TypeKind::kSeq: return equal_sequences(a, b);
    case TypeKind::kBool:
      return map1(Op::kNot, TypeWord::kBool, TypeKind::kBool,
                  map2(Op::kXor, TypeWord::kBool, TypeKind::kBool, a, b));
    default: return map2(Op::kEq, word_of(a.type), TypeKind::kBool, a, b);
  }
}

// Elements are compared only where the lengths agree.
Val Body::equal_sequences(const Val& x, const Val& y) {
  const Lanes* lanes = deeper(level(x), level(y));
  const Val a = ops_.spread(x, lanes), b = ops_.spread(y, lanes);
  const Val same = map2(Op::kEq, TypeWord::kInt, TypeKind::kBool, lengths(a), lengths(b));
  const auto all = [&](const Val& u, const Val& v, const Lanes* inner) {
    const Val equals = equal(u, v);
    return b_.op(Op::kAndReduce, TypeWord::kBool, {ops_.at(equals, inner), inner->segments});
  };
  if (lanes == ops_.root()) {
    const Atoms result = b_.branch(
        same.atom, [&] { return Atoms{all(a.kids[0], ops_.rename(b.kids[0], b.lanes, a.lanes), a.lanes)}; },
        [&] { return Atoms{b_.boolean(false)}; });
    return boolean(lanes, result[0]);
  }
  const Val length = choose_flat(same, lengths(a), ops_.integer(0), lanes);
  const Lanes* inner = ops_.elements(lanes, ops_.descriptor(ops_.at(length, lanes)));
  const Atom index = ops_.iota(inner);
  const Val u = ops_.gather(a.kids[0], {a.lanes, inner, index, a.lanes->segments, inner->segments});
  const Val v = ops_.gather(b.kids[0], {b.lanes, inner, index, b.lanes->segments, inner->segments});
  return map2(Op::kAnd, TypeWord::kBool, TypeKind::kBool, same, boolean(lanes, all(u, v, inner)));
}

// ---- run-time checks

std::string Body::place() const {
  if (line_ == 0) return "";
  const EmitOptions& options = all_.options();
  const Origin line = options.line(line_);
  const std::uint32_t source = origin_source_of(line);
  // The program writes it as it is, also to a terminal.
  return printable(source == 0 ? options.file : options.sources[source - 1]) + ":" + line_text(line) + ": ";
}

void Body::write_text(const std::string& text) {
  Constant codes{TypeWord::kChar, {}, {}};
  for (const char c : text) codes.ints.push_back(static_cast<unsigned char>(c));
  b_.ops(Op::kWrite, TypeWord::kChar, {b_.constant(codes)});
}

void Body::check(const Val& bad, const Lanes* lanes, const std::string& message) {
  if (!all_.checks_arguments()) return;
  check_with(bad, lanes, [&] { write_text("\n" + place() + "RUNTIME ERROR: " + message + "\n"); });
}

// Stops if two numbers differ, and says which they are.
void Body::check_lengths(const Val& a, const Val& b, const Lanes* lanes, const std::string& message) {
  if (!all_.checks_arguments()) return;
  check_numbers(map2(Op::kNe, TypeWord::kInt, TypeKind::kBool, a, b), lanes, message, "the lengths", {a, b});
}

// Stops if `bad`, and says which the numbers are, of the first instance where it holds.
void Body::check_numbers(const Val& bad, const Lanes* lanes, const std::string& message,
                         const std::string& what, const std::vector<Val>& numbers) {
  if (!all_.checks_arguments()) return;
  // What is decided for all instances alike may be a matter of numbers that each has of its own.
  const Lanes* at = bad.lanes;
  for (const Val& number : numbers) at = deeper(at, number.lanes);
  const auto first_bad = [&](const Val& x) {
    if (at == ops_.root()) return x;
    const Atoms some = b_.ops(Op::kPack, TypeWord::kInt, {ops_.at(x, at), ops_.at(bad, at), ops_.whole(at)});
    return integer(ops_.root(), b_.op(Op::kExtract, TypeWord::kInt, {some[0], b_.integer(0), some[1]}));
  };
  check_with(bad, lanes, [&] {
    write_text("\n" + place() + "RUNTIME ERROR: " + message + "\n" + place() + what + " are ");
    std::vector<Val> shown;
    for (const Val& number : numbers) shown.push_back(first_bad(number));
    const auto count = static_cast<std::int64_t>(shown.size());
    const Atom segments = b_.constant({TypeWord::kSegdes, {count}, {}});
    b_.ops(Op::kWrite, TypeWord::kInt, {listed(shown, ops_.root(), segments)});
  });
}

// Stops if `bad` holds for an instance of `lanes`.
void Body::check_with(const Val& bad, const Lanes* lanes, const std::function<void()>& report) {
  if (const Constant* value = b_.known(bad.atom); value && value->ints[0] == 0) return;
  Val flag = bad;
  if (flag.lanes->depth < lanes->depth && !(lanes->inhabited && flag.lanes == ops_.root())) {
    const Atom sizes = ops_.read_lengths(ops_.segments(lanes, flag.lanes));
    const Val present =
        map2(Op::kGt, TypeWord::kInt, TypeKind::kBool, integer(flag.lanes, sizes), ops_.integer(0));
    flag = map2(Op::kAnd, TypeWord::kBool, TypeKind::kBool, flag, present);
  }
  Atom condition = flag.atom;
  if (flag.lanes != ops_.root())
    condition = b_.op(Op::kOrReduce, TypeWord::kBool, {condition, ops_.whole(flag.lanes)});
  if (b_.first_time(condition)) b_.stop_if(condition, report);
  if (flag.atom == bad.atom) b_.learn(bad.atom, false);
}

}  // namespace nvm::frontend
