// The graph of what a host has asked for and nobody has computed: one node for each VCODE instruction.
#pragma once

#include <Python.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vm/lib/nvm.hpp"

namespace nvm::python {

// A place in a Python program: a code object and an offset in it.
class Site {
 public:
  Site() = default;
  Site(PyCodeObject* code, int offset) : code_(code), offset_(offset) {}
  Site(Site&& other) noexcept : code_(other.code_), offset_(other.offset_) { other.code_ = nullptr; }
  Site& operator=(Site&& other) noexcept {
    std::swap(code_, other.code_);
    offset_ = other.offset_;
    return *this;
  }
  ~Site();
  [[nodiscard]] PyCodeObject* code() const { return code_; }
  [[nodiscard]] int offset() const { return offset_; }
  // The innermost frame of the calling thread that is not of this package.
  [[nodiscard]] static Site here();

 private:
  PyCodeObject* code_ = nullptr;  // owned
  int offset_ = 0;
};

struct Node;
using NodeRef = std::shared_ptr<Node>;

// One instruction, or one value that was given. A node that is evaluated has its values and no operands.
// Changed only under Python's lock.
struct Node {
  std::string text;  // of the instruction in VCODE; "" for a value that was given
  std::vector<NodeRef> operands;
  std::vector<int> indices;        // which results of the operands
  std::vector<lib::Kind> kinds;    // of its results
  std::vector<lib::Value> values;  // likewise, when it is evaluated
  int depth = 0;                   // instructions on the longest way to values
  Site site;

  [[nodiscard]] int operand_index(int k) const { return indices[static_cast<std::size_t>(k)]; }
  [[nodiscard]] bool evaluated() const { return !values.empty(); }
  ~Node();
};

// Which result of a node.
struct Output {
  NodeRef node;
  int index = 0;
};

[[nodiscard]] NodeRef given(lib::Value value);

// How many instructions were recorded in this process.
[[nodiscard]] std::uint64_t& recorded();

}  // namespace nvm::python
