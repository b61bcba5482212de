#include "vm/cpu/codegen/rows.h"

#include <algorithm>

#include "vm/cpu/routines.h"

namespace nvm::vm::cpu {

namespace {

using soac::BodyInst;
using soac::kNone;

const BodyInst& inst(const StageSpec& spec, std::int32_t v) {
  return spec.body->insts[static_cast<std::size_t>(v)];
}

}  // namespace

std::optional<StageSpec> row_spec(const StageSpec& main) {
  const auto in_place = [](const StageOutput& out) {
    return out.slot.kind == SlotKind::kScratch || out.slot.kind == SlotKind::kOut;
  };
  if (!main.folds.empty() || !main.packs.empty() || !main.scans.empty() ||
      !std::all_of(main.outputs.begin(), main.outputs.end(), in_place))
    return std::nullopt;
  StageSpec spec = main;
  const auto joins = [&spec](std::int32_t desc) {
    if (spec.row == kNone) spec.row = desc;
    return desc != kNone && spec.row == desc;
  };
  for (const StageInput& in : main.inputs)
    if (!joins(inst(main, in.value).desc)) return std::nullopt;
  for (const StageSegments& s : main.segments) {
    const BodyInst& in = inst(main, s.value);
    if (in.pull != soac::Pull::kSegGather || !joins(in.desc) || in.desc2 != in.desc) return std::nullopt;
  }
  if (spec.row == kNone) return std::nullopt;
  spec.inputs.clear();
  spec.segments.clear();
  spec.stripes = false;
  spec.straight = stretch_indices(spec);
  const auto& loads = spec.straight.gathers;
  const bool all_loads = std::all_of(main.segments.begin(), main.segments.end(), [&](const StageSegments& s) {
    return std::find(loads.begin(), loads.end(), s.value) != loads.end();
  });
  return all_loads ? std::optional(std::move(spec)) : std::nullopt;
}

Row row_of(const plan::Desc& desc, std::int64_t i) {
  std::int64_t s = seek(desc, i).segment;
  while (segment_offset(desc, s + 1) <= i) ++s;  // empty ones in front
  return {s, segment_offset(desc, s), segment_offset(desc, s + 1)};
}

}  // namespace nvm::vm::cpu
