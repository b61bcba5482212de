// Files as NESL values: what --in and --out of `nvm run` read and write.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "frontend/types.h"
#include "vm/data/pool.h"
#include "vm/data/value.h"

namespace nvm::vm {

// By the ending of the name: .npy by its shape ([float], [[int]], ... or a scalar); .csv as rows of numbers
// ([[float]], a first line of titles is skipped); anything else as its text ([char]). Throws Fault kIo.
[[nodiscard]] std::pair<const frontend::Type*, std::vector<Value>> read_value(const std::string& path,
                                                                              frontend::TypeArena& arena,
                                                                              Pool& pool);

// The same without a type: descriptors, outermost first, and the elements.
[[nodiscard]] std::vector<Value> read_slots(const std::string& path, Pool& pool);

// A string as a value of type [char].
[[nodiscard]] std::pair<const frontend::Type*, std::vector<Value>> text_value(const std::string& text,
                                                                              frontend::TypeArena& arena,
                                                                              Pool& pool);

// .npy: a scalar, or sequences of them nested with equal lengths; .txt: a string as it is; .csv: sequences
// of numbers, a line per row. Throws Fault kIo, also if the value does not fit the kind of file.
void write_value(const std::string& path, const frontend::Type* type, std::span<const Value> slots);

}  // namespace nvm::vm
