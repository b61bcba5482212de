#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>

#include "tests/bench/suite/report.h"

namespace nvm::bench {

namespace {

// Three digits that count.
std::string number(double x) {
  std::ostringstream out;
  const int whole = x > 0 ? static_cast<int>(std::floor(std::log10(x))) : 0;
  out.precision(std::max(0, 2 - whole));
  out << std::fixed << x;
  return out.str();
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '|' ? "\\|" : std::string(1, c);
  return out;
}

std::string milliseconds(const Timing* t) { return t == nullptr ? "–" : number(1e3 * t->median()); }

std::string times(const std::optional<double>& ratio) { return ratio ? number(*ratio) : "–"; }

// Half the distance between the quartiles, in percent of the median.
std::string spread(const Timing* t) {
  if (t == nullptr) return "–";
  return "±" + number(50 * (t->quantile(0.75) - t->quantile(0.25)) / t->median()) + " %";
}

bool larger(const Row& a, const Row& b) { return a.threads != b.threads ? a.threads > b.threads : a.n > b.n; }

// Of each workload the row of most threads and, of these, the largest size; in order of appearance.
std::vector<const Row*> largest_rows(const Report& report) {
  std::vector<const Row*> rows;
  for (const Row& row : report.rows) {
    const Row** there = nullptr;
    for (const Row*& other : rows)
      if (other->id == row.id) there = &other;
    if (there == nullptr)
      rows.push_back(&row);
    else if (larger(row, **there))
      *there = &row;
  }
  return rows;
}

std::optional<double> exponent_of(const Report& report, const Row& like) {
  std::vector<std::pair<double, double>> points;
  for (const Row& row : report.rows)
    if (row.id == like.id && row.threads == like.threads)
      if (const Timing* t = row.find("nvm")) points.emplace_back(static_cast<double>(row.n), t->median());
  return growth(points);
}

std::string verdict(const Row& row) {
  const auto ratio = row.ratio(row.rival);
  if (!ratio) return "–";
  return *ratio <= row.target ? "**met**" : number(*ratio / row.target) + " times off";
}

std::string result_line(const Report& report, const Row& row) {
  const Timing* nvm = row.find("nvm");
  const auto exponent = exponent_of(report, row);
  std::ostringstream out;
  out << "| " << row.id << " | " << escaped(row.title) << " | " << row.n << " | " << milliseconds(nvm)
      << " | " << spread(nvm) << " | " << (nvm != nullptr ? number(1e3 * nvm->first) : "–") << " | "
      << milliseconds(row.find("nvm, no jit")) << " | " << milliseconds(row.find("hand")) << " | "
      << milliseconds(row.find("library")) << " | " << milliseconds(row.find("std")) << " | "
      << times(row.ratio("hand")) << " | " << times(row.ratio("library")) << " | " << number(row.target)
      << " × " << row.rival << " | " << verdict(row) << " | " << (exponent ? number(*exponent) : "–") << " | "
      << (row.triad > 0 ? number(row.triad) : "–") << " |\n";
  return out.str();
}

// "nvm takes 1.23 times as long as the library, in the geometric mean of 12 workloads"
std::string mean_line(const std::vector<const Row*>& rows, const std::string& rival) {
  double sum = 0;
  int count = 0;
  for (const Row* row : rows)
    if (const auto ratio = row->ratio(rival)) sum += std::log(*ratio), ++count;
  if (count == 0) return "";
  return "- nvm over " + rival + ": " + number(std::exp(sum / count)) + " (geometric mean of " +
         std::to_string(count) + " workloads)\n";
}

std::string wrong_lines(const Report& report) {
  std::string lines;
  for (const Row& row : report.rows)
    for (const Timing& t : row.timings)
      if (!t.wrong.empty())
        lines += "- " + row.id + ", n = " + std::to_string(row.n) + ", " + t.name +
                 " has no times: " + t.wrong.substr(0, t.wrong.find('\n')) + "\n";
  return lines;
}

std::string rivals_of(const std::vector<const Row*>& rows) {
  std::string lines;
  for (const Row* row : rows) {
    lines += "- " + row->id + ":";
    const char* comma = " ";
    for (const Timing& t : row->timings)
      if (t.name != "nvm" && t.name != "nvm, no jit") lines += comma + t.name + ": " + t.what, comma = "; ";
    lines += "\n";
  }
  return lines;
}

}  // namespace

std::string markdown(const Report& report) {
  const auto rows = largest_rows(report);
  std::ostringstream out;
  out << "Machine: " << report.machine << ". " << report.version << ", " << report.date << ", seed "
      << report.seed
      << ".\n\n| | workload | n | nvm | spread | first run | no jit | hand | library | std | nvm / hand "
         "| nvm / library | target | verdict | growth | triad GB/s |\n| --- | --- |"
      << [] {
           std::string s;
           for (int i = 0; i < 10; ++i) s += " ---: |";
           return s + " --- | --- | ---: | ---: |\n";
         }();
  for (const Row* row : rows) out << result_line(report, *row);
  out << "\n"
      << mean_line(rows, "hand") << mean_line(rows, "library") << mean_line(rows, "std")
      << mean_line(rows, "nvm, no jit") << mean_line(rows, "legacy") << wrong_lines(report)
      << "\nWho ran beside nvm:\n\n"
      << rivals_of(rows);
  return out.str();
}

void write_markdown(const Report& report, const std::string& path) {
  const std::string begin = "<!-- begin: bench -->\n", end = "<!-- end: bench -->";
  std::ifstream in(path);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t from = text.find(begin), to = text.find(end);
  if (from == std::string::npos || to == std::string::npos)
    throw std::runtime_error(path + " has no lines <!-- begin: bench --> and <!-- end: bench -->");
  std::ofstream out(path);
  out << text.substr(0, from + begin.size()) << "\n" << markdown(report) << "\n" << text.substr(to);
  if (!out) throw std::runtime_error(path + " cannot be written");
}

}  // namespace nvm::bench
