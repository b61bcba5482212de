#include "vm/python/core/node.h"

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

}  // namespace

Site::~Site() {
  if (code_ != nullptr) Py_DECREF(code_);
}

Site Site::here() {
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

// A long chain that nobody holds must not end in a recursion as long.
Node::~Node() {
  std::vector<NodeRef> left = std::move(operands);
  while (!left.empty()) {
    const NodeRef node = std::move(left.back());
    left.pop_back();
    if (node.use_count() != 1) continue;
    for (NodeRef& operand : node->operands) left.push_back(std::move(operand));
    node->operands.clear();
  }
}

NodeRef given(lib::Value value) {
  auto node = std::make_shared<Node>();
  node->kinds.push_back(value.kind());
  node->values.push_back(std::move(value));
  return node;
}

std::uint64_t& recorded() {
  static std::uint64_t count = 0;
  return count;
}

}  // namespace nvm::python
