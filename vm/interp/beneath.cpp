#include "vm/interp/beneath.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>

namespace nvm::vm {

namespace {

constexpr mode_t kNewFile = 0666;

int open_by_kernel(int folder, const std::string& rest, int flags) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags);
  how.mode = (flags & O_CREAT) != 0 ? kNewFile : 0;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  constexpr int kTries = 16;  // EAGAIN: folders were renamed meanwhile
  for (int i = 0;; ++i) {
    const auto fd = static_cast<int>(::syscall(SYS_openat2, folder, rest.c_str(), &how, sizeof how));
    if (fd >= 0 || errno != EAGAIN || i == kTries) return fd;
  }
}

int refuse() {
  errno = EXDEV;
  return -1;
}

// Component by component, none of them a link.
int open_by_steps(int folder, const std::string& rest, int flags) {
  int at = ::fcntl(folder, F_DUPFD_CLOEXEC, 0);
  for (std::size_t from = 0; at >= 0;) {
    const std::size_t end = std::min(rest.find('/', from), rest.size());
    const std::string name = rest.substr(from, end - from);
    const bool last = rest.find_first_not_of('/', end) == std::string::npos;
    from = end + 1;
    if (!last && (name.empty() || name == ".")) continue;
    constexpr int kOnTheWay = O_PATH | O_DIRECTORY | O_CLOEXEC;
    const int next = name == ".." ? refuse()
                                  : ::openat(at, name.empty() ? "." : name.c_str(),
                                             (last ? flags : kOnTheWay) | O_NOFOLLOW, kNewFile);
    const int why = errno == ELOOP ? EXDEV : errno;
    ::close(at);
    errno = why;
    if (last) return next;
    at = next;
  }
  return -1;
}

}  // namespace

Folder::Folder(const std::string& path) : fd_(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {
  struct stat is {};
  if (fd_ < 0 || ::fstat(fd_, &is) != 0) return;
  device_ = is.st_dev;
  inode_ = is.st_ino;
}

Folder::~Folder() {
  if (fd_ >= 0) ::close(fd_);
}

bool Folder::is_root() const {
  struct stat root {};
  return fd_ >= 0 && ::stat("/", &root) == 0 && root.st_dev == device_ && root.st_ino == inode_;
}

// The last place at which the name is this folder: what is behind it is resolved from there.
std::optional<std::string> Folder::rest_of(const std::string& path) const {
  if (fd_ < 0 || path.empty() || path.find('\0') != std::string::npos) return std::nullopt;
  std::error_code none;
  const std::string whole = path[0] == '/' ? path : std::filesystem::current_path(none).string() + "/" + path;
  std::optional<std::string> rest;
  for (std::size_t end = 0; end <= whole.size(); ++end) {
    if (end > 0 && end < whole.size() && whole[end] != '/') continue;
    struct stat is {};
    const std::string before = end == 0 ? "/" : whole.substr(0, end);
    if (::stat(before.c_str(), &is) != 0) break;
    if (is.st_dev != device_ || is.st_ino != inode_) continue;
    const std::size_t name = whole.find_first_not_of('/', end);
    rest = name == std::string::npos ? "." : whole.substr(name);
  }
  return rest;
}

bool Folder::kernel_helps() {
  static const bool helps = [] {
    const int fd = open_by_kernel(AT_FDCWD, ".", O_PATH | O_CLOEXEC);
    if (fd >= 0) ::close(fd);
    return fd >= 0 || (errno != ENOSYS && errno != EPERM);
  }();
  return helps;
}

int Folder::open(const std::string& rest, int flags, bool by_kernel) const {
  if (fd_ < 0 || rest.starts_with('/')) return refuse();
  flags |= O_CLOEXEC;
  return by_kernel ? open_by_kernel(fd_, rest, flags) : open_by_steps(fd_, rest, flags);
}

}  // namespace nvm::vm
