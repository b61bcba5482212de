// Prints the tables of docs/remora-library.md: what library.def says of each name.
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace {

// Rows of library.def in its order.
struct Row {
  enum class Kind { kSection, kName, kSynonym };
  Kind kind;
  std::string_view name, type, documentation, id;
};
constexpr Row kRows[] = {
#define SECTION(title) {Row::Kind::kSection, title, "", "", ""},
#define LIBRARY(id, name, type, rule, documentation) {Row::Kind::kName, name, type, documentation, #id},
#define SYNONYM(name, id) {Row::Kind::kSynonym, name, "", "", #id},
#include "frontend/remora/library.def"
};

// What stands in a table.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string code(std::string_view text) { return "`" + cell(text) + "`"; }

}  // namespace

int main() {
  bool first = true;
  for (const Row& row : kRows) {
    if (row.kind == Row::Kind::kSection) {
      std::cout << (first ? "" : "\n") << "## " << row.name
                << "\n\n| name | type | meaning |\n| --- | --- | --- |\n";
      first = false;
    }
    if (row.kind != Row::Kind::kName) continue;
    std::string names = code(row.name);
    for (const Row& other : kRows)
      if (other.kind == Row::Kind::kSynonym && other.id == row.id) names += " " + code(other.name);
    std::cout << "| " << names << " | " << code(row.type) << " | " << cell(row.documentation) << " |\n";
  }
  return 0;
}
