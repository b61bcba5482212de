// Arrays, conditionals, lift, reshape, reify (section 7).
#include <algorithm>

#include "frontend/remora/checker.h"

namespace nvm::remora {

namespace {

using Kind = Tree::Kind;

}  // namespace

std::vector<std::int64_t> Checker::counts_of(const Tree& t) const {
  if (!t.is(Kind::kSquare)) fault("syntax", t.pos, "expected dimensions in square brackets");
  std::vector<std::int64_t> counts;
  for (const Tree& n : t.kids) {
    if (!n.is(Kind::kInt) || n.number < 0) fault("syntax", n.pos, "expected a natural number");
    counts.push_back(n.number);
  }
  return counts;
}

ExprRef Checker::array(const Tree& t, const Type*) {
  if (t.kids.size() < 2) fault("syntax", t.pos, "expected (array [dimension ...] atom ...)");
  const std::vector<std::int64_t> counts = counts_of(t.kids[1]);
  const Trees atoms = Trees(t.kids).subspan(2);
  if (product(counts) == 0) {
    if (atoms.size() != 1)
      fault("syntax", atoms.empty() ? t.pos : atoms[1].pos,
            "of an empty array the element type is expected: (array [0] type)");
    ExprRef e = made(ExprKind::kFrame, t.pos, {kNoVar, reader_.atom(atoms[0]), shape_of(counts)});
    e->counts = counts;
    return e;
  }
  for (const Tree& a : atoms) {
    const bool form = a.is(Kind::kRound) && !a.kids.empty() &&
                      is_word(a.kids[0], "fn λ lambda t-fn Tλ tλ i-fn Iλ iλ box boxes") &&
                      scope_.value(a.kids[0].text) == nullptr;
    if (a.is(Kind::kString) || a.is(Kind::kName) || a.is(Kind::kSquare) || a.is(Kind::kInstance) ||
        (a.is(Kind::kRound) && !form))
      fault("not-an-atom", a.pos,
            "an array literal has atoms only; (frame ...) stacks values of expressions");
  }
  return stacked(t, atoms, counts, nullptr);
}

ExprRef Checker::frame(const Tree& t, const Type* context) {
  if (t.kids.size() < 2) fault("syntax", t.pos, "expected (frame [dimension ...] expression ...)");
  const std::vector<std::int64_t> counts = counts_of(t.kids[1]);
  const Trees cells = Trees(t.kids).subspan(2);
  if (product(counts) == 0) {
    if (cells.size() != 1)
      fault("syntax", cells.empty() ? t.pos : cells[1].pos,
            "of an empty frame the cells' type is expected: (frame [0] type)");
    Type cell = reader_.type(cells[0]);
    if (cell.array != kNoVar)
      fault("kind", cells[0].pos, "an array's type that is a variable cannot be lifted");
    ExprRef e = made(ExprKind::kFrame, t.pos, {kNoVar, cell.atom, joined(shape_of(counts), cell.shape)});
    e->counts = counts;
    return e;
  }
  return stacked(t, cells, counts, context);
}

ExprRef Checker::stacked(const Tree& t, Trees elements, std::vector<std::int64_t> counts,
                         const Type* context) {
  if (product(counts) != static_cast<std::int64_t>(elements.size()))
    fault("element-count", t.pos,
          std::to_string(product(counts)) + " elements are expected here, there are " +
              std::to_string(elements.size()));
  // What the context wants of one element.
  Type wanted;
  const Type* hint = nullptr;
  if (context != nullptr) {
    wanted = resolved(*context);
    if (wanted.array == kNoVar && wanted.shape.size() >= counts.size()) {
      wanted.shape.erase(wanted.shape.begin(),
                         wanted.shape.begin() + static_cast<std::ptrdiff_t>(counts.size()));
      hint = &wanted;
    }
  }
  ExprRef e = made(ExprKind::kFrame, t.pos, {});
  for (const Tree& x : elements) e->kids.push_back(expression(x, hint));
  const auto polymorphic = [&](const ExprRef& x) {
    const Type type = resolved(x->type);
    return type.array == kNoVar && (type.atom->kind == AtomKind::kPi || type.atom->kind == AtomKind::kForall);
  };
  const bool same = std::all_of(e->kids.begin(), e->kids.end(), [&](const ExprRef& x) {
    return equal(resolved(x->type), resolved(e->kids[0]->type));
  });
  if (!same && std::any_of(e->kids.begin(), e->kids.end(), polymorphic))
    for (ExprRef& x : e->kids)
      if (polymorphic(x)) x = opened(std::move(x));
  for (std::size_t k = 1; k < e->kids.size(); ++k)
    if (!unify_.exact(e->kids[0]->type, e->kids[k]->type))
      fault(
          "element-type", elements[k].pos,
          "this element has type " + shown(e->kids[k]->type) + ", the first one " + shown(e->kids[0]->type));
  const Type cell = resolved(e->kids[0]->type);
  if (cell.array != kNoVar)
    fault("kind", t.pos, "a value whose type is a variable " + shown(cell) + " cannot be an element");
  e->type = {kNoVar, cell.atom, joined(shape_of(counts), cell.shape)};
  e->counts = std::move(counts);
  return e;
}

ExprRef Checker::conditional(const Tree& t, const Type* context) {
  parts(t, 4, "(if condition then else)");
  ExprRef e = made(ExprKind::kIf, t.pos, {});
  e->kids.push_back(expression(t.kids[1]));
  const Type c = resolved(e->kids[0]->type);
  if (c.array != kNoVar || c.atom->kind != AtomKind::kBool)
    fault("argument-type", t.kids[1].pos, "the condition has type " + shown(c) + ", bool is expected");
  if (!c.shape.empty())
    fault("condition", t.kids[1].pos,
          "the condition is an array " + shown(c) + "; use select to choose element by element");
  // What one branch lacks the other may tell.
  if (context == nullptr) {
    Error missing;
    try {
      e->kids.push_back(expression(t.kids[2]));
    } catch (const Error& error) {
      if (error.kind != "ambiguous" || retries_-- <= 0) throw;
      missing = error;
    }
    const Type* hint = missing.kind.empty() ? &e->kids[1]->type : nullptr;
    e->kids.push_back(expression(t.kids[3], hint));
    if (!missing.kind.empty()) e->kids.insert(e->kids.begin() + 1, expression(t.kids[2], &e->kids[1]->type));
  } else {
    e->kids.push_back(expression(t.kids[2], context));
    e->kids.push_back(expression(t.kids[3], context));
  }
  if (!unify_.exact(e->kids[1]->type, e->kids[2]->type))
    fault("branches", t.kids[3].pos,
          "this branch has type " + shown(e->kids[2]->type) + ", the other one " + shown(e->kids[1]->type));
  e->type = resolved(e->kids[1]->type);
  return e;
}

// (lift [variable numbers] body)
ExprRef Checker::lift(const Tree& t, const Type*) {
  if (t.kids.size() < 3) fault("syntax", t.pos, "expected (lift [index-variable numbers] body)");
  parts(t.kids[1], 2, "[index-variable numbers]", Kind::kSquare);
  const Tree& name = t.kids[1].kids[0];
  const Tree& of = t.kids[1].kids[1];
  ExprRef numbers = expression(of);
  const Type n = resolved(numbers->type);
  if (n.array != kNoVar || n.atom->kind != AtomKind::kInt)
    fault("argument-type", of.pos, "this has type " + shown(n) + ", ints are expected");
  const Scope::Level level(scope_);
  ExprRef e = made(ExprKind::kLift, t.pos, {});
  e->bound = reader_.bind_indices(Trees(&name, 1));
  Shape frame = n.shape;
  if (program_.variables[e->bound[0]].sort == Sort::kShape) {
    if (frame.empty() || frame.back().shape != kNoVar)
      fault("cell-shape", of.pos, "a vector of dimensions is expected, this has type " + shown(n));
    frame.pop_back();
  }
  ExprRef inside = body(Trees(t.kids).subspan(2), t);
  if (unify_.has_open(inside->type))
    fault("ambiguous", t.kids.back().pos, "the type of this is not determined: " + shown(inside->type));
  e->type = {kNoVar, binder(AtomKind::kSigma, e->bound, resolved(inside->type)), std::move(frame)};
  e->kids = {std::move(numbers), std::move(inside)};
  return e;
}

ExprRef Checker::reshape(const Tree& t, const Type*) {
  parts(t, 3, "(reshape shape array)");
  const Shape to = reader_.shape(t.kids[1]);
  ExprRef of = opened(expression(t.kids[2]));
  const Type from = resolved(of->type);
  if (from.array != kNoVar)
    fault("kind", t.kids[2].pos, "a value of type " + shown(from) + " has no shape here");
  if (unify_.has_open(from))
    fault("ambiguous", t.kids[2].pos, "the type of this is not determined: " + shown(from));
  const Dim a = program_.variables.product(from.shape), b = program_.variables.product(to);
  // One a multiple of the other: only empty arrays would do.
  const auto multiple = [](const Dim& x, const Dim& y) {
    if (x == y || x.terms.size() != y.terms.size() || x.terms.empty()) return false;
    const std::int64_t c = x.terms.begin()->second, d = y.terms.begin()->second;
    return times(x, Dim(d)) == times(y, Dim(c));
  };
  if ((a.number() && b.number() && *a.number() != *b.number()) || multiple(a, b))
    fault("reshape", t.pos,
          print(from.shape, program_.variables) + " has other than as many atoms as " +
              print(to, program_.variables));
  ExprRef e = made(ExprKind::kReshape, t.pos, {kNoVar, from.atom, to});
  e->indices = {to};
  e->kids = {std::move(of)};
  return e;
}

ExprRef Checker::reify_dimension(const Tree& t, const Type*) {
  parts(t, 2, "(reify-dimension dimension)");
  ExprRef e = made(ExprKind::kReify, t.pos, scalar(AtomKind::kInt));
  e->indices = {{piece(reader_.dim(t.kids[1]))}};
  e->dimension = true;
  return e;
}

ExprRef Checker::reify_shape(const Tree& t, const Type*) {
  parts(t, 2, "(reify-shape shape)");
  const Shape s = reader_.shape(t.kids[1]);
  const bool known = std::all_of(s.begin(), s.end(), [](const Piece& p) { return p.shape == kNoVar; });
  ExprRef e = made(ExprKind::kReify, t.pos,
                   {kNoVar, base(AtomKind::kInt), {piece(static_cast<std::int64_t>(s.size()))}});
  if (!known) {
    const Var r = program_.variables.fresh(Sort::kDim, "r");
    e->type = scalar(binder(AtomKind::kSigma, {r}, {kNoVar, base(AtomKind::kInt), {piece(Dim::of(r))}}));
  }
  e->indices = {s};
  return e;
}

}  // namespace nvm::remora
