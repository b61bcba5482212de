// Primitives on 10 million elements and on 8. Counters: bytes the primitive must move per second, and that
// rate as a fraction of a plain copy measured beside it in the same run (machines drift within minutes).
//   prims_bench --benchmark_filter=...     sizes and threads are in the names: name/threads
#include "tests/bench/prims_harness.h"

namespace nvm::vm::bench {
namespace {

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
using enum Op;
constexpr TypeWord kI = TypeWord::kInt, kF = TypeWord::kFloat, kB = TypeWord::kBool, kN = TypeWord::kNone;
constexpr double n = kMany;

void add_elementwise() {
  add("add_f64", kAdd, kF, 16 * n, [] { return Values{xs(), xs()}; });
  add("add_i64", kAdd, kI, 16 * n, [] { return Values{is(), is()}; });
  add("mul_i64", kMul, kI, 16 * n, [] { return Values{is(), is()}; });
  add("div_i64", kDiv, kI, 24 * n, [] {
    return Values{is(), ints(kMany, [](std::int64_t i) { return 1 + i % 7; })};
  });
  add("lt_f64", kLt, kF, 17 * n, [] { return Values{xs(), floats(kMany)}; });
  add("eq_i8", kEq, kI, 3 * n, [] {
    const Vector v = ints(
        kMany, [](std::int64_t i) { return i % 7; }, Storage::kI8);
    return Values{v, ints(
                         kMany, [](std::int64_t) { return 3; }, Storage::kI8)};
  });
  add("select_f64", kSelect, kF, 25 * n, [] { return Values{flags(kMany, 2), xs(), floats(kMany)}; });
  add("and_bool", kAnd, kB, 3 * n, [] { return Values{flags(kMany, 2), flags(kMany, 3)}; });
  add("itof", kItoF, kN, 16 * n, [] { return Values{is()}; });
  add("floor", kFloor, kN, 16 * n, [] { return Values{xs()}; });
  add("add_i32_wide", kAdd, kI, 20 * n, [] {
    const Vector v = ints(
        kMany, [](std::int64_t i) { return i; }, Storage::kI32);
    return Values{v, is()};
  });
}

void add_elementary() {
  add("exp", kExp, kN, 16 * n, [] { return Values{xs()}; });
  add("log", kLog, kN, 16 * n, [] { return Values{xs()}; });
  add("sin", kSin, kN, 16 * n, [] { return Values{xs()}; });
  add("sqrt", kSqrt, kN, 16 * n, [] { return Values{xs()}; });
}

void add_reductions() {
  add("sum_f64", kAddReduce, kF, 8 * n, [] { return Values{xs(), one()}; });
  add("max_i64", kMaxReduce, kI, 8 * n, [] { return Values{is(), one()}; });
  add("and_bool_reduce", kAndReduce, kB, 1 * n, [] { return Values{flags(kMany, 1), one()}; });
  add("sum_f64_10segs", kAddReduce, kF, 8 * n, [] { return Values{xs(), ten()}; });
  add("sum_f64_short", kAddReduce, kF, 8 * n + 16e6, [] { return Values{xs(), short_ones()}; });
  add("sum_f64_power", kAddReduce, kF, 8 * n + 12e6, [] { return Values{xs(), power_law()}; });
  add("sum_i64_short", kAddReduce, kI, 8 * n + 16e6, [] { return Values{is(), short_ones()}; });
}

void add_scans() {
  add("scan_f64", kAddScan, kF, 16 * n, [] { return Values{xs(), one()}; });
  add("scan_i64", kAddScan, kI, 16 * n, [] { return Values{is(), one()}; });
  add("maxscan_i64", kMaxScan, kI, 16 * n, [] { return Values{is(), one()}; });
  add("scan_i64_short", kAddScan, kI, 16 * n + 8e6, [] { return Values{is(), short_ones()}; });
  add("scan_f64_short", kAddScan, kF, 16 * n + 8e6, [] { return Values{xs(), short_ones()}; });
}

void add_packs() {
  add("pack_f64_half", kPack, kF, 13 * n, [] { return Values{xs(), flags(kMany, 2), one()}; });
  add("pack_f64_tenth", kPack, kF, 9.8 * n, [] { return Values{xs(), flags(kMany, 10), one()}; });
  add("pack_f64_short", kPack, kF, 13 * n + 12e6, [] { return Values{xs(), flags(kMany, 2), short_ones()}; });
  add("pack_i8_half", kPack, kI, 2.5 * n, [] {
    return Values{ints(kMany, noise, Storage::kI8), flags(kMany, 2), one()};
  });
}

void add_permutes() {
  add("permute_identity", kPermute, kF, 24 * n, [] {
    return Values{xs(), ints(kMany, [](std::int64_t i) { return i; }), one()};
  });
  add("permute_reverse", kPermute, kF, 24 * n, [] {
    return Values{xs(), ints(kMany, [](std::int64_t i) { return kMany - 1 - i; }), one()};
  });
  add("permute_rotate", kPermute, kF, 24 * n, [] {
    return Values{xs(), ints(kMany, [](std::int64_t i) { return (i + 12345) % kMany; }), one()};
  });
  add("permute_random", kPermute, kF, 24 * n, [] { return Values{xs(), shuffled(kMany), one()}; });
  add("bpermute_inorder", kBpermute, kF, 24 * n, [] {
    return Values{xs(), ints(kMany, [](std::int64_t i) { return i; }), one(), one()};
  });
  add("bpermute_random", kBpermute, kF, 24 * n, [] { return Values{xs(), shuffled(kMany), one(), one()}; });
  add("bpermute_short", kBpermute, kF, 24 * n + 8e6, [] {
    const Segdes& s = short_ones();
    Vector idx = pool().vector(Storage::kI64, kMany);
    for (std::int64_t k = 0; k < s.segments(); ++k)
      for (std::int64_t i = 0; i < s.length(k); ++i)
        idx.mutable_data<std::int64_t>()[s.offset(k) + i] = s.length(k) - 1 - i;
    return Values{xs(), idx, s, s};
  });
}

// As one writes it by hand.
void combine_by_hand(benchmark::State& state, const Values& operands) {
  const auto& v = std::get<Vector>(operands[0]);
  const auto* x = v.data<double>();
  const auto* at = std::get<Vector>(operands[1]).data<std::int64_t>();
  const auto& d = std::get<Vector>(operands[2]);
  double best = 1e9;
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<double> sums(static_cast<std::size_t>(d.length()), 0.5);
    for (std::int64_t i = 0; i < v.length(); ++i) sums[static_cast<std::size_t>(at[i])] += x[i];
    benchmark::DoNotOptimize(sums.data());
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  state.counters["best_ms"] = best * 1e3;
}

void add_combining() {
  constexpr std::int64_t kValues = 4'000'000;
  for (const std::int64_t bins : {1, 10, 1'000, 10'000, 100'000, 1'000'000}) {
    const auto make = [bins] {
      return Values{floats(kValues), ints(kValues, [bins](std::int64_t i) { return noise(i) % bins; }),
                    bins == 1 ? Vector::of_float(0.5) : floats(bins), Segdes::regular(1, kValues),
                    Segdes::regular(1, bins)};
    };
    const std::string name = "combine_f64_" + std::to_string(bins) + "_bins";
    add(name, kAddDpermute, kF, static_cast<double>(16 * kValues + 16 * bins), make);
    benchmark::RegisterBenchmark(
        (name + "_by_hand").c_str(),
        [=](benchmark::State& state) { combine_by_hand(state, operands_of(name, make)); })
        ->Iterations(7)
        ->Unit(benchmark::kMillisecond);
  }
}

void add_spreads_and_ranks() {
  add("dist_one", kDist, kF, 8 * n, [] { return Values{Vector::of_float(1.5), one()}; });
  add("dist_short", kDist, kF, 8 * n + 16e6, [] {
    return Values{floats(short_ones().segments()), short_ones()};
  });
  add("index_one", kIndex, kN, 4 * n, [] { return Values{Vector::of_int(0), Vector::of_int(1), one()}; });
  add("index_short", kIndex, kN, 4 * n + 24e6, [] {
    const Vector z = ints(short_ones().segments(), [](std::int64_t i) { return i; });
    return Values{z, z, short_ones()};
  });
  add("extract_short", kExtract, kF, 8e6 * 10, [] {
    static const Segdes s = Segdes::regular(kMany / 10, 10);
    return Values{xs(), ints(kMany / 10, [](std::int64_t i) { return i % 10; }), s};
  });
  add("rank_i64_random", kRankUp, kI, 12 * n, [] { return Values{is(), one()}; });
  add("rank_i64_below100", kRankUp, kI, 12 * n, [] {
    return Values{ints(kMany, [](std::int64_t i) { return noise(i) % 100; }), one()};
  });
  add("rank_f64_random", kRankUp, kF, 12 * n, [] { return Values{xs(), one()}; });
  add("rank_i64_short", kRankUp, kI, 12 * n, [] { return Values{is(), short_ones()}; });
  add("make_segdes_short", kMakeSegdes, kN, 8e6, [] { return Values{short_ones().lengths(pool())}; });
}

void add_many() {
  add_elementwise();
  add_elementary();
  add_reductions();
  add_scans();
  add_packs();
  add_permutes();
  add_combining();
  add_spreads_and_ranks();
}

void add_small() {
  const auto sizes = {1, 8};
  for (const int n : sizes) {
    const std::string suffix = "_" + std::to_string(n) + "_elements";
    const auto f = [n] { return n == 1 ? Vector::of_float(2) : floats(n); };
    const auto i = [n] { return n == 1 ? Vector::of_int(2) : ints(n, [](std::int64_t k) { return k; }); };
    const auto s = [n] { return Segdes::regular(1, n); };
    add("add_f64" + suffix, kAdd, kF, 0, [=] { return Values{f(), f()}; });
    add("add_i64" + suffix, kAdd, kI, 0, [=] { return Values{i(), i()}; });
    add("div_i64" + suffix, kDiv, kI, 0, [=] {
      return Values{i(), n == 1 ? Vector::of_int(3) : ints(n, [](std::int64_t) { return 3; })};
    });
    add("lt_i64" + suffix, kLt, kI, 0, [=] { return Values{i(), i()}; });
    add("exp" + suffix, kExp, kN, 0, [=] { return Values{f()}; });
    add("sum_f64" + suffix, kAddReduce, kF, 0, [=] { return Values{f(), s()}; });
    add("scan_i64" + suffix, kAddScan, kI, 0, [=] { return Values{i(), s()}; });
    add("dist" + suffix, kDist, kI, 0, [=] { return Values{Vector::of_int(1), s()}; });
    add("index" + suffix, kIndex, kN, 0, [=] { return Values{Vector::of_int(0), Vector::of_int(1), s()}; });
    add("permute" + suffix, kPermute, kI, 0, [=] {
      return Values{i(), n == 1 ? Vector::of_int(0) : ints(n, [n](std::int64_t k) { return n - 1 - k; }),
                    s()};
    });
    add("bpermute" + suffix, kBpermute, kI, 0, [=] {
      return Values{i(), n == 1 ? Vector::of_int(0) : i(), s(), s()};
    });
    add("extract" + suffix, kExtract, kI, 0, [=] { return Values{i(), Vector::of_int(0), s()}; });
    add("pack" + suffix, kPack, kI, 0, [=] {
      return Values{i(), n == 1 ? Vector::of_bool(true) : flags(n, 2), s()};
    });
    add("rank" + suffix, kRankUp, kI, 0, [=] { return Values{i(), s()}; });
    add("make_segdes" + suffix, kMakeSegdes, kN, 0, [=] { return Values{i()}; });
    add("lengths" + suffix, kLengths, kN, 0, [=] { return Values{s()}; });
  }
}

}  // namespace
}  // namespace nvm::vm::bench

int main(int argc, char** argv) {
  nvm::vm::bench::add_many();
  nvm::vm::bench::add_segment_sweeps();
  nvm::vm::bench::add_small();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
