// The commands of nvm: thin calls into libnvm. Each takes the words behind its name and returns the exit
// status.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nvm::cmd {

enum Status : int {
  kGood = 0,
  kFault = 1,    // the program failed while it ran
  kRefused = 2,  // the program or the command line is wrong
};

using Words = std::vector<std::string>;

struct CommandInfo {
  std::string_view name;
  int (*run)(const Words&);
  std::string_view operands;
  std::string_view help;
  std::string_view examples;  // lines to type
};
[[nodiscard]] std::span<const CommandInfo> all_commands();

#define COMMAND(name, function, ...) int function(const Words& words);
#include "vm/cmd/commands.def"

// The whole command line, argv[0] included. Called as vinterp, nvm is vinterp.
int main(int argc, char** argv);

}  // namespace nvm::cmd
