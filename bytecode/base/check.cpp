#include "bytecode/base/check.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace nvm {

void check_failed(const char* condition, const char* file, int line, std::string_view message) {
  // Not by stderr, which keeps what a rank says until it is known who speaks.
  dprintf(STDERR_FILENO, "nvm: internal error: %s:%d: %s: %.*s\n", file, line, condition,
          static_cast<int>(message.size()), message.data());
  std::abort();
}

}  // namespace nvm
