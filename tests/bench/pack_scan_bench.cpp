// Packs, scans, partitions and scatters inside kernels of the CPU engine, beside a copy that moves as many
// bytes.
//
//   pack_scan_bench [threads] [n] [avx2|avx512]
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "tests/bench/hand_plan.h"

namespace {

using namespace nvm;
using namespace nvm::bench;
using enum Scalar;

// Each thread copies its share of `bytes` / 2.
void beside_copy(const char* name, std::int64_t bytes, Program& p) {
  static char* from = memory<char>(std::int64_t{1} << 28);
  static char* to = memory<char>(std::int64_t{1} << 28);
  compare(name, static_cast<double>(bytes), p, [=] {
    const std::int64_t share = bytes / 2 / g_threads;
    const auto copy = [=](int t) {
      std::memcpy(to + t * share, from + t * share, static_cast<std::size_t>(share));
    };
    std::vector<std::thread> others;
    for (int t = 1; t < g_threads; ++t) others.emplace_back(copy, t);
    copy(0);
    for (std::thread& t : others) t.join();
  });
}

struct Keys {
  explicit Keys(std::int64_t n)
      : i64(memory<std::int64_t>(n)), i32(memory<std::int32_t>(n)), f64(memory<double>(n)) {
    for (std::int64_t i = 0; i < n; ++i) {
      i32[i] = static_cast<std::int32_t>(hash(static_cast<std::uint64_t>(i)) % 1000);
      i64[i] = i32[i];
      f64[i] = static_cast<double>(i32[i]);
    }
  }
  [[nodiscard]] void* of(Storage s) const {
    if (s == Storage::kF64) return f64;
    return s == Storage::kI64 ? static_cast<void*>(i64) : i32;
  }
  std::int64_t* i64;
  std::int32_t* i32;
  double* f64;
};

// The keys below `bound` of 1000; `counted`: their number, too.
void filter(const char* name, const Keys& keys, Storage storage, std::int64_t n, int bound, bool counted) {
  Program p;
  const auto l = p.length(n);
  const auto x = p.element(p.input(storage, l, keys.of(storage)));
  const auto below = p.op(kLt, x, storage == Storage::kF64 ? p.real(bound) : p.number(bound));
  plan::LengthId kept = 0;
  const auto count = p.count(below, kept);
  p.pack(x, count, p.output(storage, kept));
  if (counted) p.reduce(kAdd, p.op(kBtoI, below), p.output(Storage::kI64, 0));
  p.close(l);
  const auto bytes = static_cast<std::int64_t>(storage_bytes(storage));
  beside_copy(name, n * bytes + n * bytes * bound / 1000, p);
}

void scan(const char* name, const Keys& keys, Storage storage, std::int64_t n) {
  Program p;
  const auto l = p.length(n);
  p.store(p.scan(kAdd, p.element(p.input(storage, l, keys.of(storage)))), p.output(storage, l));
  p.close(l);
  beside_copy(name, 2 * n * static_cast<std::int64_t>(storage_bytes(storage)), p);
}

// Both sides of a key, from the base that `bound` gives.
void partition(const char* name, const Keys& keys, Storage storage, std::int64_t n, int bound) {
  Program p;
  const auto l = p.length(n);
  const auto first = std::count_if(keys.i32, keys.i32 + n, [=](std::int32_t k) { return k < bound; });
  const auto base = p.input(Storage::kI64, 0, nullptr);
  p.arrays[static_cast<std::size_t>(base)].scalar = first;
  const auto x = p.element(p.input(storage, l, keys.of(storage)));
  const auto behind = p.op(kGe, x, storage == Storage::kF64 ? p.real(bound) : p.number(bound));
  p.kernel.sinks.push_back(p.sink(plan::SinkKind::kCount, behind, kNone));
  plan::Sink s = p.sink(plan::SinkKind::kPartition, x, p.output(storage, l));
  s.filter = 0;
  s.init = base;
  p.kernel.sinks.push_back(s);
  p.close(l);
  beside_copy(name, 2 * n * static_cast<std::int64_t>(storage_bytes(storage)), p);
}

// Doubled numbers to computed places, i * `step` modulo n: in order by 1, a page apart by 7919.
void scatter(const char* name, const Keys& keys, std::int64_t n, std::int64_t step) {
  auto* place = memory<std::int32_t>(n);
  for (std::int64_t i = 0; i < n; ++i) place[i] = static_cast<std::int32_t>(i * step % n - 1);
  Program p;
  const auto l = p.length(n);
  const auto x = p.op(kMul, p.element(p.input(Storage::kF64, l, keys.f64)), p.real(2));
  plan::Sink s = p.sink(plan::SinkKind::kScatter, x, p.output(Storage::kF64, l));
  s.index = p.op(kAdd, p.element(p.input(Storage::kI32, l, place)), p.number(1));
  p.kernel.sinks.push_back(s);
  p.close(l);
  beside_copy(name, 20 * n, p);
}

// The largest sum of consecutive elements: two scans and a maximum, nothing written.
void largest_sum(const Keys& keys, std::int64_t n) {
  Program p;
  const auto l = p.length(n);
  const auto x = p.op(kSub, p.element(p.input(Storage::kI32, l, keys.i32)), p.number(500));
  const auto s = p.op(kAdd, p.scan(kAdd, x), x);
  p.reduce(kMax, p.op(kSub, s, p.op(kMin, p.number(0), p.scan(kMin, s))), p.output(Storage::kI64, 0));
  p.close(l);
  beside_copy("mcss i32", 4 * n, p);
}

}  // namespace

int main(int argc, char** argv) {
  g_threads = argc > 1 ? std::atoi(argv[1]) : 2;
  const std::int64_t n = argc > 2 ? std::atol(argv[2]) : 10000000;
  if (g_threads < 1 || n < 1) {
    std::fprintf(stderr, "usage: pack_scan_bench [THREADS [ELEMENTS [avx2|avx512]]]\n");
    return EXIT_FAILURE;
  }
  if (argc > 3) g_isa = std::string(argv[3]) == "avx2" ? vm::cpu::Isa::kAvx2 : vm::cpu::Isa::kAvx512;
  const Keys keys(n);
  filter("filter half f64", keys, Storage::kF64, n, 500, false);
  filter("filter half i64", keys, Storage::kI64, n, 500, false);
  filter("filter half i32", keys, Storage::kI32, n, 500, false);
  filter("filter tenth f64", keys, Storage::kF64, n, 100, false);
  filter("count+filter half f64", keys, Storage::kF64, n, 500, true);
  scan("plus-scan i64", keys, Storage::kI64, n);
  scan("plus-scan i32", keys, Storage::kI32, n);
  largest_sum(keys, n);
  partition("partition f64", keys, Storage::kF64, n, 500);
  partition("partition i64", keys, Storage::kI64, n, 500);
  partition("partition i32", keys, Storage::kI32, n, 500);
  scatter("scatter f64 in order", keys, n, 1);
  scatter("scatter f64 by pages", keys, n, 7919);
  return 0;
}
