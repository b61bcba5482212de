#include <array>

#include "vm/lib/impl.h"
#include "vm/lib/session_node.h"

namespace nvm::lib {

Range range_of(const Promise& promise) {
  const Node& node = *promise.node();
  if (promise.index() != 0 || promise.kind() != Kind::kInt) return {};
  if (!node.evaluated() || promise.value().size() != 1) return node.each;
  const std::int64_t number = promise.value().int_at(0);
  return {number, number};
}

Range result_range(const Instruction& instruction, std::span<const Promise> operands) {
  if (instruction.kinds[0] != Kind::kInt) return {};
  const OpInfo& info = op_info(instruction.op);
  std::array<Range, 3> ranges;
  for (std::size_t k = 0; k < ranges.size() && k < operands.size(); ++k) ranges[k] = range_of(operands[k]);
  switch (info.kind) {
    case OpKind::kMap: {
      const TypeWord of = info.operands[0] == 'F' ? TypeWord::kFloat : instruction.word;
      return scalar_range(info.scalar, of, 64, {ranges.data(), operands.size()});
    }
    case OpKind::kDist: return ranges[0];
    case OpKind::kGather: return hull(ranges[0], {0, 0});  // zero where a flag is not set
    case OpKind::kIota:                                    // counted up
      return ranges[0] == Range{0, 0} && ranges[1] == Range{1, 1} ? all_lengths(64) : Range{};
    default: return {};
  }
}

int magnitude_of(const Promise& promise) {
  constexpr int kMagnitudes[] = {31, 46};
  const Range range = range_of(promise);
  for (const int bits : kMagnitudes)
    if (range.low >= 0 && range.high >> bits == 0) return bits;
  return 0;
}

}  // namespace nvm::lib
