// Decimal text to the nearest double, in any locale.
#pragma once

#include <string_view>

namespace nvm {

// The double nearest to a well-formed number, halves to even; beyond the range infinite or zero. Takes what
// C's strtod takes: a sign or none, digits with or without a point and an exponent, 0x and hexadecimal digits
// with an exponent of two, inf, infinity, nan.
[[nodiscard]] double nearest_double(std::string_view text);

}  // namespace nvm
