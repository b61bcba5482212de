// The types of VCODE stack entries (spec: data model).
#pragma once

#include <cstdint>
#include <string_view>

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

// Bits of INT for a run: 64 by default, 32 for byte-for-byte legacy arithmetic.
enum class IntBits : std::uint8_t { k32 = 32, k64 = 64 };

}  // namespace nvm
