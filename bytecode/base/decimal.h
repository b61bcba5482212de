// Decimal text to the nearest double, in any locale.
#pragma once

#include <charconv>
#include <string_view>

namespace nvm {

// What std::from_chars gives, with far fewer instructions for decimals of up to 15 digits without exponent.
[[nodiscard]] std::from_chars_result read_double(const char* begin, const char* end, double& x);

// The double nearest to a well-formed number, halves to even; beyond the range infinite or zero. Takes what
// C's strtod takes: a sign or none, digits with or without a point and an exponent, 0x and hexadecimal digits
// with an exponent of two, inf, infinity, nan.
[[nodiscard]] double nearest_double(std::string_view text);

}  // namespace nvm
