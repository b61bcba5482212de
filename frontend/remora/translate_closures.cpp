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

// Functions that stand where they are used are not captured: they see what is. An index variable is another
// one each time that its place is made code for; what stands for it here depends on nothing but the function,
// so that functions that were made alike are the same.
Candidate Translator::with_captures(const Candidate& c, std::vector<Code>& out) {
  check_stack();
  Candidate made = c;
  made.packed = true;
  const Environment* top = c.scope;
  while (top != nullptr && !top->top) top = top->outer;
  if (top != nullptr && top == c.scope) return made;
  std::vector<std::pair<Var, Var>> indices;  // and what stands for them
  Substitution names;
  const SeeVar note = [&](Var v) {
    if (numbers_.count(v) == 0 || names.dims.count(v) != 0 || names.shapes.count(v) != 0) return;
    const Sort sort = program_.variables[v].sort;
    const auto [at, fresh] = stand_ins_.try_emplace({sort, indices.size()}, kNoVar);
    if (fresh) at->second = program_.variables.fresh(sort, "d");
    bind_index(names, v, at->second);
    indices.emplace_back(v, at->second);
  };
  for (const Shape& s : c.indices) visit(s, note);
  for (const Type& t : c.types) visit(t, note);
  std::vector<const Expr*> open;
  if (has_scope(c)) {
    visit(c.scope->substitution, note);
    open.push_back(c.expr);
  }
  std::set<ValueId> seen;
  while (!open.empty()) {
    std::set<ValueId> of_this;
    names_in(*open.back(), of_this);
    open.pop_back();
    for (const ValueId id : of_this) {
      if (!seen.insert(id).second) continue;
      const Environment* where = c.scope->where(id);
      if (where == nullptr || where->top) continue;
      const Val& v = where->values.at(id);
      visit(v.type, note);
      if (v.in_force() && v.meaning->candidates[0].scope == where) {
        made.captured.push_back({id, kNoVar, v.meaning->candidates[0].expr, v.type, nullptr});
        open.push_back(v.meaning->candidates[0].expr);
        continue;
      }
      const Val p = packed(v);
      made.captured.push_back({id, kNoVar, nullptr, p.type, p.meaning});
      out.push_back(p.code);
    }
  }
  for (Captured& x : made.captured) x.type = names.on(x.type);
  for (const auto& [v, to] : indices) {
    made.captured.push_back({-1, to, nullptr, {}, nullptr});
    out.push_back(is_dim(v) ? numbers_.at(v) : dimensions_.at(v));
  }
  for (Shape& s : made.indices) s = names.on(s);
  for (Type& t : made.types) t = names.on(t);
  if (has_scope(c))
    made.scope =
        &environments_.emplace_back(Environment{top, names.on(c.scope->substitution), {}, {}, false});
  return made;
}

Candidate Translator::unpacked(const Candidate& c, Code captured) {
  if (!c.packed) return c;
  Candidate made = c;
  made.packed = false;
  made.captured.clear();
  if (c.captured.empty()) return made;
  const auto in_code = [](const Captured& x) { return x.function == nullptr; };
  const auto count = static_cast<std::size_t>(std::count_if(c.captured.begin(), c.captured.end(), in_code));
  const std::vector<Code> parts = code_.parts(captured, count);
  Substitution now;
  std::size_t next = 0;
  for (const Captured& x : c.captured) {
    const std::size_t at = next;
    next += in_code(x) ? 1 : 0;
    if (x.index == kNoVar) continue;
    const Variable variable = program_.variables[x.index];
    bind_index(now, x.index, fresh_index(variable.sort, variable.name, parts[at]));
  }
  for (Shape& s : made.indices) s = now.on(s);
  for (Type& t : made.types) t = now.on(t);
  if (!has_scope(c)) return made;
  Environment& with = inner(*c.scope);
  with.substitution = now.on(with.substitution);
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
  made.scope = &with;
  return made;
}

Val Translator::recast(const Val& v, const MeaningRef& as) {
  check_stack();
  if (as == nullptr || v.code.type == nullptr || same(v.meaning, as)) return {v.type, v.code, as};
  const AtomKind kind = v.type.atom->kind;
  const bool has_parts = kind == AtomKind::kRecord || kind == AtomKind::kSigma;
  if (!is_scalar(v.type)) {
    if (v.meaning == nullptr && !has_parts)
      return {v.type, code_.empty(core_of(v.type.atom, as)), as};  // it has no atoms
    const Type atom = scalar(v.type.atom);
    return {v.type,
            code_.each({v.code},
                       [&](const auto& x) {
                         return recast({atom, x[0], v.meaning}, as).code;
                       }),
            as};
  }
  if (has_parts) {
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
  const auto number_of = [&](const Candidate& c) { return as->number_of(c); };
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
  if (to.array != kNoVar || alike(v.type, to)) return {to, v.code, v.meaning};
  if (v.in_force()) return fitted(packed(v), to);
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
