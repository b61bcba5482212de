// Functions as values: what they captured, and how those of several are told apart.
#include <algorithm>

#include "bytecode/base/stack.h"
#include "frontend/remora/translator.h"

namespace nvm::remora {

namespace core = frontend::core;
using core::Prim;

namespace {

bool has_scope(const Candidate& c) { return c.scope != nullptr; }

// All values that are named in an expression.
void names_in(const Expr& top, std::set<ValueId>& out) {
  std::vector<const Expr*> open{&top};
  while (!open.empty()) {
    const Expr& e = *open.back();
    open.pop_back();
    if (e.kind == ExprKind::kValue && e.value >= 0) out.insert(e.value);
    for (const ExprRef& k : e.kids) open.push_back(k.get());
  }
}

// Values of both types look alike: an array of no axes is its atom, others are sequences.
bool alike(const Type& a, const Type& b);
bool alike(const Atom& a, const Atom& b) {
  check_stack();
  if (a.kind != b.kind || (a.kind != AtomKind::kRecord && a.kind != AtomKind::kSigma)) return true;
  return std::equal(a.types.begin(), a.types.end(), b.types.begin(), b.types.end(),
                    [](const Type& x, const Type& y) { return alike(x, y); });
}
bool alike(const Type& a, const Type& b) {
  if (a.array != kNoVar || b.array != kNoVar) return true;
  return a.shape.empty() == b.shape.empty() && (a.atom == b.atom || alike(*a.atom, *b.atom));
}

}  // namespace

Val Translator::packed(const Val& v) {
  if (!v.in_force()) return v;
  std::vector<Code> parts;
  Candidate c = with_captures(v.meaning->candidates[0], parts);
  return {v.type, code_.tuple(parts), meaning_of(std::move(c))};
}

// Functions that stand where they are used are not captured: they see what is.
Candidate Translator::with_captures(const Candidate& c, std::vector<Code>& out) {
  check_stack();
  Candidate made = c;
  made.packed = true;
  if (!has_scope(c)) return made;
  const Environment* top = c.scope;
  while (!top->top) top = top->outer;
  if (top == c.scope) return made;
  std::set<Var> indices;
  const SeeVar note = [&](Var v) {
    if (numbers_.count(v) != 0) indices.insert(v);
  };
  const Substitution& s = c.scope->substitution;
  for (const auto& [v, d] : s.dims) visit(d, note);
  for (const auto& [v, x] : s.shapes) visit(x, note);
  for (const auto& [v, t] : s.atoms) visit(scalar(t), note);
  for (const auto& [v, t] : s.arrays) visit(t, note);
  std::set<ValueId> seen;
  std::vector<const Expr*> open{c.expr};
  while (!open.empty()) {
    std::set<ValueId> names;
    names_in(*open.back(), names);
    open.pop_back();
    for (const ValueId id : names) {
      if (!seen.insert(id).second) continue;
      const Environment* where = c.scope->where(id);
      if (where == nullptr || where->top) continue;
      const Val& v = where->values.at(id);
      if (v.in_force() && v.meaning->candidates[0].scope == where) {
        made.captured.push_back({id, kNoVar, v.meaning->candidates[0].expr, v.type, nullptr});
        open.push_back(v.meaning->candidates[0].expr);
        continue;
      }
      const Val p = packed(v);
      visit(p.type, note);
      made.captured.push_back({id, kNoVar, nullptr, p.type, p.meaning});
      out.push_back(p.code);
    }
  }
  for (const Var v : indices) {
    made.captured.push_back({-1, v, nullptr, {}, nullptr});
    out.push_back(is_dim(v) ? numbers_.at(v) : dimensions_.at(v));
  }
  environments_.push_back(Environment{top, s, {}, {}, false});
  made.scope = &environments_.back();
  return made;
}

const Environment& Translator::scope_of(const Candidate& c, Code captured) {
  if (!c.packed || c.captured.empty()) return *c.scope;
  const auto in_code = [](const Captured& x) { return x.function == nullptr; };
  const auto count = static_cast<std::size_t>(std::count_if(c.captured.begin(), c.captured.end(), in_code));
  const std::vector<Code> parts = code_.parts(captured, count);
  Environment& with = inner(*c.scope);
  Substitution now;
  std::size_t next = 0;
  for (const Captured& x : c.captured) {
    const std::size_t at = next;
    next += in_code(x) ? 1 : 0;
    if (x.index == kNoVar) continue;
    const Variable variable = program_.variables[x.index];
    bind_index(now, x.index, fresh_index(variable.sort, variable.name, parts[at]));
  }
  for (auto& [v, d] : with.substitution.dims) d = now.on(d);
  for (auto& [v, x] : with.substitution.shapes) x = now.on(x);
  for (auto& [v, a] : with.substitution.atoms) a = now.on(a);
  for (auto& [v, t] : with.substitution.arrays) t = now.on(t);
  next = 0;
  for (const Captured& x : c.captured) {
    if (x.function != nullptr) {
      Candidate f;
      f.expr = x.function;
      f.scope = &with;
      with.values[x.value] = {now.on(x.type), {}, meaning_of(std::move(f))};
    } else {
      if (x.index == kNoVar) with.values[x.value] = {now.on(x.type), parts[next], x.meaning};
      ++next;
    }
  }
  return with;
}

Val Translator::recast(const Val& v, const MeaningRef& as) {
  check_stack();
  if (as == nullptr || v.code.type == nullptr || same(v.meaning, as)) return {v.type, v.code, as};
  if (!is_scalar(v.type)) {
    if (v.meaning == nullptr) return {v.type, code_.empty(core_of(v.type.atom, as)), as};  // it has no atoms
    const Type atom = scalar(v.type.atom);
    return {v.type,
            code_.each({v.code},
                       [&](const auto& x) {
                         return recast({atom, x[0], v.meaning}, as).code;
                       }),
            as};
  }
  const AtomKind kind = v.type.atom->kind;
  if (kind == AtomKind::kRecord || kind == AtomKind::kSigma) {
    const std::size_t first = kind == AtomKind::kSigma ? v.type.atom->bound.size() : 0;
    std::vector<Code> parts = code_.parts(v.code, first + v.type.atom->types.size());
    for (std::size_t k = first; k < parts.size(); ++k) {
      const Val part{v.type.atom->types[k - first], parts[k], part_of(v.meaning, k - first)};
      parts[k] = recast(part, part_of(as, k - first)).code;
    }
    return {v.type, code_.tuple(parts), as};
  }
  if (v.meaning == nullptr) return {v.type, code_.zero(core_of(v.type.atom, as)), as};  // it is never called
  // A function: which of the candidates, and what each captured.
  const auto number_of = [&](const Candidate& c) {
    std::size_t k = 0;
    while (!same(as->candidates[k], c)) ++k;
    return k;
  };
  if (as->candidates.size() == 1) return {v.type, v.code, as};
  std::vector<Code> parts(as->candidates.size() + 1);
  const auto& mine = v.meaning->candidates;
  std::vector<Code> own{v.code};
  if (mine.size() > 1) {
    own = code_.parts(v.code, mine.size() + 1);
    own.erase(own.begin());
  }
  for (std::size_t k = 0; k < mine.size(); ++k) parts[number_of(mine[k]) + 1] = own[k];
  for (std::size_t k = 0; k < as->candidates.size(); ++k)
    if (parts[k + 1].type == nullptr) parts[k + 1] = code_.zero(captured_type(as->candidates[k]));
  const auto tag = [&](std::size_t k) { return code_.integer(static_cast<std::int64_t>(k)); };
  parts[0] = tag(number_of(mine[0]));
  for (std::size_t k = 1; k < mine.size(); ++k)
    parts[0] = code_.select(code_.compare(Prim::kEq, code_.first(v.code), tag(k)), tag(number_of(mine[k])),
                            parts[0]);
  return {v.type, code_.tuple(parts), as};
}

Val Translator::fitted(const Val& v, const Type& to) {
  check_stack();
  if (to.array != kNoVar || v.code.type == nullptr || alike(v.type, to)) return {to, v.code, v.meaning};
  if (!alike(*v.type.atom, *to.atom)) {
    if (!is_scalar(v.type)) {
      const Type atom = scalar(v.type.atom), as = scalar(to.atom);
      const Code all = code_.each({v.code}, [&](const auto& x) {
        return fitted({atom, x[0], v.meaning}, as).code;
      });
      return fitted({{kNoVar, to.atom, v.type.shape}, all, v.meaning}, to);
    }
    const Atom& a = *v.type.atom;
    const std::size_t first = a.kind == AtomKind::kSigma ? a.bound.size() : 0;
    std::vector<Code> parts = code_.parts(v.code, first + a.types.size());
    for (std::size_t k = first; k < parts.size(); ++k)
      parts[k] =
          fitted({a.types[k - first], parts[k], part_of(v.meaning, k - first)}, to.atom->types[k - first])
              .code;
    return fitted({scalar(to.atom), code_.tuple(parts), v.meaning}, to);
  }
  if (is_scalar(v.type)) return {to, code_.sequence({&v.code, 1}), v.meaning};
  return {to, code_.element(v.code, code_.integer(0)), v.meaning};
}

const core::Type* Translator::captured_type(const Candidate& c) {
  std::vector<const Core*> parts;
  for (const Captured& x : c.captured) {
    if (x.function != nullptr) continue;
    if (x.index == kNoVar)
      parts.push_back(core_of(x.type, x.meaning));
    else
      parts.push_back(is_dim(x.index) ? Coder::integer_type() : core::seq_type(Coder::integer_type()));
  }
  return Coder::tuple_type(parts);
}

const core::Type* Translator::core_of(const Type& t, const MeaningRef& m) {
  if (t.array != kNoVar) return Coder::integer_type();
  const Core* atom = core_of(t.atom, m);
  return t.shape.empty() ? atom : core::seq_type(atom);
}

const core::Type* Translator::core_of(const AtomRef& a, const MeaningRef& m) {
  check_stack();
  std::vector<const Core*> parts;
  switch (a->kind) {
    case AtomKind::kFloat: return Coder::real_type();
    case AtomKind::kBool: return Coder::boolean_type();
    case AtomKind::kSigma:
      for (const Var v : a->bound)
        parts.push_back(is_dim(v) ? Coder::integer_type() : core::seq_type(Coder::integer_type()));
      parts.push_back(core_of(a->types[0], part_of(m, 0)));
      return Coder::tuple_type(parts);
    case AtomKind::kRecord:
      for (std::size_t k = 0; k < a->types.size(); ++k) parts.push_back(core_of(a->types[k], part_of(m, k)));
      return Coder::tuple_type(parts);
    case AtomKind::kFunction:
    case AtomKind::kForall:
    case AtomKind::kPi:
      if (m == nullptr || m->candidates.empty()) return Coder::integer_type();
      if (m->candidates.size() == 1) return captured_type(m->candidates[0]);
      parts.push_back(Coder::integer_type());
      for (const Candidate& c : m->candidates) parts.push_back(captured_type(c));
      return Coder::tuple_type(parts);
    default: return Coder::integer_type();
  }
}

}  // namespace nvm::remora
