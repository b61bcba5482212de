#include "frontend/remora/unify.h"

#include <algorithm>

#include "bytecode/base/budget.h"
#include "bytecode/base/stack.h"

namespace nvm::remora {

Substitution renaming(const Variables& variables, const std::vector<Var>& from, const std::vector<Var>& to) {
  Substitution s;
  for (std::size_t k = 0; k < from.size(); ++k) {
    const Var a = from[k], b = to[k];
    switch (variables[a].sort) {
      case Sort::kDim: s.dims[a] = Dim::of(b); break;
      case Sort::kShape: s.shapes[a] = {{b, {}}}; break;
      case Sort::kAtom: s.atoms[a] = variable_type(b); break;
      case Sort::kArray: s.arrays[a] = {b, {}, {}}; break;
    }
  }
  return s;
}

Type Unifier::opened(const Atom& binder, bool unknown, std::vector<Var>* made) {
  std::vector<Var> fresh;
  for (const Var b : binder.bound) fresh.push_back(v_.fresh(v_[b].sort, v_[b].name, unknown));
  const Type body = renaming(v_, binder.bound, fresh).on(binder.types[0]);
  if (made != nullptr) *made = std::move(fresh);
  return body;
}

bool Unifier::has_open_shape(const Shape& s) const {
  const Shape found = v_.resolved(s);
  return std::any_of(found.begin(), found.end(), [&](const Piece& p) { return open_shape(p); });
}

bool Unifier::has_open(const Type& t) const {
  bool open = false;
  visit(v_.resolved(t), [&](Var v) { open |= v_.is_open(v); });
  return open;
}

// Of c * u + rest, where u is the only unknown: the other side has to be it.
bool Unifier::solve_dim(const Dim& unknown, const Dim& other) {
  Var u = kNoVar;
  std::int64_t coefficient = 0;
  Dim rest;
  for (const auto& [m, c] : unknown.terms) {
    const auto open = std::count_if(m.begin(), m.end(), [&](Var v) { return v_.is_open(v); });
    if (open == 0) {
      rest.terms[m] = c;
      continue;
    }
    if (m.size() != 1 || u != kNoVar || v_[m[0]].sort != Sort::kDim) return false;
    u = m[0];
    coefficient = c;
  }
  if (u == kNoVar) return false;
  std::optional<Dim> left = minus(other, rest);
  if (!left) return false;
  for (auto& [m, c] : left->terms) {
    if (c % coefficient != 0 || std::find(m.begin(), m.end(), u) != m.end()) return false;
    c /= coefficient;
  }
  v_.solve(u, *left);
  return true;
}

bool Unifier::exact(const Dim& a, const Dim& b) {
  const Dim x = v_.resolved(a), y = v_.resolved(b);
  if (x == y || solve_dim(x, y) || solve_dim(y, x)) return true;
  if (later_ == nullptr || !(lacks_several(x) || lacks_several(y))) return false;
  later_->emplace_back(x, y);
  return true;
}

bool Unifier::lacks_several(const Dim& d) const {
  Var one = kNoVar;
  for (const auto& [m, c] : d.terms)
    for (const Var v : m) {
      if (!v_.is_open(v)) continue;
      if (m.size() > 1 || v_[v].sort != Sort::kDim || (one != kNoVar && one != v)) return true;
      one = v;
    }
  return false;
}

bool Unifier::piece_equal(const Piece& a, const Piece& b) {
  if (a.shape != kNoVar || b.shape != kNoVar) return a.shape == b.shape;
  return exact(a.dim, b.dim);
}

bool Unifier::exact(const Shape& a, const Shape& b) {
  check_stack();
  Shape x = v_.resolved(a), y = v_.resolved(b);
  const auto strip = [&](auto first, auto remove) {
    while (!x.empty() && !y.empty()) {
      const Piece p = first(x), q = first(y);
      if (!(p == q) && (open_shape(p) || open_shape(q))) return true;
      if (!piece_equal(p, q)) return false;
      remove(x);
      remove(y);
    }
    return true;
  };
  if (!strip([](const Shape& s) { return s.front(); }, [](Shape& s) { s.erase(s.begin()); })) return false;
  if (!strip([](const Shape& s) { return s.back(); }, [](Shape& s) { s.pop_back(); })) return false;
  if (x.empty() && y.empty()) return true;
  const auto one_unknown = [&](const Shape& s) { return s.size() == 1 && open_shape(s[0]); };
  if (one_unknown(y) || x.empty() || !open_shape(x.front())) std::swap(x, y);
  if (x.empty() || !open_shape(x.front())) return false;
  // The first unknown takes what dimensions leave, wherever it stands; further ones are empty.
  const Var first = x.front().shape;
  for (const Piece& p : x)
    if (p.shape != first && open_shape(p)) v_.solve(p.shape, Shape{});
  x = v_.resolved(x);
  y = v_.resolved(y);
  bool itself = false;
  visit(y, [&](Var v) { itself |= v == first; });
  const auto places = std::count_if(x.begin(), x.end(), [&](const Piece& p) { return p.shape == first; });
  const auto left = static_cast<std::ptrdiff_t>(y.size()) - static_cast<std::ptrdiff_t>(x.size()) + places;
  if (itself || left < 0 || left % places != 0) return false;
  v_.solve(first, Shape(y.begin(), y.begin() + left / places));
  return exact(x, y);  // of which less is unknown now
}

std::optional<std::size_t> Unifier::end(const Shape& argument, const Shape& cell) {
  const Shape a = v_.resolved(argument), c = v_.resolved(cell);
  if (a.size() < c.size()) return std::nullopt;
  const std::size_t frame = a.size() - c.size();
  for (std::size_t k = 0; k < c.size(); ++k) {
    const Shape now = v_.resolved(Shape{c[k]});
    if (now.size() != 1 || !piece_equal(v_.resolved(Shape{a[frame + k]})[0], now[0])) return std::nullopt;
  }
  return frame;
}

bool Unifier::occurs(Var unknown, const Type& in) {
  bool found = false;
  visit(in, [&](Var v) { found |= v == unknown; });
  return found;
}

bool Unifier::bodies(const Atom& a, const Atom& b) {
  for (std::size_t k = 0; k < a.bound.size(); ++k)
    if (v_[a.bound[k]].sort != v_[b.bound[k]].sort) return false;
  return exact(a.types[0], renaming(v_, b.bound, a.bound).on(b.types[0]));
}

bool Unifier::exact(const AtomRef& a, const AtomRef& b) {
  check_stack();
  check_budget();
  const AtomRef x = v_.resolved(a), y = v_.resolved(b);
  if (x->kind == AtomKind::kVar && y->kind == AtomKind::kVar && x->var == y->var) return true;
  for (const auto& [from, to] : {std::pair(x, y), std::pair(y, x)})
    if (from->kind == AtomKind::kVar && v_.is_open(from->var)) {
      if (occurs(from->var, scalar(to))) return false;
      v_.solve(from->var, to);
      return true;
    }
  if (x->kind != y->kind || x->var != y->var || x->types.size() != y->types.size() || x->names != y->names ||
      x->bound.size() != y->bound.size())
    return false;
  if (!x->bound.empty()) return bodies(*x, *y);
  for (std::size_t k = 0; k < x->types.size(); ++k)
    if (!exact(x->types[k], y->types[k])) return false;
  return true;
}

bool Unifier::exact(const Type& a, const Type& b) {
  const Type x = v_.resolved(a), y = v_.resolved(b);
  if (x.array != kNoVar && x.array == y.array) return true;
  for (const auto& [from, to] : {std::pair(x, y), std::pair(y, x)})
    if (from.array != kNoVar && v_.is_open(from.array)) {
      if (occurs(from.array, to)) return false;
      v_.solve(from.array, to);
      return true;
    }
  if (x.array != kNoVar || y.array != kNoVar) return false;
  return exact(x.atom, y.atom) && exact(x.shape, y.shape);
}

}  // namespace nvm::remora
