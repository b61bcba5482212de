// Whether the vectors that a NESL value is made of fit together. The front end's code does not let others
// come about, unless its checks were switched off or a host hands them in; and whoever reads a value goes by
// its lengths.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "frontend/nesl/types.h"
#include "vm/data/value.h"

namespace nvm::vm {

// What is wrong with slots of one value of the type (nesl_print.h), as words that follow "a value with ";
// nothing if they fit. Cost: the number of slots.
[[nodiscard]] std::optional<std::string> misfit(frontend::TypeArena& arena, const frontend::Type* type,
                                                std::span<const Value> slots);

// Why values of the type, which is called `text`, are the session's alone, "" if they are not: which function
// one is, and of which types, its slots do not say.
[[nodiscard]] std::string not_data(const frontend::Type* type, const std::string& text);

// Why a run's result is not to be shown or kept, which no check of the program has seen.
[[nodiscard]] std::optional<std::string> wrong_result(const frontend::Type* type,
                                                      std::span<const Value> slots);

}  // namespace nvm::vm
