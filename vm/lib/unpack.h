// Compressed files: gzip by zlib, and zstd, where these libraries are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nvm::vm {

enum class Compression : std::uint8_t { kNone, kGzip, kZstd };

// By the ending of a path, in small letters.
[[nodiscard]] Compression compression_of(std::string_view ending);

// What was compressed, which may be as long as memory allows. Several streams one behind the other are one.
// Throws Fault kIo, with the path, for what is no such stream, ends early, or cannot be read for want of the
// library.
[[nodiscard]] std::string unpacked(Compression compression, std::string bytes, const std::string& path);

}  // namespace nvm::vm
