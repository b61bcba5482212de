// fold_constants.
//
// Requires: check(). Ensures: elementwise instructions, reductions, scans and the instructions on lengths and
// descriptors are gone where all operands are constants of at most kMaxElements elements (so is the result);
// branches on a constant are jumps. An instruction that would fail, whatever the reason, stays. Destroys:
// value and block numbers. Cost: linear.
#include <algorithm>
#include <optional>
#include <span>

#include "bytecode/ssa/constants.h"
#include "bytecode/ssa/edit.h"
#include "bytecode/ssa/passes.h"
#include "bytecode/ssa/scalar_eval.h"

namespace nvm::ssa {

namespace {

// Reductions of at most 32 elements combine from left to right in every engine (design: tiers).
constexpr std::size_t kMaxElements = 32;

using Operands = std::span<const Constant* const>;

std::size_t size_of(const Constant& c) {
  return c.word == TypeWord::kFloat ? c.floats.size() : c.ints.size();
}
Element element(const Constant& c, std::size_t i) {
  return c.word == TypeWord::kFloat ? Element{0, c.floats[i]} : Element{c.ints[i], 0.0};
}
void append(Constant& c, const Element& e) {
  if (c.word == TypeWord::kFloat)
    c.floats.push_back(e.f);
  else
    c.ints.push_back(e.i);
}
// A length that is an error, or would be too long to fold, counts as kTooLong.
constexpr std::int64_t kTooLong = std::int64_t{1} << 31;
std::int64_t total(const Constant& descriptor) {
  std::int64_t sum = 0;
  for (const std::int64_t n : descriptor.ints) sum += n < 0 || n >= kTooLong ? kTooLong : n;
  return sum;
}
bool covers(const Constant& descriptor, std::size_t elements) {
  return total(descriptor) == static_cast<std::int64_t>(elements);
}

std::optional<Constant> fold_map(const Inst& in, Operands operands, TypeWord result, IntBits bits) {
  Constant out;
  out.word = result;
  const std::size_t n = size_of(*operands[0]);
  if (!std::all_of(operands.begin(), operands.end(), [&](const Constant* c) { return size_of(*c) == n; }))
    return std::nullopt;
  for (std::size_t i = 0; i < n; ++i) {
    Element elements[3];
    for (std::size_t k = 0; k < operands.size(); ++k) elements[k] = element(*operands[k], i);
    const auto e = evaluate(op_info(in.op).scalar, in.word, bits, {elements, operands.size()});
    if (!e) return std::nullopt;
    append(out, *e);
  }
  return out;
}

Element identity(Scalar scalar, TypeWord word, IntBits bits) {
  if (word == TypeWord::kFloat) return {0, float_identity(scalar)};
  if (word == TypeWord::kBool) return {bool_identity(scalar) ? 1 : 0, 0.0};
  return {int_identity(scalar, bits), 0.0};
}

// Reductions and scans, per segment.
std::optional<Constant> fold_combine(const Inst& in, Operands operands, IntBits bits) {
  const Scalar scalar = op_info(in.op).scalar;
  const bool scan = op_info(in.op).kind == OpKind::kScan;
  if (!covers(*operands[1], size_of(*operands[0]))) return std::nullopt;
  Constant out;
  out.word = in.word;
  std::size_t at = 0;
  for (const std::int64_t n : operands[1]->ints) {
    Element so_far = identity(scalar, in.word, bits);
    for (std::int64_t j = 0; j < n; ++j) {
      if (scan) append(out, so_far);
      const Element both[2] = {so_far, element(*operands[0], at++)};
      const auto e = evaluate(scalar, in.word, bits, both);
      if (!e) return std::nullopt;
      so_far = *e;
    }
    if (!scan) append(out, so_far);
  }
  return out;
}

std::optional<Constant> fold_dist(const Inst& in, Operands operands) {
  if (size_of(*operands[0]) != operands[1]->ints.size()) return std::nullopt;
  if (total(*operands[1]) > static_cast<std::int64_t>(kMaxElements)) return std::nullopt;
  Constant out;
  out.word = in.word;
  for (std::size_t k = 0; k < operands[1]->ints.size(); ++k)
    for (std::int64_t j = 0; j < operands[1]->ints[k]; ++j) append(out, element(*operands[0], k));
  return out;
}

std::optional<Constant> fold_index(Operands operands, IntBits bits) {
  const Constant &start = *operands[0], &stride = *operands[1], &segments = *operands[2];
  if (start.ints.size() != segments.ints.size() || stride.ints.size() != segments.ints.size())
    return std::nullopt;
  if (total(segments) > static_cast<std::int64_t>(kMaxElements)) return std::nullopt;
  Constant out;
  for (std::size_t k = 0; k < segments.ints.size(); ++k)
    for (std::int64_t j = 0; j < segments.ints[k]; ++j)
      out.ints.push_back(wrap_int(static_cast<std::int64_t>(static_cast<std::uint64_t>(start.ints[k]) +
                                                            static_cast<std::uint64_t>(j) *
                                                                static_cast<std::uint64_t>(stride.ints[k])),
                                  bits));
  return out;
}

std::optional<Constant> fold_extract(const Inst& in, Operands operands) {
  const Constant &from = *operands[0], &index = *operands[1], &segments = *operands[2];
  if (!covers(segments, size_of(from)) || index.ints.size() != segments.ints.size()) return std::nullopt;
  Constant out;
  out.word = in.word;
  std::int64_t offset = 0;
  for (std::size_t k = 0; k < segments.ints.size(); ++k) {
    if (index.ints[k] < 0 || index.ints[k] >= segments.ints[k]) return std::nullopt;
    append(out, element(from, static_cast<std::size_t>(offset + index.ints[k])));
    offset += segments.ints[k];
  }
  return out;
}

std::optional<Constant> fold(const Inst& in, Operands operands, TypeWord result, IntBits bits) {
  Constant out;
  out.word = result;
  switch (op_info(in.op).kind) {
    case OpKind::kMap: return fold_map(in, operands, result, bits);
    case OpKind::kScan:
    case OpKind::kReduce: return fold_combine(in, operands, bits);
    case OpKind::kDist: return fold_dist(in, operands);
    case OpKind::kIota: return fold_index(operands, bits);
    case OpKind::kExtract: return fold_extract(in, operands);
    case OpKind::kShape: break;
    default: return std::nullopt;
  }
  if (in.op == Op::kLength)
    out.ints.push_back(static_cast<std::int64_t>(size_of(*operands[0])));
  else
    out.ints = operands[0]->ints;
  if (in.op == Op::kMakeSegdes && total(out) >= kTooLong) return std::nullopt;
  return out;
}

class Folding {
 public:
  Folding(Module& module, Function& f, ConstantPool& pool)
      : module_(module), f_(f), pool_(pool), rewrite_(f) {}

  void run() {
    rewrite_.run([this](const Inst& in) { return visit(in); });
    for (Block& block : f_.blocks) branch(block.end);
    drop_unreachable(f_);
    join_chains(f_);
    compact(f_);
  }

 private:
  [[nodiscard]] const Constant* constant(ValueId v) const {
    const Inst* in = rewrite_.maker(v);
    if (in == nullptr || in->op != Op::kConst) return nullptr;
    const Constant& c = module_.constants[static_cast<std::size_t>(in->index)];
    return c.input >= 0 || size_of(c) > kMaxElements ? nullptr : &c;
  }

  bool visit(const Inst& in) {
    if (in.operands == 0 || in.operands > 3 || in.results != 1) return false;
    const Constant* operands[3];
    for (std::uint32_t i = 0; i < in.operands; ++i) {
      operands[i] = constant(rewrite_.operand(in, i));
      if (operands[i] == nullptr) return false;
    }
    const Type type = f_.value_types[static_cast<std::size_t>(in.first_result)];
    if (type == Type::kPair) return false;
    std::optional<Constant> result = fold(in, {operands, in.operands}, word_of(type), module_.int_bits);
    if (!result) return false;
    const std::int32_t index = pool_.add(std::move(*result));
    rewrite_.replace(in.first_result, rewrite_.emit(Op::kConst, word_of(type), {}, type, in, index));
    return true;
  }

  void branch(Terminator& end) const {
    if (end.kind != Exit::kBranch) return;
    const Constant* c = constant(end.condition);
    if (c == nullptr || c->ints.size() != 1) return;
    if (c->ints[0] == 0) end.target = end.otherwise;
    end.kind = Exit::kJump;
    end.otherwise = -1;
    end.condition = kNoValue;
  }

  Module& module_;
  Function& f_;
  ConstantPool& pool_;
  Rewrite rewrite_;
};

}  // namespace

void fold_constants(Module& module) {
  ConstantPool pool(module);
  for (Function& f : module.functions) Folding(module, f, pool).run();
}

}  // namespace nvm::ssa
