#include "frontend/numbering.h"

#include <algorithm>
#include <tuple>

#include "bytecode/base/budget.h"

namespace nvm::frontend::flat {

// Equal operations have equal keys: operands that may be swapped stand in order, comparisons point one way.
Numbering::Key::Key(Op op, TypeWord word, Atoms args) {
  if (op == Op::kGt || op == Op::kGe) {
    op = op == Op::kGt ? Op::kLt : Op::kLe;
    std::swap(args[0], args[1]);
  }
  constexpr Op kSymmetric[] = {Op::kAdd, Op::kMul, Op::kEq, Op::kNe, Op::kAnd, Op::kOr, Op::kXor};
  const bool symmetric = std::find(std::begin(kSymmetric), std::end(kSymmetric), op) != std::end(kSymmetric);
  if (symmetric && word != TypeWord::kFloat && args[0] > args[1]) std::swap(args[0], args[1]);
  parts_ = {static_cast<std::int32_t>(op), static_cast<std::int32_t>(word)};
  parts_.insert(parts_.end(), args.begin(), args.end());
}

std::size_t Numbering::Key::hash() const {
  std::size_t hash = parts_.size();
  for (const std::int32_t part : parts_) {
    hash = (hash ^ static_cast<std::uint32_t>(part)) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 29;
  }
  return hash;
}

Numbering::Key Numbering::Key::with(Atom second, Atom first) const {
  Atoms args(parts_.begin() + kArgs, parts_.end());
  std::replace(args.begin(), args.end(), first, second);
  return {static_cast<Op>(parts_[0]), word(), std::move(args)};
}

void Numbering::open() { open_.push_back({results_.now(), last_use_.now(), uses_.size()}); }

void Numbering::close() {
  const Mark& mark = open_.back();
  results_.back_to(mark.results);
  last_use_.back_to(mark.last_use);
  uses_.erase(uses_.begin() + static_cast<std::ptrdiff_t>(mark.uses), uses_.end());
  open_.pop_back();
}

void Numbering::add(const Key& key, Atoms results) {
  check_budget();
  if (!results_.set_if_new(key, std::move(results))) return;
  for (std::size_t i = 0; i < key.args(); ++i) {
    const std::size_t* last = last_use_.find(key.arg(i));
    if (last != nullptr && uses_[*last].key == key) continue;  // is an argument twice
    uses_.push_back({key, open_.size(), last == nullptr ? std::nullopt : std::optional(*last)});
    last_use_.set(key.arg(i), uses_.size() - 1);
  }
}

Atom Numbering::once(std::int32_t a, std::int32_t b, const std::function<Atom()>& make) {
  const Key key = Key::pair(a, b);
  if (const Atoms* before = find(key)) return before->front();
  const Atom made = make();
  add(key, {made});
  return made;
}

std::vector<const Numbering::Use*> Numbering::uses_of(Atom atom) const {
  std::vector<const Use*> out;
  const std::size_t* last = last_use_.find(atom);
  for (auto at = last == nullptr ? std::nullopt : std::optional(*last); at; at = out.back()->before) {
    check_budget();
    out.push_back(&uses_[*at]);
  }
  std::reverse(out.begin(), out.end());
  return out;
}

void Numbering::equate(Atom first, Atom second) {
  std::vector<std::pair<Key, Atoms>> alike;
  for (const Use* use : uses_of(first)) alike.emplace_back(use->key.with(second, first), *find(use->key));
  for (auto& [key, results] : alike) add(key, std::move(results));
}

std::vector<Numbering::Copies> Numbering::copies_along(Atom segments) const {
  std::vector<const Use*> copies = uses_of(segments);
  std::erase_if(copies, [&](const Use* use) {
    return !use->key.is(Op::kDist) || use->key.args() != 2 || use->key.arg(1) != segments;
  });
  // Outer ones first, else by what is copied.
  const auto order = [](const Use* use) { return std::tuple(use->depth, use->key.word(), use->key.arg(0)); };
  std::sort(copies.begin(), copies.end(), [&](const Use* a, const Use* b) { return order(a) < order(b); });
  std::vector<Copies> out;
  for (const Use* use : copies) out.push_back({use->key.arg(0), use->key.word(), find(use->key)->front()});
  return out;
}

}  // namespace nvm::frontend::flat
