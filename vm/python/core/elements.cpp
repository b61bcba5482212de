#include "vm/python/core/elements.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "vm/python/core/places.h"

namespace nvm::python {

namespace nb = nanobind;

namespace {

constexpr int kMostDepth = 200;

lib::Operand operand_of(nb::handle x) {
  if (const auto number = weak_number(x.ptr())) return {nullptr, *number};
  return {&nb::cast<const lib::Elements&>(x), {}};
}

// What was made, or why not: a number by Refusal.
nb::object made_or_refusal(lib::Applied applied) {
  if (applied.refusal != lib::Refusal::kNone) return nb::int_(static_cast<int>(applied.refusal));
  return nb::cast(std::move(applied.elements));
}

nb::object apply(const std::string& name, nb::sequence operands, const lib::SizeRef& size) {
  const auto op = lib::find_element_op(name);
  lib::Operand given[2];
  std::vector<lib::Promise> values;
  std::size_t n = 0;
  for (const nb::handle x : operands) {
    if (n == 2) throw nb::value_error("an operator has one or two operands");
    given[n] = operand_of(x);
    if (given[n].elements != nullptr && given[n].elements->values)
      values.push_back(given[n].elements->values);
    ++n;
  }
  const bool fits = op && lib::operands_of(*op) == static_cast<int>(n);
  if (!fits || values.empty()) return nb::int_(static_cast<int>(lib::Refusal::kElsewhere));
  bound_depth(values);
  return made_or_refusal(lib::apply(*op, {given, n}, size));
}

std::int64_t length_of(nb::handle self) {
  auto& size = nb::cast<lib::Size&>(self);
  if (const auto known = size.known()) return *known;
  const lib::Promise segments = size.segments();
  if (!segments.evaluated()) {
    nb::list handles;
    handles.append(nb::cast(segments));
    nb::handle(python_side().evaluate)(handles);
  }
  const std::int64_t n = segments.value().int_at(0);
  size.become_known(n);
  return n;
}

void bind_size(nb::module_& m) {
  nb::class_<lib::Size>(m, "Size")
      .def(
          "__init__",
          [](lib::Size* size, std::optional<std::int64_t> n, std::optional<lib::Promise> segments) {
            if (n)
              new (size) lib::Size(graph(), *n);
            else if (segments)
              new (size) lib::Size(std::move(*segments));
            else
              throw nb::value_error("a size needs a number or a descriptor");
          },
          nb::arg("n").none() = nb::none(), nb::arg("seg").none() = nb::none())
      .def_static("of_number", [] { return lib::Size::of_number(graph()); })
      .def_prop_ro("known", &lib::Size::known)
      .def_prop_ro("seg", [](lib::Size& size) { return size.segments(); })
      .def_prop_ro("n", [](nb::handle self) { return length_of(self); })
      .def("same", &lib::Size::same);
}

void bind_flat(nb::module_& m) {
  using lib::Elements;
  nb::class_<Elements>(m, "Flat")
      .def(
          "__init__",
          [](Elements* e, nb::handle dtype, std::optional<lib::Promise> handle, lib::SizeRef size) {
            new (e) Elements{type_of(dtype), handle ? std::move(*handle) : lib::Promise(), std::move(size)};
          },
          nb::arg("dtype"), nb::arg("handle").none(), nb::arg("size"))
      .def_prop_ro("dtype", [](const Elements& e) { return dtype_of(e.type); })
      .def_prop_ro("h", [](const Elements& e) { return e.values ? nb::cast(e.values) : nb::none(); })
      .def_prop_rw(
          "size", [](const Elements& e) { return e.size; },
          [](Elements& e, lib::SizeRef size) { e.size = std::move(size); });
}

}  // namespace

PythonSide& python_side() {
  static PythonSide side;
  return side;
}

nb::object dtype_of(lib::ElementType type) {
  return nb::borrow(PyTuple_GetItem(python_side().types, static_cast<Py_ssize_t>(type)));
}

lib::ElementType type_of(nb::handle dtype) {
  const Py_ssize_t n = PyTuple_GET_SIZE(python_side().types);
  for (Py_ssize_t k = 0; k < n; ++k)
    if (PyTuple_GET_ITEM(python_side().types, k) == dtype.ptr()) return static_cast<lib::ElementType>(k);
  throw nb::type_error("no element type");
}

std::optional<lib::WeakNumber> weak_number(PyObject* object) {
  lib::WeakNumber number;
  number.of_program = Py_TYPE(object) == python_side().whole || Py_TYPE(object) == python_side().real;
  if (PyFloat_Check(object)) {
    // NumPy's float64 is a float of Python's, but not weak, as none of NumPy's numbers is.
    const bool own = PyFloat_CheckExact(object) || number.of_program;
    if (!own && PyObject_HasAttrString(object, "__array__") != 0) return std::nullopt;
    number.kind = 'f';
    number.real = PyFloat_AS_DOUBLE(object);
    return number;
  }
  if (!PyLong_Check(object)) return std::nullopt;
  number.kind = PyBool_Check(object) ? 'b' : 'i';
  int overflow = 0;
  number.whole = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow == 0) {
    number.real = static_cast<double>(number.whole);
    return number;
  }
  number.real = PyLong_AsDouble(object);
  PyErr_Clear();
  number.width = lib::WeakNumber::Width::kNone;
  if (overflow > 0) {
    const unsigned long long bits = PyLong_AsUnsignedLongLong(object);
    if (PyErr_Occurred() == nullptr) number.width = lib::WeakNumber::Width::kUint64;
    number.whole = static_cast<std::int64_t>(bits);
    PyErr_Clear();
  }
  return number;
}

void bound_depth(std::span<const lib::Promise> operands) {
  bool any = false;
  for (const lib::Promise& p : operands) any = any || p.depth() >= kMostDepth;
  if (!any) return;
  nb::list deep;
  for (const lib::Promise& p : operands)
    if (!p.evaluated()) deep.append(nb::cast(p));
  nb::handle(python_side().evaluate)(deep);
}

void bind_elements(nb::module_& m) {
  bind_size(m);
  bind_flat(m);
  m.def("set_types", [](nb::tuple types, nb::handle whole, nb::handle real) {
    python_side().types = types.release().ptr();
    python_side().whole = reinterpret_cast<PyTypeObject*>(nb::borrow(whole).release().ptr());
    python_side().real = reinterpret_cast<PyTypeObject*>(nb::borrow(real).release().ptr());
  });
  m.def("set_evaluate", [](nb::object evaluate) { python_side().evaluate = evaluate.release().ptr(); });
  m.def("apply", &apply, nb::arg("name"), nb::arg("operands"), nb::arg("size"));
  m.def("where", [](const lib::Elements& c, nb::handle a, nb::handle b, const lib::SizeRef& size) {
    const lib::Operand x = operand_of(a), y = operand_of(b);
    if (x.elements == nullptr && y.elements == nullptr)
      return nb::object(nb::int_(static_cast<int>(lib::Refusal::kElsewhere)));
    return made_or_refusal(lib::where(c, x, y, size));
  });
  m.def("convert", [](const lib::Elements& e, nb::handle dtype) -> nb::object {
    auto converted = lib::convert(e, type_of(dtype));
    return converted ? nb::cast(std::move(*converted)) : nb::none();
  });
  m.def("finished", [](const lib::Promise& values, nb::handle dtype, const lib::SizeRef& size) {
    return lib::finished(values, type_of(dtype), size);
  });
  m.def("order_key", [](const lib::Elements& e) { return lib::order_key(e); });
}

}  // namespace nvm::python
