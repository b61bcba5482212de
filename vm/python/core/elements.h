// Elements as Python sees them: how numbers and types of Python become those of vm/lib/elements.h.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "vm/lib/elements.h"

namespace nvm::python {

// What Python's side of the package tells, once: its element types in the order of element_types.def; classes
// of numbers; a function that computes a list of handles; the class Array; a function of an operator's name
// and operands for what is not done here.
struct PythonSide {
  PyObject* types = nullptr;  // a tuple
  PyObject* evaluate = nullptr;
  PyTypeObject *whole = nullptr, *real = nullptr;  // numbers that stand in a function's text
  PyTypeObject* array = nullptr;
  PyObject* operate = nullptr;
};
[[nodiscard]] PythonSide& python_side();

[[nodiscard]] nanobind::object dtype_of(lib::ElementType type);
[[nodiscard]] lib::ElementType type_of(nanobind::handle dtype);
// A bool, int or float of Python; nothing of other objects, NumPy's numbers among them.
[[nodiscard]] std::optional<lib::WeakNumber> weak_number(PyObject* object);
// Instructions are recorded on top of each other up to a limit: computes what has reached it.
void bound_depth(std::span<const lib::Promise> operands);

void bind_elements(nanobind::module_& m);

}  // namespace nvm::python
