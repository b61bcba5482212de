#include "frontend/remora/checker.h"

#include <algorithm>

#include "bytecode/base/budget.h"
#include "bytecode/base/stack.h"
#include "frontend/remora/library.h"

namespace nvm::remora {

using Kind = Tree::Kind;

void fault(const char* kind, SourcePos pos, std::string text) { throw Error{kind, pos, std::move(text)}; }

namespace {

Error too_large(const TooLarge& e, SourcePos pos) {
  return {"sort", pos, std::string("the ") + e.what + " here is too large"};
}

}  // namespace

std::int64_t product(const std::vector<std::int64_t>& counts) {
  if (std::find(counts.begin(), counts.end(), 0) != counts.end()) return 0;
  std::int64_t n = 1;
  for (const std::int64_t c : counts)
    if (__builtin_mul_overflow(n, c, &n)) throw TooLarge{"array"};
  return n;
}

Shape shape_of(const std::vector<std::int64_t>& counts) {
  Shape s;
  for (const std::int64_t c : counts) s.push_back(piece(c));
  return s;
}

Expr::~Expr() {
  std::vector<ExprRef> open = std::move(kids);
  while (!open.empty()) {
    const ExprRef e = std::move(open.back());
    open.pop_back();
    if (e == nullptr || e.use_count() > 1) continue;
    std::move(e->kids.begin(), e->kids.end(), std::back_inserter(open));
    e->kids.clear();
  }
}

ExprRef Checker::made(ExprKind kind, SourcePos pos, Type type) const {
  auto e = std::make_shared<Expr>();
  e->kind = kind;
  e->pos = pos;
  e->type = std::move(type);
  return e;
}

// Words that begin a form. Not reserved: a variable of the name hides the form.
Checker::Form Checker::form_of(const std::string& word) {
  static const std::map<std::string, Form> forms = [] {
    std::map<std::string, Form> out;
    const auto add = [&](std::initializer_list<const char*> words, Form form) {
      for (const char* w : words) out[w] = form;
    };
    add({"fn", "λ", "lambda"}, &Checker::lambda);
    add({"t-fn", "Tλ", "tλ"}, &Checker::type_lambda);
    add({"i-fn", "Iλ", "iλ"}, &Checker::index_lambda);
    add({"t-app"}, &Checker::type_application);
    add({"i-app"}, &Checker::index_application);
    add({"let"}, &Checker::let);
    add({"if"}, &Checker::conditional);
    add({"array"}, &Checker::array);
    add({"frame"}, &Checker::frame);
    add({"boxes"}, &Checker::boxes);
    add({"box"}, &Checker::box);
    add({"unbox"}, &Checker::unbox);
    add({"lift"}, &Checker::lift);
    add({"reshape"}, &Checker::reshape);
    add({"reify-dimension"}, &Checker::reify_dimension);
    add({"reify-shape"}, &Checker::reify_shape);
    add({"view"}, &Checker::view);
    add({"field"}, &Checker::field);
    add({"set"}, &Checker::set);
    add({"over"}, &Checker::over);
    add({"define", "def", "define-type", "define-index"}, &Checker::misplaced_define);
    return out;
  }();
  const auto it = forms.find(word);
  return it == forms.end() ? nullptr : it->second;
}

ExprRef Checker::misplaced_define(const Tree& t, const Type*) {
  fault("syntax", t.pos, "a definition stands where an expression is expected");
}

ExprRef Checker::expression(const Tree& t, const Type* context) {
  check_stack();
  check_budget();
  try {
    switch (t.kind) {
      case Kind::kName: return name(t);
      case Kind::kSquare:
        if (t.kids.empty())
          fault("syntax", t.pos, "[] says no element type: write (array [0] type) or (frame [0] type)");
        return stacked(t, t.kids, {static_cast<std::int64_t>(t.kids.size())}, context);
      case Kind::kCurly: return record(t);
      case Kind::kInstance: return instance(t);
      case Kind::kRound: {
        if (t.kids.empty()) fault("syntax", t.pos, "() is no expression");
        const Tree& head = t.kids[0];
        if (head.is(Kind::kName) && scope_.value(head.text) == nullptr)
          if (const Form known = form_of(head.text)) return (this->*known)(t, context);
        return application(t, context);
      }
      default: return literal(t);
    }
  } catch (const TooLarge& e) {
    throw too_large(e, t.pos);
  }
}

ExprRef Checker::literal(const Tree& t) {
  AtomKind kind = AtomKind::kInt;
  if (t.is(Kind::kFloat)) kind = AtomKind::kFloat;
  if (t.is(Kind::kBool)) kind = AtomKind::kBool;
  if (t.is(Kind::kChar) || t.is(Kind::kString)) kind = AtomKind::kChar;
  ExprRef e = made(ExprKind::kNumbers, t.pos, scalar(kind));
  if (t.is(Kind::kString)) {
    e->type.shape = {piece(static_cast<std::int64_t>(t.codes.size()))};
    e->numbers.assign(t.codes.begin(), t.codes.end());
  } else if (t.is(Kind::kFloat)) {
    e->reals = {t.real};
  } else {
    e->numbers = {t.number};
  }
  return e;
}

ExprRef Checker::name(const Tree& t) {
  if (const ValueId* v = scope_.value(t.text)) {
    if (*v == Scope::kBlamed) throw Blamed{};
    ExprRef e = made(ExprKind::kValue, t.pos, program_.values[static_cast<std::size_t>(*v)].type);
    e->value = *v;
    return e;
  }
  if (form_of(t.text) != nullptr) fault("syntax", t.pos, t.text + " begins a form and is no value");
  const std::int32_t row = library_row(t.text);
  if (row < 0) {
    const std::string near = scope_.suggestion(t.text);
    fault("unbound-variable", t.pos,
          "there is no " + visible(t.text) + (near.empty() ? "" : "; did you mean " + near + "?"));
  }
  ExprRef e = made(ExprKind::kLibrary, t.pos, library_.of(row));
  e->library = row;
  return e;
}

ExprRef Checker::body(Trees trees, const Tree& owner, const Type* context) {
  check_stack();
  check_budget();
  if (trees.empty()) fault("syntax", owner.pos, "this form lacks a body");
  const Scope::Level level(scope_);
  std::vector<std::vector<std::pair<ValueId, ExprRef>>> bound;
  while (is_define(trees[0])) {
    if (!abbreviation(trees[0])) {
      const std::size_t n = group_at(trees);
      if (n == trees.size())
        fault("syntax", trees[n - 1].pos, "an expression is expected behind the definitions of a body");
      bound.push_back(define(trees.first(n)));
      trees = trees.subspan(n);
    } else {
      if (trees.size() == 1)
        fault("syntax", trees[0].pos, "an expression is expected behind the definitions of a body");
      trees = trees.subspan(1);
    }
  }
  if (trees.size() > 1) fault("syntax", trees[0].pos, "only the last part of a body may be an expression");
  ExprRef rest = expression(trees[0], context);
  while (!bound.empty()) {
    rest = let_of(bound.back(), std::move(rest));
    bound.pop_back();
  }
  return rest;
}

void Checker::form(Trees follows, std::size_t& used) {
  used = 1;
  const Tree& t = follows[0];
  if (is_define(t)) {
    if (abbreviation(t)) return;
    used = group_at(follows);
    bool first = true;
    for (auto& [value, e] : define(follows.first(used))) {
      program_.forms.push_back({value, !first, std::move(e)});
      first = false;
    }
    return;
  }
  ExprRef e = expression(t);
  const Type found = resolved(e->type);
  if (unify_.has_open(found))
    fault("ambiguous", t.pos, "the type of this is not determined: " + shown(found));
  program_.forms.push_back({-1, false, std::move(e)});
}

Checker::Checker(Context& context)
    : program_(context.program),
      scope_(context.scope),
      library_(context.library),
      reader_(scope_, program_.variables),
      unify_(program_.variables) {}

Type type_of(const Program& program, const Form& form) {
  const Value* defined =
      form.body == nullptr ? &program.values[static_cast<std::size_t>(form.defines)] : nullptr;
  return program.variables.resolved(defined != nullptr ? defined->type : form.body->type);
}

void Checker::blame(const Tree& form) {
  if (!is_define(form) || form.kids.size() < 2) return;
  const Tree* name = &form.kids[1];
  while (!name->is(Kind::kName) && !name->kids.empty()) name = &name->kids[0];
  if (name->is(Kind::kName)) scope_.blame(name->text);
}

std::vector<Error> Checker::text(std::string_view text, std::uint32_t line) {
  std::vector<Error> errors;
  std::vector<Tree> trees;
  try {
    trees = read_trees(text, line);
  } catch (const Error& e) {
    errors.push_back(e);
    return errors;
  }
  for (Trees rest(trees); !rest.empty();) {
    std::size_t used = 1;
    const auto faulty = [&](Error e) {
      errors.push_back(std::move(e));
      for (const Tree& t : rest.first(used)) blame(t);
    };
    try {
      form(rest, used);
    } catch (const Error& e) {
      faulty(e);
    } catch (const TooLarge& e) {
      faulty(too_large(e, rest[0].pos));
    } catch (const TooDeep&) {
      faulty({"syntax", rest[0].pos, "this is nested too deeply"});
    } catch (const Blamed&) {
      for (const Tree& t : rest.first(used)) blame(t);
    }
    rest = rest.subspan(used);
  }
  return errors;
}

Checked check_program(std::string_view text, std::span<const Given> given) {
  Checked out;
  Context context(out.program);
  try {
    for (const Given& value : given) context.give(value);
  } catch (const Error& e) {
    out.errors.push_back(e);
    return out;
  }
  out.errors = Checker(context).text(text, 1);
  return out;
}

}  // namespace nvm::remora
