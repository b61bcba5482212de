// What a measurement says: as JSON and CSV for programs, as Markdown and plots for people.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "tests/bench/suite/measure.h"
#include "tests/bench/suite/workload.h"

namespace nvm::bench {

// One instance, measured.
struct Row {
  std::string id, title;
  std::int64_t n = 0;
  int threads = 1;
  bool cold = false;  // Pace::cold
  double target = 0;  // times `rival`
  std::string rival;
  std::vector<Timing> timings;
  double triad = 0;  // GB/s with as many threads, right after the measurement: what the machine gave

  [[nodiscard]] const Timing* find(const std::string& name) const;  // null if absent or without times
  // nvm's median over that of `name`; nothing if one is missing.
  [[nodiscard]] std::optional<double> ratio(const std::string& name) const;
};

// Whether `a` rather than `b` stands for its workload: warm before cold, more threads, the larger size.
[[nodiscard]] bool larger(const Row& a, const Row& b);

struct Report {
  std::string machine, version, date;
  std::uint64_t seed = 1;
  std::vector<Row> rows;
};

[[nodiscard]] std::string describe_machine();  // processor, processors, caches, memory

// Throws std::runtime_error if not all of it could be written; then the file is as it was.
void write_whole(const std::string& path, const std::string& text);
// What throws here would throw after the measurement: a file that cannot be written, a document without
// marks, a folder that cannot be made. Empty names are none.
struct Outputs {
  std::string json, csv, markdown, plots;
};
void check_outputs(const Outputs& outputs);

void write_json(const Report& report, const std::string& path);
// Throws std::runtime_error if the file is none of ours.
[[nodiscard]] Report read_json(const std::string& path);
void write_csv(const Report& report, const std::string& path);
// nvm's time over that of each kind of rival, in the geometric mean of all workloads, of their largest rows:
// a line for each.
[[nodiscard]] std::string means(const Report& report);
// One table row for each workload, of its largest size and number of threads, and the geometric means; then
// how the times grow with n and with threads, where those were measured.
[[nodiscard]] std::string markdown(const Report& report);
// Replaces what stands between the marks <!-- begin: bench --> and <!-- end: bench --> of a document.
void write_markdown(const Report& report, const std::string& path);
void check_marks(const std::string& path);  // throws std::runtime_error if there are none
// One SVG for each workload, times over sizes and over threads, and summary.svg.
void write_plots(const Report& report, const std::string& directory);
void make_folder(const std::string& directory);

// What became slower by more than a tolerance (1.1: a tenth), in lines; and the rows of `before` that `after`
// does not have. Compared are ratios to the target's rival, which stood in the same run, where there are
// such, else medians.
struct Comparison {
  int compared = 0;  // rows of both
  std::string slower, missing;
};
[[nodiscard]] Comparison compare(const Report& before, const Report& after, double tolerance);

// The exponent e of t ~ n^e through the points; nothing of fewer than two.
[[nodiscard]] std::optional<double> growth(const std::vector<std::pair<double, double>>& points);

}  // namespace nvm::bench
