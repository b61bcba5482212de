#include <algorithm>
#include <cstdlib>

#include "bytecode/base/budget.h"
#include "bytecode/ssa/facts.h"

namespace nvm::ssa {

namespace {

// Of longer sums nothing is known either: n of them, each a term longer than the one before, cost n * n.
constexpr std::size_t kMostTerms = 64;

}  // namespace

Symbol Symbols::fresh() {
  nodes_.push_back({});
  return static_cast<Symbol>(nodes_.size()) - 1;
}

Symbol Symbols::intern(Node n) {
  check_budget();
  const auto [it, fresh] = index_.try_emplace(std::move(n), static_cast<Symbol>(nodes_.size()));
  if (fresh) nodes_.push_back(it->first);
  return it->second;
}

Symbol Symbols::constant(std::int64_t value) { return intern({Kind::kSum, value, {}}); }

void Symbols::collect(Symbol s, std::int64_t factor, Node& sum) const {
  const Node& n = node(s);
  if (n.kind != Kind::kSum) {
    sum.terms.emplace_back(s, factor);
    return;
  }
  sum.number += factor * n.number;
  for (const auto& [term, count] : n.terms) sum.terms.push_back({term, factor * count});
}

void Symbols::merge(Node& sum) {
  std::sort(sum.terms.begin(), sum.terms.end());
  std::vector<std::pair<Symbol, std::int64_t>> merged;
  for (const auto& [term, count] : sum.terms) {
    if (merged.empty() || merged.back().first != term) merged.push_back({term, 0});
    merged.back().second += count;
  }
  std::erase_if(merged, [](const auto& t) { return t.second == 0; });
  sum.terms = std::move(merged);
}

Symbol Symbols::combine(Symbol a, std::int64_t of_a, Symbol b, std::int64_t of_b) {
  const auto small = [](std::int64_t x) { return x >= -kSmall && x <= kSmall; };
  const auto fits = [&](Symbol s, std::int64_t factor) {
    const Node& n = node(s);
    return small(factor) && (n.kind != Kind::kSum || factor == 0 || small(n.number));
  };
  // What could wrap in a narrower run than this is a number that nothing else is known about.
  const Node opaque{Kind::kOpaque, 0, {{a, of_a}, {b, of_b}}};
  if (!fits(a, of_a) || !fits(b, of_b)) return intern(opaque);
  Node sum{Kind::kSum, 0, {}};
  if (of_a != 0) collect(a, of_a, sum);
  if (of_b != 0) collect(b, of_b, sum);
  merge(sum);
  if (!small(sum.number) || sum.terms.size() > kMostTerms ||
      !std::all_of(sum.terms.begin(), sum.terms.end(), [&](const auto& t) { return small(t.second); }))
    return intern(opaque);
  if (sum.number == 0 && sum.terms.size() == 1 && sum.terms[0].second == 1) return sum.terms[0].first;
  return intern(std::move(sum));
}

}  // namespace nvm::ssa
