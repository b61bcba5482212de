// The words for why something was not recorded, fused or compiled.
#pragma once

#include <string_view>

namespace nvm::vm {

// Of a reason of vm/trace/stop.def, by its name, as observers are told it; the name if there is none.
[[nodiscard]] std::string_view stop_words(std::string_view name);

// What would help against a reason, by its words; empty if nobody knows.
[[nodiscard]] std::string_view help_for(std::string_view reason);

}  // namespace nvm::vm
