// The types of VCODE stack entries (spec: data model).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "bytecode/base/extent.h"

namespace nvm {

// Kinds of values. kPair is opaque here: its two parts are typed where it is made.
enum class Type : std::uint8_t { kInt, kFloat, kBool, kSegdes, kPair };

// The type word an instruction is written with; kNone where the grammar has none.
enum class TypeWord : std::uint8_t { kNone, kInt, kFloat, kBool, kSegdes, kChar };

// "INT", "FLOAT", ...; "" for kNone.
[[nodiscard]] std::string_view type_word_text(TypeWord word);
// "Int", "Float", "Bool", "Segdes", "Pair", as legacy messages and pair output spell them.
[[nodiscard]] std::string_view type_name(Type type);
// The kind a type word stands for; CHAR is Int. Must not be kNone.
[[nodiscard]] Type type_of(TypeWord word);

// The type word of instructions on values of a type. Must not be kPair.
[[nodiscard]] TypeWord word_of(Type type);

// Bits of INT for a run: 64 by default, 32 for byte-for-byte legacy arithmetic.
enum class IntBits : std::uint8_t { k32 = 32, k64 = 64 };

// The lengths and totals of a run are below this: LENGTH tells them as INT.
[[nodiscard]] constexpr std::int64_t too_long(IntBits bits) {
  return bits == IntBits::k32 ? std::int64_t{1} << 31 : kTooLong;
}

// How elements lie in memory. An Int vector may be stored narrower than the run's INT when its values fit;
// loads sign-extend. The widest Int storage is that of the run (kI32 if INT is 32 bits, else kI64).
enum class Storage : std::uint8_t { kI8, kI32, kI64, kF64, kB8 };

[[nodiscard]] constexpr std::size_t storage_bytes(Storage s) {
  return s == Storage::kI8 || s == Storage::kB8 ? 1 : s == Storage::kI32 ? 4 : 8;
}
[[nodiscard]] constexpr bool storage_is_int(Storage s) {
  return s == Storage::kI8 || s == Storage::kI32 || s == Storage::kI64;
}

}  // namespace nvm
