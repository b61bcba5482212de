// UTF-8 to code points and back. Bytes that are no UTF-8 are read as U+FFFD, one each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nvm::remora {

struct Decoded {
  std::int32_t code = 0;
  std::size_t bytes = 1;
};
// The code point that begins at `at`, which is inside of the text.
[[nodiscard]] Decoded decode_one(std::string_view text, std::size_t at);
[[nodiscard]] std::vector<std::int32_t> decode(std::string_view text);
// Code points from 0 to 0x10FFFF; others as U+FFFD.
void encode(std::int32_t code, std::string& out);

}  // namespace nvm::remora
