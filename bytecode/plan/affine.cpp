#include "bytecode/plan/affine.h"

namespace nvm::plan {

using soac::BodyInst;
using soac::kNone;
using soac::Pull;

namespace {

std::optional<PerSegment> per_segment(const BodyInst& in, soac::VarId desc) {
  if (in.type != Type::kInt) return std::nullopt;
  if (in.pull == Pull::kConst) return PerSegment{kNone, in.imm};
  const bool one = in.pull == Pull::kUniform || (in.pull == Pull::kPerSegment && in.desc == desc);
  return one ? std::optional(PerSegment{in.var, 0}) : std::nullopt;
}

bool counts_up(const BodyInst& in, soac::VarId desc) {
  return desc == kNone ? in.pull == Pull::kIndex : in.pull == Pull::kWithin && in.desc == desc;
}

// Of `f(a, b)` in either order: the operand that is one number for each segment, and the other's number.
struct Operands {
  PerSegment number;
  std::int32_t other;
};
std::optional<Operands> operands_of(const soac::Body& body, const BodyInst& in, Scalar f, soac::VarId desc) {
  if (in.pull != Pull::kApply || in.scalar != f || in.type != Type::kInt) return std::nullopt;
  for (const auto& [one, other] : {std::pair(in.a, in.b), std::pair(in.b, in.a)})
    if (const auto number = per_segment(body.insts[static_cast<std::size_t>(one)], desc))
      return Operands{*number, other};
  return std::nullopt;
}

}  // namespace

std::optional<Affine> affine_within(const soac::Body& body, std::int32_t v, soac::VarId desc) {
  const auto inst = [&](std::int32_t i) -> const BodyInst& {
    return body.insts[static_cast<std::size_t>(i)];
  };
  Affine found{{kNone, 0}, {kNone, 1}};
  if (const auto sum = operands_of(body, inst(v), Scalar::kAdd, desc)) {
    found.start = sum->number;
    v = sum->other;
  }
  if (const auto product = operands_of(body, inst(v), Scalar::kMul, desc)) {
    found.stride = product->number;
    v = product->other;
  }
  return counts_up(inst(v), desc) ? std::optional(found) : std::nullopt;
}

bool places_differ(const soac::Body& body, std::int32_t index) {
  const BodyInst& in = body.insts[static_cast<std::size_t>(index)];
  const bool segmented = in.pull == Pull::kSegPlace;
  const auto places = affine_within(body, segmented ? in.a : index, segmented ? in.desc : kNone);
  // Multiplication by an odd number can be undone, however INT wraps.
  return places && places->stride.var == kNone && places->stride.number % 2 != 0;
}

}  // namespace nvm::plan
