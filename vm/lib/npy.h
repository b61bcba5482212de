// NumPy's .npy files in and out: bool, signed and unsigned integers, floats, in any order of bytes and
// elements.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "vm/data/pool.h"
#include "vm/data/value.h"

namespace nvm {
class InFile;
}  // namespace nvm

namespace nvm::vm {

struct Array {
  std::vector<std::int64_t> shape;  // empty: one element
  Vector elements;                  // in row-major order; Int, Float or Bool
};

// A copy of the elements. Throws Fault kIo with a message that names the file.
[[nodiscard]] Array read_npy(const std::string& path, InFile& file, Pool& pool);
void write_npy(const std::function<void(std::string_view)>& out, const Array& array);

}  // namespace nvm::vm
