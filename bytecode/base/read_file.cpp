#include "bytecode/base/read_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

#include "bytecode/base/budget.h"

namespace nvm {

InFile::InFile(const std::string& path, std::optional<std::string> text) : text_(std::move(text)) {
  if (text_) {
    size_ = text_->size();
    return;
  }
  while ((file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)) < 0 && errno == EINTR)
    Budget::look();  // a pipe that nobody writes
  struct stat info {};
  if (file_ < 0 || ::fstat(file_, &info) != 0)
    error_ = errno;
  else if (S_ISDIR(info.st_mode))
    error_ = EISDIR;
  else if (S_ISREG(info.st_mode))
    size_ = static_cast<std::size_t>(info.st_size);
}

InFile::~InFile() {
  if (file_ >= 0) ::close(file_);
}

std::size_t InFile::read(void* to, std::size_t bytes) {
  if (text_) {
    const std::size_t n = text_->copy(static_cast<char*>(to), bytes, at_);
    at_ += n;
    return n;
  }
  std::size_t done = 0;
  while (error_ == 0 && done < bytes) {
    const ssize_t n =
        ::read(file_, static_cast<char*>(to) + done, std::min<std::size_t>(bytes - done, SSIZE_MAX));
    if (n < 0 && errno != EINTR) error_ = errno;
    if (n < 0) Budget::look();
    if (n == 0) {
      if (was_cut_off()) error_ = kCutOff;
      break;
    }
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  return done;
}

// At its end: whether it is shorter now than it was when it was opened. Files of /sys are always shorter than
// they say.
bool InFile::was_cut_off() const {
  struct stat now {};
  return size_ && ::fstat(file_, &now) == 0 && static_cast<std::size_t>(now.st_size) < *size_;
}

std::string InFile::rest(std::size_t most) {
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  std::string text;
  // Files of /proc say that they are empty.
  if (size_) text.reserve(std::min(*size_ + 1, most));
  while (error_ == 0 && text.size() < most) {
    const std::size_t before = text.size();
    const std::size_t wanted = std::min(most - before, std::max(kPiece, text.capacity() - before));
    text.resize(before + wanted);
    const std::size_t n = read(text.data() + before, wanted);
    text.resize(before + n);
    if (n < wanted) break;
  }
  return text;
}

std::optional<std::string> read_all(const std::string& path, std::size_t most) {
  InFile file(path);
  std::string text = file.rest(most);
  if (file.error() == 0) return text;
  errno = file.error();
  return std::nullopt;
}

std::string unread_because(int error) {
  if (error == ENOENT || error == ENOTDIR) return "does not exist";
  if (error == EISDIR) return "is a directory";
  if (error == kCutOff) return "was cut off while it was read";
  return std::string("cannot be read: ") + std::strerror(error);
}

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end = 0; (end = text.find(separator)) != text.npos; text.remove_prefix(end + 1))
    parts.push_back(text.substr(0, end));
  parts.push_back(text);
  return parts;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines = parts_of(text, '\n');
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

}  // namespace nvm
