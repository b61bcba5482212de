// Sequences that are constants, put together while the program is compiled: a literal of many strings is two
// constants, not as many steps.
#include "bytecode/base/stack.h"
#include "frontend/flatten.h"

namespace nvm::frontend {

using core::TypeKind;
using flat::Atom;
using flat::Atoms;

// The slots of the sequence if all of them are constants.
std::optional<Atoms> Body::constant_slots(const Val& value) {
  if (level(value) != ops_.root()) return std::nullopt;
  Atoms slots;
  if (!own_slots(value, ops_.root(), slots)) return std::nullopt;
  for (const Atom slot : slots)
    if (!b_.constant_of(slot)) return std::nullopt;
  return slots;
}

// False if a part lives on other lanes than its own: it would have to be copied.
bool Body::own_slots(const Val& value, const Lanes* lanes, Atoms& out) {
  check_stack();
  switch (value.type->kind) {
    case TypeKind::kUnit: return true;
    case TypeKind::kPair: return own_slots(value.kids[0], lanes, out) && own_slots(value.kids[1], lanes, out);
    case TypeKind::kSeq:
      out.push_back(value.lanes->segments);
      return value.lanes->parent == lanes && own_slots(value.kids[0], value.lanes, out);
    default: out.push_back(value.atom); return value.lanes == lanes;
  }
}

// Neighbours that are constants become one.
std::vector<Val> Body::with_constants_joined(const std::vector<Val>& values) {
  std::vector<Val> out;
  std::vector<Constant> joined;  // by slot, of the last one in `out` if it is a constant
  std::size_t parts = 0;         // that it was made of
  const auto finish = [&] {
    if (parts > 1) {
      Atoms slots;
      for (Constant& constant : joined) slots.push_back(b_.constant(std::move(constant)));
      std::size_t next = 0;
      out.back() = ops_.from_slots(out.back().type, ops_.root(), slots, next);
    }
    joined.clear();
    parts = 0;
  };
  for (const Val& value : values) {
    const auto slots = constant_slots(value);
    if (!slots || parts == 0) {
      finish();
      out.push_back(value);
    }
    if (!slots) continue;
    joined.resize(slots->size());
    for (std::size_t i = 0; i < slots->size(); ++i) {
      const Constant& part = *b_.constant_of((*slots)[i]);
      Constant& all = joined[i];
      all.word = parts == 0 || part.word == all.word ? part.word : TypeWord::kInt;  // characters are integers
      if (i == 0 && parts > 0)
        all.ints[0] += part.ints[0];  // one segment
      else
        all.ints.insert(all.ints.end(), part.ints.begin(), part.ints.end());
      all.floats.insert(all.floats.end(), part.floats.begin(), part.floats.end());
    }
    ++parts;
  }
  finish();
  return out;
}

}  // namespace nvm::frontend
