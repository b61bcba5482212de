// Kernels by segment: where all that is left of an iteration is combined with others of its segment, and the
// segments are of one length, a lane takes a segment from its first element to its last
// (codegen/outer_loop.h). What runs then is a kernel over the segments, which stores one element for each.
#include <algorithm>

#include "vm/cpu/code_memory.h"
#include "vm/cpu/codegen/kernel.h"

namespace nvm::vm::cpu {

namespace {

using plan::Sink;
using plan::SinkKind;
using soac::kNone;
using soac::Pull;

constexpr std::int64_t kLongest = 64;     // elements of a segment
constexpr std::int64_t kFewest = kBlock;  // segments

bool folds_segments(const Sink& s) {
  const bool unheard = s.kind == SinkKind::kSegScan && s.out == kNone;
  return s.filter == kNone && (s.kind == SinkKind::kSegReduce || unheard);
}

bool pays(const plan::Kernel& kernel, const soac::Body& body) {
  return std::any_of(kernel.sinks.begin(), kernel.sinks.end(),
                     [](const Sink& s) { return s.kind == SinkKind::kSegScan; }) ||
         std::none_of(body.insts.begin(), body.insts.end(),
                      [](const soac::BodyInst& in) { return in.pull == Pull::kElement; });
}

bool pulls_by_segment(const soac::BodyInst& in, std::int32_t desc) {
  switch (in.pull) {
    case Pull::kPerSegment:
    case Pull::kSegment:
    case Pull::kWithin: return in.desc == desc;
    case Pull::kSegGather:
    case Pull::kSegPlace: return false;
    default: return true;
  }
}

}  // namespace

void compile_by_segment(KernelCode& code, const plan::Plan& plan, const plan::Kernel& kernel,
                        CodeMemory& memory) {
  if (kernel.sinks.empty() || !pays(kernel, code.body)) return;
  const std::int32_t desc = kernel.sinks.front().desc;
  const auto fits = [&](const Sink& s) { return folds_segments(s) && s.desc == desc; };
  const auto pulls = [&](const soac::BodyInst& in) { return pulls_by_segment(in, desc); };
  const auto var = [&](std::int32_t v) -> const plan::Var& { return plan.vars[static_cast<std::size_t>(v)]; };
  if (desc == kNone || var(desc).form != plan::DescForm::kRegular ||
      !std::all_of(kernel.sinks.begin(), kernel.sinks.end(), fits) ||
      !std::all_of(code.body.insts.begin(), code.body.insts.end(), pulls))
    return;
  auto made = std::make_unique<OuterCode>();
  made->spec.desc = desc;
  made->code = std::make_unique<KernelCode>();
  KernelCode& outer = *made->code;
  for (std::size_t k = 0; k < kernel.sinks.size(); ++k) {
    const Sink& s = kernel.sinks[k];
    made->real |= s.type == Type::kFloat;
    const Storage storage = s.out == kNone ? Storage::kI64 : var(s.out).storage;
    made->spec.folds.push_back({static_cast<std::int32_t>(k), s.value, s.combine, s.type, s.out, storage});
    if (s.out != kNone) outer.stored.push_back(s.out);
  }
  outer.name = code.name + ".segments";
  outer.space = var(desc).length;
  outer.body = code.body;
  outer.in_waves = outer.blocked = true;
  outer.chunk = kBlock;
  StageSpec& spec = outer.main_spec;
  spec.body = &outer.body;
  spec.vars = &plan.vars;
  spec.int_bits = plan.int_bits;
  spec.all_traps = true;
  spec.outer = &made->spec;
  std::string reason;  // the other code does as well
  if (!memory.compile(spec, outer.name, outer.main, reason)) return;
  outer.main.listing = "; the same, a lane for each segment\n" + outer.main.listing;
  lay_out(outer);
  code.outer = std::move(made);
}

bool runs_by_segment(const KernelCode& code, RunContext& context) {
  if (code.outer == nullptr) return false;
  const plan::Desc& d = context.desc(code.outer->spec.desc);
  const std::int64_t longest = code.outer->real ? kSequentialMax : kLongest;
  return d.segments >= kFewest && d.regular_length > 0 && d.regular_length <= longest &&
         d.total == context.length(code.space);
}

}  // namespace nvm::vm::cpu
