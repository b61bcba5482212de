// Shared libraries found at run time.
#pragma once

#include <string>
#include <vector>

namespace nvm {

// The first of `names` that can be opened (never closed again); null and a reason otherwise.
[[nodiscard]] void* open_library(const std::vector<std::string>& names, std::string& opened,
                                 std::string& reason);
// The address of a symbol, or null.
[[nodiscard]] void* find_symbol(void* library, const char* name);

}  // namespace nvm
