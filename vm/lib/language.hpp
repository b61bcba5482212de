// libnvm: a top level in any language, NESL (nesl.hpp) or Remora (remora.hpp). The commands know this only.
#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vm/lib/nesl.hpp"

namespace nvm::lib {

// Of NESL; for Remora what it has: print_length, int_bits and arg_check say nothing there.
using LanguageOptions = NeslOptions;
using LanguageStatus = NeslStatus;

// A message, and its kind where the language names kinds ("element-type").
struct LanguageMessage {
  Message message;
  std::string kind;
};

// What a language is called and how a user types it.
struct LanguageFacts {
  std::string_view name, suffix;  // "NESL", ".nesl"
  std::string_view prompt;
  std::string_view terminator;  // of a form at a prompt, "" if brackets say where it ends
  std::string_view hint;        // behind the greeting
  std::string_view startup;     // the user's own file, in the home directory; "" if there is none
  const char* between;          // characters that may stand beside a name and are in none
};

// A session: names, their values and a machine. Results go to an output stream, messages to another one. One
// call at a time uses it; another one is told "busy", or nothing where it only asks.
class Language {
 public:
  virtual ~Language() = default;
  Language() = default;
  Language(const Language&) = delete;
  Language& operator=(const Language&) = delete;

  [[nodiscard]] virtual const LanguageFacts& facts() const = 0;

  // All forms of a file or text, in order. Unless interactive, nothing of it runs if something of it does not
  // compile, and a run-time error ends it. `name` stands in messages.
  virtual LanguageStatus run_file(const std::string& path) = 0;
  virtual LanguageStatus run_script(std::string text, const std::string& name) = 0;
  virtual LanguageStatus run_text(std::string_view text, const std::string& name) = 0;
  // The same, each form by itself, and nothing but errors and output is shown: a start-up file.
  virtual LanguageStatus load_file(const std::string& path) = 0;
  // As run_text(), for a text that a user typed at his terminal: its commands may do what he may, whatever
  // Options::allow says.
  virtual LanguageStatus run_typed(std::string_view text, const std::string& name) = 0;
  // Forms of a command line. Messages call the text -e.
  virtual LanguageStatus run_expression(const std::string& text) = 0;

  // Binds a variable to the contents of a file, named as for read_values(). The answer is what is wrong, or
  // nothing.
  virtual std::optional<std::string> bind_file(const std::string& name, const std::string& word) = 0;
  // The elements of a variable that is a sequence or array.
  [[nodiscard]] virtual std::optional<std::int64_t> length(const std::string& name) const = 0;
  // Writes the value of a variable, or of the last expression, which is called `it`.
  virtual std::optional<std::string> save_file(const std::string& name, ValueFile& file) = 0;
  using Texts = Nesl::Texts;
  // Why no value of the type that the variable, or `it`, has in the end can be written to the file. Nothing
  // is run; nothing is answered where a value can be, or the texts do not tell.
  [[nodiscard]] virtual std::optional<std::string> refuses(const Texts& texts, const std::string& name,
                                                           const ValueFile& file) = 0;

  // Type-checks a file without running anything and shows the type of every name. Messages go to `messages`
  // if it is given, and types nowhere.
  virtual LanguageStatus check_file(const std::string& path, std::vector<LanguageMessage>* messages) = 0;
  virtual LanguageStatus check_script(std::string text, const std::string& name,
                                      std::vector<LanguageMessage>* messages) = 0;
  // From now on files and texts are compiled; compile() makes programs of their expressions.
  virtual void compile_only() = 0;
  // The VCODE of the expression `text`, or of the last expression of the files before if it is empty.
  [[nodiscard]] virtual std::optional<std::string> compile(const std::string& text) = 0;
  // Stages on the way there: a the expression as the language has it, c core code, f flat code, one letter
  // each, in that order.
  [[nodiscard]] virtual std::optional<std::string> listing(const std::string& text,
                                                           std::string_view stages) = 0;
  // From now on nothing is written and no process is started, whatever is allowed; so it is for check_file(),
  // check_script() and compile_only().
  virtual void forbid_effects() = 0;

  // An expression that is to be run many times, as Nesl::prepare() has it.
  [[nodiscard]] virtual std::optional<Nesl::Prepared> prepare(const std::string& text) = 0;

  // Whether a terminal should read on: the text does not end with a whole form.
  [[nodiscard]] virtual bool wants_more(std::string_view text) const = 0;
  // Whether a text holds whole forms without an error of syntax.
  [[nodiscard]] virtual bool is_whole(std::string_view text) const = 0;
  // The same, and the last one is a command.
  [[nodiscard]] virtual bool ends_in_command(std::string_view text) const = 0;
  [[nodiscard]] virtual std::vector<std::string> names() = 0;  // all that a user may write, sorted
  [[nodiscard]] virtual Vm& machine() = 0;
  // With Options::explain: what the compiling tier did in each program that recorded a region. Nothing else
  // is shown then.
  [[nodiscard]] virtual std::string explanation() const = 0;
  // Of all programs that ran to their end, added up; the peak is the largest.
  [[nodiscard]] virtual Counters counters() const = 0;
};

enum class LanguageKind : std::uint8_t { kNesl, kRemora };

// A session in a language.
[[nodiscard]] Result<std::unique_ptr<Language>> open_language(LanguageKind kind,
                                                              const LanguageOptions& options,
                                                              std::ostream& out, std::ostream& err);

}  // namespace nvm::lib
