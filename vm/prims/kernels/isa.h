// What a kernel file knows about the instruction set it is compiled for. NVM_ISA names the namespace.
#pragma once

#include <cstdint>

#include "bytecode/table/op_info.h"
#include "vm/prims/kernels/kernels.h"
#include "vm/simd/vectors.h"

namespace nvm::vm::kernels::NVM_ISA {

using namespace simd;  // integer types of the table's widths

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
void fill_combine(Table& t);
void fill_elementwise(Table& t);
void fill_exchange(Table& t);
void fill_functions(Table& t);
void fill_fold(Table& t);
void fill_formula(Table& t);
void fill_destination(Table& t);
void fill_move(Table& t);
void fill_pack(Table& t);
void fill_partition(Table& t);
void fill_pieces(Table& t);
void fill_single(Table& t);
void fill_copy_runs(Table& t);
void fill_split(Table& t);
void fill_spread(Table& t);
void fill_order(Table& t);

}  // namespace nvm::vm::kernels::NVM_ISA
