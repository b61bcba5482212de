// A profile as tables: by source line, by function and recursion level, by kernel.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vm/profile/machine_limits.h"
#include "vm/profile/profile.h"

namespace nvm::vm {

enum class Column : std::uint8_t {
#define COLUMN(id, ...) id,
#include "vm/profile/columns.def"
};
inline constexpr std::size_t kColumns = 0
#define COLUMN(...) +1
#include "vm/profile/columns.def"
    ;
struct ColumnInfo {
  std::string_view name;
  char text;  // t n b p x
  std::string_view help;
};
[[nodiscard]] const ColumnInfo& column_info(Column column);
// Nothing if there is no such column.
[[nodiscard]] std::optional<Column> find_column(std::string_view name);

struct Row {
  std::string where;     // "quicksort:7", "quicksort level 3", "map*3+reduce at dot:2"
  std::string function;  // of the first line
  std::string file;      // line tables
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::int32_t level = -1;  // function tables: -1 for all levels together
  std::string combinators;  // kernel tables
  double intensity = 0;     // kernel tables: scalar operations for each byte
  double rate = 0;          // kernel tables: scalar operations a second
  std::array<double, kColumns> values{};
  [[nodiscard]] double at(Column c) const { return values[static_cast<std::size_t>(c)]; }
};

struct Table {
  std::string name;  // "line", "function", "kernel"
  std::vector<Row> rows;
};

struct Report {
  std::vector<Table> tables;
  double seconds = 0;       // of all, from first to last
  double run_seconds = 0;   // of the runs of programs
  double line_seconds = 0;  // of these, attributed to lines
  std::uint64_t peak = 0;
  MachineLimits limits;
  [[nodiscard]] const Table& table(std::string_view name) const;
};

// `seconds`: of the whole, for the shares; what is neither in a run nor in a phase becomes a row "(other)".
[[nodiscard]] Report make_report(const Profile& profile, const MachineLimits& limits, double seconds);

struct ReportStyle {
  std::vector<Column> columns;      // empty: all that say something
  Column sort = Column::kSelf;      // descending
  bool in_order = false;            // rows as they are, by file and line, instead
  std::size_t rows = 30;            // of each table; 0: all
  std::vector<std::string> tables;  // empty: all
};
void sort_rows(Report& report, const ReportStyle& style);
[[nodiscard]] std::string report_text(const Report& report, const ReportStyle& style);
[[nodiscard]] std::string report_json(const Report& report, const ReportStyle& style);
// One table a block, each with a line of titles; the first column names the table.
[[nodiscard]] std::string report_csv(const Report& report, const ReportStyle& style);

// "80M"; thousands by k, M, G, T.
[[nodiscard]] std::string count_text(double x);

// Chains of calls and lines with microseconds: "main;quicksort:5;quicksort:7 1234", for flame graph tools.
[[nodiscard]] std::string folded_stacks(const Profile& profile);
// The same for speedscope.app.
[[nodiscard]] std::string speedscope_json(const Profile& profile, const std::string& name);

}  // namespace nvm::vm
