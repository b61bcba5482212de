#include "vm/cmd/nesl.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <ostream>

#include "bytecode/base/read_file.h"
#include "vm/cmd/commands.h"
#include "vm/cmd/interrupt.h"
#include "vm/cmd/machine.h"
#include "vm/cmd/outputs.h"
#include "vm/cmd/remora.h"
#include "vm/cmd/terminal.h"
#include "vm/lib/nesl.hpp"

namespace nvm::cmd {

namespace {

// Behind "cannot write".
std::string why() { return errno == 0 ? "" : std::string(": ") + std::strerror(errno); }

// NAME=FILE, or a file for the last value.
std::string name_of(const Output& output) { return output.place.empty() ? "it" : output.place; }

int save_outputs(lib::Nesl& nesl, Outputs& outputs) {
  for (Output& output : outputs) {
    if (const auto wrong = nesl.save_file(name_of(output), output.file)) {
      complain(wrong_output(output, *wrong));
      return kFault;
    }
  }
  return kGood;
}

// Before anything runs.
void check_outputs(lib::Nesl& nesl, const Outputs& outputs, const Arguments& arguments, const Watch& watch) {
  if (outputs.empty()) return;
  lib::Nesl::Texts texts;
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
    if (const auto why = nesl.refuses(texts, name_of(output), output.file))
      throw UsageError{wrong_output(output, *why)};
}

lib::NeslOptions nesl_options(const Arguments& arguments) {
  lib::NeslOptions options;
  options.vm = options_of(arguments);
  options.vm.cancelled = Interruptible::asked();
  options.int_bits = int_bits(arguments);
  options.optimise = arguments.choice(Option::kOptimise) == 0;
  options.print_length = arguments.count_or_all(Option::kPrintLength);
  options.arg_check = arguments.choice(Option::kArgCheck) == 0;
  return options;
}

}  // namespace

lib::NeslStatus run_all(lib::Nesl& nesl, const Arguments& arguments, const Watch& watch) {
  lib::NeslStatus status = run_operand(nesl, arguments, watch);
  for (const std::string& text : arguments.all(Option::kExpression)) {
    if (status != lib::NeslStatus::kOk) break;
    status = nesl.run_expression(text);
  }
  return status;
}

int status_of(lib::NeslStatus status) {
  switch (status) {
    case lib::NeslStatus::kCompileError: return kRefused;
    case lib::NeslStatus::kRunError:
    case lib::NeslStatus::kBusy: return kFault;
    default: return kGood;
  }
}

Lengths bind_inputs(lib::Nesl& nesl, const Arguments& arguments) {
  Lengths lengths;
  for (const std::string& word : arguments.all(Option::kIn)) {
    const auto [name, file] = split_binding(word);
    if (name.empty()) throw UsageError{"--in " + word + ": expected NAME=FILE"};
    if (const auto wrong = nesl.bind_file(name, file)) throw UsageError{"--in " + word + ": " + *wrong};
    if (const auto length = nesl.length(name)) lengths[name] = *length;
  }
  return lengths;
}

lib::NeslStatus run_operand(lib::Nesl& nesl, const Arguments& arguments, const Watch& watch) {
  if (arguments.operands().empty()) return lib::NeslStatus::kOk;
  const std::string& path = arguments.operand("a program file");
  return path == "-" ? nesl.run_script(watch.standard_input(), kStandardInput) : nesl.run_file(path);
}

bool is_nesl(const Arguments& arguments, const Watch& watch) {
  const std::string path = arguments.operands().size() == 1 ? arguments.operands().front() : "";
  if (arguments.given(Option::kExpression)) {
    if (path.ends_with(".vcode")) throw UsageError{path + ": -e evaluates NESL, behind a file of NESL only"};
    return true;
  }
  if (path.empty()) return false;
  if (path == "-") return !lib::Program::looks_like_vcode(watch.standard_input());
  if (path.ends_with(".nesl")) return true;
  if (lib::world_of(watch.watchers()) != nullptr) {
    const auto text = lib::read_file(path, watch.watchers());
    return text && text->starts_with("#!");
  }
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return false;  // what is read of a pipe is gone
  return read_all(path, 2) == "#!";
}

int run_nesl(const Arguments& arguments, const Watch& watch, std::FILE* to, const std::string& explain) {
  lib::NeslOptions options = nesl_options(arguments);
  options.vm.explain = explain;
  options.show_all = arguments.given(Option::kVerbose);
  options.vm.watchers = watch.watchers();
  options.vm.out = to;
  const File input = input_of(arguments);
  if (input) options.vm.in = input.get();
  const auto output = written_to(arguments, Option::kOutput);
  if (output && (options.vm.out = output->stream()) == nullptr) throw UsageError{output->why()};
  Outputs outputs = open_outputs(arguments);
  TerminalBuffer buffer(options.vm.out), messages(stderr);
  std::ostream out(&buffer), err(&messages);
  lib::Nesl nesl(options, out, err);
  if (!has_effects(arguments)) nesl.forbid_effects();
  const Lengths lengths = bind_inputs(nesl, arguments);
  check_figures(arguments, lengths);
  check_outputs(nesl, outputs, arguments, watch);
  {
    const Interruptible guard(&nesl.machine());
    const int status = status_of(run_all(nesl, arguments, watch));
    if (status != kGood) return status;
  }
  if (!explain.empty())
    out << (nesl.explanation().empty() ? "nothing was recorded\n" : nesl.explanation()) << std::flush;
  errno = 0;
  if (std::fflush(options.vm.out) != 0 || !out) {
    complain("cannot write the results" + why());
    return kFault;
  }
  const int saved = finished(output.get(), save_outputs(nesl, outputs));
  const int figures = report_figures(arguments, nesl.counters(), lengths);
  return saved != kGood ? saved : figures;
}

int compile_command(const Words& words) {
  const Arguments arguments("compile", words);
  const lib::Limits limits = limits_of(arguments);
  if (is_remora(arguments)) return refuse_remora(arguments, {});
  lib::NeslOptions options;
  options.arg_check = arguments.choice(Option::kArgCheck) == 0;
  options.vm = looking_at(arguments);
  options.vm.cancelled = Interruptible::asked();
  const auto file = written_to(arguments, Option::kOutput);
  TerminalBuffer buffer(stdout), messages(stderr);
  std::ostream out(&buffer), err(&messages);
  lib::Nesl nesl(options, out, err);
  const Interruptible guard(&nesl.machine());
  bind_inputs(nesl, arguments);
  nesl.compile_only();
  if (const int status = status_of(run_all(nesl, arguments, Watch())); status != kGood) return status;
  const auto vcode = nesl.compile("");
  if (!vcode) return kRefused;
  if (file) {
    file->write(*vcode);
    return finished(file.get(), kGood);
  }
  say(stdout, *vcode);
  return kGood;
}

}  // namespace nvm::cmd
