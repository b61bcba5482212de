// nvm serve: the playground.
#include "vm/serve/server.h"

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <ostream>

#include "vm/cmd/arguments.h"
#include "vm/cmd/commands.h"
#include "vm/cmd/terminal.h"

namespace nvm::cmd {

namespace {

constexpr double kSeconds = 10;
constexpr std::uint64_t kOutput = std::uint64_t{1} << 20;
constexpr std::int64_t kLastPort = 65535;

// Options that programs have as given; the others have limits of their own where --untrusted has none.
void pass(const Arguments& arguments, Option option, std::vector<std::string>& words) {
  if (!arguments.given(option)) return;
  words.push_back("--" + std::string(option_info(option).name()));
  words.push_back(arguments.text(option));
}

std::atomic<bool> asked_to_stop{false};
void on_signal(int) { asked_to_stop.store(true); }

serve::Settings settings_of(const Arguments& arguments) {
  serve::Settings settings;
  settings.port = static_cast<unsigned short>(arguments.integer(Option::kPort, 0, kLastPort));
  settings.seconds = arguments.number(Option::kTimeLimit);
  if (settings.seconds == 0) settings.seconds = kSeconds;
  settings.output = arguments.size(Option::kOutputLimit);
  if (settings.output == 0) settings.output = kOutput;
  settings.words = {"--time-limit", std::to_string(settings.seconds), "--output-limit",
                    std::to_string(settings.output)};
  // Their values are looked at here: a mistake is told before there is a program.
  static_cast<void>(arguments.size(Option::kMemory));
  static_cast<void>(arguments.integer(Option::kFuel, 0));
  static_cast<void>(arguments.integer(Option::kThreads, 0));
  for (const Option option : {Option::kMemory, Option::kFuel, Option::kThreads})
    pass(arguments, option, settings.words);
  settings.lost = [] { complain("out of memory: a request was given up"); };
  std::error_code error;
  settings.nvm = std::filesystem::read_symlink("/proc/self/exe", error).string();
  if (error) throw UsageError{"cannot find nvm itself: " + error.message()};
  return settings;
}

}  // namespace

int serve_command(const Words& words) {
  const Arguments arguments("serve", words);
  if (!arguments.operands().empty()) throw UsageError{"unexpected operand " + arguments.operands().front()};
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, on_signal);
  const std::string why = serve::serve(settings_of(arguments), asked_to_stop, [](const std::string& address) {
    TerminalBuffer buffer(stdout);
    std::ostream out(&buffer);
    out << "open " << address << "\nCtrl-C ends it\n" << std::flush;
    if (!out) asked_to_stop.store(true);  // nobody knows where it is
  });
  if (why.empty()) return kGood;
  complain("cannot serve: " + why);
  return kFault;
}

}  // namespace nvm::cmd
