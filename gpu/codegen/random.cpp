// RANDOM: a thread makes the four draws of one block of the generator, whichever of them are the vector's. n
// reads, n writes.
#include "gpu/codegen/writer.h"

namespace nvm::gpu {

void write_random(KernelWriter& k) {
  constexpr int kThreads = 256;
  constexpr int kDrawn = 4;
  Function f(k.plan, k.name, kThreads);
  BodyWriter body(f, k.kernel);
  const Sink& s = k.sink(0);
  const std::string n = f.length(k.kernel.space);
  f.line("const u64 seed = " + f.draws(0) + ", first = " + f.draws(1) + ";");
  f.line("const i64 block = (i64)blockIdx.x * " + std::to_string(kThreads) + " + threadIdx.x;");
  f.line("const i64 at = 4 * block - (i64)(first & 3);");
  f.line("if (at >= " + n + ") return;");
  f.line("unsigned draw[4];");
  f.line("nvm_draws(seed, (first >> 2) + (u64)block, draw);");
  f.line("#pragma unroll");
  f.open("for (int e = 0; e < 4; ++e)");
  f.line("const i64 i = at + e;");
  f.line("if (i < 0 || i >= " + n + ") continue;");
  body.write({s.value});
  f.line(
      f.store(s.out, "i", "nvm_below<" + f.type(Type::kInt) + ">(draw[e], " + body.name(s.value) + ", C)"));
  f.close();
  // One more, since the first thread may have fewer.
  k.add_launch(f, k.kernel.space, kDrawn * kThreads, kThreads, 1);
}

}  // namespace nvm::gpu
