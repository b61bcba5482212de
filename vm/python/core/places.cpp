#include "vm/python/core/places.h"

#include <string>
#include <string_view>

namespace nvm::python {

namespace {

// The folder of the package, which is no user's code.
const std::string& own_folder() {
  static const std::string folder = [] {
    PyObject* module = PyImport_ImportModule("neslvm");
    PyObject* file = module != nullptr ? PyObject_GetAttrString(module, "__file__") : nullptr;
    const char* text = file != nullptr ? PyUnicode_AsUTF8(file) : nullptr;
    const std::string path = text != nullptr ? text : "";
    Py_XDECREF(file);
    Py_XDECREF(module);
    PyErr_Clear();
    return path.substr(0, path.rfind('/') + 1);
  }();
  return folder;
}

bool is_own(PyCodeObject* code) {
  Py_ssize_t size = 0;
  const char* name = PyUnicode_AsUTF8AndSize(code->co_filename, &size);
  const std::string& own = own_folder();
  return name != nullptr && !own.empty() &&
         std::string_view(name, static_cast<std::size_t>(size)).starts_with(own);
}

lib::Place here() {
  PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
  while (frame != nullptr) {
    PyCodeObject* code = PyFrame_GetCode(frame);
    if (!is_own(code)) {
      const int offset = PyFrame_GetLasti(frame);
      Py_DECREF(frame);
      return {code, offset};
    }
    Py_DECREF(code);
    PyFrameObject* back = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = back;
  }
  return {};
}

lib::SourceLine line_of(const lib::Place& place) {
  auto* code = static_cast<PyCodeObject*>(place.code);
  const char* file = PyUnicode_AsUTF8(code->co_filename);
  if (file == nullptr) PyErr_Clear();
  return {file != nullptr ? file : "", PyCode_Addr2Line(code, place.offset)};
}

void release(void* code) { Py_DECREF(static_cast<PyObject*>(code)); }

}  // namespace

lib::ExpressionGraph& graph() {
  static auto* made =
      new lib::ExpressionGraph({here, release, line_of});  // as long as the process, as Python's objects are
  return *made;
}

}  // namespace nvm::python
