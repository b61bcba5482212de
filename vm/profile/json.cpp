#include "vm/profile/json.h"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace nvm::vm {

namespace {

// Bytes of the UTF-8 character that begins the text, 0 if it is none.
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t n = first >= 0xf0 && first < 0xf5 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (n == 0 || first >= 0xf5 || n > text.size()) return 0;
  for (std::size_t i = 1; i < n; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  if (first == 0xe0 && byte(1) < 0xa0) return 0;  // written too long
  if (first == 0xf0 && byte(1) < 0x90) return 0;
  if ((first == 0xed && byte(1) > 0x9f) || (first == 0xf4 && byte(1) > 0x8f)) return 0;
  return n;
}

}  // namespace

void append_json(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const auto plain = [](char c) { return c >= 0x20 && c != '"' && c != '\\'; };  // c < 0: not ASCII
    std::size_t n = 0;
    while (n < text.size() && plain(text[n])) ++n;
    out += text.substr(0, n);
    text.remove_prefix(n);
    if (text.empty()) break;
    const char c = text.front();
    n = character(text);
    if (n == 0) {
      out += "\\ufffd";
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (n == 1) {
      char code[16];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      out += code;
    } else {
      out += text.substr(0, n);
    }
    text.remove_prefix(n == 0 ? 1 : n);
  }
  out += '"';
}

std::string json_text(std::string_view text) {
  std::string out;
  append_json(out, text);
  return out;
}

std::string json_number(double x, int digits) {
  if (!std::isfinite(x)) return "null";
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, x, std::chars_format::general, digits).ptr;
  return {text, end};
}

}  // namespace nvm::vm
