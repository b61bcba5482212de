// From instruction and type word to the function that executes it: a table made once from the kinds, scalar
// operations and signatures of the instruction table.
#include <array>

#include "bytecode/table/op_kind.h"
#include "vm/prims/combine.h"
#include "vm/prims/elementwise.h"
#include "vm/prims/fold.h"
#include "vm/prims/lengths.h"
#include "vm/prims/move.h"
#include "vm/prims/operands.h"
#include "vm/prims/order.h"
#include "vm/prims/pack.h"
#include "vm/prims/prims.h"
#include "vm/prims/spread.h"

namespace nvm::vm {

namespace {

constexpr std::size_t kWords = 6;
using Row = std::array<PrimFn, kWords>;

PrimFn int_map(Scalar s) {
  if (scalar_info(s).traps) return int_divide;
  if (is_bitwise(s)) return int_closed;
  return is_relation(s) ? int_compare : int_arithmetic;
}

// The operand types decide; a letter t stands for the word's type.
PrimFn map_function(const OpInfo& info, TypeWord word) {
  if (info.scalar == Scalar::kSelect) return select;
  const Type from = letter_type(info.operands[0], word);
  const Type to = letter_type(info.results[0], word);
  if (info.operands.size() == 1) {
    if (from == to) return same_unary;
    if (from == Type::kInt) return from_int;
    return from == Type::kBool ? bool_to_int : float_to_int;
  }
  if (from == Type::kInt) return int_map(info.scalar);
  if (from == Type::kBool) return bool_logic;
  return to == Type::kBool ? float_compare : float_arithmetic;
}

PrimFn scatter_function(const MoveOperands& m) {
  if (m.flags >= 0) return m.defaults >= 0 ? dfpermute : fpermute;
  return m.defaults >= 0 ? dpermute : permute;
}

PrimFn function_of(const OpInfo& info, TypeWord word) {
  switch (info.kind) {
    case OpKind::kMap: return map_function(info, word);
    case OpKind::kScan: return scan;
    case OpKind::kReduce: return reduce;
    case OpKind::kScatter: return scatter_function(move_operands(info.op));
    case OpKind::kCombine: return combine;
    case OpKind::kGather: return move_operands(info.op).flags >= 0 ? bfpermute : bpermute;
    case OpKind::kExtract: return extract;
    case OpKind::kReplace: return replace;
    case OpKind::kDist: return dist;
    case OpKind::kIota: return index;
    case OpKind::kRank: return rank;
    case OpKind::kFilter: return pack;
    case OpKind::kShape:
      return info.op == Op::kLength ? length : info.op == Op::kLengths ? lengths : make_segdes;
    case OpKind::kRandom: return rand;
    case OpKind::kBlock:
    case OpKind::kControl:
    case OpKind::kHost: break;
  }
  return nullptr;
}

const std::array<Row, 256> kFunctions = [] {
  std::array<Row, 256> rows{};
  for (const OpInfo& info : all_ops())
    for (std::size_t w = 0; w < kWords; ++w)
      if (word_allowed(info.op, static_cast<TypeWord>(w)))
        rows[static_cast<std::size_t>(info.op)][w] = function_of(info, static_cast<TypeWord>(w));
  return rows;
}();

}  // namespace

PrimFn find_primitive(Op op, TypeWord word) {
  return kFunctions[static_cast<std::size_t>(op)][static_cast<std::size_t>(word)];
}

void run_primitive(const PrimContext& context, Op op, TypeWord word, std::span<Value> operands,
                   std::span<Value> results) {
  const PrimFn function = find_primitive(op, word);
  NVM_CHECK(function != nullptr, "not an instruction of the primitives");
  function({context, op, word, operands.data(), results.data()});
}

}  // namespace nvm::vm
