#include "vm/profile/machine_limits.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "bytecode/base/out_file.h"
#include "bytecode/base/read_file.h"
#include "bytecode/base/thread.h"

namespace nvm::vm {

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Runs f(thread) on all threads at once and waits.
template <typename F>
void on_all(int threads, F f) {
  std::vector<std::unique_ptr<Thread>> others;
  for (int t = 1; t < threads; ++t) others.push_back(std::make_unique<Thread>([&f, t] { f(t); }));
  f(0);
}

// a[i] = b[i] + s * c[i] over arrays that no cache holds: two reads and a write.
double measure_bandwidth(int threads) {
  constexpr std::size_t kElements = std::size_t{8} << 20;
  constexpr int kRounds = 6;  // the first touches the pages
  const std::unique_ptr<double[]> a(new double[kElements]), b(new double[kElements]),
      c(new double[kElements]);
  double best = 0;
  for (int round = 0; round < kRounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    on_all(threads, [&](int t) {
      const std::size_t from = kElements / static_cast<std::size_t>(threads) * static_cast<std::size_t>(t);
      const std::size_t to =
          t + 1 == threads ? kElements : from + kElements / static_cast<std::size_t>(threads);
      if (round == 0) {
        std::fill(b.get() + from, b.get() + to, 1.0);
        std::fill(c.get() + from, c.get() + to, 2.0);
      }
      double* x = a.get();
      const double *y = b.get(), *z = c.get();
#pragma GCC ivdep
      for (std::size_t i = from; i < to; ++i) x[i] = y[i] + 3.0 * z[i];
    });
    if (round > 0) best = std::max(best, 3.0 * sizeof(double) * kElements / seconds_since(start));
  }
  return best;
}

using Lanes = double __attribute__((vector_size(64)));
constexpr int kChains = 8;

// Additions and multiplications that wait for nothing but the units.
template <typename T>
[[gnu::always_inline]] inline double spin(std::int64_t rounds) {
  T x[kChains] = {};
  for (int c = 0; c < kChains; ++c)
    for (int i = 0; i < 8; ++i) x[c][i] = c + i;
  for (std::int64_t r = 0; r < rounds; ++r)
    for (T& v : x) v = v * 0.999 + 1.0;
  double sum = 0;
  for (const T& v : x) sum += v[0];
  return sum;
}
double spin_any(std::int64_t rounds) { return spin<Lanes>(rounds); }
#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] double spin_avx2(std::int64_t rounds) { return spin<Lanes>(rounds); }
[[gnu::target("avx512f")]] double spin_avx512(std::int64_t rounds) { return spin<Lanes>(rounds); }
#endif

double measure_operations(int threads) {
  auto* f = spin_any;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) f = spin_avx2;
  if (__builtin_cpu_supports("avx512f")) f = spin_avx512;
#endif
  constexpr std::int64_t kRounds = 1 << 20;
  double best = 0;
  for (int round = 0; round < 4; ++round) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<double> sums(static_cast<std::size_t>(threads));
    on_all(threads, [&](int t) { sums[static_cast<std::size_t>(t)] = f(kRounds); });
    const double operations = 2.0 * 8 * kChains * static_cast<double>(kRounds) * threads;
    if (sums[0] > 0) best = std::max(best, operations / seconds_since(start));
  }
  return best;
}

// Limits hold for one processor and number of threads.
std::string machine_key(int threads) {
  return "1 " + processor_model() + " x" + std::to_string(::sysconf(_SC_NPROCESSORS_ONLN)) + " " +
         std::to_string(threads);
}

}  // namespace

std::string processor_model() {
  const std::string info = read_all("/proc/cpuinfo").value_or("");
  for (const std::string_view line : lines_of(info))
    if (line.starts_with("model name"))
      return std::string(line.substr(std::min(line.size(), line.find(':') + 2)));
  return "unknown";
}

MachineLimits measure_machine(int threads) {
  return {measure_bandwidth(threads), measure_operations(threads), threads};
}

MachineLimits machine_limits(int threads, const std::string& folder) {
  const std::string key = machine_key(threads);
  const std::string path = folder + "/limits-" + std::to_string(threads);
  if (!folder.empty()) {
    MachineLimits limits;
    limits.threads = threads;
    const std::string known = read_all(path).value_or("");
    if (known.starts_with(key + "\n") &&
        std::sscanf(known.c_str() + key.size() + 1, "%lf %lf", &limits.bytes_per_second,
                    &limits.operations_per_second) == 2 &&
        limits.bytes_per_second > 0 && limits.operations_per_second > 0)
      return limits;
  }
  const MachineLimits limits = measure_machine(threads);
  if (folder.empty()) return limits;
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  char numbers[64];
  std::snprintf(numbers, sizeof numbers, "\n%g %g\n", limits.bytes_per_second, limits.operations_per_second);
  OutFile out(path, OutFile::Kind::kCache);
  out.write(key + numbers);
  out.finish();  // who cannot write measures again
  return limits;
}

std::string cache_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return std::string(cache) + "/nvm";
  const char* home = std::getenv("HOME");
  return home == nullptr || *home == '\0' ? "" : std::string(home) + "/.cache/nvm";
}

}  // namespace nvm::vm
