// What commands print: as it is, but on a terminal without control bytes (bytecode/base/printable.h). What a
// program itself writes does not come through here.
#pragma once

#include <cstdio>
#include <streambuf>
#include <string>
#include <string_view>

#include "bytecode/base/printable.h"

namespace nvm::cmd {

// False if the system refuses. Without memory to escape it a text is left out.
bool say(std::FILE* to, std::string_view text) noexcept;
// A message: begins with nvm, ends with its line.
void complain(const std::string& text) noexcept;

// Where what a stranger's program writes goes: a stream that escapes it, if it is to be shown on a terminal,
// or `to` itself. Throws std::bad_alloc.
[[nodiscard]] std::FILE* escaped(std::FILE* to);

// Why (errno) something that was to go to standard output by say() or a TerminalBuffer did not, first; 0: all
// did.
[[nodiscard]] int output_lost() noexcept;

// The same for a stream: std::ostream out(&buffer).
class TerminalBuffer final : public std::streambuf {
 public:
  explicit TerminalBuffer(std::FILE* to);
  // Of what was refused last; 0: nothing.
  [[nodiscard]] int error() const { return error_; }

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize n) override;
  int sync() override;

 private:
  [[nodiscard]] bool kept(bool good);

  std::FILE* to_;
  bool terminal_;
  int error_ = 0;
  Printable shown_;
};

}  // namespace nvm::cmd
