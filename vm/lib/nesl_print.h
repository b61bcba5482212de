// Values as the NESL top level shows them (spec: how results are printed).
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "bytecode/base/cancel.h"
#include "frontend/nesl/types.h"
#include "vm/data/value.h"

namespace nvm::vm {

struct PrintStyle {
  std::int64_t print_length = 100;               // elements shown per sequence; behind them stands ",..."
  bool charts_as_svg = false;                    // not drawn in letters
  bool all_digits = false;                       // floats as they are, not rounded to 15 significant digits
  const std::atomic<bool>* cancelled = nullptr;  // ShowingCancelled is thrown where it is set
};

struct ShowingCancelled : Cancelled {};

// `slots` hold one value of the type: a vector per base type, a descriptor before the elements of a sequence,
// pairs side by side. The type has no unbound variables outside functions.
[[nodiscard]] std::string print_value(frontend::TypeArena& arena, const frontend::Type* type,
                                      std::span<const Value> slots, const PrintStyle& style = {});

// A number in it, if there is one, that stands for a character and is not from 0 to 255.
[[nodiscard]] std::optional<std::int64_t> bad_character(frontend::TypeArena& arena,
                                                        const frontend::Type* type,
                                                        std::span<const Value> slots);

// Element i of an Int or Bool vector, whatever its storage.
[[nodiscard]] std::int64_t int_at(const Vector& v, std::int64_t i);

// 0.1, 1.0E7, -2.5; inf, -inf and nan.
[[nodiscard]] std::string print_float(double value, bool all_digits = false);

}  // namespace nvm::vm
