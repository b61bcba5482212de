#include "tests/bench/suite/report.h"

#include <unistd.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "bytecode/base/out_file.h"

namespace nvm::bench {

namespace {

std::string cache_size(int level) {
  const int names[] = {0, _SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE};
  const long bytes = sysconf(names[level]);
  return "L" + std::to_string(level) + " " + std::to_string(std::max(bytes, 0L) / 1024) + " KiB";
}

}  // namespace

const Timing* Row::find(const std::string& name) const {
  for (const Timing& t : timings)
    if (t.name == name && !t.runs.empty()) return &t;
  return nullptr;
}

std::optional<double> Row::ratio(const std::string& name) const {
  const Timing *nvm = find("nvm"), *other = find(name);
  if (nvm == nullptr || other == nullptr) return std::nullopt;
  return nvm->median() / other->median();
}

bool larger(const Row& a, const Row& b) {
  if (a.cold != b.cold) return b.cold;
  return a.threads != b.threads ? a.threads > b.threads : a.n > b.n;
}

std::string describe_machine() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string model = "unknown processor";
  for (std::string line; std::getline(cpuinfo, line);)
    if (line.starts_with("model name")) model = line.substr(line.find(':') + 2);
  const double gib =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE)) / 0x1p30;
  return model + ", " + std::to_string(sysconf(_SC_NPROCESSORS_ONLN)) + " processors, " + cache_size(1) +
         ", " + cache_size(2) + ", " + cache_size(3) + ", " + std::to_string(std::lround(gib)) + " GiB";
}

namespace {

std::string csv_quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : c == '\n' ? " " : std::string(1, c);
  return out + "\"";
}

}  // namespace

void write_whole(const std::string& path, const std::string& text) {
  OutFile out(path);
  out.write(text);
  if (!out.finish()) throw std::runtime_error(out.why());
}

void check_outputs(const Outputs& outputs) {
  for (const std::string* path : {&outputs.json, &outputs.csv, &outputs.markdown}) {
    if (path->empty()) continue;
    if (path == &outputs.markdown) check_marks(*path);
    if (const OutFile file(*path); file.error() != 0) throw std::runtime_error(file.why());
  }
  if (!outputs.plots.empty()) make_folder(outputs.plots);
}

void write_csv(const Report& report, const std::string& path) {
  std::ostringstream out;
  out << "workload,n,threads,memory,name,first,median,q1,q3,min,runs,wrong\n";
  for (const Row& row : report.rows)
    for (const Timing& t : row.timings) {
      out << row.id << ',' << row.n << ',' << row.threads << (row.cold ? ",cold," : ",warm,")
          << csv_quoted(t.name);
      if (t.runs.empty())
        out << ",,,,,";
      else
        out << ',' << t.first << ',' << t.median() << ',' << t.quantile(0.25) << ',' << t.quantile(0.75)
            << ',' << t.quantile(0);
      out << ',' << t.runs.size() << ',' << csv_quoted(t.wrong) << '\n';
    }
  write_whole(path, out.str());
}

std::optional<double> growth(const std::vector<std::pair<double, double>>& points) {
  if (points.size() < 2) return std::nullopt;
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& [size, seconds] : points) {
    const double lx = std::log(size), ly = std::log(seconds);
    n += 1, x += lx, y += ly, xx += lx * lx, xy += lx * ly;
  }
  const double spread = n * xx - x * x;
  if (spread <= 0) return std::nullopt;
  return (n * xy - x * y) / spread;
}

namespace {

bool same_instance(const Row& a, const Row& b) {
  return a.id == b.id && a.n == b.n && a.threads == b.threads && a.cold == b.cold;
}

std::string place_of(const Row& row) {
  return row.id + ", n = " + std::to_string(row.n) + ", threads " + std::to_string(row.threads) +
         (row.cold ? ", cold" : "");
}

// What became slower from `then` to `now`, "" if nothing.
std::string regression(const Row& then, const Row& now, double tolerance) {
  if (now.find("nvm") == nullptr) return place_of(now) + ": has no right result any more\n";
  const auto ratio_then = then.ratio(then.rival), ratio_now = now.ratio(now.rival);
  const bool both = ratio_then && ratio_now && then.rival == now.rival;
  const double was = both ? *ratio_then : then.find("nvm")->median();
  const double is = both ? *ratio_now : now.find("nvm")->median();
  if (is <= tolerance * was) return "";
  std::ostringstream out;
  out << place_of(now) << ": " << is / was << " times slower (" << was << " became " << is
      << (both ? " times " + now.rival : " s") << ")\n";
  return out.str();
}

}  // namespace

Comparison compare(const Report& before, const Report& after, double tolerance) {
  Comparison all;
  for (const Row& then : before.rows) {
    if (then.find("nvm") == nullptr) continue;
    const auto now = std::find_if(after.rows.begin(), after.rows.end(),
                                  [&](const Row& row) { return same_instance(then, row); });
    if (now == after.rows.end()) {
      all.missing += place_of(then) + ": not measured any more\n";
      continue;
    }
    ++all.compared;
    all.slower += regression(then, *now, tolerance);
  }
  return all;
}

}  // namespace nvm::bench
