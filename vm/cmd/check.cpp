// nvm check and nvm disasm: a program looked at, not run.
#include <cerrno>
#include <cstdio>
#include <ostream>

#include "bytecode/base/read_file.h"
#include "vm/cmd/commands.h"
#include "vm/cmd/interrupt.h"
#include "vm/cmd/language.h"
#include "vm/cmd/machine.h"
#include "vm/cmd/run.h"
#include "vm/cmd/terminal.h"
#include "vm/cmd/vcode_files.h"
#include "vm/profile/json.h"

namespace nvm::cmd {

namespace {

const char* severity_text(lib::Severity severity) {
  switch (severity) {
    case lib::Severity::kError: return "error";
    case lib::Severity::kWarning: return "warning";
    case lib::Severity::kNote: return "note";
  }
  return "";
}

// One object a line, in an array.
void print_json(const std::vector<lib::LanguageMessage>& messages) {
  std::string text = "[";
  for (const auto& [m, kind] : messages) {
    vm::JsonObject one;
    one.add("file", m.file).add("line", std::int64_t{m.line}).add("column", std::int64_t{m.column});
    one.add("severity", severity_text(m.severity));
    if (!kind.empty()) one.add("kind", kind);
    text += (text.size() == 1 ? "\n" : ",\n") + one.add("message", m.text).text();
  }
  say(stdout, text + (messages.empty() ? "]\n" : "\n]\n"));
}

// What is to be said of a file that was not even read: editors look for messages in the JSON only.
lib::LanguageMessage unread(const std::string& path, const Watch& watch) {
  const bool now = lib::read_file(path, watch.watchers()).has_value();
  return {{path, 0, 0, lib::Severity::kError, "the file " + (now ? "cannot be read" : unread_because(errno))},
          ""};
}

int check_language(lib::LanguageKind kind, const Arguments& arguments, const Watch& watch) {
  lib::LanguageOptions options = language_options(arguments, kind);
  options.vm = looking_at(arguments);
  options.vm.cancelled = Interruptible::asked();
  TerminalBuffer buffer(stdout), err_buffer(stderr);
  std::ostream out(&buffer), err(&err_buffer);
  const bool json = arguments.given(Option::kJson);
  const auto session = open_session(kind, options, json ? err : out, err);
  const Interruptible guard(&session->machine());
  bind_inputs(*session, arguments);
  std::vector<lib::LanguageMessage> messages;
  auto* to = json ? &messages : nullptr;
  const std::string& path = arguments.operand("a program file");
  const int status = status_of(path == "-" ? session->check_script(watch.standard_input(), kStandardInput, to)
                                           : session->check_file(path, to));
  if (json && status != kGood && messages.empty()) messages.push_back(unread(path, watch));
  if (json) print_json(messages);
  return status;
}

int check_vcode(const Arguments& arguments, const Watch& watch) {
  lib::LoadOptions options;
  options.int_bits = int_bits(arguments);
  options.optimise = false;
  options.cancelled = Interruptible::asked();
  options.inputs = kinds_of(read_inputs(arguments, {}));
  const Interruptible guard;
  auto program = load_vcode(arguments.operand("a program file"), options, watch);
  if (arguments.given(Option::kJson)) {
    std::vector<lib::LanguageMessage> messages;
    for (const lib::Message& m : program ? program->messages() : program.failure().messages)
      messages.push_back({m, ""});
    if (!program && messages.empty()) {
      say(stderr, program.failure().message);
      messages.push_back(unread(arguments.operand("a program file"), watch));
    }
    print_json(messages);
    return program ? kGood : kRefused;
  }
  if (!program) return report(program.failure());
  say(stderr, program->warnings());
  say(stdout, program->signatures());
  return kGood;
}

// The stages of VCODE among `stages`; `load` gives the program, optimised or not.
template <typename Load>
int print_vcode(const std::string& stages, lib::LoadOptions options, Load load) {
  for (const char stage : stages) {
    if (stage != 'v' && stage != 'r' && stage != 's' && stage != 'n') continue;
    options.optimise = stage == 's' || stage == 'n';
    auto program = load(options);
    if (!program) return report(program.failure());
    say(stdout, stage == 'v'   ? program->vcode_text()
                : stage == 'n' ? program->nests_text()
                               : program->ssa_text());
  }
  return kGood;
}

int disasm_language(lib::LanguageKind kind, const Arguments& arguments, const Watch& watch,
                    const std::string& stages) {
  lib::LanguageOptions options = language_options(arguments, kind);
  options.vm = looking_at(arguments);
  options.vm.cancelled = Interruptible::asked();
  TerminalBuffer messages(stderr);
  std::ostream err(&messages);
  const auto session = open_session(kind, options, err, err);  // standard output is for the stages
  const Interruptible guard(&session->machine());
  bind_inputs(*session, arguments);
  session->compile_only();
  if (const int status = status_of(run_all(*session, arguments, watch)); status != kGood) return status;
  const auto listing = session->listing("", stages);
  if (!listing) return kRefused;
  say(stdout, *listing);
  const auto vcode = session->compile("");
  if (!vcode) return kRefused;
  return print_vcode(stages, load_options_of(arguments), [&](const lib::LoadOptions& load) {
    return lib::Program::from_text(*vcode, std::string(session->facts().name), load);
  });
}

int disasm_vcode(const Arguments& arguments, const Watch& watch, const std::string& stages) {
  const std::string& path = arguments.operand("a program file");
  lib::LoadOptions options = load_options_of(arguments);
  options.inputs = kinds_of(read_inputs(arguments, {}));
  for (const char stage : stages)
    if (stage == 'a' || stage == 'c' || stage == 'f')
      throw UsageError{std::string("--stages ") + stage + ": VCODE has v, r, s and n"};
  return print_vcode(stages, options,
                     [&](const lib::LoadOptions& load) { return load_vcode(path, load, watch); });
}

}  // namespace

int check_command(const Words& words) {
  const Arguments arguments("check", words);
  const lib::Limits limits = limits_of(arguments);
  const Watch watch;
  const auto language = language_of(arguments, watch);
  return language ? check_language(*language, arguments, watch) : check_vcode(arguments, watch);
}

int disasm_command(const Words& words) {
  const Arguments arguments("disasm", words);
  const lib::Limits limits = limits_of(arguments);
  const Watch watch;
  const std::string stages = arguments.text(Option::kStages);
  if (stages.empty() || stages.find_first_not_of("acfvrsn") != std::string::npos)
    throw UsageError{"--stages " + stages + ": expected some of the letters a, c, f, v, r, s, n"};
  const auto language = language_of(arguments, watch);
  return language ? disasm_language(*language, arguments, watch, stages)
                  : disasm_vcode(arguments, watch, stages);
}

}  // namespace nvm::cmd
