// UTF-8 to code points and back. Bytes that are no UTF-8 are read as U+FFFD, one each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nvm {

struct DecodedUtf8 {
  std::int32_t code = 0;
  std::size_t bytes = 1;
};
// The code point that begins at `at`, which is inside of the text.
[[nodiscard]] DecodedUtf8 decode_utf8_at(std::string_view text, std::size_t at);
[[nodiscard]] std::vector<std::int32_t> decode_utf8(std::string_view text);
// Code points from 0 to 0x10FFFF; others as U+FFFD.
void encode_utf8(std::int32_t code, std::string& out);

}  // namespace nvm
