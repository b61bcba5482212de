// Values of several lanes put together, and sequences packed by flags.
#include "bytecode/base/stack.h"
#include "frontend/lanes.h"

namespace nvm::frontend {

using core::TypeKind;
using flat::Atom;

// Of an instance's own lengths, and nowhere counted over all instances: no scans, no sums.
Val LaneOps::scatter(const std::vector<Source>& sources, const Lanes* to, const Rest* rest) {
  check_stack();
  const core::Type* type = sources.front().value.type;
  const auto put = [&](const Source& s, TypeWord word, Atom vector, Atom into) {
    return b_.op(Op::kDpermute, word, {vector, s.places, into, s.from_segments, s.to_segments});
  };
  switch (type->kind) {
    case TypeKind::kUnit: return unit();
    case TypeKind::kPair: {
      const auto part = [&](std::size_t which) {
        std::vector<Source> parts = sources;
        for (Source& s : parts) s.value = Val(s.value.kids[which]);
        if (!rest) return scatter(parts, to);
        const Rest of{rest->value.kids[which], rest->flags};
        return scatter(parts, to, &of);
      };
      Val a = part(0);
      return pair(std::move(a), part(1));
    }
    case TypeKind::kSeq: {
      const Atom none = at(integer(0), to);
      Atom sizes = rest ? lengths(rest->value) : -1;
      std::vector<Source> parts;
      for (const Source& s : sources) {
        const Atom own = put(s, TypeWord::kInt, lengths(s.value), none);
        sizes = sizes < 0 ? own : put(s, TypeWord::kInt, lengths(s.value), sizes);
        const Lanes* from = elements(to, descriptor(own));
        parts.push_back({s.value.kids[0], iota(from), from->segments, -1});
      }
      if (rest) {
        const Val left = chosen_of(rest->value, rest->flags);
        parts.insert(parts.begin(), {left.kids[0], iota(left.lanes), left.lanes->segments, -1});
      }
      const Lanes* inner = elements(to, descriptor(sizes));
      for (Source& s : parts) s.to_segments = inner->segments;
      return sequence(inner, scatter(parts, inner));
    }
    default: {
      const TypeWord word = word_of(type);
      Atom result = rest ? rest->value.atom : everywhere(zero(type), to);
      for (const Source& s : sources) result = put(s, word, s.value.atom, result);
      return scalar(type, to, result);
    }
  }
}

// The number on all lanes: segment by segment, if it is on the parent anyhow.
Atom LaneOps::everywhere(const Val& number, const Lanes* lanes) {
  if (lanes->kind != Lanes::Kind::kElements || lanes->parent == &root_) return at(number, lanes);
  return spread_atom(at(number, lanes->parent), word_of(number.type), lanes->segments);
}

// For each instance the whole sequence, or an empty one where the flag is false.
Val LaneOps::chosen_of(const Val& value, Atom flags) {
  const Atom each = spread_atom(flags, TypeWord::kBool, value.lanes->segments);
  return pack_elements(value.lanes, value.kids[0], each);
}

// The first vector packed tells the new lengths.
Val LaneOps::pack_elements(const Lanes* inner, const Val& element, Atom flags) {
  Atom segments = -1;
  const std::function<void(const Val&)> first = [&](const Val& value) {
    if (value.type->kind == TypeKind::kPair) {
      first(value.kids[0]);
      first(value.kids[1]);
    } else if (segments < 0 && is_scalar(value.type) && value.lanes == inner) {
      segments = b_.ops(Op::kPack, word_of(value.type), {value.atom, flags, inner->segments})[1];
    }
  };
  first(element);
  if (segments < 0) {
    const Atom ones = b_.op(Op::kBtoI, TypeWord::kNone, {flags});
    segments = descriptor(b_.op(Op::kAddReduce, TypeWord::kInt, {ones, inner->segments}));
  }
  const Lanes* to = elements(inner->parent, segments);
  return sequence(to, pack(element, inner, to, flags));
}

}  // namespace nvm::frontend
