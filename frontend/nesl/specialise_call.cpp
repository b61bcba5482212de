// Calls: which function is meant, and which of its versions.
#include <algorithm>

#include "bytecode/base/ascii.h"
#include "bytecode/base/check.h"
#include "bytecode/base/stack.h"
#include "frontend/nesl/specialiser.h"

namespace nvm::frontend {
namespace {

constexpr std::size_t kMaxInstances = 20000;

// What follows the name of a type case of the prelude for a value of this type (prelude.h).
const char* case_suffix(TypeKind kind) {
  switch (kind) {
    case TypeKind::kInt: return "__int";
    case TypeKind::kFloat: return "__float";
    case TypeKind::kBool: return "__bool";
    case TypeKind::kChar: return "__char";
    case TypeKind::kSeq: return "__seq";
    case TypeKind::kPair: return "__pair";
    default: return "__fn";
  }
}

const Type* itself(const Type* variable) { return variable; }

// Whether an instruction whose type is `general` takes values of type `given`.
bool takes(const Type* general, const Type* given) {
  check_stack();
  general = resolve(general), given = resolve(given);
  if (general->kind == TypeKind::kVar)
    return general->type_class == TypeClass::kAny || in_class(given->kind, general->type_class);
  for (std::size_t i = 0; i < general->args.size(); ++i)
    if (!takes(general->args[i], given->args[i])) return false;
  return true;
}

}  // namespace

// A function value's type: of arguments and results nothing is said, they are known at each call.
const Type* Specialiser::any_function(TypeArena& types, const Type* identity) {
  const Type* any = TypeArena::base(TypeKind::kInt);
  return types.fn(any, any, identity);
}

Specialiser::Value Specialiser::call(const Expr& exp) {
  const Expr& fn = *exp.items[0];
  const Expr& arg = *exp.items[1];
  const bool named = fn.kind == ExprKind::kName && fn.global != nullptr;
  if (named && fn.global->builtin && fn.text == "^" && arg.kind == ExprKind::kTuple &&
      arg.items.size() == 2 && arg.items[1]->kind == ExprKind::kInt &&
      (arg.items[1]->int_value == 2 || arg.items[1]->int_value == 3))
    return power(*arg.items[0], arg.items[1]->int_value, exp);
  Value argument = value(arg);
  if (named && current(fn.global)->kind != BindingKind::kVariable)
    return apply_named(current(fn.global), std::move(argument), exp);
  return apply(value(fn), std::move(argument), exp);
}

// a ^ 2 and a ^ 3 are products.
Specialiser::Value Specialiser::power(const Expr& base, std::int64_t exponent, const Expr& exp) {
  Value whole = value(base);
  const core::Type* type = whole.code->type;
  const int factor = fresh(type, "factor");
  core::ExprPtr product = variable(factor, type);
  for (std::int64_t i = 1; i < exponent; ++i) {
    core::ExprPtr times = node(core::ExprKind::kPrim, type, line(exp));
    times->prim = core::Prim::kMul;
    times->kids.push_back(pair(std::move(product), variable(factor, type)));
    product = std::move(times);
  }
  return {let_in(factor, std::move(whole.code), std::move(product)), whole.type};
}

Specialiser::Value Specialiser::apply(Value function, Value argument, const Expr& call) {
  check_stack();
  const Type* identity = resolve(resolve(function.type)->args[2]);
  NVM_CHECK(identity->kind == TypeKind::kIdentity, "a call of an unknown function");
  if (identity->binding == nullptr && identity->lambda->kind == ExprKind::kLambda)
    return apply_lambda(identity, std::move(function.code), std::move(argument), call);
  if (identity->binding == nullptr)
    return apply_closure(identity, std::move(function), std::move(argument), call);
  Value result = apply_named(current(identity->binding), std::move(argument), call);
  if (function.code->kind == core::ExprKind::kUnit) return result;
  const int ignored = fresh(function.code->type, "function");  // computing it may have effects
  result.code = let_in(ignored, std::move(function.code), std::move(result.code));
  return result;
}

// closure(f, a) applied to b is f(a, b).
Specialiser::Value Specialiser::apply_closure(const Type* identity, Value function, Value argument,
                                              const Expr& call) {
  const core::Type* type = function.code->type;
  const int parts = fresh(type, "closure");
  Value both{pair(project(variable(parts, type), true), std::move(argument.code)),
             types_.pair(identity->args[1], argument.type)};
  Value result = apply({project(variable(parts, type), false), identity->args[0]}, std::move(both), call);
  result.code = let_in(parts, std::move(function.code), std::move(result.code));
  return result;
}

Specialiser::Value Specialiser::apply_named(const Binding* binding, Value argument, const Expr& call) {
  check_stack();
  NVM_CHECK(binding->kind != BindingKind::kVariable, "a variable is called by name");
  if (binding->kind == BindingKind::kConstructor) {
    const Type* result = result_of(binding, argument.type, call);
    return {std::move(argument.code), result};
  }
  if (binding->kind == BindingKind::kPrimitive) {
    if (!takes(resolve(binding->type)->args[0], argument.type)) {
      if (contains_function(argument.type))
        fail(call, upper(binding->name) + " is not defined for functions");
      const Binding* other = env_.find(binding->name + "__other", true);
      if (other == nullptr)
        fail(call, upper(binding->name) + " is not defined for values of type " + print_type(argument.type));
      return apply_named(other, std::move(argument), call);
    }
    const Type* result = result_of(binding, argument.type, call);
    core::ExprPtr code = node(core::ExprKind::kPrim, erase(result), line(call));
    code->prim = static_cast<core::Prim>(binding->prim);
    code->kids.push_back(std::move(argument.code));
    return {std::move(code), result};
  }
  const std::shared_ptr<const Form> form = env_.definition(binding);
  if (!form) return apply_declared(binding, std::move(argument), call);
  std::string key = 'n' + std::to_string(reinterpret_cast<std::uintptr_t>(binding)) + ' ';
  describe(key, argument.type);
  const Type* wanted = nullptr;  // what the caller takes the result for, where nothing else tells its type
  if (has_open_result(binding)) {
    wanted = open_result(binding, *form, call);
    key += '>';
    describe(key, wanted);
  }
  Instance& made = instance(key, call);
  if (made.body == nullptr) {
    made.pattern = &form->pattern;
    made.body = form->exp.get();
    made.form = form;
    made.builtin = binding->builtin;
    made.source = form->source;
    made.argument = argument.type;
    made.general = resolve(binding->type);
    made.result = wanted != nullptr ? wanted : result_of(binding, argument.type, call);
    made.function = declare(binding->name, made, form->pos.line);
    if (contains_function(made.result)) {
      make(made);  // only the body knows which function
    } else {
      pending_.push_back(&made);
    }
  }
  return call_of(made, std::move(argument.code), call);
}

namespace {

// What the variables of `general` stand for in `given`, which says nothing of functions' arguments and
// results.
void match(const Type* general, const Type* given, std::unordered_map<const Type*, const Type*>& known) {
  check_stack();
  general = resolve(general);
  given = resolve(given);
  if (general->kind == TypeKind::kVar) known.emplace(general, given);
  if (general->kind != given->kind || general->kind == TypeKind::kFn) return;
  for (std::size_t i = 0; i < general->args.size(); ++i)
    if (general->holds(i)) match(general->args[i], given->args[i], known);
}

}  // namespace

// Has the result's type a variable that the argument's type has not? Calls of such a function do not end, or
// give an empty sequence.
bool Specialiser::has_open_result(const Binding* binding) {
  const auto [place, fresh] = open_results_.try_emplace(binding, false);
  if (!fresh) return place->second;
  const Type* type = resolve(binding->type);
  if (type->kind != TypeKind::kFn || contains_function(type->args[1])) return false;
  std::vector<const Type*> given, made;
  variables_of(plain(types_, type->args[0], itself), given);
  variables_of(type->args[1], made);
  const auto is_given = [&](const Type* v) {
    return std::find(given.begin(), given.end(), v) != given.end();
  };
  return place->second = !std::all_of(made.begin(), made.end(), is_given);
}

// In its own body what it is being made for; elsewhere what the place of the call has been found to need.
const Type* Specialiser::open_result(const Binding* binding, const Form& form, const Expr& call) {
  if (making_ != nullptr && making_->form.get() == &form) return making_->result;
  const bool by_name = call.kind == ExprKind::kCall && call.items[0]->global == binding;
  const Type* wanted = by_name && call.type != nullptr ? call.type : resolve(binding->type)->args[1];
  if (contains_function(wanted))
    fail(call, "which function this is cannot be known: " + upper(binding->name) + " never returns");
  const Known known = known_here();
  return ground(wanted, &known);
}

// What the type variables of the function that is being made stand for.
Specialiser::Known Specialiser::known_here() const {
  Known known;
  if (making_ == nullptr || making_->general == nullptr) return known;
  match(making_->general->args[0], making_->argument, known);
  if (making_->result != nullptr) match(making_->general->args[1], making_->result, known);
  return known;
}

// `type` with what a record consists of in the place of the record.
const Type* Specialiser::unpacked(const Type* type, const Type* record, const Type* content) {
  check_stack();
  type = resolve(type);
  if (type->kind == TypeKind::kRecord) return same_type(type, record) ? content : type;
  if (type->kind == TypeKind::kSeq) return types_.seq(unpacked(type->args[0], record, content));
  if (type->kind != TypeKind::kPair) return type;
  const Type* first = unpacked(type->args[0], record, content);
  return types_.pair(first, unpacked(type->args[1], record, content));
}

// A declared function without a body is a type case of the prelude, or an error of the user's. Its other
// arguments may be of the type that decides, or sequences of that.
Specialiser::Value Specialiser::apply_declared(const Binding* binding, Value argument, const Expr& call) {
  if (!binding->builtin)
    fail(call, "no body for function " + upper(binding->name) + ", which is only declared");
  const bool by_first = resolve(resolve(binding->type)->args[0])->kind == TypeKind::kPair;
  const Type* whole = resolve(argument.type);
  const Type* first = by_first ? resolve(whole->args[0]) : whole;
  const Type* rest = by_first ? whole->args[1] : nullptr;
  while (first->kind == TypeKind::kRecord) {
    const Type* content = resolve(record_content(types_, first));
    if (by_first) rest = unpacked(rest, first, content);
    first = content;
  }
  const Binding* version = env_.find(binding->name + case_suffix(first->kind), true);
  if (version == nullptr)
    fail(call, upper(binding->name) + " is not defined for values of type " + print_type(first));
  argument.type = by_first ? types_.pair(first, rest) : first;
  return apply_named(version, std::move(argument), call);
}

Specialiser::Value Specialiser::apply_lambda(const Type* identity, core::ExprPtr function, Value argument,
                                             const Expr& call) {
  const Expr& lambda = *identity->lambda;
  std::string key;
  describe(key, identity);
  key += ' ';
  describe(key, argument.type);
  const Type* captured = nullptr;
  for (std::size_t i = identity->args.size(); i-- > 0;)
    captured = captured == nullptr ? identity->args[i] : types_.pair(identity->args[i], captured);
  Instance& made = instance(key, call);
  if (made.body == nullptr) {
    made.pattern = &lambda.pattern;
    made.body = lambda.items[0].get();
    made.builtin = lambda.builtin;
    made.source = lambda.source;
    made.argument = captured == nullptr ? argument.type : types_.pair(captured, argument.type);
    made.captured = lambda.captured;
    made.captures = identity->args;
    made.function = declare("lambda", made, lambda.pos.line);
    make(made);
  }
  if (captured != nullptr) argument.code = pair(std::move(function), std::move(argument.code));
  return call_of(made, std::move(argument.code), call);
}

Specialiser::Value Specialiser::call_of(const Instance& instance, core::ExprPtr argument, const Expr& call) {
  if (instance.result == nullptr) fail(call, "a function must not call itself through its own value");
  core::ExprPtr code = node(core::ExprKind::kCall, erase(instance.result), line(call));
  code->id = instance.function;
  code->kids.push_back(std::move(argument));
  return {std::move(code), instance.result};
}

// Does `var` stand for the type of a value in `type`, not only for what a function in it takes or gives?
bool Specialiser::of_a_value(const Type* var, const Type* type) {
  check_stack();
  type = resolve(type);
  if (type->kind == TypeKind::kFn) return false;
  if (type->kind == TypeKind::kRecord) return of_a_value(var, record_content(types_, type));
  return type == var || std::any_of(type->args.begin(), type->args.end(),
                                    [&](const Type* arg) { return of_a_value(var, arg); });
}

void Specialiser::collect_functions(const Type* type, std::vector<const Type*>& functions) {
  check_stack();
  type = resolve(type);
  if (type->kind == TypeKind::kFn) {
    functions.push_back(type);
  } else if (type->kind == TypeKind::kRecord) {
    collect_functions(record_content(types_, type), functions);
  } else {
    for (const Type* arg : type->args) collect_functions(arg, functions);
  }
}

// What a function in a record takes and gives is not said by the record's arguments either.
const Type* Specialiser::open_record(const Type* record, std::vector<const Type*>& functions) {
  const Datatype& datatype = *record->datatype;
  std::vector<const Type*> args;
  for (std::size_t i = 0; i < record->args.size(); ++i) {
    const bool open = i < datatype.shown() && !of_a_value(datatype.params[i], datatype.content);
    args.push_back(open ? types_.var() : open_functions(record->args[i], functions));
  }
  const Type* opened = types_.record(&datatype, std::move(args));
  if (datatype.hidden > 0) collect_functions(opened, functions);
  return opened;
}

// `type` with fresh argument and result types for the functions in it, which are put into `functions`.
const Type* Specialiser::open_functions(const Type* type, std::vector<const Type*>& functions) {
  check_stack();
  type = resolve(type);
  if (!contains_function(type)) return type;
  switch (type->kind) {
    case TypeKind::kSeq: return types_.seq(open_functions(type->args[0], functions));
    case TypeKind::kPair: {
      const Type* first = open_functions(type->args[0], functions);
      return types_.pair(first, open_functions(type->args[1], functions));
    }
    case TypeKind::kRecord: return open_record(type, functions);
    case TypeKind::kIdentity: return type;
    default:
      functions.push_back(types_.fn(types_.var(), types_.var(), type->args[2]));
      return functions.back();
  }
}

bool Specialiser::is_ground(const Type* type) {
  check_stack();
  type = resolve(type);
  if (type->kind == TypeKind::kFn) return is_ground(type->args[2]);
  return type->kind != TypeKind::kVar && std::all_of(type->args.begin(), type->args.end(), is_ground);
}

// The result type by the function's general type. Where that depends on what a function among the arguments
// returns, the type of its argument is known and says which version of it is meant.
const Type* Specialiser::result_of(const Binding* binding, const Type* argument, const Expr& call) {
  check_stack();
  const Type* type = instantiate(types_, binding->type);
  std::vector<const Type*> functions;
  const bool fits = unifier_.unify(plain(types_, type->args[0], itself), open_functions(argument, functions));
  if (!fits)
    fail(call, "the type of an argument of " + upper(binding->name) +
                   " cannot be known: it comes from a function that never returns");
  for (bool progress = true; progress && !is_ground(type->args[1]);) {
    progress = false;
    for (std::size_t i = 0; i < functions.size(); ++i) {
      const Type* function = functions[i];
      if (is_ground(function->args[1]) || !is_ground(function->args[0])) continue;
      const Type* given = ground(function->args[0]);
      const auto unit = [&](const Type* of) { return Value{node(core::ExprKind::kUnit, erase(of)), of}; };
      const Type* result = apply(unit(function), unit(given), call).type;
      const bool agrees = unifier_.unify(function->args[1], open_functions(result, functions));
      NVM_CHECK(agrees, "a function argument of " + binding->name + " does not fit its type");
      progress = true;
    }
  }
  return ground(type->args[1]);
}

Specialiser::Instance& Specialiser::instance(const std::string& key, const Expr& call) {
  std::unique_ptr<Instance>& slot = instances_[key];
  if (slot == nullptr) {
    if (instances_.size() > kMaxInstances || key.size() > kMaxKey)
      fail(call,
           "this call needs endlessly many versions of a function: it calls itself at ever larger types");
    slot = std::make_unique<Instance>();
  }
  return *slot;
}

int Specialiser::declare(const std::string& name, const Instance& made, std::uint32_t line) {
  core::Function function;
  function.name = name;
  function.builtin = made.builtin;
  function.line = made.builtin ? 0 : origin_number(made.source, line);
  function.variables.push_back({erase(made.argument), "argument"});
  program_->functions.push_back(std::move(function));
  return static_cast<int>(program_->functions.size()) - 1;
}

void Specialiser::make(Instance& made) {
  check_stack();
  std::vector<Local> scope;
  std::swap(scope, scope_);
  const bool builtin = std::exchange(builtin_, made.builtin);
  const std::uint32_t source = std::exchange(source_, made.source);
  const int function = std::exchange(function_, made.function);
  const Instance* outer = std::exchange(making_, &made);
  Local parameter{"", 0, {}, erase(made.argument), made.argument};
  const Type* argument = resolve(made.argument);
  if (!made.captured.empty()) {
    Local captured = parameter;
    captured.path.push_back(false);
    parameter.path.push_back(true);
    for (std::size_t i = 0; i < made.captured.size(); ++i) {
      Local first = captured;
      if (i + 1 < made.captured.size()) first.path.push_back(false);
      captured.path.push_back(true);
      first.name = made.captured[i];
      first.type = made.captures[i];
      scope_.push_back(std::move(first));
    }
    argument = argument->args[1];
  }
  bind(*made.pattern, argument, std::move(parameter));
  Value body = value(*made.body);
  made.result = body.type;
  program_->functions[static_cast<std::size_t>(made.function)].body = std::move(body.code);
  function_ = function;
  making_ = outer;
  builtin_ = builtin;
  source_ = source;
  std::swap(scope, scope_);
}

}  // namespace nvm::frontend
