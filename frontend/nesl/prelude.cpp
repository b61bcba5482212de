#include "frontend/nesl/prelude.h"

#include <algorithm>

namespace nvm::frontend {

namespace {

// The name that a form defines: behind `function` or `datatype`, or in front of ` =`.
std::string_view defined_name(std::string_view form) {
  for (const std::string_view keyword : {"function ", "datatype "})
    if (form.starts_with(keyword)) form.remove_prefix(keyword.size());
  return form.substr(0, form.find_first_of(" (\n"));
}

// A forward declaration has a type and no body.
bool is_forward(std::string_view form) {
  return form.starts_with("function ") && form.find(" = ") == form.npos && form.find(" =\n") == form.npos;
}

std::vector<PreludeEntry> split(std::string_view text) {
  std::vector<PreludeEntry> entries;
  std::size_t line = 1;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    std::size_t lines = 0;
    do {  // a form goes on as long as lines are indented
      end = std::min(text.find('\n', end), text.size() - 1) + 1;
      ++lines;
    } while (end < text.size() && text[end] == ' ');
    const std::string_view form = text.substr(begin, end - begin);
    if (form[0] != '%' && form[0] != '\n')
      entries.push_back({defined_name(form), form, line, is_forward(form)});
    begin = end;
    line += lines;
  }
  return entries;
}

}  // namespace

const std::vector<PreludeEntry>& prelude_entries() {
  static const std::vector<PreludeEntry> entries = split(prelude_text());
  return entries;
}

}  // namespace nvm::frontend
