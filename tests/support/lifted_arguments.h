// Random arguments for a lifted function, cut as its LiftedInfo says.
#pragma once

#include <cstdint>
#include <vector>

#include "bytecode/ssa/ssa.h"
#include "tests/support/choices.h"
#include "vm/data/pool.h"
#include "vm/data/value.h"

namespace nvm::test {

using Column = std::vector<std::int64_t>;  // elements, or a descriptor's lengths

// Random values for the parameters, as columns: lengths below `longest`, other numbers below 4.
inline std::vector<Column> lifted_columns(const ssa::Function& f, std::int64_t instances, Choices& choices,
                                          std::size_t longest = 4) {
  const auto& splits = f.lifted.parameters;
  std::vector<Column> columns(splits.size());
  std::vector<bool> done(splits.size(), false);
  for (bool again = true; again;) {
    again = false;
    for (std::size_t i = 0; i < splits.size(); ++i) {
      const auto under = static_cast<std::size_t>(splits[i].under);
      if (done[i] || (splits[i].kind == ssa::Split::Kind::kUnder && !done[under])) continue;
      std::int64_t n = 1;
      if (splits[i].kind == ssa::Split::Kind::kInstances) n = instances;
      if (splits[i].kind == ssa::Split::Kind::kUnder) {
        n = 0;
        for (const std::int64_t length : columns[under]) n += length;
      }
      const Type type = f.value_types[static_cast<std::size_t>(f.blocks[0].parameters[i])];
      const std::size_t below = type == Type::kSegdes ? longest : 4;
      for (std::int64_t k = 0; k < n; ++k)
        columns[i].push_back(static_cast<std::int64_t>(choices.below(below)));
      if (splits[i].kind == ssa::Split::Kind::kFrame) columns[i] = {instances};
      if (splits[i].kind == ssa::Split::Kind::kSame && type == Type::kSegdes) columns[i] = {1};
      done[i] = again = true;
    }
  }
  return columns;
}

inline vm::Vector column_vector(vm::Pool& pool, Type type, const Column& column,
                                IntBits bits = IntBits::k64) {
  const auto n = static_cast<std::int64_t>(column.size());
  if (n == 1) {
    if (type == Type::kFloat) return vm::Vector::of_float(static_cast<double>(column[0]) / 2);
    return type == Type::kBool ? vm::Vector::of_bool(column[0] > 1) : vm::Vector::of_int(column[0]);
  }
  const Storage storage = type == Type::kFloat   ? Storage::kF64
                          : type == Type::kBool  ? Storage::kB8
                          : bits == IntBits::k32 ? Storage::kI32
                                                 : Storage::kI64;
  vm::Vector v = pool.vector(storage, n);
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (type == Type::kFloat) v.mutable_data<double>()[i] = static_cast<double>(column[i]) / 2;
    if (storage == Storage::kI32) v.mutable_data<std::int32_t>()[i] = static_cast<std::int32_t>(column[i]);
    if (storage == Storage::kI64) v.mutable_data<std::int64_t>()[i] = column[i];
    if (type == Type::kBool) v.mutable_data<std::uint8_t>()[i] = column[i] > 1;
  }
  return v;
}

inline std::vector<vm::Value> lifted_arguments(vm::Pool& pool, const ssa::Function& f,
                                               const std::vector<Column>& columns,
                                               IntBits bits = IntBits::k64) {
  std::vector<vm::Value> arguments;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Type type = f.value_types[static_cast<std::size_t>(f.blocks[0].parameters[i])];
    if (type == Type::kSegdes) {
      std::int64_t total = 0;
      for (const std::int64_t n : columns[i]) total += n;
      arguments.emplace_back(
          vm::Segdes::from_lengths(column_vector(pool, Type::kInt, columns[i], bits), total));
    } else {
      arguments.emplace_back(column_vector(pool, type, columns[i], bits));
    }
  }
  return arguments;
}

}  // namespace nvm::test
