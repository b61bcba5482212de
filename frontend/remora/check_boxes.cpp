// Boxes (section 7.6).
#include <algorithm>

#include "frontend/remora/checker.h"

namespace nvm::remora {

namespace {

using Kind = Tree::Kind;

}  // namespace

// (boxes (i ...) type [n ...] ((index ...) content) ...)
ExprRef Checker::boxes(const Tree& t, const Type*) {
  if (t.kids.size() < 4)
    fault("syntax", t.pos, "expected (boxes (variable ...) type [dimension ...] ((index ...) content) ...)");
  ExprRef e = made(ExprKind::kBoxes, t.pos, {});
  std::vector<Var> bound;
  Type inside;
  {
    const Scope::Level level(scope_);
    bound = reader_.bind_indices(t.kids[1]);
    inside = reader_.type(t.kids[2]);
  }
  e->counts = counts_of(t.kids[3]);
  const Trees elements = Trees(t.kids).subspan(4);
  if (product(e->counts) != static_cast<std::int64_t>(elements.size()))
    fault("element-count", t.pos,
          std::to_string(product(e->counts)) + " boxes are expected here, there are " +
              std::to_string(elements.size()));
  for (const Tree& x : elements) {
    parts(x, 2, "((index ...) content)");
    if (!x.kids[0].is(Kind::kRound)) fault("syntax", x.pos, "expected ((index ...) content)");
    const Trees indices = x.kids[0].kids;
    if (indices.size() != bound.size())
      fault("arity", x.pos,
            std::to_string(bound.size()) + " indices are expected, there are " +
                std::to_string(indices.size()));
    Substitution s;
    for (std::size_t k = 0; k < bound.size(); ++k) {
      if (program_.variables[bound[k]].sort == Sort::kDim) {
        s.dims[bound[k]] = reader_.dim(indices[k]);
        e->indices.push_back({piece(s.dims[bound[k]])});
      } else {
        s.shapes[bound[k]] = reader_.shape(indices[k]);
        e->indices.push_back(s.shapes[bound[k]]);
      }
    }
    const Type wanted = s.on(inside);
    ExprRef content = expression(x.kids[1], &wanted);
    if (!unify_.exact(wanted, content->type))
      fault("box-type", x.kids[1].pos,
            "the content has type " + shown(content->type) + ", " + shown(wanted) + " is expected");
    e->kids.push_back(std::move(content));
  }
  e->type = {kNoVar, binder(AtomKind::kSigma, std::move(bound), std::move(inside)), shape_of(e->counts)};
  return e;
}

// (box ((variable index) ...) type content), (box (Sigma ...) content)
ExprRef Checker::box(const Tree& t, const Type*) {
  const Tree* of = t.kids.size() > 1 && !t.kids[1].kids.empty() ? &t.kids[1].kids[0] : nullptr;
  if (of != nullptr && t.kids[1].is(Kind::kRound) && is_word(*of, "Sigma Σ"))
    parts(t, 3, "(box (Sigma (variable ...) type) content)");
  else if (t.kids.size() != 3)
    parts(t, 4, "(box ((variable index) ...) type content)");
  ExprRef e = made(ExprKind::kBoxes, t.pos, {});
  if (t.kids.size() == 3) {
    const Type sigma = reader_.type(t.kids[1]);
    if (sigma.array != kNoVar || !sigma.shape.empty() || sigma.atom->kind != AtomKind::kSigma)
      fault("box-type", t.kids[1].pos, "expected a type (Sigma (variable ...) type)");
    std::vector<Var> witnesses;
    const Type wanted = unify_.opened(*sigma.atom, true, &witnesses);
    ExprRef content = expression(t.kids[2], &wanted);
    if (!unify_.exact(wanted, content->type))
      fault("box-type", t.kids[2].pos,
            "the content has type " + shown(content->type) + ", which no index makes of " + shown(sigma));
    for (std::size_t k = 0; k < witnesses.size(); ++k)
      if (program_.variables.is_open(witnesses[k]))
        fault("box-type", t.kids[2].pos,
              "the content does not determine " + program_.variables[sigma.atom->bound[k]].name +
                  ": write (box ((variable index) ...) type content)");
    for (const Var v : witnesses)
      e->indices.push_back(program_.variables[v].sort == Sort::kDim ? Shape{piece(Dim::of(v))}
                                                                    : Shape{{v, {}}});
    e->kids = {std::move(content)};
    e->type = sigma;
    return e;
  }
  if (!t.kids[1].is(Kind::kRound)) fault("syntax", t.kids[1].pos, "expected ((variable index) ...)");
  std::vector<Tree> names;
  Substitution s;
  for (const Tree& b : t.kids[1].kids) {
    parts(b, 2, "(variable index)");
    names.push_back(b.kids[0]);
    const bool shape = name_of(b.kids[0], "an index variable").starts_with('@');
    e->indices.push_back(shape ? reader_.shape(b.kids[1]) : Shape{piece(reader_.dim(b.kids[1]))});
  }
  const Scope::Level level(scope_);
  std::vector<Var> bound = reader_.bind_indices(Trees(names));
  for (std::size_t k = 0; k < bound.size(); ++k) {
    if (program_.variables[bound[k]].sort == Sort::kDim)
      s.dims[bound[k]] = e->indices[k][0].dim;
    else
      s.shapes[bound[k]] = e->indices[k];
  }
  Type inside = reader_.type(t.kids[2]);
  const Type wanted = s.on(inside);
  ExprRef content = expression(t.kids[3], &wanted);
  if (!unify_.exact(wanted, content->type))
    fault("box-type", t.kids[3].pos,
          "the content has type " + shown(content->type) + ", " + shown(wanted) + " is expected");
  e->kids = {std::move(content)};
  e->type = scalar(binder(AtomKind::kSigma, std::move(bound), std::move(inside)));
  return e;
}

// (unbox boxes (name witness ...) body)
ExprRef Checker::unbox(const Tree& t, const Type* context) {
  if (t.kids.size() < 4) fault("syntax", t.pos, "expected (unbox boxes (name index-variable ...) body)");
  ExprRef from = opened(expression(t.kids[1]));
  const Type b = resolved(from->type);
  if (b.array != kNoVar || b.atom->kind != AtomKind::kSigma)
    fault("not-a-box", t.kids[1].pos, "this has type " + shown(b) + " and is no box");
  const Tree& names = t.kids[2];
  if (!names.is(Kind::kRound) || names.kids.empty())
    fault("syntax", names.pos, "expected (name index-variable ...)");
  const Trees wanted = Trees(names.kids).subspan(1);
  if (wanted.size() != b.atom->bound.size())
    fault("arity", t.pos,
          "these boxes hide " + std::to_string(b.atom->bound.size()) + " indices, " +
              std::to_string(wanted.size()) + " names are given");
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const bool shape = name_of(wanted[k], "an index variable").starts_with('@');
    if (shape != (program_.variables[b.atom->bound[k]].sort == Sort::kShape))
      fault("sort", wanted[k].pos,
            shape ? "this index is a dimension: its name begins with no @"
                  : "this index is a shape: its name begins with @");
  }
  const Scope::Level level(scope_);
  ExprRef e = made(ExprKind::kUnbox, t.pos, {});
  e->bound = reader_.bind_indices(wanted);
  const std::string name = name_of(names.kids[0], "a name");
  if (name.starts_with('@')) fault("syntax", names.kids[0].pos, "the name of a value does not begin with @");
  e->parameters = {fresh_value(
      name, renaming(program_.variables, b.atom->bound, e->bound).on(b.atom->types[0]), names.kids[0].pos)};
  scope_.bind_value(name, e->parameters[0]);
  Type inner;
  const Type* hint = nullptr;
  if (context != nullptr && b.shape.empty()) hint = context;
  ExprRef inside = body(Trees(t.kids).subspan(3), t, hint);
  const Type result = resolved(inside->type);
  visit(result, [&](Var v) {
    if (std::find(e->bound.begin(), e->bound.end(), v) != e->bound.end())
      fault("escape", t.pos,
            "the result has type " + shown(result) + ", which says what the box hides: box it again");
  });
  if (result.array != kNoVar && !b.shape.empty())
    fault("kind", t.pos, "a result of type " + shown(result) + " cannot be lifted");
  e->type = result.array != kNoVar ? result : Type{kNoVar, result.atom, joined(b.shape, result.shape)};
  e->kids = {std::move(from), std::move(inside)};
  return e;
}

}  // namespace nvm::remora
