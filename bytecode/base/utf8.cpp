#include "bytecode/base/utf8.h"

namespace nvm {

namespace {

constexpr std::int32_t kReplacement = 0xFFFD;
constexpr std::int32_t kLast = 0x10FFFF;
bool is_surrogate(std::int32_t code) { return code >= 0xD800 && code <= 0xDFFF; }

}  // namespace

DecodedUtf8 decode_utf8_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[at + k]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {static_cast<std::int32_t>(first), 1};
  const std::size_t bytes = first >= 0xF0 && first < 0xF8   ? 4
                            : first >= 0xE0 && first < 0xF0 ? 3
                            : first >= 0xC2 && first < 0xE0 ? 2
                                                            : 1;
  if (bytes == 1 || at + bytes > text.size()) return {kReplacement, 1};
  auto code = static_cast<std::int32_t>(first & (0xFFU >> (bytes + 1)));
  for (std::size_t k = 1; k < bytes; ++k) {
    if ((byte(k) & 0xC0U) != 0x80) return {kReplacement, 1};
    code = code * 64 + (byte(k) & 0x3F);
  }
  constexpr std::int32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[bytes] || code > kLast || is_surrogate(code)) return {kReplacement, 1};
  return {code, bytes};
}

std::vector<std::int32_t> decode_utf8(std::string_view text) {
  std::vector<std::int32_t> out;
  for (std::size_t at = 0; at < text.size();) {
    const DecodedUtf8 d = decode_utf8_at(text, at);
    out.push_back(d.code);
    at += d.bytes;
  }
  return out;
}

void encode_utf8(std::int32_t code, std::string& out) {
  if (code < 0 || code > kLast || is_surrogate(code)) code = kReplacement;
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace nvm
