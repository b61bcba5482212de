#include <cerrno>
#include <cstring>

#include "bytecode/base/budget.h"
#include "vm/cmd/arguments.h"
#include "vm/cmd/commands.h"
#include "vm/cmd/figures.h"
#include "vm/cmd/interrupt.h"
#include "vm/cmd/language.h"
#include "vm/cmd/machine.h"
#include "vm/cmd/outputs.h"
#include "vm/cmd/run.h"
#include "vm/cmd/terminal.h"
#include "vm/cmd/vcode_files.h"
#include "vm/lib/nvm.hpp"

namespace nvm::cmd {

namespace {

// Prints the final stack; false and errno if the system refuses, or the limit on output.
bool print_results(const lib::Run& run, const lib::Options& options, lib::Vm& vm) {
  if (run.exited || run.out_closed) return true;
  const bool limited = lib::untrusted_limits(options).output_limit > 0;
  for (const lib::Value& value : run.values) {
    if (limited &&
        (!vm.may_write(static_cast<std::uint64_t>(value.size())) || !vm.may_write(value.text().size()))) {
      errno = EFBIG;
      return false;
    }
    if (!value.print(options.out)) return false;
  }
  return true;
}

}  // namespace

int report(const lib::Failure& failure) {
  if (failure.line_open.value_or(false)) std::fputc('\n', stderr);  // a message begins a line
  say(stderr, failure.message);
  return failure.kind == lib::Failure::Class::kRuntime ? kFault : kRefused;
}

lib::LoadOptions load_options_of(const Arguments& arguments) {
  lib::LoadOptions options;
  options.int_bits = int_bits(arguments);
  options.check = arguments.given(Option::kCheck);
  options.optimise = arguments.choice(Option::kOptimise) == 0;
  return options;
}

lib::Result<lib::Program> load_vcode(const std::string& path, const lib::LoadOptions& options,
                                     const Watch& watch) {
  if (path == "-") return lib::Program::from_text(watch.standard_input(), kStandardInput, options);
  return lib::Program::from_file(path, options);
}

int run_file(const Arguments& arguments, const Watch& watch, std::FILE* out, const std::string& explain) {
  lib::Options options = options_of(arguments);
  options.explain = explain;
  options.watchers = watch.watchers();
  options.checkpoint = watch.checkpoint();
  options.out = program_output(arguments, out);
  check_figures(arguments);
  const std::string& path = arguments.operand("a program file");
  const File input = input_of(arguments);
  if (input) options.in = input.get();
  const auto output = written_to(arguments, Option::kOutput);
  if (output && (options.out = output->stream()) == nullptr) throw UsageError{output->why()};
  Outputs outputs = open_outputs(arguments);
  watch.begin_phase("load");
  lib::LoadOptions load = load_options_of(arguments);
  load.watchers = watch.watchers();
  load.cancelled = options.cancelled = Interruptible::asked();
  const std::vector<lib::Value> inputs = read_inputs(arguments, load.watchers);
  load.inputs = kinds_of(inputs);
  Interruptible guard;
  auto program = load_vcode(path, load, watch);
  watch.end_phase();
  if (!program) return report(program.failure());
  say(stderr, program->warnings());
  const auto kinds = program->results();
  if (!kinds && arguments.command() == "profile")
    throw UsageError{path + ": its stack depends on data, and the machine that runs it measures no lines; " +
                     "`nvm run --cost` counts its work"};
  if (kinds) check_outputs(outputs, *kinds);
  lib::Vm vm(options);
  if (!has_effects(arguments)) vm.forbid_effects();
  guard.also(&vm);
  auto run = vm.run(*program, inputs);
  guard.end();
  if (!run) return report(run.failure());
  if (!kinds) check_outputs(outputs, kinds_of(run->values));
  watch.begin_phase("print");
  const int figures = report_figures(arguments, run->counters);
  const bool printed =
      explain.empty() ? print_results(*run, options, vm) : say(options.out, run->explanation);
  if (!printed || (!run->out_closed && std::fflush(options.out) != 0)) {
    const int error = errno;
    nvm::Budget::look();  // nobody read them in time
    complain(std::string("cannot write the results: ") + std::strerror(error));
    return kFault;
  }
  const int saved = finished(output.get(), write_outputs(outputs, run->values));
  return saved != kGood ? saved : figures;
}

int run_program(const Arguments& arguments, const Watch& watch, std::FILE* out) {
  const auto language = language_of(arguments, watch);
  return language ? run_language(*language, arguments, watch, out) : run_file(arguments, watch, out, {});
}

int run_command(const Words& words) {
  const Arguments arguments("run", words);
  const lib::Limits limits = limits_of(arguments);
  const Watch watch(arguments);
  return watch.finish(run_program(arguments, watch, stdout));
}

int tune_command(const Words& words) {
  const Arguments arguments("tune", words);
  const lib::Limits limits = limits_of(arguments);
  const File nowhere(std::fopen("/dev/null", "we"));
  if (!nowhere) throw UsageError{std::string("/dev/null: ") + std::strerror(errno)};
  const int status = run_program(arguments, Watch(arguments), nowhere.get());
  const std::string text = tuned();
  say(stdout, text.empty() && status == kGood
                  ? "no call of a lifted function was large enough to be measured\n"
                  : text);
  return status;
}

int explain_command(const Words& words) {
  const Arguments arguments("explain", words);
  const lib::Limits limits = limits_of(arguments);
  std::string letters = arguments.text(Option::kShow);
  if (letters.find_first_not_of("tgdrcpfxw") != std::string::npos)
    throw UsageError{"--show " + letters + ": expected some of the letters t, g, d, r, c, p, f, x, w"};
  const bool by_line = std::erase(letters, 'w') > 0;
  const std::string explain = letters.empty() ? "-" : letters;
  Watch watch(arguments);
  const auto why_not = made(lib::WhyNot::make());
  if (by_line) watch.add(why_not);
  const auto language = language_of(arguments, watch);
  const int status = language ? run_language(*language, arguments, watch, stdout, explain)
                              : run_file(arguments, watch, stdout, explain);
  if (status == kGood) say(stdout, why_not->text());
  return watch.finish(status);
}

}  // namespace nvm::cmd
