#include "vm/cmd/remora.h"

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "bytecode/base/cancel.h"
#include "vm/cmd/commands.h"
#include "vm/cmd/interrupt.h"
#include "vm/cmd/machine.h"
#include "vm/cmd/terminal.h"
#include "vm/lib/remora.hpp"
#include "vm/profile/json.h"

namespace nvm::cmd {

namespace {

// As those of other programs, with the kind besides.
void print_json(const std::string& path, const std::vector<lib::RemoraError>& errors) {
  std::string text = "[";
  for (const lib::RemoraError& e : errors) {
    text += text.size() == 1 ? "\n" : ",\n";
    text += vm::JsonObject()
                .add("file", path)
                .add("line", std::int64_t{e.line})
                .add("column", std::int64_t{e.column})
                .add("severity", "error")
                .add("kind", e.kind)
                .add("message", e.text)
                .text();
  }
  say(stdout, text + (errors.empty() ? "]\n" : "\n]\n"));
}

// Reads and checks the file; `then` says what comes of it, the exit status.
template <typename Then>
int with_checked(const Arguments& arguments, const Watch& watch, bool json, Then then) {
  const std::string& path = arguments.operand("a program file");
  errno = 0;
  const auto text = lib::read_file(path, watch.watchers());
  if (!text) {
    const std::string why = std::generic_category().message(errno);
    if (json) print_json(path, {{"file", 0, 0, "the file cannot be read: " + why}});
    complain("cannot read " + path + ": " + why);
    return kRefused;
  }
  try {
    const lib::RemoraCheck checked = lib::check_remora(*text, path);
    if (json)
      print_json(path, checked.errors);
    else
      say(stderr, checked.messages);
    return checked.ok() ? then(checked) : kRefused;
  } catch (const Cancelled& spent) {
    complain(std::string(spent.what()) + " while the program was checked");
    return kFault;
  }
}

// What a run in Remora does not do must not look as if it had.
void refuse_options(const Arguments& arguments) {
  constexpr Option kOthers[] = {Option::kIn,         Option::kOut,   Option::kInput, Option::kOutput,
                                Option::kExpression, Option::kStats, Option::kCost,  Option::kAssert,
                                Option::kLet,        Option::kRecord};
  for (const Option option : kOthers)
    if (arguments.given(option))
      throw UsageError{"--" + std::string(option_info(option).name()) + ": not for programs in Remora yet"};
  if (arguments.choice(Option::kIntBits) == 0)
    throw UsageError{"--int-bits 32: integers of Remora have 64 bits"};
}

}  // namespace

bool is_remora(const Arguments& arguments) {
  return arguments.operands().size() == 1 && arguments.operands().front().ends_with(".remora");
}

int check_remora(const Arguments& arguments, const Watch& watch) {
  if (arguments.given(Option::kIn)) throw UsageError{"--in: programs in Remora take no values of files"};
  const bool json = arguments.given(Option::kJson);
  return with_checked(arguments, watch, json, [&](const lib::RemoraCheck& checked) {
    if (!json) say(stdout, checked.types);
    return kGood;
  });
}

int run_remora(const Arguments& arguments, const Watch& watch, std::FILE* to) {
  refuse_options(arguments);
  lib::NeslOptions options;
  options.vm = options_of(arguments);
  options.vm.cancelled = Interruptible::asked();
  options.vm.watchers = watch.watchers();
  const std::string& path = arguments.operand("a program file");
  errno = 0;
  const auto text = lib::read_file(path, watch.watchers());
  if (!text) {
    complain("cannot read " + path + ": " + std::generic_category().message(errno));
    return kRefused;
  }
  try {
    const lib::RemoraRun run = lib::run_remora(*text, path, options);
    const std::uint64_t most = lib::untrusted_limits(options.vm).output_limit;
    if (most > 0 && run.results.size() > most) {
      complain("the results are longer than --output-limit");
      return kFault;
    }
    say(stderr, run.messages);
    say(to, run.results);
    return run.refused ? kRefused : run.messages.empty() ? kGood : kFault;
  } catch (const Cancelled& spent) {
    complain(std::string(spent.what()) + " while the program ran");
    return kFault;
  }
}

int refuse_remora(const Arguments& arguments, const Watch& watch) {
  return with_checked(arguments, watch, false, [&](const lib::RemoraCheck&) {
    const std::string& path = arguments.operands().front();
    complain(path + ": programs in Remora can be checked and run; nvm " + arguments.command() +
             " is not for them yet");
    return kRefused;
  });
}

}  // namespace nvm::cmd
