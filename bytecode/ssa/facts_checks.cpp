// Which checks of an instruction cannot fail, and the constants behind values.
#include <algorithm>

#include "bytecode/ssa/facts.h"
#include "bytecode/table/op_kind.h"
#include "bytecode/table/shape_letters.h"

namespace nvm::ssa {

bool lengths_agree(const FunctionFacts& facts, const Function& function, const Inst& in) {
  if (op_info(in.op).kind == OpKind::kBlock || in.op == Op::kCall) return true;
  const Shape& shape = op_shape(in.op);
  ShapeLetters<Symbol> letters(kNoSymbol);
  letters('1') = facts.one;
  auto agrees = [&](char letter, Symbol symbol) {
    if (letter == 0 || letter == '_') return true;
    Symbol& bound = letters(letter);
    if (bound == kNoSymbol) bound = symbol;
    return bound == symbol;
  };
  for (std::uint32_t i = 0; i < in.operands; ++i) {
    const ValueFacts& v = facts.of(function.operands_of(in)[i]);
    if (!agrees(shape.terms[i].length, v.length) || !agrees(shape.terms[i].total, v.sum)) return false;
  }
  return true;
}

const Constant* constant_elements(const Module& module, const Function& function, ValueId v,
                                  const std::vector<const Inst*>& makers) {
  const Inst* in = makers[static_cast<std::size_t>(v)];
  while (in != nullptr && in->op == Op::kDist)
    in = makers[static_cast<std::size_t>(function.operands_of(*in)[0])];
  if (in == nullptr || in->op != Op::kConst) return nullptr;
  const Constant& c = module.constants[static_cast<std::size_t>(in->index)];
  return c.input >= 0 ? nullptr : &c;
}

bool all_elements(const Module& module, const Function& function, ValueId v,
                  const std::vector<const Inst*>& makers, std::int64_t number) {
  const Constant* c = constant_elements(module, function, v, makers);
  return c != nullptr && c->word == TypeWord::kInt &&
         std::all_of(c->ints.begin(), c->ints.end(), [&](std::int64_t x) { return x == number; });
}

IndexCheck index_check(const Function& function, const Inst& in) {
  const MoveOperands m = move_operands(in.op);
  if (m.first < 0 || m.flags >= 0) return {};
  const ValueId* operands = function.operands_of(in);
  const ValueId into = operands[picks(in.op) ? m.first : m.last];
  if (op_kind(in.op) == OpKind::kExtract || op_kind(in.op) == OpKind::kReplace)
    return {operands[1], into, kNoValue};
  return {operands[1], into, operands[picks(in.op) ? m.last : m.first]};
}

namespace {

// Is the index operand of a move inside the segments it points into, whatever the data?
bool in_range(const Module& module, const FunctionFacts& facts, const Function& function, const Inst& in,
              const std::vector<const Inst*>& makers) {
  const IndexCheck check = index_check(function, in);
  if (check.index == kNoValue) return false;
  const ValueFacts& index = facts.of(check.index);
  const ValueFacts& into = facts.of(check.into);
  if (into.length == facts.one && index.below != kNoSymbol && index.below == into.sum) return true;
  const Inst* made = makers[static_cast<std::size_t>(check.index)];
  return made != nullptr && made->op == Op::kIndex && check.into == check.along &&
         function.operands_of(*made)[2] == check.into &&
         all_elements(module, function, function.operands_of(*made)[0], makers, 0) &&
         all_elements(module, function, function.operands_of(*made)[1], makers, 1);
}

}  // namespace

bool cannot_fail(const Module& module, const FunctionFacts& facts, const Function& function, const Inst& in,
                 const std::vector<const Inst*>& makers) {
  const OpInfo& info = op_info(in.op);
  if (in.op == Op::kCall || info.effect == Effect::kOrdered || !lengths_agree(facts, function, in))
    return false;
  if (info.effect == Effect::kPure) return true;
  const ValueId* operands = function.operands_of(in);
  if (in.op == Op::kMakeSegdes)
    return are_lengths(facts.numbers_of(operands[0]), static_cast<int>(module.int_bits));
  if (info.scalar == Scalar::kDiv || info.scalar == Scalar::kRem) {
    if (in.word == TypeWord::kFloat) return true;
    const Range& dividend = facts.numbers_of(operands[0]).each;
    const Range& by = facts.numbers_of(operands[1]).each;
    const std::int64_t least = all_ints(static_cast<int>(module.int_bits)).low;
    if (!by.contains(0) && (!by.contains(-1) || !dividend.contains(least))) return true;
    const Constant* divisor = constant_elements(module, function, operands[1], makers);
    return divisor != nullptr && std::none_of(divisor->ints.begin(), divisor->ints.end(),
                                              [](std::int64_t d) { return d == 0 || d == -1; });
  }
  return in_range(module, facts, function, in, makers);
}

std::vector<const Inst*> makers_of(const Function& function) {
  std::vector<const Inst*> makers(function.value_types.size(), nullptr);
  for (const Block& block : function.blocks)
    for (const Inst& in : block.insts)
      for (std::uint32_t r = 0; r < in.results; ++r)
        makers[static_cast<std::size_t>(in.first_result) + r] = &in;
  return makers;
}

std::vector<int> reads_of(const Function& function) {
  std::vector<int> reads(function.value_types.size(), 0);
  const auto read = [&](ValueId v) { ++reads[static_cast<std::size_t>(v)]; };
  for (const Block& block : function.blocks) {
    for (const Inst& in : block.insts) std::for_each_n(function.operands_of(in), in.operands, read);
    std::for_each(block.end.arguments.begin(), block.end.arguments.end(), read);
    if (block.end.kind == Exit::kBranch) read(block.end.condition);
  }
  return reads;
}

}  // namespace nvm::ssa
