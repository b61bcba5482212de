// Flat reductions: a team of threads takes a unit of 2048 elements, each as many neighbouring lanes of the
// fixed tree as it reads in one access, so that a row of 16 is whole sectors and nothing is shared. The first
// blocks fold the units' totals (tree.cuh), each of them some sinks, while the others still run: the chain of
// additions hides behind the stream. One pass: n reads.
#include <algorithm>

#include "gpu/codegen/streams.h"

namespace nvm::gpu {

namespace {

std::string text(std::int32_t n) { return std::to_string(n); }

struct Folding {
  std::int32_t sink;
  std::int32_t state;
};

// The folding blocks wait for the others, so a device must have room for more blocks than these: at 64
// threads of 255 registers a multiprocessor has room for four, and devices have several.
constexpr std::size_t kMostFolders = 4;
std::size_t folders_for(const std::vector<Folding>& folds) { return std::min(folds.size(), kMostFolders); }

// The first blocks: the first warp of each folds one sink, or every fourth.
void write_folder(KernelWriter& k, Function& f, const std::vector<Folding>& folds, const std::string& n) {
  const std::size_t folders = folders_for(folds);
  f.open("if (blockIdx.x < " + std::to_string(folders) + ")");
  f.line("if (threadIdx.x >= 32) return;");
  f.line("const i64 units = " + n + " <= NVM_SEQUENTIAL ? " + n + " : (" + n +
         " + NVM_UNIT - 1) / NVM_UNIT;");
  for (std::size_t r = 0; r < folds.size(); ++r) {
    const Sink& s = k.sink(folds[r].sink);
    const std::string type = f.type(s.type);
    f.open("if (blockIdx.x == " + std::to_string(r % folders) + ")");
    f.line("const " + type + " total = nvm_fold_arriving<" + cuda_fold(s.combine) + ", " + type + ">(" +
           f.scratch(folds[r].state) + ", units, " + cuda_identity(s.combine, s.type, k.plan.int_bits) +
           ");");
    f.line("if (threadIdx.x == 0) " + f.store(s.out, "0", "total"));
    f.close();
  }
  f.line("return;");
  f.close();
}

}  // namespace

void write_reduce(KernelWriter& k, const Pass& pass) {
  constexpr int kThreads = 64;
  Function f(k.plan, k.name + pass.name, kThreads);
  BodyWriter body(f, k.kernel);
  k.bind_scanned(f, body);
  std::vector<std::int32_t> roots = pass.checks ? k.trapping() : std::vector<std::int32_t>{};
  std::vector<Folding> folds;
  for (const std::int32_t s : pass.sinks) {
    for (const std::int32_t v : {k.sink(s).value, k.sink(s).index, k.sink(s).flag}) roots.push_back(v);
    if (k.sink(s).kind == SinkKind::kReduce) folds.push_back({s, k.add_state(2048, 32)});
  }
  const std::vector<std::int32_t> values = body.closure(roots);
  const std::set<VarId> descs = body.descs(values);
  const std::string n = f.length(k.kernel.space);
  Streams streams(k, f, body, 4);
  streams.add(values, pass.sinks);
  write_folder(k, f, folds, n);
  streams.begin();
  const int rows = streams.vectors() > 1 ? 4 : 8;  // of 16 elements, read before they are folded
  const int width = streams.width();
  const int team = 16 / width;
  const int units = kThreads / team;
  const auto folders = static_cast<std::int32_t>(folders_for(folds));
  f.line("const i64 unit = ((i64)blockIdx.x - " + text(folders) + ") * " + text(units) + " + threadIdx.x / " +
         text(team) + ";");
  f.line("const i64 begin = unit * NVM_UNIT;");
  f.line("if (begin >= " + n + ") return;");
  for (const VarId d : descs) f.line("i64 s" + text(d) + " = -1;");
  for (const Folding& r : folds) {
    f.line(f.type(k.sink(r.sink).type) + " r" + text(r.sink) + "[" + text(width) + "];");
    f.line("for (int e = 0; e < " + text(width) + "; ++e) r" + text(r.sink) +
           "[e] = " + cuda_identity(k.sink(r.sink).combine, k.sink(r.sink).type, k.plan.int_bits) + ";");
  }
  const std::string at = "begin + q * 16 + threadIdx.x % " + text(team) + " * " + text(width);
  streams.loop({128 / rows, rows, at, "", n, " 1"}, values, pass.sinks, [&] {
    for (const VarId d : descs) f.line("s" + text(d) + " = " + f.segments(d) + ".seek(s" + text(d) + ", i);");
    body.write(values);
    for (const std::int32_t s : pass.sinks) write_element_sink(k, f, body, s, "", "i");
    for (const Folding& r : folds) {
      const Sink& s = k.sink(r.sink);
      const std::string lane = "r" + text(r.sink) + "[e]";
      f.line(lane + " = " + cuda_fold(s.combine) + "::apply(" + lane + ", " + body.name(s.value) + ");");
      f.line("if (" + n + " <= NVM_SEQUENTIAL) nvm_publish(" + f.scratch(r.state) + ", i, 1, nvm_bits(" +
             body.name(s.value) + "));");
    }
  });
  f.line("if (" + n + " <= NVM_SEQUENTIAL) return;");
  for (const Folding& r : folds) {
    const Sink& s = k.sink(r.sink);
    const std::string type = f.type(s.type);
    f.line("const " + type + " t" + text(r.sink) + " = nvm_fold_lanes<" + cuda_fold(s.combine) + ">(r" +
           text(r.sink) + ");");
    f.line("if (threadIdx.x % " + text(team) + " == 0) nvm_publish(" + f.scratch(r.state) +
           ", unit, 1, nvm_bits(t" + text(r.sink) + "));");
  }
  k.add_launch(f, k.kernel.space, static_cast<std::int64_t>(2048) * units, kThreads, folders);
}

}  // namespace nvm::gpu
