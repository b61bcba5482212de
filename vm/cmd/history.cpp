#include "vm/cmd/history.h"

#include <editline/readline.h>
#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace nvm::cmd {

namespace {

constexpr int kMost = 1000;  // lines; the file may have twice as many before it is cut

// As the line editor reads it from its file: blanks and what is no ASCII as \ and three octal digits.
std::string encoded(const std::string& line) {
  std::string out;
  for (const char c : line) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > ' ' && byte < 0x7f && c != '\\') {
      out += c;
      continue;
    }
    out += '\\';
    for (const int shift : {6, 3, 0}) out += static_cast<char>('0' + (byte >> shift & 7));
  }
  return out + "\n";
}

}  // namespace

History::History(std::string path) : path_(std::move(path)) {
  using_history();
  const bool read = read_history(path_.c_str()) == 0;
  const bool is_long = history_length > 2 * kMost;
  stifle_history(kMost);
  kept_ = (read && !is_long) || write_history(path_.c_str()) == 0;
}

// Not by append_history(), which writes some lines twice.
void History::add(const std::string& line) {
  add_history(line.c_str());
  if (!kept_) return;
  const std::string text = encoded(line);
  const int file = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  kept_ = file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (file >= 0) ::close(file);
}

}  // namespace nvm::cmd
