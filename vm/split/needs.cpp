#include "vm/split/needs.h"

#include <algorithm>
#include <optional>

#include "bytecode/plan/affine.h"
#include "bytecode/plan/fission.h"
#include "vm/split/segments.h"

namespace nvm::vm {

namespace {

using plan::Need;
using soac::kNone;

ElementRange segments(const plan::Desc& d, const plan::Part& part) {
  const std::int64_t first = first_from(d, part.begin);
  const bool inside = first > d.segments || (first > 0 && offset_of(d, first) > part.begin);
  return {first - (inside ? 1 : 0), std::min(first_from(d, part.end), d.segments)};
}

// One number for all iterations, if it is that.
std::optional<std::int64_t> number(const plan::PerSegment& p, std::span<const plan::Array> arrays) {
  if (p.var == kNone) return p.number;
  const plan::Array& a = arrays[static_cast<std::size_t>(p.var)];
  return a.length == 1 ? std::optional(a.scalar) : std::nullopt;
}

// start + stride * i at iterations of the part, and of the vector that its last ones may be in; all elements
// if that may wrap.
ElementRange even_range(const plan::Affine& places, const plan::Part& part, std::int64_t length, IntBits bits,
                        std::span<const plan::Array> arrays) {
  constexpr std::int64_t kVector = 16;
  const auto start = number(places.start, arrays);
  const auto stride = number(places.stride, arrays);
  if (!start || !stride) return {0, length};
  std::int64_t ends[2] = {part.begin, part.end - 1 + kVector};
  for (std::int64_t& i : ends) {
    if (__builtin_mul_overflow(*stride, i, &i) || __builtin_add_overflow(*start, i, &i)) return {0, length};
    if (bits == IntBits::k32 && i != static_cast<std::int32_t>(i)) return {0, length};
  }
  return {std::clamp<std::int64_t>(std::min(ends[0], ends[1]), 0, length),
          std::clamp<std::int64_t>(std::max(ends[0], ends[1]), -1, length - 1) + 1};
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
      return {offset_of(desc(in.desc2), s.begin), offset_of(desc(in.desc2), s.end)};
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
    const std::int64_t length = arrays[static_cast<std::size_t>(in.var)].length;
    const auto places = need == Need::kRange ? plan::affine_within(kernel.body, in.a, kNone) : std::nullopt;
    const ElementRange range = places ? even_range(*places, part, length, plan.int_bits, arrays)
                                      : need_of(plan, in, need, part, length, descs);
    if (range.begin >= range.end) continue;
    const auto [at, fresh] = needs.try_emplace(in.var, range);
    if (!fresh) at->second.cover(range);
  }
  for (const plan::Sink& s : kernel.sinks)
    if (s.kind == plan::SinkKind::kPartition && s.init != kNone)
      needs[s.init] = {0, arrays[static_cast<std::size_t>(s.init)].length};
  return needs;
}

}  // namespace nvm::vm
