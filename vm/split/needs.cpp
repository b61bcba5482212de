#include "vm/split/needs.h"

#include <algorithm>

#include "bytecode/plan/fission.h"

namespace nvm::vm {

namespace {

using plan::Need;
using soac::kNone;

std::int64_t offset(const plan::Desc& d, std::int64_t s) {
  return d.offsets != nullptr ? d.offsets[s] : s * d.regular_length;
}

// The first segment that begins at element `at` or behind it.
std::int64_t first_from(const plan::Desc& d, std::int64_t at) {
  if (at == 0) return 0;
  if (d.offsets != nullptr) return std::lower_bound(d.offsets, d.offsets + d.segments + 1, at) - d.offsets;
  return d.regular_length == 0 ? d.segments : (at + d.regular_length - 1) / d.regular_length;
}

ElementRange segments(const plan::Desc& d, const plan::Part& part) {
  const std::int64_t first = first_from(d, part.begin);
  const bool inside = first > d.segments || (first > 0 && offset(d, first) > part.begin);
  return {first - (inside ? 1 : 0), std::min(first_from(d, part.end), d.segments)};
}

ElementRange need_of(const plan::Plan& plan, const soac::BodyInst& in, Need need, const plan::Part& part,
                     std::int64_t length, std::span<const plan::Desc> descs) {
  const auto desc = [&](plan::VarId v) {
    plan::Desc d = descs[static_cast<std::size_t>(v)];
    if (plan.vars[static_cast<std::size_t>(v)].form == plan::DescForm::kOneSegment) d = {1, d.total, d.total};
    return d;
  };
  const ElementRange own{part.begin, part.end};
  switch (need) {
    case Need::kElements: return own;
    case Need::kSegments: return in.desc == kNone ? own : segments(desc(in.desc), part);
    case Need::kSegmentsOf: {
      const ElementRange s = in.desc == kNone ? own : segments(desc(in.desc), part);
      return {offset(desc(in.desc2), s.begin), offset(desc(in.desc2), s.end)};
    }
    default: return {0, length};
  }
}

}  // namespace

std::map<plan::VarId, ElementRange> needs_of(const plan::Plan& plan, const plan::Part& part,
                                             std::span<const plan::Array> arrays,
                                             std::span<const plan::Desc> descs) {
  const plan::Kernel& kernel = plan.kernels[part.kernel];
  std::map<plan::VarId, ElementRange> needs;
  for (std::size_t v = 0; v < kernel.body.insts.size(); ++v) {
    const soac::BodyInst& in = kernel.body.insts[v];
    if (in.var == kNone) continue;
    const Need need = plan::rule_of(kernel.body, static_cast<std::int32_t>(v)).need;
    const ElementRange range =
        need_of(plan, in, need, part, arrays[static_cast<std::size_t>(in.var)].length, descs);
    const auto [at, fresh] = needs.try_emplace(in.var, range);
    if (!fresh) at->second.cover(range);
  }
  for (const plan::Sink& s : kernel.sinks)
    if (s.kind == plan::SinkKind::kPartition && s.init != kNone)
      needs[s.init] = {0, arrays[static_cast<std::size_t>(s.init)].length};
  return needs;
}

}  // namespace nvm::vm
