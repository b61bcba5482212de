#include "vm/cmd/language.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <new>
#include <ostream>

#include "bytecode/base/ascii.h"
#include "bytecode/base/budget.h"
#include "bytecode/base/read_file.h"
#include "frontend/edit/document.h"
#include "vm/cmd/commands.h"
#include "vm/cmd/interrupt.h"
#include "vm/cmd/machine.h"
#include "vm/cmd/outputs.h"
#include "vm/cmd/terminal.h"

namespace nvm::cmd {

namespace {

// Behind "cannot write".
std::string why() { return errno == 0 ? "" : std::string(": ") + std::strerror(errno); }

// NAME=FILE, or a file for the last value.
std::string name_of(const Output& output) { return output.place.empty() ? "it" : output.place; }

int save_outputs(lib::Language& session, Outputs& outputs) {
  for (Output& output : outputs) {
    if (const auto wrong = session.save_file(name_of(output), output.file)) {
      complain(wrong_output(output, *wrong));
      return kFault;
    }
  }
  return kGood;
}

// Before anything runs.
void check_outputs(lib::Language& session, const Outputs& outputs, const Arguments& arguments,
                   const Watch& watch) {
  if (outputs.empty()) return;
  lib::Language::Texts texts;
  texts.expressions = arguments.all(Option::kExpression);
  for (const std::string& word : arguments.all(Option::kIn))
    texts.inputs.push_back(split_binding(word).first);
  if (!arguments.operands().empty()) {
    texts.script_name = arguments.operand("a program file");
    const bool standard = texts.script_name == "-";
    texts.script =
        standard ? watch.standard_input() : lib::read_file(texts.script_name, watch.watchers()).value_or("");
  }
  for (const Output& output : outputs)
    if (const auto why = session.refuses(texts, name_of(output), output.file))
      throw UsageError{wrong_output(output, *why)};
}

}  // namespace

lib::LanguageOptions language_options(const Arguments& arguments, lib::LanguageKind kind) {
  lib::LanguageOptions options;
  options.int_bits = int_bits(arguments);
  options.arg_check = arguments.choice(Option::kArgCheck) == 0;
  options.vm.cancelled = Interruptible::asked();
  if (!arguments.given(Option::kUntrusted)) options.folder = ".";  // who types it stands there
  if (kind != lib::LanguageKind::kRemora) return options;
  if (arguments.choice(Option::kIntBits) == 0)
    throw UsageError{"--int-bits 32: integers of Remora have 64 bits"};
  if (!options.arg_check) throw UsageError{"--arg-check off: Remora checks always"};
  return options;
}

namespace {

lib::LanguageStatus run_operand(lib::Language& session, const Arguments& arguments, const Watch& watch) {
  if (arguments.operands().empty()) return lib::LanguageStatus::kOk;
  const std::string& path = arguments.operand("a program file");
  return path == "-" ? session.run_script(watch.standard_input(), kStandardInput) : session.run_file(path);
}

}  // namespace

lib::LanguageStatus run_all(lib::Language& session, const Arguments& arguments, const Watch& watch) {
  lib::LanguageStatus status = run_operand(session, arguments, watch);
  for (const std::string& text : arguments.all(Option::kExpression)) {
    if (status != lib::LanguageStatus::kOk) break;
    status = session.run_expression(text);
  }
  return status;
}

int status_of(lib::LanguageStatus status) {
  switch (status) {
    case lib::LanguageStatus::kCompileError: return kRefused;
    case lib::LanguageStatus::kRunError:
    case lib::LanguageStatus::kBusy: return kFault;
    default: return kGood;
  }
}

Lengths bind_inputs(lib::Language& session, const Arguments& arguments) {
  check_standard_input(arguments);
  Lengths lengths;
  for (const std::string& word : arguments.all(Option::kIn)) {
    const auto [name, file] = split_binding(word);
    if (name.empty() || file.empty()) throw UsageError{"--in " + word + ": expected NAME=FILE"};
    if (const auto wrong = session.bind_file(name, file)) throw UsageError{"--in " + word + ": " + *wrong};
    if (const auto length = session.length(name)) lengths[name] = *length;
  }
  return lengths;
}

namespace {

// Whether a file is a script (#!). What is read of a pipe is gone.
bool is_script(const std::string& path, const Watch& watch) {
  if (lib::world_of(watch.watchers()) != nullptr) {
    const auto text = lib::read_file(path, watch.watchers());
    return text && text->starts_with("#!");
  }
  std::error_code unknown;
  return std::filesystem::is_regular_file(path, unknown) && read_all(path, 2) == "#!";
}

bool is_file_of(const Arguments& arguments, std::string_view ending) {
  return arguments.operands().size() == 1 && has_ending(arguments.operands().front(), ending);
}

lib::LanguageKind wanted(const Arguments& arguments) {
  return arguments.choice(Option::kLanguage) == 1 ? lib::LanguageKind::kRemora : lib::LanguageKind::kNesl;
}

}  // namespace

lib::LanguageKind top_level_language(const Arguments& arguments) {
  const bool remora = is_file_of(arguments, ".remora"), nesl = is_file_of(arguments, ".nesl");
  if ((remora || nesl) && arguments.given(Option::kLanguage) &&
      remora != (wanted(arguments) == lib::LanguageKind::kRemora))
    throw UsageError{"--language: " + arguments.operands().front() + " is in the other language"};
  return remora ? lib::LanguageKind::kRemora : nesl ? lib::LanguageKind::kNesl : wanted(arguments);
}

std::optional<lib::LanguageKind> language_of(const Arguments& arguments, const Watch& watch) {
  const std::string path = arguments.operands().size() == 1 ? arguments.operands().front() : "";
  const bool named = edit::language_of("", path).has_value();
  if (arguments.command() != "check" && arguments.given(Option::kExpression)) {
    if (has_ending(path, ".vcode"))
      throw UsageError{path + ": -e evaluates NESL or Remora, behind a file of that language only"};
    return top_level_language(arguments);
  }
  if (named || arguments.given(Option::kLanguage)) return top_level_language(arguments);
  const bool nesl = path == "-" ? !lib::Program::looks_like_vcode(watch.standard_input())
                                : !path.empty() && is_script(path, watch);
  return nesl ? std::optional(lib::LanguageKind::kNesl) : std::nullopt;
}

std::unique_ptr<lib::Language> open_session(lib::LanguageKind kind, const lib::LanguageOptions& options,
                                            std::ostream& out, std::ostream& err) {
  auto opened = lib::open_language(kind, options, out, err);
  if (!opened) throw std::bad_alloc();
  return std::move(*opened);
}

int run_language(lib::LanguageKind kind, const Arguments& arguments, const Watch& watch, std::FILE* to,
                 const std::string& explain) {
  lib::LanguageOptions options = language_options(arguments, kind);
  options.vm = options_of(arguments);
  options.vm.cancelled = Interruptible::asked();
  options.optimise = arguments.choice(Option::kOptimise) == 0;
  options.print_length = arguments.count_or_all(Option::kPrintLength);
  options.charts_as_svg = arguments.choice(Option::kCharts) == 1;
  options.vm.explain = explain;
  options.show_all = arguments.given(Option::kVerbose);
  options.vm.watchers = watch.watchers();
  options.vm.checkpoint = watch.checkpoint();
  options.vm.out = program_output(arguments, to);
  const File input = input_of(arguments);
  if (input) options.vm.in = input.get();
  const auto output = written_to(arguments, Option::kOutput);
  if (output && (options.vm.out = output->stream()) == nullptr) throw UsageError{output->why()};
  Outputs outputs = open_outputs(arguments);
  TerminalBuffer buffer(options.vm.out), messages(stderr);
  std::ostream out(&buffer), err(&messages);
  const auto opened = open_session(kind, options, out, err);
  lib::Language& session = *opened;
  if (!has_effects(arguments)) session.forbid_effects();
  const Lengths lengths = bind_inputs(session, arguments);
  check_figures(arguments, lengths);
  check_outputs(session, outputs, arguments, watch);
  {
    const Interruptible guard(&session.machine());
    const int status = status_of(run_all(session, arguments, watch));
    if (status != kGood) return status;
  }
  if (!explain.empty())
    out << (session.explanation().empty() ? "nothing was recorded\n" : session.explanation()) << std::flush;
  errno = 0;
  const bool flushed = std::fflush(options.vm.out) == 0;
  if (!flushed || !out) {
    if (flushed) errno = buffer.error();
    const std::string reason = why();
    nvm::Budget::look();  // nobody read them in time
    complain("cannot write the results" + reason);
    return kFault;
  }
  const int saved = finished(output.get(), save_outputs(session, outputs));
  const int figures = report_figures(arguments, session.counters(), lengths);
  return saved != kGood ? saved : figures;
}

int compile_command(const Words& words) {
  const Arguments arguments("compile", words);
  const lib::Limits limits = limits_of(arguments);
  const lib::LanguageKind kind = top_level_language(arguments);
  lib::LanguageOptions options = language_options(arguments, kind);
  options.vm = looking_at(arguments);
  options.vm.cancelled = Interruptible::asked();
  const auto file = written_to(arguments, Option::kOutput);
  TerminalBuffer messages(stderr);
  std::ostream err(&messages);
  const auto opened = open_session(kind, options, err, err);  // standard output is for VCODE
  lib::Language& session = *opened;
  const Interruptible guard(&session.machine());
  bind_inputs(session, arguments);
  session.compile_only();
  if (const int status = status_of(run_all(session, arguments, Watch())); status != kGood) return status;
  const auto vcode = session.compile("");
  if (!vcode) return kRefused;
  if (file) {
    file->write(*vcode);
    return finished(file.get(), kGood);
  }
  say(stdout, *vcode);
  return kGood;
}

}  // namespace nvm::cmd
