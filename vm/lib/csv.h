// Tables of numbers as text, as spreadsheets and other programs write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nvm::vm {

// Lengths of rows: one number as long as all are equal.
class RowLengths {
 public:
  void add(std::int64_t length) {
    if (rows_++ == 0) length_ = length;
    if (length == length_ && unequal_.empty()) return;
    if (unequal_.empty()) unequal_.assign(static_cast<std::size_t>(rows_ - 1), length_);
    unequal_.push_back(length);
  }
  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] bool equal() const { return unequal_.empty(); }
  [[nodiscard]] std::int64_t length() const { return length_; }  // of each, if equal()
  [[nodiscard]] std::vector<std::int64_t> all() const {
    return equal() ? std::vector(static_cast<std::size_t>(rows_), length_) : unequal_;
  }

 private:
  std::int64_t rows_ = 0, length_ = 0;
  std::vector<std::int64_t> unequal_;
};

struct Table {
  std::vector<double> numbers;  // row by row
  RowLengths lengths;           // of the rows
};

// Rows end with LF, CR or both, fields are parted by `separator`, or if it is 0 by commas, semicolons or tabs
// (which are blanks beside the other two), and may stand in quotes. Blank lines are skipped, and a first row
// of titles: each of its fields is empty or a name, which begins with a letter or _ (behind a # in the first
// field), no two names are equal, and none of them says that a value is missing (NA, null, ...). Throws Fault
// kIo, with the path, line and column, for any other field that is no number: no row of data is taken for
// titles.
[[nodiscard]] Table read_csv(std::string_view text, const std::string& path, char separator = '\0');
// The same, but nothing for a table with titles in which a field is no number or a row has not one for each
// title.
[[nodiscard]] std::optional<Table> read_numbers(std::string_view text, const std::string& path,
                                                char separator = '\0');

// A column of a table, of as many fields as there are rows of data.
struct Column {
  enum class Kind : std::uint8_t { kUnknown, kNans, kInts, kFloats, kTexts };
  Kind kind = Kind::kUnknown;
  std::vector<std::int64_t> ints;     // of kInts
  std::vector<double> floats;         // of kFloats, and of kInts
  std::string text;                   // of kTexts: one field behind the other
  std::vector<std::int64_t> lengths;  // of kTexts: of the fields
};

// A table by columns, parted by what parts the first row that has several. A separator at the end of each
// line has no field behind it. The first value of a column that is neither missing nor NaN says whether it
// has numbers or texts. A missing number (an empty field, NA, null, ...) is NaN, so a column with such has
// floats; in texts it is what stands there. Throws Fault kIo, with the path, line and column, for a field of
// a column of numbers that is none, for a row of another length than the first, and for more than
// kMostColumns.
inline constexpr std::size_t kMostColumns = 500;
[[nodiscard]] std::vector<Column> read_columns(std::string_view text, const std::string& path,
                                               char separator = '\0');

// All fields as they are, titles too, and empty ones behind a separator at the end of a line.
struct Fields {
  std::string text;
  std::vector<std::int64_t> lengths;  // of the fields
  std::vector<std::int64_t> rows;     // fields of each row
};
[[nodiscard]] Fields read_fields(std::string_view text, const std::string& path, char separator = '\0');

}  // namespace nvm::vm
