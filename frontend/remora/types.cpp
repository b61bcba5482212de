#include "frontend/remora/types.h"

#include <algorithm>

#include "bytecode/base/budget.h"
#include "bytecode/base/stack.h"

namespace nvm::remora {

namespace {

std::int64_t add(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  if (__builtin_add_overflow(a, b, &out)) throw TooLarge{"dimension"};
  return out;
}
std::int64_t multiply(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  if (__builtin_mul_overflow(a, b, &out)) throw TooLarge{"dimension"};
  return out;
}

// Replaces variables of a dimension by what `of` says: nothing keeps them.
template <typename F>
Dim replaced(const Dim& d, F&& of) {
  Dim out;
  for (const auto& [m, c] : d.terms) {
    Dim term(c);
    for (const Var v : m) {
      const std::optional<Dim> with = of(v);
      term = times(term, with ? *with : Dim::of(v));
    }
    out = plus(out, term);
  }
  return out;
}

}  // namespace

std::optional<std::int64_t> Dim::number() const {
  if (terms.empty()) return 0;
  if (terms.size() == 1 && terms.begin()->first.empty()) return terms.begin()->second;
  return std::nullopt;
}

Dim plus(const Dim& a, const Dim& b) {
  Dim out = a;
  for (const auto& [m, c] : b.terms) out.terms[m] = add(out.terms[m], c);
  if (out.terms.size() > kMostTerms) throw TooLarge{"dimension"};
  return out;
}

Dim times(const Dim& a, const Dim& b) {
  Dim out;
  for (const auto& [m, c] : a.terms)
    for (const auto& [n, d] : b.terms) {
      check_budget();
      if (m.size() + n.size() > kMostFactors || out.terms.size() > kMostTerms) throw TooLarge{"dimension"};
      Monomial both = m;
      both.insert(both.end(), n.begin(), n.end());
      std::sort(both.begin(), both.end());
      out.terms[both] = add(out.terms[both], multiply(c, d));
    }
  return out;
}

std::optional<Dim> minus(const Dim& a, const Dim& b) {
  Dim out = a;
  for (const auto& [m, c] : b.terms) {
    const auto at = out.terms.find(m);
    if (at == out.terms.end() || at->second < c) return std::nullopt;
    at->second -= c;
    if (at->second == 0) out.terms.erase(at);
  }
  return out;
}

std::size_t Type::nodes() const {
  std::size_t n = 1 + (atom ? atom->nodes : 0);
  for (const Piece& p : shape) n += 1 + p.dim.terms.size();
  return n;
}

AtomRef atom_of(Atom atom) {
  atom.nodes = 1;
  atom.height = 0;
  for (const Type& t : atom.types) {
    atom.nodes += t.nodes();
    if (t.atom) atom.height = std::max(atom.height, t.atom->height + 1);
    if (atom.nodes > kMostNodes || atom.height > kMostHeight) throw TooLarge{"type"};
  }
  return std::make_shared<const Atom>(std::move(atom));
}

AtomRef base(AtomKind kind) {
  Atom atom;
  atom.kind = kind;
  return atom_of(std::move(atom));
}

AtomRef variable_type(Var v) {
  Atom atom;
  atom.kind = AtomKind::kVar;
  atom.var = v;
  return atom_of(std::move(atom));
}

AtomRef function_type(std::vector<Type> parameters, Type result) {
  parameters.push_back(std::move(result));
  Atom atom;
  atom.kind = AtomKind::kFunction;
  atom.types = std::move(parameters);
  return atom_of(std::move(atom));
}

AtomRef binder(AtomKind kind, std::vector<Var> bound, Type body) {
  Atom atom;
  atom.kind = kind;
  atom.bound = std::move(bound);
  atom.types.push_back(std::move(body));
  return atom_of(std::move(atom));
}

Shape joined(Shape a, const Shape& b) {
  if (a.size() + b.size() > kMostAxes) throw TooLarge{"shape"};
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Var Variables::fresh(Sort sort, std::string name, bool unknown) {
  all_.push_back({sort, std::move(name), unknown});
  return static_cast<Var>(all_.size()) - 1;
}

bool Variables::is_open(Var v) const {
  const Variable& x = (*this)[v];
  return x.unknown && !x.dim && !x.shape && !x.atom && !x.array;
}

Dim Variables::product(const Shape& s) const {
  Dim out(1);
  for (const Piece& p : s) out = times(out, p.shape == kNoVar ? p.dim : Dim::of(p.shape));
  return out;
}

Dim Variables::resolved(const Dim& d) const {
  check_stack();
  check_budget();
  return replaced(d, [&](Var v) -> std::optional<Dim> {
    const Variable& x = (*this)[v];
    if (x.dim) return resolved(*x.dim);
    if (x.shape) return product(resolved(*x.shape));
    return std::nullopt;
  });
}

Shape Variables::resolved(const Shape& s) const {
  check_stack();
  check_budget();
  Shape out;
  for (const Piece& p : s) {
    if (p.shape == kNoVar)
      out.push_back(piece(resolved(p.dim)));
    else if (const auto& with = (*this)[p.shape].shape)
      out = joined(std::move(out), resolved(*with));
    else
      out.push_back(p);
  }
  return out;
}

AtomRef Variables::resolved(const AtomRef& a) const {
  check_stack();
  check_budget();
  if (a->kind == AtomKind::kVar) {
    const Variable& x = (*this)[a->var];
    return x.atom ? resolved(x.atom) : a;
  }
  if (a->types.empty()) return a;
  Atom out = *a;
  for (Type& t : out.types) t = resolved(t);
  return atom_of(std::move(out));
}

Type Variables::resolved(const Type& t) const {
  check_stack();
  check_budget();
  if (t.array != kNoVar) {
    const Variable& x = (*this)[t.array];
    return x.array ? resolved(*x.array) : t;
  }
  return {kNoVar, resolved(t.atom), resolved(t.shape)};
}

Dim Substitution::on(const Dim& d) const {
  if (dims.empty() && shapes.empty()) return d;
  return replaced(d, [&](Var v) -> std::optional<Dim> {
    if (const auto it = dims.find(v); it != dims.end()) return it->second;
    if (const auto it = shapes.find(v); it != shapes.end()) {
      Dim all(1);
      for (const Piece& p : it->second) all = times(all, p.shape == kNoVar ? p.dim : Dim::of(p.shape));
      return all;
    }
    return std::nullopt;
  });
}

Shape Substitution::on(const Shape& s) const {
  Shape out;
  for (const Piece& p : s) {
    if (p.shape == kNoVar)
      out.push_back(piece(on(p.dim)));
    else if (const auto it = shapes.find(p.shape); it != shapes.end())
      out = joined(std::move(out), it->second);
    else
      out.push_back(p);
  }
  return out;
}

AtomRef Substitution::on(const AtomRef& a) const {
  check_stack();
  check_budget();
  if (a->kind == AtomKind::kVar) {
    const auto it = atoms.find(a->var);
    return it == atoms.end() ? a : it->second;
  }
  if (a->types.empty()) return a;
  Atom out = *a;
  for (Type& t : out.types) t = on(t);
  return atom_of(std::move(out));
}

Type Substitution::on(const Type& t) const {
  if (t.array != kNoVar) {
    const auto it = arrays.find(t.array);
    return it == arrays.end() ? t : it->second;
  }
  return {kNoVar, on(t.atom), on(t.shape)};
}

Substitution Substitution::on(Substitution s) const {
  const auto change = [&](auto& all) {
    for (auto& [v, x] : all) x = on(x);
  };
  change(s.dims);
  change(s.shapes);
  change(s.atoms);
  change(s.arrays);
  return s;
}

void visit(const Dim& d, const SeeVar& see) {
  for (const auto& [m, c] : d.terms)
    for (const Var v : m) see(v);
}

void visit(const Shape& s, const SeeVar& see) {
  for (const Piece& p : s)
    if (p.shape != kNoVar)
      see(p.shape);
    else
      visit(p.dim, see);
}

void visit(const Type& t, const SeeVar& see) {
  check_stack();
  check_budget();
  if (t.array != kNoVar) return see(t.array);
  visit(t.shape, see);
  const Atom& a = *t.atom;
  if (a.kind == AtomKind::kVar) see(a.var);
  const SeeVar free = [&](Var v) {
    if (std::find(a.bound.begin(), a.bound.end(), v) == a.bound.end()) see(v);
  };
  for (const Type& part : a.types) visit(part, a.bound.empty() ? see : free);
}

void visit(const Substitution& s, const SeeVar& see) {
  for (const auto& [v, d] : s.dims) visit(d, see);
  for (const auto& [v, x] : s.shapes) visit(x, see);
  for (const auto& [v, a] : s.atoms) visit(scalar(a), see);
  for (const auto& [v, t] : s.arrays) visit(t, see);
}

bool has_function(const Type& t) {
  check_stack();
  if (t.array != kNoVar) return false;
  const Atom& a = *t.atom;
  if (a.kind == AtomKind::kFunction || a.kind == AtomKind::kForall || a.kind == AtomKind::kPi) return true;
  return (a.kind == AtomKind::kRecord || a.kind == AtomKind::kSigma) &&
         std::any_of(a.types.begin(), a.types.end(), has_function);
}

bool equal(const Type& a, const Type& b) {
  if (a.array != kNoVar || b.array != kNoVar) return a.array == b.array;
  return a.shape == b.shape && equal(a.atom, b.atom);
}

bool equal(const AtomRef& a, const AtomRef& b) {
  check_stack();
  check_budget();
  if (a == b) return true;
  if (a->kind != b->kind || a->var != b->var || a->types.size() != b->types.size() ||
      a->bound.size() != b->bound.size() || a->names != b->names)
    return false;
  // The second's bound variables under the first's names. Variables are unique, so nothing is captured.
  Substitution names;
  for (std::size_t k = 0; k < a->bound.size(); ++k) {
    const Var from = b->bound[k], to = a->bound[k];
    names.dims[from] = Dim::of(to);
    names.shapes[from] = {{to, {}}};
    names.atoms[from] = variable_type(to);
    names.arrays[from] = {to, {}, {}};
  }
  for (std::size_t k = 0; k < a->types.size(); ++k)
    if (!equal(a->types[k], a->bound.empty() ? b->types[k] : names.on(b->types[k]))) return false;
  return true;
}

}  // namespace nvm::remora
