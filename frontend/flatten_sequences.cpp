// Primitives that make, index, rearrange and nest sequences. Nested elements move by gathers of positions.
#include <algorithm>
#include <map>

#include "bytecode/base/check.h"
#include "bytecode/base/stack.h"
#include "frontend/flatten.h"

namespace nvm::frontend {

using core::Expr;
using core::TypeKind;
using flat::Atom;
using flat::Atoms;

Val Body::lengths(const Val& v) { return integer(v.lanes->parent, ops_.lengths(v)); }

// The first vector of a fresh value must be made even if nobody reads it: making it may be an error.
void Body::keep_first(const Val& value, const Lanes* lanes) {
  Atoms atoms;
  ops_.collect(value, lanes, atoms);
  if (!atoms.empty()) b_.keep(atoms[0]);
}

// Copies are not made until somebody needs them element by element.
Val Body::distribute(const Val& x, const Val& n, const Lanes* lanes) {
  (void)lanes;
  const Lanes* outer = deeper(level(x), n.lanes);
  const bool sound = b_.are_lengths(n.atom);  // before the descriptor says so
  const Atom segments = ops_.descriptor(ops_.at(n, outer));
  if (!sound) b_.keep(segments);
  return ops_.sequence(ops_.elements(outer, segments), x);
}

void Body::check_range(const Val& i, const Val& length, const Lanes* lanes, const char* message) {
  const Val low = map2(Op::kLt, TypeWord::kInt, TypeKind::kBool, i, ops_.integer(0));
  const Val high = map2(Op::kGe, TypeWord::kInt, TypeKind::kBool, i, length);
  check(map2(Op::kOr, TypeWord::kBool, TypeKind::kBool, low, high), lanes, message);
}

// v[i]. If v is the same for many instances they gather from the one v.
Val Body::element(const Val& v, const Val& i, const Lanes* lanes) {
  check_stack();
  if (const auto place = fixed_place(v, i))
    if (auto group = group_of_split(v, *place)) return std::move(*group);
  const Lanes* natural = deeper(level(v), i.lanes);
  const bool once = lanes->inhabited && natural == ops_.root();
  const Lanes* to = once ? natural : deeper(natural, lanes);
  const Lanes* from = v.lanes->parent;
  const Val& inner = v.kids[0];
  if (level(inner) != v.lanes) {
    check_range(i, lengths(v), lanes, "Sequence reference (a[i]) out of bounds.");
    if (is_scalar(inner.type) || level(inner)->depth < v.lanes->depth) return inner;
  }
  if (to == from && is_scalar(inner.type)) {
    const Atom result =
        b_.op(Op::kExtract, word_of(inner.type), {inner.atom, ops_.at(i, to), v.lanes->segments});
    if (!fixed_place(v, i)) b_.keep(result);
    return ops_.scalar(inner.type, to, result);
  }
  if (to == from && all_scalar(inner.type)) {
    Val a = element(ops_.sequence(v.lanes, inner.kids[0]), i, to);
    return LaneOps::pair(std::move(a), element(ops_.sequence(v.lanes, inner.kids[1]), i, to));
  }
  const bool single = to == from;
  const bool inside = all_.source().sound || fixed_place(v, i);
  const IndexMap map{v.lanes, to,    ops_.at(i, to), v.lanes->segments, single ? -1 : ops_.segments(to, from),
                     single,  inside};
  Val result = ops_.gather(inner, map);
  if (!inside) keep_first(result, to);
  return result;
}

// A number that is an index of every segment.
std::optional<std::int32_t> Body::fixed_place(const Val& v, const Val& i) const {
  const Constant* place = i.lanes == ops_.root() ? b_.known(i.atom) : nullptr;
  if (!place || place->ints[0] < 0 || place->ints[0] >= v.lanes->each) return std::nullopt;
  return static_cast<std::int32_t>(place->ints[0]);
}

Val Body::get(const Val& v, const Val& indices, const Lanes* lanes) {
  (void)lanes;
  const Lanes* outer = deeper(level(v), level(indices));
  const Val index = ops_.spread(indices, outer);
  const IndexMap map{v.lanes,
                     index.lanes,
                     ops_.at(index.kids[0], index.lanes),
                     v.lanes->segments,
                     ops_.segments(index.lanes, v.lanes->parent),
                     false,
                     runs_inside(index, v)};
  const Val inner = ops_.normal(v, v.lanes->parent).kids[0];
  if (level(inner) != v.lanes) {
    const Val limit = integer(v.lanes->parent, ops_.lengths(v));
    check_range(index.kids[0], limit, index.lanes, "Index out of bounds for function ->.");
    return ops_.sequence(index.lanes, inner);
  }
  Val result = ops_.gather(inner, map);
  if (!map.inside) keep_first(result, index.lanes);
  return ops_.sequence(index.lanes, std::move(result));
}

// Indices one after the other, up or down, known not to leave the sequence.
bool Body::runs_inside(const Val& indices, const Val& v) {
  const flat::Builder::Made* m = b_.made(indices.kids[0].atom);
  if (!m || m->op != Op::kIndex || indices.kids[0].lanes != indices.lanes ||
      m->args[2] != indices.lanes->segments)
    return false;
  const Atom start = b_.copied(m->args[0]), stride = b_.copied(m->args[1]);
  const Atom count = b_.copied(ops_.lengths(indices)), limit = b_.copied(ops_.lengths(v));
  const Constant* by = b_.known(stride);
  if (!by) return false;
  const auto is_one = [&](Atom atom) {
    const Constant* value = b_.known(b_.copied(atom));
    return value && value->ints[0] == 1;
  };
  const auto difference = [&](Atom atom) {  // a - b
    const flat::Builder::Made* of = b_.made(atom);
    return of && of->op == Op::kSub && of->word == TypeWord::kInt ? of->args : Atoms{-1, -1};
  };
  if (by->ints[0] == 1) {  // from `start` to the end, or as many from 0
    const Atoms length = difference(count);
    const Constant* from = b_.known(start);
    if (from && from->ints[0] == 0) return b_.not_above(count, limit);
    return length[0] >= 0 && b_.copied(length[1]) == start && b_.not_negative(start) &&
           b_.subtracts(length[0], length[1]) && b_.not_above(length[0], limit);
  }
  if (by->ints[0] != -1) return false;
  const Atoms last = difference(start);  // from one below something down to 0 or more
  return last[0] >= 0 && is_one(last[1]) && b_.subtracts(last[0], last[1]) && b_.not_above(last[0], limit) &&
         b_.not_above(count, last[0]);
}

Val Body::replace(const Val& v, const Val& x, const Val& i, const Lanes* lanes) {
  check_stack();
  const Lanes* outer = deeper(level(v), deeper(level(x), i.lanes));
  const Val d = ops_.settle(v, outer);
  const Val value = ops_.settle(x, outer);
  const Atom index = ops_.at(i, outer);
  if (is_scalar(value.type)) {
    const Atom result =
        b_.op(Op::kReplace, word_of(value.type), {d.kids[0].atom, index, value.atom, d.lanes->segments});
    b_.keep(result);
    return ops_.sequence(d.lanes, ops_.scalar(value.type, d.lanes, result));
  }
  if (all_scalar(value.type) && value.type->kind == TypeKind::kPair) {
    const Val a =
        replace(ops_.sequence(d.lanes, d.kids[0].kids[0]), value.kids[0], integer(outer, index), lanes);
    const Val b =
        replace(ops_.sequence(d.lanes, d.kids[0].kids[1]), value.kids[1], integer(outer, index), lanes);
    return ops_.sequence(d.lanes, LaneOps::pair(a.kids[0], b.kids[0]));
  }
  const Lanes* one = ops_.elements(outer, ops_.ones(outer));
  const Atom winner = b_.op(Op::kReplace, TypeWord::kInt,
                            {nobody(d.lanes), index, ops_.at(ops_.integer(0), outer), d.lanes->segments});
  return put_nested(d, ops_.sequence(one, ops_.rename(value, outer, one)), winner, one);
}

// By DPERMUTE, or one that combines numbers.
Val Body::put(Op op, const Val& v, const Val& pairs) {
  const Lanes* outer = deeper(level(v), level(pairs));
  const Val d = ops_.settle(v, outer);
  const Val p = ops_.settle(pairs, outer);
  const Atom index = p.kids[0].kids[0].atom;
  const Val& values = p.kids[0].kids[1];
  const std::function<Val(const Val&, const Val&)> flat = [&](const Val& into, const Val& value) -> Val {
    if (value.type->kind == TypeKind::kUnit) return into;
    if (value.type->kind == TypeKind::kPair) {
      Val a = flat(into.kids[0], value.kids[0]);
      return LaneOps::pair(std::move(a), flat(into.kids[1], value.kids[1]));
    }
    return ops_.scalar(
        value.type, d.lanes,
        b_.op(op, word_of(value.type), {value.atom, index, into.atom, p.lanes->segments, d.lanes->segments}));
  };
  if (all_scalar(values.type)) {
    Val result = flat(d.kids[0], values);
    keep_first(result, d.lanes);
    return ops_.sequence(d.lanes, std::move(result));
  }
  const Val limit = integer(p.lanes, ops_.at(lengths(d), p.lanes));
  check_range(integer(p.lanes, index), limit, p.lanes, "Index out of bounds for function <-.");
  const Atom winner =
      b_.op(Op::kDpermute, TypeWord::kInt,
            {ops_.iota(p.lanes), index, nobody(d.lanes), p.lanes->segments, d.lanes->segments});
  return put_nested(d, ops_.sequence(p.lanes, values), winner, p.lanes);
}

// `winner`: for every place of d which of the values goes there, -1: none. Both kinds of elements are packed
// and merged.
Val Body::put_nested(const Val& d, const Val& values, Atom winner, const Lanes* from) {
  const Lanes* outer = d.lanes->parent;
  const Atom segments = d.lanes->segments;
  const Atom kept = b_.op(Op::kLt, TypeWord::kInt, {winner, ops_.at(ops_.integer(0), d.lanes)});
  const Atom taken = b_.op(Op::kNot, TypeWord::kBool, {kept});
  const auto places = [&](Atom flags) {
    return b_.ops(Op::kPack, TypeWord::kInt, {ops_.iota(d.lanes), flags, segments});
  };
  const Atoms old_places = places(kept), new_places = places(taken);
  const Lanes* old_lanes = ops_.elements(outer, old_places[1]);
  const Lanes* new_lanes = ops_.elements(outer, new_places[1]);
  const Val old_values = ops_.settle(ops_.pack(d.kids[0], d.lanes, old_lanes, kept), old_lanes);
  const Atom which = b_.ops(Op::kPack, TypeWord::kInt, {winner, taken, segments}).front();
  const IndexMap map{from, new_lanes, which, from->segments, new_lanes->segments};
  const Val new_values = ops_.settle(ops_.gather(values.kids[0], map), new_lanes);
  return ops_.sequence(d.lanes, ops_.scatter({{old_values, old_places[0], old_lanes->segments, segments},
                                              {new_values, new_places[0], new_lanes->segments, segments}},
                                             d.lanes));
}

Val Body::permute(const Val& v, const Val& indices, const Lanes* lanes) {
  const Lanes* outer = deeper(level(v), level(indices));
  const Val values = ops_.settle(v, outer);
  const Val index =
      same_lanes(ops_.settle(indices, outer), values.lanes, lanes, "Bad arguments to function PERMUTE.");
  Val result = permuted(values, ops_.at(index, values.lanes));
  if (all_scalar(values.kids[0].type)) keep_first(result.kids[0], values.lanes);
  return result;
}

Val Body::pack(const Val& pairs) {
  const Val& flag = pairs.kids[0].kids[1];
  const Lanes* inner = pairs.lanes;
  const Atom flags = ops_.at(flag, inner);
  return ops_.pack_elements(
      inner, ops_.normal(ops_.lower(pairs.kids[0].kids[0], inner->parent, inner), inner), flags);
}

// The parts one after the other.
Val Body::concatenate(const std::vector<Part>& parts) {
  const Lanes* outer = ops_.root();
  for (const Part& part : parts) outer = deeper(outer, level(part.value));
  const auto length_of = [&](const Val& value, std::int32_t place) {
    if (place < 0) return lengths(value);
    const Atom index = ops_.at(ops_.integer(place), outer);
    return integer(outer, b_.op(Op::kExtract, TypeWord::kInt,
                                {ops_.lengths(value.kids[0]), index, value.lanes->segments}));
  };
  std::vector<Val> values;                 // by part; none where the part is one of a value already there
  std::vector<std::vector<Val>> starts;    // by value; of its elements, or of itself
  std::map<std::int32_t, std::size_t> of;  // variable to value
  const auto add = [&](const Val& x, const Val& y) {
    return map2(Op::kAdd, TypeWord::kInt, TypeKind::kInt, x, y);
  };
  Val total = ops_.integer(0), all = ops_.integer(0);
  for (const Part& part : parts) {
    const auto next = static_cast<std::size_t>(values.size());
    const std::size_t number = part.place < 0 ? next : of.emplace(part.variable, next).first->second;
    if (number == next) {
      values.push_back(ops_.settle(part.value, outer));
      starts.emplace_back();
      const Val& value = values.back();
      const bool pieces = part.place >= 0;
      all = add(all, pieces ? integer(outer, ops_.read_lengths(ops_.segments(value.kids[0].lanes, outer)))
                            : lengths(value));
    }
    const auto place = static_cast<std::size_t>(std::max(part.place, 0));
    starts[number].resize(std::max(starts[number].size(), place + 1));
    starts[number][place] = total;
    if (&part != &parts.back()) total = add(total, length_of(values[number], part.place));
  }
  const Lanes* to = ops_.elements(outer, ops_.descriptor(ops_.at(all, outer)));
  std::vector<LaneOps::Source> sources;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool pieces = values[i].type->a->kind == TypeKind::kSeq && starts[i].size() > 1;
    const Val& value = pieces ? values[i].kids[0] : values[i];
    const Val start =
        pieces ? integer(values[i].lanes, listed(starts[i], outer, values[i].lanes->segments)) : starts[i][0];
    sources.push_back({value.kids[0], ops_.iota(start, ops_.integer(1), value.lanes),
                       ops_.segments(value.lanes, outer), to->segments});
  }
  return ops_.sequence(to, ops_.scatter(sources, to));
}

Val Body::concatenate(const std::vector<Val>& values) {
  std::vector<Part> parts;
  for (const Val& value : with_constants_joined(values)) {
    const Constant* length = value.lanes->parent == ops_.root() ? b_.known(value.lanes->segments) : nullptr;
    if (!length || length->ints[0] != 0) parts.push_back({value, -1, -1});
  }
  if (parts.empty()) return values[0];
  if (parts.size() == 1) return parts[0].value;
  auto one = runs_of_one(parts);
  return one ? std::move(*one) : concatenate(parts);
}

// Parts that were picked at equal distances, all out of the same vectors, are picked in one go.
std::optional<Val> Body::runs_of_one(const std::vector<Part>& parts) {
  const Lanes* outer = level(parts[0].value);
  std::vector<Val> lengths_of, starts, strides;
  std::vector<Atoms> gathers;    // of the first part, by vector
  const Lanes* under = nullptr;  // whose instances have segments of those vectors
  for (const Part& part : parts) {
    const Val& value = part.value;
    if (level(value) != outer || !all_scalar(value.kids[0].type)) return std::nullopt;
    std::vector<Val> vectors;
    leaves(value.kids[0], vectors);
    gathers.resize(vectors.size());
    for (std::size_t i = 0; i < vectors.size(); ++i) {
      const flat::Builder::Made* m = vectors[i].lanes == value.lanes ? b_.made(vectors[i].atom) : nullptr;
      if (!m || m->op != Op::kBpermute) return std::nullopt;
      const flat::Builder::Made* run = b_.made(m->args[1]);
      if (!run || run->op != Op::kIndex || run->args[2] != value.lanes->segments) return std::nullopt;
      if (!under)
        for (const Lanes* l = outer; l && !under; l = l->parent)
          if (ops_.segments(value.lanes, l) == m->args[3]) under = l;
      if (!under || ops_.segments(value.lanes, under) != m->args[3]) return std::nullopt;
      if (gathers[i].empty()) gathers[i] = m->args;
      if (m->args[0] != gathers[i][0] || m->args[2] != gathers[i][2]) return std::nullopt;
      if (i > 0) {
        if (run->args[0] != starts.back().atom || run->args[1] != strides.back().atom) return std::nullopt;
        continue;
      }
      starts.push_back(integer(outer, run->args[0]));
      strides.push_back(integer(outer, run->args[1]));
    }
    lengths_of.push_back(lengths(value));
  }
  const Lanes* runs = ops_.regular(outer, static_cast<std::int32_t>(parts.size()));
  const auto list = [&](const std::vector<Val>& numbers) { return listed(numbers, outer, runs->segments); };
  const Lanes* inner = ops_.elements(runs, ops_.descriptor(list(lengths_of)));
  const Lanes* to = ops_.elements(outer, ops_.segments(inner, outer));
  const Atom index = b_.op(Op::kIndex, TypeWord::kNone, {list(starts), list(strides), inner->segments});
  std::size_t next = 0;
  const std::function<Val(const core::Type*)> pick = [&](const core::Type* type) -> Val {
    if (type->kind == TypeKind::kPair) {
      Val a = pick(type->a);
      return LaneOps::pair(std::move(a), pick(type->b));
    }
    const Atoms& from = gathers[next++];
    return ops_.scalar(
        type, to, b_.op(Op::kBpermute, word_of(type), {from[0], index, from[2], ops_.segments(to, under)}));
  };
  return ops_.sequence(to, pick(parts[0].value.type->a));
}

Val Body::flattened(const Val& v) {
  const Lanes* outer = v.lanes->parent;
  const Val inner = ops_.spread(v.kids[0], v.lanes);
  const Lanes* to = ops_.elements(outer, ops_.segments(inner.lanes, outer));
  const Val element = ops_.lower(inner.kids[0], v.lanes, inner.lanes);
  return ops_.sequence(to, ops_.rename(element, inner.lanes, to));
}

Val Body::partition(const Val& v, const Val& counts, const Lanes* lanes) {
  const Lanes* outer = deeper(level(v), level(counts));
  const Val data = ops_.spread(v, outer), groups = ops_.spread(counts, outer);
  const Atom sizes = ops_.at(groups.kids[0], groups.lanes);
  const Atom segments = ops_.descriptor(sizes);
  if (all_.checks_arguments()) b_.keep(segments);
  const Atom sum = b_.op(Op::kAddReduce, TypeWord::kInt, {sizes, groups.lanes->segments});
  check_lengths(integer(outer, sum), lengths(data), lanes, "Length mismatch in function PARTITION.");
  const Lanes* to = ops_.elements(groups.lanes, segments);
  return ops_.sequence(groups.lanes, ops_.sequence(to, ops_.rename(data.kids[0], data.lanes, to)));
}

// The element of `v` seen as of lanes `to`, after making sure that there are as many.
Val Body::same_lanes(const Val& v, const Lanes* to, const Lanes* lanes, const char* message) {
  if (v.lanes == to) return v.kids[0];
  if (v.lanes->segments != to->segments) {
    const Val here = integer(to->parent, ops_.read_lengths(to->segments));
    check_lengths(here, lengths(v), lanes, message);
    b_.numbering().equate(v.lanes->segments, to->segments);
  }
  return ops_.rename(v.kids[0], v.lanes, to);
}

Val Body::zip(const Val& a, const Val& b, const Lanes* lanes) {
  const Lanes* outer = deeper(level(a), level(b));
  const Val x = ops_.spread(a, outer);
  const Val y = same_lanes(ops_.spread(b, outer), x.lanes, lanes, "Length mismatch in function ZIP.");
  return ops_.sequence(x.lanes, LaneOps::pair(x.kids[0], y));
}

// The vector of these scalars of every instance of `outer`, in segments of as many.
Atom Body::listed(const std::vector<Val>& parts, const Lanes* outer, Atom segments) {
  const TypeWord word = word_of(parts[0].type);
  Constant constant{word, {}, {}};
  std::vector<std::size_t> rest;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Constant* value = parts[i].lanes == ops_.root() ? b_.known(parts[i].atom) : nullptr;
    if (!value) rest.push_back(i);
    if (word == TypeWord::kFloat)
      constant.floats.push_back(value ? value->floats[0] : 0.0);
    else
      constant.ints.push_back(value ? value->ints[0] : 0);
  }
  Atom vector;
  if (outer == ops_.root() && rest.size() < parts.size()) {
    vector = b_.constant(constant);
  } else {
    rest.clear();
    for (std::size_t i = 1; i < parts.size(); ++i)
      if (parts[i].lanes != parts[0].lanes || parts[i].atom != parts[0].atom) rest.push_back(i);
    vector = ops_.spread_atom(ops_.at(parts[0], outer), word, segments);
  }
  for (const std::size_t i : rest)
    vector = b_.op(Op::kReplace, word,
                   {vector, ops_.at(ops_.integer(static_cast<std::int64_t>(i)), outer),
                    ops_.at(parts[i], outer), segments});
  return vector;
}

// [e1, ..., en]: constants in one piece, the other scalars put in one by one; nested elements concatenated.
Val Body::literal(const Expr& e, const Lanes* lanes) {
  std::vector<Val> items;
  const Lanes* outer = ops_.root();
  for (const auto& kid : e.kids) {
    items.push_back(eval(*kid, lanes));
    outer = deeper(outer, level(items.back()));
  }
  const auto n = static_cast<std::int64_t>(items.size());
  if (n == 1 && !is_scalar(items[0].type)) {  // one instance for each there was
    const Lanes* one = ops_.elements(outer, ops_.ones(outer));
    return ops_.sequence(one, ops_.rename(items[0], outer, one));
  }
  const Lanes* inner = ops_.regular(outer, static_cast<std::int32_t>(n));
  const Atom segments = inner->segments;
  const std::function<Val(const std::vector<Val>&)> build = [&](const std::vector<Val>& parts) -> Val {
    const core::Type* type = parts[0].type;
    if (type->kind == TypeKind::kUnit) return parts[0];
    if (type->kind == TypeKind::kPair) {
      std::vector<Val> a, b;
      for (const Val& part : parts) {
        a.push_back(part.kids[0]);
        b.push_back(part.kids[1]);
      }
      Val first = build(a);
      return LaneOps::pair(std::move(first), build(b));
    }
    if (type->kind == TypeKind::kSeq) {
      std::vector<Val> sizes, spread;
      for (const Val& part : parts) {
        spread.push_back(ops_.spread(part, outer));
        sizes.push_back(lengths(spread.back()));
      }
      const Lanes* deepest = ops_.elements(inner, ops_.descriptor(build(sizes).atom));
      const Val all = concatenate(spread);
      return ops_.sequence(deepest, ops_.rename(all.kids[0], all.lanes, deepest));
    }
    return ops_.scalar(type, inner, listed(parts, outer, segments));
  };
  Val element = build(items);
  return ops_.sequence(inner, std::move(element));
}

}  // namespace nvm::frontend
