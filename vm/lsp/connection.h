// A server on two file descriptors.
#pragma once

#include <string>

namespace nvm::lsp {

// Until the client says exit, or input ends. Requests are answered in the order in which they came, but for
// those that were cancelled before their turn. The process's status.
int serve(int in, int out, const std::string& version);

}  // namespace nvm::lsp
