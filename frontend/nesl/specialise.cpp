// Expressions, variables and types of the specialiser; specialise_call.cpp has the functions.
#include "frontend/nesl/specialise.h"

#include <algorithm>

#include "bytecode/base/budget.h"
#include "bytecode/base/cancel.h"
#include "bytecode/base/check.h"
#include "bytecode/base/stack.h"
#include "frontend/nesl/serial_check.h"
#include "frontend/nesl/specialiser.h"
#include "frontend/outline.h"

namespace nvm::frontend {

void Specialiser::fail(const Expr& exp, const std::string& message) {
  diagnostics_.error(builtin_ || source_ != main_source_ ? user_pos_ : exp.pos, message);
  throw Failure{};
}

std::shared_ptr<core::Program> Specialiser::run(const Expr& exp, std::uint32_t source) try {
  main_source_ = source_ = source;
  program_->functions.emplace_back();
  core::Function& main = program_->functions.back();
  main.name = "main";
  main.line = line(exp);
  main.param = fresh(core::base_type(core::TypeKind::kUnit), "unit");
  core::ExprPtr body = value(exp).code;
  program_->functions[0].body = std::move(body);
  while (!pending_.empty()) {
    Instance* next = pending_.front();
    pending_.pop_front();
    check_cancelled(env_.cancelled());
    make(*next);
  }
  outline_timed(*program_);
  check_serial(*program_, exp.pos, main_source_, diagnostics_);
  std::vector<std::uint32_t>& inputs = program_->inputs;
  std::sort(inputs.begin(), inputs.end());
  inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
  return program_;
} catch (const Failure&) {
  return nullptr;
}

// Types.

const Type* Specialiser::ground(const Type* type, const Known* known) {
  return plain(types_, type, [&](const Type* var) {
    const bool found = known != nullptr && known->count(var) != 0;
    return found ? known->at(var) : TypeArena::base(TypeKind::kInt);  // nothing depends on it
  });
}

// Nothing depends on what a record does not hold, and no value tells it.
const Type* plain(TypeArena& types, const Type* type,
                  const std::function<const Type*(const Type*)>& of_variable) {
  check_budget();
  check_stack();
  type = resolve(type);
  if (type->kind == TypeKind::kVar) return of_variable(type);
  std::vector<const Type*> args;
  for (std::size_t i = 0; i < type->args.size(); ++i)
    args.push_back(type->holds(i) ? plain(types, type->args[i], of_variable)
                                  : TypeArena::base(TypeKind::kInt));
  if (args == type->args) return type;
  switch (type->kind) {
    case TypeKind::kSeq: return types.seq(args[0]);
    case TypeKind::kPair: return types.pair(args[0], args[1]);
    case TypeKind::kRecord: return types.record(type->datatype, std::move(args));
    case TypeKind::kFn: return types.fn(args[0], args[1], args[2]);
    default: return types.lambda_identity(type->lambda, std::move(args));
  }
}

// Records are their components, function values the tuple of what they captured.
const core::Type* Specialiser::erase(const Type* type) {
  check_budget();
  check_stack();
  type = resolve(type);
  switch (type->kind) {
    case TypeKind::kInt:
    case TypeKind::kVar: return core::base_type(core::TypeKind::kInt);
    case TypeKind::kFloat: return core::base_type(core::TypeKind::kFloat);
    case TypeKind::kBool: return core::base_type(core::TypeKind::kBool);
    case TypeKind::kChar: return core::base_type(core::TypeKind::kChar);
    case TypeKind::kSeq: return core::seq_type(erase(type->args[0]));
    case TypeKind::kPair: return core::pair_type(erase(type->args[0]), erase(type->args[1]));
    case TypeKind::kRecord: return erase(record_content(types_, type));
    case TypeKind::kFn: return erase(type->args[2]);
    case TypeKind::kIdentity: break;
  }
  if (type->args.empty()) return core::base_type(core::TypeKind::kUnit);
  const core::Type* result = erase(type->args.back());
  for (std::size_t i = type->args.size() - 1; i-- > 0;)
    result = core::pair_type(erase(type->args[i]), result);
  return result;
}

// Text that is equal for equal ground types; of functions only the identity counts.
void Specialiser::describe(std::string& key, const Type* type, int depth) {
  check_budget();
  check_stack();
  type = resolve(type);
  if (depth > kMaxTypeDepth) key.resize(kMaxKey + 1, '.');
  if (key.size() > kMaxKey) return;
  const auto address = [&](const void* object) {
    key += std::to_string(reinterpret_cast<std::uintptr_t>(object)) + '(';
  };
  switch (type->kind) {
    case TypeKind::kInt:
    case TypeKind::kVar: key += 'i'; return;
    case TypeKind::kFloat: key += 'f'; return;
    case TypeKind::kBool: key += 'b'; return;
    case TypeKind::kChar: key += 'c'; return;
    case TypeKind::kFn: describe(key, type->args[2], depth); return;
    case TypeKind::kSeq: key += 's'; break;
    case TypeKind::kPair: key += 'p'; break;
    case TypeKind::kRecord:
      key += 'r';
      address(type->datatype);
      break;
    case TypeKind::kIdentity:
      key += 'n';
      if (type->binding != nullptr) {
        address(current(type->binding));
      } else {
        address(type->lambda);
      }
  }
  for (const Type* arg : type->args) describe(key, arg, depth + (type->kind == TypeKind::kPair ? 0 : 1));
  if (type->kind == TypeKind::kRecord || type->kind == TypeKind::kIdentity) key += ')';
}

// Nodes.

core::ExprPtr Specialiser::node(core::ExprKind kind, const core::Type* type, Origin line) {
  auto result = std::make_unique<core::Expr>();
  result->kind = kind;
  result->type = type;
  result->line = line;
  return result;
}

core::ExprPtr Specialiser::pair(core::ExprPtr first, core::ExprPtr second) {
  core::ExprPtr result = node(core::ExprKind::kPair, core::pair_type(first->type, second->type));
  result->kids.push_back(std::move(first));
  result->kids.push_back(std::move(second));
  return result;
}

core::ExprPtr Specialiser::project(core::ExprPtr whole, bool second) {
  const core::Type* type = second ? whole->type->b : whole->type->a;
  core::ExprPtr result = node(second ? core::ExprKind::kSecond : core::ExprKind::kFirst, type);
  result->kids.push_back(std::move(whole));
  return result;
}

core::ExprPtr Specialiser::variable(int variable, const core::Type* type) {
  core::ExprPtr result = node(core::ExprKind::kVar, type);
  result->id = variable;
  return result;
}

core::ExprPtr Specialiser::let_in(int variable, core::ExprPtr value, core::ExprPtr body) {
  core::ExprPtr result = node(core::ExprKind::kLet, body->type, value->line);
  result->id = variable;
  result->kids.push_back(std::move(value));
  result->kids.push_back(std::move(body));
  return result;
}

// Variables and patterns.

int Specialiser::fresh(const core::Type* type, const std::string& name) {
  std::vector<core::Variable>& variables = program_->functions[static_cast<std::size_t>(function_)].variables;
  variables.push_back({type, name});
  return static_cast<int>(variables.size()) - 1;
}

const Specialiser::Local& Specialiser::find(const std::string& name) const {
  const auto found =
      std::find_if(scope_.rbegin(), scope_.rend(), [&](const Local& local) { return local.name == name; });
  NVM_CHECK(found != scope_.rend(), "a local variable is not in scope: " + name);
  return *found;
}

core::ExprPtr Specialiser::read(const Local& local) {
  core::ExprPtr code = variable(local.variable, local.whole);
  for (const bool second : local.path) code = project(std::move(code), second);
  return code;
}

void Specialiser::bind(const Pattern& pattern, const Type* type, Local whole) {
  check_stack();
  type = resolve(type);
  switch (pattern.kind) {
    case Pattern::Kind::kWildcard: return;
    case Pattern::Kind::kName:
      whole.name = pattern.name;
      whole.type = type;
      scope_.push_back(std::move(whole));
      return;
    case Pattern::Kind::kRecord:
      bind(pattern.items[0], record_content(types_, type), std::move(whole));
      return;
    case Pattern::Kind::kTuple: break;
  }
  for (std::size_t i = 0; i + 1 < pattern.items.size(); ++i) {
    Local first = whole;
    first.path.push_back(false);
    whole.path.push_back(true);
    bind(pattern.items[i], type->args[0], std::move(first));
    type = resolve(type->args[1]);
  }
  bind(pattern.items.back(), type, std::move(whole));
}

// Expressions.

Specialiser::Value Specialiser::value(const Expr& exp) {
  check_budget();
  check_stack();
  if (!builtin_ && source_ == main_source_) user_pos_ = exp.pos;
  const auto literal = [&](core::ExprKind kind, TypeKind type) {
    Value result{node(kind, erase(TypeArena::base(type)), line(exp)), TypeArena::base(type)};
    result.code->number = exp.int_value;
    result.code->real = exp.float_value;
    return result;
  };
  switch (exp.kind) {
    case ExprKind::kInt: return literal(core::ExprKind::kInt, TypeKind::kInt);
    case ExprKind::kFloat: return literal(core::ExprKind::kFloat, TypeKind::kFloat);
    case ExprKind::kBool: return literal(core::ExprKind::kBool, TypeKind::kBool);
    case ExprKind::kChar: return literal(core::ExprKind::kChar, TypeKind::kChar);
    case ExprKind::kString: {
      const Type* type = types_.seq(TypeArena::base(TypeKind::kChar));
      Value result{node(core::ExprKind::kString, erase(type), line(exp)), type};
      result.code->text = exp.text;
      return result;
    }
    case ExprKind::kEmpty: {
      const Known known = known_here();
      const Type* type = ground(exp.type, &known);
      return {node(core::ExprKind::kEmpty, erase(type), line(exp)), type};
    }
    case ExprKind::kName: return name(exp);
    case ExprKind::kTuple: return tuple(exp);
    case ExprKind::kSeq: return sequence(exp);
    case ExprKind::kCall: return call(exp);
    case ExprKind::kIf: return conditional(exp);
    case ExprKind::kLet: return let(exp);
    case ExprKind::kEach: return each(exp);
    case ExprKind::kLambda: return lambda(exp);
    case ExprKind::kClosure: return closure(exp);
    case ExprKind::kDefault: return outside(*exp.target, builtin_);
    case ExprKind::kTime: break;
  }
  Value timed = value(*exp.items[0]);
  const Type* type = types_.pair(timed.type, TypeArena::base(TypeKind::kFloat));
  Value result{node(core::ExprKind::kTime, erase(type), line(exp)), type};
  result.code->kids.push_back(std::move(timed.code));
  return result;
}

Specialiser::Value Specialiser::outside(const Expr& exp, bool builtin) {
  std::vector<Local> scope;
  std::swap(scope, scope_);
  const bool before = std::exchange(builtin_, builtin);
  Value result = value(exp);
  builtin_ = before;
  std::swap(scope, scope_);
  return result;
}

Specialiser::Value Specialiser::name(const Expr& exp) {
  if (exp.global != nullptr) return global(current(exp.global), exp);
  const Local& local = find(exp.text);
  return {read(local), local.type};
}

Specialiser::Value Specialiser::global(const Binding* binding, const Expr& exp) {
  if (binding->kind != BindingKind::kVariable)
    return {node(core::ExprKind::kUnit, core::base_type(core::TypeKind::kUnit), line(exp)),
            any_function(types_, types_.named_identity(binding))};
  if (binding->builtin) return outside(*binding->form->exp, true);  // a constant stands for its expression
  const Type* type = ground(binding->type);
  Value result{node(core::ExprKind::kInput, erase(type), line(exp)), type};
  result.code->id = static_cast<std::int32_t>(binding->variable);
  program_->inputs.push_back(binding->variable);
  return result;
}

Specialiser::Value Specialiser::tuple(const Expr& exp) {
  std::vector<Value> items;
  for (const ExprPtr& item : exp.items) items.push_back(value(*item));
  Value result = std::move(items.back());
  for (std::size_t i = items.size() - 1; i-- > 0;)
    result = {pair(std::move(items[i].code), std::move(result.code)),
              types_.pair(items[i].type, result.type)};
  return result;
}

Specialiser::Value Specialiser::sequence(const Expr& exp) {
  std::vector<core::ExprPtr> items;
  const Type* element = nullptr;
  for (const ExprPtr& item : exp.items) {
    Value next = value(*item);
    items.push_back(std::move(next.code));
    if (element == nullptr) element = next.type;
  }
  const Type* type = types_.seq(element);
  Value result{node(core::ExprKind::kSeq, erase(type), line(exp)), type};
  result.code->kids = std::move(items);
  return result;
}

Specialiser::Value Specialiser::conditional(const Expr& exp) {
  Value condition = value(*exp.items[0]);
  Value then_value = value(*exp.items[1]);
  Value else_value = value(*exp.items[2]);
  Value result{node(core::ExprKind::kIf, then_value.code->type, line(exp)), then_value.type};
  result.code->kids.push_back(std::move(condition.code));
  result.code->kids.push_back(std::move(then_value.code));
  result.code->kids.push_back(std::move(else_value.code));
  return result;
}

Specialiser::Value Specialiser::let(const Expr& exp) {
  const std::size_t base = scope_.size();
  std::vector<std::pair<int, core::ExprPtr>> bound;
  for (const LetBinding& binding : exp.bindings) {
    Value part = value(*binding.value);
    const core::Type* type = part.code->type;
    bound.emplace_back(fresh(type, print_pattern(binding.pattern)), std::move(part.code));
    bind(binding.pattern, part.type, {"", bound.back().first, {}, type, part.type});
  }
  Value result = value(*exp.items[0]);
  scope_.resize(base);
  for (std::size_t i = bound.size(); i-- > 0;)
    result.code = let_in(bound[i].first, std::move(bound[i].second), std::move(result.code));
  return result;
}

Specialiser::Value Specialiser::each(const Expr& exp) {
  const std::size_t base = scope_.size();
  core::ExprPtr code = node(core::ExprKind::kEach, nullptr, line(exp));
  std::vector<const Type*> elements;
  for (const Generator& generator : exp.generators) {
    Value source = value(*generator.source);
    elements.push_back(resolve(source.type)->args[0]);
    code->vars.push_back(fresh(source.code->type->a, print_pattern(generator.pattern)));
    code->kids.push_back(std::move(source.code));
  }
  for (std::size_t i = 0; i < elements.size(); ++i)
    bind(exp.generators[i].pattern, elements[i], {"", code->vars[i], {}, erase(elements[i]), elements[i]});
  Value body = exp.body ? value(*exp.body) : Value{variable(code->vars[0], erase(elements[0])), elements[0]};
  code->type = core::seq_type(body.code->type);
  code->kids.push_back(std::move(body.code));
  code->sieve = exp.sieve != nullptr;
  if (exp.sieve) code->kids.push_back(value(*exp.sieve).code);
  scope_.resize(base);
  return {std::move(code), types_.seq(body.type)};
}

Specialiser::Value Specialiser::lambda(const Expr& exp) {
  std::vector<const Type*> types;
  std::vector<core::ExprPtr> values;
  for (const std::string& name : exp.captured) {
    const Local& local = find(name);
    types.push_back(local.type);
    values.push_back(read(local));
  }
  const Type* identity = types_.lambda_identity(&exp, std::move(types));
  core::ExprPtr code =
      values.empty() ? node(core::ExprKind::kUnit, erase(identity), line(exp)) : std::move(values.back());
  for (std::size_t i = values.empty() ? 0 : values.size() - 1; i-- > 0;)
    code = pair(std::move(values[i]), std::move(code));
  return {std::move(code), any_function(types_, identity)};
}

Specialiser::Value Specialiser::closure(const Expr& exp) {
  Value function = value(*exp.items[0]);
  Value first = value(*exp.items[1]);
  const Type* identity = types_.lambda_identity(&exp, {function.type, first.type});
  return {pair(std::move(function.code), std::move(first.code)), any_function(types_, identity)};
}

std::shared_ptr<core::Program> specialise(Environment& environment, const Expr& exp, std::uint32_t source,
                                          Diagnostics& diagnostics) {
  return Specialiser(environment, diagnostics).run(exp, source);
}

bool is_constant(const Expr& exp) {
  check_stack();
  switch (exp.kind) {
    case ExprKind::kInt:
    case ExprKind::kFloat:
    case ExprKind::kBool:
    case ExprKind::kChar:
    case ExprKind::kString: return true;
    case ExprKind::kName:
      return exp.global != nullptr &&
             (exp.global->kind != BindingKind::kVariable || current(exp.global)->constant);
    case ExprKind::kTuple:
      return std::all_of(exp.items.begin(), exp.items.end(),
                         [](const ExprPtr& item) { return is_constant(*item); });
    case ExprKind::kCall:
      return exp.items[0]->kind == ExprKind::kName && exp.items[0]->global != nullptr &&
             exp.items[0]->global->kind == BindingKind::kConstructor && is_constant(*exp.items[1]);
    default: return false;
  }
}

}  // namespace nvm::frontend
