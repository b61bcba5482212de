// Invariants of our own making. A failed NVM_CHECK is a bug in nvm, never the user's mistake: it prints the
// condition, the place and the message, and aborts. User errors travel as Diagnostic (diagnostic.h) or Fault.
#pragma once

#include <string_view>

namespace nvm {

// Prints "nvm: internal error: ..." and aborts.
[[noreturn]] void check_failed(const char* condition, const char* file, int line, std::string_view message);

}  // namespace nvm

#define NVM_CHECK(condition, message)                               \
  do {                                                              \
    if (!(condition)) [[unlikely]]                                  \
      ::nvm::check_failed(#condition, __FILE__, __LINE__, message); \
  } while (false)
