#include "frontend/remora/values.h"

#include <algorithm>
#include <stdexcept>

#include "bytecode/base/stack.h"

namespace nvm::remora {

void Meaning::measure() {
  size_ = candidates.size();
  for (const Candidate& c : candidates)
    for (const Captured& x : c.captured)
      if (x.meaning != nullptr) size_ += x.meaning->size();
  for (const MeaningRef& m : parts)
    if (m != nullptr) size_ += m->size();
  if (size_ > kMostFunctions) throw TooLarge{"set of functions that a value may be"};
}

std::size_t Meaning::number_of(const Candidate& c) const {
  for (std::size_t k = 0; k < candidates.size(); ++k)
    if (same(candidates[k], c)) return k;
  throw std::logic_error("a function that its value was not known to be");
}

MeaningRef meaning_of_parts(std::vector<MeaningRef> parts) {
  if (std::all_of(parts.begin(), parts.end(), [](const MeaningRef& m) { return m == nullptr; }))
    return nullptr;
  auto m = std::make_shared<Meaning>();
  m->parts = std::move(parts);
  m->measure();
  return m;
}

MeaningRef meaning_of(Candidate c) {
  auto m = std::make_shared<Meaning>();
  m->candidates.push_back(std::move(c));
  m->measure();
  return m;
}

namespace {

template <typename Map, typename Equal>
bool same_map(const Map& a, const Map& b, Equal equals) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [&](const auto& x, const auto& y) {
           return x.first == y.first && equals(x.second, y.second);
         });
}

bool same_substitution(const Substitution& a, const Substitution& b) {
  return a.dims == b.dims && a.shapes == b.shapes &&
         same_map(a.atoms, b.atoms, [](const AtomRef& x, const AtomRef& y) { return equal(x, y); }) &&
         same_map(a.arrays, b.arrays, [](const Type& x, const Type& y) { return equal(x, y); });
}

bool same(const Captured& a, const Captured& b) {
  if (a.value != b.value || a.index != b.index || a.function != b.function) return false;
  return a.index != kNoVar || (equal(a.type, b.type) && same(a.meaning, b.meaning));
}

bool same_scope(const Candidate& a, const Candidate& b) {
  if (a.scope == b.scope || a.scope == nullptr || b.scope == nullptr) return a.scope == b.scope;
  return a.packed && same_substitution(a.scope->substitution, b.scope->substitution);
}

}  // namespace

bool same(const Candidate& a, const Candidate& b) {
  check_stack();
  const auto is_same = [](const auto& x, const auto& y) { return same(x, y); };
  const auto is_equal = [](const Type& x, const Type& y) { return equal(x, y); };
  const bool library = a.expr->kind == ExprKind::kLibrary && b.expr->kind == ExprKind::kLibrary;
  return (a.expr == b.expr || (library && a.expr->library == b.expr->library)) && a.packed == b.packed &&
         a.indices == b.indices &&
         std::equal(a.types.begin(), a.types.end(), b.types.begin(), b.types.end(), is_equal) &&
         std::equal(a.captured.begin(), a.captured.end(), b.captured.begin(), b.captured.end(), is_same) &&
         same_scope(a, b);
}

bool same(const MeaningRef& a, const MeaningRef& b) {
  check_stack();
  if (a == b) return true;
  if (a == nullptr || b == nullptr) return false;
  const auto is_same = [](const auto& x, const auto& y) { return same(x, y); };
  return std::equal(a->candidates.begin(), a->candidates.end(), b->candidates.begin(), b->candidates.end(),
                    is_same) &&
         std::equal(a->parts.begin(), a->parts.end(), b->parts.begin(), b->parts.end(), is_same);
}

MeaningRef united(const MeaningRef& a, const MeaningRef& b) {
  check_stack();
  if (a == nullptr || a == b) return b;
  if (b == nullptr) return a;
  auto m = std::make_shared<Meaning>(*a);
  for (const Candidate& c : b->candidates)
    if (std::none_of(m->candidates.begin(), m->candidates.end(),
                     [&](const Candidate& x) { return same(x, c); }))
      m->candidates.push_back(c);
  m->parts.resize(std::max(a->parts.size(), b->parts.size()));
  for (std::size_t k = 0; k < b->parts.size(); ++k) m->parts[k] = united(m->parts[k], b->parts[k]);
  m->measure();
  return m;
}

}  // namespace nvm::remora
