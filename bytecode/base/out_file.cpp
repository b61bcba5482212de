#include "bytecode/base/out_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "bytecode/base/budget.h"

namespace nvm {

namespace {

constexpr std::size_t kBuffered = std::size_t{64} << 10;

// Names to be removed if a signal ends the process. Who finds no room is not remembered.
using Names = std::atomic<const char*>[32];
Names g_unfinished, g_logs;

void replace(Names& names, const char* old, const char* name) {
  for (auto& place : names) {
    const char* same = old;
    if (place.compare_exchange_strong(same, name)) return;
  }
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

// What an open file is called: to open it anew is to write where it is.
bool is_open_already(const std::string& path) {
  return path.starts_with("/dev/std") || path.starts_with("/dev/fd/") || path.starts_with("/proc/");
}

// Where links lead, whether there is a file or not; "", with errno, if that cannot be said.
std::string end_of_links(std::string path) {
  constexpr int kMostLinks = 40;
  struct Free {
    void operator()(char* p) const { std::free(p); }
  };
  for (int links = 0; links < kMostLinks; ++links) {
    const std::unique_ptr<char, Free> real(::realpath(path.c_str(), nullptr));
    if (real != nullptr) return real.get();
    if (errno != ENOENT) return {};
    char to[PATH_MAX];
    const ssize_t n = ::readlink(path.c_str(), to, sizeof to);
    if (n < 0) return path;
    const std::string next(to, static_cast<std::size_t>(n));
    path = next.starts_with("/") ? next : folder_of(path) + "/" + next;
  }
  errno = ELOOP;
  return {};
}

std::string fresh_name(const std::string& target) {
  static std::atomic<unsigned> count{0};
  return folder_of(target) + "/nvm-" + std::to_string(::getpid()) + "-" + std::to_string(++count) + ".part";
}

std::string descriptor_path(int file) { return "/proc/self/fd/" + std::to_string(file); }

}  // namespace

OutFile::OutFile(std::string path, Kind kind) : path_(std::move(path)), kind_(kind) { open(); }

void OutFile::open() {
  if (is_open_already(path_)) return open_in_place(path_);
  target_ = end_of_links(path_);
  if (target_.empty()) return note(path_.empty() ? ENOENT : errno);
  struct stat there {};
  const bool exists = ::stat(target_.c_str(), &there) == 0;
  if (!exists && errno != ENOENT) return note(errno);
  if (exists && S_ISDIR(there.st_mode)) return note(EISDIR);
  if (exists && !S_ISREG(there.st_mode)) return open_in_place(target_);
  if (exists && ::access(target_.c_str(), W_OK) != 0) return note(errno);
  open_beside();
  if (file_ < 0 || !exists) return;
  // Whose file it is only root can keep.
  if (there.st_uid != ::geteuid() || there.st_gid != ::getegid())
    static_cast<void>(::fchown(file_, there.st_uid, there.st_gid) == 0);
  if (::fchmod(file_, there.st_mode & 0777U) != 0) note(errno);
}

void OutFile::open_in_place(const std::string& name) {
  // What others write to it stands before or behind, also in a file, where a place of our own would be lost.
  const int stream = name == "/dev/stdout" ? STDOUT_FILENO : name == "/dev/stderr" ? STDERR_FILENO : -1;
  if (stream >= 0) {
    file_ = ::fcntl(stream, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (file_ < 0) note(errno);
    return;
  }
  constexpr int kInPlace = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY;
  while ((file_ = ::open(name.c_str(), kInPlace)) < 0 && errno == EINTR)
    Budget::look();  // a pipe that nobody reads
  if (file_ < 0) note(errno);
}

// The name is known before there is a file of it: a signal between the two finds it.
template <typename Make>
bool OutFile::under_name(const std::string& name, Make make) {
  named_ = name;
  replace(kind_ == Kind::kLog ? g_logs : g_unfinished, nullptr, named_.c_str());
  if (make(named_.c_str())) return true;
  const int error = errno;
  forget_name();
  errno = error;
  return false;
}

bool OutFile::open_named(const std::string& name, int more) {
  return under_name(name, [&](const char* path) {
    file_ = ::open(path, O_WRONLY | O_CREAT | O_CLOEXEC | more, 0666);
    return file_ >= 0;
  });
}

void OutFile::open_beside() {
  beside_ = true;
  if (target_.ends_with("/")) return note(EISDIR);
  if (kind_ == Kind::kLog) {
    if (!open_named(target_ + ".part", O_TRUNC | O_NOFOLLOW)) note(errno);
    return;
  }
  file_ = ::open(folder_of(target_).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (file_ >= 0 && ::access(descriptor_path(file_).c_str(), F_OK) != 0) ::close(std::exchange(file_, -1));
  if (file_ >= 0) return;
  while (!open_named(fresh_name(target_), O_EXCL))
    if (errno != EEXIST) return note(errno);
}

std::FILE* create_in_place(const std::string& path) {
  const auto create = [&] {
    return ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  };
  int file = create();
  if (file < 0 && errno == EEXIST) {
    struct stat there {};
    if (::lstat(path.c_str(), &there) != 0) return nullptr;
    if (there.st_uid != ::geteuid()) {
      errno = EEXIST;
      return nullptr;
    }
    if (::unlink(path.c_str()) == 0) file = create();
  }
  if (file < 0) return nullptr;
  std::FILE* stream = ::fdopen(file, "w+");
  if (stream != nullptr) return stream;
  const int error = errno;
  ::close(file);
  errno = error;
  return nullptr;
}

OutFile::~OutFile() {
  if (stream_ != nullptr) std::fclose(stream_);
  if (file_ >= 0) ::close(file_);
  if (named_.empty()) return;
  ::unlink(named_.c_str());
  forget_name();
}

void OutFile::forget_name() {
  replace(kind_ == Kind::kLog ? g_logs : g_unfinished, named_.c_str(), nullptr);
  named_.clear();
}

void OutFile::note(int error) {
  if (error_ == 0) error_ = error != 0 ? error : EIO;
}

bool OutFile::put(std::string_view text) {
  while (error_ == 0 && !text.empty()) {
    const ssize_t n = ::write(file_, text.data(), text.size());
    if (n < 0 && errno != EINTR) note(errno);
    if (n < 0) Budget::look();
    if (n == 0) note(EIO);
    if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
  }
  return error_ == 0;
}

void OutFile::write(std::string_view text) {
  if (kind_ == Kind::kLog || (buffer_.empty() && text.size() >= kBuffered)) {
    put(text);
    return;
  }
  if (buffer_.capacity() < kBuffered) buffer_.reserve(kBuffered);
  while (!text.empty() && error_ == 0) {
    const std::size_t part = std::min(text.size(), kBuffered - buffer_.size());
    buffer_.append(text.substr(0, part));
    text.remove_prefix(part);
    if (buffer_.size() == kBuffered && put(buffer_)) buffer_.clear();
  }
}

std::FILE* OutFile::stream() {
  if (stream_ != nullptr || error_ != 0) return stream_;
  const int copy = ::fcntl(file_, F_DUPFD_CLOEXEC, 3);
  if (copy >= 0 && (stream_ = ::fdopen(copy, "w")) != nullptr) return stream_;
  note(errno);
  if (copy >= 0) ::close(copy);
  return nullptr;
}

bool OutFile::give_name() {
  if (named_.empty()) {  // a name can be given to a file that has none, but not taken from another
    const std::string open = descriptor_path(file_);
    const auto link = [&](const char* name) {
      return ::linkat(AT_FDCWD, open.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
    };
    if (link(target_.c_str())) return true;
    if (errno != EEXIST) return false;
    while (!under_name(fresh_name(target_), link))
      if (errno != EEXIST) return false;
  }
  if (std::rename(named_.c_str(), target_.c_str()) != 0) return false;
  forget_name();
  return true;
}

bool OutFile::finish() {
  put(buffer_);
  buffer_.clear();
  if (stream_ != nullptr) {
    if (std::ferror(stream_) != 0) note(EIO);
    if (std::fclose(std::exchange(stream_, nullptr)) != 0) note(errno);
  }
  if (error_ == 0 && beside_) {
    if (kind_ != Kind::kCache && ::fsync(file_) != 0) note(errno);
    if (error_ == 0 && !give_name()) note(errno);
  }
  if (file_ >= 0 && ::close(std::exchange(file_, -1)) != 0) note(errno);
  if (error_ != 0 || !beside_ || kind_ == Kind::kCache) return error_ == 0;
  const int folder = ::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return true;
  ::fsync(folder);  // not all file systems can
  ::close(folder);
  return true;
}

std::string OutFile::why() const { return path_ + ": cannot be written: " + std::strerror(error_); }

void remove_unfinished(bool logs_too) noexcept {
  const auto remove = [](const Names& names) {
    for (const auto& place : names)
      if (const char* name = place.load()) ::unlink(name);
  };
  remove(g_unfinished);
  if (logs_too) remove(g_logs);
}

}  // namespace nvm
