// What a kernel file knows about the instruction set it is compiled for. NVM_ISA names the namespace.
#pragma once

#include <cstdint>

#include "bytecode/table/op_info.h"
#include "vm/prims/kernels/kernels.h"

#if defined(__AVX512F__)
#define NVM_VECTOR_BYTES 64
#elif defined(__AVX2__)
#define NVM_VECTOR_BYTES 32
#else
#define NVM_VECTOR_BYTES 16
#endif

namespace nvm::vm::kernels::NVM_ISA {

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

constexpr int index_of(Scalar s) { return static_cast<int>(s); }
constexpr int index_of(Storage s) { return static_cast<int>(s); }

template <typename T>
constexpr Storage storage_of();
template <>
constexpr Storage storage_of<i8>() {
  return Storage::kI8;
}
template <>
constexpr Storage storage_of<i32>() {
  return Storage::kI32;
}
template <>
constexpr Storage storage_of<i64>() {
  return Storage::kI64;
}
template <>
constexpr Storage storage_of<f64>() {
  return Storage::kF64;
}
template <>
constexpr Storage storage_of<u8>() {
  return Storage::kB8;
}

// Parts of the table, one per file.
void fill_elementwise(Table& t);
void fill_functions(Table& t);
void fill_fold(Table& t);
void fill_move(Table& t);
void fill_pack(Table& t);
void fill_spread(Table& t);
void fill_order(Table& t);

}  // namespace nvm::vm::kernels::NVM_ISA
