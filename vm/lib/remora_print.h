// Values as Remora prints them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace nvm::lib {

[[nodiscard]] std::string remora_float(double x);
// A character by its code, as an atom.
[[nodiscard]] std::string remora_char(std::int64_t code);
// An array of a shape: `atom` gives the text of atom k; `characters`: vectors of atoms are strings, and
// `code` is asked.
[[nodiscard]] std::string remora_array(const std::vector<std::int64_t>& shape,
                                       const std::function<std::string(std::int64_t)>& atom,
                                       const std::function<std::int64_t(std::int64_t)>* code);

}  // namespace nvm::lib
