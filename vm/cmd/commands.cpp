#include "vm/cmd/commands.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <thread>

#include "bytecode/base/budget.h"
#include "bytecode/base/suggest.h"
#include "vm/cmd/arguments.h"
#include "vm/cmd/crash.h"
#include "vm/cmd/launched.h"
#include "vm/cmd/pages.h"
#include "vm/cmd/terminal.h"
#include "vm/lib/guarded.h"
#include "vm/lib/nvm.hpp"

namespace nvm::cmd {

namespace {

constexpr CommandInfo kCommands[] = {
#define COMMAND(name, function, operands, help, examples) {name, function, operands, help, examples},
#include "vm/cmd/commands.def"
};

const CommandInfo* find_command(std::string_view name) {
  for (const CommandInfo& c : kCommands)
    if (c.name == name) return &c;
  return nullptr;
}

void print(const std::string& text) { say(stdout, text); }

std::string overview() {
  std::string page = "usage: nvm COMMAND [OPTIONS] [OPERANDS]\n\n";
  for (const CommandInfo& c : kCommands) {
    std::string line = "  " + std::string(c.name);
    line.resize(12, ' ');
    page += line + std::string(c.help) + "\n";
  }
  return page + "\nnvm help COMMAND explains a command and its options; man neslvm is the manual.\n";
}

std::string page_of(const CommandInfo& c) {
  const std::string options = describe_options(c.name);
  std::string page = "usage: nvm " + std::string(c.name) + (options.empty() ? "" : " [OPTIONS]");
  if (!c.operands.empty()) page += " " + std::string(c.operands);
  page += "\n" + std::string(c.help) + "\n";
  if (!options.empty()) page += "\n" + options;
  if (!c.examples.empty()) page += "\nexamples:\n";
  for (std::string_view rest = c.examples; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1))
    page += "  " + std::string(rest.substr(0, rest.find('\n') + 1));
  return page;
}

int unknown_command(std::string_view name) {
  if (name.starts_with('-')) {
    complain("options stand behind a command, as in nvm run " + std::string(name) +
             "\nnvm help lists the commands");
    return kRefused;
  }
  std::vector<std::string_view> names;
  for (const CommandInfo& c : kCommands) names.push_back(c.name);
  const std::string_view near = nearest_name(name, names, 2);
  complain("there is no command " + std::string(name) +
           (near.empty() ? "" : "; did you mean " + std::string(near) + "?") +
           "\nnvm help lists the commands");
  return kRefused;
}

void no_more(std::span<const std::string> operands) {
  if (!operands.empty()) throw UsageError{"unexpected operand " + operands.front()};
}

}  // namespace

std::span<const CommandInfo> all_commands() { return kCommands; }

int version_command(const Words& words) {
  const Arguments arguments("version", words);
  no_more(arguments.operands());
  print(std::string("nvm ") + lib::version() + "\n");
  if (arguments.given(Option::kVerbose)) print(lib::describe_build());
  return kGood;
}

int devices_command(const Words& words) {
  no_more(Arguments("devices", words).operands());
  print("cpu:     " + std::to_string(std::max(1U, std::thread::hardware_concurrency())) +
        " threads; --devices cpu*2 makes two devices of them\n");
  print(lib::describe_devices());
  return kGood;
}

int help_command(const Words& words) {
  if (words.empty()) {
    print(overview());
    return kGood;
  }
  no_more(std::span(words).subspan(1));
  if (const auto page = generated_page(words.front())) {
    print(*page);
    return kGood;
  }
  const CommandInfo* c = find_command(words.front());
  if (c == nullptr) return unknown_command(words.front());
  print(page_of(*c));
  return kGood;
}

namespace {

// The status of a command whose output may still be on its way.
int written(int status) {
  const int lost = output_lost();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && lost == 0) return status;
  if (status != kGood) return status;  // it said why
  const int why = lost == 0 ? errno : lost;
  complain(std::string("cannot write standard output") + (why == 0 ? "" : ": ") +
           (why == 0 ? "" : std::strerror(why)));
  return kFault;
}

int run_guarded(const CommandInfo& c, const Words& words) {
  try {
    return c.run(words);
  } catch (const UsageError& e) {
    say(stderr, "nvm " + std::string(c.name) + ": " + e.message + "\n");
    return kRefused;
  } catch (const Cancelled& spent) {
    say(stderr, std::string("nvm: ") + spent.what() + "\n");
    return kFault;
  } catch (const OutOfMemory& spent) {
    say(stderr, std::string("nvm: ") + spent.what() + "\n");
    return kFault;
  }
}

int run_command_line(Words words) {
  std::string name = words.front();
  words.erase(words.begin());
  if (name == "--help" || name == "-h") name = "help";
  if (name == "--version") name = "version";
  const CommandInfo* c = find_command(name);
  if (c == nullptr) return unknown_command(name);
  const bool asked =
      std::ranges::find(words, "--help") != words.end() || (!words.empty() && words[0] == "-h");
  if (name != "vinterp" && asked) return help_command({name});
  const auto run = [&](const Words& as) { return run_guarded(*c, as); };
  if (name == "run" || name == "resume") return run_launched(words, name == "resume", run);
  if (name == "profile" || name == "explain" || name == "tune") note_copies(name);
  return run(words);
}
}  // namespace

namespace {

int run_main(int argc, char** argv) {
  const std::string_view program = argc > 0 ? argv[0] : "nvm";
  Words words(argv + std::min(argc, 1), argv + argc);
  if (program.substr(program.find_last_of('/') + 1) == "vinterp") return written(vinterp_command(words));
  if (words.empty()) {
    say(stderr, overview());
    return kRefused;
  }
  return written(run_command_line(std::move(words)));
}

}  // namespace

int main(int argc, char** argv) {
  install_crash_note();
  install_endings();
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on files is an error of the write, as a full disk is
  return lib::guarded([&] { return run_main(argc, argv); },
                      [](const lib::Failure& failure) {
                        say(stderr, failure.message);
                        return static_cast<int>(kFault);
                      });
}

}  // namespace nvm::cmd
