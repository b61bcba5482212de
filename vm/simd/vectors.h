// What the vector routines know about the instruction set that the including file is compiled for. Such files
// are built once per instruction set; everything defined in this folder has internal linkage, so that code of
// a wide set cannot stand in for that of a narrow one.
#pragma once

#include <cstdint>
#include <type_traits>

#if defined(__AVX512F__)
#define NVM_VECTOR_BYTES 64
#elif defined(__AVX2__)
#define NVM_VECTOR_BYTES 32
#else
#define NVM_VECTOR_BYTES 16
#endif

namespace nvm::vm::simd {

using i8 = std::int8_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using f64 = double;

// Two's complement arithmetic that wraps.
template <typename T>
struct Unsigned {
  using type = T;
};
template <>
struct Unsigned<i8> {
  using type = u8;
};
template <>
struct Unsigned<i32> {
  using type = u32;
};
template <>
struct Unsigned<i64> {
  using type = u64;
};

}  // namespace nvm::vm::simd
