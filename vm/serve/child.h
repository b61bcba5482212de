// A process of nvm that runs the program of a stranger: nothing of the server is open in it, it ends when the
// server does, and its walls are those of --untrusted (vm/lib/confine.hpp).
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace nvm::serve {

// A descriptor, closed at the end.
class File {
 public:
  File() = default;
  explicit File(int file) : file_(file) {}
  File(File&& other) noexcept : file_(other.release()) {}
  File& operator=(File&& other) noexcept;
  ~File();
  [[nodiscard]] int get() const { return file_; }
  [[nodiscard]] int release();

 private:
  int file_ = -1;
};

class Child {
 public:
  // Runs `words`, the first of which is a program's path, with `input` as standard input. The child has
  // `files` files, in memory, as its descriptors from kFirstFile on. error() tells if that failed.
  Child(const std::vector<std::string>& words, std::string_view input, int files);
  ~Child() { kill(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  static constexpr int kFirstFile = 3;

  [[nodiscard]] const std::string& error() const { return error_; }
  // The read ends of standard output and standard error, to be taken once.
  [[nodiscard]] File take_out() { return std::move(out_); }
  [[nodiscard]] File take_err() { return std::move(err_); }

  // Whether it has ended; then status() is that of waitpid().
  [[nodiscard]] bool ended();
  [[nodiscard]] int status() const { return status_; }
  void kill();  // and waits for its end
  // What it has written to one of its files, after its end: at most `limit` bytes, else "".
  [[nodiscard]] std::string contents(int file, std::size_t limit) const;

 private:
  void start(const std::vector<std::string>& words, std::vector<int> given);

  pid_t pid_ = -1;
  int status_ = 0;
  File out_, err_;
  std::vector<File> files_;
  std::string error_;
};

}  // namespace nvm::serve
