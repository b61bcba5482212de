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
// other two) and may stand in quotes. Blank lines are skipped, and a first row of titles: each of its fields
// is empty or a name, which begins with a letter or _ (behind a # in the first field), no two names are
// equal, and none of them says that a value is missing (NA, null, ...). Throws Fault kIo, with the path, line
// and column, for any other field that is no number: no row of data is taken for titles.
[[nodiscard]] Table read_csv(std::string_view text, const std::string& path);

}  // namespace nvm::vm
