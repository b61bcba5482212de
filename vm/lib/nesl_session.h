// A NESL top level: reads forms, compiles each in the session's environment, runs it in this process, shows
// and binds its value. Used by `nvm run`, `nvm repl` and embedders.
#pragma once

#include <atomic>
#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bytecode/program/program.h"
#include "bytecode/ssa/ssa.h"
#include "frontend/emit.h"
#include "frontend/nesl/compile.h"
#include "frontend/nesl/modules.h"
#include "vm/data/value.h"
#include "vm/interp/gate.h"
#include "vm/interp/world.h"
#include "vm/lib/nesl_calls.h"
#include "vm/lib/nesl_print.h"

namespace nvm::vm {

// Runs programs for a session, one at a time.
class ProgramRunner {
 public:
  virtual ~ProgramRunner() = default;
  struct Result {
    bool failed = false;  // `reason` and `line` say why and where
    std::string reason;   // empty if the program itself has said it
    Origin line = 0;      // in the source, 0 if unknown
    std::vector<Value> values;
    std::optional<bool> line_open = {};  // whether its text ends inside of a line, if it wrote any
    std::optional<Fault::Kind> kind = {};
  };
  // `inputs` are the values of the program's inputs (Constant::input), by number.
  virtual Result run(ssa::Module program, std::span<const Value> inputs) = 0;
};

// Which result lines a text prints.
enum class Show : std::uint8_t { kNothing, kExpressions, kAll };

enum class SessionStatus : std::uint8_t { kOk, kCompileError, kRunError, kExit };

// kCheck runs nothing and shows types; kCompile runs the bindings only, for their values.
enum class SessionMode : std::uint8_t { kRun, kCheck, kCompile };

// What a run ended with, and its place in a source.
struct RunFault {
  std::string message;  // as it would be printed
  std::string reason, file;
  std::uint32_t line = 0, column = 0;
  std::optional<Fault::Kind> kind;
};

struct SessionOptions {
  SessionMode mode = SessionMode::kRun;
  Show show = Show::kExpressions;
  bool interactive = false;  // after a run-time error go on with the next form
  bool verbose = false;      // times of compilation and run behind each result
  bool arg_check = true;
  IntBits int_bits = IntBits::k64;
  bool untrusted = false;                        // as lib::Options::untrusted
  Gate gate;                                     // for the commands of texts, load among them
  std::string folder;                            // as lib::NeslOptions::folder
  World* world = nullptr;                        // where files come from, if not from the file system
  const std::atomic<bool>* cancelled = nullptr;  // compiling ends with Cancelled where it is set
  std::function<void(const Diagnostics&)>
      report;                                  // takes the messages of a text, which are printed otherwise
  std::function<void(RunFault)> report_fault;  // the same for what ends a run
  PrintStyle print;
  std::size_t line_width = 0;  // result lines longer than this are folded, 0: never
  bool one_stream = false;     // what programs write to standard error stands among the results
};

// Prints the messages of a text, unless somebody takes them.
void tell(const Diagnostics& diagnostics, const SessionOptions& options, std::ostream& err);

class NeslSession {
 public:
  // Results go to `out`, messages to `err`.
  NeslSession(ProgramRunner& runner, std::ostream& out, std::ostream& err, SessionOptions options = {});
  ~NeslSession();

  // Runs every form of the text. Unless interactive, nothing runs of a stretch without commands that does not
  // compile as a whole, and a run-time error ends the text. Of a text that is loaded, all forms run that
  // compile.
  SessionStatus run_text(frontend::Source source);
  // The same for a text whose commands are the user's own, who may do what he likes; not those of files that
  // it loads.
  SessionStatus run_typed(frontend::Source source);
  // The same for a file; one that cannot be read is reported and is kCompileError.
  SessionStatus run_file(const std::string& path);
  // The same for the text of a file: a script (#!), or Markdown by its name, or plain.
  SessionStatus run_script(std::string text, const std::string& name);
  // The same for a text that is loaded: an error in it concerns one form only.
  SessionStatus load_script(std::string text, const std::string& name, Show show);
  SessionStatus load_file(const std::string& path);  // showing nothing but errors and output

  // The same for forms of the command line, the last of which needs no terminator.
  SessionStatus run_expression(const std::string& text);

  // Mode kCompile: the program of the expression `text`, or if that is empty of the last expression so far;
  // the variables in it became constants. Nothing, reported, if there is none.
  std::optional<Program> last_program(const std::string& text);

  // What becomes of that expression, by stages: a as parsed, c core code (typed, without polymorphism), f
  // flat code. Nothing, reported, if there is none.
  std::optional<std::string> listing(const std::string& text, std::string_view stages);

  // The expression's program with the values of its inputs, by number. Nothing, reported, if it is faulty.
  std::optional<std::pair<ssa::Module, std::vector<Value>>> prepare(const std::string& text);
  // A call_text() with arguments of these types; nothing, said by `diagnostics`, if there is no such call.
  std::optional<CompiledCall> compile_call(const std::string& text, std::vector<frontend::OwnedType> types,
                                           Diagnostics& diagnostics);
  // The type that a text names, of values that a host may have; null, and why, if it is none.
  frontend::OwnedType read_type(const std::string& text, std::string& wrong);

  // In these three, upper and lower case of a name are the same.
  // Binds a variable to a value made elsewhere; `slots` as print_value takes them. A function among them is
  // of `form`.
  void bind(const std::string& name, const frontend::Type* type, std::vector<Value> slots,
            const frontend::CompiledForm* compiled = nullptr);
  // The slots of a variable's value, null if there is no such variable.
  [[nodiscard]] const std::vector<Value>* value(const std::string& name, const frontend::Type*& type);
  // Of a variable, whether it has a value or not; null if there is none.
  [[nodiscard]] const frontend::Type* type_of(const std::string& name);

  [[nodiscard]] frontend::Environment& environment() { return environment_; }
  [[nodiscard]] SessionOptions& options() { return options_; }

 private:
  friend class SessionCommands;
  friend class SessionImports;

  SessionStatus run_forms(const frontend::Source& source);
  // For commands of the text that is being run.
  [[nodiscard]] Gate gate() const;
  // The same with what `load` needs no grant for: what is below the folder of the program, if it has one.
  [[nodiscard]] Gate load_gate() const { return folder_.empty() ? gate() : gate().and_below(folder_); }

  // A form that compiled and waits for its turn to run.
  struct Pending {
    frontend::CompiledForm compiled;
    std::vector<frontend::BoundVariable> bound;
  };
  struct Withdrawing;
  class Quoted;
  struct Variable {
    const frontend::Binding* binding = nullptr;
    std::vector<Value> slots;
  };
  struct Job {  // NAME &= EXP, until get NAME
    frontend::CompiledForm compiled;
    std::vector<Value> slots;
  };
  struct Instrumented {  // set trace, set profile
    int trace = 0;
    bool profile = false;
    bool builtin = false;
    std::shared_ptr<const frontend::Form> original;
  };

  bool prepare(frontend::Form form, Diagnostics& diagnostics, std::vector<Pending>& pending);
  SessionStatus run_pending(std::vector<Pending>& pending, const std::string& file);
  SessionStatus command(frontend::Form form, Diagnostics& diagnostics);
  // The slots of the form's value; nothing after a run-time error, which is reported.
  std::optional<std::vector<Value>> evaluate(const frontend::CompiledForm& compiled, const std::string& file);
  [[nodiscard]] std::optional<frontend::CompiledForm> compile_text(const std::string& text,
                                                                   std::uint32_t number);
  [[nodiscard]] std::optional<frontend::CompiledForm> compile_one(const std::string& text,
                                                                  std::uint32_t number,
                                                                  Diagnostics& diagnostics);
  // For a form of any text of the session.
  [[nodiscard]] frontend::EmitOptions emit_options(const frontend::CompiledForm& compiled) const;
  // The form's program, with the values of variables written out as constants.
  [[nodiscard]] Program bake(const frontend::CompiledForm& compiled) const;
  [[nodiscard]] std::vector<Value> values_of(const std::vector<frontend::VariableSlot>& inputs) const;
  void keep(const std::vector<frontend::BoundVariable>& bound, const std::vector<Value>& slots);
  class Wants;
  // Frees whatever no later form can reach; none is pending.
  void forget();
  void show_type(const frontend::CompiledForm& compiled);
  void show(const Pending& pending, const std::vector<Value>& slots);
  void show_value(const std::string& name, const frontend::Type* type, const std::vector<Value>& slots,
                  bool all_digits = false);
  void end_line();
  void show(const std::string& text);  // whole lines
  // The documentation string of a function or primitive, "" if there is none.
  [[nodiscard]] static std::string documentation(const frontend::Binding& binding);
  // Replaces a function by another text of the same type; a built-in one only for a user's uses.
  void define_quietly(const std::string& text, const frontend::Form& original, bool builtin);
  void report(const ProgramRunner::Result& result, const frontend::CompiledForm& compiled,
              const std::string& file);
  // What a message quotes of another text than the form's, by its Source::number.
  [[nodiscard]] std::string lines_elsewhere(std::uint32_t source, std::uint32_t at) const;
  // A new Source::number, 0 if there is none left.
  std::uint32_t number_of_text(const std::string& file);
  void note_function(const frontend::Form& form);
  // The text that an expression is, if that can be said without running anything: of literals, ++ and
  // variables bound to such.
  [[nodiscard]] std::optional<std::string> known_text(const frontend::Expr& exp) const;
  void note_text(const frontend::Form& form);
  // The function whose later lines, those that do not name it, include this one; "" if there is none.
  [[nodiscard]] std::string function_around(std::uint32_t line) const;

  ProgramRunner& runner_;
  std::ostream& out_;
  std::ostream& err_;
  const frontend::Source* source_ = nullptr;  // the text that is being run
  SessionOptions options_;
  frontend::Environment environment_;
  std::unordered_map<std::uint32_t, Variable> variables_;  // by Binding::variable
  std::string last_file_;
  std::string folder_ = options_.folder;     // of the file that was asked for
  const frontend::Source* typed_ = nullptr;  // the text that a user has typed
  int open_texts_ = 0;                       // each loaded by the one before
  std::vector<std::string> sources_;         // files by Source::number, from 1
  // The form of `text`, or the last expression so far if it is empty; null, reported, if there is none.
  const frontend::CompiledForm* last_compiled(const std::string& text);

  std::optional<frontend::CompiledForm> last_;  // the last expression
  std::string definitions_;                     // their texts, for `dump world`
  struct Lines {
    std::uint32_t source = 0;                      // Source::number
    std::uint32_t begin = 0, first = 0, last = 0;  // lines: of the text, of the name, the last one
    std::string function, text;
  };
  std::vector<Lines> functions_;  // where they stand
  std::map<std::string, std::string> settings_;
  std::map<std::string, std::string> configurations_{{"local", "defconfig local"}};  // as they were defined
  std::string configuration_ = "local";                                              // the current one
  std::map<std::string, Job> jobs_;
  std::map<std::string, Instrumented> instrumented_;
  bool each_form_ = false;                          // of a loaded text: an error concerns one form only
  bool defines_anything_ = false;                   // by a command that was not carried out
  std::map<std::string, std::string> known_texts_;  // mode kCheck: variables whose text is known, for load
  std::vector<std::string> importing_;              // files that import each other, the program's first
  std::set<std::string> faulty_;                    // modules whose errors this text has told
  bool line_open_ = false;                          // programs printed text that does not end with a line
};

// What has not happened when a run ends, however it does, has bound no names.
struct NeslSession::Withdrawing {
  Withdrawing(frontend::Environment& e, const std::vector<Pending>& p) : environment(e), pending(p) {}
  Withdrawing(const Withdrawing&) = delete;
  Withdrawing& operator=(const Withdrawing&) = delete;
  ~Withdrawing() {
    if (done == pending.size()) return;
    for (std::size_t k = pending.size(); k-- > done;) frontend::unbind_result(environment, pending[k].bound);
    frontend::Modules(environment).drop_withdrawn();
  }
  frontend::Environment& environment;
  const std::vector<Pending>& pending;
  std::size_t done = 0;
};

// Makes a text the one that messages quote, for as long as it lives; texts nest by `load`.
class NeslSession::Quoted {
 public:
  Quoted(const frontend::Source*& place, const frontend::Source* text, frontend::Environment& environment,
         int& open)
      : place_(place), before_(place), environment_(environment), open_(open) {
    place_ = text;
    ++open_;
    environment_.set_text(text->text);
  }
  Quoted(const Quoted&) = delete;
  Quoted& operator=(const Quoted&) = delete;
  ~Quoted() {
    --open_;
    place_ = before_;
    environment_.set_text(before_ != nullptr ? before_->text : std::string_view());
  }

 private:
  const frontend::Source*& place_;
  const frontend::Source* before_;
  frontend::Environment& environment_;
  int& open_;
};

// The text of a function that prints what it does: trace levels 1 to 4 (entry and exit; with argument and
// result; with the names of let bindings; with their values), profile the time of each binding and the body.
[[nodiscard]] std::string instrumented_text(const frontend::Form& function, int trace, bool profile);

// The reason of a run-time error without what only VCODE has.
[[nodiscard]] std::string in_nesl_terms(std::string reason);

// NAME = VALUE : TYPE, folded as the legacy top level does if it is longer than `width` (0: never).
[[nodiscard]] std::string fold_result(const std::string& name, const std::string& value,
                                      const std::string& type, std::size_t width);

}  // namespace nvm::vm
