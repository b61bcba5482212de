#include "vm/profile/report.h"

#include <algorithm>
#include <map>
#include <set>

#include "bytecode/base/check.h"

namespace nvm::vm {

namespace {

constexpr ColumnInfo kInfos[] = {
#define COLUMN(id, name, text, help) {name, #text[0], help},
#include "vm/profile/columns.def"
};

double& cell(Row& row, Column c) { return row.values[static_cast<std::size_t>(c)]; }

// Sums, and what follows from them.
class Maker {
 public:
  Maker(const Profile& profile, const MachineLimits& limits, double seconds)
      : profile_(profile), limits_(limits), tick_(profile.seconds_per_tick()), seconds_(seconds) {
    totals();
  }

  Table lines() {
    std::map<std::int32_t, Spent> self;
    std::map<std::int32_t, std::int64_t> wall;
    const auto& nodes = profile_.nodes();
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      const std::set<std::int32_t> open = callers(n);
      for (const auto& [place, spent] : nodes[n].lines) {
        self[place].add(*spent);
        if (!open.contains(place)) wall[place] += spent->all_ticks();
      }
      if (nodes[n].parent < 0 || nodes[n].call == 0) continue;
      if (!is_open_above(n, nodes[n].call)) wall[nodes[n].call] += total_[n];
    }
    Table table{"line", {}};
    for (const auto& [place, spent] : self) {
      table.rows.push_back(line_row(place, row_of(spent, wall[place])));
    }
    for (const auto& [place, ticks] : wall) {  // lines that only call
      if (!self.contains(place)) table.rows.push_back(line_row(place, row_of({}, ticks)));
    }
    double known = profile_.run_seconds();
    for (const auto& [name, s] : profile_.phases()) {
      table.rows.push_back(phase_row(name, s));
      known += s;
    }
    if (seconds_ > known) table.rows.push_back(phase_row("other", seconds_ - known));
    return table;
  }

  Table functions() {
    struct Sum {
      Spent spent;
      std::int64_t wall = 0;
      std::uint64_t calls = 0;
    };
    std::map<std::pair<std::int32_t, std::int32_t>, Sum> sums;  // by function and level, -1 for all
    std::map<std::int32_t, std::int32_t> deepest;
    const auto& nodes = profile_.nodes();
    for (std::size_t n = 1; n < nodes.size(); ++n) {
      const CallNode& node = nodes[n];
      Spent self;
      for (const auto& line : node.lines) self.add(*line.second);
      std::int32_t& most = deepest[node.function];
      most = std::max(most, node.level);
      for (const std::int32_t level : {-1, node.level}) {
        Sum& sum = sums[{node.function, level}];
        sum.spent.add(self);
        sum.calls += node.calls;
        if (!function_open_above(n, level)) sum.wall += total_[n];
      }
    }
    Table table{"function", {}};
    for (const auto& [key, sum] : sums) {
      if (key.second >= 0 && deepest[key.first] == 0) continue;  // not recursive
      Row row = row_of(sum.spent, sum.wall);
      row.function = profile_.source().name(key.first);
      row.level = key.second;
      row.where = row.function + (key.second < 0 ? "" : " level " + std::to_string(key.second));
      cell(row, Column::kCalls) = static_cast<double>(sum.calls);
      table.rows.push_back(std::move(row));
    }
    return table;
  }

  Table kernels() {
    Table table{"kernel", {}};
    for (const KernelSpent& k : profile_.kernels()) {
      Spent spent;
      spent.ticks[static_cast<std::size_t>(Mode::kFused)] = k.ticks;
      spent.calls = k.runs;
      spent.work = k.elements;
      spent.instructions = k.runs;
      spent.bytes = k.bytes;
      Row row = row_of(spent, k.ticks);
      row.combinators = k.combinators;
      row.where = k.combinators;
      std::set<std::string> places;
      for (const std::int32_t p : k.places) places.insert(profile_.source().text(p));
      std::string at;
      for (const std::string& p : places) at += (at.empty() ? "" : ", ") + p;
      if (!at.empty()) row.where += " at " + at;
      if (!k.places.empty()) {
        name_place(row, profile_.source().at(k.places.front()));
      }
      const double operations = static_cast<double>(k.operations) * static_cast<double>(k.elements);
      if (k.bytes > 0) row.intensity = operations / static_cast<double>(k.bytes);
      if (k.ticks > 0) row.rate = operations / (static_cast<double>(k.ticks) * tick_);
      table.rows.push_back(std::move(row));
    }
    return table;
  }

  [[nodiscard]] double line_seconds() const {
    std::int64_t ticks = total_.empty() ? 0 : total_[0];
    for (const auto& [place, spent] : profile_.nodes()[0].lines)
      if (place == 0) ticks -= spent->all_ticks();
    return static_cast<double>(ticks) * tick_;
  }

 private:
  // Ticks of each node with all it calls; parents come before children.
  void totals() {
    const auto& nodes = profile_.nodes();
    total_.assign(nodes.size(), 0);
    for (std::size_t n = nodes.size(); n-- > 0;) {
      for (const auto& line : nodes[n].lines) total_[n] += line.second->all_ticks();
      if (nodes[n].parent >= 0) total_[static_cast<std::size_t>(nodes[n].parent)] += total_[n];
    }
  }

  // The lines that wait for calls around node n, its own call among them.
  [[nodiscard]] std::set<std::int32_t> callers(std::size_t n) const {
    std::set<std::int32_t> open;
    const auto& nodes = profile_.nodes();
    for (auto i = static_cast<std::int32_t>(n); i > 0; i = nodes[static_cast<std::size_t>(i)].parent)
      open.insert(nodes[static_cast<std::size_t>(i)].call);
    return open;
  }
  [[nodiscard]] bool is_open_above(std::size_t n, std::int32_t place) const {
    const auto& nodes = profile_.nodes();
    for (std::int32_t i = nodes[n].parent; i > 0; i = nodes[static_cast<std::size_t>(i)].parent)
      if (nodes[static_cast<std::size_t>(i)].call == place) return true;
    return false;
  }
  [[nodiscard]] bool function_open_above(std::size_t n, std::int32_t level) const {
    const auto& nodes = profile_.nodes();
    for (std::int32_t i = nodes[n].parent; i > 0; i = nodes[static_cast<std::size_t>(i)].parent) {
      const CallNode& above = nodes[static_cast<std::size_t>(i)];
      if (above.function == nodes[n].function && (level < 0 || above.level == level)) return true;
    }
    return false;
  }

  void name_place(Row& row, const SourcePlace& at) const {
    row.function = profile_.source().name(at.function);
    row.file = profile_.source().name(at.file);
    row.line = at.line;
    row.column = at.column;
  }

  [[nodiscard]] Row line_row(std::int32_t place, Row row) const {
    const SourcePlace& at = profile_.source().at(place);
    name_place(row, at);
    row.where = place == 0 ? "(start and end)" : profile_.source().text(place);
    return row;
  }

  [[nodiscard]] Row phase_row(const std::string& name, double seconds) const {
    Row row;
    row.where = "(" + name + ")";
    cell(row, Column::kWall) = cell(row, Column::kSelf) = seconds;
    if (seconds_ > 0) cell(row, Column::kShare) = 100 * seconds / seconds_;
    return row;
  }

  [[nodiscard]] Row row_of(const Spent& s, std::int64_t wall) const {
    Row row;
    const double self = static_cast<double>(s.all_ticks()) * tick_;
    cell(row, Column::kWall) = static_cast<double>(wall) * tick_;
    cell(row, Column::kSelf) = self;
    cell(row, Column::kShare) = seconds_ > 0 ? 100 * self / seconds_ : 0;
    cell(row, Column::kCalls) = static_cast<double>(s.calls);
    cell(row, Column::kWork) = static_cast<double>(s.work);
    cell(row, Column::kDepth) = static_cast<double>(s.instructions);
    if (s.instructions > 0)
      cell(row, Column::kParallelism) = static_cast<double>(s.work) / static_cast<double>(s.instructions);
    cell(row, Column::kBytes) = static_cast<double>(s.bytes);
    if (self > 0 && limits_.bytes_per_second > 0)
      cell(row, Column::kBandwidth) = 100 * static_cast<double>(s.bytes) / self / limits_.bytes_per_second;
    const std::int64_t all = s.all_ticks();
    for (std::size_t m = 0; m < kModes && all > 0; ++m)
      row.values[static_cast<std::size_t>(Column::kInterpreted) + m] =
          100 * static_cast<double>(s.ticks[m]) / static_cast<double>(all);
    cell(row, Column::kAllocations) = static_cast<double>(s.allocations);
    cell(row, Column::kPeak) = static_cast<double>(s.peak);
    return row;
  }

  const Profile& profile_;
  const MachineLimits& limits_;
  double tick_, seconds_;
  std::vector<std::int64_t> total_;  // by node
};

}  // namespace

const ColumnInfo& column_info(Column column) { return kInfos[static_cast<std::size_t>(column)]; }

std::optional<Column> find_column(std::string_view name) {
  for (std::size_t c = 0; c < kColumns; ++c)
    if (kInfos[c].name == name) return static_cast<Column>(c);
  return std::nullopt;
}

const Table& Report::table(std::string_view name) const {
  const auto found =
      std::find_if(tables.begin(), tables.end(), [&](const Table& t) { return t.name == name; });
  NVM_CHECK(found != tables.end(), "a table of the report");
  return *found;
}

Report make_report(const Profile& profile, const MachineLimits& limits, double seconds) {
  Report report;
  report.seconds = seconds;
  report.run_seconds = profile.run_seconds();
  report.limits = limits;
  report.peak = profile.peak();
  Maker maker(profile, limits, seconds);
  report.tables = {maker.lines(), maker.functions(), maker.kernels()};
  report.line_seconds = maker.line_seconds();
  return report;
}

void sort_rows(Report& report, const ReportStyle& style) {
  for (Table& table : report.tables) {
    std::stable_sort(table.rows.begin(), table.rows.end(), [&](const Row& a, const Row& b) {
      return style.in_order ? std::tie(a.file, a.line, a.column) < std::tie(b.file, b.line, b.column)
                            : a.at(style.sort) > b.at(style.sort);
    });
  }
}

}  // namespace nvm::vm
