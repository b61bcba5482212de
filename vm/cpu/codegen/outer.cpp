// Kernels by segment: where all that is left of an iteration is combined with others of its segment, and the
// segments are of one length, a lane takes a segment from its first element to its last
// (codegen/outer_loop.h). What runs then is a kernel over the segments, which stores one element for each.
#include <algorithm>
#include <optional>

#include "bytecode/plan/affine.h"
#include "vm/cpu/code_memory.h"
#include "vm/cpu/codegen/kernel.h"

namespace nvm::vm::cpu {

namespace {

using plan::Sink;
using plan::SinkKind;
using soac::kNone;
using soac::Pull;

constexpr std::int64_t kFewest = kBlock;  // segments; of many elements for each thread
constexpr std::int64_t kMostSteps = std::int64_t{1} << 20;

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

std::unique_ptr<OuterCode> compile_outer(const KernelCode& code, const plan::Plan& plan,
                                         const plan::Kernel& kernel, bool many, CodeMemory& memory) {
  const auto var = [&](std::int32_t v) -> const plan::Var& { return plan.vars[static_cast<std::size_t>(v)]; };
  auto made = std::make_unique<OuterCode>();
  made->spec.desc = kernel.sinks.front().desc;
  made->spec.many = many;
  made->code = std::make_unique<KernelCode>();
  KernelCode& outer = *made->code;
  for (std::size_t k = 0; k < kernel.sinks.size(); ++k) {
    const Sink& s = kernel.sinks[k];
    made->real |= s.type == Type::kFloat;
    const Storage storage = s.out == kNone ? Storage::kI64 : var(s.out).storage;
    made->spec.folds.push_back({static_cast<std::int32_t>(k), s.value, s.combine, s.type, s.out, storage});
    if (s.out != kNone) outer.stored.push_back(s.out);
  }
  outer.name = code.name + (many ? ".long_segments" : ".segments");
  outer.space = var(made->spec.desc).length;
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
  if (!memory.compile(spec, outer.name, outer.main, reason)) return nullptr;
  outer.main.listing = "; the same, a lane for each segment\n" + outer.main.listing;
  lay_out(outer);
  return made;
}

// Where an index goes up in a segment, by what.
std::optional<plan::PerSegment> stride_of(const soac::Body& body, const soac::BodyInst& in,
                                          std::int32_t desc) {
  if (in.pull != Pull::kGather) return std::nullopt;
  const auto affine = plan::affine_within(body, in.a, desc);
  return affine ? std::optional(affine->stride) : std::nullopt;
}

// Segments of many elements are read in their order where that is one of neighbours. Else by lanes: there
// is some index that goes up, and nothing but indices says what is read.
bool pays_for_many(const plan::Kernel& kernel, const soac::Body& body, std::int32_t desc) {
  const auto scans = [](const Sink& s) { return s.kind == SinkKind::kSegScan; };
  const auto reads = [](const soac::BodyInst& in) { return in.pull == Pull::kElement; };
  const auto strides = [&](const soac::BodyInst& in) { return stride_of(body, in, desc).has_value(); };
  return std::none_of(kernel.sinks.begin(), kernel.sinks.end(), scans) &&
         std::none_of(body.insts.begin(), body.insts.end(), reads) &&
         std::any_of(body.insts.begin(), body.insts.end(), strides);
}

// Does an index, by its first segment, step over elements?
bool steps_over(const KernelCode& code, RunContext& context, std::int32_t desc) {
  return std::any_of(code.body.insts.begin(), code.body.insts.end(), [&](const soac::BodyInst& in) {
    const auto stride = stride_of(code.body, in, desc);
    if (!stride) return false;
    if (stride->var == kNone) return stride->number < 0 || stride->number > 1;
    const Bound& b = context.var(stride->var);
    const auto by = static_cast<std::int64_t>(b.data == &b.cell ? b.cell : load_cell(b.data, b.storage, 0));
    return by < 0 || by > 1;
  });
}

// After how many segments do places that step over elements, and are neighbours in segments that are, begin
// at the same element again? 0: never, or nobody knows.
std::int64_t turn_of(const Bound& starts) {
  constexpr std::int64_t kLeast = 16, kMost = std::int64_t{1} << 16;
  const auto at = [&](std::int64_t s) {
    return static_cast<std::int64_t>(load_cell(starts.data, starts.storage, s));
  };
  if (at(1) != at(0) + 1) return 0;
  std::int64_t turn = kLeast;
  while (turn < kMost && turn < starts.length && at(turn) != at(0)) ++turn;
  return turn < kMost && turn + 1 < starts.length && at(turn + 1) == at(1) ? turn : 0;
}

}  // namespace

Tiles tiles_of(const OuterCode& code, RunContext& context) {
  if (!code.spec.many) return {};
  constexpr std::int64_t kCached = std::int64_t{1} << 16;  // elements of a tile
  const plan::Desc& d = context.desc(code.spec.desc);
  for (const soac::BodyInst& in : code.code->body.insts) {
    if (in.pull != Pull::kGather) continue;
    const auto affine = plan::affine_within(code.code->body, in.a, code.spec.desc);
    if (!affine || affine->start.var == kNone) continue;
    const Bound& starts = context.var(affine->start.var);
    if (starts.length != d.segments) continue;
    const std::int64_t turn = turn_of(starts);
    if (turn == 0 || turn * d.regular_length <= kCached) continue;
    constexpr std::int64_t kStep = 16;
    return {turn, std::clamp(kCached / d.regular_length / kStep * kStep, kStep, 16 * kStep)};
  }
  return {};
}

void compile_by_segment(KernelCode& code, const plan::Plan& plan, const plan::Kernel& kernel,
                        CodeMemory& memory) {
  if (kernel.sinks.empty() || !pays(kernel, code.body)) return;
  const std::int32_t desc = kernel.sinks.front().desc;
  const auto fits = [&](const Sink& s) { return folds_segments(s) && s.desc == desc; };
  const auto pulls = [&](const soac::BodyInst& in) { return pulls_by_segment(in, desc); };
  if (desc == kNone || plan.vars[static_cast<std::size_t>(desc)].form != plan::DescForm::kRegular ||
      !std::all_of(kernel.sinks.begin(), kernel.sinks.end(), fits) ||
      !std::all_of(code.body.insts.begin(), code.body.insts.end(), pulls))
    return;
  code.outer = compile_outer(code, plan, kernel, false, memory);
  if (pays_for_many(kernel, code.body, desc))
    code.outer_many = compile_outer(code, plan, kernel, true, memory);
}

const OuterCode* by_segment(const KernelCode& code, RunContext& context) {
  if (code.outer == nullptr) return nullptr;
  const plan::Desc& d = context.desc(code.outer->spec.desc);
  const std::int64_t each = d.regular_length;
  if (d.segments < kFewest || each <= 0 || d.total != context.length(code.space)) return nullptr;
  if (each <= (code.outer->real ? kSequentialMax : kFewElements)) return code.outer.get();
  const bool enough = d.segments / context.run->threads >= kFewest && each < kMostSteps;
  if (code.outer_many == nullptr || !enough || !steps_over(code, context, code.outer->spec.desc))
    return nullptr;
  return code.outer_many.get();
}

}  // namespace nvm::vm::cpu
