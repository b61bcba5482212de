#include "vm/interp/gate.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "vm/data/value.h"
#include "vm/interp/world.h"

namespace nvm::vm {

namespace {

struct Way {
  Capability needs;
  const char* refusal;
};
constexpr Way kWays[] = {
#define WAY_OUT(id, needs, refusal) {Capability::needs, refusal},
#include "vm/interp/ways_out.def"
};

const Way& info(WayOut way) { return kWays[static_cast<std::size_t>(way)]; }

constexpr const char* kCures[] = {"read or read=DIR", "write or write=DIR", "spawn"};

int flags_of(FileMode mode) {
  switch (mode) {
    case FileMode::kWrite: return O_WRONLY | O_CREAT | O_TRUNC;
    case FileMode::kAppend: return O_WRONLY | O_CREAT | O_APPEND;
    case FileMode::kRead: break;
  }
  return O_RDONLY;
}

// A name in a message; what would steer a terminal is not sent to it.
std::string printable(std::string name) {
  for (char& c : name)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  return name;
}

std::FILE* stream_on(int fd, const char* mode) {
  if (fd < 0) return nullptr;
  std::FILE* file = ::fdopen(fd, mode);
  if (file == nullptr) ::close(fd);
  return file;
}

}  // namespace

Gate::Files Gate::files_of(const std::vector<std::string>& folders) {
  Files files;
  for (const std::string& path : folders) {
    auto folder = std::make_shared<const Folder>(path);
    files.all = files.all || folder->is_root();
    files.below.push_back(std::move(folder));
  }
  return files;
}

Gate::Gate(const Grants& grants)
    : read_(files_of(grants.read)), write_(files_of(grants.write)), spawn_(grants.spawn) {}

Gate Gate::wide_open() { return Gate(Grants{{"/"}, {"/"}, true}); }

Gate Gate::shut() {
  Gate none;
  none.cure_ = Cure::kNone;
  return none;
}

Gate Gate::and_below(const std::string& folder) const {
  Gate more = *this;
  auto below = std::make_shared<const Folder>(folder);
  if (!below->is_root()) more.read_.below.push_back(std::move(below));
  return more;
}

Gate Gate::reading_only() const {
  Gate less;
  less.read_ = read_;
  less.cure_ = cure_ == Cure::kNone ? cure_ : Cure::kRun;
  return less;
}

void Gate::deny(WayOut way, const std::string& subject) const {
  std::string text = info(way).refusal;
  if (const std::size_t at = text.find('%'); at != std::string::npos) text.replace(at, 1, printable(subject));
  const Capability needs = info(way).needs;
  const std::string elsewhere = cure_ == Cure::kRun && needs != Capability::kRead ? "nvm run " : "";
  const std::string cure = elsewhere + "--allow " + kCures[static_cast<std::size_t>(needs)];
  throw Fault{Fault::Kind::kIo,
              text + " not permitted (" + (cure_ == Cure::kNone ? "--untrusted" : cure) + ")"};
}

const Gate::Files& Gate::files(WayOut way) const {
  return info(way).needs == Capability::kRead ? read_ : write_;
}

void Gate::check(WayOut way, const std::string& subject) const {
  if (info(way).needs == Capability::kSpawn) {
    if (!spawn_) deny(way, subject);
    return;
  }
  const Files& granted = files(way);
  const auto leads = [&](const auto& folder) {
    const auto rest = folder->rest_of(subject);
    if (!rest) return false;
    const int fd = folder->open(*rest, O_PATH);
    if (fd >= 0) ::close(fd);
    return fd >= 0 || errno != EXDEV;
  };
  if (!granted.all && std::none_of(granted.below.begin(), granted.below.end(), leads)) deny(way, subject);
}

int Gate::open_file(WayOut way, const std::string& path, int flags) const {
  const Files& granted = files(way);
  if (granted.all) return ::open(path.c_str(), flags | O_CLOEXEC, 0666);
  for (const auto& folder : granted.below) {
    const auto rest = folder->rest_of(path);
    if (!rest) continue;
    const int fd = folder->open(*rest, flags);
    if (fd >= 0 || errno != EXDEV) return fd;
  }
  deny(way, path);
}

std::FILE* Gate::open(WayOut way, const std::string& path, FileMode mode) const {
  return stream_on(open_file(way, path, flags_of(mode)), mode == FileMode::kRead    ? "r"
                                                         : mode == FileMode::kWrite ? "w"
                                                                                    : "a");
}

std::optional<std::string> Gate::read(WayOut way, const std::string& path) const {
  // What is no regular file is not waited for.
  const int fd = open_file(way, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  struct stat is {};
  const bool regular = fd >= 0 && ::fstat(fd, &is) == 0 && S_ISREG(is.st_mode);
  if (fd >= 0 && !regular) {
    ::close(fd);
    errno = S_ISDIR(is.st_mode) ? EISDIR : EINVAL;
    return std::nullopt;
  }
  std::FILE* file = stream_on(fd, "r");
  if (file == nullptr) return std::nullopt;
  auto text = read_rest(file);
  std::fclose(file);
  return text;
}

Spawned Gate::spawn(WayOut way, const std::string& command, std::FILE* const streams[3]) const {
  check(way, command);
  return vm::spawn(command, streams);
}

bool Gate::shell(WayOut way, const std::string& command) const {
  check(way, command);
  return std::system(command.c_str()) == 0;
}

}  // namespace nvm::vm
