// Times of contestants that take turns, so that what the machine does meanwhile meets all of them.
#pragma once

#include <string>
#include <vector>

#include "tests/bench/suite/contestant.h"

namespace nvm::bench {

constexpr const char* kUnchecked =
    "; result not checked";  // ends Timing::what of who leaves nothing to check

struct Pace {
  int runs = 9;         // of each contestant, warm; more where they are brief
  double seconds = 20;  // for all of them together: when it has passed, those with three runs are done
  bool cold = false;    // before each run the caches are filled with other data
  double brief = 0.02;  // seconds that runs of microseconds fill, since they scatter
};

// Of one contestant; times in seconds.
struct Timing {
  std::string name;
  std::string what;
  std::string wrong;  // "" or why its times do not count; then there are none
  double first = 0;   // the first run: memory untouched, nothing compiled
  std::vector<double> runs;

  [[nodiscard]] double quantile(double q) const;  // of runs, interpolated
  [[nodiscard]] double median() const { return quantile(0.5); }
};

// Each contestant runs for the first time, is checked, warms up; then all run in turn, in an order drawn anew
// each time: who follows one that leaves the data in the right caches gains. What takes microseconds warms up
// and runs until some hundredths of a second have passed. A wrong result ends a contestant's part; the last
// run is checked too.
[[nodiscard]] std::vector<Timing> measure(std::vector<Contestant>& contestants, const Pace& pace);

// Reads and writes far more than the caches hold, on all threads.
void fill_caches();

// GB/s of a[i] = b[i] + s * c[i] over vectors far larger than L2, bytes read plus written.
[[nodiscard]] double triad(int threads);

}  // namespace nvm::bench
