// The graph behind promises (session.h).
#pragma once

#include <unordered_map>

#include "bytecode/table/op_info.h"
#include "bytecode/table/ranges.h"
#include "vm/lib/session.h"
#include "vm/prims/prims.h"

namespace nvm::lib {

class Instruction {
 public:
  std::string text;
  Op op{};
  TypeWord word = TypeWord::kNone;
  vm::PrimFn execute = nullptr;  // null: a constant
  std::uint8_t operands = 0;
  std::uint8_t results = 1;
  bool pure = true;  // it cannot fail, so one promise stands for all that would be alike
  Kind kinds[2] = {Kind::kInt, Kind::kInt};
  std::optional<Value> constant;
};

// One instruction, or one value that was given. A node that is evaluated has its values and no operands.
struct Node {
  explicit Node(ExpressionGraph& of) : graph(of) {}

  ExpressionGraph& graph;
  const Instruction* instruction = nullptr;  // null: given
  Promise operands[kMostOperands];
  std::optional<Value> values[2];
  Place place;
  std::int64_t few = 0;     // of what is evaluated: how many elements and segments there are at most
  std::uint64_t visit = 0;  // of the walk that met it last
  int refs = 0;
  int depth = 0;
  int uses = 0;                  // of the walk: operands that it is
  int number = 0;                // of the walk: its first value among all
  Node* next_in_list = nullptr;  // ValueNumbers; of a node that is let go of: the next one
  std::size_t hash = 0;          // ValueNumbers; 0: it is not there
  Kind given_kind = Kind::kInt;
  Range each;  // of INT, what was not executed at once: between which numbers its elements are

  [[nodiscard]] bool evaluated() const { return values[0].has_value(); }
  [[nodiscard]] bool is_constant() const { return instruction != nullptr && instruction->execute == nullptr; }
  [[nodiscard]] int results() const { return instruction == nullptr ? 1 : instruction->results; }
  [[nodiscard]] Kind kind(int k) const { return instruction == nullptr ? given_kind : instruction->kinds[k]; }
  [[nodiscard]] std::span<Promise> used() {
    return {operands, instruction == nullptr || evaluated() ? 0U : instruction->operands};
  }
  void evaluate(int k, Value value);
  void drop_operands();
  void drop_place();
};

// Promises of pure instructions by instruction and operands: what is recorded twice while somebody holds it
// is one promise. Holds none of them.
class ValueNumbers {
 public:
  // Null if there is none.
  [[nodiscard]] Node* find(const Instruction& instruction, std::span<const Promise> operands) const;
  void add(Node& node);
  void remove(Node& node);  // if it is there

 private:
  void grow();
  [[nodiscard]] Node** place(std::size_t hash) { return &buckets_[hash & (buckets_.size() - 1)]; }

  std::vector<Node*> buckets_ = std::vector<Node*>(64);  // a power of two
  std::size_t nodes_ = 0;
};

struct ExpressionGraph::State {
  Places places;
  std::uint64_t recorded = 0;
  ValueNumbers numbers;
  std::unordered_map<std::uint64_t, Promise> ints, floats;  // constants by their bits
  Promise flags[2];
  bool keeps_dead = false;
  Node* dead = nullptr;

  // Without operands and place.
  void bury(Node* node) {
    if (keeps_dead)
      node->next_in_list = std::exchange(dead, node);
    else
      delete node;
  }
};

// What computes some nodes from the values that they stand on. The key of a graph's shape; equal keys have
// equal programs.
struct Graph {
  std::vector<Promise> order;  // operands before what uses them
  std::vector<Value> inputs;
  std::vector<Kind> input_kinds;
  std::vector<std::uint64_t> key;
  std::vector<Promise> instructions;  // by line of the program's text, from its second line on
};
// Nodes and what they stand on, operands before what uses them.
[[nodiscard]] std::vector<Promise> all_below(std::span<const Promise> roots);
[[nodiscard]] Graph graph_of(std::span<const Promise> stored);
// With the host's lines if `lines`.
[[nodiscard]] std::string program_text(const Graph& graph, std::span<const Promise> stored, bool lines);

// Are all of them values of a few elements, on which instructions are executed at once?
[[nodiscard]] bool all_few(std::span<const Promise> operands);
// One number as `n` > 1 elements without memory: for operands of scalar operations that are executed at once.
// record() makes a vector of it where it must.
[[nodiscard]] Promise repeated(ExpressionGraph& graph, const vm::Vector& number, std::int64_t n);
[[nodiscard]] Promise written(const Promise& promise);

// Between which numbers the elements of a first result are that an instruction makes of these.
[[nodiscard]] Range result_range(const Instruction& instruction, std::span<const Promise> operands);

// Begins a walk over a graph; nodes with this `visit` were met.
[[nodiscard]] std::uint64_t new_visit();

}  // namespace nvm::lib
