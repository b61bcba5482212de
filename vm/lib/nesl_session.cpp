#include "vm/lib/nesl_session.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>
#include <utility>

#include "bytecode/base/ascii.h"
#include "bytecode/base/stack.h"
#include "frontend/emit.h"
#include "frontend/nesl/modules.h"
#include "frontend/nesl/prims.h"
#include "frontend/print_core.h"
#include "vm/lib/baked.h"
#include "vm/lib/chart.h"
#include "vm/lib/meanwhile.h"
#include "vm/lib/nesl_commands.h"
#include "vm/lib/nesl_import.h"
#include "vm/lib/nesl_slots.h"

namespace nvm::vm {

namespace {

using frontend::CompiledForm;
using frontend::Form;
using frontend::FormKind;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

bool is_command(const Form& form) {
  if (frontend::is_import(form)) return false;
  return form.kind == FormKind::kCommand || form.kind == FormKind::kDefconfig ||
         form.kind == FormKind::kBackground;
}

constexpr const char* kExpression = "-e";  // the name of the command's expression

}  // namespace

NeslSession::NeslSession(ProgramRunner& runner, std::ostream& out, std::ostream& err, SessionOptions options)
    : runner_(runner), out_(out), err_(err), options_(std::move(options)) {
  environment_.stop_when(options_.cancelled);
}

NeslSession::~NeslSession() = default;

std::uint32_t NeslSession::number_of_text(const std::string& file) {
  if (sources_.size() >= kMostOriginSource) return 0;
  sources_.push_back(file);
  return static_cast<std::uint32_t>(sources_.size());
}

Gate NeslSession::gate() const {
  const bool typed = typed_ != nullptr && source_ == typed_;
  return typed && !options_.untrusted ? Gate::wide_open() : options_.gate;
}

SessionStatus NeslSession::run_text(frontend::Source source) {
  check_stack();
  source.number = number_of_text(source.file);
  return run_forms(source);
}

SessionStatus NeslSession::run_typed(frontend::Source source) {
  source.number = number_of_text(source.file);
  const Meanwhile<const frontend::Source*> typed(typed_, &source);
  return run_forms(source);
}

SessionStatus NeslSession::run_forms(const frontend::Source& source) {
  const Quoted quoted(source_, &source, environment_, open_texts_);
  faulty_.clear();
  if (open_texts_ == 1) defines_anything_ = false;
  Diagnostics diagnostics(source.file, source.text);
  frontend::Parser parser(source, diagnostics, options_.int_bits);
  std::vector<Pending> pending;
  SessionStatus status = SessionStatus::kOk, earlier = status;  // of a form that failed, and others ran
  const bool each_form = options_.interactive || each_form_;
  const auto run_all = [&] {
    const SessionStatus ran = run_pending(pending, source.file);
    pending.clear();
    forget();
    return ran;
  };
  while (!parser.at_end() && status != SessionStatus::kExit) {
    auto form = parser.next_form();
    if (!form) continue;
    note_function(*form);
    if (is_command(*form)) {
      const bool runs = !diagnostics.failed() || each_form;
      if (runs) status = run_all();
      if (status != SessionStatus::kOk && !options_.interactive) break;
      if (runs || options_.mode == SessionMode::kCheck)
        status = command(std::move(*form), diagnostics);
      else
        defines_anything_ |= form->name == "load" || form->name == "get";
      if (defines_anything_) diagnostics.blame(frontend::all_of_prefix(""));
      if (status == SessionStatus::kRunError && !options_.interactive) break;
    } else {
      prepare(std::move(*form), diagnostics, pending);
      if (each_form) {  // one after the other: an error concerns one form only
        status = run_all();
        if (status == SessionStatus::kRunError && !options_.interactive) break;
      }
    }
    if (earlier == SessionStatus::kOk && status != SessionStatus::kExit) earlier = status;
  }
  if (options_.mode == SessionMode::kCheck) frontend::check_bodies(environment_, diagnostics);
  tell(diagnostics, options_, err_);
  if (status == SessionStatus::kExit || status == SessionStatus::kRunError) return status;
  if (diagnostics.failed()) {
    const Withdrawing all(environment_, pending);
    return SessionStatus::kCompileError;
  }
  const SessionStatus rest = run_all();
  if (rest != SessionStatus::kOk) return rest;
  return status == SessionStatus::kOk ? earlier : status;
}

void tell(const Diagnostics& diagnostics, const SessionOptions& options, std::ostream& err) {
  if (options.report)
    options.report(diagnostics);
  else if (!diagnostics.all().empty())
    err << diagnostics.render() << std::flush;
}

SessionStatus NeslSession::run_expression(const std::string& text) {
  return run_text({kExpression, text, 1, false, 0, true});
}

bool NeslSession::prepare(Form form, Diagnostics& diagnostics, std::vector<Pending>& pending) {
  if (frontend::is_import(form)) return SessionImports(*this, diagnostics).run(form, pending);
  auto compiled = frontend::compile_form(environment_, std::move(form), diagnostics);
  if (!compiled) return false;
  auto bound = frontend::bind_result(environment_, *compiled);
  const bool of_module = !importing_.empty();
  if (options_.mode == SessionMode::kCheck && !of_module) note_text(*compiled->form);
  if (compiled->form->kind != FormKind::kExpr && !of_module) definitions_ += compiled->form->text + ";\n";
  pending.push_back({std::move(*compiled), std::move(bound)});
  return true;
}

std::optional<std::vector<Value>> NeslSession::evaluate(const CompiledForm& compiled,
                                                        const std::string& file) {
  const auto start = std::chrono::steady_clock::now();
  frontend::Emitted<ssa::Module> emitted = frontend::emit_ssa(*compiled.core, emit_options(compiled));
  for (const frontend::VariableSlot& in : emitted.inputs)
    if (!variables_.contains(in.variable)) {
      report({true, "it uses a variable whose definition failed", 0, {}}, compiled, file);
      return std::nullopt;
    }
  const std::vector<Value> inputs = values_of(emitted.inputs);
  const double compile_time = seconds_since(start);
  ProgramRunner::Result result = runner_.run(std::move(emitted.code), inputs);
  line_open_ = result.line_open.value_or(line_open_);
  if (result.failed) {
    report(result, compiled, file);
    return std::nullopt;
  }
  if (const auto wrong = wrong_result(compiled.type, result.values)) {
    report({true, *wrong, 0, {}}, compiled, file);
    return std::nullopt;
  }
  if (options_.verbose) {
    end_line();
    err_ << "% emitted in " << compile_time << " s, ran in " << seconds_since(start) - compile_time
         << " s %\n";
  }
  return std::move(result.values);
}

frontend::EmitOptions NeslSession::emit_options(const CompiledForm& compiled) const {
  std::uint32_t own = compiled.form->source;
  // An expression of the command belongs to the file beside it, which came first.
  if (own != 0 && sources_[own - 1] == kExpression) own = 1;
  return {own == 0 ? last_file_ : sources_[own - 1],
          options_.arg_check,
          options_.cancelled,
          own,
          sources_,
          options_.int_bits};
}

std::optional<CompiledForm> NeslSession::compile_text(const std::string& text, std::uint32_t number) {
  Diagnostics diagnostics(kExpression, text);
  auto compiled = compile_one(text, number, diagnostics);
  err_ << diagnostics.render();
  return compiled;
}

std::optional<CompiledForm> NeslSession::compile_one(const std::string& text, std::uint32_t number,
                                                     Diagnostics& diagnostics) {
  const frontend::Source source{kExpression, text, 1, false, number, true};
  frontend::Parser parser(source, diagnostics, options_.int_bits);
  std::optional<CompiledForm> compiled;
  auto form = parser.next_form();
  if (form && !parser.at_end())
    diagnostics.error(form->pos, "expected one expression, not several forms");
  else if (form)
    compiled = frontend::compile_form(environment_, std::move(*form), diagnostics);
  return compiled;
}

const CompiledForm* NeslSession::last_compiled(const std::string& text) {
  if (!text.empty()) last_ = compile_text(text, number_of_text(kExpression));
  if (last_ && last_->core) return &*last_;
  if (text.empty()) err_ << "there is no expression to compile\n";
  return nullptr;
}

std::optional<Program> NeslSession::last_program(const std::string& text) {
  const CompiledForm* compiled = last_compiled(text);
  if (compiled == nullptr) return std::nullopt;
  return bake(*compiled);
}

std::optional<std::string> NeslSession::listing(const std::string& text, std::string_view stages) {
  const CompiledForm* compiled = last_compiled(text);
  if (compiled == nullptr) return std::nullopt;
  const frontend::EmitOptions options = emit_options(*compiled);
  std::string out;
  for (const char stage : stages) {
    if (stage == 'a') out += frontend::print_ast(*compiled->form) + "\n";
    if (stage == 'c') out += frontend::core::print_core(*compiled->core);
    if (stage == 'f') out += frontend::print_flat(*compiled->core, options);
  }
  return out;
}

std::optional<std::pair<ssa::Module, std::vector<Value>>> NeslSession::prepare(const std::string& text) {
  const auto compiled = compile_text(text, number_of_text(kExpression));
  if (!compiled || !compiled->core) return std::nullopt;
  frontend::Emitted<ssa::Module> emitted = frontend::emit_ssa(*compiled->core, emit_options(*compiled));
  std::vector<Value> inputs = values_of(emitted.inputs);
  return std::pair{std::move(emitted.code), std::move(inputs)};
}

frontend::OwnedType NeslSession::read_type(const std::string& text, std::string& wrong) {
  Diagnostics ignored("", "");
  // An empty sequence names its elements' type; what is more than that was no type.
  const auto empty = compile_one("[] (" + text + ")", 0, ignored);
  if (!empty || !empty->form->exp || empty->form->exp->kind != frontend::ExprKind::kEmpty) {
    wrong = "there is no type " + text;
    return nullptr;
  }
  const frontend::Type* type = frontend::resolve(empty->type)->args[0];
  wrong = not_data(type, text);
  return wrong.empty() ? frontend::own(type) : nullptr;
}

Program NeslSession::bake(const CompiledForm& compiled) const {
  frontend::Emitted<Program> emitted = frontend::emit_vcode(*compiled.core, emit_options(compiled));
  return with_values(std::move(emitted.code), values_of(emitted.inputs));
}

void NeslSession::show_type(const CompiledForm& c) {
  if (!c.notice.empty()) out_ << c.notice << "\n";
  out_ << c.name << " : " << frontend::print_type(c.type) << "\n" << std::flush;
}

void NeslSession::show(const Pending& pending, const std::vector<Value>& slots) {
  const CompiledForm& c = pending.compiled;
  if (options_.show == Show::kNothing) return;
  if (options_.show == Show::kExpressions && c.form->kind != FormKind::kExpr) return;
  if (!c.notice.empty()) out_ << c.notice << "\n";
  const std::string type = frontend::print_type(c.type);
  switch (c.form->kind) {
    case FormKind::kFunction:
    case FormKind::kForward:
    case FormKind::kDatatype: return show(fold_result(c.name, "fn", type, options_.line_width) + "\n");
    case FormKind::kFileBind: {
      const bool tuple = c.form->pattern.kind == frontend::Pattern::Kind::kTuple;
      out_ << (tuple ? c.name.substr(1, c.name.size() - 2) : c.name) << " : " << type << "\n" << std::flush;
      return;
    }
    default: break;
  }
  show_value(c.name, c.type, slots, c.constant);
}

void NeslSession::show_value(const std::string& name, const frontend::Type* type,
                             const std::vector<Value>& slots, bool all_digits) {
  PrintStyle style = options_.print;
  style.all_digits = all_digits;
  style.cancelled = options_.cancelled;
  frontend::TypeArena passing;
  if (is_chart(type)) {
    const Chart chart = chart_of(slots);
    return show(name + " : chart\n" + (style.charts_as_svg ? draw_svg(chart) : draw_text(chart)));
  }
  show(fold_result(name, print_value(passing, type, slots, style), frontend::print_type(type),
                   options_.line_width) +
       "\n");
}

void NeslSession::show(const std::string& text) {
  end_line();
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  for (std::size_t at = 0; at < text.size(); at += kPiece) {
    out_ << std::string_view(text).substr(at, kPiece) << std::flush;
    if (options_.cancelled == nullptr || !options_.cancelled->load()) continue;
    out_.clear();  // a write that was interrupted has failed
    throw ShowingCancelled();
  }
}

// What a program has printed stands before what is said about its result, on lines of its own.
void NeslSession::end_line() {
  if (line_open_) (options_.one_stream ? out_ : err_) << "\n" << std::flush;
  line_open_ = false;
}

SessionStatus NeslSession::command(Form form, Diagnostics& diagnostics) {
  std::optional<CompiledForm> compiled;
  if (form.exp) {
    compiled = frontend::compile_form(environment_, std::move(form), diagnostics);
    if (!compiled) return SessionStatus::kOk;
    return SessionCommands(*this, diagnostics).run(*compiled->form, &*compiled);
  }
  return SessionCommands(*this, diagnostics).run(form, nullptr);
}

std::string NeslSession::documentation(const frontend::Binding& binding) {
  if (binding.kind == frontend::BindingKind::kPrimitive)
    return frontend::primitive(static_cast<frontend::core::Prim>(binding.prim)).doc;
  return binding.form ? binding.form->doc : "";
}

void NeslSession::define_quietly(const std::string& text, const Form& original, bool builtin) {
  Diagnostics diagnostics("trace", text);
  const frontend::Source source{"trace", text, original.pos.line, builtin};
  frontend::Parser parser(source, diagnostics, options_.int_bits);
  auto form = parser.next_form();
  if (form && builtin)
    environment_.stand_in(std::make_shared<Form>(std::move(*form)), diagnostics);
  else if (form)
    frontend::compile_form(environment_, std::move(*form), diagnostics);
  if (diagnostics.failed()) err_ << diagnostics.render();
}

const frontend::Type* NeslSession::type_of(const std::string& name) {
  const frontend::Binding* binding = environment_.find(lower(name));
  const bool variable = binding != nullptr && binding->kind == frontend::BindingKind::kVariable;
  return variable ? binding->type : nullptr;
}

}  // namespace nvm::vm
