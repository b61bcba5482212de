// simplify_segdes: the algebra of lengths, descriptors and distributed values.
//
// Requires: check(). Ensures: every use of a value that is provably another, earlier one uses that one. An
// instruction whose result has become unused stays here, since it may fail; eliminate_dead decides. New
// instructions are scalar work in place of vector work. Destroys: value numbers. Cost: analyse_facts(), then
// linear but for dominance tests.
//
// Each rule is a function: from the visited instruction to the value that its result equals, kNoValue if the
// rule does not apply.
#include <map>

#include "bytecode/ssa/cfg.h"
#include "bytecode/ssa/constants.h"
#include "bytecode/ssa/edit.h"
#include "bytecode/ssa/facts.h"
#include "bytecode/ssa/passes.h"
#include "bytecode/table/op_kind.h"

namespace nvm::ssa {

namespace {

// Is no element negative? Not known of what this pass made.
bool is_count(const FunctionFacts& facts, ValueId v) {
  return static_cast<std::size_t>(v) < facts.numbers.size() && facts.numbers_of(v).each.low >= 0;
}

class Simplifying {
 public:
  Simplifying(Module& module, Function& f, const FunctionFacts& facts, ConstantPool& pool)
      : module_(module), f_(f), facts_(facts), pool_(pool), idom_(immediate_dominators(f)), rewrite_(f) {
    for (const Block& block : f.blocks)
      for (const ValueId p : block.parameters) remember(p);
    find_scattered_over();
  }

  void run() {
    rewrite_.run([this](const Inst& in) { return visit(in); });
    compact(f_);
  }

 private:
  using Rule = ValueId (Simplifying::*)(const Inst&);

  bool visit(const Inst& in) {
    if (in.op == Op::kUnpair) return unpair(in);
    if (is_clock(in)) by_symbol_.clear();
    if (in.results == 0 || in.op == Op::kConst || in.op == Op::kCall ||
        op_info(in.op).effect == Effect::kOrdered) {
      for (std::uint32_t r = 0; r < in.results; ++r) remember(in.first_result + static_cast<ValueId>(r));
      return false;
    }
    static constexpr Rule kRules[] = {
        &Simplifying::known_number,  &Simplifying::known_descriptor,  &Simplifying::inverse,
        &Simplifying::cancelled,     &Simplifying::one_each,          &Simplifying::dist_of_dist,
        &Simplifying::identity_move, &Simplifying::gather_of_scatter, &Simplifying::all_alike,
        &Simplifying::not_written,   &Simplifying::neutral,           &Simplifying::equal_numbers,
        &Simplifying::map_of_dist,
    };
    for (const Rule rule : kRules) {
      const ValueId same = (this->*rule)(in);
      if (same == kNoValue) continue;
      rewrite_.replace(in.first_result, same);
      return false;  // unused now
    }
    for (std::uint32_t r = 0; r < in.results; ++r) remember(in.first_result + static_cast<ValueId>(r));
    return false;
  }

  // UNPAIR of PAIR.
  bool unpair(const Inst& in) {
    const Inst* pair = maker(in, 0);
    if (pair == nullptr || pair->op != Op::kPair) return false;
    for (std::uint32_t r = 0; r < 2; ++r)
      rewrite_.replace(in.first_result + static_cast<ValueId>(r), rewrite_.operand(*pair, r));
    return true;
  }

  // A scalar whose symbol an earlier one has, or which is a constant.
  ValueId known_number(const Inst& in) {
    const ValueId v = in.first_result;
    if (!is_number(v)) return kNoValue;
    const Symbol symbol = facts_.of(v).sum;
    if (facts_.symbols.is_constant(symbol)) return constant(facts_.symbols.value(symbol), type(v), in);
    return earlier(v);
  }

  // A descriptor of one segment whose total an earlier one has.
  ValueId known_descriptor(const Inst& in) {
    const ValueId v = in.first_result;
    return type(v) == Type::kSegdes && facts_.is_scalar(v) ? earlier(v) : kNoValue;
  }

  // (a + b) - a and (a + b) - b of Int.
  ValueId cancelled(const Inst& in) {
    if (in.op != Op::kSub || in.word != TypeWord::kInt) return kNoValue;
    const Inst* sum = maker(in, 0);
    if (sum == nullptr || sum->op != Op::kAdd) return kNoValue;
    const ValueId a = rewrite_.operand(*sum, 0), b = rewrite_.operand(*sum, 1);
    if (rewrite_.operand(in, 1) == a) return are_as_long(a, b) ? b : kNoValue;
    return rewrite_.operand(in, 1) == b ? a : kNoValue;
  }

  // LENGTHS of MAKE_SEGDES, MAKE_SEGDES of LENGTHS, NOT of NOT.
  ValueId inverse(const Inst& in) {
    const Op undone = in.op == Op::kLengths      ? Op::kMakeSegdes
                      : in.op == Op::kMakeSegdes ? Op::kLengths
                      : in.op == Op::kNot        ? Op::kNot
                                                 : Op::kConst;
    const Inst* before = undone == Op::kConst ? nullptr : maker(in, 0);
    return before != nullptr && before->op == undone ? rewrite_.operand(*before, 0) : kNoValue;
  }

  // DIST, INDEX and the reductions of Int and Bool over segments of length one.
  ValueId one_each(const Inst& in) {
    const OpKind kind = op_info(in.op).kind;
    if (kind != OpKind::kDist && kind != OpKind::kIota && kind != OpKind::kReduce) return kNoValue;
    if (kind == OpKind::kReduce && in.word == TypeWord::kFloat) return kNoValue;  // 0.0 + -0.0
    return all_ones(rewrite_.operand(in, in.operands - 1)) ? rewrite_.operand(in, 0) : kNoValue;
  }

  // A scalar distributed twice is distributed once, over a descriptor of one segment.
  ValueId dist_of_dist(const Inst& in) {
    if (in.op != Op::kDist) return kNoValue;
    const Inst* inner = maker(in, 0);
    if (inner == nullptr || !distributes_scalar(*inner)) return kNoValue;
    // Emitting moves instructions: `inner` is read before.
    const ValueId scalar = rewrite_.operand(*inner, 0), segments = rewrite_.operand(*inner, 1);
    ValueId over = earlier(Type::kSegdes, known(rewrite_.operand(in, 1)).sum);
    if (over == rewrite_.operand(in, 1)) return kNoValue;
    // What is emitted must not fail before this instruction does.
    if (known(rewrite_.operand(in, 1)).length != known(segments).sum) return kNoValue;
    if (over == kNoValue && scattered_over(in.first_result)) return kNoValue;  // a sum more, for nothing
    if (over == kNoValue) over = one_segment(rewrite_.operand(in, 1), segments, in);
    return rewrite_.emit(Op::kDist, in.word, {scalar, over}, type(in.first_result), in);
  }

  // Is it nothing but what stands where DPERMUTEs put nothing?
  [[nodiscard]] bool scattered_over(ValueId v) const {
    return static_cast<std::size_t>(v) < scattered_over_.size() &&
           scattered_over_[static_cast<std::size_t>(v)];
  }
  void find_scattered_over() {
    scattered_over_.assign(f_.value_types.size(), true);
    const auto other = [this](ValueId v) { scattered_over_[static_cast<std::size_t>(v)] = false; };
    for (const Block& block : f_.blocks) {
      for (const Inst& in : block.insts)
        for (std::uint32_t i = 0; i < in.operands; ++i)
          if (in.op != Op::kDpermute || i != 2) other(f_.operands_of(in)[i]);
      for (const ValueId v : block.end.arguments) other(v);
      if (block.end.kind == Exit::kBranch) other(block.end.condition);
    }
  }

  // A descriptor of one segment for all that `s` describes; `segments` describes its segments.
  ValueId one_segment(ValueId s, ValueId segments, const Inst& like) {
    const Inst* made = rewrite_.maker(s);
    const ValueId lengths = made != nullptr && made->op == Op::kMakeSegdes
                                ? rewrite_.operand(*made, 0)
                                : rewrite_.emit(Op::kLengths, TypeWord::kNone, {s}, Type::kInt, like);
    const ValueId total =
        rewrite_.emit(Op::kAddReduce, TypeWord::kInt, {lengths, segments}, Type::kInt, like);
    return rewrite_.emit(Op::kMakeSegdes, TypeWord::kNone, {total}, Type::kSegdes, like);
  }

  // Moving every element to its own place.
  ValueId identity_move(const Inst& in) {
    if (in.op != Op::kPermute && in.op != Op::kBpermute && in.op != Op::kDpermute) return kNoValue;
    const Inst* index = maker(in, 1);
    const ValueId from = rewrite_.operand(in, in.op == Op::kPermute ? 2 : in.operands - 2);
    const ValueId to = rewrite_.operand(in, in.operands - 1);
    if (from != to || index == nullptr || index->op != Op::kIndex) return kNoValue;
    if (rewrite_.operand(*index, 2) != to) return kNoValue;
    if (!all_elements(rewrite_.operand(*index, 0), 0) || !all_elements(rewrite_.operand(*index, 1), 1))
      return kNoValue;
    return rewrite_.operand(in, 0);
  }

  // Gathering what was just scattered to the same, distinct places.
  ValueId gather_of_scatter(const Inst& in) {
    if (in.op != Op::kBpermute) return kNoValue;
    const Inst* scatter = maker(in, 0);
    if (scatter == nullptr || scatter->op != Op::kDpermute || scatter->word != in.word) return kNoValue;
    const bool same = rewrite_.operand(*scatter, 1) == rewrite_.operand(in, 1) &&
                      rewrite_.operand(*scatter, 3) == rewrite_.operand(in, 3) &&
                      rewrite_.operand(*scatter, 4) == rewrite_.operand(in, 2);
    return same && chosen(rewrite_.operand(in, 1)) != nullptr ? rewrite_.operand(*scatter, 0) : kNoValue;
  }

  // A vector compared with itself; and a reduction that keeps a distributed Bool.
  ValueId all_alike(const Inst& in) {
    if (in.op == Op::kEq && in.word == TypeWord::kInt && rewrite_.operand(in, 0) == rewrite_.operand(in, 1)) {
      const ValueId over = earlier(Type::kSegdes, known(in.first_result).length);
      if (over == kNoValue) return kNoValue;
      return rewrite_.emit(Op::kDist, TypeWord::kBool, {constant(1, Type::kBool, in), over}, Type::kBool, in);
    }
    if ((in.op != Op::kAndReduce && in.op != Op::kOrReduce) || in.word != TypeWord::kBool) return kNoValue;
    const Inst* dist = maker(in, 0);
    if (dist == nullptr || dist->op != Op::kDist || !is_one(rewrite_.operand(in, 1))) return kNoValue;
    const std::int64_t identity = bool_identity(op_info(in.op).scalar) ? 1 : 0;
    if (!all_elements(rewrite_.operand(in, 0), identity, TypeWord::kBool)) return kNoValue;
    return constant(identity, Type::kBool, in);
  }

  // "Which places were not written?": numbers >= 0 scattered over a negative one, then compared with 0. The
  // places are those that flags chose, so the answer is the flags' negation.
  ValueId not_written(const Inst& in) {
    if (in.op != Op::kLt || in.word != TypeWord::kInt || !all_elements(rewrite_.operand(in, 1), 0))
      return kNoValue;
    const Inst* scatter = maker(in, 0);
    if (scatter == nullptr || scatter->op != Op::kDpermute) return kNoValue;
    const Inst* pack = chosen(rewrite_.operand(*scatter, 1));
    if (pack == nullptr || !is_count(facts_, rewrite_.operand(*scatter, 0))) return kNoValue;
    if (rewrite_.operand(*scatter, 4) != rewrite_.operand(*pack, 2)) return kNoValue;
    const Inst* over = rewrite_.maker(rewrite_.operand(*scatter, 2));
    if (over == nullptr || over->op != Op::kDist) return kNoValue;
    const Inst* number = maker(*over, 0);
    if (number == nullptr || number->op != Op::kConst) return kNoValue;
    const Constant& c = module_.constants[static_cast<std::size_t>(number->index)];
    if (c.input >= 0 || c.ints.size() != 1 || c.ints[0] >= 0) return kNoValue;
    return rewrite_.emit(Op::kNot, TypeWord::kBool, {rewrite_.operand(*pack, 1)}, Type::kBool, in);
  }

  // x + 0, x - 0, x * 1, x / 1 of Int, SELECT of equals.
  ValueId neutral(const Inst& in) {
    const ValueId first = rewrite_.operand(in, 0);
    if (in.op == Op::kSelect && rewrite_.operand(in, 1) == rewrite_.operand(in, 2))
      return are_as_long(first, rewrite_.operand(in, 1)) ? rewrite_.operand(in, 1) : kNoValue;
    if (in.word != TypeWord::kInt || in.operands != 2) return kNoValue;
    const Scalar scalar = op_info(in.op).kind == OpKind::kMap ? op_info(in.op).scalar : Scalar::kNoScalar;
    const bool sum = scalar == Scalar::kAdd || scalar == Scalar::kSub;
    if (!sum && scalar != Scalar::kMul && scalar != Scalar::kDiv) return kNoValue;
    const ValueId second = rewrite_.operand(in, 1);
    if (all_elements(second, sum ? 0 : 1)) return first;
    const bool commutes = scalar == Scalar::kAdd || scalar == Scalar::kMul;
    return commutes && all_elements(first, sum ? 0 : 1) && are_as_long(first, second) ? second : kNoValue;
  }

  // Comparison of two scalars that are one number.
  ValueId equal_numbers(const Inst& in) {
    if (in.word != TypeWord::kInt || in.operands != 2 || op_info(in.op).kind != OpKind::kMap) return kNoValue;
    const ValueId a = rewrite_.operand(in, 0), b = rewrite_.operand(in, 1);
    if (!is_number(a) || !is_number(b) || known(a).sum != known(b).sum) return kNoValue;
    const Scalar relation = op_info(in.op).scalar;
    return is_relation(relation) ? constant(holds_equal(relation) ? 1 : 0, Type::kBool, in) : kNoValue;
  }

  // An elementwise instruction on scalars distributed alike: once on the scalars, then distributed.
  ValueId map_of_dist(const Inst& in) {
    const OpInfo& info = op_info(in.op);
    if (info.kind != OpKind::kMap || info.effect != Effect::kPure) return kNoValue;
    ValueId over = kNoValue;
    ValueId scalars[3] = {kNoValue, kNoValue, kNoValue};
    for (std::uint32_t i = 0; i < in.operands; ++i) {
      const Inst* dist = maker(in, i);
      if (dist == nullptr || !distributes_scalar(*dist)) return kNoValue;
      const ValueId s = rewrite_.operand(*dist, 1);
      if (over != kNoValue && s != over) return kNoValue;
      over = s;
      scalars[i] = rewrite_.operand(*dist, 0);
    }
    const Type result = type(in.first_result);
    ValueId scalar = kNoValue;
    if (in.operands == 1) scalar = rewrite_.emit(in.op, in.word, {scalars[0]}, result, in);
    if (in.operands == 2) scalar = rewrite_.emit(in.op, in.word, {scalars[0], scalars[1]}, result, in);
    if (in.operands == 3)
      scalar = rewrite_.emit(in.op, in.word, {scalars[0], scalars[1], scalars[2]}, result, in);
    return rewrite_.emit(Op::kDist, word_of(result), {scalar, over}, result, in);
  }

  // ---- what the rules ask

  [[nodiscard]] Type type(ValueId v) const { return f_.value_types[static_cast<std::size_t>(v)]; }
  // Facts of a value; of one that this pass made, nothing.
  [[nodiscard]] ValueFacts known(ValueId v) const {
    return static_cast<std::size_t>(v) < facts_.values.size() ? facts_.of(v) : ValueFacts{};
  }
  [[nodiscard]] bool is_one(ValueId v) const { return known(v).length == facts_.one; }
  // May what an elementwise instruction makes of this first and other operand stand for the other?
  [[nodiscard]] bool are_as_long(ValueId first, ValueId other) const {
    if (!module_.prefix_lengths) return true;
    return known(first).length != kNoSymbol && known(first).length == known(other).length;
  }
  [[nodiscard]] bool is_number(ValueId v) const {
    return is_one(v) && (type(v) == Type::kInt || type(v) == Type::kBool);
  }
  [[nodiscard]] const Inst* maker(const Inst& in, std::uint32_t operand) const {
    return rewrite_.maker(rewrite_.operand(in, operand));
  }
  [[nodiscard]] bool distributes_scalar(const Inst& in) const {
    return in.op == Op::kDist && is_one(rewrite_.operand(in, 0)) && is_one(rewrite_.operand(in, 1));
  }
  // The PACK of 0, 1, ... over one segment that gave these indices, if it did: distinct and ascending.
  [[nodiscard]] const Inst* chosen(ValueId indices) const {
    const Inst* pack = rewrite_.maker(indices);
    if (pack == nullptr || pack->op != Op::kPack || pack->first_result != indices) return nullptr;
    const Inst* index = maker(*pack, 0);
    if (index == nullptr || index->op != Op::kIndex || !is_one(rewrite_.operand(*pack, 2))) return nullptr;
    const bool counts = rewrite_.operand(*index, 2) == rewrite_.operand(*pack, 2) &&
                        all_elements(rewrite_.operand(*index, 0), 0) &&
                        all_elements(rewrite_.operand(*index, 1), 1);
    return counts ? pack : nullptr;
  }
  // Is every element of this Int (Bool) vector this number?
  [[nodiscard]] bool all_elements(ValueId v, std::int64_t number, TypeWord word = TypeWord::kInt) const {
    const Inst* in = rewrite_.maker(v);
    while (in != nullptr && in->op == Op::kDist) in = maker(*in, 0);
    if (in == nullptr || in->op != Op::kConst) return false;
    const Constant& c = module_.constants[static_cast<std::size_t>(in->index)];
    if (c.word != word || c.input >= 0) return false;
    for (const std::int64_t x : c.ints)
      if (x != number) return false;
    return true;
  }
  [[nodiscard]] bool all_ones(ValueId descriptor) const {
    if (is_one(descriptor) && known(descriptor).sum == facts_.one) return true;
    const Inst* in = rewrite_.maker(descriptor);
    return in != nullptr && in->op == Op::kMakeSegdes && all_elements(rewrite_.operand(*in, 0), 1);
  }

  // Scalars and one-segment descriptors by the symbol that tells them completely.
  void remember(ValueId v) {
    const bool tells = is_number(v) || (type(v) == Type::kSegdes && is_one(v));
    if (tells) by_symbol_[{type(v), known(v).sum}].push_back(v);
  }
  [[nodiscard]] ValueId earlier(Type of, Symbol symbol) const {
    const auto it = by_symbol_.find({of, symbol});
    if (it == by_symbol_.end() || symbol == kNoSymbol) return kNoValue;
    for (const ValueId v : it->second)
      if (dominates(idom_, rewrite_.block_of(v), rewrite_.block())) return v;
    return kNoValue;
  }
  [[nodiscard]] ValueId earlier(ValueId v) const { return earlier(type(v), known(v).sum); }

  ValueId constant(std::int64_t value, Type of, const Inst& like) {
    const TypeWord word = of == Type::kBool ? TypeWord::kBool : TypeWord::kInt;
    return rewrite_.emit(Op::kConst, word, {}, of, like, pool_.add({word, {value}, {}}));
  }

  Module& module_;
  Function& f_;
  const FunctionFacts& facts_;
  ConstantPool& pool_;
  Dominators idom_;
  Rewrite rewrite_;
  std::vector<bool> scattered_over_;
  std::map<std::pair<Type, Symbol>, std::vector<ValueId>> by_symbol_;
};

}  // namespace

void simplify_segdes(Module& module) {
  const std::vector<FunctionFacts> facts = analyse_facts(module);
  ConstantPool pool(module);
  for (std::size_t i = 0; i < module.functions.size(); ++i)
    if (!module.functions[i].removed) Simplifying(module, module.functions[i], facts[i], pool).run();
}

}  // namespace nvm::ssa
