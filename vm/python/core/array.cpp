#include "vm/python/core/array.h"

#include <nanobind/stl/string.h>

#include <structmember.h>

#include <cstddef>
#include <new>

#include "vm/python/core/elements.h"

namespace nvm::python {

namespace nb = nanobind;

namespace {

// Elements in row order, or what they are seen through: `view` is None or strides and an offset, `host` None
// or the NumPy array that was borrowed. `special` is the Flat itself where it is of a class of its own (else
// null).
struct ArrayObject {
  PyObject_HEAD;
  lib::Elements elements;
  PyObject* special;
  PyObject* dims;
  PyObject* view;
  PyObject* host;
  PyObject* weak;  // references
};

ArrayObject* as_array(PyObject* o) { return reinterpret_cast<ArrayObject*>(o); }

PyObject* new_array(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* self = type->tp_alloc(type, 0);
  if (self == nullptr) return nullptr;
  ArrayObject* a = as_array(self);
  new (&a->elements) lib::Elements();
  a->dims = PyTuple_New(0);
  a->view = Py_NewRef(Py_None);
  a->host = Py_NewRef(Py_None);
  return self;
}

void dealloc(PyObject* self) {
  ArrayObject* a = as_array(self);
  PyTypeObject* type = Py_TYPE(self);
  if (a->weak != nullptr) PyObject_ClearWeakRefs(self);
  a->elements.~Elements();
  Py_XDECREF(a->special);
  Py_XDECREF(a->dims);
  Py_XDECREF(a->view);
  Py_XDECREF(a->host);
  type->tp_free(self);
  Py_DECREF(type);
}

void replace(PyObject*& place, PyObject* value) {
  PyObject* before = place;
  place = Py_NewRef(value);
  Py_XDECREF(before);
}

int set_flat(PyObject* self, PyObject* value, void*) {
  ArrayObject* a = as_array(self);
  lib::Elements* given = nullptr;
  if (value == nullptr || !nb::try_cast(nb::handle(value), given)) {
    PyErr_SetString(PyExc_TypeError, "a Flat was expected");
    return -1;
  }
  a->elements = *given;
  PyObject* before = a->special;
  const bool plain = reinterpret_cast<PyObject*>(Py_TYPE(value)) == nb::type<lib::Elements>().ptr();
  a->special = plain ? nullptr : Py_NewRef(value);
  Py_XDECREF(before);
  return 0;
}

PyObject* get_flat(PyObject* self, void*) {
  ArrayObject* a = as_array(self);
  if (a->special != nullptr) return Py_NewRef(a->special);
  return nb::cast(a->elements).release().ptr();
}

template <PyObject* ArrayObject::*member>
PyObject* get(PyObject* self, void*) {
  return Py_NewRef(as_array(self)->*member);
}
template <PyObject* ArrayObject::*member>
int set(PyObject* self, PyObject* value, void*) {
  replace(as_array(self)->*member, value == nullptr ? Py_None : value);
  return 0;
}
int set_dims(PyObject* self, PyObject* value, void*) {
  PyObject* tuple = value == nullptr ? nullptr : PySequence_Tuple(value);
  if (tuple == nullptr) return -1;
  replace(as_array(self)->dims, tuple);
  Py_DECREF(tuple);
  return 0;
}

int init(PyObject* self, PyObject* args, PyObject* named) {
  static const char* names[] = {"flat", "dims", "view", "host", nullptr};
  PyObject *flat = nullptr, *dims = nullptr, *view = Py_None, *host = Py_None;
  if (PyArg_ParseTupleAndKeywords(args, named, "OO|OO", const_cast<char**>(names), &flat, &dims, &view,
                                  &host) == 0)
    return -1;
  if (set_flat(self, flat, nullptr) != 0 || set_dims(self, dims, nullptr) != 0) return -1;
  replace(as_array(self)->view, view);
  replace(as_array(self)->host, host);
  return 0;
}

PyObject* made_array(lib::Elements elements, PyObject* dims) {
  PyTypeObject* type = python_side().array;
  PyObject* self = type->tp_alloc(type, 0);
  if (self == nullptr) return nullptr;
  PyObject_GC_UnTrack(self);  // it is in no cycle
  ArrayObject* a = as_array(self);
  new (&a->elements) lib::Elements(std::move(elements));
  a->dims = Py_NewRef(dims);
  a->view = Py_NewRef(Py_None);
  a->host = Py_NewRef(Py_None);
  return self;
}

// An array whose elements are here; null of anything else.
ArrayObject* plain(PyObject* o) {
  if (Py_TYPE(o) != python_side().array) return nullptr;
  ArrayObject* a = as_array(o);
  return a->view == Py_None && a->elements.values ? a : nullptr;
}

bool same_dims(PyObject* a, PyObject* b) {
  if (a == b) return true;
  const Py_ssize_t n = PyTuple_GET_SIZE(a);
  if (n != PyTuple_GET_SIZE(b)) return false;
  for (Py_ssize_t k = 0; k < n; ++k) {
    PyObject *x = PyTuple_GET_ITEM(a, k), *y = PyTuple_GET_ITEM(b, k);
    if (x == y) continue;
    if (!PyLong_CheckExact(x) || !PyLong_CheckExact(y)) return false;
    if (PyLong_AsSsize_t(x) != PyLong_AsSsize_t(y)) return false;
  }
  return true;
}

// Operands that have one shape, or are numbers.
class Operands {
 public:
  bool take(PyObject* o) {
    if (ArrayObject* a = plain(o)) {
      if (first_ == nullptr)
        first_ = a;
      else if (!same_dims(first_->dims, a->dims))
        return false;
      values_[arrays_++] = a->elements.values;
      operands_[n_++] = {&a->elements, {}};
      return true;
    }
    const auto number = weak_number(o);
    if (!number) return false;
    operands_[n_++] = {nullptr, *number};
    return true;
  }
  // The result, or null without an exception where Python's side must do it.
  PyObject* apply(lib::ElementOp op) {
    if (first_ == nullptr) return nullptr;
    bound_depth({values_, arrays_});
    lib::Applied applied = lib::apply(op, {operands_, n_}, first_->elements.size);
    return applied.refusal == lib::Refusal::kNone ? made_array(std::move(applied.elements), first_->dims)
                                                  : nullptr;
  }
  PyObject* choose() {  // of the first
    if (first_ == nullptr || operands_[0].elements == nullptr || arrays_ < 2) return nullptr;
    bound_depth({values_, arrays_});
    lib::Applied applied =
        lib::where(*operands_[0].elements, operands_[1], operands_[2], first_->elements.size);
    return applied.refusal == lib::Refusal::kNone ? made_array(std::move(applied.elements), first_->dims)
                                                  : nullptr;
  }

 private:
  ArrayObject* first_ = nullptr;
  lib::Operand operands_[3];
  lib::Promise values_[3];
  std::size_t n_ = 0, arrays_ = 0;
};

// As C calls back from Python: no exception of C++ leaves.
template <typename F>
PyObject* shielded(F f) {
  try {
    return f();
  } catch (nb::python_error& e) {
    e.restore();
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  }
  return nullptr;
}

PyObject* name_of(lib::ElementOp op) {
  static PyObject* names[] = {
#define ELEMENT_OP(name, operands) PyUnicode_InternFromString(#name),
#include "vm/lib/element_ops.def"
  };
  return names[static_cast<std::size_t>(op)];
}

PyObject* operate(lib::ElementOp op, PyObject* a, PyObject* b) {
  return shielded([&]() -> PyObject* {
    Operands operands;
    if (operands.take(a) && (b == nullptr || operands.take(b))) {
      PyObject* result = operands.apply(op);
      if (result != nullptr || PyErr_Occurred() != nullptr) return result;
    }
    return PyObject_CallFunctionObjArgs(python_side().operate, name_of(op), a, b, nullptr);
  });
}

template <lib::ElementOp op>
PyObject* binary(PyObject* a, PyObject* b) {
  return operate(op, a, b);
}
template <lib::ElementOp op>
PyObject* unary(PyObject* a) {
  return operate(op, a, nullptr);
}
PyObject* power(PyObject* a, PyObject* b, PyObject* modulo) {
  if (modulo != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return operate(lib::ElementOp::k_pow, a, b);
}
PyObject* compare(PyObject* a, PyObject* b, int relation) {
  using lib::ElementOp;
  constexpr ElementOp kOps[] = {ElementOp::k_less,      ElementOp::k_less_equal, ElementOp::k_equal,
                                ElementOp::k_not_equal, ElementOp::k_greater,    ElementOp::k_greater_equal};
  static_assert(Py_LT == 0 && Py_LE == 1 && Py_EQ == 2 && Py_NE == 3 && Py_GT == 4 && Py_GE == 5);
  return operate(kOps[relation], a, b);
}

// A function of the module: a name and operands. None where Python's side must do it.
PyObject* fast(PyObject*, PyObject* const* args, Py_ssize_t n) {
  return shielded([&]() -> PyObject* {
    Operands operands;
    bool taken = n >= 2 && n <= 4;
    for (Py_ssize_t k = 1; taken && k < n; ++k) taken = operands.take(args[k]);
    PyObject* result = nullptr;
    if (taken) {
      const auto op = static_cast<lib::ElementOp>(PyLong_AsLong(args[0]));
      result = n == 4 ? operands.choose() : operands.apply(op);
      if (PyErr_Occurred() != nullptr) return nullptr;
    }
    return result != nullptr ? result : Py_NewRef(Py_None);
  });
}

PyGetSetDef members[] = {{"_flat", get_flat, set_flat, nullptr, nullptr},
                         {"_dims", get<&ArrayObject::dims>, set_dims, nullptr, nullptr},
                         {"_view", get<&ArrayObject::view>, set<&ArrayObject::view>, nullptr, nullptr},
                         {"_host", get<&ArrayObject::host>, set<&ArrayObject::host>, nullptr, nullptr},
                         {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMemberDef places[] = {{"__weaklistoffset__", T_PYSSIZET, offsetof(ArrayObject, weak), READONLY, nullptr},
                        {nullptr, 0, 0, 0, nullptr}};

template <typename F>
PyType_Slot slot(int id, F* function) {
  return {id, reinterpret_cast<void*>(function)};
}

PyTypeObject* make_type() {
  using lib::ElementOp;
  static PyType_Slot slots[] = {slot(Py_tp_new, new_array),
                                slot(Py_tp_init, init),
                                slot(Py_tp_dealloc, dealloc),
                                {Py_tp_getset, members},
                                {Py_tp_members, places},
                                slot(Py_tp_richcompare, compare),
                                slot(Py_tp_hash, PyObject_HashNotImplemented),
                                slot(Py_nb_add, binary<ElementOp::k_add>),
                                slot(Py_nb_subtract, binary<ElementOp::k_subtract>),
                                slot(Py_nb_multiply, binary<ElementOp::k_multiply>),
                                slot(Py_nb_true_divide, binary<ElementOp::k_divide>),
                                slot(Py_nb_floor_divide, binary<ElementOp::k_floor_divide>),
                                slot(Py_nb_remainder, binary<ElementOp::k_remainder>),
                                slot(Py_nb_power, power),
                                slot(Py_nb_and, binary<ElementOp::k_bitwise_and>),
                                slot(Py_nb_or, binary<ElementOp::k_bitwise_or>),
                                slot(Py_nb_xor, binary<ElementOp::k_bitwise_xor>),
                                slot(Py_nb_lshift, binary<ElementOp::k_bitwise_left_shift>),
                                slot(Py_nb_rshift, binary<ElementOp::k_bitwise_right_shift>),
                                slot(Py_nb_negative, unary<ElementOp::k_negative>),
                                slot(Py_nb_positive, unary<ElementOp::k_positive>),
                                slot(Py_nb_absolute, unary<ElementOp::k_abs>),
                                slot(Py_nb_invert, unary<ElementOp::k_bitwise_invert>),
                                {0, nullptr}};
  static PyType_Spec spec = {"neslvm._nvm.ArrayBase", sizeof(ArrayObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
}

PyMethodDef fast_method = {"fast", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(fast)),
                           METH_FASTCALL, "fast(op, *operands): the result, or None"};

}  // namespace

void bind_array(nb::module_& m) {
  m.attr("ArrayBase") = nb::steal(reinterpret_cast<PyObject*>(make_type()));
  m.attr("fast") = nb::steal(PyCFunction_New(&fast_method, nullptr));
  m.def("find_op", [](const std::string& name) {
    const auto op = lib::find_element_op(name);
    return op ? static_cast<int>(*op) : -1;
  });
  m.def("set_array", [](nb::object array, nb::object operate) {
    python_side().array = reinterpret_cast<PyTypeObject*>(array.release().ptr());
    python_side().operate = operate.release().ptr();
  });
}

}  // namespace nvm::python
