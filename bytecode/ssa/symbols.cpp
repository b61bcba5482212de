#include <algorithm>
#include <cstdlib>

#include "bytecode/ssa/facts.h"

namespace nvm::ssa {

Symbol Symbols::fresh() {
  nodes_.push_back({});
  return static_cast<Symbol>(nodes_.size()) - 1;
}

Symbol Symbols::intern(Node n) {
  const auto [it, fresh] = index_.try_emplace(n, static_cast<Symbol>(nodes_.size()));
  if (fresh) nodes_.push_back(n);
  return it->second;
}

Symbol Symbols::constant(std::int64_t value) { return intern({Kind::kConstant, value, 0}); }

Symbol Symbols::add(Symbol a, Symbol b) {
  if (node(a).kind == Kind::kSubtract && node(a).b == b) return static_cast<Symbol>(node(a).a);
  if (node(b).kind == Kind::kSubtract && node(b).b == a) return static_cast<Symbol>(node(b).a);
  if (is_constant(a) && value(a) == 0) return b;
  if (is_constant(b) && value(b) == 0) return a;
  constexpr std::int64_t kNoWrap = 1 << 30;  // below it sums are the same in every width
  if (is_constant(a) && is_constant(b) && std::max(std::abs(value(a)), std::abs(value(b))) < kNoWrap)
    return constant(value(a) + value(b));
  std::vector<Symbol> terms = terms_of(a);
  const std::vector<Symbol> more = terms_of(b);
  terms.insert(terms.end(), more.begin(), more.end());
  return sum(std::move(terms));
}

std::vector<Symbol> Symbols::terms_of(Symbol s) const {
  std::vector<Symbol> terms;
  for (; node(s).kind == Kind::kAdd; s = static_cast<Symbol>(node(s).a))
    terms.push_back(static_cast<Symbol>(node(s).b));
  terms.push_back(s);
  return terms;
}

Symbol Symbols::sum(std::vector<Symbol> terms) {
  std::sort(terms.begin(), terms.end());
  Symbol total = terms[0];
  for (std::size_t i = 1; i < terms.size(); ++i) total = intern({Kind::kAdd, total, terms[i]});
  return total;
}

Symbol Symbols::subtract(Symbol a, Symbol b) {
  if (node(b).kind == Kind::kSubtract && node(b).a == a) return static_cast<Symbol>(node(b).b);
  if (a == b) return constant(0);
  if (node(a).kind == Kind::kAdd) {
    std::vector<Symbol> terms = terms_of(a);
    if (const auto it = std::find(terms.begin(), terms.end(), b); it != terms.end()) {
      terms.erase(it);
      return sum(std::move(terms));
    }
  }
  if (is_constant(b) && value(b) == 0) return a;
  return intern({Kind::kSubtract, a, b});
}

Symbol Symbols::scale(std::int64_t factor, Symbol of) {
  if (factor == 0) return constant(0);
  if (factor == 1) return of;
  return intern({Kind::kScale, factor, of});
}

}  // namespace nvm::ssa
