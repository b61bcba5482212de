#include <algorithm>

#include "bytecode/base/budget.h"
#include "bytecode/ssa/facts.h"

namespace nvm::ssa {

namespace {

// Of longer sums nothing is known either: n of them, each a term longer than the one before, cost n * n.
constexpr std::size_t kMostTerms = 64;

std::uint64_t mix(std::uint64_t hash, std::int64_t with) {
  hash = (hash ^ static_cast<std::uint64_t>(with)) * 0x9e3779b97f4a7c15U;
  return hash ^ (hash >> 29);
}

}  // namespace

Symbol Symbols::fresh() {
  nodes_.emplace_back();
  return static_cast<Symbol>(nodes_.size()) - 1;
}

Symbol Symbols::intern(Kind kind, std::int64_t number, std::span<const Term> of) {
  check_budget();
  if (2 * interned_ >= table_.size()) grow();
  const std::size_t mask = table_.size() - 1;
  std::size_t at = hash_of(kind, number, of) & mask;
  for (; table_[at] != kNoSymbol; at = (at + 1) & mask) {
    const Node& n = node(table_[at]);
    const std::span<const Term> known = terms(n);
    if (n.kind == kind && n.number == number && std::equal(known.begin(), known.end(), of.begin(), of.end()))
      return table_[at];
  }
  table_[at] = static_cast<Symbol>(nodes_.size());
  ++interned_;
  nodes_.push_back(
      {kind, static_cast<std::uint32_t>(terms_.size()), static_cast<std::uint32_t>(of.size()), number});
  terms_.insert(terms_.end(), of.begin(), of.end());
  return table_[at];
}

std::uint64_t Symbols::hash_of(Kind kind, std::int64_t number, std::span<const Term> of) {
  std::uint64_t hash = mix(static_cast<std::uint64_t>(kind), number);
  for (const auto& [term, count] : of) hash = mix(mix(hash, term), count);
  return hash;
}

void Symbols::grow() {
  std::vector<Symbol> before(std::max<std::size_t>(32, 2 * table_.size()), kNoSymbol);
  before.swap(table_);
  for (const Symbol s : before) {
    if (s == kNoSymbol) continue;
    std::size_t at = hash_of(node(s).kind, node(s).number, terms(node(s))) & (table_.size() - 1);
    while (table_[at] != kNoSymbol) at = (at + 1) & (table_.size() - 1);
    table_[at] = s;
  }
}

Symbol Symbols::constant(std::int64_t value) { return intern(Kind::kSum, value, {}); }

std::int64_t Symbols::add_up(const Term& a, const Term& b) {
  sum_.clear();
  std::int64_t number = 0;
  const auto parts = [&](const Term& t) {
    const Node& n = node(t.first);
    if (t.second == 0) return std::span<const Term>{};
    if (n.kind != Kind::kSum) return std::span<const Term>{&t, 1};
    number += t.second * n.number;
    return terms(n);
  };
  const auto factor = [&](const Term& t) { return node(t.first).kind == Kind::kSum ? t.second : 1; };
  const std::span<const Term> left = parts(a), right = parts(b);
  const std::int64_t of_left = factor(a), of_right = factor(b);
  for (auto l = left.begin(), r = right.begin(); l != left.end() || r != right.end();) {
    const bool take_left = r == right.end() || (l != left.end() && l->first <= r->first);
    const bool take_right = l == left.end() || (r != right.end() && r->first <= l->first);
    Term next{take_left ? l->first : r->first, 0};
    if (take_left) next.second += of_left * l++->second;
    if (take_right) next.second += of_right * r++->second;
    if (next.second != 0) sum_.push_back(next);
  }
  return number;
}

Symbol Symbols::combine(Symbol a, std::int64_t of_a, Symbol b, std::int64_t of_b) {
  const auto small = [](std::int64_t x) { return x >= -kSmall && x <= kSmall; };
  const auto fits = [&](Symbol s, std::int64_t factor) {
    const Node& n = node(s);
    return small(factor) && (n.kind != Kind::kSum || factor == 0 || small(n.number));
  };
  const Term both[] = {{a, of_a}, {b, of_b}};
  // What could wrap in a narrower run than this is a number that nothing else is known about.
  if (!fits(a, of_a) || !fits(b, of_b)) return intern(Kind::kOpaque, 0, both);
  const std::int64_t number = add_up(both[0], both[1]);
  if (!small(number) || sum_.size() > kMostTerms ||
      !std::all_of(sum_.begin(), sum_.end(), [&](const Term& t) { return small(t.second); }))
    return intern(Kind::kOpaque, 0, both);
  if (number == 0 && sum_.size() == 1 && sum_[0].second == 1) return sum_[0].first;
  return intern(Kind::kSum, number, sum_);
}

}  // namespace nvm::ssa
