#include <editline/readline.h>
#include <langinfo.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <system_error>

#include "bytecode/base/read_file.h"
#include "vm/cmd/colour.h"
#include "vm/cmd/commands.h"
#include "vm/cmd/crash.h"
#include "vm/cmd/history.h"
#include "vm/cmd/interrupt.h"
#include "vm/cmd/language.h"
#include "vm/cmd/machine.h"
#include "vm/cmd/terminal.h"
#include "vm/cmd/watch.h"
#include "vm/lib/language.hpp"

namespace nvm::cmd {

namespace {

// The line editor calls back without an argument.
lib::Language* completing = nullptr;
sigjmp_buf at_prompt;

char* next_completion(const char* prefix, int state) {
  static std::vector<std::string> names;
  static std::size_t at = 0;
  if (state == 0) {
    names = completing->names();
    at = 0;
  }
  const std::size_t n = std::strlen(prefix);
  while (at < names.size()) {
    const std::string& name = names[at++];
    if (name.compare(0, n, prefix) == 0) return ::strdup(name.c_str());
  }
  return nullptr;
}

char** complete(const char* text, int, int) { return rl_completion_matches(text, next_completion); }

void back_to_prompt(int) { siglongjmp(at_prompt, 1); }

// A line of standard input, without its end; false where that ends. The input may be a program's next.
bool read_line(std::string& line) {
  line.clear();
  int c = 0;
  while ((c = std::getc(stdin)) != EOF && c != '\n') line += static_cast<char>(c);
  if (c == EOF && std::ferror(stdin) != 0)
    throw std::system_error(errno, std::generic_category(), "standard input cannot be read");
  return c != EOF || !line.empty();
}

// The line editor drops what the locale has no characters for; where none is named, terminals have UTF-8.
void set_characters() {
  const bool named = std::setlocale(LC_CTYPE, "") != nullptr;
  if (!named || std::strcmp(::nl_langinfo(CODESET), "ANSI_X3.4-1968") == 0)
    std::setlocale(LC_CTYPE, "C.UTF-8");
}

// Lines from the terminal with history and completion, or plainly from a pipe.
class Reader {
 public:
  Reader() : terminal_(::isatty(STDIN_FILENO) == 1) {
    if (!terminal_) return;
    set_characters();
    rl_initialize();
    const char* home = std::getenv("HOME");
    history_.emplace(std::string(home == nullptr ? "." : home) + "/.nvm_history");
    rl_attempted_completion_function = complete;
  }

  // False at the end of input. Ctrl-C empties the line and is `interrupted`.
  bool read(const char* prompt, std::string& line, bool& interrupted) {
    interrupted = false;
    if (!terminal_) return read_line(line);
    std::cout << std::flush;
    if (sigsetjmp(at_prompt, 1) != 0) {
      std::cout << "\n";
      interrupted = true;
      return true;
    }
    std::signal(SIGINT, back_to_prompt);
    char* text = nullptr;
    do {
      errno = 0;
      text = readline(prompt);
    } while (text == nullptr && errno == EINTR);  // by Ctrl-Z, where no shell is there to stop for
    std::signal(SIGINT, end_process);
    if (text == nullptr) return false;
    line = text;
    std::free(text);
    return true;
  }
  // What was typed comes back with one key: as one line if that is the same to the language, else line by
  // line.
  void remember(std::string text, const lib::Language& session) {
    while (text.ends_with('\n')) text.pop_back();
    if (!history_ || text.find_first_not_of(" \t") == std::string::npos) return;
    std::string line = text;
    std::replace(line.begin(), line.end(), '\n', ' ');
    const bool same = line == text || (session.is_whole(line) && text.find('"') == std::string::npos);
    if (same) return history_->add(line);
    for (const std::string_view each : lines_of(text)) history_->add(std::string(each));
  }
  [[nodiscard]] bool keeps() const { return history_ && history_->kept(); }
  [[nodiscard]] bool terminal() const { return terminal_; }

 private:
  bool terminal_;
  std::optional<History> history_;
};

// ? and ?NAME need no terminator.
bool is_question(std::string& text, std::string_view terminator) {
  const std::size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t\n");
  if (begin == std::string::npos || text[begin] != '?') return false;
  if (text[end] != ';' && text[end] != '$') text.insert(end + 1, terminator);
  return true;
}

// exit and quit, too, for who is used to other prompts; what the user has called so is evaluated.
bool is_farewell(const std::string& text, lib::Language& session) {
  const std::size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t\n;$");
  if (begin == std::string::npos || end == std::string::npos) return false;
  const std::string word = text.substr(begin, end + 1 - begin);
  if (word != "quit") return word == "exit";
  const std::vector<std::string> names = session.names();
  return !std::binary_search(names.begin(), names.end(), word);
}

// The user's own start-up file.
void run_startup_file(lib::Language& session) {
  const char* home = std::getenv("HOME");
  const std::string file =
      std::string(home == nullptr ? "" : home) + "/" + std::string(session.facts().startup);
  std::error_code code;
  if (home != nullptr && std::filesystem::is_regular_file(file, code)) session.load_file(file);
}

// Collects lines until they hold whole forms; false at the end of input. At a terminal an empty line ends a
// form whose terminator was forgotten, and any line a command.
bool read_forms(Reader& reader, std::string& text, lib::Language& session) {
  const lib::LanguageFacts& facts = session.facts();
  const std::string prompt(facts.prompt), terminator(facts.terminator);
  text.clear();
  std::string line;
  bool interrupted = false;
  while (reader.read(text.empty() ? prompt.c_str() : "> ", line, interrupted)) {
    if (interrupted) {
      reader.remember(text, session);
      text.clear();
      continue;
    }
    text += line + "\n";
    if (text.find_first_not_of(" \n\t") == std::string::npos) text.clear();
    if (is_question(text, terminator) || is_farewell(text, session)) return true;
    const bool empty = line.find_first_not_of(" \t") == std::string::npos;
    const std::string ended = text + terminator;
    if (reader.terminal() && (empty ? session.is_whole(ended) : session.ends_in_command(ended))) {
      text += terminator + "\n";
      return true;
    }
    if (!text.empty() && !session.wants_more(text)) return true;
  }
  return !text.empty() && !reader.terminal();  // what was not finished there is left
}

std::unique_ptr<std::streambuf> shown_on(std::FILE* to) {
  if (has_colours(to)) return std::make_unique<ColourBuffer>(to);
  return std::make_unique<TerminalBuffer>(to);
}

}  // namespace

int repl_command(const Words& words) {
  const Arguments arguments("repl", words);
  const lib::Limits limits = limits_of(arguments);
  const lib::LanguageKind kind = top_level_language(arguments);
  lib::LanguageOptions options = language_options(arguments, kind);
  options.vm = options_of(arguments);
  options.print_length = arguments.count_or_all(Option::kPrintLength);
  options.interactive = true;
  options.vm.cancelled = Interruptible::asked();
  const Watch watch(arguments);
  options.vm.watchers = watch.watchers();
  const auto out_buffer = shown_on(stdout), err_buffer = shown_on(stderr);
  std::ostream out(out_buffer.get()), err(err_buffer.get());
  const auto opened = open_session(kind, options, out, err);
  lib::Language& session = *opened;
  Reader reader;
  if (reader.terminal())
    std::cout << "nvm " << lib::version() << ", " << session.facts().name << ". " << session.facts().hint
              << "\n";
  // At a terminal its user has seen what failed; who reads from elsewhere asks for the status.
  int status = kGood;
  const auto note = [&](lib::LanguageStatus done) {
    const bool good = done == lib::LanguageStatus::kOk || done == lib::LanguageStatus::kExit;
    if (!good && !reader.terminal()) status = kFault;
    return done;
  };
  if (!options.vm.untrusted) run_startup_file(session);
  if (!arguments.operands().empty()) note(session.run_file(arguments.operand("a program file")));
  completing = &session;
  rl_basic_word_break_characters = session.facts().between;
  std::string text;
  do {
    const bool more = read_forms(reader, text, session);
    reader.remember(text, session);
    if (!more || is_farewell(text, session)) break;
    const Interruptible guard(&session.machine());
    const auto done =
        note(reader.terminal() ? session.run_typed(text, "input") : session.run_text(text, "input"));
    if (done == lib::LanguageStatus::kExit) break;
  } while (true);
  if (reader.terminal())
    std::cout << "Leaving; what was defined is gone"
              << (reader.keeps() ? ", what was typed is in ~/.nvm_history.\n" : ".\n");
  return watch.finish(status);
}

}  // namespace nvm::cmd
