// libnvm, NESL part: a top level in this process, type checks, and compilation to VCODE.
#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vm/lib/nvm.hpp"

namespace nvm::lib {

struct NeslOptions {
  Options vm;
  int int_bits = 64;         // 32 or 64; with others no session is made, and `err` is told
  bool optimise = true;      // as LoadOptions::optimise
  bool show_all = false;     // result lines of definitions and bindings too
  bool interactive = false;  // errors concern one form only; results of long lines are folded
  bool arg_check = true;
  std::int64_t print_length = 100;  // elements shown of a sequence
  bool charts_as_svg = false;       // charts among the results are documents, not drawn in letters
  std::string
      folder;  // below which texts that are no files may load, as files may below theirs; empty: nowhere
};

// A value of NESL as a host has it: its type in NESL's notation, "[float]" or "(int, [char])", and its value
// in parts. A sequence is a descriptor of one segment, then the parts of its elements side by side, where a
// sequence in a sequence is one descriptor with a segment for each; those of a tuple or record stand side by
// side; anything else is a vector with an element each. So "[[float]]" has three parts: a descriptor of one
// segment, one with the length of each row, and the elements of all rows.
struct NeslValue {
  std::string type;
  std::vector<Value> parts;
};

// kBusy: nothing was done, another call uses the session, on another thread or around this one.
enum class NeslStatus : std::uint8_t { kOk, kCompileError, kRunError, kExit, kBusy };

// A session: names, their values and a machine. Results go to `out`, messages to `err`. One call at a time
// uses it; another one is told "busy", or nothing where it only asks.
class Nesl {
 public:
  Nesl(const NeslOptions& options, std::ostream& out, std::ostream& err);
  ~Nesl();

  // All forms of a file or text, in order. Unless interactive, nothing of it runs if something of it does not
  // compile, and a run-time error ends it. `name` stands in messages.
  NeslStatus run_file(const std::string& path);
  // The same, each form by itself, and nothing but errors and output is shown: a start-up file.
  NeslStatus load_file(const std::string& path);
  NeslStatus run_script(std::string text, const std::string& name);  // as a file with this text
  NeslStatus run_text(std::string_view text, const std::string& name);
  // As run_text(), for a text that a user typed at his terminal: its commands (shell, edit, load, dump) may
  // do what he may, whatever NeslOptions::vm.allow says. What programs and the files that it loads do is
  // allowed as always.
  NeslStatus run_typed(std::string_view text, const std::string& name);
  // Forms of a command line: the last one needs no terminator. Messages call the text -e.
  NeslStatus run_expression(const std::string& text);
  // Binds a variable to the contents of a file, named as for read_values(): .npy by shape ([float], [[int]],
  // ...), tables ([[float]]), text ([char]). The answer is what is wrong, or nothing.
  std::optional<std::string> bind_file(const std::string& name, const std::string& path);
  // The elements of a variable that is a sequence.
  [[nodiscard]] std::optional<std::int64_t> length(const std::string& name) const;
  std::optional<std::string> bind_text(const std::string& name, const std::string& text);
  // Binds a variable of a type in NESL's notation, "[float]" or "[(int, [char])]", without copying. `slots`
  // are its value in parts: for a sequence a descriptor, then the parts of its elements side by side; those
  // of a tuple side by side; for anything else a vector of one element (NeslValue). No function, and no type
  // with variables, comes from outside. Other values than the type asks for are answered, or show when a
  // program uses them.
  std::optional<std::string> bind(const std::string& name, const std::string& type,
                                  std::span<const Value> slots);
  // Writes the value of a variable: as .npy a scalar, a sequence of them, or a regular nest of sequences; as
  // a table a sequence, or a sequence of sequences; as text a string.
  std::optional<std::string> save_file(const std::string& name, const std::string& word);
  std::optional<std::string> save_file(const std::string& name, ValueFile& file);
  // What is to be run: a script, if there is any, then expressions; `inputs` are the variables bound for it.
  struct Texts {
    std::string script, script_name;
    std::vector<std::string> expressions, inputs;
  };
  // Why no value of the type that the variable, or `it`, has in the end can be written to the file. Nothing
  // is run; nothing is answered where a value can be, or the texts do not tell.
  [[nodiscard]] std::optional<std::string> refuses(const Texts& texts, const std::string& name,
                                                   const ValueFile& file);

  // Type-checks a file without running anything and shows the type of every name. Messages go to `messages`
  // if it is given, and types nowhere.
  NeslStatus check_file(const std::string& path, std::vector<Message>* messages = nullptr);
  NeslStatus check_script(std::string text, const std::string& name,
                          std::vector<Message>* messages = nullptr);
  // From now on files and texts run their bindings only; compile() makes programs of their expressions.
  void compile_only();
  // The VCODE of the expression `text`, or of the last expression of the files before if it is empty.
  [[nodiscard]] std::optional<std::string> compile(const std::string& text);

  // From now on nothing is written and no process is started, whatever is allowed; so it is for check_file(),
  // check_script() and compile_only().
  void forbid_effects();

  // Stages on the way there: a the expression as parsed, c core code (typed, a function for each combination
  // of types), f flat code, one letter each, in that order.
  [[nodiscard]] std::optional<std::string> listing(const std::string& text, std::string_view stages);

  // Compiles definitions, and computes those of variables; shows nothing. Nothing is defined if something of
  // the text does not compile: Failure::messages say what, and where. The names of its functions, in order.
  [[nodiscard]] Result<std::vector<std::string>> define(std::string_view text, const std::string& name);
  // The value of a function, named or any expression for one, of these arguments. It is compiled once for
  // each combination of their types; nothing is copied, and nothing keeps arguments or the result but the
  // caller.
  [[nodiscard]] Result<NeslValue> call(const std::string& function, std::span<const NeslValue> arguments);

  // An expression that is to be run many times, on any machine: the value's parts are what a run leaves.
  // Variables have the values they have now, while the session lives. Nothing, reported, if it does not
  // compile.
  struct Prepared {
    Program program;
    std::vector<Value> inputs;
  };
  [[nodiscard]] std::optional<Prepared> prepare(const std::string& text);

  // Whether a terminal should read on: the text does not end with a whole form.
  [[nodiscard]] static bool incomplete(std::string_view text);
  // Whether a text holds whole forms without an error of syntax, and if that is asked the last is a command.
  [[nodiscard]] static bool parses(std::string_view text, bool ends_in_command = false);
  [[nodiscard]] std::vector<std::string> names();  // all that a user may write, sorted
  [[nodiscard]] Vm& machine();                     // its cancel() ends whatever the session runs
  // With Options::explain: what the compiling tier did in each program that recorded a region. Nothing else
  // is shown then.
  [[nodiscard]] std::string explanation() const;
  // Of all programs that ran to their end, added up; the peak is the largest.
  [[nodiscard]] Counters counters() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace nvm::lib
