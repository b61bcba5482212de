// The forms and names of the prelude, found while nvm is compiled: a run that uses a few of them pays for
// those. Private to prelude_text.cpp.in.
#pragma once

#include <algorithm>
#include <array>

#include "frontend/nesl/prelude.h"

namespace nvm::frontend::forms {

// The name that a form defines: behind `function` or `datatype`, or in front of ` =`.
constexpr std::string_view defined_name(std::string_view form) {
  for (const std::string_view keyword : {"function ", "datatype "})
    if (form.starts_with(keyword)) form.remove_prefix(keyword.size());
  return form.substr(0, form.find_first_of(" (\n"));
}

// A forward declaration has a type and no body.
constexpr bool is_forward(std::string_view form) {
  return form.starts_with("function ") && form.find(" = ") == form.npos && form.find(" =\n") == form.npos;
}

// Calls f with every form of the text and its line.
template <typename F>
constexpr void for_each(std::string_view text, F f) {
  std::size_t line = 1;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    std::size_t lines = 0;
    do {  // a form goes on as long as lines are indented
      end = std::min(text.find('\n', end), text.size() - 1) + 1;
      ++lines;
    } while (end < text.size() && text[end] == ' ');
    if (text[begin] != '%' && text[begin] != '\n') f(text.substr(begin, end - begin), line);
    begin = end;
    line += lines;
  }
}

constexpr std::size_t count(std::string_view text) {
  std::size_t n = 0;
  for_each(text, [&](std::string_view, std::size_t) { ++n; });
  return n;
}

// A form as places in the text: a pointer would have to be relocated whenever nvm starts.
struct Row {
  std::uint32_t begin = 0;
  std::uint32_t size = 0;
  std::uint16_t name = 0;  // from `begin`
  std::uint16_t name_size = 0;
  std::uint16_t line = 0;
  bool forward = false;
};

constexpr PreludeEntry entry(std::string_view text, const Row& row) {
  return {text.substr(row.begin + row.name, row.name_size), text.substr(row.begin, row.size), row.line,
          row.forward};
}

template <std::size_t N>
constexpr std::array<Row, N> rows(std::string_view text) {
  std::array<Row, N> found{};
  std::size_t n = 0;
  for_each(text, [&](std::string_view form, std::size_t line) {
    const std::string_view name = defined_name(form);
    found[n++] = {static_cast<std::uint32_t>(form.data() - text.data()),
                  static_cast<std::uint32_t>(form.size()),
                  static_cast<std::uint16_t>(name.data() - form.data()),
                  static_cast<std::uint16_t>(name.size()),
                  static_cast<std::uint16_t>(line),
                  is_forward(form)};
  });
  return found;
}

// In order of their names; those that are declared and defined stand twice, the declaration first.
template <std::size_t N>
constexpr std::array<std::uint16_t, N> by_name(std::string_view text, const std::array<Row, N>& rows) {
  std::array<std::uint16_t, N> order{};
  for (std::size_t i = 0; i < N; ++i) order[i] = static_cast<std::uint16_t>(i);
  std::sort(order.begin(), order.end(), [&](std::uint16_t a, std::uint16_t b) {
    const PreludeEntry x = entry(text, rows[a]), y = entry(text, rows[b]);
    return x.name != y.name ? x.name < y.name : x.forward > y.forward;
  });
  return order;
}

}  // namespace nvm::frontend::forms
