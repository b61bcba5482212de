// VCODE text to Program (spec: lexical syntax, grammar).
#pragma once

#include <string_view>

#include "bytecode/base/diagnostic.h"
#include "bytecode/program/program.h"

namespace nvm {

// Reads all of `text`; every error is reported with its position and what was expected, and reading goes on,
// so several come in one go. The program is usable only if `diagnostics` did not fail. Never throws on any
// input.
[[nodiscard]] Program read_vcode(std::string_view text, Diagnostics& diagnostics);

// Whether the first word is FUNC, as in every VCODE program and in no NESL program.
[[nodiscard]] bool looks_like_vcode(std::string_view text);

}  // namespace nvm
