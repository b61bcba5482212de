#include "frontend/remora/elements.h"

#include <algorithm>

#include "bytecode/base/stack.h"

namespace nvm::remora {

namespace core = frontend::core;
using core::Expr;
using core::ExprKind;
using core::Prim;

namespace {

constexpr int kMost = 16;  // operations of a map that is copied

bool is_scalar(const core::Type* t) {
  return t->kind != core::TypeKind::kUnit && t->kind != core::TypeKind::kSeq &&
         t->kind != core::TypeKind::kPair;
}

bool is(const Expr& e, Prim prim) { return e.kind == ExprKind::kPrim && e.prim == prim; }

std::vector<const Expr*> operands(const Expr& prim) {
  std::vector<const Expr*> out;
  const Expr* rest = prim.kids[0].get();
  for (; rest->kind == ExprKind::kPair; rest = rest->kids[1].get()) out.push_back(rest->kids[0].get());
  out.push_back(rest);
  return out;
}

// The operations of scalar code that can be copied; more than `most` if there are, or if it cannot.
int operations(const Expr& e, int most = kMost) {
  check_stack();
  if (most < 0 || !is_scalar(e.type)) return most + 1;
  switch (e.kind) {
    case ExprKind::kVar:
    case ExprKind::kInt:
    case ExprKind::kFloat:
    case ExprKind::kBool: return 0;
    case ExprKind::kLet: {
      const int value = operations(*e.kids[0], most);
      return value + operations(*e.kids[1], most - value);
    }
    case ExprKind::kPrim: {
      if (core::prim_info(e.prim).effect != core::PrimEffect::kTotal) return most + 1;
      int found = 1;
      for (const Expr* x : operands(e)) found += operations(*x, most - found);
      return found;
    }
    default: return most + 1;
  }
}

bool takes_numbers(const Expr& each) {
  const auto numbers = [](const auto& sequence) { return is_scalar(sequence->type->a); };
  return std::all_of(each.kids.begin(), each.kids.end() - 1, numbers);
}

bool can_be_copied(const Expr& scalar) { return operations(scalar) <= kMost; }

// Of numbers, to numbers.
bool is_map(const Expr& e) {
  return e.kind == ExprKind::kEach && !e.sieve && takes_numbers(e) && can_be_copied(*e.kids.back());
}

bool is_number(const Expr& e, std::int64_t n) { return e.kind == ExprKind::kInt && e.number == n; }

// from, from + 1, ...
bool is_run(const Expr& e) { return is(e, Prim::kIseq) && is_number(*operands(e)[1], 1); }
// 0, 1, 2, ...: of what length?
const Expr* length_of_iota(const Expr& e) {
  return is_run(e) && is_number(*operands(e)[0], 0) ? operands(e)[2] : nullptr;
}

}  // namespace

Code Elements::columns(Code rows, Code columns) {
  return code_.each({code_.iota(columns)}, [&](const std::vector<Code>& column) {
    return code_.each({code_.iota(rows)}, [&](const std::vector<Code>& row) {
      const Cell cell{row[0], column[0], columns};
      return element(vector_, {code_.plus(column[0], code_.times(row[0], columns)), &cell});
    });
  });
}

bool Elements::copies(const Expr& made) const {
  if (left_ == 0) return false;
  return is_map(made) || is_run(made) || is(made, Prim::kGet) || (is(made, Prim::kFlatten) && nest(made));
}

Code Elements::element(const Code& vector, const Place& place) {
  const Expr* made = bindings_.of(vector.id);
  if (made == nullptr || !copies(*made)) return code_.element(vector, place.number);
  Scope outside;
  return copied(*made, outside, place);
}

Code Elements::element(const Expr& vector, Scope& in, const Place& place) {
  check_stack();
  if (vector.kind != ExprKind::kVar) return copied(vector, in, place);
  if (const auto let = in.lets.find(vector.id); let != in.lets.end()) return copied(*let->second, in, place);
  return element(Code{vector.id, vector.type, {}}, place);
}

Code Elements::copied(const Expr& made, Scope& in, const Place& place) {
  if (is_run(made)) return code_.plus(value(*operands(made)[0], in), place.number);
  if (is(made, Prim::kDist)) return value(*operands(made)[0], in);
  if (is(made, Prim::kFlatten)) return element_of(*nest(made), place);
  if (is(made, Prim::kGet)) {
    const std::vector<const Expr*> of = operands(made);
    return element(*of[0], in, {element(*of[1], in, place)});
  }
  Scope inside = in;
  for (std::size_t k = 0; k < made.vars.size(); ++k)
    inside.codes[made.vars[k]] = element(*made.kids[k], in, place);
  left_ = std::max(0, left_ - 1);
  return value(*made.kids.back(), inside);
}

// What repeats numbers and what makes places: a row is one number, or a map of 0, 1, 2, ...
std::optional<Elements::Nest> Elements::nest(const Expr& flattened) const {
  const Expr* each = operands(flattened)[0];
  if (each->kind == ExprKind::kVar) each = bindings_.of(each->id);
  if (each == nullptr || each->kind != ExprKind::kEach || each->sieve || !takes_numbers(*each))
    return std::nullopt;
  Nest found{each, each->kids.back().get()};
  for (; found.row->kind == ExprKind::kLet; found.row = found.row->kids[1].get())
    found.inside.lets[found.row->id] = found.row->kids[0].get();
  const auto meant = [&](const Expr* e) {
    const auto let = e->kind == ExprKind::kVar ? found.inside.lets.find(e->id) : found.inside.lets.end();
    return let != found.inside.lets.end() ? let->second : e;
  };
  found.row = meant(found.row);
  const Expr* length = nullptr;
  if (is(*found.row, Prim::kDist))
    length = operands(*found.row)[1];
  else if (is_map(*found.row) && found.row->vars.size() == 1)
    length = length_of_iota(*meant(found.row->kids[0].get()));
  const auto copied = [&](const auto& let) {
    return let.second == found.row || is_run(*let.second) || can_be_copied(*let.second);
  };
  const auto& lets = found.inside.lets;
  if (length == nullptr || !std::all_of(lets.begin(), lets.end(), copied)) return std::nullopt;
  if (length->kind == ExprKind::kInt) {
    found.length = code_.integer(length->number);
    return found;
  }
  const auto& own = each->vars;
  if (length->kind != ExprKind::kVar || lets.count(length->id) != 0 ||
      std::find(own.begin(), own.end(), length->id) != own.end())
    return std::nullopt;
  found.length = {length->id, length->type, {}};
  return found;
}

// Numbers that are computed alike are one.
bool Elements::same(const Code& a, const Code& b) const {
  if (a.known || b.known) return a.known == b.known;
  if (a.id == b.id) return true;
  const Expr *x = bindings_.of(a.id), *y = bindings_.of(b.id);
  return x != nullptr && y != nullptr && same(*x, *y);
}

bool Elements::same(const Expr& a, const Expr& b) const {
  check_stack();
  if (is(a, Prim::kCheck)) return same(*operands(a).back(), b);
  if (is(b, Prim::kCheck)) return same(a, *operands(b).back());
  if (a.kind != b.kind) return false;
  if (a.kind == ExprKind::kInt) return a.number == b.number;
  if (a.kind == ExprKind::kVar) return same(Code{a.id, a.type, {}}, Code{b.id, b.type, {}});
  if (a.kind != ExprKind::kPrim || a.prim != b.prim ||
      core::prim_info(a.prim).effect != core::PrimEffect::kTotal)
    return false;
  const std::vector<const Expr*> of_a = operands(a), of_b = operands(b);
  return std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(),
                    [&](const Expr* x, const Expr* y) { return same(*x, *y); });
}

Code Elements::element_of(Nest nest, const Place& place) {
  Code row, column;
  if (place.cell != nullptr && same(place.cell->columns, nest.length)) {
    row = place.cell->row;
    column = place.cell->column;
  } else {
    row = code_.quotient(place.number, nest.length);
    column = code_.remainder(place.number, nest.length);
  }
  Scope outside;
  for (std::size_t k = 0; k < nest.each->vars.size(); ++k)
    nest.inside.codes[nest.each->vars[k]] = element(*nest.each->kids[k], outside, {row});
  return element(*nest.row, nest.inside, {column});
}

// Of scalar code.
Code Elements::value(const Expr& e, Scope& in) {
  check_stack();
  switch (e.kind) {
    case ExprKind::kInt: return code_.integer(e.number);
    case ExprKind::kFloat: return code_.real(e.real);
    case ExprKind::kBool: return code_.boolean(e.number != 0);
    case ExprKind::kLet: in.lets[e.id] = e.kids[0].get(); return value(*e.kids[1], in);
    case ExprKind::kVar: {
      if (const auto known = in.codes.find(e.id); known != in.codes.end()) return known->second;
      const auto let = in.lets.find(e.id);
      if (let == in.lets.end()) return {e.id, e.type, {}};
      return in.codes[e.id] = value(*let->second, in);
    }
    default: {
      std::vector<Code> arguments;
      for (const Expr* x : operands(e)) arguments.push_back(value(*x, in));
      return code_.op(e.prim, e.type, arguments);
    }
  }
}

}  // namespace nvm::remora
