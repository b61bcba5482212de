#include "frontend/nesl/infer.h"

#include <algorithm>

#include "bytecode/base/budget.h"
#include "bytecode/base/stack.h"
#include "frontend/nesl/modules.h"
#include "frontend/nesl/parser.h"

namespace nvm::frontend {
namespace {

// Tuples of tuples double with every step: beyond this nobody means it, and checking takes forever.
constexpr std::size_t kLargestType = 10000;

std::string show_types(const Type* type) { return print_type(type); }

// Names the variables of what does not match a signature as they are named there.
TypePrinter printer_of(const Type* signature) {
  TypePrinter printer;
  if (signature != nullptr) printer.print(signature);
  return printer;
}

}  // namespace

Checker::Checker(Environment& environment, Diagnostics& diagnostics, bool from_prelude)
    : env_(environment),
      types_(environment.types()),
      diagnostics_(diagnostics),
      from_prelude_(from_prelude) {}

void Checker::fail(SourcePos pos, std::string message) {
  diagnostics_.error(pos, std::move(message));
  throw Failure{};
}

// Forms.

const Type* Checker::function(Form& form, Binding& self) try {
  self_ = &self;
  const Type* identity = types_.named_identity(&self);
  const Type* sig = form.sig ? declared(*form.sig, true, self) : nullptr;
  std::vector<Variable> variables;
  parameters_ = true;
  const Type* argument = pattern(form.pattern, variables);
  parameters_ = false;
  if (sig != nullptr && !unifier_.unify(argument, sig->args[0])) {
    TypePrinter printer = printer_of(sig);
    const std::string needed = printer.print(argument);
    fail(form.pattern.pos, "the supplied type does not match the arguments of " + upper(form.name) +
                               ": declared " + printer.print(sig->args[0]) + ", the parameter needs " +
                               needed + printer.context());
  }
  const Type* result = sig != nullptr ? sig->args[1] : types_.var();
  self.type = sig != nullptr ? sig : types_.fn(argument, result, identity);
  for (Keyword& value : form.defaults) infer(*value.value);
  for (Empty& empty : empties_) empty.elsewhere = true;
  push(variables);
  const Type* body = infer(*form.exp);
  if (!unifier_.unify(result, body)) {
    TypePrinter printer = printer_of(sig);
    const std::string inferred = printer.print(body), wanted = printer.print(result);
    fail(form.exp->pos, "the inferred result type " + inferred + " does not match the " +
                            (sig != nullptr ? "declared result type " : "result type of a recursive call, ") +
                            wanted + printer.context());
  }
  settle_empties(resolve(self.type));
  self.serial = serial_;
  return self.type;
} catch (const Failure&) {
  return nullptr;
}

const Type* Checker::signature(const TypeSig& sig, Binding& self) try {
  return declared(sig, false, self);
} catch (const Failure&) {
  return nullptr;
}

const Type* Checker::expression(Expr& exp) try {
  const Type* type = infer(exp);
  settle_empties(nullptr);
  settle_value(type);
  return type;
} catch (const Failure&) {
  return nullptr;
}

bool Checker::match(Pattern& pattern, const Type* type, std::vector<Variable>& variables) try {
  const Type* expected = this->pattern(pattern, variables);
  if (unifier_.unify(expected, type)) return true;
  fail(pattern.pos, "the pattern " + print_pattern(pattern) + " does not match a value of type " +
                        show_types(type) + redefined(expected, type));
} catch (const Failure&) {
  return false;
}

const Type* Checker::datatype(const Form& form, Binding& constructor) try {
  Datatype* record = types_.datatype();
  record->name = form.name;
  const TypeVars variables = type_variables(*form.sig, false);
  for (const Variable& variable : variables) record->params.push_back(variable.type);
  const Type* components = type_of(form.sig->type, variables);
  if (size_up_to(components, kLargestType) >= kLargestType)
    fail(form.pos, "the type " + form.name + " has more than " + std::to_string(kLargestType) + " parts");
  record->hold(components);
  constructor.datatype = record;
  return types_.fn(record->content, types_.record(record, record->params),
                   types_.named_identity(&constructor));
} catch (const Failure&) {
  return nullptr;
}

// Expressions.

const Type* Checker::infer(Expr& exp) {
  check_budget();
  check_stack();
  const Type* type = infer_kind(exp);
  if (size_up_to(type, kLargestType) >= kLargestType)
    fail(exp.pos, "the type of this expression has more than " + std::to_string(kLargestType) + " parts");
  exp.type = type;
  return type;
}

const Type* Checker::infer_kind(Expr& exp) {
  switch (exp.kind) {
    case ExprKind::kInt: return TypeArena::base(TypeKind::kInt);
    case ExprKind::kFloat: return TypeArena::base(TypeKind::kFloat);
    case ExprKind::kBool: return infer_truth(exp);
    case ExprKind::kChar: return TypeArena::base(TypeKind::kChar);
    case ExprKind::kString: return types_.seq(TypeArena::base(TypeKind::kChar));
    case ExprKind::kEmpty: return infer_empty(exp);
    case ExprKind::kName: return infer_name(exp);
    case ExprKind::kTuple: return infer_tuple(exp);
    case ExprKind::kSeq: return infer_seq(exp);
    case ExprKind::kCall: return infer_call(exp);
    case ExprKind::kIf: return infer_if(exp);
    case ExprKind::kLet: return infer_let(exp);
    case ExprKind::kEach: return infer_each(exp);
    case ExprKind::kLambda: return infer_lambda(exp);
    case ExprKind::kClosure: return infer_closure(exp);
    case ExprKind::kDefault: return renew(types_, exp.target->type);
    case ExprKind::kTime: return types_.pair(infer(*exp.items[0]), TypeArena::base(TypeKind::kFloat));
  }
  return nullptr;
}

std::size_t Checker::find_local(const std::string& name) const {
  for (std::size_t i = scope_.size(); i-- > 0;)
    if (scope_[i].name == name) return i;
  return kNotLocal;
}

void Checker::capture(const std::string& name, std::size_t index) {
  for (const Lambda& lambda : lambdas_) {
    std::vector<std::string>& captured = lambda.node->captured;
    if (index < lambda.scope_base && std::find(captured.begin(), captured.end(), name) == captured.end())
      captured.push_back(name);
  }
}

const Type* Checker::infer_truth(Expr& exp) {
  if (exp.text.empty() || find_local(exp.text) == kNotLocal) return TypeArena::base(TypeKind::kBool);
  exp.kind = ExprKind::kName;
  return infer_name(exp);
}

const Type* Checker::infer_name(Expr& exp) {
  if (!exp.builtin) {
    const std::size_t local = find_local(exp.text);
    if (local != kNotLocal) {
      capture(exp.text, local);
      exp.global = nullptr;
      return scope_[local].type;
    }
    if (self_ != nullptr && exp.text == self_->name) {
      exp.global = self_;
      return self_->type;
    }
  }
  if (exp.builtin && from_prelude_ && self_ != nullptr && exp.text == self_->name) {
    exp.global = self_;
    return self_->type;
  }
  exp.global = env_.find(exp.text, from_prelude_ || exp.builtin);
  if (exp.global == nullptr || exp.global->type == nullptr) undefined(exp);
  // Of a built-in name whose new definition was reported nobody knows what is meant.
  if (exp.global->builtin && !exp.builtin && diagnostics_.blamed(exp.text)) throw Failure{};
  // What a user has defined may be forgotten before this form is.
  return exp.global->builtin ? instantiate(types_, exp.global->type) : renew(types_, exp.global->type);
}

const Type* Checker::infer_tuple(Expr& exp) {
  std::vector<const Type*> items;
  for (const ExprPtr& item : exp.items) items.push_back(infer(*item));
  return types_.tuple(items);
}

const Type* Checker::infer_seq(Expr& exp) {
  const Type* element = infer(*exp.items[0]);
  for (std::size_t i = 1; i < exp.items.size(); ++i) {
    const Type* next = infer(*exp.items[i]);
    if (next == element || unifier_.unify(element, next)) continue;
    if (resolve(next)->kind == TypeKind::kFn && resolve(element)->kind == TypeKind::kFn)
      fail(exp.items[i]->pos, "the elements of a sequence cannot be different functions");
    fail(exp.items[i]->pos, "the elements of a sequence must have one type: this one is " + show_types(next) +
                                ", those before it are " + show_types(element) + conversion(element, next));
  }
  return types_.seq(element);
}

void Checker::mark_serial(const Expr& function) {
  if (function.kind != ExprKind::kName || function.global == nullptr || !function.global->serial) return;
  if (parallel_ > 0) fail(function.pos, "cannot call " + upper(function.text) + " in parallel");
  if (lambdas_.empty()) serial_ = true;
}

const Type* Checker::infer_call(Expr& exp) {
  Expr& fn = *exp.items[0];
  if (fn.kind == ExprKind::kName) expand_defaults(exp);
  const Type* argument = infer(*exp.items[1]);
  const Type* function = infer(fn);
  mark_serial(fn);
  return apply(exp, function, argument);
}

const Type* Checker::apply(const Expr& call, const Type* function, const Type* argument) {
  function = resolve(function);
  if (function->kind == TypeKind::kVar && !function->rigid) {
    const Type* result = types_.var();
    if (unifier_.unify(function, types_.fn(argument, result, types_.var()))) return result;
  }
  const Expr& fn = *call.items[0];
  const std::string name = fn.kind == ExprKind::kName ? fn.text : excerpt(fn);
  if (function->kind != TypeKind::kFn) not_a_function(call, function, argument);
  if (unifier_.unify(argument, function->args[0])) return function->args[1];
  mismatch(call, name, function->args[0], argument);
}

const Type* Checker::infer_if(Expr& exp) {
  const Type* condition = infer(*exp.items[0]);
  const Type* then_type = infer(*exp.items[1]);
  const Type* else_type = infer(*exp.items[2]);
  if (!unifier_.unify(condition, TypeArena::base(TypeKind::kBool)))
    fail(exp.items[0]->pos, "the condition of an IF must be of type bool, not " + show_types(condition));
  if (!unifier_.unify(then_type, else_type))
    fail(exp.items[2]->pos,
         contains_function(then_type) && contains_function(else_type)
             ? "the two branches of an IF must not be different functions"
             : "the two branches of an IF must be of one type: THEN is " + show_types(then_type) +
                   ", ELSE is " + show_types(else_type) + conversion(then_type, else_type) +
                   (exp.items[2]->kind == ExprKind::kTuple && exp.items[1]->kind != ExprKind::kTuple
                        ? "; a comma behind ELSE belongs to it, unless the IF is in parentheses"
                        : ""));
  return then_type;
}

void Checker::push(const std::vector<Variable>& variables) {
  scope_.insert(scope_.end(), variables.begin(), variables.end());
}

const Type* Checker::infer_let(Expr& exp) {
  const std::size_t base = scope_.size();
  for (LetBinding& binding : exp.bindings) {
    std::vector<Variable> variables;
    const Type* expected = pattern(binding.pattern, variables);
    const Type* value = infer(*binding.value);
    if (!unifier_.unify(expected, value))
      fail(binding.pattern.pos, "in the binding of a LET construct, the pattern " +
                                    print_pattern(binding.pattern) + " does not match a value of type " +
                                    show_types(value) + redefined(expected, value));
    push(variables);
  }
  const Type* result = infer(*exp.items[0]);
  scope_.resize(base);
  return result;
}

const Type* Checker::infer_each(Expr& exp) {
  std::vector<Variable> variables;
  const Type* first = nullptr;
  for (Generator& generator : exp.generators) {
    const Type* expected = pattern(generator.pattern, variables);
    const Type* source = infer(*generator.source);
    const Type* element = types_.var();
    if (!unifier_.unify(source, types_.seq(element)))
      fail(generator.source->pos,
           "the source of an APPLY-TO-EACH must be a sequence, not " + show_types(source));
    if (!unifier_.unify(expected, element))
      fail(generator.pattern.pos, "in the binding of an APPLY-TO-EACH construct, the pattern " +
                                      print_pattern(generator.pattern) + " does not match elements of type " +
                                      show_types(element));
    if (first == nullptr) first = element;
  }
  const std::size_t base = scope_.size();
  push(variables);
  ++parallel_;
  const Type* body = exp.body ? infer(*exp.body) : first;
  const Type* sieve = exp.sieve ? infer(*exp.sieve) : nullptr;
  --parallel_;
  scope_.resize(base);
  if (sieve != nullptr && !unifier_.unify(sieve, TypeArena::base(TypeKind::kBool)))
    fail(exp.sieve->pos, "the sieve of an APPLY-TO-EACH must be of type bool, not " + show_types(sieve));
  return types_.seq(body);
}

const Type* Checker::infer_lambda(Expr& exp) {
  std::vector<Variable> variables;
  const Type* argument = pattern(exp.pattern, variables);
  const std::size_t base = scope_.size();
  exp.captured.clear();
  exp.builtin = from_prelude_;
  lambdas_.push_back({&exp, base});
  push(variables);
  const Type* result = infer(*exp.items[0]);
  scope_.resize(base);
  lambdas_.pop_back();
  std::vector<const Type*> captured;
  for (const std::string& name : exp.captured) captured.push_back(scope_[find_local(name)].type);
  return types_.fn(argument, result, types_.lambda_identity(&exp, std::move(captured)));
}

const Type* Checker::infer_closure(Expr& exp) {
  const Type* function = infer(*exp.items[0]);
  const Type* first = infer(*exp.items[1]);
  mark_serial(*exp.items[0]);
  const Type* rest = types_.var();
  const Type* result = types_.var();
  if (!unifier_.unify(function, types_.fn(types_.pair(first, rest), result, types_.var())))
    fail(exp.items[0]->pos, "CLOSURE needs a function of a pair whose first component is " +
                                show_types(first) + ", not " + show_types(function));
  return types_.fn(rest, result, types_.lambda_identity(&exp, {function, first}));
}

// Patterns.

const Type* Checker::pattern(Pattern& pattern, std::vector<Variable>& variables) {
  check_stack();
  switch (pattern.kind) {
    case Pattern::Kind::kWildcard: return types_.var();
    case Pattern::Kind::kName: {
      const auto same_name = [&](const Variable& variable) { return variable.name == pattern.name; };
      const bool again = std::any_of(variables.begin(), variables.end(), same_name);
      if (again && pattern.name == "_") {  // an ordinary name if it stands once
        pattern.kind = Pattern::Kind::kWildcard;
        return types_.var();
      }
      if (again) fail(pattern.pos, "the variable " + upper(pattern.name) + " is repeated in a pattern");
      variables.push_back({pattern.name, types_.var()});
      return variables.back().type;
    }
    case Pattern::Kind::kTuple: {
      std::vector<const Type*> items;
      for (Pattern& item : pattern.items) items.push_back(this->pattern(item, variables));
      return types_.tuple(items);
    }
    case Pattern::Kind::kRecord: break;
  }
  const Type* inner = this->pattern(pattern.items[0], variables);
  Binding* constructor = env_.find(pattern.name, from_prelude_);
  if (constructor == nullptr || constructor->kind != BindingKind::kConstructor) unknown_record(pattern);
  pattern.record = constructor;
  const Type* type = instantiate(types_, constructor->type);
  if (!unifier_.unify(inner, type->args[0]))
    fail(pattern.pos, "the components of the record pattern " + print_pattern(pattern) +
                          " do not match the type " + show_types(type->args[0]));
  return type->args[1];
}

// Type expressions.

Checker::TypeVars Checker::type_variables(const TypeSig& sig, bool rigid) {
  TypeVars variables;
  for (const TypeSig::ClassBinding& binding : sig.classes) {
    TypeClass type_class = TypeClass::kAny;
    if (!read_class(binding.type_class, type_class))
      fail(binding.pos, "the type " + binding.type_class + " is not a valid type-class");
    const auto same = [&](const Variable& v) { return v.name == binding.variable; };
    if (std::any_of(variables.begin(), variables.end(), same))
      fail(binding.pos, "the type variable " + binding.variable + " is given a class twice");
    variables.push_back({binding.variable, types_.var(type_class, rigid)});
  }
  return variables;
}

const Type* Checker::declared(const TypeSig& sig, bool rigid, Binding& self) {
  TypeVars variables = type_variables(sig, rigid);
  const Type* type = type_of(sig.type, variables);
  if (from_prelude_) own_variables_ = std::move(variables);
  if (type->kind != TypeKind::kFn) return type;
  return types_.fn(type->args[0], type->args[1], types_.named_identity(&self));
}

const Type* Checker::type_of(const TypeExpr& exp, const TypeVars& variables) {
  check_stack();
  if (exp.kind == TypeExpr::Kind::kName) return named_type(exp, variables);
  std::vector<const Type*> items;
  for (const TypeExpr& item : exp.items) items.push_back(type_of(item, variables));
  switch (exp.kind) {
    case TypeExpr::Kind::kSeq: return types_.seq(items[0]);
    case TypeExpr::Kind::kTuple: return types_.tuple(items);
    default: return types_.fn(items[0], items[1], types_.var());
  }
}

namespace {

constexpr std::pair<std::string_view, TypeKind> kBase[] = {{"int", TypeKind::kInt},
                                                           {"float", TypeKind::kFloat},
                                                           {"bool", TypeKind::kBool},
                                                           {"char", TypeKind::kChar}};

}  // namespace

bool is_base_type(std::string_view name) {
  return std::any_of(std::begin(kBase), std::end(kBase),
                     [&](const auto& base) { return base.first == name; });
}

const Type* Checker::named_type(const TypeExpr& exp, const TypeVars& variables) {
  if (exp.items.empty()) {
    for (const auto& [name, kind] : kBase)
      if (exp.name == name) return TypeArena::base(kind);
    for (const Variable& variable : variables)
      if (variable.name == exp.name) return variable.type;
  }
  const Datatype* datatype = env_.find_type(exp.name, from_prelude_);
  if (datatype == nullptr) {
    const Unknown unknown = Modules(env_).unknown(exp.name, diagnostics_);
    if (unknown.reported) throw Failure{};
    fail(exp.pos, unknown.why.empty() ? "no type definition for " + exp.name : unknown.why);
  }
  if (datatype->shown() != exp.items.size())
    fail(exp.pos, "the type " + exp.name + " takes " + std::to_string(datatype->shown()) +
                      " type arguments, not " + std::to_string(exp.items.size()));
  std::vector<const Type*> args;
  for (std::size_t i = 0; i < exp.items.size(); ++i) {
    args.push_back(type_of(exp.items[i], variables));
    const TypeClass needed = datatype->params[i]->type_class;
    const Type* given = resolve(args[i]);
    const bool fits = given->kind == TypeKind::kVar ? class_within(given->type_class, needed)
                                                    : belongs(given->kind, needed);
    if (!fits)
      fail(exp.items[i].pos, "the type " + print_type(given) + " is not in the class " + class_name(needed) +
                                 " that " + exp.name + " needs");
  }
  for (std::size_t i = 0; i < datatype->hidden; ++i) args.push_back(types_.var());
  return types_.record(datatype, std::move(args));
}

}  // namespace nvm::frontend
