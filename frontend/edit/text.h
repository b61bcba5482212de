// The text of a document: bytes, lines, and the columns that editors count in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bytecode/base/diagnostic.h"

namespace nvm::edit {

// A part of a text, in bytes; `end` is behind it.
struct Span {
  std::size_t begin = 0, end = 0;
  friend bool operator==(const Span&, const Span&) = default;
};

// What columns count. Editors count UTF-16 units unless they ask for another way.
enum class Units : std::uint8_t { kBytes, kUtf16, kCodePoints };

// A place as editors have it: both count from 0.
struct Place {
  std::size_t line = 0, column = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

class Text {
 public:
  explicit Text(std::string text = {});

  [[nodiscard]] const std::string& str() const { return text_; }
  [[nodiscard]] std::size_t size() const { return text_.size(); }

  // Lines of editors end with \n, \r\n or \r. Places behind the end of a line, or of the text, are its end;
  // those within a character its beginning.
  [[nodiscard]] std::size_t offset(Place place, Units units) const;
  [[nodiscard]] Place place(std::size_t offset, Units units) const;
  // The same for places in messages, that count from 1; lines end with \n.
  [[nodiscard]] std::size_t offset(SourcePos pos, Units units) const;
  [[nodiscard]] SourcePos pos(std::size_t offset) const;  // in bytes

 private:
  struct Lines {
    std::vector<std::size_t> begins{0};
    std::vector<bool> plain;  // those whose characters are bytes, whatever columns count
  };
  [[nodiscard]] std::string_view line(const Lines& lines, std::size_t n) const;  // without its end
  void note_plain(Lines& lines) const;
  [[nodiscard]] std::size_t offset(const Lines& lines, Place place, Units units) const;
  [[nodiscard]] Place place(const Lines& lines, std::size_t offset, Units units) const;

  std::string text_;
  Lines places_, sources_;  // of editors, of messages
};

// A character of a name in NESL.
[[nodiscard]] bool in_name(char c);
// The text with `with` in place of a part of it.
[[nodiscard]] std::string replaced(const std::string& text, Span part, std::string_view with);

}  // namespace nvm::edit
