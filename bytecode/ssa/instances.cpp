#include "bytecode/ssa/instances.h"

#include "bytecode/base/stack.h"

#include <algorithm>

#include "bytecode/base/budget.h"

namespace nvm::ssa {

namespace {

constexpr std::int32_t word_number(TypeWord word) { return static_cast<std::int32_t>(word); }

}  // namespace

Instances::Instances() : groups_{{-1, kNoTerm}} { intern({static_cast<std::int32_t>(Kind::kUnit)}); }

Term Instances::intern(Node node) {
  check_budget();
  const auto [it, fresh] = index_.try_emplace(node, static_cast<Term>(nodes_.size()));
  if (fresh) nodes_.push_back(std::move(node));
  return it->second;
}

Term Instances::parameter(std::int32_t index) {
  return intern({static_cast<std::int32_t>(Kind::kParameter), index});
}
Term Instances::constant(std::int32_t index) {
  return intern({static_cast<std::int32_t>(Kind::kConstant), index});
}

Term Instances::apply(Op op, TypeWord word, std::int32_t index, std::int32_t result,
                      const std::vector<Term>& of) {
  Node node{static_cast<std::int32_t>(Kind::kApply), static_cast<std::int32_t>(op), word_number(word), index,
            result};
  node.insert(node.end(), of.begin(), of.end());
  return intern(std::move(node));
}

Term Instances::fill(Term value, Term sizes) {
  return intern({static_cast<std::int32_t>(Kind::kFill), value, sizes});
}
Term Instances::starts(Term lengths) { return intern({static_cast<std::int32_t>(Kind::kStarts), lengths}); }
Term Instances::iota(Term lengths) { return intern({static_cast<std::int32_t>(Kind::kIota), lengths}); }

namespace {

// How apply() lays out its node.
constexpr std::size_t kOpAt = 1, kFirstOperand = 5;

bool is_op(const std::vector<std::int32_t>& node, Op op) {
  return node.size() > kFirstOperand && node[kOpAt] == static_cast<std::int32_t>(op);
}

}  // namespace

Term Instances::negate(Term flag) {
  if (is(flag, Kind::kApply) && is_op(node(flag), Op::kNot)) return node(flag)[kFirstOperand];
  return apply(Op::kNot, TypeWord::kBool, 0, 0, {flag});
}

Term Instances::merge(Term flag, Term yes, Term no) {
  if (is(flag, Kind::kApply) && is_op(node(flag), Op::kNot)) return merge(negate(flag), no, yes);
  yes = assume(yes, flag);
  no = assume(no, negate(flag));
  if (yes == no) return yes;
  return intern({static_cast<std::int32_t>(Kind::kMerge), flag, yes, no});
}

std::optional<Term> Instances::filled(Term t) const {
  if (!is(t, Kind::kFill)) return std::nullopt;
  return node(t)[1];
}

std::optional<std::int32_t> Instances::constant_of(Term t) const {
  if (!is(t, Kind::kConstant)) return std::nullopt;
  return node(t)[1];
}

std::vector<Term> Instances::operands_of(Term t, Op op) const {
  if (!is(t, Kind::kApply) || !is_op(node(t), op)) return {};
  return {node(t).begin() + kFirstOperand, node(t).end()};
}

Term Instances::distributed_over(Term t) const {
  return is(t, Kind::kApply) && is_op(node(t), Op::kDist) ? node(t)[kFirstOperand + 1] : kNoTerm;
}

std::optional<Term> Instances::flag_as_number(Term t) const {
  if (!is(t, Kind::kApply) || !is_op(node(t), Op::kBtoI)) return std::nullopt;
  return node(t)[kFirstOperand];
}

Term Instances::assume(Term t, Term flag) {
  check_stack();
  if (is(t, Kind::kStarts)) return starts(assume(node(t)[1], flag));
  if (is(t, Kind::kIota)) return iota(assume(node(t)[1], flag));
  // Merges are canonical, so their flag is no negation.
  while (is(t, Kind::kMerge)) {
    if (node(t)[1] == flag)
      t = node(t)[2];
    else if (node(t)[1] == negate(flag))
      t = node(t)[3];
    else
      break;
  }
  return t;
}

Group Instances::where(Group g, Term flag) {
  const auto [it, fresh] = group_index_.try_emplace({g, flag}, static_cast<Group>(groups_.size()));
  if (fresh) groups_.emplace_back(g, flag);
  return it->second;
}

Term Instances::within(Term t, Group g) {
  for (; g != kAll; g = groups_[static_cast<std::size_t>(g)].first)
    t = assume(t, groups_[static_cast<std::size_t>(g)].second);
  return t;
}

std::optional<Term> Instances::chosen_by(Group part, Group whole) const {
  const auto& [parent, flag] = groups_[static_cast<std::size_t>(part)];
  if (part == kAll || parent != whole) return std::nullopt;
  return flag;
}

bool Instances::descends(Group part, Group of) const {
  while (part != of && part != kAll) part = groups_[static_cast<std::size_t>(part)].first;
  return part == of;
}

Group Instances::collapse(Group g, Group whole, Term flag) {
  check_stack();
  if (g == kAll || !descends(g, whole)) return g;
  const auto [parent, chosen] = groups_[static_cast<std::size_t>(g)];
  if (parent == whole && chosen == flag) return whole;
  return g == whole ? g : where(collapse(parent, whole, flag), assume(chosen, flag));
}

Total Instances::collapse(const Total& t, Group whole, Term flag) {
  check_stack();
  const Group none = where(whole, negate(flag));
  Total out;
  for (const auto& [group, term] : t)
    if (!descends(group, none)) out.emplace_back(collapse(group, whole, flag), assume(term, flag));
  std::sort(out.begin(), out.end());
  return out;
}

// Merges fall into their two groups, as deep as conditionals usually nest; what is left unexpanded is right,
// only not canonical.
void Instances::expand(Group g, Term t, int depth, Total& out) {
  check_budget();
  check_stack();
  constexpr int kMaxDepth = 32;
  constexpr std::size_t kMaxTerms = 64;
  t = within(t, g);
  if (!is(t, Kind::kMerge) || depth > kMaxDepth || out.size() > kMaxTerms) {
    out.emplace_back(g, t);
    return;
  }
  const Node merged = node(t);
  expand(where(g, merged[1]), merged[2], depth + 1, out);
  expand(where(g, negate(merged[1])), merged[3], depth + 1, out);
}

Total Instances::total(Group g, Term t) {
  Total out;
  expand(g, t, 0, out);
  std::sort(out.begin(), out.end());
  return out;
}

Total Instances::add(const Total& a, const Total& b) const {
  Total out = a;
  out.insert(out.end(), b.begin(), b.end());
  std::sort(out.begin(), out.end());
  return out;
}

std::optional<Total> Instances::subtract(const Total& a, const Total& b) {
  if (std::includes(a.begin(), a.end(), b.begin(), b.end())) {
    Total out;
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
    return out;
  }
  // All less those with a flag: those without it.
  if (a.size() == 1 && b.size() == 1 && a[0].second == b[0].second)
    if (const auto flag = chosen_by(b[0].first, a[0].first))
      return total(where(a[0].first, negate(*flag)), a[0].second);
  return std::nullopt;
}

// Groups that are the two halves of one are put together, the smallest first, until one is left.
std::optional<std::pair<Group, Term>> Instances::whole(const Total& t) {
  Total parts = t;
  const auto join_two = [&] {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto [parent, flag] = groups_[static_cast<std::size_t>(parts[i].first)];
      if (parent < 0) continue;
      const Group other = where(parent, negate(flag));
      for (std::size_t j = i + 1; j < parts.size(); ++j) {
        if (parts[j].first != other) continue;
        parts[i] = {parent, merge(flag, parts[i].second, parts[j].second)};
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(j));
        return true;
      }
    }
    return false;
  };
  while (parts.size() > 1 && join_two()) {
  }
  if (parts.size() != 1) return std::nullopt;
  return parts[0];
}

}  // namespace nvm::ssa
