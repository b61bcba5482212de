// The commands of the top level that leave the process: to files, to the shell, to the editor. All of them
// ask the session's gate.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <ostream>

#include "bytecode/base/read_file.h"
#include "bytecode/text/writer.h"
#include "vm/lib/nesl_commands.h"
#include "vm/lib/nesl_import.h"

namespace nvm::vm {

namespace {

using frontend::CompiledForm;
using frontend::Form;

// What became of a file that could not be read.
std::string unread(const std::string& file) { return "File " + file + " " + unread_because(errno) + "."; }

// A word of the shell that stands for the text.
std::string shell_word(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

// NAME, or NAME.nesl if only that is a file.
std::string file_named(const std::string& name) {
  std::error_code code;
  const bool other = !name.empty() && !std::filesystem::is_regular_file(name, code) &&
                     std::filesystem::is_regular_file(name + ".nesl", code);
  return other ? name + ".nesl" : name;
}

}  // namespace

bool SessionCommands::may(const Form& form, WayOut way, const std::string& subject) {
  const bool runs = s_.options_.mode == SessionMode::kRun;
  try {
    s_.gate().check(way, subject);
  } catch (const Fault& fault) {
    if (runs)
      error(form, fault.message);
    else
      diagnostics_.warning(form.pos, fault.message);
    refused_ = runs;
    return false;
  }
  return runs && (s_.options_.world == nullptr || !s_.options_.world->plays());
}

bool SessionCommands::write(const Form& form, WayOut way, const std::string& file, const std::string& text) {
  try {
    std::FILE* out = s_.gate().open(way, file, FileMode::kWrite);
    bool good = out != nullptr && std::fwrite(text.data(), 1, text.size(), out) == text.size();
    if (out != nullptr) good = std::fclose(out) == 0 && good;
    if (!good) error(form, "Cannot write " + file + ": " + std::strerror(errno) + ".");
    return good;
  } catch (const Fault& fault) {  // a link led elsewhere
    error(form, fault.message);
    refused_ = true;
    return false;
  }
}

void SessionCommands::shell(const Form& form) {
  if (form.words.empty() || !may(form, WayOut::kShell, form.words.back().text)) return;
  if (!s_.gate().shell(WayOut::kShell, form.words.back().text)) s_.out_ << "The command failed.\n";
}

// What is loaded is beside the file that loads it or, as release 3.1 has it, in the current folder.
std::optional<std::string> SessionCommands::text_beside(std::string& file) {
  std::string path = (std::filesystem::path(s_.source_->file).parent_path() / file).lexically_normal();
  if (path == file) return std::nullopt;
  try {
    auto text = read_program(s_.load_gate(), WayOut::kLoad, s_.options_.world, path);
    if (text) file = std::move(path);
    return text;
  } catch (const Fault&) {  // the other one may be permitted
    return std::nullopt;
  }
}

SessionStatus SessionCommands::load_file(const Form& form, std::string file, Show show, bool notice) {
  if (constexpr int kMost = 100; s_.open_texts_ > kMost) {
    error(form, "File " + file + " is not loaded: files load each other more than 100 deep.");
    return SessionStatus::kRunError;
  }
  std::optional<std::string> text;
  try {
    text = text_beside(file);
    if (!text) text = read_program(s_.load_gate(), WayOut::kLoad, s_.options_.world, file);
  } catch (const Fault& fault) {
    error(form, fault.message);
    return s_.options_.mode == SessionMode::kRun ? SessionStatus::kRunError : SessionStatus::kOk;
  }
  if (!text) {
    error(form, unread(file));
    return SessionStatus::kOk;
  }
  if (notice && s_.options_.interactive) s_.out_ << "% Loading " << file << ". %\n" << std::flush;
  return s_.load_script(std::move(*text), file, show);
}

void SessionCommands::dump_vcode(const Form& form, const CompiledForm* argument) {
  if (form.words.size() != 2 || argument == nullptr) return error(form, "Expected: dump vcode FILE EXP;");
  const std::string& file = form.words[1].text;
  if (!may(form, WayOut::kDumpVcode, file)) return;
  static_cast<void>(write(form, WayOut::kDumpVcode, file, write_vcode(s_.bake(*argument))));
}

// A file that brings the session's definitions back when it is loaded.
void SessionCommands::dump_world(const Form& form) {
  const std::string file = form.words.size() > 1 ? form.words[1].text : "world.nesl";
  if (!may(form, WayOut::kDumpWorld, file)) return;
  if (write(form, WayOut::kDumpWorld, file, s_.definitions_))
    s_.out_ << "Definitions written to " << file << ".\n";
}

SessionStatus SessionCommands::edit(const Form& form) {
  if (!may(form, WayOut::kEdit, "")) return refused_ ? SessionStatus::kRunError : SessionStatus::kOk;
  const auto set = s_.settings_.find("editor");
  const char* fallback = std::getenv("EDITOR");
  const std::string editor = set != s_.settings_.end() ? set->second : fallback != nullptr ? fallback : "";
  if (editor.empty()) {
    s_.out_ << "No editor specified, use: set editor <ename>;\n";
    return SessionStatus::kOk;
  }
  std::string file = file_named(form.words.empty() ? s_.last_file_ : form.words[0].text);
  std::string command = editor;
  if (!file.empty()) command += " " + shell_word(file);
  // Forms that come from a pipe are not the editor's.
  if (::isatty(STDIN_FILENO) == 0) command += " < /dev/null";
  s_.out_ << std::flush;
  if (!s_.gate().shell(WayOut::kEdit, command)) {
    s_.out_ << "The editor failed.\n";
    return SessionStatus::kOk;
  }
  return file.empty() ? SessionStatus::kOk : load_file(form, file, s_.options_.show, false);
}

}  // namespace nvm::vm
