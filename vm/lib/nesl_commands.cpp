#include "vm/lib/nesl_commands.h"

#include <limits>
#include <ostream>
#include <utility>

#include "bytecode/base/ascii.h"
#include "bytecode/base/read_file.h"
#include "bytecode/base/stack.h"
#include "frontend/core.h"
#include "frontend/emit.h"
#include "frontend/nesl/modules.h"

namespace nvm::vm {

namespace {

using frontend::Binding;
using frontend::BindingKind;
using frontend::CompiledForm;
using frontend::Form;
using frontend::FormKind;
using frontend::Type;
using frontend::TypeKind;
using frontend::Word;

std::string word(const std::vector<Word>& words, std::size_t k) {
  return k < words.size() ? lower(words[k].text) : "";
}

bool is_text(const Type* type) {
  type = frontend::resolve(type);
  return type->kind == TypeKind::kSeq && frontend::resolve(type->args[0])->kind == TypeKind::kChar;
}

// The characters of a value of type [char].
std::string text_of(const std::vector<Value>& slots) {
  const auto& v = std::get<Vector>(slots.at(1));
  std::string text;
  for (std::int64_t i = 0; i < v.length(); ++i) text += static_cast<char>(int_at(v, i));
  return text;
}

// Binds the variables in the type to int.
void with_ints(const Type* type) {
  check_stack();
  type = frontend::resolve(type);
  if (type->kind == TypeKind::kVar)
    frontend::Unifier().unify(type, frontend::TypeArena::base(TypeKind::kInt));
  for (const Type* arg : type->args) with_ints(arg);
}

constexpr const char* kHelp = R"(Forms, each ended by ; or $:
  EXP                            evaluate, show, and bind to `it`
  PATTERN = EXP                  bind variables
  function NAME PATTERN [: TYPE] ["DOC"] = EXP
  datatype NAME TYPE
  NAME &= EXP                    evaluate, to be fetched by get NAME
  PATTERN |= EXP                 bind variables without showing their values
Expressions, among others:
  let PATTERN = EXP; ... in EXP, if EXP then EXP else EXP, PATTERN => EXP
  {EXP : PATTERN in SEQUENCE; ... | CONDITION}
Commands:
  describe NAME, help NAME, ?NAME   what a function does; apropos NAME finds functions
  import "FILE" [as PREFIX]      a module, whose names are written PREFIX.NAME
  load "FILE" [, print := t]     run a file; load again repeats the last one
  show code NAME, show compiled NAME t|f, show status, show bugs, show config, show configs
  set print_length N|all, set verbose|arg_check|redefine on|off, set trace NAME LEVEL, set profile NAME on|off
  dump vcode "FILE" EXP          compile an expression to a file; dump world "FILE", dump info
  edit ["FILE"], shell "COMMAND", exit, help, ?
)";

constexpr const char* kBugs = R"(Known limitations:
  A sequence of functions holds one function only, possibly with different captured values.
  Times of nested time(...) expressions include each other.
)";

}  // namespace

bool SessionCommands::is_internal(const std::string& name) {
  return name.find("__") != std::string::npos || name.starts_with("prim_");
}

SessionStatus SessionCommands::run(const Form& form, const CompiledForm* argument) {
  if (form.kind == FormKind::kBackground) return background(form, *argument);
  if (form.kind == FormKind::kDefconfig) {
    s_.configurations_[form.name] = form.text;
    return SessionStatus::kOk;
  }
  const std::string& name = form.name;
  if (name == "exit" || name == "lisp") return SessionStatus::kExit;
  if (name == "load") return load(form, argument);
  if (name == "edit") return edit(form);
  if ((name == "help" || name == "?") && !form.words.empty())
    help(form.words);
  else if (name == "help" || name == "?")
    s_.out_ << kHelp;
  else if ((name == "describe" || name == "apropos") && form.words.empty())
    error(form, "Expected: " + name + " NAME;");
  else if (name == "describe")
    describe(form.words);
  else if (name == "apropos")
    apropos(form.words);
  else if (name == "show")
    show(form);
  else if (name == "set")
    set(form);
  else if (name == "dump")
    dump(form, argument);
  else if (name == "get")
    get(form);
  else if (name == "shell")
    shell(form);
  s_.out_ << std::flush;
  return refused_ ? SessionStatus::kRunError : SessionStatus::kOk;
}

// What a command such as `show` is asked for, "" if nothing.
void SessionCommands::unknown(const Form& form, const std::string& what) {
  error(form, "Unknown top level command: " + upper(form.name) + (what.empty() ? "" : " " + upper(what)));
}

// The value is computed at once and fetched later.
SessionStatus SessionCommands::background(const Form& form, const CompiledForm& argument) {
  const bool runs = s_.options_.mode != SessionMode::kCheck;
  auto slots = runs ? s_.evaluate(argument, diagnostics_.file()) : std::vector<Value>();
  if (!slots) return SessionStatus::kRunError;
  s_.jobs_[form.name] = {argument, std::move(*slots)};
  return SessionStatus::kOk;
}

SessionStatus SessionCommands::load(const Form& form, const CompiledForm* argument) {
  std::string file = s_.last_file_;
  bool print = false, notice = true, save = true;
  if (argument != nullptr) {
    if (!is_text(argument->type)) {
      error(form, "Bad type for load, expecting a character string.");
      return SessionStatus::kOk;
    }
    if (s_.options_.mode == SessionMode::kCheck) {
      const auto name = s_.known_text(*form.exp);
      if (!name) {
        diagnostics_.warning(form.pos, "which file this loads is known only when it runs; it is not checked");
        s_.defines_anything_ = true;
        return SessionStatus::kOk;
      }
      file = *name;
    } else {
      const auto slots = s_.evaluate(*argument, diagnostics_.file());
      if (!slots) return SessionStatus::kRunError;
      file = text_of(*slots);
    }
  }
  for (const frontend::Keyword& key : form.keywords) {
    (key.name == "print" ? print : key.name == "verbose" ? notice : save) = key.value->int_value != 0;
  }
  const std::string last = s_.last_file_;
  const SessionStatus status = load_file(form, std::move(file), print ? Show::kAll : Show::kNothing, notice);
  if (!save) s_.last_file_ = last;
  return status;
}

// What a name or a word of the commands is about.
void SessionCommands::help(const Words& words) {
  const std::string name = lower(words.back().text);
  if (name == "time" || s_.environment_.find(name) != nullptr) return describe(words);
  bool any = false;
  for (const std::string_view line : lines_of(kHelp)) {
    std::string only = lower(std::string(line));
    for (char& c : only) c = (c >= 'a' && c <= 'z') || c == '_' ? c : ' ';
    if ((" " + only + " ").find(" " + name + " ") == std::string::npos) continue;
    s_.out_ << line << "\n";
    any = true;
  }
  if (!any) s_.out_ << upper(name) << " not found; help lists the forms and commands.\n";
}

void SessionCommands::apropos(const Words& words) {
  const std::string part = lower(words.back().text);
  for (const std::string& name : s_.environment_.names()) {
    if (is_internal(name)) continue;
    Binding* b = s_.environment_.find(name);
    if (b == nullptr || b->type == nullptr) continue;
    if (name.find(part) != name.npos || lower(s_.documentation(*b)).find(part) != std::string::npos)
      s_.out_ << name << " : " << frontend::print_type(b->type) << "\n";
  }
}

void SessionCommands::show(const Form& form) {
  const std::string what = word(form.words, 0);
  if (what == "code")
    show_code(form);
  else if (what == "compiled")
    show_compiled(form);
  else if (what == "status")
    show_status();
  else if (what == "bugs")
    s_.out_ << kBugs;
  else if (what == "config")
    show_config();
  else if (what == "configs")
    for (const auto& [name, text] : s_.configurations_) s_.out_ << name << "\n";
  else
    unknown(form, what);
}

// Says why, if the name is not that of a function with a text.
const Binding* SessionCommands::defined_function(const std::string& name) {
  const Binding* b = s_.environment_.find(name);
  if (b == nullptr)
    s_.out_ << "Function " << upper(name) << " not found.\n";
  else if (b->kind == BindingKind::kPrimitive)
    s_.out_ << upper(name) << " is a primitive.\n";
  else if (b->kind != BindingKind::kFunction || !b->form)
    s_.out_ << upper(name) << " is not a function definition.\n";
  else
    return b;
  return nullptr;
}

void SessionCommands::show_code(const Form& form) {
  if (const Binding* b = defined_function(word(form.words, 1)))
    s_.out_ << frontend::print_ast(*b->form) << "\n";
}

// The flat code of a call: of one, or, lifted, of one for each element of a sequence. Variables of the type
// are INT: code is made for concrete types only.
void SessionCommands::show_compiled(const Form& form) {
  const std::string flag = word(form.words, 2);
  if (form.words.size() > 3 || (!flag.empty() && flag != "t" && flag != "f"))
    return error(form, "Expected: show compiled NAME t|f;");
  const Binding* b = defined_function(word(form.words, 1));
  if (b == nullptr) return;
  frontend::TypeArena arena;
  const Type* function = frontend::resolve(frontend::instantiate(arena, b->type));
  if (frontend::contains_function(function->args[0])) {
    s_.out_ << upper(b->name) << " is compiled anew for every function that it is given.\n";
    return;
  }
  with_ints(function->args[0]);
  const std::string none = "[] (" + frontend::print_type(function->args[0]) + ")";
  const std::string call =
      flag == "t" ? "{'" + b->name + "(x) : x in " + none + "}" : "'" + b->name + "((" + none + ")[0])";
  const auto last = s_.last_;
  if (const auto text = s_.listing(call, "f")) s_.out_ << *text;
  s_.last_ = last;
}

// The current configuration as it was defined, and what was set since.
void SessionCommands::show_config() {
  s_.out_ << s_.configurations_.at(s_.configuration_) << "\n";
  for (const auto& [key, value] : s_.settings_) s_.out_ << key << ": " << value << "\n";
}

void SessionCommands::show_status() {
  const auto on = [](bool flag) { return flag ? "on" : "off"; };
  s_.out_ << "verbose " << on(s_.options_.verbose) << "\narg_check " << on(s_.options_.arg_check)
          << "\nprint_length = ";
  if (const auto n = s_.options_.print.print_length; n < std::numeric_limits<std::int64_t>::max())
    s_.out_ << n << "\n";
  else
    s_.out_ << "all\n";
  for (const auto& [name, i] : s_.instrumented_)
    s_.out_ << (i.trace > 0 ? "traced: " : "profiled: ") << name << "\n";
  for (const auto& [name, job] : s_.jobs_) s_.out_ << "background: " << name << "\n";
}

bool SessionCommands::on_off(const Form& form, bool& setting) {
  const std::string name = word(form.words, 0), value = word(form.words, 1);
  if (form.words.size() != 2)
    error(form, "Wrong number of arguments to \"set " + name + "\"");
  else if (value != "on" && value != "off")
    error(form, "Expected either ON or OFF for command " + upper(name) + ".");
  else
    setting = value == "on";
  return setting;
}

void SessionCommands::set(const Form& form) {
  const std::string name = word(form.words, 0);
  bool ignored = false;
  if (s_.options_.untrusted && name != "verbose" && name != "print_length" && name != "trace" &&
      name != "profile") {
    error(form, "set " + name + " not permitted (--untrusted)");
    refused_ = true;
  } else if (name == "verbose") {
    on_off(form, s_.options_.verbose);
  } else if (name == "arg_check") {
    on_off(form, s_.options_.arg_check);
  } else if (name == "redefine") {
    bool protects = s_.environment_.protects();
    s_.environment_.protect(on_off(form, protects));
  } else if (name == "debug" || name == "lnesl") {
    on_off(form, ignored);
  } else if ((name == "print_length" || name == "config") && form.words.size() != 2) {
    error(form, "Wrong number of arguments to \"set " + name + "\"");
  } else if (name == "print_length") {
    const std::string n = word(form.words, 1);
    if (n == "all")
      s_.options_.print.print_length = std::numeric_limits<std::int64_t>::max();
    else if (n.empty() || n.size() > 9 || n.find_first_not_of("0123456789") != n.npos)
      error(form, "The argument to SET PRINT_LENGTH must be an integer.");
    else
      s_.options_.print.print_length = std::stol(n);
  } else if (name == "trace") {
    set_trace(form);
  } else if (name == "profile") {
    set_profile(form);
  } else if (name == "config") {
    if (s_.configurations_.count(word(form.words, 1)) == 0)
      error(form, upper(word(form.words, 1)) + " is not a valid configuration.");
    else
      s_.configuration_ = word(form.words, 1);
  } else if (name == "memory_size" || name == "rsh_command" || name == "editor") {
    if (form.words.size() == 2) s_.settings_[name] = form.words[1].text;
  } else {
    unknown(form, name);
  }
}

void SessionCommands::set_trace(const Form& form) {
  const std::string name = word(form.words, 1), level = word(form.words, 2);
  if (name == "off" && level.empty()) {
    for (auto& [f, i] : s_.instrumented_) i.trace = 0;
  } else if (level.size() == 1 && level[0] >= '0' && level[0] <= '4') {
    s_.instrumented_[name].trace = level[0] - '0';
  } else {
    return error(form, "Bad format for \"set trace\".");
  }
  instrument_all(form);
}

void SessionCommands::set_profile(const Form& form) {
  const std::string name = word(form.words, 1), value = word(form.words, 2);
  if (name == "off" && value.empty()) {
    for (auto& [f, i] : s_.instrumented_) i.profile = false;
  } else if (value == "on" || value == "off") {
    s_.instrumented_[name].profile = value == "on";
  } else {
    return error(form, "Bad format for \"set profile\".");
  }
  instrument_all(form);
}

// Gives every function that is traced or profiled, or was until now, its text.
void SessionCommands::instrument_all(const Form& form) {
  for (auto it = s_.instrumented_.begin(); it != s_.instrumented_.end();) {
    const bool known = instrument(form, it->first, it->second);
    const bool over = it->second.trace == 0 && !it->second.profile;
    it = known && !over ? std::next(it) : s_.instrumented_.erase(it);
  }
}

bool SessionCommands::instrument(const Form& form, const std::string& name, Instrumented& i) {
  if (!frontend::prefix_of(name).empty()) {
    error(form, upper(name) + " is of a module, it cannot be traced.");
    return false;
  }
  if (!i.original) {
    const Binding* b = s_.environment_.find(name);
    const auto definition = b == nullptr ? nullptr : s_.environment_.definition(b);
    if (b == nullptr || b->kind != BindingKind::kFunction || !definition ||
        definition->kind != frontend::FormKind::kFunction) {
      const bool primitive = b != nullptr && b->kind == BindingKind::kPrimitive;
      error(form,
            upper(name) + (primitive ? " is a primitive, it cannot be traced." : " is not a function."));
      return false;
    }
    i.original = definition;
    i.builtin = b->builtin;
  }
  if (i.builtin && i.trace == 0 && !i.profile)
    s_.environment_.drop_stand_in(name);
  else
    s_.define_quietly(instrumented_text(*i.original, i.trace, i.profile), *i.original, i.builtin);
  return true;
}

void SessionCommands::dump(const Form& form, const CompiledForm* argument) {
  const std::string what = word(form.words, 0);
  if (what == "vcode")
    dump_vcode(form, argument);
  else if (what == "world")
    dump_world(form);
  else if (what == "info")
    show_status();
  else
    unknown(form, what);
}

void SessionCommands::get(const Form& form) {
  const std::string name = word(form.words, 0);
  const auto job = s_.jobs_.find(name);
  if (job == s_.jobs_.end()) return error(form, "No background job for " + upper(name) + ".");
  const auto finished = std::move(job->second);
  s_.jobs_.erase(job);
  s_.bind(name, finished.compiled.type, finished.slots, &finished.compiled);
  if (s_.options_.mode != SessionMode::kCheck) s_.show_value(name, finished.compiled.type, finished.slots);
}

}  // namespace nvm::vm
