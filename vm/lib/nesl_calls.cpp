// What a host defines in a session and calls there.
#include "vm/lib/nesl_calls.h"

#include <functional>
#include <utility>

#include "frontend/core.h"
#include "frontend/emit.h"
#include "vm/lib/guarded.h"
#include "vm/lib/impl.h"
#include "vm/lib/meanwhile.h"
#include "vm/lib/nesl.hpp"
#include "vm/lib/nesl_impl.h"
#include "vm/lib/nesl_session.h"
#include "vm/lib/nesl_slots.h"

namespace nvm::vm {

namespace {

// The arguments as variables of the session, while a call is compiled.
class Arguments {
 public:
  explicit Arguments(frontend::Environment& environment) : environment_(environment) {}
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;
  ~Arguments() {
    while (!bound_.empty()) {
      frontend::unbind_result(environment_, {bound_.back()});
      bound_.pop_back();
    }
  }
  void add(const frontend::Type* type) {
    bound_.push_back(frontend::bind_variable(environment_, name(bound_.size()), type, nullptr));
  }
  // What stands for argument k.
  static std::string name(std::size_t k) { return "argument_" + std::to_string(k + 1); }
  [[nodiscard]] int number_of(std::uint32_t variable) const {
    for (std::size_t k = 0; k < bound_.size(); ++k)
      if (bound_[k].number == variable) return static_cast<int>(k);
    return -1;
  }

 private:
  frontend::Environment& environment_;
  std::vector<frontend::BoundVariable> bound_;
};

}  // namespace

std::string call_text(const std::string& function, std::size_t arguments) {
  std::string text = "(" + function + ")(";
  for (std::size_t k = 0; k < arguments; ++k) text += (k > 0 ? ", " : "") + Arguments::name(k);
  return text + ")";
}

std::optional<CompiledCall> NeslSession::compile_call(const std::string& text,
                                                      std::vector<frontend::OwnedType> types,
                                                      Diagnostics& diagnostics) {
  Arguments arguments(environment_);
  for (const auto& type : types) arguments.add(type.get());
  const auto compiled = compile_one(text, 0, diagnostics);
  if (!compiled || !compiled->core || diagnostics.failed()) return std::nullopt;
  auto emitted = frontend::emit_ssa(*compiled->core, emit_options(*compiled));
  CompiledCall call{std::move(emitted.code), {}, std::move(types), frontend::own(compiled->type)};
  for (const frontend::VariableSlot& in : emitted.inputs) {
    const int argument = arguments.number_of(in.variable);
    const auto slot = static_cast<std::size_t>(in.slot);
    call.inputs.push_back(
        {argument, in.slot, argument < 0 ? variables_.at(in.variable).slots.at(slot) : Value()});
  }
  return call;
}

}  // namespace nvm::vm

namespace nvm::lib {

namespace {

constexpr const char* kExited = "the program ended by exit";

Failure failure_of(const Diagnostics& diagnostics) {
  Failure failure;
  failure.message = diagnostics.render();
  failure.messages = messages_of(diagnostics);
  for (const Message& m : failure.messages)
    if (m.severity == Severity::kError) {
      failure.line = m.line, failure.column = m.column, failure.reason = m.text;
      break;
    }
  return failure;
}

Failure wrong_value(std::string reason) {
  Failure failure;
  failure.kind = Failure::Class::kRuntime;
  failure.message = "nvm: " + reason + "\n";
  failure.reason = std::move(reason);
  return failure;
}

Failure failure_of(vm::RunFault fault) {
  Failure failure;
  failure.kind = Failure::Class::kRuntime;
  failure.message = std::move(fault.message);
  failure.reason = fault.reason.empty() ? kExited : std::move(fault.reason);
  failure.origin_file = std::move(fault.file);
  failure.origin_line = fault.line;
  failure.origin_column = fault.column;
  if (fault.kind) failure.cause = static_cast<Failure::Cause>(*fault.kind);
  return failure;
}

// Of the command exit, which has run nothing; without a line where a file that was loaded has it.
Failure ended_by_exit(std::string_view text, const std::string& name) {
  Failure failure;
  failure.kind = Failure::Class::kRuntime;
  failure.reason = "the definitions ended by exit";
  failure.origin_file = name;
  Diagnostics ignored("", text);
  const frontend::Source source{name, text, 1, false, 0, true};
  frontend::Parser parser(source, ignored);
  while (!parser.at_end() && failure.origin_line == 0)
    if (const auto form = parser.next_form();
        form && form->kind == frontend::FormKind::kCommand && form->name == "exit")
      failure.origin_line = form->pos.line;
  failure.message = name + (failure.origin_line > 0 ? ":" + std::to_string(failure.origin_line) : "") + ": " +
                    failure.reason + "\n";
  return failure;
}

// In a form that names the type again.
std::string type_text(const frontend::Type* type) {
  const std::string text = frontend::print_type(type);
  return frontend::resolve(type)->kind == frontend::TypeKind::kPair ? "(" + text + ")" : text;
}

std::vector<std::string> functions_of(std::string_view text) {
  Diagnostics ignored("", text);
  const frontend::Source source{"", text, 1, false, 0, true};  // as define() reads it
  frontend::Parser parser(source, ignored);
  std::vector<std::string> names;
  while (!parser.at_end()) {
    const auto form = parser.next_form();
    if (form && form->kind == frontend::FormKind::kFunction) names.push_back(form->name);
  }
  return names;
}

}  // namespace

// A compiled call with a machine that keeps its kernels.
struct Nesl::Impl::Call {
  vm::CompiledCall compiled;
  Program program;
  std::string result;
  std::optional<Vm> machine;  // the session's where what runs may do is counted
};

Result<std::vector<std::string>> Nesl::define(std::string_view text, const std::string& name) {
  using Names = Result<std::vector<std::string>>;
  return Impl::call<Names>(
      impl_, [&] { return impl_->define(text, name); }, [](Failure failure) -> Names { return failure; });
}

Result<std::vector<std::string>> Nesl::Impl::define(std::string_view text, const std::string& name) {
  calls.clear();
  std::optional<Failure> wrong;
  auto& options = session.options();
  const vm::Meanwhile<vm::Show> show(options.show, vm::Show::kNothing);
  const vm::Meanwhile report(options.report, std::function([&](const Diagnostics& diagnostics) {
                               if (diagnostics.failed() && !wrong) wrong = failure_of(diagnostics);
                             }));
  const vm::Meanwhile report_fault(options.report_fault, std::function([&](vm::RunFault fault) {
                                     if (!wrong) wrong = failure_of(std::move(fault));
                                   }));
  const auto done = session.run_text({name, text, 1, false, 0, true});
  if (wrong) return *wrong;
  if (done == vm::SessionStatus::kExit) return ended_by_exit(text, name);
  if (done != vm::SessionStatus::kOk) return wrong_value("a definition failed while it was computed");
  return functions_of(text);
}

Result<NeslValue> Nesl::call(const std::string& function, std::span<const NeslValue> arguments) {
  return Impl::call<Result<NeslValue>>(
      impl_, [&] { return impl_->call_function(function, arguments); },
      [](Failure failure) -> Result<NeslValue> { return failure; });
}

Result<Nesl::Impl::Call*> Nesl::Impl::compiled_call(const std::string& function,
                                                    std::span<const NeslValue> arguments) {
  std::string key = function;
  for (const NeslValue& a : arguments) key += "\n" + a.type;
  if (const auto found = calls.find(key); found != calls.end()) return found->second.get();
  std::vector<frontend::OwnedType> types;
  for (const NeslValue& a : arguments) {
    std::string wrong;
    types.push_back(session.read_type(a.type, wrong));
    if (types.back() == nullptr) return wrong_value(wrong);
  }
  const std::string text = vm::call_text(function, types.size());
  Diagnostics diagnostics("call", text);
  auto compiled = session.compile_call(text, std::move(types), diagnostics);
  if (!compiled) return failure_of(diagnostics);
  const std::string result = type_text(compiled->result.get());
  if (const auto wrong = vm::not_data(compiled->result.get(), result); !wrong.empty()) {
    Failure failure = wrong_value(wrong);
    failure.cause = Failure::Cause::kType;
    return failure;
  }
  auto program = make_program(std::move(compiled->program), "NESL", {});
  if (!program) return program.failure();
  auto made = std::make_shared<Call>(Call{std::move(*compiled), *program, result, std::nullopt});
  if (own_machines) made->machine.emplace(runner.machine_for(account));
  constexpr std::size_t kMostCalls = 64;
  if (calls.size() >= kMostCalls) calls.clear();
  return calls.emplace(key, std::move(made)).first->second.get();
}

Result<NeslValue> Nesl::Impl::call_function(const std::string& function,
                                            std::span<const NeslValue> arguments) {
  auto found = compiled_call(function, arguments);
  if (!found) return found.failure();
  Call& call = **found;
  frontend::TypeArena passing;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    std::vector<vm::Value> parts;
    for (const Value& part : arguments[k].parts) {
      if (!part) return wrong_value(kNoMemory);
      parts.push_back(part.impl()->value);
    }
    if (const auto wrong = vm::misfit(passing, call.compiled.arguments[k].get(), parts))
      return wrong_value("argument " + std::to_string(k + 1) + ", of type " + arguments[k].type +
                         ", is a value with " + *wrong);
  }
  std::vector<Value> inputs;
  for (const auto& in : call.compiled.inputs)
    if (in.argument >= 0)
      inputs.push_back(
          arguments[static_cast<std::size_t>(in.argument)].parts[static_cast<std::size_t>(in.slot)]);
    else
      inputs.emplace_back(std::make_shared<Value::Impl>(Value::Impl{nullptr, nullptr, in.value}));
  auto run = (call.machine ? *call.machine : runner.machine()).run(call.program, inputs);
  if (!run) {
    Failure failure = std::move(run).failure();
    failure.reason = vm::in_nesl_terms(std::move(failure.reason));
    return failure;
  }
  if (run->exited) {
    Failure failure = wrong_value(kExited);
    set_origin(failure, run->exit_origin, *call.program.impl());
    return failure;
  }
  std::vector<vm::Value> parts;
  for (const Value& part : run->values) parts.push_back(part.impl()->value);
  if (const auto wrong = vm::wrong_result(call.compiled.result.get(), parts)) return wrong_value(*wrong);
  return NeslValue{call.result, std::move(run->values)};
}

}  // namespace nvm::lib
