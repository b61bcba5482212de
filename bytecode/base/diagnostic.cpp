#include "bytecode/base/diagnostic.h"

#include <algorithm>

#include "bytecode/base/source_line.h"

namespace nvm {

namespace {

constexpr const char* severity_name(Severity s) {
  switch (s) {
    case Severity::kError: return "error";
    case Severity::kWarning: return "warning";
    case Severity::kNote: return "note";
  }
  return "";
}

// The text of a line (from 1), without its newline; empty past the end.
std::string_view line_of(std::string_view text, std::uint32_t line) {
  for (std::uint32_t at = 1; at < line; ++at) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

// The length of the token at a place: a name or number, a word such as +_SCAN, or one character.
std::size_t token_length(std::string_view text) {
  const auto in_word = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  std::size_t length = text.size() > 1 && !in_word(text[0]) && text[1] == '_' ? 1 : 0;
  while (length < text.size() && in_word(text[length])) ++length;
  return length > 0 ? length : 1;
}

// Bytes of a character of UTF-8 after its first one take no place of their own on a terminal.
bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80; }

// A long line is shown as a window around the column, so that one-line programs stay readable.
void render_source(std::string& out, std::string_view line, std::uint32_t column) {
  constexpr std::size_t kWindow = 100;
  std::size_t at = column > 0 ? column - 1 : 0;
  if (at > line.size()) at = line.size();
  std::size_t begin = 0;
  if (at > kWindow * 3 / 4) begin = at - kWindow * 3 / 4;
  while (begin > 0 && begin < at && continues_character(line[begin])) ++begin;
  std::size_t end = std::min(begin + kWindow, line.size());
  while (end > at && end < line.size() && continues_character(line[end])) --end;
  const std::string_view shown = line.substr(begin, end - begin);
  out += begin > 0 ? "  ..." : "  ";
  for (const char c : shown) out += (static_cast<unsigned char>(c) < 0x20 && c != '\t') ? ' ' : c;
  out += "\n  ";
  if (begin > 0) out += "   ";
  for (std::size_t i = begin; i < at; ++i)
    if (!continues_character(line[i])) out += line[i] == '\t' ? '\t' : ' ';
  const std::size_t length = std::max<std::size_t>(1, std::min(token_length(line.substr(at)), end - at));
  out += "^" + std::string(length - 1, '~') + "\n";
}

}  // namespace

std::string shown_line(std::string_view text, SourcePos pos) {
  std::string out;
  render_source(out, line_of(text, pos.line), pos.column);
  return out;
}

void Diagnostics::add(Diagnostic d) {
  if (d.severity == Severity::kError) ++errors_;
  if (full()) {
    ++dropped_;
    return;
  }
  all_.push_back(std::move(d));
}

std::string Diagnostics::render() const {
  std::string out;
  for (const Diagnostic& d : all_) {
    out += file_;
    if (d.pos.line > 0) out += ":" + std::to_string(d.pos.line) + ":" + std::to_string(d.pos.column);
    out += std::string(": ") + severity_name(d.severity) + ": " + d.message + "\n";
    if (d.pos.line > 0) out += shown_line(text_, d.pos);
  }
  if (dropped_ > 0) out += file_ + ": " + std::to_string(dropped_) + " more messages not shown\n";
  return out;
}

}  // namespace nvm
