#include "vm/python/core/memory.h"

#include <nanobind/ndarray.h>

#include <stdexcept>

namespace nvm::python {

namespace nb = nanobind;

namespace {

// A view of an object's memory, given back when the last value lets go of it, on any thread.
struct Lent {
  Py_buffer view{};
};

void give_back(void* user) {
  auto* lent = static_cast<Lent*>(user);
  if (Py_IsInitialized() != 0) {
    const PyGILState_STATE state = PyGILState_Ensure();
    PyBuffer_Release(&lent->view);
    PyGILState_Release(state);
  }
  delete lent;
}

Lent* lend(nb::handle object) {
  auto lent = std::make_unique<Lent>();
  if (PyObject_GetBuffer(object.ptr(), &lent->view, PyBUF_ANY_CONTIGUOUS) != 0) throw nb::python_error();
  return lent.release();
}

template <typename T>
lib::Value foreign_of(Lent* lent) {
  const auto n = lent->view.len / static_cast<Py_ssize_t>(sizeof(T));
  return lib::foreign(static_cast<const T*>(lent->view.buf), n, give_back, lent);
}

lib::Value checked(lib::Value value) {
  if (!value) throw std::bad_alloc();
  return value;
}

// One element has no memory of its own.
template <typename T, typename F>
nb::object array_of(const lib::Value& value, F element) {
  const auto n = static_cast<std::size_t>(value.size());
  if (n > 1) {
    auto* keeper = new lib::Value(value);
    const nb::capsule owner(keeper, [](void* p) noexcept { delete static_cast<lib::Value*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, const T>(value.data(), {n}, owner), nb::rv_policy::reference);
  }
  auto* one = new T(n == 1 ? element() : T{});
  const nb::capsule owner(one, [](void* p) noexcept { delete static_cast<T*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, const T>(one, {n}, owner), nb::rv_policy::reference);
}

}  // namespace

lib::Value borrow(nb::handle object, char code) {
  Lent* lent = lend(object);
  switch (code) {
    case 'q': return checked(foreign_of<std::int64_t>(lent));
    case 'i': return checked(foreign_of<std::int32_t>(lent));
    case 'b': return checked(foreign_of<std::int8_t>(lent));
    case 'd': return checked(foreign_of<double>(lent));
    default: break;
  }
  const auto* bytes = static_cast<const std::uint8_t*>(lent->view.buf);
  lib::Value bools = lib::make_bools({bytes, static_cast<std::size_t>(lent->view.len)});
  give_back(lent);
  return checked(std::move(bools));
}

lib::Value descriptor(nb::handle lengths) {
  Lent* lent = lend(lengths);
  const auto* first = static_cast<const std::int64_t*>(lent->view.buf);
  auto made = lib::make_segdes({first, static_cast<std::size_t>(lent->view.len) / sizeof(std::int64_t)});
  give_back(lent);
  if (!made) throw nb::value_error(made.failure().reason.c_str());
  return *made;
}

nb::object to_numpy(const lib::Value& value) {
  switch (value.kind()) {
    case lib::Kind::kFloat: return array_of<double>(value, [&] { return value.float_at(0); });
    case lib::Kind::kBool: return array_of<bool>(value, [&] { return value.bool_at(0); });
    case lib::Kind::kInt: break;
    default: {
      auto* copy = new std::vector<std::int64_t>(value.ints());
      const nb::capsule owner(copy,
                              [](void* p) noexcept { delete static_cast<std::vector<std::int64_t>*>(p); });
      return nb::cast(nb::ndarray<nb::numpy, const std::int64_t>(copy->data(), {copy->size()}, owner),
                      nb::rv_policy::reference);
    }
  }
  if (value.size() > 1 && value.element_bytes() == 4) return array_of<std::int32_t>(value, [] { return 0; });
  if (value.size() > 1 && value.element_bytes() == 1)
    return array_of<std::int8_t>(value, [] { return std::int8_t{0}; });
  return array_of<std::int64_t>(value, [&] { return value.int_at(0); });
}

}  // namespace nvm::python
