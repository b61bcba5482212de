#include "bytecode/base/printable.h"

#include <utility>

namespace nvm {

namespace {

void append_escaped(std::string& out, std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (const char c : bytes) {
    const auto b = static_cast<unsigned char>(c);
    out += {'\\', 'x', kDigits[b >> 4], kDigits[b & 15]};
  }
}

// Bytes that follow this one in a character of UTF-8.
unsigned followers(unsigned char b) {
  if (b >= 0xC2 && b < 0xE0) return 1;
  if (b >= 0xE0 && b < 0xF0) return 2;
  return b >= 0xF0 && b < 0xF5 ? 3 : 0;
}

}  // namespace

std::string Printable::operator()(std::string_view piece) {
  std::string out;
  out.reserve(piece.size());
  for (const char c : piece) {
    const auto b = static_cast<unsigned char>(c);
    if (more_ > 0 && (b & 0xC0) == 0x80) {
      begun_ += c;
      if (--more_ > 0) continue;
      const bool control = begun_.size() == 2 && begun_[0] == '\xC2' && b < 0xA0;  // U+0080 to U+009F
      if (control)
        append_escaped(out, begun_);
      else
        out += begun_;
      begun_.clear();
      continue;
    }
    out += rest();
    more_ = followers(b);
    if (more_ > 0)
      begun_ += c;
    else if ((b < ' ' && c != '\n' && c != '\t') || b >= 0x7F)
      append_escaped(out, {&c, 1});
    else
      out += c;
  }
  return out;
}

std::string Printable::rest() {
  std::string out;
  append_escaped(out, std::exchange(begun_, {}));
  more_ = 0;
  return out;
}

std::string printable(std::string_view text) {
  Printable shown;
  std::string out = shown(text);
  return out += shown.rest();
}

}  // namespace nvm
