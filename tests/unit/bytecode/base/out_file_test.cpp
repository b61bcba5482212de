#include "bytecode/base/out_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "bytecode/base/read_file.h"

using namespace nvm;
namespace fs = std::filesystem;

namespace {

struct Folder {
  fs::path path;
  Folder() {
    char name[] = "/tmp/nvm_out_file_XXXXXX";
    REQUIRE(::mkdtemp(name) != nullptr);
    path = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  [[nodiscard]] std::string file(const std::string& name) const { return (path / name).string(); }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
};

void put(const std::string& path, const std::string& text) {
  OutFile out(path);
  out.write(text);
  REQUIRE(out.finish());
}

}  // namespace

TEST_CASE("a file has its name when it is whole, and not before") {
  const Folder folder;
  const std::string path = folder.file("a.txt");
  {
    OutFile out(path);
    out.write("half");
    CHECK(folder.files() == 0);
  }
  CHECK(folder.files() == 0);
  put(path, "old");
  {
    OutFile out(path);
    out.write(std::string(1 << 20, 'x'));
    CHECK(read_all(path) == "old");
  }
  CHECK(read_all(path) == "old");
  put(path, "new");
  CHECK(read_all(path) == "new");
  CHECK(folder.files() == 1);
}

TEST_CASE("long and short pieces come in order, also by stdio") {
  const Folder folder;
  const std::string path = folder.file("a");
  OutFile out(path);
  std::string all;
  for (const std::size_t n : {0, 1, 65535, 65536, 65537, 3, 200000, 1}) {
    const std::string piece(n, static_cast<char>('a' + n % 26));
    out.write(piece);
    all += piece;
  }
  REQUIRE(out.finish());
  CHECK(read_all(path) == all);
  OutFile by_stdio(path);
  REQUIRE(by_stdio.stream() != nullptr);
  std::fputs("text", by_stdio.stream());
  REQUIRE(by_stdio.finish());
  CHECK(read_all(path) == "text");
}

TEST_CASE("a log is there under another name while it grows") {
  const Folder folder;
  const std::string path = folder.file("log");
  OutFile out(path, OutFile::Kind::kLog);
  out.write("one");
  CHECK(read_all(path + ".part") == "one");
  CHECK_FALSE(fs::exists(path));
  REQUIRE(out.finish());
  CHECK(read_all(path) == "one");
  CHECK(folder.files() == 1);
}

TEST_CASE("links lead to the file that is replaced, and permissions stay") {
  const Folder folder;
  put(folder.file("real"), "old");
  REQUIRE(::chmod(folder.file("real").c_str(), 0640) == 0);
  fs::create_symlink("real", folder.file("link"));
  fs::create_symlink("fresh", folder.file("dangling"));
  put(folder.file("link"), "new");
  CHECK(fs::is_symlink(folder.file("link")));
  CHECK(read_all(folder.file("real")) == "new");
  CHECK((fs::status(folder.file("real")).permissions() & fs::perms::all) == static_cast<fs::perms>(0640));
  put(folder.file("dangling"), "made");
  CHECK(read_all(folder.file("fresh")) == "made");
  fs::create_symlink("round", folder.file("round"));
  CHECK(OutFile(folder.file("round")).error() == ELOOP);
}

TEST_CASE("what cannot be written is known at once") {
  const Folder folder;
  CHECK(OutFile(folder.file("none/a")).error() == ENOENT);
  CHECK(OutFile(folder.path.string()).error() == EISDIR);
  CHECK(OutFile(folder.file("new/")).error() != 0);
  CHECK(OutFile("").error() == ENOENT);
  CHECK(OutFile(folder.file(std::string(300, 'n'))).error() != 0);
  OutFile full("/dev/full");
  CHECK(full.error() == 0);
  full.write("1");
  CHECK_FALSE(full.finish());
  CHECK(full.why() == "/dev/full: cannot be written: No space left on device");
}

TEST_CASE("a stream that is open already is written to behind what it has") {
  const Folder folder;
  put(folder.file("a"), "old");
  const int fd = ::open(folder.file("a").c_str(), O_RDWR | O_APPEND | O_CLOEXEC);
  REQUIRE(fd >= 0);
  put("/proc/self/fd/" + std::to_string(fd), "new");
  CHECK(read_all(folder.file("a")) == "oldnew");
  ::close(fd);
}

TEST_CASE("a process that is killed leaves no file that is not whole") {
  const Folder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    OutFile out(folder.file("a"));
    out.write(std::string(1 << 20, 'x'));
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  for (const auto& entry : fs::directory_iterator(folder.path)) CHECK(entry.path().extension() == ".part");
}

TEST_CASE("texts are parted, and files are read as far as wanted") {
  CHECK(parts_of("a,,b,", ',').size() == 4);
  CHECK(parts_of("", ',').size() == 1);
  CHECK(lines_of("a\nb").size() == 2);
  CHECK(lines_of("a\nb\n\n").size() == 3);
  CHECK(lines_of("").empty());
  const Folder folder;
  put(folder.file("a"), "text");
  CHECK(read_all(folder.file("a"), 2) == "te");
  CHECK_FALSE(read_all(folder.path.string()));
  CHECK(errno == EISDIR);
  CHECK_FALSE(read_all(folder.file("none")));
  CHECK(errno == ENOENT);
  CHECK(read_all("/proc/self/stat").value_or("").size() > 10);  // says that it is empty
}

TEST_CASE("a file that is cut off while it is read is not taken for a shorter one") {
  const Folder folder;
  const std::string path = folder.file("in");
  for (const std::size_t length : {std::size_t{200'000}, std::size_t{10}, std::size_t{0}}) {
    put(path, std::string(200'000, 'x'));
    InFile file(path);
    char some[10];
    REQUIRE(file.read(some, sizeof some) == sizeof some);
    fs::resize_file(path, length);
    const std::string rest = file.rest();
    CHECK(file.error() == (length < 200'000 ? kCutOff : 0));
    CHECK(rest.size() == (length < 200'000 ? 0 : 199'990));
  }
  put(path, std::string(100, 'x'));
  InFile whole(path);
  CHECK(whole.rest(50).size() == 50);
  fs::resize_file(path, 200);  // what grows is read as far as it goes
  CHECK(whole.rest().size() == 150);
  CHECK(whole.error() == 0);
  CHECK(unread_because(kCutOff) == "was cut off while it was read");
  CHECK(read_all("/sys/devices/system/cpu/online").value_or("x").find_first_of("0123456789") == 0);
}
