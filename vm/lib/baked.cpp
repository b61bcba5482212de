#include "vm/lib/baked.h"

#include <variant>

#include "vm/lib/nesl_print.h"

namespace nvm::vm {

namespace {

// A value written out as a constant of a program.
Constant constant_of(const Value& value, TypeWord word) {
  Constant c;
  c.word = word;
  if (word == TypeWord::kSegdes) {
    const auto& segdes = std::get<Segdes>(value);
    for (std::int64_t k = 0; k < segdes.segments(); ++k) c.ints.push_back(segdes.length(k));
    return c;
  }
  const auto& v = std::get<Vector>(value);
  for (std::int64_t i = 0; i < v.length(); ++i)
    if (word == TypeWord::kFloat)
      c.floats.push_back(v.is_scalar() ? v.scalar_float() : v.data<double>()[i]);
    else
      c.ints.push_back(int_at(v, i));
  return c;
}

}  // namespace

Program with_values(Program program, std::span<const Value> values) {
  for (Constant& c : program.constants)
    if (c.input >= 0) c = constant_of(values[static_cast<std::size_t>(c.input)], c.word);
  return program;
}

}  // namespace nvm::vm
