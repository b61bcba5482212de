// Primitives on 10 million elements and on 8. Counters: bytes the primitive must move per second, and that
// rate as a fraction of a plain copy measured beside it in the same run (machines drift within minutes).
//   prims_bench --benchmark_filter=...     sizes and threads are in the names: name/threads
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <random>

#include "vm/prims/parallel.h"
#include "vm/prims/prims.h"

namespace nvm::vm {
namespace {

constexpr std::int64_t kMany = 10'000'000;

Pool& pool() {
  static auto* const p = new Pool;
  return *p;
}
PrimContext context(int threads) {
  PrimContext c;
  c.pool = &pool();
  c.isa = best_isa();
  c.threads = threads;
  return c;
}

Vector floats(std::int64_t n) {
  Vector v = pool().vector(Storage::kF64, n);
  std::mt19937_64 rng(1);
  for (std::int64_t i = 0; i < n; ++i)
    v.mutable_data<double>()[i] = static_cast<double>(rng() >> 11) * 0x1p-53;
  return v;
}
template <typename F>
Vector ints(std::int64_t n, F f, Storage storage = Storage::kI64) {
  Vector v = pool().vector(storage, n);
  for (std::int64_t i = 0; i < n; ++i) {
    if (storage == Storage::kI64)
      v.mutable_data<std::int64_t>()[i] = f(i);
    else if (storage == Storage::kI32)
      v.mutable_data<std::int32_t>()[i] = static_cast<std::int32_t>(f(i));
    else
      v.mutable_data<std::int8_t>()[i] = static_cast<std::int8_t>(f(i));
  }
  return v;
}
std::int64_t noise(std::int64_t i) {
  auto x = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15U;
  x ^= x >> 29;
  x *= 0xBF58476D1CE4E5B9U;
  return static_cast<std::int64_t>((x ^ (x >> 32)) >> 1);
}
Vector flags(std::int64_t n, int of) {
  Vector v = pool().vector(Storage::kB8, n);
  for (std::int64_t i = 0; i < n; ++i) v.mutable_data<std::uint8_t>()[i] = noise(i) % of == 0;
  return v;
}
Vector shuffled(std::int64_t n) {
  std::vector<std::int64_t> p(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) p[static_cast<std::size_t>(i)] = i;
  std::shuffle(p.begin(), p.end(), std::mt19937_64(7));
  return int_vector(pool(), p);
}
Segdes segments_of(const std::function<std::int64_t(std::int64_t)>& length, std::int64_t n) {
  std::vector<std::int64_t> lengths;
  std::int64_t total = 0;
  while (total < n) {
    lengths.push_back(std::min(length(static_cast<std::int64_t>(lengths.size())), n - total));
    total += lengths.back();
  }
  return Segdes::from_lengths(int_vector(pool(), lengths), total);
}
const Segdes& one() {
  static const Segdes s = Segdes::regular(1, kMany);
  return s;
}
const Segdes& ten() {
  static const Segdes s = Segdes::regular(10, kMany / 10);
  return s;
}
const Segdes& short_ones() {
  static const Segdes s = segments_of([](std::int64_t k) { return noise(k) % 21; }, kMany);
  return s;
}
const Segdes& power_law() {
  static const Segdes s = segments_of(
      [](std::int64_t k) { return std::min<std::int64_t>(1000000, 1000000 / (1 + noise(k) % 1000000)); },
      kMany);
  return s;
}
const Vector& xs() {
  static const Vector v = floats(kMany);
  return v;
}
const Vector& is() {
  static const Vector v = ints(kMany, [](std::int64_t i) { return noise(i) % 1000000000; });
  return v;
}

// Seconds of a copy of 80 MB on `threads` threads, the best of a few.
double copy_bandwidth(int threads) {
  const Vector from = xs();
  Vector to = pool().vector(Storage::kI64, kMany);
  const auto* a = from.data<std::uint64_t>();
  auto* r = to.mutable_data<std::uint64_t>();
  double best = 1e9;
  for (int k = 0; k < 7; ++k) {
    const auto start = std::chrono::steady_clock::now();
    for_ranges(context(threads), kMany, [&](std::int64_t begin, std::int64_t end) {
#pragma GCC ivdep
      for (std::int64_t i = begin; i < end; ++i) r[i] = a[i] ^ 1;  // a plain copy would become memcpy
    });
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return 16.0 * kMany / best;
}

// The cost of an instruction on small vectors, operand copies and release of the results included.
void run_small(benchmark::State& state, Op op, TypeWord word, const std::vector<Value>& operands) {
  const PrimContext c = context(1);
  std::vector<Value> in(operands.size());
  std::vector<Value> out(op_info(op).results.size());
  for (auto _ : state) {
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = operands[i];
    run_primitive(c, op, word, in, out);
  }
}

void run(benchmark::State& state, Op op, TypeWord word, const std::vector<Value>& operands, double bytes) {
  const PrimContext c = context(static_cast<int>(state.range(0)));
  std::vector<Value> in(operands.size());
  std::vector<Value> out(op_info(op).results.size());
  const double copy = copy_bandwidth(c.threads);
  double best = 1e9;
  for (auto _ : state) {
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = operands[i];
    const auto start = std::chrono::steady_clock::now();
    run_primitive(c, op, word, in, out);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    for (Value& v : out) v = {};
  }
  state.counters["GB/s"] = bytes / best / 1e9;
  state.counters["of_copy"] = bytes / best / std::max(copy, copy_bandwidth(c.threads));
}

using enum Op;
constexpr TypeWord kI = TypeWord::kInt, kF = TypeWord::kFloat, kB = TypeWord::kBool, kN = TypeWord::kNone;

// Registers name/1 and name/2; operands are made when the benchmark runs.
void add(const std::string& name, Op op, TypeWord word, std::function<std::vector<Value>()> make,
         double bytes) {
  if (bytes == 0) {
    benchmark::RegisterBenchmark(name.c_str(),
                                 [=](benchmark::State& state) { run_small(state, op, word, make()); });
    return;
  }
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State& state) { run(state, op, word, make(), bytes); })
      ->Arg(1)
      ->Arg(2)
      ->Unit(benchmark::kMillisecond)

      ->UseRealTime();
}

constexpr double n = kMany;

void add_elementwise() {
  add(
      "add_f64", kAdd, kF,
      [] {
        return std::vector<Value>{xs(), xs()};
      },
      16 * n);
  add(
      "add_i64", kAdd, kI,
      [] {
        return std::vector<Value>{is(), is()};
      },
      16 * n);
  add(
      "mul_i64", kMul, kI,
      [] {
        return std::vector<Value>{is(), is()};
      },
      16 * n);
  add(
      "div_i64", kDiv, kI,
      [] {
        return std::vector<Value>{is(), ints(kMany, [](std::int64_t i) { return 1 + i % 7; })};
      },
      24 * n);
  add(
      "lt_f64", kLt, kF,
      [] {
        return std::vector<Value>{xs(), floats(kMany)};
      },
      17 * n);
  add(
      "eq_i8", kEq, kI,
      [] {
        const Vector v = ints(
            kMany, [](std::int64_t i) { return i % 7; }, Storage::kI8);
        return std::vector<Value>{v, ints(
                                         kMany, [](std::int64_t) { return 3; }, Storage::kI8)};
      },
      3 * n);
  add(
      "select_f64", kSelect, kF,
      [] {
        return std::vector<Value>{flags(kMany, 2), xs(), floats(kMany)};
      },
      25 * n);
  add(
      "and_bool", kAnd, kB,
      [] {
        return std::vector<Value>{flags(kMany, 2), flags(kMany, 3)};
      },
      3 * n);
  add(
      "itof", kItoF, kN, [] { return std::vector<Value>{is()}; }, 16 * n);
  add(
      "floor", kFloor, kN, [] { return std::vector<Value>{xs()}; }, 16 * n);
  add(
      "add_i32_wide", kAdd, kI,
      [] {
        const Vector v = ints(
            kMany, [](std::int64_t i) { return i; }, Storage::kI32);
        return std::vector<Value>{v, is()};
      },
      20 * n);
}

void add_elementary() {
  add(
      "exp", kExp, kN, [] { return std::vector<Value>{xs()}; }, 16 * n);
  add(
      "log", kLog, kN, [] { return std::vector<Value>{xs()}; }, 16 * n);
  add(
      "sin", kSin, kN, [] { return std::vector<Value>{xs()}; }, 16 * n);
  add(
      "sqrt", kSqrt, kN, [] { return std::vector<Value>{xs()}; }, 16 * n);
}

void add_reductions() {
  add(
      "sum_f64", kAddReduce, kF,
      [] {
        return std::vector<Value>{xs(), one()};
      },
      8 * n);
  add(
      "max_i64", kMaxReduce, kI,
      [] {
        return std::vector<Value>{is(), one()};
      },
      8 * n);
  add(
      "and_bool_reduce", kAndReduce, kB,
      [] {
        return std::vector<Value>{flags(kMany, 1), one()};
      },
      1 * n);
  add(
      "sum_f64_10segs", kAddReduce, kF,
      [] {
        return std::vector<Value>{xs(), ten()};
      },
      8 * n);
  add(
      "sum_f64_short", kAddReduce, kF,
      [] {
        return std::vector<Value>{xs(), short_ones()};
      },
      8 * n + 16e6);
  add(
      "sum_f64_power", kAddReduce, kF,
      [] {
        return std::vector<Value>{xs(), power_law()};
      },
      8 * n + 12e6);
  add(
      "sum_i64_short", kAddReduce, kI,
      [] {
        return std::vector<Value>{is(), short_ones()};
      },
      8 * n + 16e6);
}

void add_scans() {
  add(
      "scan_f64", kAddScan, kF,
      [] {
        return std::vector<Value>{xs(), one()};
      },
      16 * n);
  add(
      "scan_i64", kAddScan, kI,
      [] {
        return std::vector<Value>{is(), one()};
      },
      16 * n);
  add(
      "maxscan_i64", kMaxScan, kI,
      [] {
        return std::vector<Value>{is(), one()};
      },
      16 * n);
  add(
      "scan_i64_short", kAddScan, kI,
      [] {
        return std::vector<Value>{is(), short_ones()};
      },
      16 * n + 8e6);
  add(
      "scan_f64_short", kAddScan, kF,
      [] {
        return std::vector<Value>{xs(), short_ones()};
      },
      16 * n + 8e6);
}

void add_packs() {
  add(
      "pack_f64_half", kPack, kF,
      [] {
        return std::vector<Value>{xs(), flags(kMany, 2), one()};
      },
      13 * n);
  add(
      "pack_f64_tenth", kPack, kF,
      [] {
        return std::vector<Value>{xs(), flags(kMany, 10), one()};
      },
      9.8 * n);
  add(
      "pack_f64_short", kPack, kF,
      [] {
        return std::vector<Value>{xs(), flags(kMany, 2), short_ones()};
      },
      13 * n + 12e6);
  add(
      "pack_i8_half", kPack, kI,
      [] {
        return std::vector<Value>{ints(kMany, noise, Storage::kI8), flags(kMany, 2), one()};
      },
      2.5 * n);
}

void add_permutes() {
  add(
      "permute_identity", kPermute, kF,
      [] {
        return std::vector<Value>{xs(), ints(kMany, [](std::int64_t i) { return i; }), one()};
      },
      24 * n);
  add(
      "permute_reverse", kPermute, kF,
      [] {
        return std::vector<Value>{xs(), ints(kMany, [](std::int64_t i) { return kMany - 1 - i; }), one()};
      },
      24 * n);
  add(
      "permute_rotate", kPermute, kF,
      [] {
        return std::vector<Value>{xs(), ints(kMany, [](std::int64_t i) { return (i + 12345) % kMany; }),
                                  one()};
      },
      24 * n);
  add(
      "permute_random", kPermute, kF,
      [] {
        return std::vector<Value>{xs(), shuffled(kMany), one()};
      },
      24 * n);
  add(
      "bpermute_inorder", kBpermute, kF,
      [] {
        return std::vector<Value>{xs(), ints(kMany, [](std::int64_t i) { return i; }), one(), one()};
      },
      24 * n);
  add(
      "bpermute_random", kBpermute, kF,
      [] {
        return std::vector<Value>{xs(), shuffled(kMany), one(), one()};
      },
      24 * n);
  add(
      "bpermute_short", kBpermute, kF,
      [] {
        const Segdes& s = short_ones();
        Vector idx = pool().vector(Storage::kI64, kMany);
        for (std::int64_t k = 0; k < s.segments(); ++k)
          for (std::int64_t i = 0; i < s.length(k); ++i)
            idx.mutable_data<std::int64_t>()[s.offset(k) + i] = s.length(k) - 1 - i;
        return std::vector<Value>{xs(), idx, s, s};
      },
      24 * n + 8e6);
}

void add_spreads_and_ranks() {
  add(
      "dist_one", kDist, kF,
      [] {
        return std::vector<Value>{Vector::of_float(1.5), one()};
      },
      8 * n);
  add(
      "dist_short", kDist, kF,
      [] {
        return std::vector<Value>{floats(short_ones().segments()), short_ones()};
      },
      8 * n + 16e6);
  add(
      "index_one", kIndex, kN,
      [] {
        return std::vector<Value>{Vector::of_int(0), Vector::of_int(1), one()};
      },
      4 * n);
  add(
      "index_short", kIndex, kN,
      [] {
        const Vector z = ints(short_ones().segments(), [](std::int64_t i) { return i; });
        return std::vector<Value>{z, z, short_ones()};
      },
      4 * n + 24e6);
  add(
      "extract_short", kExtract, kF,
      [] {
        static const Segdes s = Segdes::regular(kMany / 10, 10);
        return std::vector<Value>{xs(), ints(kMany / 10, [](std::int64_t i) { return i % 10; }), s};
      },
      8e6 * 10);
  add(
      "rank_i64_random", kRankUp, kI,
      [] {
        return std::vector<Value>{is(), one()};
      },
      12 * n);
  add(
      "rank_i64_below100", kRankUp, kI,
      [] {
        return std::vector<Value>{ints(kMany, [](std::int64_t i) { return noise(i) % 100; }), one()};
      },
      12 * n);
  add(
      "rank_f64_random", kRankUp, kF,
      [] {
        return std::vector<Value>{xs(), one()};
      },
      12 * n);
  add(
      "rank_i64_short", kRankUp, kI,
      [] {
        return std::vector<Value>{is(), short_ones()};
      },
      12 * n);
  add(
      "make_segdes_short", kMakeSegdes, kN, [] { return std::vector<Value>{short_ones().lengths(pool())}; },
      8e6);
}

void add_many() {
  add_elementwise();
  add_elementary();
  add_reductions();
  add_scans();
  add_packs();
  add_permutes();
  add_spreads_and_ranks();
}

void add_small() {
  const auto sizes = {1, 8};
  for (const int n : sizes) {
    const std::string suffix = "_" + std::to_string(n) + "_elements";
    const auto f = [n] { return n == 1 ? Vector::of_float(2) : floats(n); };
    const auto i = [n] { return n == 1 ? Vector::of_int(2) : ints(n, [](std::int64_t k) { return k; }); };
    const auto s = [n] { return Segdes::regular(1, n); };
    add(
        "add_f64" + suffix, kAdd, kF,
        [=] {
          return std::vector<Value>{f(), f()};
        },
        0);
    add(
        "add_i64" + suffix, kAdd, kI,
        [=] {
          return std::vector<Value>{i(), i()};
        },
        0);
    add(
        "div_i64" + suffix, kDiv, kI,
        [=] {
          return std::vector<Value>{i(),
                                    n == 1 ? Vector::of_int(3) : ints(n, [](std::int64_t) { return 3; })};
        },
        0);
    add(
        "lt_i64" + suffix, kLt, kI,
        [=] {
          return std::vector<Value>{i(), i()};
        },
        0);
    add(
        "exp" + suffix, kExp, kN, [=] { return std::vector<Value>{f()}; }, 0);
    add(
        "sum_f64" + suffix, kAddReduce, kF,
        [=] {
          return std::vector<Value>{f(), s()};
        },
        0);
    add(
        "scan_i64" + suffix, kAddScan, kI,
        [=] {
          return std::vector<Value>{i(), s()};
        },
        0);
    add(
        "dist" + suffix, kDist, kI,
        [=] {
          return std::vector<Value>{Vector::of_int(1), s()};
        },
        0);
    add(
        "index" + suffix, kIndex, kN,
        [=] {
          return std::vector<Value>{Vector::of_int(0), Vector::of_int(1), s()};
        },
        0);
    add(
        "permute" + suffix, kPermute, kI,
        [=] {
          return std::vector<Value>{
              i(), n == 1 ? Vector::of_int(0) : ints(n, [n](std::int64_t k) { return n - 1 - k; }), s()};
        },
        0);
    add(
        "bpermute" + suffix, kBpermute, kI,
        [=] {
          return std::vector<Value>{i(), n == 1 ? Vector::of_int(0) : i(), s(), s()};
        },
        0);
    add(
        "extract" + suffix, kExtract, kI,
        [=] {
          return std::vector<Value>{i(), Vector::of_int(0), s()};
        },
        0);
    add(
        "pack" + suffix, kPack, kI,
        [=] {
          return std::vector<Value>{i(), n == 1 ? Vector::of_bool(true) : flags(n, 2), s()};
        },
        0);
    add(
        "rank" + suffix, kRankUp, kI,
        [=] {
          return std::vector<Value>{i(), s()};
        },
        0);
    add(
        "make_segdes" + suffix, kMakeSegdes, kN, [=] { return std::vector<Value>{i()}; }, 0);
    add(
        "lengths" + suffix, kLengths, kN, [=] { return std::vector<Value>{s()}; }, 0);
  }
}

}  // namespace
}  // namespace nvm::vm

int main(int argc, char** argv) {
  nvm::vm::add_many();
  nvm::vm::add_small();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
