// Operands, timing and registration shared by the benchmarks of primitives.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <random>

#include "vm/prims/parallel.h"
#include "vm/prims/prims.h"

namespace nvm::vm::bench {

using Values = std::vector<Value>;

inline constexpr std::int64_t kMany = 10'000'000;

inline Pool& pool() {
  static auto* const p = new Pool;
  return *p;
}
inline PrimContext context(int threads) {
  PrimContext c;
  c.pool = &pool();
  c.isa = best_isa();
  c.threads = threads;
  return c;
}

inline Vector floats(std::int64_t n) {
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
inline std::int64_t noise(std::int64_t i) {
  auto x = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15U;
  x ^= x >> 29;
  x *= 0xBF58476D1CE4E5B9U;
  return static_cast<std::int64_t>((x ^ (x >> 32)) >> 1);
}
inline Vector flags(std::int64_t n, int of) {
  Vector v = pool().vector(Storage::kB8, n);
  for (std::int64_t i = 0; i < n; ++i) v.mutable_data<std::uint8_t>()[i] = noise(i) % of == 0;
  return v;
}
inline Vector shuffled(std::int64_t n) {
  std::vector<std::int64_t> p(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) p[static_cast<std::size_t>(i)] = i;
  std::shuffle(p.begin(), p.end(), std::mt19937_64(7));
  return int_vector(pool(), p);
}
inline Segdes segments_of(const std::function<std::int64_t(std::int64_t)>& length, std::int64_t n) {
  std::vector<std::int64_t> lengths;
  std::int64_t total = 0;
  while (total < n) {
    lengths.push_back(std::min(length(static_cast<std::int64_t>(lengths.size())), n - total));
    total += lengths.back();
  }
  return Segdes::from_lengths(int_vector(pool(), lengths), total);
}
inline const Vector& xs() {
  static const Vector v = floats(kMany);
  return v;
}
inline const Vector& is() {
  static const Vector v = ints(kMany, [](std::int64_t i) { return noise(i) % 1000000000; });
  return v;
}

// Bytes that a copy of 80 MB on `threads` threads reads and writes in a second, the best of a few.
inline double copy_bandwidth(int threads) {
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
inline void run_small(benchmark::State& state, Op op, TypeWord word, const Values& operands) {
  const PrimContext c = context(1);
  Values in(operands.size());
  Values out(op_info(op).results.size());
  for (auto _ : state) {
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = operands[i];
    run_primitive(c, op, word, in, out);
  }
}

inline void run(benchmark::State& state, Op op, TypeWord word, const Values& operands, double bytes) {
  const PrimContext c = context(static_cast<int>(state.range(0)));
  Values in(operands.size());
  Values out(op_info(op).results.size());
  const double copy = copy_bandwidth(c.threads);
  double best = 1e9;
  for (auto _ : state) {
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = operands[i];
    const auto start = std::chrono::steady_clock::now();
    run_primitive(c, op, word, in, out);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    for (Value& v : out) v = {};
  }
  state.counters["best_ms"] = best * 1e3;
  state.counters["GB/s"] = bytes / best / 1e9;
  state.counters["of_copy"] = bytes / best / std::max(copy, copy_bandwidth(c.threads));
}

// The operands that `make` gives, made once for all runs of `name`; those of the benchmark before are let go.
inline const Values& operands_of(const std::string& name, const std::function<Values()>& make) {
  static std::string held;
  static Values values;
  if (held != name) {
    values.clear();
    values = make();
    held = name;
  }
  return values;
}

// Registers name/1 and name/2, which move `bytes`; or, with 0 bytes, the cost of one small instruction.
inline void add(const std::string& name, Op op, TypeWord word, double bytes, std::function<Values()> make) {
  if (bytes == 0) {
    benchmark::RegisterBenchmark(name.c_str(),
                                 [=](benchmark::State& state) { run_small(state, op, word, make()); });
    return;
  }
  benchmark::RegisterBenchmark(
      name.c_str(), [=](benchmark::State& state) { run(state, op, word, operands_of(name, make), bytes); })
      ->Arg(1)
      ->Arg(2)
      ->Iterations(7)
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

void add_segment_sweeps();

}  // namespace nvm::vm::bench
