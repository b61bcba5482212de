#include "bytecode/plan/value_ranges.h"

#include <algorithm>
#include <array>

#include "bytecode/base/at.h"

namespace nvm::plan {

namespace {

using soac::BodyInst;
using soac::Pull;

Range range_of(Storage storage) {
  if (storage == Storage::kB8) return {0, 1};
  return all_ints(static_cast<int>(8 * storage_bytes(storage)));
}

Range range_of(const BodyInst& in, const Body& body, std::span<const Var> vars, IntBits int_bits,
               const std::vector<Range>& before) {
  const int bits = int_bits == IntBits::k64 ? 64 : 32;
  if (in.type == Type::kBool) return {0, 1};
  switch (in.pull) {
    case Pull::kConst: return in.type == Type::kInt ? Range{in.imm, in.imm} : Range{};
    case Pull::kElement:
    case Pull::kGather:  // or zero
    case Pull::kSegGather:
    case Pull::kPerSegment: return in.type == Type::kInt ? range_of(vars[at(in.var)].storage) : Range{};
    case Pull::kIndex:
    case Pull::kSegment:
    case Pull::kWithin:
    case Pull::kSegPlace: return all_lengths(bits);
    case Pull::kApply: {
      std::array<Range, 3> args;
      std::size_t count = 0;
      for (const std::int32_t a : {in.a, in.b, in.c})
        if (a != kNone) args[count++] = before[at(a)];
      const Type of = body.insts[at(in.a)].type;
      const TypeWord word = of == Type::kFloat  ? TypeWord::kFloat
                            : of == Type::kBool ? TypeWord::kBool
                                                : TypeWord::kInt;
      if (in.type != Type::kInt) return {};
      return scalar_range(in.scalar, in.scalar == Scalar::kSelect ? TypeWord::kInt : word, bits,
                          {args.data(), count});
    }
    default: return {};
  }
}

}  // namespace

std::vector<Range> value_ranges(const Body& body, std::span<const Var> vars, IntBits bits,
                                std::optional<std::int64_t> length, const Range& uniform) {
  std::vector<Range> ranges;
  for (const BodyInst& in : body.insts) {
    const bool counts = in.pull == Pull::kIndex || in.pull == Pull::kWithin;
    ranges.push_back(counts && length ? Range{0, std::max<std::int64_t>(*length - 1, 0)}
                     : in.pull == Pull::kUniform && in.type == Type::kInt
                         ? uniform
                         : range_of(in, body, vars, bits, ranges));
  }
  return ranges;
}

}  // namespace nvm::plan
