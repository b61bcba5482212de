// What a top level shows at a terminal, in colours: names and types of results, errors and their places.
#pragma once

#include <cstdio>
#include <streambuf>
#include <string>
#include <string_view>

namespace nvm::cmd {

// Whether it is a terminal that has colours, and the user has not asked for none (NO_COLOR).
[[nodiscard]] bool has_colours(std::FILE* to);

// Lines that end are coloured; what is flushed before its line ends stays plain, with the rest of the line.
class ColourBuffer final : public std::streambuf {
 public:
  explicit ColourBuffer(std::FILE* to) : to_(to) {}

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize n) override;
  int sync() override;

 private:
  [[nodiscard]] bool put(std::string_view text);

  std::FILE* to_;
  std::string line_;    // what came of it since it was flushed
  bool plain_ = false;  // some of it was
};

// A line without its end.
[[nodiscard]] std::string coloured(std::string_view line);

}  // namespace nvm::cmd
