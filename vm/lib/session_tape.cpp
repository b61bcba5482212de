#include <stdexcept>
#include <unordered_map>

#include "vm/lib/session_node.h"

namespace nvm::lib {

Promise ExpressionGraph::parameter(Kind kind, int magnitude) {
  auto* node = new Node(*this);
  node->given_kind = kind;
  if (magnitude != 0) node->each = {0, (std::int64_t{1} << magnitude) - 1};
  return {node, 0};
}

Tape::Tape(std::span<const Promise> inputs, std::span<const Promise> results) : inputs_(inputs.size()) {
  const std::vector<Promise> order = all_below(results);
  // The first value of each node, by its number; what is kept stands behind the inputs.
  std::unordered_map<const Node*, std::uint32_t> numbers;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (inputs[k].index() != 0) throw std::invalid_argument("an input is a first result");
    numbers.emplace(inputs[k].node(), static_cast<std::uint32_t>(k));
  }
  const auto is_step = [&](const Promise& p) {
    const Node& node = *p.node();
    return !node.evaluated() && node.instruction != nullptr;
  };
  const auto next = [&](const Promise& p, std::size_t& values) {
    if (!numbers.emplace(p.node(), static_cast<std::uint32_t>(values)).second) return false;
    values += static_cast<std::size_t>(p.node()->results());
    return true;
  };
  values_ = inputs_;
  for (const Promise& p : order) {
    if (is_step(p) || !next(p, values_)) continue;
    if (!p.evaluated()) throw std::invalid_argument("a parameter is no input");
    for (int k = 0; k < p.node()->results(); ++k) kept_.emplace_back(p.node(), k);
  }
  for (const Promise& p : order) {
    if (!is_step(p) || !next(p, values_)) continue;
    Step step{p.node()->instruction, {}};
    for (std::size_t k = 0; k < p.node()->used().size(); ++k) {
      const Promise& operand = p.node()->operands[k];
      step.operands[k] = numbers.at(operand.node()) + static_cast<std::uint32_t>(operand.index());
    }
    steps_.push_back(step);
  }
  for (const Promise& result : results)
    results_.push_back(numbers.at(result.node()) + static_cast<std::uint32_t>(result.index()));
}

std::vector<Promise> Tape::record(std::span<const Promise> inputs) const {
  std::vector<Promise> values;
  values.reserve(values_);
  values.assign(inputs.begin(), inputs.end());
  values.insert(values.end(), kept_.begin(), kept_.end());
  for (const Step& step : steps_) {
    Promise operands[kMostOperands];
    const auto n = static_cast<std::size_t>(operands_of(*step.instruction));
    for (std::size_t k = 0; k < n; ++k) operands[k] = values[step.operands[k]];
    const Promise first = lib::record(*step.instruction, {operands, n});
    for (int k = 0; k < results_of(*step.instruction); ++k) values.emplace_back(first.node(), k);
  }
  std::vector<Promise> results;
  results.reserve(results_.size());
  for (const std::uint32_t number : results_) results.push_back(values[number]);
  return results;
}

}  // namespace nvm::lib
