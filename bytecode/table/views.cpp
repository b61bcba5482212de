#include "bytecode/table/views.h"

#include <array>

namespace nvm {

namespace {

constexpr std::string_view kColumn[] = {
#define OP(id, text, words, operands, results, shape, kind, scalar, effect, work, views, doc) views,
#include "bytecode/table/ops.def"
};

constexpr Form form_of(char letter) {
  const std::size_t at = kFormLetters.find(letter);
  return at == std::string_view::npos ? throw "no form has this letter" : static_cast<Form>(at);
}

constexpr OpViews parse(std::string_view text) {
  OpViews row;
  std::size_t operand = 0;
  bool results = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ') {
      ++operand;
    } else if (c == '-') {
      results = true;
      ++i;
    } else if (c == '.') {
      continue;
    } else if (results) {
      row.leaves = row.leaves | Forms{form_of(c)};
    } else if (c >= 'A' && c <= 'Z') {
      row.takes_with[operand] = row.takes_with[operand] | Forms{form_of(static_cast<char>(c - 'A' + 'a'))};
    } else {
      row.takes[operand] = row.takes[operand] | Forms{form_of(c)};
    }
  }
  return row;
}

constexpr auto kRows = [] {
  std::array<OpViews, std::size(kColumn)> rows{};
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = parse(kColumn[i]);
  return rows;
}();

}  // namespace

const OpViews& op_views(Op op) { return kRows[static_cast<std::size_t>(op)]; }

}  // namespace nvm
