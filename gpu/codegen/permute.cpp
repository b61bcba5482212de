// Scatter: the last writer in order of i wins, whatever the order in which threads run. The pass puts every
// value aside and the largest i + 1 into its place (atomicMax); a second launch over the places fetches the
// winners' values. Moves n values, m winners and their reset beside the result; a direct store would need to
// know that no two indices are equal.
#include "gpu/codegen/writer.h"

namespace nvm::gpu {

void begin_scatter(KernelWriter& k, std::int32_t sink) {
  const LengthId places = k.plan.vars[static_cast<std::size_t>(k.sink(sink).out)].length;
  KernelWriter::ScatterScratch s;
  s.values = k.add_scratch({.length = k.kernel.space, .unit = 1, .bytes = 8, .least = 1, .zeroed = false});
  s.winners = k.add_scratch({.length = places, .unit = 1, .bytes = 8, .least = 1, .zeroed = true});
  k.scatters[sink] = s;
}

void write_scatter(KernelWriter& k, Function& f, const BodyWriter& body, std::int32_t sink,
                   const std::string& kept) {
  const Sink& s = k.sink(sink);
  const KernelWriter::ScatterScratch scratch = k.scatters.at(sink);
  const std::string places = f.length(k.plan.vars[static_cast<std::size_t>(s.out)].length);
  const std::string winners = f.scratch(scratch.winners);
  std::string where = kept;
  if (s.flag != kNone) where += (where.empty() ? "" : " && ") + body.name(s.flag);
  f.open(where.empty() ? std::string() : "if (" + where + ")");
  f.line("const i64 place = (i64)" + body.name(s.index) + ";");
  f.open("if ((u64)place < (u64)" + places + ")");
  f.line(f.scratch(scratch.values) + "[i] = nvm_bits(" + body.name(s.value) + ");");
  f.line("atomicMax(" + winners + " + place, (u64)(i + 1));");
  f.close();
  f.line("else nvm_trap(C);");
  f.close();
}

void finish_scatter(KernelWriter& k, std::int32_t sink) {
  const Sink& s = k.sink(sink);
  const KernelWriter::ScatterScratch scratch = k.scatters.at(sink);
  const LengthId places = k.plan.vars[static_cast<std::size_t>(s.out)].length;
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
