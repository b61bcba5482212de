// Tables of numbers as text, as spreadsheets and other programs write them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nvm::vm {

struct Table {
  std::vector<double> numbers;        // row by row
  std::vector<std::int64_t> lengths;  // of the rows
};

// Rows end with LF, CR or both, fields are parted by commas, semicolons or tabs (which are blanks beside the
// other two) and may stand in quotes. Blank lines are skipped, and a first row in which a field is a word,
// the titles. Throws Fault kIo, with the path and the line, for any other field that is no number.
[[nodiscard]] Table read_csv(std::string_view text, const std::string& path);

}  // namespace nvm::vm
