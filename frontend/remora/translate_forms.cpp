// Boxes, records, shapes as values.
#include <algorithm>

#include "bytecode/base/stack.h"
#include "frontend/remora/dimensions.h"

namespace nvm::remora {

namespace core = frontend::core;
using core::Prim;

namespace {

std::size_t field_of(const Atom& a, const std::string& name) {
  return static_cast<std::size_t>(std::find(a.names.begin(), a.names.end(), name) - a.names.begin());
}

// The rest of a shape behind its first pieces.
Type cell_type(Type t, std::size_t frame) {
  if (t.array == kNoVar) t.shape.erase(t.shape.begin(), t.shape.begin() + static_cast<std::ptrdiff_t>(frame));
  return t;
}

}  // namespace

// `type`: of the box.
Val Translator::box_of(const Type& type, std::vector<Code> witnesses, const Val& content) {
  const Val fits = packed(fitted(content, type.atom->types[0]));
  witnesses.push_back(fits.code);
  return {scalar(type.atom), code_.tuple(witnesses), meaning_of_parts({fits.meaning})};
}

Val Translator::boxes(const Expr& e, const Environment& in) {
  const Type type = type_in(e.type, in);
  const std::vector<Var>& bound = type.atom->bound;
  std::vector<Val> made;
  MeaningRef all;
  for (std::size_t k = 0; k < e.kids.size(); ++k) {
    const Val content = eval(*e.kids[k], in);
    std::vector<Code> witnesses;
    for (std::size_t w = 0; w < bound.size(); ++w)
      witnesses.push_back(witness(bound[w], shape_in(e.indices[k * bound.size() + w], in)));
    made.push_back(box_of(type, std::move(witnesses), content));
    all = united(all, made.back().meaning);
  }
  if (made.empty()) return {type, code_.empty(core_of(type.atom, nullptr))};
  std::vector<Code> codes;
  for (const Val& v : made) codes.push_back(recast(v, all).code);
  return {type, is_scalar(type) ? codes[0] : code_.sequence(codes), all};
}

Val Translator::unbox(const Expr& e, const Environment& in) {
  const Val b = packed(eval(*e.kids[0], in));
  const std::size_t frame = b.type.shape.size();
  return lifted({{b, frame}}, b.type.shape, cell_type(type_in(e.type, in), frame), [&](std::vector<Val> v) {
    Environment& with = inner(in);
    const Atom& sigma = *b.type.atom;
    const std::vector<Code> parts = code_.parts(v[0].code, sigma.bound.size() + 1);
    Substitution names;
    for (std::size_t k = 0; k < e.bound.size(); ++k) {
      const Variable x = program_.variables[e.bound[k]];
      const Var to = fresh_index(x.sort, x.name, parts[k]);
      bind_index(with.substitution, e.bound[k], to);
      bind_index(names, sigma.bound[k], to);
    }
    with.values[e.parameters[0]] = {names.on(sigma.types[0]), parts.back(), part_of(b.meaning, 0)};
    return eval(*e.kids[1], with);
  });
}

Val Translator::lift(const Expr& e, const Environment& in) {
  const Val n = eval(*e.kids[0], in);
  const Type type = type_in(e.type, in);
  const bool dim = is_dim(e.bound[0]);
  return lifted({{n, type.shape.size()}}, type.shape, scalar(type.atom), [&](std::vector<Val> v) {
    Environment& with = inner(in);
    const Variable x = program_.variables[e.bound[0]];
    Code given = v[0].code;
    {
      const At at(*this, e.kids[0]->pos);
      given = dim ? Dimensions(*this).one(given) : Dimensions(*this).several(given);
    }
    bind_index(with.substitution, e.bound[0], fresh_index(x.sort, x.name, given));
    return box_of(scalar(type.atom), {given}, eval(*e.kids[1], with));
  });
}

Val Translator::reshape(const Expr& e, const Environment& in) {
  const Val v = packed(eval(*e.kids[0], in));
  const Type type = type_in(e.type, in);
  const Dim from = program_.variables.product(v.type.shape), to = program_.variables.product(type.shape);
  const At at(*this, e.pos);
  Code all = sequence_of(v);
  if (!(from == to))
    all = ensure(code_.compare(Prim::kEq, number(from), number(to)), "size",
                 "the shapes have different numbers of atoms", all);
  return from_sequence(type, all, v.meaning);
}

Val Translator::reify(const Expr& e, const Environment& in) {
  const Type type = type_in(e.type, in);
  const Shape s = shape_in(e.indices[0], in);
  if (e.dimension) return {type, number(s[0].dim)};
  const Code all = dimensions(s);
  if (type.atom->kind != AtomKind::kSigma) return {type, all};
  return {type, code_.pair(code_.length(all), all)};
}

// ---- records

Val Translator::record(const Expr& e, const Environment& in) {
  const Type type = type_in(e.type, in);
  std::vector<Argument> fields;
  for (std::size_t k = 0; k < e.kids.size(); ++k) {
    Val v = packed(eval(*e.kids[k], in));
    const std::size_t frame =
        v.type.array != kNoVar ? 0 : v.type.shape.size() - type.atom->types[k].shape.size();
    fields.push_back({std::move(v), frame});
  }
  return lifted(std::move(fields), type.shape, scalar(type.atom), [&](const std::vector<Val>& v) {
    std::vector<Code> parts;
    std::vector<MeaningRef> meanings;
    for (const Val& x : v) {
      parts.push_back(x.code);
      meanings.push_back(x.meaning);
    }
    return Val{scalar(type.atom), code_.tuple(parts), meaning_of_parts(std::move(meanings))};
  });
}

Val Translator::view(const Expr& e, const Environment& in) {
  const Val r = packed(eval(*e.kids[0], in));
  const Atom& a = *r.type.atom;
  const std::size_t k = field_of(a, e.names[0]);
  return lifted({{r, r.type.shape.size()}}, r.type.shape, a.types[k], [&](std::vector<Val> v) {
    return Val{a.types[k], code_.parts(v[0].code, a.names.size())[k], part_of(r.meaning, k)};
  });
}

// The record with what `change` makes of the field at the end of the path.
Val Translator::with_field(const Val& record, const std::vector<std::string>& path, std::size_t at,
                           const Change& change) {
  check_stack();
  if (at == path.size()) return packed(change(record));
  const Atom& a = *record.type.atom;
  std::vector<Code> parts = code_.parts(record.code, a.names.size());
  std::vector<MeaningRef> meanings;
  for (std::size_t k = 0; k < parts.size(); ++k) meanings.push_back(part_of(record.meaning, k));
  const std::size_t k = field_of(a, path[at]);
  const Val now = with_field({a.types[k], parts[k], meanings[k]}, path, at + 1, change);
  parts[k] = now.code;
  meanings[k] = now.meaning;
  return {record.type, code_.tuple(parts), meaning_of_parts(std::move(meanings))};
}

Val Translator::set(const Expr& e, const Environment& in) {
  const Val v = packed(eval(*e.kids[0], in)), r = packed(eval(*e.kids[1], in));
  return lifted({{r, r.type.shape.size()}}, r.type.shape, scalar(r.type.atom), [&](std::vector<Val> x) {
    return with_field(x[0], e.names, 0, [&](const Val& field) { return fitted(v, field.type); });
  });
}

Val Translator::over(const Expr& e, const Environment& in) {
  const Val f = eval(*e.kids[0], in), r = packed(eval(*e.kids[1], in));
  const At at(*this, e.pos);
  return lifted({{r, r.type.shape.size()}}, r.type.shape, scalar(r.type.atom), [&](std::vector<Val> x) {
    return with_field(x[0], e.names, 0, [&](const Val& field) { return call(f, {field}, field.type); });
  });
}

}  // namespace nvm::remora
