// Plans written by hand, and running them in turn with something else.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "vm/cpu/cpu_engine.h"

namespace nvm::bench {

using soac::BodyInst;
using soac::kNone;
using soac::Pull;

inline int g_threads = 2;
inline std::optional<vm::cpu::Isa> g_isa;

template <typename T>
T* memory(std::int64_t n) {
  const std::size_t huge = std::size_t{2} << 20;
  const std::size_t bytes = (static_cast<std::size_t>(n) * sizeof(T) + 64 + huge - 1) / huge * huge;
  void* p = std::aligned_alloc(huge, bytes);
  madvise(p, bytes, MADV_HUGEPAGE);
  std::fill_n(static_cast<char*>(p), bytes, char{0});
  return static_cast<T*>(p);
}
inline std::uint64_t hash(std::uint64_t u) {
  u = (u ^ (u >> 30)) * 0xbf58476d1ce4e5b9ULL;
  u = (u ^ (u >> 27)) * 0x94d049bb133111ebULL;
  return u ^ (u >> 31);
}
inline double uniform(std::uint64_t i) {
  return static_cast<double>(hash(i + 0x9e3779b97f4a7c15ULL * (i + 1)) >> 11) * 0x1p-53;
}

inline double seconds(const std::function<void()>& f) {
  const auto t0 = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count();
}

// Gives the same memory to the same vector in every run, as a warm pool does.
class WarmHost final : public plan::Host {
 public:
  void* allocate(plan::VarId var, Storage storage, std::int64_t length) override {
    void*& p = memory_[var];
    if (p == nullptr) p = memory<char>(length * static_cast<std::int64_t>(storage_bytes(storage)));
    return p;
  }
  void release(plan::VarId) override {}
  [[nodiscard]] bool cancelled() const override { return false; }

 private:
  std::map<plan::VarId, void*> memory_;
};

// A plan with its arguments.
struct Program {
  plan::Plan plan;
  std::vector<plan::Array> arrays;
  std::vector<plan::Desc> descs;
  std::vector<std::int64_t> lengths;
  plan::Kernel kernel;
  WarmHost host;
  std::unique_ptr<plan::Code> code;

  Program() { length(plan::LengthKind::kOne, 1); }
  plan::LengthId length(plan::LengthKind kind, std::int64_t n) {
    plan.lengths.push_back(kind);
    lengths.push_back(n);
    return static_cast<plan::LengthId>(lengths.size() - 1);
  }
  plan::LengthId length(std::int64_t n) { return length(plan::LengthKind::kBound, n); }
  std::int32_t var(plan::VarRole role, Storage storage, plan::LengthId l, void* data = nullptr) {
    plan::Var v;
    v.role = role;
    v.storage = storage;
    v.type = storage == Storage::kF64 ? Type::kFloat : storage == Storage::kB8 ? Type::kBool : Type::kInt;
    v.length = l;
    plan.vars.push_back(v);
    arrays.push_back({data, lengths[static_cast<std::size_t>(l)], storage, 0, 0.0});
    descs.emplace_back();
    return static_cast<std::int32_t>(arrays.size() - 1);
  }
  std::int32_t input(Storage s, plan::LengthId l, void* data) {
    return var(plan::VarRole::kInput, s, l, data);
  }
  std::int32_t output(Storage s, plan::LengthId l) { return var(plan::VarRole::kOutput, s, l); }
  std::int32_t desc(plan::LengthId segments, plan::LengthId total, const std::int64_t* offsets) {
    const std::int32_t v = var(plan::VarRole::kInput, Storage::kI64, segments);
    plan.vars[static_cast<std::size_t>(v)].is_desc = true;
    plan.vars[static_cast<std::size_t>(v)].total = total;
    descs[static_cast<std::size_t>(v)] = {lengths[static_cast<std::size_t>(segments)],
                                          lengths[static_cast<std::size_t>(total)], 0, offsets};
    return v;
  }
  std::int32_t element(std::int32_t v, Pull pull = Pull::kElement) {
    BodyInst in;
    in.pull = pull;
    in.type = plan.vars[static_cast<std::size_t>(v)].type;
    in.var = v;
    return kernel.body.add(in);
  }
  std::int32_t gather(std::int32_t v, std::int32_t index) {
    BodyInst in;
    in.pull = Pull::kGather;
    in.type = plan.vars[static_cast<std::size_t>(v)].type;
    in.var = v;
    in.a = index;
    return kernel.body.add(in);
  }
  std::int32_t index() {
    BodyInst in;
    in.pull = Pull::kIndex;
    return kernel.body.add(in);
  }
  std::int32_t real(double x) {
    BodyInst in;
    in.type = Type::kFloat;
    in.real = x;
    return kernel.body.add(in);
  }
  std::int32_t number(std::int64_t x) {
    BodyInst in;
    in.imm = x;
    return kernel.body.add(in);
  }
  std::int32_t op(Scalar s, std::int32_t a, std::int32_t b = kNone, std::int32_t c = kNone) {
    const char result = scalar_info(s).result;
    const std::int32_t like = s == Scalar::kSelect ? b : a;
    const Type type = result == 'B'   ? Type::kBool
                      : result == 'I' ? Type::kInt
                      : result == 'F' ? Type::kFloat
                                      : kernel.body.insts[static_cast<std::size_t>(like)].type;
    return kernel.body.apply(s, type, a, b, c);
  }
  plan::Sink sink(plan::SinkKind kind, std::int32_t value, std::int32_t out,
                  Scalar combine = Scalar::kNoScalar) {
    plan::Sink s;
    s.kind = kind;
    s.value = value;
    s.type = kernel.body.insts[static_cast<std::size_t>(value)].type;
    s.out = out;
    s.combine = combine;
    return s;
  }
  void store(std::int32_t value, std::int32_t out) {
    kernel.sinks.push_back(sink(plan::SinkKind::kStore, value, out));
  }
  void reduce(Scalar s, std::int32_t value, std::int32_t out) {
    kernel.sinks.push_back(sink(plan::SinkKind::kReduce, value, out, s));
  }
  void seg_reduce(Scalar s, std::int32_t value, std::int32_t out, std::int32_t desc) {
    plan::Sink x = sink(plan::SinkKind::kSegReduce, value, out, s);
    x.desc = desc;
    kernel.sinks.push_back(x);
  }
  std::int32_t scan(Scalar s, std::int32_t value) {
    kernel.sinks.push_back(sink(plan::SinkKind::kScan, value, kNone, s));
    BodyInst in;
    in.pull = Pull::kScanned;
    in.type = kernel.sinks.back().type;
    in.a = static_cast<std::int32_t>(kernel.sinks.size() - 1);
    return kernel.body.add(in);
  }
  // The number of a sink that counts where `flag` holds, and the length that it binds.
  std::int32_t count(std::int32_t flag, plan::LengthId& kept) {
    kept = length(plan::LengthKind::kCounted, 0);
    kernel.sinks.push_back(sink(plan::SinkKind::kCount, flag, kNone));
    kernel.sinks.back().out_length = kept;
    return static_cast<std::int32_t>(kernel.sinks.size() - 1);
  }
  void pack(std::int32_t value, std::int32_t count, std::int32_t out) {
    store(value, out);
    kernel.sinks.back().filter = count;
  }
  void close(plan::LengthId space) {
    kernel.space = space;
    plan.kernels.push_back(kernel);
    kernel = {};
  }
  void compile() {
    std::string reason;
    const auto engine = vm::cpu::make_engine({.isa = g_isa});
    compile_us = 1e9;
    for (int i = 0; i < 20; ++i)
      compile_us = std::min(compile_us, 1e6 * seconds([&] { code = engine->compile(plan, reason); }));
    if (!code) std::printf("refused: %s\n", reason.c_str());
    std::size_t ops = 0;
    for (const plan::Kernel& k : plan.kernels) ops += k.body.insts.size();
    ops_count = ops;
  }
  void run() {
    const plan::RunStatus status = code->run({arrays, descs, lengths, &host, g_threads});
    if (status != plan::RunStatus::kDone) std::printf("status %d\n", static_cast<int>(status));
  }
  double compile_us = 0;
  std::size_t ops_count = 0;
};

// Alternates both, so that what else the machine does hits both.
inline void compare(const char* name, double bytes, Program& p, const std::function<void()>& hand) {
  p.compile();
  std::vector<double> a, b;
  hand();
  p.run();
  for (int i = 0; i < 15; ++i) {
    a.push_back(seconds(hand));
    b.push_back(seconds([&] { p.run(); }));
  }
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  const std::size_t mid = a.size() / 2;
  std::printf(
      "%-22s hand %8.3f ms (min %8.3f)  nvm %8.3f ms (min %8.3f)  ratio %5.2f (min %5.2f)  %6.1f GB/s  "
      "compile %.0f us for %zu ops\n",
      name, 1e3 * a[mid], 1e3 * a[0], 1e3 * b[mid], 1e3 * b[0], b[mid] / a[mid], b[0] / a[0],
      bytes / b[0] * 1e-9, p.compile_us, p.ops_count);
  std::fflush(stdout);
}

}  // namespace nvm::bench
