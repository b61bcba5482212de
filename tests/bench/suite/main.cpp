// nvm-bench: what `nvm bench` runs. See docs/cli.md.
#include <cstdio>
#include <ctime>
#include <exception>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "tests/bench/suite/contestant.h"
#include "tests/bench/suite/measure.h"
#include "tests/bench/suite/outside.h"
#include "tests/bench/suite/report.h"
#include "vm/cmd/arguments.h"
#include "vm/cmd/commands.h"
#include "vm/cmd/terminal.h"

namespace nvm::bench {

#define WORKLOAD(id, function, ...) Instance function(const Problem&);
#include "tests/bench/workloads/table.def"

std::span<const Workload> all_workloads() {
  static constexpr Workload kAll[] = {
#define WORKLOAD(id, function, title, program, n, target, rival) \
  {id, title, program, n, target, rival, function},
#include "tests/bench/workloads/table.def"
  };
  return kAll;
}

namespace {

using cmd::Arguments;
using cmd::Option;
using cmd::UsageError;

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, at);) words.push_back(word);
  return words;
}

// The workloads that the operands name, all if there are none.
std::vector<Workload> chosen_workloads(const Arguments& arguments) {
  std::vector<Workload> chosen;
  for (const Workload& w : all_workloads())
    if (arguments.operands().empty()) chosen.push_back(w);
  for (const std::string& operand : arguments.operands())
    for (const std::string& id : split(operand, ',')) {
      const std::size_t before = chosen.size();
      for (const Workload& w : all_workloads())
        if (w.id == id) chosen.push_back(w);
      if (chosen.size() == before)
        throw UsageError{"there is no workload " + id + "; nvm bench --list names them"};
    }
  return chosen;
}

std::vector<std::int64_t> chosen_sizes(const Arguments& arguments, std::int64_t large) {
  const std::string size = arguments.text(Option::kSize);
  if (size == "all") return {large / 100, large / 10, large};
  if (size == "small") return {large / 100};
  if (size == "medium") return {large / 10};
  if (size == "large") return {large};
  if (size.find_first_not_of("0123456789") != std::string::npos)
    throw UsageError{"--size " + size + ": expected small, medium, large, all or a number, 100 or more"};
  return {arguments.integer(Option::kSize, 100)};
}

int positive(const std::string& text) {
  const bool digits = !text.empty() && text.size() < 6 && text.find_first_not_of("0123456789") == text.npos;
  const int n = digits ? std::stoi(text) : 0;
  if (n < 1) throw UsageError{"--threads: expected N or 1..N"};
  return n;
}

// N, or A..B; 0 for all processors
std::vector<int> chosen_threads(const Arguments& arguments) {
  constexpr int kMost = 1024;
  const std::string text = arguments.text(Option::kThreads);
  if (text == "0") return {static_cast<int>(std::thread::hardware_concurrency())};
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return {positive(text)};
  const int first = positive(text.substr(0, dots)), last = positive(text.substr(dots + 2));
  if (last < first || last > kMost) throw UsageError{"--threads " + text + ": expected A..B, A <= B <= 1024"};
  std::vector<int> threads;
  for (int t = first; t <= last; ++t) threads.push_back(t);
  return threads;
}

lib::Options vm_options(int threads, lib::Jit jit) {
  lib::Options options;
  options.threads = threads;
  options.jit = jit;
  return options;
}

std::vector<Contestant> contestants_of(const Workload& w, const Problem& p, const Instance& instance,
                                       const Arguments& arguments) {
  std::vector<Contestant> all;
  all.push_back(nvm_contestant(w, instance, vm_options(p.threads, lib::Jit::kHot), "nvm"));
  if (!arguments.given(Option::kNoEager))
    all.push_back(nvm_contestant(w, instance, vm_options(p.threads, lib::Jit::kOff), "nvm, no jit"));
  for (const Rival& rival : instance.rivals) all.push_back(rival_contestant(rival));
  if (arguments.given(Option::kLegacy))
    if (auto legacy =
            legacy_contestant(arguments.text(Option::kLegacy), w, instance.n > 0 ? instance.n : p.n))
      all.push_back(std::move(*legacy));
  for (const std::string& word : arguments.all(Option::kVs)) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      throw UsageError{"--vs " + word + ": expected NAME=COMMAND"};
    all.push_back(command_contestant(word.substr(0, equals), word.substr(equals + 1), w, instance, p));
  }
  return all;
}

void print_row(const Row& row) {
  std::printf("%s  %s, n = %lld, %d thread%s%s, triad %.1f GB/s\n", row.id.c_str(), row.title.c_str(),
              static_cast<long long>(row.n), row.threads, row.threads == 1 ? "" : "s",
              row.cold ? ", cold" : "", row.triad);
  for (const Timing& t : row.timings) {
    if (!t.wrong.empty()) {
      std::printf("  %-12s %s\n", t.name.c_str(), t.wrong.c_str());
      continue;
    }
    std::printf("  %-12s %10.3f ms  [%.3f, %.3f]  first %.3f", t.name.c_str(), 1e3 * t.median(),
                1e3 * t.quantile(0.25), 1e3 * t.quantile(0.75), 1e3 * t.first);
    if (const auto ratio = row.ratio(t.name); ratio && t.name != "nvm")
      std::printf("   nvm / it %.2f", *ratio);
    std::printf("%s\n", t.what.ends_with(kUnchecked) ? "   unchecked" : "");
  }
  std::fflush(stdout);
}

Row measure_row(const Workload& w, const Problem& p, const Arguments& arguments) {
  const Instance instance = w.make(p);
  std::vector<Contestant> contestants = contestants_of(w, p, instance, arguments);
  Pace pace;
  pace.runs = static_cast<int>(arguments.integer(Option::kRuns, 1));
  pace.seconds = arguments.number(Option::kBudget);
  pace.cold = arguments.given(Option::kCold);
  Row row{w.id,     w.title, instance.n > 0 ? instance.n : p.n, p.threads, pace.cold,
          w.target, w.rival, measure(contestants, pace)};
  row.triad = triad(p.threads);
  return row;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::localtime(&now));
  return text;
}

Report measure_all(const Arguments& arguments) {
  Report report{describe_machine(), std::string("nvm ") + lib::version(), today(), 1, {}};
  if (arguments.given(Option::kSeed))
    report.seed = static_cast<std::uint64_t>(arguments.integer(Option::kSeed, 0));
  const std::vector<int> threads = chosen_threads(arguments);
  for (const Workload& w : chosen_workloads(arguments))
    for (const std::int64_t n : chosen_sizes(arguments, w.n))
      for (const int t : threads) {
        report.rows.push_back(measure_row(w, {n, report.seed, t}, arguments));
        print_row(report.rows.back());
        if (arguments.given(Option::kSave)) write_json(report, arguments.text(Option::kSave));
      }
  return report;
}

// Rows of several measurements on one machine; of equal ones the last counts.
Report merged(const std::vector<std::string>& paths) {
  if (paths.empty()) throw UsageError{"--merge: expected JSON files"};
  Report all;
  for (const std::string& path : paths) {
    Report one = read_json(path);
    if (!all.rows.empty() && all.machine != one.machine)
      throw std::runtime_error(path + " is of another machine");
    all.machine = one.machine, all.version = one.version, all.date = one.date, all.seed = one.seed;
    for (Row& row : one.rows) {
      std::erase_if(all.rows, [&](const Row& r) {
        return r.id == row.id && r.n == row.n && r.threads == row.threads && r.cold == row.cold;
      });
      all.rows.push_back(std::move(row));
    }
  }
  return all;
}

// In the order of the table, whatever the order of measuring.
void sort_rows(Report& report) {
  std::vector<Row> sorted;
  for (const Workload& w : all_workloads())
    for (const Row& row : report.rows)
      if (row.id == w.id) sorted.push_back(row);
  report.rows = std::move(sorted);
}

void write_reports(const Report& report, const Arguments& arguments) {
  if (arguments.given(Option::kSave)) write_json(report, arguments.text(Option::kSave));
  if (arguments.given(Option::kTable)) write_csv(report, arguments.text(Option::kTable));
  if (arguments.given(Option::kMarkdown)) write_markdown(report, arguments.text(Option::kMarkdown));
  if (arguments.given(Option::kPlots)) write_plots(report, arguments.text(Option::kPlots));
}

int compare_files(const Arguments& arguments) {
  if (arguments.operands().size() != 2) throw UsageError{"--compare: expected two JSON files"};
  const Report before = read_json(arguments.operands()[0]), after = read_json(arguments.operands()[1]);
  if (before.machine != after.machine) std::puts("the machines differ: only ratios to rivals say something");
  const Comparison all = compare(before, after, arguments.number(Option::kTolerance));
  if (all.compared == 0) throw std::runtime_error("no workload, size and number of threads is in both files");
  std::fputs((all.missing + all.slower).c_str(), stdout);
  if (all.slower.empty()) std::printf("nothing became slower in %d measurements\n", all.compared);
  return all.slower.empty() ? 0 : 1;
}

int run(const cmd::Words& words) {
  const Arguments arguments("bench", words);
  if (arguments.given(Option::kList)) {
    for (const Workload& w : all_workloads()) std::printf("%-5s %-60s %s\n", w.id, w.title, w.program);
    return 0;
  }
  if (arguments.given(Option::kCompare)) return compare_files(arguments);
  const auto file = [&](Option o) { return arguments.given(o) ? arguments.text(o) : std::string(); };
  check_outputs({file(Option::kSave), file(Option::kTable), file(Option::kMarkdown), file(Option::kPlots)});
  Report report = arguments.given(Option::kMerge) ? merged(arguments.operands()) : measure_all(arguments);
  sort_rows(report);
  write_reports(report, arguments);
  std::fputs(means(report).c_str(), stdout);
  for (const Row& row : report.rows)
    for (const Timing& t : row.timings)
      if (!t.wrong.empty()) return cmd::kFault;
  return 0;
}

}  // namespace

}  // namespace nvm::bench

int main(int argc, char** argv) {
  const nvm::cmd::Words words(argv + std::min(argc, 1), argv + argc);
  if (!words.empty() && (words.front() == "--help" || words.front() == "-h"))
    return nvm::cmd::help_command({"bench"});
  try {
    return nvm::bench::run(words);
  } catch (const nvm::cmd::UsageError& e) {
    nvm::cmd::say(stderr, "nvm bench: " + e.message + "\n");
    return nvm::cmd::kRefused;
  } catch (const std::exception& e) {
    nvm::cmd::say(stderr, std::string("nvm bench: ") + e.what() + "\n");
    return nvm::cmd::kFault;
  }
}
