// What one instance of a frame computes, as terms: the algebra behind find_lifted.
//
// A frame has instances; most values of a lifted function are one piece per instance, laid end to end. A Term
// names what a piece is, as a function of the instance's own parameters; equal terms are equal pieces. A
// Group is a set of instances: all of the frame, or those of another group whose flag is T.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "bytecode/ssa/ssa.h"

namespace nvm::ssa {

using Term = std::int32_t;
using Group = std::int32_t;
inline constexpr Group kAll = 0;  // every instance of the frame
inline constexpr Term kUnit = 0;  // one element, the number 1
inline constexpr Term kNoTerm = -1;

// A number that is a sum over instances: over each group, the sum of the elements of the term's piece.
// Canonical: sorted, merges split into their two groups.
using Total = std::vector<std::pair<Group, Term>>;

class Instances {
 public:
  Instances();

  // ---- terms, each stored once
  Term parameter(std::int32_t index);
  Term constant(std::int32_t index);  // into Module::constants
  // Result `result` of an instruction (calls: `index` is the callee) on these pieces.
  Term apply(Op op, TypeWord word, std::int32_t index, std::int32_t result, const std::vector<Term>& of);
  Term fill(Term value, Term sizes);         // copies of an invariant value, as many as the sum of `sizes`
  Term starts(Term lengths);                 // where each segment begins, from the instance's own beginning
  Term iota(Term lengths);                   // 0, 1, ... up to the sum of `lengths`
  Term negate(Term flag);                    // one flag per instance
  Term merge(Term flag, Term yes, Term no);  // per instance `yes` where the flag is T, else `no`
  [[nodiscard]] std::optional<Term> filled(Term t) const;               // the value of a fill
  [[nodiscard]] std::optional<std::int32_t> constant_of(Term t) const;  // its index
  [[nodiscard]] std::vector<Term> operands_of(Term t, Op op) const;     // none of another instruction
  [[nodiscard]] Term distributed_over(Term t) const;                    // of a DIST: the lengths
  [[nodiscard]] std::optional<Term> flag_as_number(Term t) const;       // the flag of a B_TO_I
  // The term among instances whose flag is T.
  Term assume(Term t, Term flag);

  // ---- groups
  Group where(Group g, Term flag);
  // The term among the instances of a group.
  Term within(Term t, Group g);
  // The flag by which `part` is chosen from `whole`; none if it is not chosen directly from it.
  [[nodiscard]] std::optional<Term> chosen_by(Group part, Group whole) const;

  // Is `part` chosen from `of`, in any number of steps, or `of` itself?
  [[nodiscard]] bool descends(Group part, Group of) const;
  // The group when all of `whole` have the flag, so that those chosen by it are `whole`.
  Group collapse(Group g, Group whole, Term flag);

  // The group that `g` is chosen from and the flag; none for kAll.
  [[nodiscard]] std::optional<std::pair<Group, Term>> parent(Group g) const {
    if (g == kAll) return std::nullopt;
    return groups_[static_cast<std::size_t>(g)];
  }

  // ---- totals
  Total total(Group g, Term t);
  // The total when all of `whole` have the flag.
  Total collapse(const Total& t, Group whole, Term flag);
  Total add(const Total& a, const Total& b) const;
  std::optional<Total> subtract(const Total& a, const Total& b);
  // The total as one term over one group, if it is that.
  std::optional<std::pair<Group, Term>> whole(const Total& t);

 private:
  enum class Kind : std::int8_t { kUnit, kParameter, kConstant, kApply, kFill, kStarts, kIota, kMerge };
  using Node = std::vector<std::int32_t>;  // kind, then what it is made of
  Term intern(Node node);
  [[nodiscard]] const Node& node(Term t) const { return nodes_[static_cast<std::size_t>(t)]; }
  [[nodiscard]] bool is(Term t, Kind kind) const { return node(t)[0] == static_cast<std::int32_t>(kind); }
  void expand(Group g, Term t, int depth, Total& out);

  std::vector<Node> nodes_;
  std::map<Node, Term> index_;
  std::vector<std::pair<Group, Term>> groups_;  // parent and flag
  std::map<std::pair<Group, Term>, Group> group_index_;
};

}  // namespace nvm::ssa
