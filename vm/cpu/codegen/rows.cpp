#include "vm/cpu/codegen/rows.h"

#include <algorithm>

#include "vm/cpu/routines.h"

namespace nvm::vm::cpu {

std::optional<StageSpec> row_spec(const StageSpec& main) {
  const auto in_place = [](const StageOutput& out) {
    return out.slot.kind == SlotKind::kScratch || out.slot.kind == SlotKind::kOut;
  };
  if (!main.segments.empty() || !main.folds.empty() || !main.packs.empty() || !main.scans.empty() ||
      !std::all_of(main.outputs.begin(), main.outputs.end(), in_place))
    return std::nullopt;
  StageSpec spec = main;
  for (const StageInput& in : main.inputs) {
    const soac::BodyInst& pull = main.body->insts[static_cast<std::size_t>(in.value)];
    if (pull.desc == soac::kNone || (spec.row != soac::kNone && spec.row != pull.desc)) return std::nullopt;
    spec.row = pull.desc;
  }
  if (spec.row == soac::kNone) return std::nullopt;
  spec.inputs.clear();
  spec.stripes = false;
  spec.straight = stretch_indices(spec);
  return spec;
}

Row row_of(const plan::Desc& desc, std::int64_t i) {
  std::int64_t s = seek(desc, i).segment;
  while (segment_offset(desc, s + 1) <= i) ++s;  // empty ones in front
  return {s, segment_offset(desc, s), segment_offset(desc, s + 1)};
}

}  // namespace nvm::vm::cpu
