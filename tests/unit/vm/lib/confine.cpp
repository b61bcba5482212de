// The walls of the kernel, each tried in a process of its own.
#include "vm/lib/confine.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>

#include "tests/support/temp_folder.h"

using namespace nvm::lib;
namespace fs = std::filesystem;

namespace {

// Whether `holds` is true in a copy of this process that is confined.
bool confined(const Confinement& to, const std::function<bool(const std::string& walls)>& holds) {
  const int child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) ::_exit(holds(confine(to)) ? 0 : 1);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool opens(const std::string& path, int flags) {
  const int fd = ::open(path.c_str(), flags, 0600);
  if (fd >= 0) ::close(fd);
  return fd >= 0;
}

}  // namespace

TEST_CASE("what the kernel has is asked for and holds", "[confine]") {
  const nvm::test::TempFolder folder("nvm_confine");
  const std::string in = folder.name() + "/in", out = folder.name() + "/out",
                    other = folder.name() + "/other";
  for (const std::string& made : {in, out, other}) {
    fs::create_directories(made);
    std::ofstream(made + "/file") << "text";
  }
  const Confinement to{{in}, {out}};
  CHECK(confined(to, [](const std::string& walls) {
    return (walls.empty() ? "none" : walls) == describe_confinement();
  }));
  CHECK(confined(to, [&](const std::string&) {
    return opens(in + "/file", O_RDONLY) && opens(out + "/new", O_WRONLY | O_CREAT) &&
           opens(out + "/file", O_RDWR);
  }));
  const bool files = describe_confinement().find("landlock") != std::string::npos;
  const bool calls = describe_confinement().find("seccomp") != std::string::npos;
  if (files)
    CHECK(confined(to, [&](const std::string&) {
      return !opens(other + "/file", O_RDONLY) && !opens(other + "/new", O_WRONLY | O_CREAT) &&
             !opens(in + "/file", O_WRONLY) && !opens("/etc/passwd", O_RDONLY);
    }));
  if (calls)
    CHECK(confined(to, [](const std::string&) {
      char name[] = "true";
      char* words[] = {name, nullptr};
      ::execv("/bin/true", words);
      return errno == EPERM && ::socket(AF_INET, SOCK_STREAM, 0) < 0;
    }));
}

TEST_CASE("compiled code still can be made behind the walls", "[confine]") {
  CHECK(confined({}, [](const std::string&) {
    constexpr std::size_t kPage = 4096;
    void* code = ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code == MAP_FAILED) return false;
    *static_cast<unsigned char*>(code) = 0xC3;  // ret
    if (::mprotect(code, kPage, PROT_READ | PROT_EXEC) != 0) return false;
    reinterpret_cast<void (*)()>(code)();
    return true;
  }));
}
