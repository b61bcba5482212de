// nvm lsp: programs for editors.
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "vm/cmd/arguments.h"
#include "vm/cmd/commands.h"
#include "vm/lib/nvm.hpp"
#include "vm/lsp/connection.h"

namespace nvm::cmd {

int lsp_command(const Words& words) {
  const Arguments arguments("lsp", words);
  if (!arguments.operands().empty()) throw UsageError{"unexpected operand " + arguments.operands().front()};
  std::signal(SIGPIPE, SIG_IGN);  // a client that is gone is the end
  return lsp::serve(STDIN_FILENO, STDOUT_FILENO, lib::version());
}

}  // namespace nvm::cmd
