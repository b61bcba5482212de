#include <algorithm>
#include <cmath>
#include <cstdio>

#include "vm/profile/json.h"
#include "vm/profile/report.h"

namespace nvm::vm {

namespace {

bool wanted(const Table& table, const ReportStyle& style) {
  return style.tables.empty() ||
         std::find(style.tables.begin(), style.tables.end(), table.name) != style.tables.end();
}

// Those asked for, else those in which some row says something.
std::vector<Column> columns_of(const Table& table, const ReportStyle& style) {
  if (!style.columns.empty()) return style.columns;
  std::vector<Column> columns;
  for (std::size_t c = 0; c < kColumns; ++c)
    if (std::any_of(table.rows.begin(), table.rows.end(),
                    [&](const Row& r) { return std::abs(r.values[c]) > 0; }))
      columns.push_back(static_cast<Column>(c));
  return columns;
}

std::string format(const char* how, double x, const char* unit) {
  char text[40];
  std::snprintf(text, sizeof text, how, x);
  return std::string(text) + unit;
}

std::string scaled(double x, double step, const char* const* units) {
  int u = 0;
  while (x >= 999.5 && u < 4) x /= step, ++u;
  return format(x < 10 && u > 0 ? "%.1f" : "%.0f", x, units[u]);
}

std::string cell_text(double x, char how) {
  static constexpr const char* kBytes[] = {"", "kB", "MB", "GB", "TB"};
  if (x == 0) return "-";
  switch (how) {
    case 't': return x >= 1 ? format("%.3f", x, " s") : format(x < 1e-4 ? "%.3f" : "%.2f", x * 1e3, " ms");
    case 'b': return scaled(x, 1000, kBytes);
    case 'p': return format(x < 9.95 ? "%.1f" : "%.0f", x, "%");
    default: return count_text(x);
  }
}

std::size_t rows_of(const Table& table, const ReportStyle& style) {
  return style.rows == 0 ? table.rows.size() : std::min(style.rows, table.rows.size());
}

std::string table_text(const Table& table, const ReportStyle& style) {
  const std::vector<Column> columns = columns_of(table, style);
  const std::size_t rows = rows_of(table, style);
  std::vector<std::vector<std::string>> cells{{}};
  for (const Column c : columns) cells[0].emplace_back(column_info(c).name);
  cells[0].emplace_back(table.name);
  for (std::size_t r = 0; r < rows; ++r) {
    cells.emplace_back();
    for (const Column c : columns)
      cells.back().push_back(cell_text(table.rows[r].at(c), column_info(c).text));
    cells.back().push_back(table.rows[r].where);
  }
  std::vector<std::size_t> widths(columns.size(), 0);
  for (const auto& row : cells)
    for (std::size_t c = 0; c < widths.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  std::string out;
  for (const auto& row : cells) {
    for (std::size_t c = 0; c < widths.size(); ++c)
      out += std::string(widths[c] - row[c].size(), ' ') + row[c] + "  ";
    out += row.back() + "\n";
  }
  if (rows < table.rows.size()) out += "and " + std::to_string(table.rows.size() - rows) + " more\n";
  return out;
}

std::string row_json(const Row& row, const std::vector<Column>& columns) {
  JsonObject out;
  out.add("where", row.where);
  if (!row.function.empty()) out.add("function", row.function);
  if (!row.file.empty()) out.add("file", row.file);
  if (row.line > 0) out.add("line", std::int64_t{row.line});
  if (row.column > 0) out.add("column", std::int64_t{row.column});
  if (row.level >= 0) out.add("level", std::int64_t{row.level});
  if (!row.combinators.empty()) {
    out.add("combinators", row.combinators);
    out.add("operations_per_byte", row.intensity).add("operations_per_second", row.rate);
  }
  for (const Column c : columns) out.raw(column_info(c).name, json_number(row.at(c), 12));
  return out.text();
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::vector<Column> all_columns() {
  std::vector<Column> columns;
  for (std::size_t c = 0; c < kColumns; ++c) columns.push_back(static_cast<Column>(c));
  return columns;
}

}  // namespace

std::string count_text(double x) {
  static constexpr const char* kCounts[] = {"", "k", "M", "G", "T"};
  return scaled(x, 1000, kCounts);
}

std::string report_text(const Report& report, const ReportStyle& style) {
  char head[240];
  std::snprintf(head, sizeof head,
                "%.3f s in all, %.3f s running, %.1f%% of that in lines; peak memory %s\n"
                "this machine: %.1f GB/s to memory, %.1f G operations/s with %d threads\n",
                report.seconds, report.run_seconds,
                report.run_seconds > 0 ? 100 * report.line_seconds / report.run_seconds : 0.0,
                cell_text(static_cast<double>(report.peak), 'b').c_str(),
                report.limits.bytes_per_second / 1e9, report.limits.operations_per_second / 1e9,
                report.limits.threads);
  std::string out = head;
  for (const Table& table : report.tables)
    if (wanted(table, style) && !table.rows.empty()) out += "\n" + table_text(table, style);
  return out;
}

std::string report_json(const Report& report, const ReportStyle& style) {
  const std::vector<Column> columns = style.columns.empty() ? all_columns() : style.columns;
  JsonObject out;
  out.add("seconds", report.seconds).add("run_seconds", report.run_seconds);
  out.add("line_seconds", report.line_seconds).add("peak_bytes", static_cast<std::int64_t>(report.peak));
  JsonObject machine;
  machine.add("bytes_per_second", report.limits.bytes_per_second);
  machine.add("operations_per_second", report.limits.operations_per_second);
  machine.add("threads", std::int64_t{report.limits.threads});
  out.raw("machine", machine.text());
  for (const Table& table : report.tables) {
    if (!wanted(table, style)) continue;
    JsonArray rows;
    for (std::size_t r = 0; r < rows_of(table, style); ++r) rows.raw(row_json(table.rows[r], columns));
    out.raw(table.name, rows.text());
  }
  return out.text() + "\n";
}

std::string report_csv(const Report& report, const ReportStyle& style) {
  const std::vector<Column> columns = style.columns.empty() ? all_columns() : style.columns;
  std::string out = "table,where,file,line,column,level";
  for (const Column c : columns) out += "," + std::string(column_info(c).name);
  out += "\n";
  for (const Table& table : report.tables) {
    if (!wanted(table, style)) continue;
    for (std::size_t r = 0; r < rows_of(table, style); ++r) {
      const Row& row = table.rows[r];
      out += table.name + "," + quoted(row.where) + "," + quoted(row.file) + "," +
             (row.line > 0 ? std::to_string(row.line) : "") + "," +
             (row.column > 0 ? std::to_string(row.column) : "") + "," +
             (row.level >= 0 ? std::to_string(row.level) : "");
      for (const Column c : columns) out += "," + json_number(row.at(c), 12);
      out += "\n";
    }
  }
  return out;
}

}  // namespace nvm::vm
