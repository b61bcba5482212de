// Values of a body that go up by the same amount from element to element of a segment, as the places of
// `take`, `drop` and `++`: whoever moves by them copies runs instead of computing a place for each element.
#pragma once

#include <optional>

#include "bytecode/soac/body.h"

namespace nvm::plan {

// One number for each segment: `var` has one of all, or one of each; kNone: `number` itself.
struct PerSegment {
  soac::VarId var = soac::kNone;
  std::int64_t number = 0;
  friend bool operator==(const PerSegment&, const PerSegment&) = default;
};

// start + stride * (index within the segment), with the wrap of INT.
struct Affine {
  PerSegment start, stride;
};

// Value `v` of the body within the segments of `desc`, kNone: of the one that the whole space is; nothing if
// it is not known to be affine.
[[nodiscard]] std::optional<Affine> affine_within(const soac::Body& body, std::int32_t v, soac::VarId desc);

// Are the places of a scatter, `index` of the body, known to differ? By segments they are kSegPlace.
[[nodiscard]] bool places_differ(const soac::Body& body, std::int32_t index);

}  // namespace nvm::plan
