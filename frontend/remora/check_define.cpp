// Definitions, functions, abstractions, let.
#include <algorithm>

#include "frontend/remora/checker.h"

namespace nvm::remora {

namespace {

using Kind = Tree::Kind;

// The last expression of a body, where an annotation that does not hold is reported.
const Tree& last_of(std::span<const Tree> body) { return body.back(); }

bool is_colon(const Tree& t) { return t.is_name(":"); }

}  // namespace

bool Checker::is_define(const Tree& t) {
  return t.is(Kind::kRound) && !t.kids.empty() && is_word(t.kids[0], "define def define-type define-index");
}

// define-type and define-index: names for what follows in the scope.
bool Checker::abbreviation(const Tree& t) {
  const bool type = t.kids[0].is_name("define-type");
  if (!type && !t.kids[0].is_name("define-index")) return false;
  parts(t, 3, type ? "(define-type name type)" : "(define-index name index)");
  const std::string name = name_of(t.kids[1], "a name");
  const bool at = name.starts_with('@');
  if (type && is_word(t.kids[1], "int float bool char"))
    fault("duplicate", t.kids[1].pos, name + " is a type of the language");
  if (type) {
    Type meant = reader_.type(t.kids[2]);
    if (!at && is_array_type(t.kids[2]))
      fault("kind", t.kids[2].pos, "the name of an array's type begins with @: @" + name);
    scope_.bind_type(name, std::move(meant));
  } else if (at) {
    scope_.bind_index(name, reader_.shape(t.kids[2]));
  } else {
    scope_.bind_index(name, {piece(reader_.dim(t.kids[2]))});
  }
  return true;
}

Checker::Definition Checker::read_define(const Tree& t) const {
  if (t.kids.size() < 3)
    fault("syntax", t.pos, "expected (define name value) or (define (name parameter ...) body)");
  Definition d;
  d.tree = &t;
  d.name_tree = &t.kids[1];
  if (d.name_tree->is(Kind::kRound)) {
    if (d.name_tree->kids.empty()) fault("syntax", d.name_tree->pos, "expected (name parameter ...)");
    d.head = d.name_tree;
    d.name_tree = &d.head->kids[0];
  }
  const Tree& word = d.name_tree->is(Kind::kInstance) ? d.name_tree->kids[0] : *d.name_tree;
  d.name = name_of(word, "the name to be defined");
  if (d.name.starts_with('@')) fault("syntax", word.pos, "the name of a value does not begin with @");
  d.body = std::span(t.kids).subspan(2);
  if (is_colon(d.body[0])) {
    if (d.body.size() < 3) fault("syntax", t.pos, "expected a type and a body behind the colon");
    d.declared = &d.body[1];
    d.body = d.body.subspan(2);
  }
  return d;
}

// How many definitions from here on belong together: functions in a row, or one value.
std::size_t Checker::group_at(Trees trees) const {
  const auto function = [](const Tree& t) {
    return is_define(t) && is_word(t.kids[0], "define def") && t.kids.size() > 1 &&
           t.kids[1].is(Kind::kRound);
  };
  std::size_t n = 0;
  while (n < trees.size() && function(trees[n])) ++n;
  return std::max<std::size_t>(n, 1);
}

ValueId Checker::fresh_value(const std::string& name, Type type, SourcePos pos) {
  program_.values.push_back({name, std::move(type), pos});
  return static_cast<ValueId>(program_.values.size()) - 1;
}

// Of a function whose result is declared, from its head alone.
Type Checker::declared_type(const Definition& d) {
  const Scope::Level level(scope_);
  std::vector<Var> indices, types;
  if (d.name_tree->is(Kind::kInstance)) {
    const Trees names = std::span(d.name_tree->kids).subspan(1);
    const std::size_t bar = d.name_tree->bar - 1;
    types = reader_.bind_types(names.first(bar));
    indices = reader_.bind_indices(names.subspan(bar));
  }
  std::vector<Type> parameters;
  for (const Tree& p : std::span(d.head->kids).subspan(1)) {
    if (p.is(Kind::kName))
      fault("ambiguous", p.pos, "the type of this parameter is not known here: write [" + p.text + " type]");
    parts(p, 2, "[name type]", Kind::kSquare);
    parameters.push_back(reader_.type(p.kids[1]));
  }
  Type out = scalar(function_type(std::move(parameters), reader_.type(*d.declared)));
  if (!types.empty()) out = scalar(binder(AtomKind::kForall, std::move(types), std::move(out)));
  if (!indices.empty()) out = scalar(binder(AtomKind::kPi, std::move(indices), std::move(out)));
  return out;
}

void Checker::annotated(const Type& declared, const Expr& found, const Tree& last) {
  if (!unify_.exact(declared, found.type))
    fault("annotation", last.pos,
          "the type declared is " + shown(declared) + ", this has type " + shown(found.type));
}

ExprRef Checker::definition_body(const Definition& d) {
  const Scope::Level level(scope_);
  std::vector<Var> indices, types;
  if (d.name_tree->is(Kind::kInstance)) {
    const Trees names = std::span(d.name_tree->kids).subspan(1);
    const std::size_t bar = d.name_tree->bar - 1;
    types = reader_.bind_types(names.first(bar));
    indices = reader_.bind_indices(names.subspan(bar));
  }
  ExprRef e;
  if (d.head != nullptr) {
    e = function(std::span(d.head->kids).subspan(1), d.declared, d.body, *d.tree, nullptr);
  } else if (d.declared != nullptr) {
    const Type declared = reader_.type(*d.declared);
    e = body(d.body, *d.tree, &declared);
    annotated(declared, *e, last_of(d.body));
  } else {
    e = body(d.body, *d.tree);
  }
  const auto wrap = [&](ExprKind kind, AtomKind atom, std::vector<Var> bound) {
    if (bound.empty()) return;
    ExprRef outer = made(kind, d.tree->pos, scalar(binder(atom, bound, resolved(e->type))));
    outer->bound = std::move(bound);
    outer->kids = {std::move(e)};
    e = std::move(outer);
  };
  wrap(ExprKind::kTypeLambda, AtomKind::kForall, std::move(types));
  wrap(ExprKind::kIndexLambda, AtomKind::kPi, std::move(indices));
  if (unify_.has_open(e->type))
    fault("ambiguous", last_of(d.body).pos, "the type of this is not determined: " + shown(e->type));
  return e;
}

std::vector<std::pair<ValueId, ExprRef>> Checker::define(Trees trees) {
  std::vector<Definition> group;
  for (const Tree& t : trees) group.push_back(read_define(t));
  for (Definition& d : group)
    if (d.is_group_member()) {
      d.value = fresh_value(d.name, declared_type(d), d.tree->pos);
      scope_.bind_value(d.name, d.value);
    }
  std::vector<std::pair<ValueId, ExprRef>> out;
  for (Definition& d : group) {
    ExprRef e = definition_body(d);
    if (d.value < 0) {
      d.value = fresh_value(d.name, resolved(e->type), d.tree->pos);
      scope_.bind_value(d.name, d.value);
    }
    out.emplace_back(d.value, std::move(e));
  }
  return out;
}

ExprRef Checker::let_of(const std::vector<std::pair<ValueId, ExprRef>>& bound, ExprRef rest) const {
  ExprRef e = made(ExprKind::kLet, rest->pos, rest->type);
  for (const auto& [value, what] : bound) {
    e->recursive |= what->kind == ExprKind::kLambda || what->kind == ExprKind::kTypeLambda ||
                    what->kind == ExprKind::kIndexLambda;
    e->parameters.push_back(value);
    e->kids.push_back(what);
  }
  e->kids.push_back(std::move(rest));
  return e;
}

ExprRef Checker::lambda(const Tree& t, const Type* context) {
  if (t.kids.size() < 3) fault("syntax", t.pos, "expected (fn ([name type] ...) body)");
  if (!t.kids[1].is(Kind::kRound)) fault("syntax", t.kids[1].pos, "expected the parameters in parentheses");
  Trees rest = std::span(t.kids).subspan(2);
  const Tree* result = nullptr;
  if (is_colon(rest[0])) {
    if (rest.size() < 3) fault("syntax", t.pos, "expected a type and a body behind the colon");
    result = &rest[1];
    rest = rest.subspan(2);
  }
  return function(t.kids[1].kids, result, rest, t, context);
}

// `context`, if it is a function's type, gives the types of parameters that do not say theirs.
ExprRef Checker::function(Trees parameters, const Tree* result, Trees body_trees, const Tree& owner,
                          const Type* context) {
  const Scope::Level level(scope_);
  const Atom* known = nullptr;
  Type hint;
  if (context != nullptr) {
    hint = resolved(*context);
    if (hint.array == kNoVar && hint.atom->kind == AtomKind::kFunction) known = hint.atom.get();
  }
  const bool fits = known != nullptr && known->arity() == parameters.size();
  ExprRef e = made(ExprKind::kLambda, owner.pos, {});
  std::vector<Type> types;
  std::vector<std::pair<std::string, ValueId>> names;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const Tree& p = parameters[k];
    const Tree* name = &p;
    Type type;
    if (!p.is(Kind::kName)) {
      parts(p, 2, "a parameter: [name type]", Kind::kSquare);
      name = &p.kids[0];
      type = reader_.type(p.kids[1]);
    } else {
      if (known != nullptr && !fits)
        fault("argument-type", owner.pos,
              "this function has " + std::to_string(parameters.size()) + " parameters, one of " +
                  std::to_string(known->arity()) + " is expected");
      if (!fits || unify_.has_open(known->types[k]))
        fault("ambiguous", p.pos,
              "the type of this parameter is not known here: write [" + p.text + " type]");
      type = resolved(known->types[k]);
    }
    const std::string text = name_of(*name, "the name of a parameter");
    if (text.starts_with('@')) fault("syntax", name->pos, "the name of a value does not begin with @");
    for (const auto& [other, value] : names)
      if (other == text) fault("duplicate", name->pos, "two parameters are called " + text);
    names.emplace_back(text, fresh_value(text, type, name->pos));
    types.push_back(std::move(type));
  }
  for (const auto& [name, value] : names) {
    scope_.bind_value(name, value);
    e->parameters.push_back(value);
  }
  Type declared;
  if (result != nullptr) declared = reader_.type(*result);
  const Type* wanted = result != nullptr ? &declared : fits ? &known->result() : nullptr;
  ExprRef inside = body(body_trees, owner, wanted);
  if (result != nullptr) annotated(declared, *inside, last_of(body_trees));
  e->type = scalar(function_type(std::move(types), resolved(inside->type)));
  e->kids = {std::move(inside)};
  return e;
}

ExprRef Checker::type_lambda(const Tree& t, const Type*) {
  if (t.kids.size() < 3) fault("syntax", t.pos, "expected (t-fn (type-variable ...) body)");
  const Scope::Level level(scope_);
  ExprRef e = made(ExprKind::kTypeLambda, t.pos, {});
  e->bound = reader_.bind_types(t.kids[1]);
  e->kids = {body(std::span(t.kids).subspan(2), t)};
  e->type = scalar(binder(AtomKind::kForall, e->bound, resolved(e->kids[0]->type)));
  return e;
}

ExprRef Checker::index_lambda(const Tree& t, const Type*) {
  if (t.kids.size() < 3) fault("syntax", t.pos, "expected (i-fn (index-variable ...) body)");
  const Scope::Level level(scope_);
  ExprRef e = made(ExprKind::kIndexLambda, t.pos, {});
  e->bound = reader_.bind_indices(t.kids[1]);
  e->kids = {body(std::span(t.kids).subspan(2), t)};
  e->type = scalar(binder(AtomKind::kPi, e->bound, resolved(e->kids[0]->type)));
  return e;
}

// (let [name value] body), (let [name : type value] body), (let ([name value] ...) body).
ExprRef Checker::let(const Tree& t, const Type* context) {
  if (t.kids.size() < 3) fault("syntax", t.pos, "expected (let [name value] body)");
  const Trees bindings = t.kids[1].is(Kind::kRound) ? Trees(t.kids[1].kids) : Trees(t.kids).subspan(1, 1);
  const Scope::Level level(scope_);
  ExprRef e = made(ExprKind::kLet, t.pos, {});
  for (const Tree& b : bindings) {
    const bool typed = b.kids.size() > 1 && is_colon(b.kids[1]);
    parts(b, typed ? 4 : 2, "[name value] or [name : type value]", Kind::kSquare);
    const std::string name = name_of(b.kids[0], "a name");
    if (name.starts_with('@')) fault("syntax", b.kids[0].pos, "the name of a value does not begin with @");
    ExprRef value;
    if (typed) {
      const Type declared = reader_.type(b.kids[2]);
      value = expression(b.kids[3], &declared);
      annotated(declared, *value, b.kids[3]);
    } else {
      value = expression(b.kids[1]);
    }
    if (unify_.has_open(value->type))
      fault("ambiguous", b.kids.back().pos, "the type of this is not determined: " + shown(value->type));
    e->parameters.push_back(fresh_value(name, resolved(value->type), b.kids[0].pos));
    scope_.bind_value(name, e->parameters.back());
    e->kids.push_back(std::move(value));
  }
  e->kids.push_back(body(std::span(t.kids).subspan(2), t, context));
  e->type = e->kids.back()->type;
  return e;
}

}  // namespace nvm::remora
