#include "bytecode/text/annotation.h"

#include <charconv>

#include "bytecode/program/origin.h"

namespace nvm {

namespace {

using Kind = Annotation::Kind;

constexpr std::string_view kMark = "nvm ";
constexpr std::string_view kNoName = "\"\"";
constexpr std::string_view kHex = "0123456789abcdef";

// Bytes that would end the comment or the word are written %XX.
std::string escape(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte == 0x7f || c == '%' || c == '}' || c == '{' || c == '"') {
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  return out.empty() ? std::string(kNoName) : out;
}

std::string unescape(std::string_view text) {
  if (text == kNoName) return {};
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    const char* const digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      out += static_cast<char>(byte);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

// Takes the next blank-separated word off the front.
std::string_view take_word(std::string_view& text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  text.remove_prefix(word.size());
  return word;
}

bool parse_function(std::string_view rest, Annotation& a) {
  const std::string_view name = take_word(rest);
  if (name.empty()) return false;
  a.name = unescape(name);
  for (std::string_view w = take_word(rest); !w.empty(); w = take_word(rest)) {
    if (w == "lifted") a.lifted = true;
    if (w == "tail") a.tail = true;
  }
  return true;
}

bool parse_line(std::string_view rest, Annotation& a) {
  const std::string_view place = take_word(rest);
  const char* const end = place.data() + place.size();
  a.name = unescape(take_word(rest));
  const std::from_chars_result line = std::from_chars(place.data(), end, a.line);
  if (line.ec != std::errc()) return false;
  if (line.ptr == end) return true;
  const std::from_chars_result column = std::from_chars(line.ptr + 1, end, a.column);
  return *line.ptr == ':' && column.ec == std::errc() && column.ptr == end;
}

}  // namespace

bool is_annotation(std::string_view comment) { return comment.starts_with(kMark); }

Annotation parse_annotation(std::string_view comment) {
  comment.remove_prefix(kMark.size());
  const std::string_view what = take_word(comment);
  Annotation a;
  if (what == "source") {
    const std::string_view file = take_word(comment);
    if (!file.empty()) a.kind = Kind::kSource;
    a.name = unescape(file);
  } else if (what == "function") {
    if (parse_function(comment, a)) a.kind = Kind::kFunction;
  } else if (what == "line") {
    if (parse_line(comment, a)) a.kind = Kind::kLine;
  } else if (what == "char") {
    a.kind = Kind::kChar;
  } else if (what == "segdes") {
    a.kind = Kind::kSegdes;
  }
  return a;
}

std::string annotation_text(const Annotation& a) {
  switch (a.kind) {
    case Kind::kSource: return "{nvm source " + escape(a.name) + "}";
    case Kind::kFunction:
      return "{nvm function " + escape(a.name) + (a.lifted ? " lifted" : "") + (a.tail ? " tail" : "") + "}";
    case Kind::kLine:
      return "{nvm line " + line_text(a.line, a.column) + (a.name.empty() ? "" : " " + escape(a.name)) + "}";
    case Kind::kChar: return "{nvm char}";
    case Kind::kSegdes: return "{nvm segdes}";
    case Kind::kNone: break;
  }
  return {};
}

}  // namespace nvm
