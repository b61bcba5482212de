#include "frontend/edit/format.h"

#include <algorithm>

#include "frontend/edit/layout.h"
#include "frontend/markdown.h"
#include "frontend/nesl/parser.h"
#include "frontend/nesl/program_text.h"

namespace nvm::edit {

using frontend::Form;
using frontend::FormKind;

namespace {

struct Parsed {
  std::string tree;  // "" if it is no form
  std::size_t end = 0;
};

Parsed parse_one(std::string_view text, bool end_closes) {
  Diagnostics diagnostics("", "");
  const frontend::Source source{"", text, 1, false, 0, end_closes};
  frontend::Parser parser(source, diagnostics);
  const auto form = parser.next_form();
  return {form ? frontend::print_ast(*form) : "", parser.offset()};
}

bool same_words(const std::vector<LayoutWord>& a, const std::vector<LayoutWord>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const LayoutWord& x, const LayoutWord& y) { return x.text == y.text; });
}

// How lines end: as the first one does.
std::string_view newline_of(std::string_view text) {
  const std::size_t at = text.find('\n');
  return at != text.npos && at > 0 && text[at - 1] == '\r' ? "\r\n" : "\n";
}

// Where the first line of a script ends.
std::size_t end_of_line(std::string_view text) {
  const std::size_t at = std::min(text.find('\n'), text.size());
  return text.substr(0, at).ends_with('\r') ? at - 1 : at;
}

// The first message on a part of a text; nothing if there is none.
std::optional<std::string> message_on(Span part, const Text& text, const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.all()) {
    const std::size_t at = text.offset(d.pos, Units::kBytes);
    if (at >= part.begin && (at < part.end || at == text.size())) return d.message;
  }
  return std::nullopt;
}

// A chunk in the layout; nothing if it would not be read as it is now.
std::optional<std::string> laid_out(std::string_view chunk, const Form& form, const LayoutPlace& place,
                                    bool end_closes) {
  const std::vector<LayoutWord> words = layout_words(chunk);
  std::string text = lay_out(words, form.kind, place);
  if (!same_words(words, layout_words(text))) return std::nullopt;
  const Parsed again = parse_one(text, end_closes);
  if (again.end != text.size() || again.tree != frontend::print_ast(form)) return std::nullopt;
  return text;
}

Formatted format(const std::string& text, bool end_closes) {
  Formatted out;
  LayoutPlace place{true, newline_of(text)};
  constexpr std::string_view kMark = "\xef\xbb\xbf";  // some editors begin a file with it
  std::size_t begin = text.starts_with(kMark) ? kMark.size() : 0;
  if (text.starts_with("#!")) begin = end_of_line(text);
  out.text = text.substr(0, begin);
  if (begin > kMark.size()) place.first = false;
  std::string code = text;
  std::fill_n(code.begin(), begin, ' ');
  const frontend::Source source{"", code, 1, false, 0, end_closes};
  Diagnostics diagnostics("", "");
  frontend::Parser parser(source, diagnostics);
  const Text places(code);
  while (!parser.at_end()) {
    const auto form = parser.next_form();
    std::size_t end = parser.offset();
    if (!form && parser.at_end()) end = code.size();
    const std::string_view chunk = std::string_view(code).substr(begin, end - begin);
    auto laid = form ? laid_out(chunk, *form, place, end_closes) : std::nullopt;
    if (!laid) {
      const Span part{begin + chunk.find_first_not_of(" \t\r\n\f"), end};
      const auto mistake = form ? std::nullopt : message_on(part, places, diagnostics);
      out.problems.push_back(
          {Severity::kError, part, mistake.value_or("its layout would change its meaning"), ""});
      laid = std::string(chunk);
    }
    out.text += *laid;
    place.first = false;
    begin = end;
  }
  const std::string_view rest = std::string_view(code).substr(begin);
  Diagnostics of_rest("", "");
  const frontend::Source behind{"", rest};
  static_cast<void>(frontend::Parser(behind, of_rest));
  if (of_rest.failed()) {  // a comment without an end
    out.problems.push_back(
        {Severity::kError, {begin + rest.find('%'), code.size()}, of_rest.all()[0].message, ""});
    out.text += rest;
    return out;
  }
  out.text += lay_out(layout_words(rest), FormKind::kExpr, place);
  if (!out.text.empty() && out.text.back() != '\n') out.text += place.newline;
  return out;
}

}  // namespace

Formatted format_nesl(const std::string& text) { return format(text, false); }

Formatted format_blocks(const std::string& text) {
  Formatted out;
  std::size_t at = 0;
  for (const frontend::CodeBlock& block : frontend::code_blocks(text, frontend::kNeslBlocks)) {
    if (block.indented) continue;
    Formatted laid = format(text.substr(block.begin, block.end - block.begin), true);
    for (Problem& problem : laid.problems) {
      problem.span = {problem.span.begin + block.begin, problem.span.end + block.begin};
      out.problems.push_back(std::move(problem));
    }
    out.text += text.substr(at, block.begin - at) + laid.text;
    at = block.end;
  }
  out.text += text.substr(at);
  return out;
}

}  // namespace nvm::edit
