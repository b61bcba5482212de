#include "vm/cmd/nesl.h"

#include <ext/stdio_sync_filebuf.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "vm/cmd/commands.h"
#include "vm/cmd/interrupt.h"
#include "vm/cmd/machine.h"
#include "vm/lib/nesl.hpp"

namespace nvm::cmd {

namespace {

// Behind "cannot write".
std::string why() { return errno == 0 ? "" : std::string(": ") + std::strerror(errno); }

// --out NAME=FILE, or a file for the last value
int save_outputs(lib::Nesl& nesl, const Arguments& arguments) {
  for (const std::string& word : arguments.all(Option::kOut)) {
    const std::size_t equals = word.find('=');
    const std::string name = equals == std::string::npos ? "it" : word.substr(0, equals);
    const std::string file = equals == std::string::npos ? word : word.substr(equals + 1);
    if (const auto wrong = nesl.save_file(name, file)) {
      std::cerr << "nvm: --out " << word << ": " << *wrong << "\n";
      return kFault;
    }
  }
  return kGood;
}

lib::NeslOptions nesl_options(const Arguments& arguments) {
  lib::NeslOptions options;
  options.vm = options_of(arguments);
  options.vm.cancelled = Interruptible::asked();
  options.int_bits = arguments.choice(Option::kIntBits) == 0 ? 32 : 64;
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
    case lib::NeslStatus::kRunError: return kFault;
    default: return kGood;
  }
}

Lengths bind_inputs(lib::Nesl& nesl, const Arguments& arguments) {
  Lengths lengths;
  for (const std::string& word : arguments.all(Option::kIn)) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) throw UsageError{"--in " + word + ": expected NAME=FILE"};
    const std::string name = word.substr(0, equals);
    if (const auto wrong = nesl.bind_file(name, word.substr(equals + 1)))
      throw UsageError{"--in " + word + ": " + *wrong};
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
  if (!std::filesystem::is_regular_file(path)) return false;  // what is read of a pipe is gone
  std::ifstream file(path, std::ios::binary);
  return file.get() == '#' && file.get() == '!';
}

int run_nesl(const Arguments& arguments, const Watch& watch, std::FILE* to, const std::string& explain) {
  lib::NeslOptions options = nesl_options(arguments);
  options.vm.explain = explain;
  options.show_all = arguments.given(Option::kVerbose);
  options.vm.watchers = watch.watchers();
  options.vm.out = to;
  const File input = file_of(arguments, Option::kInput, "re");
  if (input) options.vm.in = input.get();
  const File output = file_of(arguments, Option::kOutput, "we");
  if (output) options.vm.out = output.get();
  __gnu_cxx::stdio_sync_filebuf<char> buffer(options.vm.out);
  std::ostream out(&buffer);
  lib::Nesl nesl(options, out, std::cerr);
  if (!has_effects(arguments)) nesl.forbid_effects();
  const Lengths lengths = bind_inputs(nesl, arguments);
  check_figures(arguments, lengths);
  {
    const Interruptible guard(&nesl.machine());
    const int status = status_of(run_all(nesl, arguments, watch));
    if (status != kGood) return status;
  }
  if (!explain.empty())
    out << (nesl.explanation().empty() ? "nothing was recorded\n" : nesl.explanation()) << std::flush;
  errno = 0;
  if (std::fflush(options.vm.out) != 0 || !out) {
    std::cerr << "nvm: cannot write the results" << why() << "\n";
    return kFault;
  }
  const int saved = save_outputs(nesl, arguments);
  const int figures = report_figures(arguments, nesl.counters(), lengths);
  return saved != kGood ? saved : figures;
}

int compile_command(const Words& words) {
  const Arguments arguments("compile", words);
  const lib::Limits limits = limits_of(arguments);
  lib::NeslOptions options;
  options.arg_check = arguments.choice(Option::kArgCheck) == 0;
  options.vm.allow = allowed(arguments);
  options.vm.cancelled = Interruptible::asked();
  lib::Nesl nesl(options, std::cout, std::cerr);
  const Interruptible guard(&nesl.machine());
  bind_inputs(nesl, arguments);
  nesl.compile_only();
  if (const int status = status_of(run_all(nesl, arguments, Watch())); status != kGood) return status;
  const auto vcode = nesl.compile("");
  if (!vcode) return kRefused;
  const File file = file_of(arguments, Option::kOutput, "we");
  if (!file) {
    std::cout << *vcode << std::flush;
    return kGood;
  }
  errno = 0;
  if (std::fwrite(vcode->data(), 1, vcode->size(), file.get()) == vcode->size() &&
      std::fflush(file.get()) == 0)
    return kGood;
  std::cerr << "nvm: cannot write " << arguments.text(Option::kOutput) << why() << "\n";
  return kFault;
}

}  // namespace nvm::cmd
