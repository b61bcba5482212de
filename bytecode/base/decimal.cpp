#include "bytecode/base/decimal.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <system_error>

namespace nvm {

namespace {

// Which side of the range is a number that is outside of it? The place of its first digit that is not zero,
// counted in digits before the point, is positive or not.
double beyond_range(std::string_view digits, bool hexadecimal) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 60;  // text is far shorter than this
  const std::size_t mantissa_end = std::min(digits.find_first_of(hexadecimal ? "pP" : "eE"), digits.size());
  const std::string_view mantissa = digits.substr(0, mantissa_end);
  const std::size_t digit = mantissa.find_first_not_of("0.");
  if (digit == std::string_view::npos) return 0.0;
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  std::int64_t place = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(digit);
  if (hexadecimal) place *= 4;
  if (mantissa_end < digits.size()) {
    std::string_view exponent = digits.substr(mantissa_end + 1);
    if (exponent.starts_with('+')) exponent.remove_prefix(1);
    std::int64_t value = 0;
    if (std::from_chars(exponent.data(), exponent.data() + exponent.size(), value).ec != std::errc())
      value = exponent.starts_with('-') ? -kHuge : kHuge;
    place += std::clamp(value, -kHuge, kHuge);
  }
  return place > 0 ? std::numeric_limits<double>::infinity() : 0.0;
}

constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,
                              1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19};

// Appends decimal digits to an integer; past 19 it has lost some.
const char* append_digits(const char* at, const char* end, std::uint64_t& integer) {
  std::uint64_t appended = integer;
  for (; at < end; ++at) {
    const auto digit = static_cast<unsigned char>(*at - '0');
    if (digit > 9) break;
    appended = 10 * appended + digit;
  }
  integer = appended;
  return at;
}

}  // namespace

std::from_chars_result read_double(const char* begin, const char* end, double& x) {
  constexpr std::ptrdiff_t kMostDigits = 19;  // fit into the integer
  constexpr std::uint64_t kExact = std::uint64_t{1} << 53;
  const bool negative = begin < end && *begin == '-';
  const char* const first = begin + negative;
  std::uint64_t integer = 0;
  const char* at = append_digits(first, end, integer);
  std::ptrdiff_t digits = at - first, behind_point = 0;
  if (at < end && *at == '.') {
    const char* const point = at;
    at = append_digits(at + 1, end, integer);
    behind_point = at - point - 1;
    digits += behind_point;
  }
  const bool plain = at == end || (*at != 'e' && *at != 'E');
  if (digits == 0 || digits > kMostDigits || integer > kExact || !plain)
    return std::from_chars(begin, end, x);
  // Both are exact, so the quotient is the nearest double.
  x = static_cast<double>(integer) / kPowers[behind_point];
  if (negative) x = -x;
  return {at, std::errc()};
}

double nearest_double(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const bool hexadecimal = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  if (hexadecimal) text.remove_prefix(2);
  double value = 0.0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value,
                      hexadecimal ? std::chars_format::hex : std::chars_format::general);
  if (error == std::errc::result_out_of_range) value = beyond_range(text, hexadecimal);
  return negative ? -value : value;
}

}  // namespace nvm
