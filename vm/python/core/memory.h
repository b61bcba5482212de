// Elements that come from Python objects and go to them, without a copy where they lie as nvm's do.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "vm/lib/nvm.hpp"

namespace nvm::python {

// The elements of an object with contiguous memory; `code` says what they are: q 64 bits, i 32, b 8
// (integers), d double, ? bool. Integers and doubles are borrowed: the object lives, and must not change, as
// long as anything needs them.
[[nodiscard]] lib::Value borrow(nanobind::handle object, char code);
// A descriptor with these lengths, 64-bit integers.
[[nodiscard]] lib::Value descriptor(nanobind::handle lengths);

// The elements as a NumPy array that cannot be written and keeps the value; the lengths of a descriptor.
[[nodiscard]] nanobind::object to_numpy(const lib::Value& value);

}  // namespace nvm::python
