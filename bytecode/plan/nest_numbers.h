// Numbers of one instance, as values of a nest's body: constants are folded, and sums of lengths are compared
// by what they are sums of.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "bytecode/plan/nest.h"

namespace nvm::plan {

class NestNumbers {
 public:
  explicit NestNumbers(soac::Body& body) : body_(body) {}

  [[nodiscard]] const soac::BodyInst& inst(std::int32_t v) const {
    return body_.insts[static_cast<std::size_t>(v)];
  }
  std::int32_t constant(std::int64_t i);
  // Of an INT or BOOL.
  [[nodiscard]] std::optional<std::int64_t> known(std::int32_t v) const;
  [[nodiscard]] bool is_known(std::int32_t v, std::int64_t i) const { return known(v) == std::optional(i); }
  // A number of a few, such as a number of segments.
  [[nodiscard]] std::optional<std::size_t> few(std::int32_t v) const;
  // Of numbers or elements. INTs are of 64 bits.
  std::int32_t apply(Scalar s, Type type, std::int32_t a, std::int32_t b = kNone, std::int32_t c = kNone);
  std::int32_t sum(std::int32_t a, std::int32_t b) { return apply(Scalar::kAdd, Type::kInt, a, b); }
  // The same INT, whatever the instance?
  [[nodiscard]] bool equal(std::int32_t a, std::int32_t b) const;
  // From now on known to be a length.
  void note_length(std::int32_t v) { lengths_.insert(v); }
  // What is left of a sum without `terms`; nothing unless each is in it once.
  [[nodiscard]] std::optional<std::int32_t> without(std::int32_t v, const std::vector<std::int32_t>& terms);
  // Does it follow from what the recursive call returns?
  [[nodiscard]] bool called(std::int32_t v) const;
  // A sum of lengths?
  [[nodiscard]] bool not_negative(std::int32_t v) const;

 private:
  using Terms = std::map<std::int32_t, std::int64_t>;  // by value, kNone for what is known
  // What is a sum of too many is a term of its own.
  void add_terms(std::int32_t v, std::int64_t factor, int depth, Terms& terms) const;

  static constexpr int kDeepest = 12;
  soac::Body& body_;
  std::set<std::int32_t> lengths_;
};

}  // namespace nvm::plan
