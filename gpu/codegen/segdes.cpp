// SEGDES: the offsets are the exclusive sums of the lengths, in one pass; the host needs the total alone, for
// the memory of what follows. n reads, n writes, n more where the lengths are asked for.
#include <algorithm>

#include "gpu/codegen/writer.h"

namespace nvm::gpu {

namespace {

// Negative, or reaching too far: nobody's sum wraps around unseen, since the first that is too long is seen
// by its own element.
std::int32_t wrong(soac::Body& body, IntBits bits, std::int32_t length, std::int32_t end) {
  const std::int32_t zero = body.add({});
  const auto below = [&](std::int32_t x) { return body.apply(Scalar::kLt, Type::kBool, x, zero); };
  const auto either = [&](std::int32_t a, std::int32_t b) {
    return body.apply(Scalar::kOr, Type::kBool, a, b);
  };
  const std::int32_t negative = either(below(length), below(end));
  if (bits == IntBits::k32) return negative;
  const std::int32_t most = body.add({.imm = kTooLong});
  return either(negative, body.apply(Scalar::kGe, Type::kBool, end, most));
}

bool reads(const plan::Plan& plan, VarId d) {
  return std::any_of(plan.kernels.begin(), plan.kernels.end(), [&](const plan::Kernel& k) {
    return std::any_of(k.body.insts.begin(), k.body.insts.end(),
                       [&](const BodyInst& in) { return in.var == d; });
  });
}

// Whether some length is not as the first: equal ones the host knows as two numbers.
VarId compare_lengths(plan::Plan& plan, plan::Kernel& kernel, std::int32_t length) {
  plan::Var made;
  made.role = plan::VarRole::kTemp;
  made.type = Type::kBool;
  made.storage = Storage::kB8;
  made.length = 0;
  const auto differs = static_cast<VarId>(plan.vars.size());
  plan.vars.push_back(made);
  const VarId lengths = kernel.body.insts[static_cast<std::size_t>(length)].var;
  const std::int32_t zero = kernel.body.add({});
  const std::int32_t first = kernel.body.add({.pull = Pull::kGather, .a = zero, .var = lengths});
  Sink s;
  s.kind = SinkKind::kReduce;
  s.type = Type::kBool;
  s.combine = Scalar::kOr;
  s.value = kernel.body.apply(Scalar::kNe, Type::kBool, length, first);
  s.out = differs;
  kernel.sinks.push_back(s);
  return differs;
}

}  // namespace

std::pair<VarId, VarId> lower_segdes(plan::Plan& plan, plan::Kernel& kernel) {
  Sink total = kernel.sinks.front();
  const VarId d = total.out_desc;
  const plan::Var& desc = plan.vars[static_cast<std::size_t>(d)];
  const bool segments = desc.form == plan::DescForm::kIrregular;
  const bool asked = segments && (desc.role == plan::VarRole::kOutput || reads(plan, d));
  const std::int32_t length = total.value;
  const auto store = [&](std::int32_t value, VarId to) {
    Sink s;
    s.value = value;
    s.out = to;
    kernel.sinks.push_back(s);
  };
  kernel.sinks.clear();
  VarId offsets = kNone, differs = kNone;
  if (segments) {
    plan::Var made;
    made.role = plan::VarRole::kTemp;
    made.storage = Storage::kI64;
    made.length = desc.length;
    offsets = static_cast<VarId>(plan.vars.size());
    plan.vars.push_back(made);
    Sink scan;
    scan.kind = SinkKind::kScan;
    scan.value = length;
    scan.combine = Scalar::kAdd;
    kernel.sinks.push_back(scan);
    const std::int32_t begin = kernel.body.add({.pull = Pull::kScanned, .a = 0});
    total.value = kernel.body.apply(Scalar::kAdd, Type::kInt, begin, length);
    total.out = offsets;
    store(begin, offsets);
    differs = compare_lengths(plan, kernel, length);
  }
  if (asked) store(length, d);
  kernel.body.add({.pull = Pull::kCheck,
                   .type = Type::kBool,
                   .a = wrong(kernel.body, plan.int_bits, length, total.value)});
  kernel.sinks.push_back(total);
  return {offsets, differs};
}

void write_total(KernelWriter& k, Function& f, const BodyWriter& body, std::int32_t sink) {
  const Sink& s = k.sink(sink);
  f.open("if (i + 1 == " + f.length(k.kernel.space) + ")");
  f.line("C[" + std::to_string(length_cell(s.out_length)) + "] = nvm_bits(" + body.name(s.value) + ");");
  if (s.out != kNone) f.line(f.store(s.out, "i + 1", body.name(s.value)));
  f.close();
}

void write_no_total(KernelWriter& k, Function& f, std::int32_t sink) {
  const Sink& s = k.sink(sink);
  f.open("if (" + f.length(k.kernel.space) + " == 0 && threadIdx.x == 0)");
  f.line("C[" + std::to_string(length_cell(s.out_length)) + "] = 0;");
  f.line(f.store(s.out, "0", "0"));
  f.close();
}

}  // namespace nvm::gpu
