// Results of programs in Remora as text.
#pragma once

#include <span>
#include <string>

#include "frontend/remora/translate.h"
#include "vm/lib/nvm.hpp"

namespace nvm::lib {

// "VALUE" of a result whose slots begin at `at`, which moves behind them.
[[nodiscard]] std::string remora_value(const remora::Type& type, const frontend::core::Type* core,
                                       std::span<const Value> slots, std::size_t& at);

}  // namespace nvm::lib
