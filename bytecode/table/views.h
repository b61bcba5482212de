// The column `views` of the instruction table: in which forms a vector may stand in place of its elements, by
// who leaves it so and by who reads it. One group of letters for each operand, and behind -> those of the
// first result; a point, or nothing at all, is no letter. A capital letter: the operand may have that form
// only where the result stays such itself (gives).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "bytecode/table/op_info.h"

namespace nvm {

enum class Form : std::uint8_t {
  kUniform,   // u  one element, for all
  kRuns,      // r  numbers counted up in each segment
  kStrided,   // t  the places of a scatter of one value, and that value
  kSpread,    // s  an element for each segment
  kFlags,     // c  a comparison with such
  kPeriodic,  // y  a few numbers over and over
  kSums,      // k  exclusive sums of equal numbers
  kGrowing,   // g  numbers that grow evenly from segment to segment
  kPending,   // a  a scatter that another one completes
  kSlices,    // m  parts of segments, and what is computed from them
  kGather,    // l  elements of another vector by indices
};
inline constexpr std::string_view kFormLetters = "urtscykgaml";

// A set of them.
class Forms {
 public:
  constexpr Forms() = default;
  constexpr Forms(std::initializer_list<Form> forms) {
    for (const Form form : forms) bits_ = static_cast<std::uint16_t>(bits_ | 1U << static_cast<int>(form));
  }
  [[nodiscard]] static constexpr Forms all() { return Forms((1U << kFormLetters.size()) - 1); }
  [[nodiscard]] constexpr bool has(Form form) const { return (bits_ >> static_cast<int>(form) & 1) != 0; }
  [[nodiscard]] constexpr bool any(Forms of) const { return (bits_ & of.bits_) != 0; }
  [[nodiscard]] constexpr bool none() const { return bits_ == 0; }
  [[nodiscard]] constexpr Forms operator&(Forms o) const { return Forms(bits_ & o.bits_); }
  [[nodiscard]] constexpr Forms operator|(Forms o) const { return Forms(bits_ | o.bits_); }
  [[nodiscard]] constexpr Forms without(Forms o) const { return Forms(bits_ & ~o.bits_); }
  friend constexpr bool operator==(Forms, Forms) = default;
  // Calls visit(form) for each.
  template <typename Visit>
  constexpr void each(Visit&& visit) const {
    for (unsigned left = bits_; left != 0; left &= left - 1) visit(static_cast<Form>(lowest(left)));
  }

 private:
  explicit constexpr Forms(unsigned bits) : bits_(static_cast<std::uint16_t>(bits)) {}
  static constexpr int lowest(unsigned bits) {
    int i = 0;
    while ((bits >> i & 1) == 0) ++i;
    return i;
  }
  std::uint16_t bits_ = 0;
};

// One row.
struct OpViews {
  static constexpr std::size_t kMostOperands = 6;
  Forms takes[kMostOperands];       // by operand: as it is
  Forms takes_with[kMostOperands];  // by operand: if the result stays such
  Forms leaves;                     // the first result
  // What the result must stay where an operand is taken in this form on that condition.
  [[nodiscard]] constexpr Forms gives(Form form) const {
    return leaves.has(form) ? Forms{form} : leaves.without({Form::kSlices});
  }
};
[[nodiscard]] const OpViews& op_views(Op op);

// May a primitive find this form at operand `i`, whatever becomes of its result?
[[nodiscard]] inline bool op_takes(Op op, std::size_t i, Form form) {
  return i < OpViews::kMostOperands && op_views(op).takes[i].has(form);
}

// Elementwise, and can it not fail?
[[nodiscard]] inline bool is_total_map(Op op, TypeWord word) {
  const OpInfo& info = op_info(op);
  return info.kind == OpKind::kMap &&
         (info.effect == Effect::kPure || (info.scalar == Scalar::kDiv && word == TypeWord::kFloat));
}

}  // namespace nvm
