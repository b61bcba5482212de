// Scatter: the last writer in order of i wins, whatever the order in which threads run. The pass puts every
// value aside and the largest i + 1 into its place (atomicMax); a second launch over the places fetches the
// winners' values. Moves n values, m winners and their reset beside the result; a direct store would need to
// know that no two indices are equal. Where that is known (REPLACE, partitions, one element for each
// segment, places that go up evenly), it is a direct store over the defaults: in their memory, if nobody else
// reads them, else behind a launch that copies them.
#include "gpu/codegen/writer.h"

namespace nvm::gpu {

namespace {

LengthId places_of(const KernelWriter& k, const Sink& s) {
  return k.plan.vars[static_cast<std::size_t>(s.out)].length;
}

// Are the defaults made here for this scatter alone?
bool may_write_over(const plan::Plan& plan, const Sink& s) {
  if (s.init == kNone) return false;
  const plan::Var &from = plan.vars[static_cast<std::size_t>(s.init)],
                  &to = plan.vars[static_cast<std::size_t>(s.out)];
  if (from.role != plan::VarRole::kTemp || from.storage != to.storage || from.length != to.length ||
      plan.lengths[static_cast<std::size_t>(to.length)] == plan::LengthKind::kOne)
    return false;
  int readers = 0;
  for (const plan::Kernel& k : plan.kernels) {
    for (const soac::BodyInst& in : k.body.insts) readers += in.var == s.init ? 1 : 0;
    for (const Sink& other : k.sinks) readers += other.init == s.init && other.out != s.init ? 1 : 0;
    if (left_to_host(k) && k.sinks.front().out == s.init) return false;
  }
  return readers == 1;
}

void rename(plan::Plan& plan, VarId from, VarId to) {
  for (plan::Kernel& k : plan.kernels)
    for (Sink& s : k.sinks)
      for (VarId* v : {&s.out, &s.init})
        if (*v == from) *v = to;
}

// Defaults or zeros in all places, unless every place is written.
void write_defaults(KernelWriter& k, std::int32_t sink) {
  const Sink& s = k.sink(sink);
  if (s.init == s.out) return;
  if (s.init == kNone && places_of(k, s) == k.kernel.space && s.flag == kNone && s.filter == kNone) return;
  Function f(k.plan, k.name + "_default" + std::to_string(sink), 256);
  f.line("const i64 i = (i64)blockIdx.x * 256 + threadIdx.x;");
  f.line("if (i >= " + f.length(places_of(k, s)) + ") return;");
  f.line(f.store(s.out, "i", s.init == kNone ? "(" + f.type(s.type) + ")0" : f.load(s.init, "i")));
  k.add_launch(f, places_of(k, s), 256, 256);
}

}  // namespace

void scatter_in_place(plan::Plan& plan) {
  for (plan::Kernel& k : plan.kernels)
    for (const Sink& s : k.sinks)
      if (s.kind == SinkKind::kScatter && s.distinct && may_write_over(plan, s)) rename(plan, s.init, s.out);
}

void begin_scatter(KernelWriter& k, std::int32_t sink) {
  if (k.sink(sink).distinct) return write_defaults(k, sink);
  const LengthId places = places_of(k, k.sink(sink));
  KernelWriter::ScatterScratch s;
  s.values = k.add_scratch({.length = k.kernel.space, .unit = 1, .bytes = 8, .least = 1, .zeroed = false});
  s.winners = k.add_scratch({.length = places, .unit = 1, .bytes = 8, .least = 1, .zeroed = true});
  k.scatters[sink] = s;
}

void write_scatter(KernelWriter& k, Function& f, const BodyWriter& body, std::int32_t sink,
                   const std::string& kept) {
  const Sink& s = k.sink(sink);
  const std::string places = f.length(places_of(k, s));
  std::string where = kept;
  if (s.flag != kNone) where += (where.empty() ? "" : " && ") + body.name(s.flag);
  f.open(where.empty() ? std::string() : "if (" + where + ")");
  f.line("const i64 place = (i64)" + body.name(s.index) + ";");
  f.open("if ((u64)place < (u64)" + places + ")");
  if (s.distinct) {
    f.line(f.store(s.out, "place", body.name(s.value)));
  } else {
    const KernelWriter::ScatterScratch scratch = k.scatters.at(sink);
    f.line(f.scratch(scratch.values) + "[i] = nvm_bits(" + body.name(s.value) + ");");
    f.line("atomicMax(" + f.scratch(scratch.winners) + " + place, (u64)(i + 1));");
  }
  f.close();
  f.line("else nvm_trap(C);");
  f.close();
}

void finish_scatter(KernelWriter& k, std::int32_t sink) {
  const Sink& s = k.sink(sink);
  if (s.distinct) return;
  const KernelWriter::ScatterScratch scratch = k.scatters.at(sink);
  const LengthId places = places_of(k, s);
  Function f(k.plan, k.name + "_place" + std::to_string(sink), 256);
  const std::string type = f.type(s.type);
  const std::string otherwise = s.init == kNone ? "(" + type + ")0" : f.load(s.init, "i");
  f.line("const i64 i = (i64)blockIdx.x * 256 + threadIdx.x;");
  f.line("if (i >= " + f.length(places) + ") return;");
  f.line("const u64 winner = " + f.scratch(scratch.winners) + "[i];");
  f.line("const " + type + " value = winner != 0 ? nvm_as<" + type + ">(" + f.scratch(scratch.values) +
         "[winner - 1]) : " + otherwise + ";");
  f.line(f.store(s.out, "i", "value"));
  k.add_launch(f, places, 256, 256);
}

}  // namespace nvm::gpu
