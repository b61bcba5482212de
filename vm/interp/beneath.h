// Files below a folder, whatever their names lead to.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace nvm::vm {

// A folder that is kept open: it stays the same one if its name is given to another.
class Folder {
 public:
  // A folder that cannot be opened has nothing below it.
  explicit Folder(const std::string& path);
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] bool is_root() const;
  // What is left of a name behind this folder; nothing if the name does not lead through it.
  [[nodiscard]] std::optional<std::string> rest_of(const std::string& path) const;
  // Opens what `rest` names below this folder, with flags of open(2); -1 and errno if it cannot be. EXDEV: it
  // leads elsewhere, by a link or by "..". The name is resolved and opened in one step. Without the kernel's
  // help (openat2) no links are followed at all.
  [[nodiscard]] int open(const std::string& rest, int flags) const {
    return open(rest, flags, kernel_helps());
  }
  [[nodiscard]] int open(const std::string& rest, int flags, bool by_kernel) const;

 private:
  [[nodiscard]] static bool kernel_helps();

  int fd_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace nvm::vm
