// Flat reductions: a warp takes a unit of 2048 elements and reads it in order, in chunks. FLOAT values of a
// chunk go through shared memory to the threads that have their lanes of the fixed tree; others are combined
// where they are. The first blocks fold the units' totals (tree.cuh), each of them some sinks, while the
// others still run: the chain of additions hides behind the stream. One pass: n reads.
#include <algorithm>

#include "bytecode/table/identities.h"
#include "gpu/codegen/streams.h"

namespace nvm::gpu {

namespace {

std::string text(std::int32_t n) { return std::to_string(n); }

struct Folding {
  std::int32_t sink;
  std::int32_t state;
};

constexpr int kThreads = 128;
constexpr int kWarps = kThreads / 32;

// The folding blocks wait for the others, so a device must have room for more blocks than these: at 128
// threads of 255 registers a multiprocessor has room for two, and devices have several.
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

// What a warp reads before it folds: as much as its registers and the shared memory of the block hold.
int packs_of_chunk(int width, std::size_t vectors, std::size_t staged) {
  int packs = vectors > 1 ? 4 : 8;
  while (packs > 1 && staged * kWarps * static_cast<std::size_t>(8 * (32 * width * packs + 16)) > 40'000)
    packs /= 2;
  return packs;
}

// The folds of a kernel while it is written.
class Folds {
 public:
  Folds(KernelWriter& k, Function& f, const BodyWriter& body) : k_(k), f_(f), body_(body) {}

  void add(std::int32_t sink) { all_.push_back({sink, k_.add_state(2048, 32)}); }
  [[nodiscard]] const std::vector<Folding>& all() const { return all_; }
  [[nodiscard]] std::size_t staged() const {
    return static_cast<std::size_t>(
        std::count_if(all_.begin(), all_.end(), [&](const Folding& r) { return in_order(r); }));
  }
  void chunk(int width, int elements) {
    sizes_ = text(width) + ", " + text(elements);
    const int words = elements + 16;
    for (const Folding& r : all_) {
      if (in_order(r))
        f_.declare("NVM_SHARED(u64, stage" + text(r.sink) + ", " + text(kWarps * words) + ");");
      f_.line(type(r) + " r" + text(r.sink) + " = " + identity(r) + ";");
    }
    f_.line("const int staged = (int)threadIdx.x / 32 * " + text(words) + ";");
  }
  // Element i, which is number `at` of its chunk.
  void element(const std::string& n, const std::string& at) {
    for (const Folding& r : all_) {
      const std::string value = body_.name(k_.sink(r.sink).value);
      if (in_order(r))
        f_.line("stage" + text(r.sink) + "[staged + nvm_staged<" + sizes_ + ">(" + at + ")] = nvm_bits(" +
                value + ");");
      else
        f_.line("r" + text(r.sink) + " = " + fold(r) + "::apply(r" + text(r.sink) + ", " + value + ");");
      f_.line("if (" + n + " <= NVM_SEQUENTIAL) nvm_publish(" + f_.scratch(r.state) + ", i, 1, nvm_bits(" +
              value + "));");
    }
  }
  void behind_chunk(const std::string& count) {
    for (const Folding& r : all_)
      if (in_order(r))
        f_.line("r" + text(r.sink) + " = nvm_fold_staged<" + fold(r) + ", " + sizes_ + ">(r" + text(r.sink) +
                ", stage" + text(r.sink) + ", staged, " + count + ");");
  }
  void publish() {
    for (const Folding& r : all_) {
      const std::string name = "r" + text(r.sink);
      if (in_order(r)) f_.line(type(r) + " l" + name + "[1] = {" + name + "};");
      f_.line("const " + type(r) + " t" + name + " = " +
              (in_order(r) ? "nvm_fold_lanes<" + fold(r) + ">(l" + name
                           : "nvm_fold_warp<" + fold(r) + ">(" + name) +
              ");");
      f_.line("if (threadIdx.x % 32 == 0) nvm_publish(" + f_.scratch(r.state) + ", unit, 1, nvm_bits(t" +
              name + "));");
    }
  }

 private:
  [[nodiscard]] bool in_order(const Folding& r) const { return !any_order(k_.sink(r.sink).type); }
  [[nodiscard]] std::string fold(const Folding& r) const { return cuda_fold(k_.sink(r.sink).combine); }
  [[nodiscard]] std::string type(const Folding& r) const { return f_.type(k_.sink(r.sink).type); }
  [[nodiscard]] std::string identity(const Folding& r) const {
    return cuda_identity(k_.sink(r.sink).combine, k_.sink(r.sink).type, k_.plan.int_bits);
  }

  KernelWriter& k_;
  Function& f_;
  const BodyWriter& body_;
  std::vector<Folding> all_;
  std::string sizes_;  // template arguments: neighbours, elements of a chunk
};

}  // namespace

void write_reduce(KernelWriter& k, const Pass& pass) {
  Function f(k.plan, k.name + pass.name, kThreads);
  BodyWriter body(f, k.kernel);
  k.bind_scanned(f, body);
  std::vector<std::int32_t> roots = pass.checks ? k.trapping() : std::vector<std::int32_t>{};
  Folds folds(k, f, body);
  for (const std::int32_t s : pass.sinks) {
    for (const std::int32_t v : {k.sink(s).value, k.sink(s).index, k.sink(s).flag}) roots.push_back(v);
    if (k.sink(s).kind == SinkKind::kReduce) folds.add(s);
  }
  const std::vector<std::int32_t> values = body.closure(roots);
  const std::set<VarId> descs = body.descs(values);
  const std::string n = f.length(k.kernel.space);
  Streams streams(k, f, body, 4);
  streams.add(values, pass.sinks);
  write_folder(k, f, folds.all(), n);
  streams.begin();
  const int width = streams.width();
  const int packs = packs_of_chunk(width, streams.vectors(), folds.staged());
  const int chunk = 32 * width * packs;
  const auto folders = static_cast<std::int32_t>(folders_for(folds.all()));
  f.line("const i64 unit = ((i64)blockIdx.x - " + text(folders) + ") * " + text(kWarps) +
         " + threadIdx.x / 32;");
  f.line("const i64 begin = unit * NVM_UNIT;");
  f.line("if (begin >= " + n + ") return;");
  f.line("const i64 end = begin + NVM_UNIT < " + n + " ? begin + NVM_UNIT : " + n + ";");
  for (const VarId d : descs) f.line("i64 s" + text(d) + " = " + f.find_segment(d, "begin", n) + ";");
  folds.chunk(width, chunk);
  Streams::Loop loop{2048 / chunk, packs, "begin + (q * 32 + threadIdx.x % 32) * " + text(width),
                     "",           "end", " 1"};
  loop.behind = [&] { folds.behind_chunk("end - begin - c * " + text(chunk)); };
  streams.loop(loop, values, pass.sinks, [&] {
    for (const VarId d : descs) f.line("s" + text(d) + " = " + f.segments(d) + ".seek(s" + text(d) + ", i);");
    body.write(values);
    for (const std::int32_t s : pass.sinks) write_element_sink(k, f, body, s, "", "i");
    folds.element(n, "(int)(at - begin) + e - c * " + text(chunk));
  });
  f.line("if (" + n + " <= NVM_SEQUENTIAL) return;");
  folds.publish();
  k.add_launch(f, k.kernel.space, static_cast<std::int64_t>(2048) * kWarps, kThreads, folders);
}

}  // namespace nvm::gpu
