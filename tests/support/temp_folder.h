// A folder of a test's own, removed with what is in it when it goes.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

namespace nvm::test {

// The folder is made by whoever first writes to it.
class TempFolder {
 public:
  explicit TempFolder(const std::string& prefix)
      : path_(std::filesystem::temp_directory_path() / (prefix + "_" + std::to_string(::getpid()))) {}
  ~TempFolder() { std::filesystem::remove_all(path_); }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  [[nodiscard]] std::string name() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace nvm::test
