// NumPy's .npy files in and out: C order, little endian, bool, signed and unsigned integers, floats.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "vm/data/pool.h"
#include "vm/data/value.h"

namespace nvm::vm {

struct Array {
  std::vector<std::int64_t> shape;  // empty: one element
  Vector elements;                  // in row-major order; Int, Float or Bool
};

// Elements of 64-bit integers and floats stay in the mapped file, others are widened. Throws Fault kIo with a
// message that names the file.
[[nodiscard]] Array read_npy(const std::string& path, Pool& pool);
void write_npy(const std::string& path, const Array& array);
// Closes a file that was written to; throws Fault kIo if not all of it could be.
void finish_file(std::ofstream& out, const std::string& path);

}  // namespace nvm::vm
