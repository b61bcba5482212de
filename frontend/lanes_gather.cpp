// Values picked by index from each segment.
#include <algorithm>

#include "bytecode/base/stack.h"
#include "frontend/lanes.h"

namespace nvm::frontend {

using core::TypeKind;
using flat::Atom;
using flat::Atoms;
using flat::Builder;

namespace {

Atom gathered(Builder& b, TypeWord word, Atom from, Atom index, Atom from_segments, Atom to_segments) {
  return b.op(Op::kBpermute, word, {from, index, from_segments, to_segments});
}
const Builder::Made* gather_of(const Builder& b, Atom atom) {
  const Builder::Made* made = b.made(atom);
  return made && made->op == Op::kBpermute ? made : nullptr;
}

// Start and stride of numbers at equal distances in each segment; empty if `atom` is none of them.
Atoms run_of(const Builder& b, Atom atom, Atom segments) {
  const Builder::Made* made = b.made(atom);
  return made && made->op == Op::kIndex && made->args[2] == segments ? Atoms{made->args[0], made->args[1]}
                                                                     : Atoms();
}

Val number(const Lanes* lanes, Atom atom) { return {core::base_type(TypeKind::kInt), lanes, atom, {}}; }

// What all elements of `atom` are, one number for each segment of `segments`; -1 if that is not known.
Atom repeated(const Builder& b, Atom atom, Atom segments) {
  const Builder::Made* made = b.made(atom);
  return made && made->op == Op::kDist && made->args[1] == segments ? made->args[0] : -1;
}

// Places at equal distances in segments of one length, for deeper instances and counted from the beginning of
// the first segment: so nobody asks which of the instances between are of one segment.
std::optional<Atom> run_in_whole(LaneOps& ops, const Builder& b, const IndexMap& map) {
  const Lanes *outer = map.from->parent, *row = map.to->parent;
  const Atoms run = run_of(b, map.index, map.to->segments);
  if (!map.inside || run.empty() || outer == ops.root() || outer == row) return std::nullopt;
  const Atom length = repeated(b, ops.read_lengths(map.from->segments), ops.whole(outer));
  if (length < 0) return std::nullopt;
  const Lanes* all = ops.elements(ops.root(), ops.whole(outer));
  const Atom first = ops.at(number(outer, ops.iota(ops.integer(0), number(ops.root(), length), all)), row);
  return ops.iota(number(row, ops.int_op(Op::kAdd, first, run[0])), number(row, run[1]), map.to);
}

}  // namespace

Val LaneOps::gather(const Val& value, const IndexMap& map) {
  std::vector<IndexMap> maps{map};
  return gather_by(value, maps);
}

Val LaneOps::gather_by(const Val& value, std::vector<IndexMap>& maps) {
  check_stack();
  const auto find = [&maps](const Lanes* lanes) -> const IndexMap* {
    const auto map =
        std::find_if(maps.rbegin(), maps.rend(), [&](const IndexMap& m) { return m.from == lanes; });
    return map == maps.rend() ? nullptr : &*map;
  };
  switch (value.type->kind) {
    case TypeKind::kUnit: return value;
    case TypeKind::kPair: {
      Val a = gather_by(value.kids[0], maps);
      return pair(std::move(a), gather_by(value.kids[1], maps));
    }
    case TypeKind::kSeq: {
      const IndexMap* found = find(value.lanes->parent);
      if (!found) return value;
      const IndexMap map = *found;
      const Atom sizes = lengths(value);
      const Atom starts = offsets(sizes, map.from);
      const auto pick = [&](Atom atom) { return picked(atom, TypeWord::kInt, map); };
      const Lanes* to = elements(map.to, descriptor(pick(sizes)));
      const Val first = scalar(core::base_type(TypeKind::kInt), map.to, pick(starts));
      const bool part = map.single || map.part;
      maps.push_back(
          {value.lanes, to, iota(first, integer(1), to), whole(value.lanes), whole(to), false, false, part});
      Val element = gather_by(value.kids[0], maps);
      maps.pop_back();
      return sequence(to, std::move(element));
    }
    default: {
      const IndexMap* map = find(value.lanes);
      if (!map) return value;
      return scalar(value.type, map->to, picked(value.atom, word_of(value.type), *map));
    }
  }
}

Atom LaneOps::picked(Atom atom, TypeWord word, const IndexMap& map) {
  if (map.single) return b_.op(Op::kExtract, word, {atom, map.index, map.from_segments});
  if (const auto composed = picked_behind(atom, word, map)) return *composed;
  // A part of what was picked is picked from the original: of many fields, with the same indices.
  const Builder::Made* gather = map.part ? gather_of(b_, atom) : nullptr;
  if (gather && gather->args[3] == map.from_segments) {
    const Atoms behind = gather->args;
    const Atom index = gathered(b_, TypeWord::kInt, behind[1], map.index, map.from_segments, map.to_segments);
    return gathered(b_, word, behind[0], index, behind[2], map.to_segments);
  }
  if (const auto index = run_in_whole(*this, b_, map))
    return gathered(b_, word, atom, *index, whole(map.from), whole(map.to));
  return gathered(b_, word, atom, map.index, map.from_segments, map.to_segments);
}

// Numbers at equal distances, picked at equal distances, are such; and what was so picked and is picked from
// again is picked from the original.
std::optional<Atom> LaneOps::picked_behind(Atom atom, TypeWord word, const IndexMap& map) {
  const Atoms second = map.inside ? run_of(b_, map.index, map.to->segments) : Atoms();
  if (second.empty()) return std::nullopt;
  const auto composed = [&](const Atoms& first) {
    const Lanes* row = map.to->parent;
    const auto here = [&](Atom of_outer) { return at(number(map.from->parent, of_outer), row); };
    const Atom distance = int_op(Op::kMul, here(first[1]), second[0]);
    const Atom start = int_op(Op::kAdd, here(first[0]), distance);
    return iota(number(row, start), number(row, int_op(Op::kMul, here(first[1]), second[1])), map.to);
  };
  if (const Atoms numbers = run_of(b_, atom, map.from->segments); !numbers.empty()) return composed(numbers);
  const Builder::Made* gather = gather_of(b_, atom);
  if (!gather || map.from->parent != map.to->parent) return std::nullopt;
  const Atoms behind = gather->args;
  const bool segmented = behind[3] == map.from->segments;
  const Atoms first =
      segmented || behind[3] == whole(map.from) ? run_of(b_, behind[1], map.from->segments) : Atoms();
  if (first.empty()) return std::nullopt;
  return gathered(b_, word, behind[0], composed(first), behind[2],
                  segmented ? map.to->segments : whole(map.to));
}

}  // namespace nvm::frontend
