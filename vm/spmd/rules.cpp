#include "vm/spmd/rules.h"

#include <vector>

#include "vm/prims/operands.h"

namespace nvm::vm::spmd {

namespace {

struct Row {
  OpKind kind;
  Rule rule;
};
constexpr Row kRows[] = {
    {OpKind::kMap, map_parts},       {OpKind::kRandom, random_parts},   {OpKind::kDist, dist_parts},
    {OpKind::kIota, index_parts},    {OpKind::kShape, shape_parts},     {OpKind::kScan, fold_parts},
    {OpKind::kReduce, fold_parts},   {OpKind::kFilter, pack_parts},     {OpKind::kScatter, scatter_parts},
    {OpKind::kGather, gather_parts}, {OpKind::kExtract, extract_parts}, {OpKind::kReplace, replace_parts},
    {OpKind::kRank, rank_parts},
};

}  // namespace

Rule rule_of(Op op) {
  const OpKind kind = op_info(op).kind;
  for (const Row& row : kRows)
    if (row.kind == kind) return row.rule;
  return nullptr;
}

void check_shape(const Together& t) {
  std::vector<OperandSize> sizes;
  for (const Value& value : t.operands) {
    const auto* s = std::get_if<Segdes>(&value);
    sizes.push_back(s != nullptr ? OperandSize{s->segments(), s->total()}
                                 : OperandSize{length_of_vector(value), 0});
  }
  check_sizes(t.inst.op, t.prims().prefix_lengths, sizes);
}

CutRef Together::cut(std::int64_t length) const {
  CutRef best;
  std::int64_t most = 0;
  for (const Value& operand : operands) {
    const Distributed* d = distributed(operand);
    if (d == nullptr || d->length() != length || parts.bytes(d->type) <= most) continue;
    best = d->cut;
    most = parts.bytes(d->type);
  }
  return best != nullptr ? best : parts.cut_of(length);
}

void execute_gathered(const Together& t) {
  t.parts.gather(t.operands);
  run_primitive(t.prims(), t.inst.op, t.inst.word, t.operands, t.results);
  for (Value& result : t.results) result = t.parts.spread(std::move(result));
}

}  // namespace nvm::vm::spmd
