// What a value of a function is where there is one instance, for those who build nests.
#pragma once

#include <vector>

#include "bytecode/plan/nest.h"

namespace nvm::plan {

struct Meaning {
  enum class Kind : std::uint8_t {
    kNothing,
    kRow,     // a vector of `numbers`
    kShape,   // a descriptor: the lengths of its segments are `numbers`
    kList,    // a vector of as many elements as the instance has somewhere
    kPlaces,  // INDEX: from `numbers` on, one after the other, `lengths` of each
    kPieces,  // put together of these, `list.length` elements
    kCalled,  // vector `result` of those that the recursive call returns, in segments of `lengths`
  };
  Kind kind = Kind::kNothing;
  std::vector<std::int32_t> numbers, lengths;
  NestList list;
  std::vector<NestPiece> pieces;
  std::int32_t result = kNone;

  [[nodiscard]] static Meaning row(std::vector<std::int32_t> numbers) {
    return {Kind::kRow, std::move(numbers), {}, {}, {}, kNone};
  }
  [[nodiscard]] static Meaning shape(std::vector<std::int32_t> lengths) {
    return {Kind::kShape, std::move(lengths), {}, {}, {}, kNone};
  }
  [[nodiscard]] static Meaning of(const NestList& list) { return {Kind::kList, {}, {}, list, {}, kNone}; }
  [[nodiscard]] bool is(Kind k) const { return kind == k; }
  [[nodiscard]] bool one_number() const { return kind == Kind::kRow && numbers.size() == 1; }
};

}  // namespace nvm::plan
