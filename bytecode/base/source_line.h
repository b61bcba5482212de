// How a message shows its place.
#pragma once

#include <string>
#include <string_view>

#include "bytecode/base/diagnostic.h"

namespace nvm {

// The line of a text, and a caret below the column (in bytes) with the rest of its word underlined.
[[nodiscard]] std::string shown_line(std::string_view text, SourcePos pos);

}  // namespace nvm
