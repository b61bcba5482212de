#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <tuple>

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

std::string verdict(const Row& row) {
  const auto ratio = row.ratio(row.rival);
  if (!ratio) return "–";
  return *ratio <= row.target ? "**met**" : number(*ratio / row.target) + " times off";
}

// The rows that differ from `like` in size only, or in the number of threads only; ascending.
template <typename Same, typename Key>
std::vector<const Row*> series(const Report& report, const Row& like, Same same, Key key) {
  std::vector<const Row*> rows;
  for (const Row& row : report.rows)
    if (row.id == like.id && row.cold == like.cold && same(row) && row.find("nvm") != nullptr)
      rows.push_back(&row);
  std::sort(rows.begin(), rows.end(), [&](const Row* a, const Row* b) { return key(*a) < key(*b); });
  return rows;
}

std::optional<double> exponent_of(const std::vector<const Row*>& rows, const std::string& name) {
  std::vector<std::pair<double, double>> points;
  for (const Row* row : rows)
    if (const Timing* t = row->find(name)) points.emplace_back(static_cast<double>(row->n), t->median());
  return growth(points);
}

std::string result_line(const Report& report, const Row& row) {
  const Timing* nvm = row.find("nvm");
  const auto sizes = series(
      report, row, [&](const Row& r) { return r.threads == row.threads; }, [](const Row& r) { return r.n; });
  const auto exponent = exponent_of(sizes, "nvm");
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
         std::to_string(count) + (count == 1 ? " workload)\n" : " workloads)\n");
}

// "12.3, 45.6": medians of one contestant through a series.
std::string medians(const std::vector<const Row*>& rows, const std::string& name) {
  std::string out;
  for (const Row* row : rows) out += (out.empty() ? "" : ", ") + milliseconds(row->find(name));
  return out;
}

std::string sizes_table(const Report& report, const std::vector<const Row*>& largest) {
  std::string lines;
  for (const Row* row : largest) {
    const auto rows = series(
        report, *row, [&](const Row& r) { return r.threads == row->threads; },
        [](const Row& r) { return r.n; });
    if (rows.size() < 2) continue;
    std::string sizes;
    for (const Row* r : rows) sizes += (sizes.empty() ? "" : ", ") + std::to_string(r->n);
    const auto ours = exponent_of(rows, "nvm"), theirs = exponent_of(rows, row->rival);
    lines += "| " + row->id + " | " + sizes + " | " + medians(rows, "nvm") + " | " + times(ours) + " | " +
             medians(rows, row->rival) + " | " + times(theirs) + " | " + row->rival + " |\n";
  }
  if (lines.empty()) return "";
  return "\nGrowth: milliseconds at each size, and the exponent *e* of *t ~ n^e* through them.\n\n"
         "| | n | nvm | *e* | rival | *e* | |\n| --- | --- | --- | ---: | --- | ---: | --- |\n" +
         lines;
}

std::string threads_table(const Report& report, const std::vector<const Row*>& largest) {
  const auto speedup = [](const std::vector<const Row*>& rows,
                          const std::string& name) -> std::optional<double> {
    const Timing *one = rows.front()->find(name), *all = rows.back()->find(name);
    if (one == nullptr || all == nullptr) return std::nullopt;
    return one->median() / all->median();
  };
  std::string lines;
  for (const Row* row : largest) {
    const auto rows = series(
        report, *row, [&](const Row& r) { return r.n == row->n; }, [](const Row& r) { return r.threads; });
    if (rows.size() < 2) continue;
    std::string threads;
    for (const Row* r : rows) threads += (threads.empty() ? "" : ", ") + std::to_string(r->threads);
    lines += "| " + row->id + " | " + threads + " | " + medians(rows, "nvm") + " | " +
             times(speedup(rows, "nvm")) + " | " + medians(rows, row->rival) + " | " +
             times(speedup(rows, row->rival)) + " | " + row->rival + " |\n";
  }
  if (lines.empty()) return "";
  return "\nThreads: milliseconds with each number of threads, and how many times faster the most are than "
         "the fewest.\n\n"
         "| | threads | nvm | faster | rival | faster | |\n| --- | --- | --- | ---: | --- | ---: | --- |\n" +
         lines;
}

constexpr const char* kColumns[] = {"nvm", "nvm, no jit", "hand", "library", "std"};

bool has_column(const std::string& name) {
  return std::find(std::begin(kColumns), std::end(kColumns), name) != std::end(kColumns);
}

// Who has no column: the legacy interpreter, commands from outside, further loops.
std::string others_table(const std::vector<const Row*>& rows) {
  std::string lines;
  for (const Row* row : rows)
    for (const Timing& t : row->timings)
      if (!has_column(t.name) && !t.runs.empty())
        lines += "| " + row->id + " | " + escaped(t.name) + " | " + milliseconds(&t) + " | " + spread(&t) +
                 " | " + times(row->ratio(t.name)) + " |\n";
  if (lines.empty()) return "";
  return "\nOthers:\n\n| | who | ms | spread | nvm / it |\n| --- | --- | ---: | ---: | ---: |\n" + lines;
}

// The means over rivals that several workloads have.
std::string mean_lines(const std::vector<const Row*>& rows) {
  std::vector<std::string> names(std::begin(kColumns) + 1, std::end(kColumns));
  std::rotate(names.begin(), names.begin() + 1, names.end());
  for (const Row* row : rows)
    for (const Timing& t : row->timings)
      if (!has_column(t.name) && std::find(names.begin(), names.end(), t.name) == names.end())
        names.push_back(t.name);
  std::string lines;
  for (const std::string& name : names) {
    const auto has = [&](const Row* row) { return row->ratio(name).has_value(); };
    if (has_column(name) || std::count_if(rows.begin(), rows.end(), has) > 1) lines += mean_line(rows, name);
  }
  return lines;
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

std::string means(const Report& report) { return mean_lines(largest_rows(report)); }

std::string markdown(const Report& report) {
  const auto rows = largest_rows(report);
  std::ostringstream out;
  out << "Machine: " << report.machine << ". " << report.version << ", " << report.date << ", seed "
      << report.seed
      << (std::any_of(rows.begin(), rows.end(), [](const Row* r) { return r->cold; })
              ? ". Before each run the caches held other data"
              : "")
      << ".\n\n| | workload | n | nvm | spread | first run | no jit | hand | library | std | nvm / hand "
         "| nvm / library | target | verdict | growth | triad GB/s |\n| --- | --- |"
      << [] {
           std::string s;
           for (int i = 0; i < 10; ++i) s += " ---: |";
           return s + " --- | --- | ---: | ---: |\n";
         }();
  for (const Row* row : rows) out << result_line(report, *row);
  out << "\n"
      << mean_lines(rows) << wrong_lines(report) << others_table(rows) << sizes_table(report, rows)
      << threads_table(report, rows) << "\nWho ran beside nvm:\n\n"
      << rivals_of(rows);
  return out.str();
}

namespace {

constexpr std::string_view kBegin = "<!-- begin: bench -->\n", kEnd = "<!-- end: bench -->";

// The text of a document, and where its marks stand.
struct Marked {
  std::string text;
  std::size_t from, to;
};

Marked read_marked(const std::string& path) {
  std::ifstream in(path);
  Marked m{{std::istreambuf_iterator<char>(in), {}}, 0, 0};
  m.from = m.text.find(kBegin), m.to = m.text.find(kEnd);
  if (m.from == std::string::npos || m.to == std::string::npos)
    throw std::runtime_error(path + " has no lines <!-- begin: bench --> and <!-- end: bench -->");
  return m;
}

}  // namespace

void check_marks(const std::string& path) { std::ignore = read_marked(path); }

void write_markdown(const Report& report, const std::string& path) {
  const Marked m = read_marked(path);
  std::ostringstream out;
  out << m.text.substr(0, m.from + kBegin.size()) << "\n" << markdown(report) << "\n" << m.text.substr(m.to);
  write_whole(path, out.str());
}

}  // namespace nvm::bench
