// The text of arrow.py, which link.cmake puts into the library.
#pragma once

#include <string_view>

namespace nvm::vm {

[[nodiscard]] std::string_view arrow_script();

}  // namespace nvm::vm
