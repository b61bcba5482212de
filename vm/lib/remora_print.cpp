#include "vm/lib/remora_print.h"

#include <charconv>
#include <cmath>
#include <cstdio>

#include "bytecode/base/budget.h"
#include "bytecode/base/stack.h"
#include "bytecode/base/utf8.h"

namespace nvm::lib {

namespace {

std::string hexadecimal(std::int64_t code) {
  char text[8];
  std::snprintf(text, sizeof text, "x%02X", static_cast<unsigned>(code) & 0xFFU);
  return text;
}

bool is_control(std::int64_t code) { return code < 32 || (code >= 127 && code < 160); }

std::string in_string(std::int64_t code) {
  switch (code) {
    case '\n': return "\\n";
    case '\t': return "\\t";
    case '\r': return "\\r";
    case '\b': return "\\b";
    case '\f': return "\\f";
    case '\\': return "\\\\";
    case '"': return "\\\"";
    default: break;
  }
  if (is_control(code)) return "\\" + hexadecimal(code);
  std::string out;
  encode_utf8(static_cast<std::int32_t>(code), out);
  return out;
}

}  // namespace

std::string remora_float(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, std::fabs(x), std::chars_format::scientific).ptr;
  const std::string shortest(text, end);
  const std::size_t e = shortest.find('e');
  const int exponent = std::atoi(shortest.c_str() + e + 1);
  std::string digits = shortest.substr(0, 1) + (e > 2 ? shortest.substr(2, e - 2) : "");
  std::string out = std::signbit(x) ? "-" : "";
  if (x != 0 && (exponent < -4 || exponent >= 16)) {
    out += digits.substr(0, 1) + (digits.size() > 1 ? "." + digits.substr(1) : "");
    std::snprintf(text, sizeof text, "e%+03d", exponent);
    return out + text;
  }
  if (exponent < 0) return out + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() < whole) digits.append(whole - digits.size(), '0');
  return out + digits.substr(0, whole) + "." + (digits.size() > whole ? digits.substr(whole) : "0");
}

std::string remora_char(std::int64_t code) {
  switch (code) {
    case ' ': return "#\\space";
    case '\n': return "#\\newline";
    case '\t': return "#\\tab";
    case 0: return "#\\nul";
    default: break;
  }
  if (is_control(code)) return "#\\" + hexadecimal(code);
  std::string out = "#\\";
  encode_utf8(static_cast<std::int32_t>(code), out);
  return out;
}

std::string remora_array(const std::vector<std::int64_t>& shape,
                         const std::function<std::string(std::int64_t)>& atom,
                         const std::function<std::int64_t(std::int64_t)>* code) {
  if (shape.empty()) return atom(0);
  std::string out;
  std::int64_t next = 0;
  const auto show = [&](const auto& self, std::size_t axis) -> void {
    check_stack();
    const bool last = axis + 1 == shape.size();
    if (last && code != nullptr) {
      out += '"';
      for (std::int64_t k = 0; k < shape[axis]; ++k) out += in_string((*code)(next++));
      out += '"';
      return;
    }
    out += '[';
    for (std::int64_t k = 0; k < shape[axis]; ++k) {
      check_budget();  // axes in front of an empty one may be long
      if (k > 0) out += ' ';
      if (last)
        out += atom(next++);
      else
        self(self, axis + 1);
    }
    out += ']';
  };
  show(show, 0);
  return out;
}

}  // namespace nvm::lib
