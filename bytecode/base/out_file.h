// The one way to write a file. Under its own name stands a whole file or none: the new one has no name, or
// one that ends in ".part", until finish() has put it on the disk and given it its name. What is not finished
// goes with the object, and with the process: files without a name by themselves, others by
// remove_unfinished().
//
// Written where they are: terminals, pipes, devices and what is open already (/dev/stdout, /proc/self/fd/3).
// Links lead where they lead; who may not write a file may not replace it, and a replaced one keeps its
// permissions.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace nvm {

class OutFile {
 public:
  // kWhole: has no name before. kLog: is written as it comes up, to NAME.part, which a process that is killed
  // leaves; what can be read of it is worth something. kCache: as kWhole, but whether it outlives the system
  // does not matter.
  enum class Kind : unsigned char { kWhole, kLog, kCache };

  // Opens it at once: error() tells, long before there is anything to write, if it will not do.
  explicit OutFile(std::string path, Kind kind = Kind::kWhole);
  ~OutFile();
  OutFile(const OutFile&) = delete;
  OutFile& operator=(const OutFile&) = delete;

  // The first failure is kept, and nothing is written after it.
  void write(std::string_view text);
  // For who writes by stdio, instead of write(); null after a failure. Flushed and closed by finish().
  [[nodiscard]] std::FILE* stream();
  // False if not all of it stands on the disk under its name; then error() says why.
  bool finish();  // nothing more is written after it
  // errno of the first failure, 0 if there was none.
  [[nodiscard]] int error() const { return error_; }
  [[nodiscard]] bool opened() const { return file_ >= 0; }
  [[nodiscard]] const std::string& path() const { return path_; }
  // "PATH: cannot be written: REASON"
  [[nodiscard]] std::string why() const;

 private:
  void open();
  void open_in_place(const std::string& name);
  void open_beside();
  template <typename Make>
  bool under_name(const std::string& name, Make make);
  bool open_named(const std::string& name, int more);
  bool put(std::string_view text);
  bool give_name();
  void note(int error);
  void forget_name();

  std::string path_, target_, named_;  // as given; where links lead; its name until then, if it has one
  std::string buffer_;
  std::FILE* stream_ = nullptr;
  int file_ = -1;
  int error_ = 0;
  Kind kind_;
  bool beside_ = false;  // not written where it is
};

// For files that others look for where they are, such as perf: a new one of this very name, written as it
// comes up. No link is followed; what its user had there is removed, what belongs to another user stays.
// Null, with errno, if there is none.
[[nodiscard]] std::FILE* create_in_place(const std::string& path);

// Removes the files of this process that have a name and are not finished. For signal handlers.
void remove_unfinished(bool logs_too) noexcept;

}  // namespace nvm
