// split: a stable partition by flags. Its groups, taken one by one, are what the flags choose, and nothing is
// moved.
#include "frontend/flatten.h"

namespace nvm::frontend {

using core::TypeKind;
using flat::Atom;
using flat::Atoms;

Val Body::split_by(const Val& v, const Val& flags, const Lanes* lanes) {
  const Lanes* outer = deeper(level(v), level(flags));
  const Val values = ops_.settle(v, outer);
  const Val flag =
      same_lanes(ops_.settle(flags, outer), values.lanes, lanes, "Length mismatch in function SPLIT.");
  const Lanes* inner = values.lanes;
  const Atom chosen = ops_.at(flag, inner), segments = inner->segments;
  const Atom ones = b_.op(Op::kBtoI, TypeWord::kNone, {chosen});
  const Atom rank = b_.op(Op::kAddScan, TypeWord::kInt, {ones, segments});
  const Atom last = b_.op(Op::kAddReduce, TypeWord::kInt, {ones, segments});
  const Atom first = b_.op(Op::kSub, TypeWord::kInt, {ops_.lengths(values), last});
  const Atom behind =
      b_.op(Op::kAdd, TypeWord::kInt, {ops_.spread_atom(first, TypeWord::kInt, segments), rank});
  const Atom before = b_.op(Op::kSub, TypeWord::kInt, {ops_.iota(inner), rank});
  const Atom places = b_.op(Op::kSelect, TypeWord::kInt, {chosen, behind, before});
  const Val moved = permuted(values, places);  // before the sizes: the host makes descriptors
  const Lanes* groups = ops_.regular(outer, 2);
  const Atom sizes = listed({integer(outer, first), integer(outer, last)}, outer, groups->segments);
  const Lanes* to = ops_.elements(groups, ops_.descriptor(sizes));
  Val both = ops_.sequence(groups, ops_.sequence(to, ops_.rename(moved.kids[0], moved.lanes, to)));
  splits_[groups] = {both, values, chosen};
  return both;
}

// Nothing, if `v` is not what a split made, as it made it.
std::optional<Val> Body::group_of_split(const Val& v, std::int32_t place) {
  const auto it = splits_.find(v.lanes);
  if (it == splits_.end() || !LaneOps::same(it->second.groups, v)) return std::nullopt;
  const Val& values = it->second.values;
  const Atom flags = it->second.flags;
  const Atom chosen = place == 1 ? flags : b_.op(Op::kNot, TypeWord::kBool, {flags});
  return ops_.pack_elements(values.lanes, ops_.normal(values, values.lanes->parent).kids[0], chosen);
}

// Every element at the place that stands for it; the places are distinct, and no check tells.
Val Body::permuted(const Val& values, Atom places) {
  const Atom segments = values.lanes->segments;
  const std::function<Val(const Val&)> flat = [&](const Val& value) -> Val {
    if (value.type->kind == TypeKind::kUnit) return value;
    if (value.type->kind == TypeKind::kPair) {
      Val a = flat(value.kids[0]);
      return LaneOps::pair(std::move(a), flat(value.kids[1]));
    }
    return ops_.scalar(value.type, values.lanes,
                       b_.op(Op::kPermute, word_of(value.type), {value.atom, places, segments}));
  };
  if (all_scalar(values.kids[0].type)) return ops_.sequence(values.lanes, flat(values.kids[0]));
  const Atom inverse = b_.op(Op::kPermute, TypeWord::kInt, {ops_.iota(values.lanes), places, segments});
  const Lanes* to = ops_.elements(values.lanes->parent, segments);
  return ops_.sequence(to, ops_.gather(values.kids[0], {values.lanes, to, inverse, segments, segments}));
}

}  // namespace nvm::frontend
