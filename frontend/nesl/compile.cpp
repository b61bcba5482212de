#include "frontend/nesl/compile.h"

#include "bytecode/base/cancel.h"
#include "bytecode/base/stack.h"
#include "frontend/nesl/infer.h"
#include "frontend/nesl/specialise.h"

namespace nvm::frontend {
namespace {

class FormCompiler {
 public:
  FormCompiler(Environment& environment, std::shared_ptr<Form> form, std::shared_ptr<TypeArena> types,
               Diagnostics& diagnostics)
      : env_(environment), form_(std::move(form)), diagnostics_(diagnostics) {
    result_.form = form_;
    result_.types = std::move(types);
  }

  std::optional<CompiledForm> run() {
    const Environment::Types own(env_, form_->kind == FormKind::kDatatype ? nullptr : result_.types.get());
    const int errors = diagnostics_.errors();
    // A silent failure is due to a name that an earlier, reported error left without meaning.
    bool made = true;
    switch (form_->kind) {
      case FormKind::kFunction: made = function(); break;
      case FormKind::kForward: made = forward(); break;
      case FormKind::kDatatype: made = datatype(); break;
      default:
        if (form_->exp) made = value();
    }
    if (made && diagnostics_.errors() == errors) return std::move(result_);
    blame(*form_, diagnostics_);
    return std::nullopt;
  }

 private:
  bool may_define(const std::string& name, SourcePos pos) {
    if (env_.is_protected(name)) {
      diagnostics_.error(pos, upper(name) + " is built in, it cannot be redefined");
      return false;
    }
    if (env_.would_replace(name))
      diagnostics_.warning(pos, upper(name) +
                                    " is built in; from here on the name means this definition in your "
                                    "program, while built-in functions keep theirs");
    return true;
  }

  void publish(Binding* binding) {
    result_.name = binding->name;
    result_.type = binding->type;
    note_change(*binding);
    binding->owned = {result_.types, binding->type};
    env_.note_uses(*binding, *form_);
    env_.publish(binding);
  }

  void note_change(const Binding& binding) {
    if (!env_.changes_type(binding)) return;
    if (!result_.notice.empty()) result_.notice += "\n";
    result_.notice +=
        "Redefining " + upper(binding.name) + " with a new type.  Old calls will not be modified.";
  }

  bool function() {
    if (!may_define(form_->name, form_->name_pos)) return false;
    Binding* self = env_.make({});
    self->name = form_->name;
    self->pos = form_->name_pos;
    self->form = form_;
    Checker checker(env_, diagnostics_, false);
    if (checker.function(*form_, *self) == nullptr) {
      env_.discard(self);
      return false;
    }
    publish(self);
    return true;
  }

  bool forward() {
    if (!may_define(form_->name, form_->name_pos)) return false;
    Binding* self = env_.make({});
    self->name = form_->name;
    self->pos = form_->name_pos;
    Checker checker(env_, diagnostics_, false);
    self->type = checker.signature(*form_->sig, *self);
    if (self->type == nullptr) return false;
    publish(self);
    return true;
  }

  bool datatype() {
    if (!may_define(form_->name, form_->name_pos)) return false;
    if (is_base_type(form_->name)) {
      diagnostics_.error(form_->name_pos, upper(form_->name) + " is a built-in type, it cannot be redefined");
      return false;
    }
    Binding* constructor = env_.make({});
    constructor->name = form_->name;
    constructor->pos = form_->name_pos;
    constructor->kind = BindingKind::kConstructor;
    Checker checker(env_, diagnostics_, false);
    constructor->type = checker.datatype(*form_, *constructor);
    if (constructor->type == nullptr) return false;
    publish(constructor);
    return true;
  }

  bool value() {
    Checker checker(env_, diagnostics_, false);
    // Written for a function, more often than not: what is wrong with the parameters comes second.
    const Pattern& pattern = form_->pattern;
    const bool of_record = form_->kind == FormKind::kBind && pattern.kind == Pattern::Kind::kRecord;
    if (of_record && !checker.knows_record(pattern)) return false;
    result_.type = checker.expression(*form_->exp);
    if (result_.type == nullptr) return false;
    result_.name = "it";
    if (form_->kind == FormKind::kBackground && !may_define(form_->name, form_->pattern.pos)) return false;
    if (form_->kind == FormKind::kBind || form_->kind == FormKind::kFileBind) {
      result_.name = print_pattern(form_->pattern);
      if (!checker.match(form_->pattern, result_.type, variables_)) return false;
      for (const Checker::Variable& variable : variables_)
        if (!may_define(variable.name, form_->pattern.pos)) return false;
      for (const Checker::Variable& variable : variables_) {
        Binding binding;
        binding.name = variable.name;
        binding.kind = BindingKind::kVariable;
        binding.type = variable.type;
        note_change(binding);
      }
    }
    result_.constant = is_constant(*form_->exp);
    result_.core = specialise(env_, *form_->exp, form_->source, diagnostics_);
    return true;
  }

  Environment& env_;
  std::shared_ptr<Form> form_;
  Diagnostics& diagnostics_;
  CompiledForm result_;
  std::vector<Checker::Variable> variables_;
};

// The variables of a pattern with the slots they take of a value of `type`; returns the slots of the whole.
int bound_slots(TypeArena& types, const Pattern& pattern, const Type* type, int first,
                std::vector<BoundVariable>& out) {
  check_stack();
  type = resolve(type);
  const int slots = slot_count(types, type);
  switch (pattern.kind) {
    case Pattern::Kind::kWildcard: break;
    case Pattern::Kind::kName: out.push_back({pattern.name, 0, type, first, slots}); break;
    case Pattern::Kind::kRecord:
      bound_slots(types, pattern.items[0], record_content(types, type), first, out);
      break;
    case Pattern::Kind::kTuple:
      for (std::size_t i = 0; i < pattern.items.size(); ++i) {
        const bool last = i + 1 == pattern.items.size();
        const Type* item = last ? type : resolve(type->args[0]);
        first += bound_slots(types, pattern.items[i], item, first, out);
        if (!last) type = resolve(type->args[1]);
      }
  }
  return slots;
}

}  // namespace

std::optional<CompiledForm> compile_form(Environment& environment, Form form, Diagnostics& diagnostics) {
  return compile_form(environment, std::make_shared<Form>(std::move(form)), std::make_shared<TypeArena>(),
                      diagnostics);
}

std::optional<CompiledForm> compile_form(Environment& environment, const std::shared_ptr<Form>& form,
                                         const std::shared_ptr<TypeArena>& types, Diagnostics& diagnostics) {
  check_cancelled(environment.cancelled());
  const SourcePos pos = form->pos;
  try {
    return FormCompiler(environment, form, types, diagnostics).run();
  } catch (const TooDeep& e) {
    diagnostics.error(pos, "this, or a type in it, is " + std::string(e.what()));
    return std::nullopt;
  }
}

std::vector<BoundVariable> bind_result(Environment& environment, const CompiledForm& compiled) {
  std::vector<BoundVariable> bound;
  Pattern it;
  it.kind = Pattern::Kind::kName;
  it.name = "it";
  const bool named = compiled.form->kind == FormKind::kBind || compiled.form->kind == FormKind::kFileBind;
  TypeArena passing;
  bound_slots(passing, named ? compiled.form->pattern : it, compiled.type, 0, bound);
  for (BoundVariable& variable : bound) {
    const BoundVariable made = bind_variable(environment, variable.name, variable.type, &compiled);
    variable.number = made.number;
    variable.type = made.type;
    variable.binding = made.binding;
    variable.before = made.before;
  }
  return bound;
}

BoundVariable bind_variable(Environment& environment, const std::string& name, const Type* type,
                            const CompiledForm* compiled) {
  Binding* binding = environment.make({});
  binding->name = name;
  binding->kind = BindingKind::kVariable;
  binding->owned = own(type);
  binding->type = binding->owned.get();
  binding->constant = compiled != nullptr && compiled->constant;
  if (compiled != nullptr && contains_function(type)) {  // the tree and its types are part of the value
    binding->form = compiled->form;
    binding->owned = {std::make_shared<std::pair<OwnedType, std::shared_ptr<TypeArena>>>(
                          std::move(binding->owned), compiled->types),
                      binding->type};
    environment.note_uses(*binding, *compiled->form);
  }
  BoundVariable bound;
  bound.name = name;
  bound.type = binding->type;
  bound.number = binding->variable = environment.next_variable();
  bound.binding = binding;
  bound.before = environment.publish(binding);
  return bound;
}

void unbind_result(Environment& environment, const std::vector<BoundVariable>& bound) {
  for (auto variable = bound.rbegin(); variable != bound.rend(); ++variable)
    environment.withdraw(variable->binding, variable->before);
}

void check_bodies(const Environment& environment, Diagnostics& diagnostics) {
  for (const Binding* binding : environment.without_body())
    diagnostics.error(binding->pos,
                      "no body for function " + upper(binding->name) + ", which is only declared");
}

}  // namespace nvm::frontend
