// The one way to read a file: a copy of its own, as it was when it was read. What becomes of the file
// afterwards changes nothing.
#pragma once

#include <cerrno>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nvm {

// A file that is read from its beginning to its end.
class InFile {
 public:
  // `text`: what is in the file, which is not opened then.
  explicit InFile(const std::string& path, std::optional<std::string> text = {});
  // One that cannot be read.
  explicit InFile(int error) : error_(error) {}
  ~InFile();
  InFile(const InFile&) = delete;
  InFile& operator=(const InFile&) = delete;

  // errno of the first failure, 0 if there was none.
  [[nodiscard]] int error() const { return error_; }
  // Bytes of a regular file, as it says; nothing of others.
  [[nodiscard]] std::optional<std::size_t> size() const { return size_; }
  // Reads on: `bytes`, or fewer where it ends or fails.
  std::size_t read(void* to, std::size_t bytes);
  // The rest, or `most` bytes of it.
  [[nodiscard]] std::string rest(std::size_t most = SIZE_MAX);

 private:
  [[nodiscard]] bool was_cut_off() const;

  int file_ = -1;
  int error_ = 0;
  std::optional<std::size_t> size_;
  std::optional<std::string> text_;
  std::size_t at_ = 0;  // in it
};

// All of a file, `most` bytes at most; nothing if it cannot be read (errno). Throws std::bad_alloc.
[[nodiscard]] std::optional<std::string> read_all(const std::string& path, std::size_t most = SIZE_MAX);

// errno of a file that became shorter while it was read, in a copy that is none of it then.
inline constexpr int kCutOff = ENODATA;

// What is said behind the name of a file that could not be read: "does not exist", "is a directory", or
// "cannot be read: REASON". `error` is errno.
[[nodiscard]] std::string unread_because(int error);

// The parts of a text between separators, each without them; "a,,b," has four.
[[nodiscard]] std::vector<std::string_view> parts_of(std::string_view text, char separator);
// Its lines: a last one without an end counts, an empty one behind the last end does not.
[[nodiscard]] std::vector<std::string_view> lines_of(std::string_view text);

}  // namespace nvm
