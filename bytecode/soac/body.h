// The scalar body of a combinator or kernel: a thunk over the index space, in SSA. Value j of a body is what
// its j-th instruction yields at iteration i. A body pulls what it needs (design: SOAC graph): elements at i,
// gathered elements, one value per segment, uniforms, constants, so that INDEX, DIST, BPERMUTE, SELECT and
// conversions never make a pass of their own. Source: lambda-cu, pull thunks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bytecode/table/op_info.h"

namespace nvm::soac {

using VarId = std::int32_t;     // a vector or descriptor of the region or plan
using LengthId = std::int32_t;  // a symbolic length
inline constexpr std::int32_t kNone = -1;

enum class Pull : std::uint8_t {
  kConst,       // imm (Int, Bool) or real
  kUniform,     // the one element of the length-one vector var
  kElement,     // var[i]
  kIndex,       // i
  kPerSegment,  // var[seg(i)]; desc
  kSegment,     // seg(i), the segment number; desc
  kWithin,      // i - offset(seg(i)), the index within the segment; desc
  kGather,      // var[a]; traps unless 0 <= a < length of var; if b >= 0 only where b is T, else zero
  kSegGather,   // var[offset2(seg(i)) + a] with seg by desc (kNone: i itself) and offset2, lengths by desc2;
                // traps unless 0 <= a < length2(seg(i)); if b >= 0 only where b is T, else zero
  kSegPlace,  // offset2(seg(i)) + a: the place, counted from the beginning, of the a-th element of a segment;
              // desc, desc2 and traps as kSegGather; only a scatter's index
  kApply,     // scalar applied to a b c; may trap if the scalar operation does
  kCheck,     // a, which is BOOL; traps where it is T; plans only
  kScanned,   // exclusive scan result of sink `a` of the same kernel at i; plans only
};

struct BodyInst {
  Pull pull = Pull::kConst;
  Type type = Type::kInt;
  Scalar scalar = Scalar::kNoScalar;
  std::int32_t a = kNone, b = kNone, c = kNone;  // earlier values of the body (kScanned: a sink)
  VarId var = kNone;
  VarId desc = kNone, desc2 = kNone;
  std::int64_t imm = 0;
  double real = 0.0;
  friend bool operator==(const BodyInst&, const BodyInst&) = default;
};

struct Body {
  std::vector<BodyInst> insts;
  // Adds an instruction unless an equal one is there, or a plainer one of the same meaning; returns the value
  // number.
  std::int32_t add(const BodyInst& given);
  std::int32_t apply(Scalar s, Type type, std::int32_t a, std::int32_t b = kNone, std::int32_t c = kNone);
};

// Can value i be a run-time error?
[[nodiscard]] bool may_trap(const Body& body, std::size_t i);

// "v3 = add.F v1 v2", one a line; deterministic.
[[nodiscard]] std::string print(const Body& body);

}  // namespace nvm::soac
