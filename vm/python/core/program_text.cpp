#include "vm/python/core/program_text.h"

#include <unordered_map>

namespace nvm::python {

namespace {

class Writer {
 public:
  explicit Writer(const std::vector<Output>& outputs) {
    for (const Output& output : outputs) visit(output.node);
    // What the program finds on the stack lies deepest.
    for (const NodeRef& node : order_)
      if (node->evaluated()) place_given(*node);
    made_.text = "FUNC MAIN\n";
    height_ = static_cast<int>(made_.inputs.size());
    for (const NodeRef& node : order_)
      if (!node->evaluated()) instruction(node);
    const int below = height_;
    for (const Output& output : outputs) copy(output);
    const auto results = std::to_string(outputs.size());
    if (below > 0) made_.text += "POP " + std::to_string(below) + " " + results + "\n";
    made_.text += "RET\n";
  }
  ProgramText made() { return std::move(made_); }

 private:
  // Operands before what uses them; without recursion, since graphs are deep.
  void visit(const NodeRef& root) {
    std::vector<std::pair<NodeRef, std::size_t>> open{{root, 0}};
    if (!place_.emplace(root.get(), 0).second) return;
    while (!open.empty()) {
      auto& [node, next] = open.back();
      if (node->evaluated() || next == node->operands.size()) {
        order_.push_back(node);
        open.pop_back();
        continue;
      }
      const NodeRef& operand = node->operands[next++];
      if (place_.emplace(operand.get(), 0).second) open.emplace_back(operand, 0);
    }
  }
  void place_given(const Node& node) {
    place_[&node] = static_cast<int>(made_.inputs.size());
    for (const lib::Value& value : node.values) {
      made_.inputs.push_back(value);
      made_.input_kinds.push_back(value.kind());
    }
  }
  void instruction(const NodeRef& node) {
    std::string line;
    int index = 0;
    for (const NodeRef& operand : node->operands) copy(line, {operand, node->operand_index(index++)});
    line += node->text;
    made_.text += line + "\n";
    made_.instructions.push_back(node);
    height_ -= static_cast<int>(node->operands.size());
    place_[node.get()] = height_;
    height_ += static_cast<int>(node->kinds.size());
  }
  void copy(std::string& line, const Output& output) {
    const int under = height_ - 1 - (place_.at(output.node.get()) + output.index);
    line += "COPY 1 " + std::to_string(under) + " ";
    ++height_;
  }
  void copy(const Output& output) {
    std::string line;
    copy(line, output);
    made_.text += line + "\n";
  }

  ProgramText made_;
  std::vector<NodeRef> order_;
  std::unordered_map<const Node*, int> place_;  // of its first value on the stack
  int height_ = 0;
};

}  // namespace

ProgramText program_of(const std::vector<Output>& outputs) { return Writer(outputs).made(); }

}  // namespace nvm::python
