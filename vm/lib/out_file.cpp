#include "vm/lib/out_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "vm/data/value.h"

namespace nvm::vm {

namespace {

// A new file in the folder of this one, with its permissions; empty if there can be none.
std::string made_beside(const std::string& target) {
  struct stat old {};
  if (::stat(target.c_str(), &old) != 0 || !S_ISREG(old.st_mode) || ::access(target.c_str(), W_OK) != 0)
    return {};
  std::string name = target + ".XXXXXX";
  const int fd = ::mkstemp(name.data());
  if (fd < 0) return {};
  const bool same = ::fchmod(fd, old.st_mode & 07777U) == 0 && ::fchown(fd, old.st_uid, old.st_gid) == 0;
  ::close(fd);
  if (same) return name;
  ::unlink(name.c_str());
  return {};
}

}  // namespace

OutFile::OutFile(const std::string& path) : path_(path) {
  std::error_code none;
  target_ = std::filesystem::canonical(path, none).string();
  const bool open_already = path.starts_with("/dev/") || path.starts_with("/proc/");  // as /dev/stdout is
  if (!none && !open_already) beside_ = made_beside(target_);
  errno = 0;
  out_.open(beside_.empty() ? path : beside_,
            std::ios::binary | (open_already ? std::ios::app : std::ios::out));
}

OutFile::~OutFile() {
  if (!beside_.empty()) ::unlink(beside_.c_str());
}

void OutFile::finish() {
  out_.close();  // short files are written only now
  if (!out_ || (!beside_.empty() && std::rename(beside_.c_str(), target_.c_str()) != 0))
    throw Fault{Fault::Kind::kIo, path_ + ": cannot be written: " + std::strerror(errno)};
  beside_.clear();
}

}  // namespace nvm::vm
