// A file that a value is written to.
#pragma once

#include <fstream>
#include <string>

namespace nvm::vm {

// Where there is a file already, the new one stands beside it until it is whole and then takes its name: the
// elements of the old one may be in a program's memory, and a full disk costs nothing that was there.
class OutFile {
 public:
  explicit OutFile(const std::string& path);
  ~OutFile();
  OutFile(const OutFile&) = delete;
  OutFile& operator=(const OutFile&) = delete;

  [[nodiscard]] std::ofstream& stream() { return out_; }
  // Throws Fault kIo if not all of it could be written.
  void finish();

 private:
  std::string path_, target_, beside_;  // as given; where links lead; empty if the file is written in place
  std::ofstream out_;
};

}  // namespace nvm::vm
