// FNV-1a, continued from `hash`: for checksums, names of files and tables in memory. Nothing that an attacker
// may choose hangs on it.
#pragma once

#include <cstdint>
#include <string_view>

namespace nvm {

inline constexpr std::uint64_t kHashStart = 0xcbf29ce484222325;

// One step, by a byte or by a whole number.
[[nodiscard]] constexpr std::uint64_t hash_step(std::uint64_t number, std::uint64_t hash) {
  return (hash ^ number) * 0x100000001b3;
}
[[nodiscard]] constexpr std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t hash = kHashStart) {
  for (const char c : bytes) hash = hash_step(static_cast<unsigned char>(c), hash);
  return hash;
}

}  // namespace nvm
