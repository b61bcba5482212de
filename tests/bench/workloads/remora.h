// What the workloads in Remora have in common: arrays of one vector of atoms.
#pragma once

#include <string>
#include <vector>

#include "tests/bench/suite/floats.h"

namespace nvm::bench {

// "[float 3 4]"
[[nodiscard]] inline std::string array_type(const std::string& atom, const std::vector<std::int64_t>& shape) {
  std::string type = "[" + atom;
  for (const std::int64_t n : shape) type += " " + std::to_string(n);
  return type + "]";
}
[[nodiscard]] inline Input array_of(const std::string& name, const std::vector<std::int64_t>& shape,
                                    const Array<double>& atoms) {
  return {name, array_type("float", shape), {borrowed(atoms)}};
}
[[nodiscard]] inline Input array_of(const std::string& name, const std::vector<std::int64_t>& shape,
                                    const Array<std::int32_t>& atoms) {
  return {name, array_type("int", shape), {borrowed(atoms)}};
}

}  // namespace nvm::bench
