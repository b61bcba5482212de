#include "frontend/edit/text.h"

#include <algorithm>

#include "bytecode/base/utf8.h"

namespace nvm::edit {

namespace {

std::size_t width(std::size_t bytes, Units units) {
  if (units == Units::kBytes) return bytes;
  return units == Units::kUtf16 && bytes == 4 ? 2 : 1;
}

}  // namespace

Text::Text(std::string text) : text_(std::move(text)) {
  for (std::size_t at = text_.find_first_of("\r\n"); at != std::string::npos;
       at = text_.find_first_of("\r\n", at + 1)) {
    if (text_[at] == '\n') sources_.begins.push_back(at + 1);
    if (text_[at] == '\n' || at + 1 == text_.size() || text_[at + 1] != '\n')
      places_.begins.push_back(at + 1);
  }
  note_plain(places_);
  note_plain(sources_);
}

void Text::note_plain(Lines& lines) const {
  lines.plain.reserve(lines.begins.size());
  for (std::size_t n = 0; n < lines.begins.size(); ++n) {
    const std::string_view line = this->line(lines, n);
    lines.plain.push_back(
        std::all_of(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
  }
}

std::string_view Text::line(const Lines& lines, std::size_t n) const {
  const std::size_t begin = lines.begins[n];
  std::size_t end = n + 1 < lines.begins.size() ? lines.begins[n + 1] - 1 : text_.size();
  if (end > begin && text_[end - 1] == '\r') --end;
  return std::string_view(text_).substr(begin, end - begin);
}

std::size_t Text::offset(const Lines& lines, Place place, Units units) const {
  if (place.line >= lines.begins.size()) return text_.size();
  const std::string_view line = this->line(lines, place.line);
  const std::size_t begin = lines.begins[place.line];
  if (lines.plain[place.line]) return begin + std::min(place.column, line.size());
  std::size_t at = 0;
  for (std::size_t column = 0; at < line.size();) {
    const std::size_t bytes = decode_utf8_at(line, at).bytes;
    column += width(bytes, units);
    if (column > place.column) break;
    at += bytes;
  }
  return begin + at;
}

Place Text::place(const Lines& lines, std::size_t offset, Units units) const {
  offset = std::min(offset, text_.size());
  const auto next = std::upper_bound(lines.begins.begin(), lines.begins.end(), offset);
  Place place{static_cast<std::size_t>(next - lines.begins.begin() - 1), 0};
  if (lines.plain[place.line]) return {place.line, offset - lines.begins[place.line]};
  for (std::size_t at = lines.begins[place.line]; at < offset;) {
    const std::size_t bytes = decode_utf8_at(text_, at).bytes;
    place.column += width(bytes, units);
    at += bytes;
  }
  return place;
}

std::size_t Text::offset(Place place, Units units) const { return offset(places_, place, units); }

Place Text::place(std::size_t offset, Units units) const { return place(places_, offset, units); }

std::size_t Text::offset(SourcePos pos, Units units) const {
  if (pos.line == 0) return 0;
  return offset(sources_, {pos.line - 1, pos.column == 0 ? 0 : pos.column - 1}, units);
}

SourcePos Text::pos(std::size_t offset) const {
  const Place p = place(sources_, offset, Units::kBytes);
  return {static_cast<std::uint32_t>(p.line + 1), static_cast<std::uint32_t>(p.column + 1)};
}

bool in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '~';
}

std::string replaced(const std::string& text, Span part, std::string_view with) {
  const std::size_t begin = std::min(part.begin, text.size());
  const std::size_t end = std::clamp(part.end, begin, text.size());
  std::string out = text.substr(0, begin);
  out += with;
  out.append(text, end, std::string::npos);
  return out;
}

}  // namespace nvm::edit
