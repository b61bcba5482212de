#include "bytecode/table/op_info.h"

#include <array>
#include <unordered_map>

#include "bytecode/base/check.h"
#include "bytecode/table/identities.h"

namespace nvm {

namespace {

using enum Words;
using enum OpKind;
using enum Effect;
using enum Work;
using Scalar::kNoScalar;

// The columns `kind` and `scalar` share names (kSelect is an Op and a Scalar), hence the qualified pastes.
constexpr OpInfo kOps[] = {
#define OP(id, text, words, operands, results, shape, kind, scalar, effect, work, views, doc) \
  {Op::id,       text,           Words::words,   operands,   results, shape,                  \
   OpKind::kind, Scalar::scalar, Effect::effect, Work::work, doc},
#include "bytecode/table/ops.def"
};

constexpr bool kFold = true, kNoFold = false, kTraps = true, kTotal = false;
constexpr ScalarInfo kScalars[] = {
#define SCALAR(id, name, operands, result, folds, traps, cost, algebra, doc) \
  {Scalar::id, name, operands, result, folds, traps, cost, Algebra::algebra, doc},
#include "bytecode/table/scalar.def"
};

constexpr std::size_t kOpCount = std::size(kOps);

constexpr Shape parse_shape(std::string_view text) {
  Shape shape;
  bool results = false;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == ' ') {
      ++i;
    } else if (text[i] == '-') {
      results = true;
      i += 2;
    } else {
      ShapeTerm term{text[i], 0};
      ++i;
      if (i < text.size() && text[i] == ':') {
        term.total = text[i + 1];
        i += 2;
      }
      shape.terms[shape.operands + shape.results] = term;
      ++(results ? shape.results : shape.operands);
    }
  }
  return shape;
}

constexpr auto kShapes = [] {
  std::array<Shape, kOpCount> shapes{};
  for (std::size_t i = 0; i < kOpCount; ++i) shapes[i] = parse_shape(kOps[i].shape);
  return shapes;
}();

// A row must agree with itself: operand counts of signature and shape, a scalar where the kind combines one.
consteval bool rows_agree() {
  for (std::size_t i = 0; i < kOpCount; ++i) {
    const OpInfo& op = kOps[i];
    if (static_cast<std::size_t>(op.op) != i || op.text.empty() || op.doc.empty()) return false;
    for (std::size_t j = 0; j < i; ++j)
      if (kOps[j].text == op.text) return false;
    const bool folds = op.kind == kScan || op.kind == kReduce || op.kind == OpKind::kCombine;
    if ((folds || op.kind == kMap) != (op.scalar != kNoScalar)) return false;
    if (folds) {
      if (!kScalars[static_cast<std::size_t>(op.scalar)].folds) return false;
    }
    if (op.kind == kMap) {
      const ScalarInfo& s = kScalars[static_cast<std::size_t>(op.scalar)];
      if (s.operands != op.operands || s.result != op.results[0]) return false;
      if (s.traps != (op.effect == kFaults)) return false;
    }
    if (op.kind == kBlock || op.kind == kControl) continue;
    if (kShapes[i].operands != static_cast<int>(op.operands.size())) return false;
    if (kShapes[i].results != static_cast<int>(op.results.size())) return false;
  }
  for (std::size_t i = 0; i < std::size(kScalars); ++i)
    if (static_cast<std::size_t>(kScalars[i].scalar) != i) return false;
  return true;
}
static_assert(rows_agree(), "a row of ops.def or scalar.def contradicts itself");

}  // namespace

const OpInfo& op_info(Op op) { return kOps[static_cast<std::size_t>(op)]; }
const ScalarInfo& scalar_info(Scalar scalar) {
  NVM_CHECK(scalar != Scalar::kNoScalar, "no scalar operation");
  return kScalars[static_cast<std::size_t>(scalar)];
}
std::span<const OpInfo> all_ops() { return kOps; }
std::span<const ScalarInfo> all_scalars() { return kScalars; }
const Shape& op_shape(Op op) { return kShapes[static_cast<std::size_t>(op)]; }

Op elementwise_op(Scalar scalar) {
  for (const OpInfo& info : kOps)
    if (info.kind == kMap && info.scalar == scalar) return info.op;
  NVM_CHECK(false, "no instruction applies this to each element");
  return Op::kExit;
}

std::optional<Op> find_op(std::string_view text) {
  static const auto* const kByText = [] {
    auto* map = new std::unordered_map<std::string_view, Op>;
    for (const OpInfo& info : kOps) map->emplace(info.text, info.op);
    return map;
  }();
  const auto it = kByText->find(text);
  if (it == kByText->end()) return std::nullopt;
  return it->second;
}

bool word_allowed(Op op, TypeWord word) {
  switch (op_info(op).words) {
    case kNoWord: return word == TypeWord::kNone;
    case kNumeric: return word == TypeWord::kInt || word == TypeWord::kFloat;
    case kLogical: return word == TypeWord::kInt || word == TypeWord::kBool;
    case kGeneral: return word == TypeWord::kInt || word == TypeWord::kBool || word == TypeWord::kFloat;
    case kAny: return word != TypeWord::kNone;
    case kIntWord: return word == TypeWord::kInt;
  }
  return false;
}

Type letter_type(char letter, TypeWord word) {
  switch (letter) {
    case 'I':
    case 'i': return Type::kInt;
    case 'F':
    case 'f': return Type::kFloat;
    case 'B':
    case 'b': return Type::kBool;
    case 'S': return Type::kSegdes;
    case 'P': return Type::kPair;
    case 't': return type_of(word);
    default: break;
  }
  NVM_CHECK(false, "letter without a type");
  return Type::kInt;
}

std::int64_t int_identity(Scalar scalar, IntBits bits) { return constant_int_identity(scalar, bits); }
double float_identity(Scalar scalar) { return constant_float_identity(scalar); }
bool bool_identity(Scalar scalar) { return constant_bool_identity(scalar); }

}  // namespace nvm
