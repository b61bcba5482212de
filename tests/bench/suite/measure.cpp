#include "tests/bench/suite/measure.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <thread>

#include "tests/bench/suite/array.h"
#include "tests/bench/suite/parallel.h"

namespace nvm::bench {

namespace {

class Clock {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

constexpr int kMost = 500;  // runs

void warm_up(Contestant& contestant, Timing& timing, const Pace& pace) {
  timing.first = contestant.run();
  timing.wrong = contestant.check();
  if (contestant.unchecked && contestant.unchecked()) timing.what += kUnchecked;
  double spent = timing.first;
  const auto enough = [&](int runs) {
    return runs >= contestant.warm_up && (spent >= pace.brief || runs >= kMost);
  };
  for (int i = 0; !enough(i) && timing.wrong.empty() && spent < pace.seconds / 10; ++i)
    spent += contestant.run();
}

}  // namespace

tbb::task_arena& arena(int threads) {
  static std::map<int, tbb::task_arena> arenas;
  return arenas.try_emplace(threads, threads).first->second;
}

double Timing::quantile(double q) const {
  if (runs.empty()) return std::nan("");
  std::vector<double> sorted = runs;
  std::sort(sorted.begin(), sorted.end());
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const auto above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], at - static_cast<double>(below));
}

std::vector<Timing> measure(std::vector<Contestant>& contestants, const Pace& pace) {
  constexpr int kLeast = 3;
  std::vector<Timing> timings;
  const Clock clock;
  for (Contestant& c : contestants) {
    timings.push_back({c.name, c.what, "", 0, {}});
    warm_up(c, timings.back(), pace);
  }
  const Clock measured;
  std::vector<std::size_t> order(contestants.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::minstd_rand draw;
  for (int round = 0; round < pace.runs || (round < kMost && measured.seconds() < pace.brief); ++round) {
    if (round >= kLeast && clock.seconds() > pace.seconds) break;
    std::shuffle(order.begin(), order.end(), draw);
    for (const std::size_t i : order)
      if (timings[i].wrong.empty() && (round < kLeast || timings[i].first < pace.seconds / 10)) {
        if (pace.cold) fill_caches();
        timings[i].runs.push_back(contestants[i].run());
      }
  }
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    if (timings[i].wrong.empty()) timings[i].wrong = contestants[i].check();
    if (!timings[i].wrong.empty()) timings[i].runs.clear();
  }
  return timings;
}

void fill_caches() {
  constexpr std::int64_t kMost = std::int64_t{1} << 30;
  static const std::int64_t bytes =
      std::clamp<std::int64_t>(2 * sysconf(_SC_LEVEL3_CACHE_SIZE), kMost / 8, kMost);
  static const Array<std::int64_t> a(bytes / 8);
  const int threads = static_cast<int>(std::thread::hardware_concurrency());
  parts(threads, a.size(), [&](std::int64_t lo, std::int64_t hi, int) {
    for (std::int64_t i = lo; i < hi; ++i) ++a[i];
  });
}

double triad(int threads) {
  const std::int64_t n = 8'000'000;
  static const Array<double> a(n), b(n), c(n);
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    const Clock clock;
    parts(threads, n, [&](std::int64_t lo, std::int64_t hi, int) {
      for (std::int64_t i = lo; i < hi; ++i) a[i] = b[i] + 3.0 * c[i];
    });
    best = std::min(best, clock.seconds());
  }
  return 24e-9 * static_cast<double>(n) / best;
}

}  // namespace nvm::bench
