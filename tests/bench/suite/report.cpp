#include "tests/bench/suite/report.h"

#include <unistd.h>

#include <cmath>
#include <fstream>
#include <sstream>

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

void write_csv(const Report& report, const std::string& path) {
  std::ofstream out(path);
  out << "workload,n,threads,memory,name,first,median,q1,q3,min,runs,wrong\n";
  for (const Row& row : report.rows)
    for (const Timing& t : row.timings)
      out << row.id << ',' << row.n << ',' << row.threads << (row.cold ? ",cold" : ",warm") << ",\"" << t.name
          << "\"," << t.first << ',' << t.median() << ',' << t.quantile(0.25) << ',' << t.quantile(0.75)
          << ',' << t.quantile(0) << ',' << t.runs.size() << ",\"" << t.wrong << "\"\n";
  if (!out) throw std::runtime_error(path + " cannot be written");
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

double judged(const Row& row) { return row.ratio(row.rival).value_or(row.find("nvm")->median()); }

}  // namespace

std::string regressions(const Report& before, const Report& after, double tolerance) {
  std::ostringstream out;
  for (const Row& now : after.rows)
    for (const Row& then : before.rows) {
      if (then.id != now.id || then.n != now.n || then.threads != now.threads || then.cold != now.cold ||
          then.find("nvm") == nullptr)
        continue;
      const std::string where =
          now.id + ", n = " + std::to_string(now.n) + ", threads " + std::to_string(now.threads);
      if (now.find("nvm") == nullptr) {
        out << where << ": has no right result any more\n";
        continue;
      }
      const bool both = then.ratio(then.rival) && now.ratio(now.rival);
      const double was = both ? judged(then) : then.find("nvm")->median();
      const double is = both ? judged(now) : now.find("nvm")->median();
      if (is > tolerance * was)
        out << where << ": " << is / was << " times slower (" << was << " became " << is
            << (both ? " times " + now.rival : " s") << ")\n";
    }
  return out.str();
}

}  // namespace nvm::bench
