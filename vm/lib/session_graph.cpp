#include <atomic>
#include <cstring>

#include "vm/lib/session_node.h"

namespace nvm::lib {

std::uint64_t new_visit() {
  static std::atomic<std::uint64_t> visits = 0;  // of all graphs
  return visits.fetch_add(1, std::memory_order_relaxed) + 1;
}

namespace {

// Operands before what uses them; without recursion, since graphs are deep.
class Order {
 public:
  explicit Order(std::vector<Promise>& order) : order_(order) {}
  void visit(const Promise& root) {
    if (!meet(root)) return;
    while (!open_.empty()) {
      auto& [node, next] = open_.back();
      const auto used = node->used();
      if (next == used.size()) {
        order_.emplace_back(node, 0);
        open_.pop_back();
      } else {
        meet(used[next++]);
      }
    }
  }

 private:
  bool meet(const Promise& promise) {
    Node* node = promise.node();
    if (node->visit == visit_) return false;
    node->visit = visit_;
    open_.emplace_back(node, 0);
    return true;
  }
  std::vector<Promise>& order_;
  std::vector<std::pair<Node*, std::size_t>> open_;
  const std::uint64_t visit_ = new_visit();
};

class Text {
 public:
  explicit Text(int inputs) : height_(inputs) {}
  // What comes from another line than the instruction before it says so, on its own line of the text.
  void place(const Node& node) {
    const auto line_of = node.graph.state().places.line_of;
    if (line_of == nullptr || node.place.code == nullptr) return;
    SourceLine at = line_of(node.place);
    if (at.line <= 0) return;
    for (char& c : at.file)
      if (std::strchr(" \t\n{}", c) != nullptr) c = '_';  // where a name would end
    text_ += "{nvm line " + std::to_string(at.line) + " " + at.file + "} ";
  }
  void instruction(Node& node) {
    for (const Promise& operand : node.used()) copy(operand);
    text_ += node.instruction->text;
    text_ += '\n';
    height_ += node.results() - static_cast<int>(node.used().size());
  }
  void copy(const Promise& promise) {
    const int under = height_ - 1 - (promise.node()->number + promise.index());
    text_ += "COPY 1 " + std::to_string(under) + " ";
    ++height_;
  }
  void end(int results) {
    const int below = height_ - results;
    if (below > 0) text_ += "POP " + std::to_string(below) + " " + std::to_string(results) + " ";
    text_ += "RET\n";
  }
  std::string made() { return std::move(text_); }

 private:
  std::string text_ = "FUNC MAIN\n";
  int height_;
};

}  // namespace

std::vector<Promise> all_below(std::span<const Promise> roots) {
  std::vector<Promise> order;
  Order walk(order);
  for (const Promise& root : roots) walk.visit(root);
  return order;
}

Graph graph_of(std::span<const Promise> stored) {
  Graph graph;
  Order order(graph.order);
  for (const Promise& promise : stored) order.visit(promise);
  int number = 0;
  // What the program finds on the stack lies deepest.
  for (const Promise& promise : graph.order) {
    Node& node = *promise.node();
    if (!node.evaluated() || node.is_constant()) continue;
    node.number = number;
    for (int k = 0; k < node.results(); ++k, ++number) {
      graph.inputs.push_back(*node.values[k]);
      graph.input_kinds.push_back(node.kind(k));
      graph.key.push_back(static_cast<std::uint64_t>(node.kind(k)));
    }
  }
  for (const Promise& promise : graph.order) {
    Node& node = *promise.node();
    if (node.evaluated() && !node.is_constant()) continue;
    node.number = number;
    number += node.results();
    graph.instructions.push_back(promise);
    graph.key.push_back(reinterpret_cast<std::uint64_t>(node.instruction));
    for (const Promise& operand : node.used())
      graph.key.push_back(static_cast<std::uint64_t>(operand.node()->number + operand.index()));
  }
  graph.key.push_back(graph.input_kinds.size());
  for (const Promise& promise : stored)
    graph.key.push_back(static_cast<std::uint64_t>(promise.node()->number));
  return graph;
}

std::string program_text(const Graph& graph, std::span<const Promise> stored, bool lines) {
  Text text(static_cast<int>(graph.inputs.size()));
  for (const Promise& promise : graph.instructions) {
    if (lines) text.place(*promise.node());
    text.instruction(*promise.node());
  }
  int results = 0;
  for (const Promise& promise : stored)
    for (int k = 0; k < promise.node()->results(); ++k, ++results) text.copy({promise.node(), k});
  text.end(results);
  return text.made();
}

}  // namespace nvm::lib
