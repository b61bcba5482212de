#include "vm/lib/csv.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "bytecode/base/budget.h"
#include "bytecode/base/decimal.h"
#include "vm/data/value.h"

namespace nvm::vm {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

constexpr bool ends_line(char c) { return c == '\n' || c == '\r'; }

std::string_view trimmed(std::string_view s) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!s.empty() && blank(s.front())) s.remove_prefix(1);
  while (!s.empty() && blank(s.back())) s.remove_suffix(1);
  return s;
}

// False if the field is no number.
bool parse(std::string_view field, double& x) {
  if (field.size() > 1 && field[0] == '+' && field[1] != '-') field.remove_prefix(1);
  const auto [end, error] = read_double(field.data(), field.data() + field.size(), x);
  if (error == std::errc::result_out_of_range) x = nearest_double(field);
  return error != std::errc::invalid_argument && end == field.data() + field.size();
}

// What stands for a value that is not there.
bool says_missing(std::string_view field) {
  static constexpr std::string_view kWords[] = {"na", "n/a", "nil", "none", "null", "missing", "undefined"};
  std::string small;
  for (const char c : field) small += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 'a' - 'A') : c;
  return std::find(std::begin(kWords), std::end(kWords), small) != std::end(kWords);
}

// Letters of all alphabets: bytes above those of ASCII.
bool is_name(std::string_view field) {
  const char c = field.empty() ? '\0' : field[0];
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80) != 0;
  return letter && !says_missing(field);
}

bool are_titles(const std::vector<std::string>& fields) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    std::string_view field = fields[i];
    if (i == 0 && field.starts_with("#")) field = trimmed(field.substr(1));
    if (field.empty()) continue;
    if (!is_name(field) || !names.insert(field).second) return false;
  }
  return !names.empty();
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& path, char separator)
      : rest_(text),
        size_(text.size()),
        path_(path),
        chosen_(separator),
        separator_(separator == '\0' ? ',' : separator) {
    if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
  }

  // Nothing if there are titles and a field is no number, should that be `allowed`.
  std::optional<Table> numbers(bool allowed) {
    const bool all = each_row([&](bool first) { return read_row(first, allowed); });
    return all ? std::optional(std::move(table_)) : std::nullopt;
  }

  std::vector<Column> columns() {
    std::vector<Column> columns;
    std::size_t first_line = 0, short_line = 0;
    bool spare = false;  // a separator ends the first row, and no row has a field behind it
    each_row([&](bool first) {
      const std::size_t line = line_;
      std::vector<std::string>& fields = read_texts();
      const std::size_t found = fields.size();
      if (first) first_line = line;
      if (first && found > kMostColumns)
        fail_at(line, " has " + std::to_string(found) + " columns; at most " + std::to_string(kMostColumns) +
                          " make records, fields:FILE reads any number");
      if (first) spare = ends_open_;
      if (first) columns.resize(found + (spare ? 1 : 0));
      const bool padded = found + 1 == columns.size() && (ends_open_ || spare);
      if (!padded && found != columns.size())
        wrong_length(line, found, first_line, columns.size() - (spare ? 1 : 0));
      if (padded && !ends_open_ && short_line == 0) short_line = line;
      if (padded) fields.emplace_back();
      spare = spare && padded;
      if (first && are_titles(fields)) return true;
      for (std::size_t i = 0; i < fields.size(); ++i)
        add(columns[i], trimmed(fields[i]), fields[i], line, i + 1);
      return true;
    });
    if (!spare && short_line != 0) wrong_length(short_line, columns.size() - 1, first_line, columns.size());
    if (spare) columns.pop_back();
    for (Column& column : columns) finish(column);
    return columns;
  }

  Fields fields() {
    Fields all;
    each_row([&](bool) {
      std::vector<std::string>& fields = read_texts();
      if (ends_open_) fields.emplace_back();
      all.rows.push_back(static_cast<std::int64_t>(fields.size()));
      for (const std::string& field : fields) {
        all.text += field;
        all.lengths.push_back(static_cast<std::int64_t>(field.size()));
      }
      return true;
    });
    return all;
  }

 private:
  // Whether f(first) is true of all rows; it ends with the first that is not.
  template <typename F>
  bool each_row(F f) {
    for (bool first = true; !rest_.empty(); ++line_) {
      std::size_t begin = 0;
      while (begin < rest_.size() && (rest_[begin] == ' ' || rest_[begin] == '\t')) ++begin;
      if (at_end(begin)) {
        end_line(begin);
        continue;
      }
      if (!f(first)) return false;
      first = false;
    }
    return true;
  }

  // The fields of a row, parted as those of the first one that has several. What is empty behind a separator
  // at the end is none of them.
  std::vector<std::string>& read_texts() {
    check_budget();
    if (!parted_) separator_ = separator();
    parted_ = parted_ || in_row(separator_);
    const std::string blanks = separator_ == '\t' ? " " : " \t";
    const std::string ends = std::string(1, separator_) + "\r\n";
    row_.clear();
    keeps_ = true;
    for (ends_open_ = false; !ends_open_;) {
      row_.emplace_back(field(blanks, ends));
      if (at_end(0)) break;
      rest_.remove_prefix(1);
      const std::size_t next = rest_.find_first_not_of(blanks);
      ends_open_ = at_end(next);
      if (ends_open_) rest_.remove_prefix(std::min(next, rest_.size()));
    }
    end_line(0);
    return row_;
  }

  // Of the row that follows.
  [[nodiscard]] char separator() const {
    if (chosen_ != '\0') return chosen_;
    const bool commas = in_row(','), semicolons = in_row(';');
    if (commas && semicolons)
      fail(" has commas and semicolons; which of them part fields, NAME:csv,=FILE or NAME:csv;=FILE say");
    return commas ? ',' : semicolons ? ';' : '\t';
  }

  void add(Column& column, std::string_view field, std::string_view whole, std::size_t line,
           std::size_t place) {
    using Kind = Column::Kind;
    const bool missing = field.empty() || says_missing(field);
    double x = std::numeric_limits<double>::quiet_NaN();
    const bool number = !missing && parse(field, x);
    const bool open = column.kind == Kind::kUnknown || column.kind == Kind::kNans;
    if (open && number && std::isnan(x)) {
      column.kind = Kind::kNans;
    } else if (open && number) {
      column.kind = Kind::kInts;
      column.floats.assign(column.lengths.size(), std::numeric_limits<double>::quiet_NaN());
    } else if (open && !missing) {
      column.kind = Kind::kTexts;
    }
    if (column.kind != Kind::kInts) {
      column.text += whole;
      column.lengths.push_back(static_cast<std::int64_t>(whole.size()));
      return;
    }
    if (!missing && !number)
      fail_at(line, ", column " + std::to_string(place) + " is no number: " + std::string(field) +
                        " (those above are; fields:FILE reads all as texts)");
    const bool all_ints = column.ints.size() == column.floats.size();
    column.floats.push_back(x);
    std::int64_t i = 0;
    const std::string_view digits = field.starts_with('+') ? field.substr(1) : field;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), i);
    if (all_ints && !missing && error == std::errc() && end == digits.data() + digits.size())
      column.ints.push_back(i);
  }

  static void finish(Column& column) {
    using Kind = Column::Kind;
    if (column.kind == Kind::kUnknown) column.kind = Kind::kTexts;
    if (column.kind == Kind::kNans)
      column.floats.assign(column.lengths.size(), std::numeric_limits<double>::quiet_NaN());
    if (column.kind == Kind::kNans ||
        (column.kind == Kind::kInts && column.ints.size() != column.floats.size()))
      column.kind = Kind::kFloats;
  }

  [[noreturn]] void wrong_length(std::size_t line, std::size_t found, std::size_t first, std::size_t fields) {
    fail_at(line, " has " + std::to_string(found) + " fields, line " + std::to_string(first) + " has " +
                      std::to_string(fields));
  }

  [[noreturn]] void fail_at(std::size_t line, const std::string& why) {
    line_ = line;
    fail(why);
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw Fault{Fault::Kind::kIo, path_ + ": line " + std::to_string(line_) + why};
  }

  // Goes on behind the end of the line that is at this place.
  void end_line(std::size_t at) {
    if (at >= rest_.size()) return rest_.remove_prefix(rest_.size());
    rest_.remove_prefix(at + (rest_.substr(at).starts_with("\r\n") ? 2 : 1));
  }

  [[nodiscard]] bool at_end(std::size_t at) const { return at >= rest_.size() || ends_line(rest_[at]); }

  // Whether it parts fields of this row; what stands in quotes parts nothing.
  [[nodiscard]] bool in_row(char c) const {
    bool quoted = false;
    for (const char x : rest_) {
      if (x == '"') quoted = !quoted;
      if (quoted) continue;
      if (x == c) return true;
      if (ends_line(x)) break;
    }
    return false;
  }

  // A field in quotes, in which two quotes stand for one; ends may be inside.
  std::string quoted() {
    std::string field;
    for (rest_.remove_prefix(1); !rest_.empty(); rest_.remove_prefix(1)) {
      if (rest_[0] == '"') {
        rest_.remove_prefix(1);
        if (!rest_.starts_with('"')) return field;
      }
      if (rest_[0] == '\n') ++line_;
      field += rest_[0];
    }
    fail(" is the last one of a field in quotes that does not end");
  }

  // The next field, without blanks and quotes; `blanks` may stand before it.
  std::string_view field(std::string_view blanks, std::string_view ends) {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(blanks), rest_.size()));
    const bool in_quotes = rest_.starts_with('"');
    if (in_quotes) owned_ = quoted();
    const std::size_t end = std::min(rest_.find_first_of(ends), rest_.size());
    const std::string_view text = trimmed(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return !in_quotes ? text : keeps_ ? owned_ += text : trimmed(owned_ += text);
  }

  // Numbers parted as those of the row before, and nothing else; or false, and nothing was read.
  bool read_plain_row() {
    const std::size_t before = table_.numbers.size();
    const char* at = rest_.data();
    const char* const end = at + rest_.size();
    const auto skip = [&] {
      while (at < end && (*at == ' ' || (*at == '\t' && separator_ != '\t'))) ++at;
    };
    for (bool more = true; more;) {
      double x = 0;
      skip();
      const auto read = read_double(at, end, x);
      if (read.ec != std::errc()) break;
      at = read.ptr;
      skip();
      table_.numbers.push_back(x);
      more = at < end && *at == separator_;
      if (more) {
        ++at;
        skip();
      }
      if (at < end && *at != '\n' && *at != '\r') {
        if (more) continue;
        break;
      }
      rest_.remove_prefix(static_cast<std::size_t>(at - rest_.data()));
      end_line(0);
      table_.lengths.add(static_cast<std::int64_t>(table_.numbers.size() - before));
      return true;
    }
    table_.numbers.resize(before);
    return false;
  }

  // Room for all numbers, once some tell how long they are.
  void reserve() {
    constexpr std::size_t kSome = 4096;
    const std::size_t n = table_.numbers.size();
    if (n < kSome || roomy_) return;
    const auto read = static_cast<double>(size_ - rest_.size());
    table_.numbers.reserve(static_cast<std::size_t>(1.02 * static_cast<double>(n * size_) / read));
    roomy_ = true;
  }

  bool read_row(bool may_be_titles, bool may_have_texts) {
    check_budget();
    reserve();
    const auto ragged = [&](std::size_t n) {
      if (spare_title_ && n == titles_ + 1) ++titles_;
      spare_title_ = false;
      return titles_ != 0 && may_have_texts && n != titles_;
    };
    const std::size_t read = table_.numbers.size();
    if (read_plain_row()) return !ragged(table_.numbers.size() - read);
    separator_ = separator();
    const std::string_view blanks = separator_ == '\t' ? " " : " \t";
    const std::string ends = std::string(1, separator_) + "\r\n";
    const std::size_t before = table_.numbers.size();
    std::vector<std::string> names;  // of a row that may have the titles
    std::size_t columns = 0, wrong = 0;
    std::string wrong_text;
    while (!rest_.empty()) {
      const std::string_view text = field(blanks, ends);
      double x = 0;
      ++columns;
      if (!parse(text, x) && wrong == 0) {
        wrong = columns;
        wrong_text = text;
      }
      if (may_be_titles) names.emplace_back(text);
      table_.numbers.push_back(x);
      // A separator at the end of a line has no field behind it.
      ends_open_ = !at_end(0);
      const std::size_t next = ends_open_ ? rest_.find_first_not_of(blanks, 1) : 0;
      if (at_end(next)) {
        end_line(next);
        break;
      }
      rest_.remove_prefix(1);
    }
    if (may_be_titles && wrong != 0 && are_titles(names)) {
      titles_ = columns;
      spare_title_ = ends_open_;
      table_.numbers.resize(before);
      return true;
    }
    if (ragged(columns) || (titles_ != 0 && may_have_texts && wrong != 0)) return false;
    if (wrong != 0)
      fail(", column " + std::to_string(wrong) +
           (wrong_text.empty() ? std::string(" is empty") : " is no number: " + wrong_text) +
           (may_be_titles ? " (a line of titles has nothing but different names)" : ""));
    table_.lengths.add(static_cast<std::int64_t>(columns));
    return true;
  }

  std::string_view rest_;
  const std::size_t size_;
  const std::string& path_;
  std::string owned_;         // what stood in quotes
  bool keeps_ = false;        // the blanks in quotes
  bool ends_open_ = false;    // a separator ends the row
  bool parted_ = false;       // a row has had several fields
  std::size_t titles_ = 0;    // how many there were
  bool spare_title_ = false;  // an empty one may stand behind them
  char chosen_;               // what parts fields; 0: the rows tell
  char separator_;            // of the row before
  std::vector<std::string> row_;
  std::size_t line_ = 1;
  Table table_;
  bool roomy_ = false;
};

}  // namespace

Table read_csv(std::string_view text, const std::string& path, char separator) {
  return *Reader(text, path, separator).numbers(false);
}

std::optional<Table> read_numbers(std::string_view text, const std::string& path, char separator) {
  return Reader(text, path, separator).numbers(true);
}

std::vector<Column> read_columns(std::string_view text, const std::string& path, char separator) {
  return Reader(text, path, separator).columns();
}

Fields read_fields(std::string_view text, const std::string& path, char separator) {
  return Reader(text, path, separator).fields();
}

}  // namespace nvm::vm
