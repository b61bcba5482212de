// Records (section 7.10).
#include <algorithm>

#include "frontend/remora/checker.h"

namespace nvm::remora {

namespace {

using Kind = Tree::Kind;

}  // namespace

// { (field value) ... }: the field keeps the whole value; (field shape value): its cells.
ExprRef Checker::record(const Tree& t) {
  struct Part {
    std::string name;
    const Tree* tree;
    ExprRef value;
    Type type;
    std::size_t cell;
    Shape frame;
  };
  std::vector<Part> fields;
  for (const Tree& f : t.kids) {
    parts(f, f.kids.size() < 3 ? 2 : 3, "(field value)");
    Part p{name_of(f.kids[0], "the name of a field"), &f.kids.back(), {}, {}, 0, {}};
    for (const Part& other : fields)
      if (other.name == p.name) fault("duplicate", f.kids[0].pos, "two fields are called " + p.name);
    p.value = expression(f.kids.back());
    p.type = resolved(p.value->type);
    if (unify_.has_open(p.type))
      fault("ambiguous", p.tree->pos, "the type of this is not determined: " + shown(p.type));
    p.cell = p.type.shape.size();
    if (f.kids.size() == 3) {
      const Shape cell = reader_.shape(f.kids[1]);
      const auto front = p.type.array == kNoVar ? unify_.end(p.type.shape, cell) : std::nullopt;
      if (!front)
        fault("cell-shape", p.tree->pos,
              "this has type " + shown(p.type) + ", whose shape does not end with " +
                  print(cell, program_.variables));
      p.cell = cell.size();
      const auto middle = p.type.shape.begin() + static_cast<std::ptrdiff_t>(*front);
      p.frame.assign(p.type.shape.begin(), middle);
      p.type.shape.erase(p.type.shape.begin(), middle);
    }
    fields.push_back(std::move(p));
  }
  ExprRef e = made(ExprKind::kRecord, t.pos, {});
  for (const Part& p : fields)
    if (p.frame.size() > e->frame.size()) e->frame = p.frame;
  for (const Part& p : fields)
    if (!std::equal(p.frame.begin(), p.frame.end(), e->frame.begin()))
      fault("frame", p.tree->pos,
            "the frame of this is " + print(p.frame, program_.variables) + ", no beginning of " +
                print(e->frame, program_.variables));
  std::sort(fields.begin(), fields.end(), [](const Part& a, const Part& b) { return a.name < b.name; });
  Atom a;
  a.kind = AtomKind::kRecord;
  for (Part& p : fields) {
    a.names.push_back(p.name);
    a.types.push_back(p.type);
    e->cells.push_back(p.cell);
    e->kids.push_back(std::move(p.value));
  }
  e->type = {kNoVar, atom_of(std::move(a)), e->frame};
  return e;
}

// The field `name` of records.
ExprRef Checker::step(ExprRef of, const Tree& name, const Tree& whole) {
  const Type r = resolved(of->type);
  if (r.array != kNoVar || r.atom->kind != AtomKind::kRecord)
    fault("not-a-record", whole.pos, "this has type " + shown(r) + " and is no record");
  const std::string field = name_of(name, "the name of a field");
  const auto at = std::find(r.atom->names.begin(), r.atom->names.end(), field);
  if (at == r.atom->names.end()) fault("field", name.pos, "records " + shown(r) + " have no field " + field);
  const Type& f = r.atom->types[static_cast<std::size_t>(at - r.atom->names.begin())];
  if (f.array != kNoVar && !r.shape.empty())
    fault("kind", name.pos, "a field of type " + shown(f) + " cannot be lifted");
  ExprRef e =
      made(ExprKind::kView, of->pos, f.array != kNoVar ? f : Type{kNoVar, f.atom, joined(r.shape, f.shape)});
  e->names = {field};
  e->kids = {std::move(of)};
  return e;
}

ExprRef Checker::view(const Tree& t, const Type*) {
  parts(t, 3, "(view (field ...) record)");
  if (!t.kids[1].is(Kind::kRound) || t.kids[1].kids.empty())
    fault("syntax", t.kids[1].pos, "expected (field ...)");
  ExprRef e = opened(expression(t.kids[2]));
  for (const Tree& name : t.kids[1].kids) e = step(std::move(e), name, t.kids[2]);
  return e;
}

ExprRef Checker::field(const Tree& t, const Type*) {
  parts(t, 3, "(field record name)");
  return step(opened(expression(t.kids[1])), t.kids[2], t.kids[1]);
}

// The type of the field at the end of a path, and the path.
ExprRef Checker::set(const Tree& t, const Type*) {
  parts(t, 4, "(set (field ...) value record)");
  if (!t.kids[1].is(Kind::kRound) || t.kids[1].kids.empty())
    fault("syntax", t.kids[1].pos, "expected (field ...)");
  ExprRef value = expression(t.kids[2]), of = expression(t.kids[3]);
  ExprRef part = made(ExprKind::kValue, of->pos, {resolved(of->type).array, resolved(of->type).atom, {}});
  ExprRef e = made(ExprKind::kSet, t.pos, resolved(of->type));
  for (const Tree& name : t.kids[1].kids) {
    part = step(std::move(part), name, t.kids[3]);
    e->names.push_back(name.text);
  }
  if (!unify_.exact(part->type, value->type))
    fault("argument-type", t.kids[2].pos,
          "the field has type " + shown(part->type) + ", this " + shown(value->type));
  e->kids = {std::move(value), std::move(of)};
  return e;
}

ExprRef Checker::over(const Tree& t, const Type*) {
  parts(t, 4, "(over (field ...) function record)");
  if (!t.kids[1].is(Kind::kRound) || t.kids[1].kids.empty())
    fault("syntax", t.kids[1].pos, "expected (field ...)");
  ExprRef of = expression(t.kids[3]);
  ExprRef part = made(ExprKind::kValue, of->pos, {resolved(of->type).array, resolved(of->type).atom, {}});
  ExprRef e = made(ExprKind::kOver, t.pos, resolved(of->type));
  for (const Tree& name : t.kids[1].kids) {
    part = step(std::move(part), name, t.kids[3]);
    e->names.push_back(name.text);
  }
  const Type wanted = scalar(function_type({part->type}, part->type));
  ExprRef function = opened(expression(t.kids[2], &wanted));
  if (!unify_.exact(wanted, function->type))
    fault("argument-type", t.kids[2].pos,
          "this has type " + shown(function->type) + ", " + shown(wanted) + " is expected");
  e->kids = {std::move(function), std::move(of)};
  return e;
}

}  // namespace nvm::remora
