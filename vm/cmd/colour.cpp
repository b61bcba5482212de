#include "vm/cmd/colour.h"

#include <unistd.h>

#include <cstdlib>

#include "bytecode/base/printable.h"

namespace nvm::cmd {

namespace {

constexpr std::string_view kBold = "\x1b[1m", kDim = "\x1b[2m", kRed = "\x1b[1;31m", kGreen = "\x1b[32m",
                           kPlain = "\x1b[0m";
constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

std::string in(std::string_view colour, std::string_view text) {
  return std::string(colour) + std::string(text) + std::string(kPlain);
}

bool has_only(std::string_view text, std::string_view characters) {
  return text.find_first_not_of(characters) == text.npos;
}

// "name = value : type": what a type is written with does not end a text or a character.
std::string coloured_result(std::string_view line, std::size_t equals) {
  const std::size_t type = line.rfind(" : ");
  std::string text = in(kBold, line.substr(0, equals));
  const bool typed =
      type != line.npos && type > equals && has_only(line.substr(type), std::string(kLetters) + " :[](),->");
  text += line.substr(equals, (typed ? type : line.size()) - equals);
  return typed ? text + in(kDim, line.substr(type)) : text;
}

}  // namespace

bool has_colours(std::FILE* to) {
  const char *none = std::getenv("NO_COLOR"), *terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return ::isatty(::fileno(to)) == 1 && !dumb && (none == nullptr || *none == '\0');
}

std::string coloured(std::string_view line) {
  for (const std::string_view error : {std::string_view("run-time error:"), std::string_view("error:")}) {
    const std::size_t at = line.find(error);
    if (at != line.npos && at >= 2 && line.substr(at - 2, 2) == ": ")
      return std::string(line.substr(0, at)) + in(kRed, error) + std::string(line.substr(at + error.size()));
  }
  if (line.find('^') != line.npos && has_only(line, " \t^~")) return in(kGreen, line);
  const std::size_t equals = line.find(" = ");
  if (equals != line.npos && equals > 0 && has_only(line.substr(0, equals), kLetters))
    return coloured_result(line, equals);
  return std::string(line);
}

std::streambuf::int_type ColourBuffer::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char byte = traits_type::to_char_type(c);
  return xsputn(&byte, 1) == 1 ? c : traits_type::eof();
}

std::streamsize ColourBuffer::xsputn(const char* text, std::streamsize n) {
  for (const char c : std::string_view(text, static_cast<std::size_t>(n))) {
    if (c != '\n') {
      line_ += c;
      continue;
    }
    const std::string shown = printable(line_);
    line_.clear();
    if (!put((plain_ ? shown : coloured(shown)) + "\n")) return 0;
    plain_ = false;
  }
  return n;
}

int ColourBuffer::sync() {
  const std::string shown = printable(line_);
  plain_ = plain_ || !line_.empty();
  line_.clear();
  return put(shown) && std::fflush(to_) == 0 ? 0 : -1;
}

bool ColourBuffer::put(std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), to_) == text.size();
}

}  // namespace nvm::cmd
