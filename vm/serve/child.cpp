#include "vm/serve/child.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

namespace nvm::serve {

namespace {

constexpr rlim_t kLargestFile = rlim_t{64} << 20;  // of those in memory
constexpr int kMostFiles = 4096;                   // of a server on a kernel without close_range()
constexpr int kAbove = 64;                         // descriptors that no child asks for

std::string because(const char* what) { return std::string(what) + ": " + std::strerror(errno); }

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(file, text.data(), text.size());
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> out;
  for (const std::string& word : words) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

// Without what would be taken for options of nvm.
std::vector<char*> environment_of_child() {
  std::vector<char*> out;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (std::strncmp(*entry, "NVM_", 4) != 0) out.push_back(*entry);
  out.push_back(nullptr);
  return out;
}

void limit(int resource, rlim_t most) {
  const rlimit limits{most, most};
  ::setrlimit(static_cast<__rlimit_resource_t>(resource), &limits);
}

// In the child, between fork() and exec(): system calls only.
[[noreturn]] void become(const std::vector<char*>& words, const std::vector<char*>& environment,
                         std::vector<int>& given, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  ::setpgid(0, 0);  // what a terminal sends is for the server
  for (int& file : given) file = ::fcntl(file, F_DUPFD, kAbove);
  for (std::size_t k = 0; k < given.size(); ++k) ::dup2(given[k], static_cast<int>(k));
  const auto first = static_cast<int>(given.size());
  if (::close_range(static_cast<unsigned>(first), ~0U, 0) != 0)
    for (int file = first; file < kMostFiles; ++file) ::close(file);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, kLargestFile);
  if (::chdir("/") == 0)
    ::execve(words[0], words.data(), environment.data());  // no folder may be loaded from
  ::_exit(127);
}

}  // namespace

File& File::operator=(File&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

File::~File() {
  if (file_ >= 0) ::close(file_);
}

int File::release() { return std::exchange(file_, -1); }

Child::Child(const std::vector<std::string>& words, std::string_view input, int files) {
  int out[2] = {-1, -1}, err[2] = {-1, -1};
  const File in(::memfd_create("program", MFD_CLOEXEC));
  const bool piped = ::pipe2(out, O_CLOEXEC) == 0 && ::pipe2(err, O_CLOEXEC) == 0;
  out_ = File(out[0]);
  err_ = File(err[0]);
  const File out_end(out[1]), err_end(err[1]);
  if (in.get() < 0 || !piped) {
    error_ = because("no files for a program");
    return;
  }
  if (!write_all(in.get(), input) || ::lseek(in.get(), 0, SEEK_SET) != 0) {
    error_ = because("no room for a program");
    return;
  }
  std::vector<int> given{in.get(), out_end.get(), err_end.get()};
  for (int k = 0; k < files; ++k) {
    files_.emplace_back(::memfd_create("result", MFD_CLOEXEC));
    if (files_.back().get() < 0) {
      error_ = because("no files for results");
      return;
    }
    given.push_back(files_.back().get());
  }
  start(words, std::move(given));
}

void Child::start(const std::vector<std::string>& words, std::vector<int> given) {
  const std::vector<char*> arguments = pointers(words), environment = environment_of_child();
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) become(arguments, environment, given, parent);
  pid_ = pid;
  if (pid < 0) error_ = because("no process for a program");
}

bool Child::ended() {
  if (pid_ < 0) return true;
  const pid_t done = ::waitpid(pid_, &status_, WNOHANG);
  if (done == pid_) pid_ = -1;
  return pid_ < 0;
}

void Child::kill() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) continue;
  pid_ = -1;
}

std::string Child::contents(int file, std::size_t limit) const {
  const int from = files_[static_cast<std::size_t>(file)].get();
  struct stat is {};
  if (::fstat(from, &is) != 0 || is.st_size < 0 || static_cast<std::size_t>(is.st_size) > limit) return {};
  std::string text(static_cast<std::size_t>(is.st_size), '\0');
  std::size_t have = 0;
  while (have < text.size()) {
    const ssize_t n = ::pread(from, text.data() + have, text.size() - have, static_cast<off_t>(have));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return {};
    have += static_cast<std::size_t>(n);
  }
  return text;
}

}  // namespace nvm::serve
