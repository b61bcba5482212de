#include "vm/interp/gate.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>

#include "tests/support/temp_folder.h"
#include "vm/data/value.h"

using namespace nvm::vm;
namespace fs = std::filesystem;

namespace {

// in/: granted; out/: not. Links from in/ lead there and back.
struct Tree {
  nvm::test::TempFolder folder{"nvm_gate"};
  std::string in = folder.name() + "/in", out = folder.name() + "/out";
  Tree() {
    fs::create_directories(in + "/sub");
    fs::create_directories(out);
    write(in + "/file", "inside");
    write(in + "/sub/deep", "deep");
    write(out + "/secret", "secret");
    fs::create_symlink("../out/secret", in + "/relative");
    fs::create_symlink(out + "/secret", in + "/absolute");
    fs::create_symlink("../out", in + "/folder");
    fs::create_symlink("sub/deep", in + "/good");
    fs::create_symlink("/proc/self/root" + out + "/secret", in + "/magic");
    fs::create_symlink("../out/new", in + "/dangling");
    fs::create_directory_symlink(in, out + "/back");
  }
  static void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
};

std::string opened(const Gate& gate, const std::string& path, WayOut way = WayOut::kReadFile) {
  try {
    const auto text = gate.read(way, path);
    return text ? *text : "errno";
  } catch (const Fault&) {
    return "refused";
  }
}

bool refuses(const Gate& gate, WayOut way, const std::string& path, FileMode mode) {
  try {
    if (std::FILE* file = gate.open(way, path, mode)) std::fclose(file);
  } catch (const Fault&) {
    return true;
  }
  return false;
}

const char* const kAway[] = {"/relative",
                             "/absolute",
                             "/folder/secret",
                             "/../out/secret",
                             "/sub/../../out/secret",
                             "/magic",
                             "/sub/../folder/secret"};

}  // namespace

TEST_CASE("nothing passes a gate without grants", "[gate]") {
  const Gate gate;
  CHECK(opened(gate, "/dev/null") == "refused");
  CHECK(opened(gate, "/no/such/file") == "refused");  // whether it is there is not told
  CHECK(refuses(gate, WayOut::kWriteFile, "/no/such/file", FileMode::kWrite));
  CHECK_THROWS_AS(gate.shell(WayOut::kShell, "true"), Fault);
}

TEST_CASE("a granted folder is what lies below it, whatever names lead to", "[gate]") {
  const Tree tree;
  const Gate gate(Grants{{tree.in}, {}, false});
  CHECK(opened(gate, tree.in + "/file") == "inside");
  CHECK(opened(gate, tree.in + "/./sub//deep") == "deep");
  CHECK(opened(gate, tree.in + "/good") == "deep");
  CHECK(opened(gate, tree.in + "/sub/../file") == "inside");
  CHECK(opened(gate, tree.out + "/back/file") == "inside");
  CHECK(opened(gate, tree.in + "/folder/../in/file") == "inside");
  CHECK(opened(gate, tree.in + "/none") == "errno");
  CHECK(opened(gate, tree.in) == "errno");  // no regular file
  for (const char* name : kAway) {
    INFO(name);
    CHECK(opened(gate, tree.in + name) == "refused");
    CHECK_THROWS_AS(gate.check(WayOut::kReadFile, tree.in + name), Fault);
  }
  CHECK(opened(gate, tree.out + "/secret") == "refused");
  CHECK(opened(gate, tree.in + "x") == "refused");
  CHECK(opened(gate, tree.in + std::string("\0/../out", 8)) == "refused");
  CHECK(opened(gate, "") == "refused");
  CHECK(refuses(gate, WayOut::kWriteFile, tree.in + "/file", FileMode::kAppend));
}

TEST_CASE("what is written stays below the granted folder", "[gate]") {
  const Tree tree;
  const Gate gate(Grants{{}, {tree.in}, false});
  CHECK_FALSE(refuses(gate, WayOut::kWriteFile, tree.in + "/new", FileMode::kWrite));
  CHECK(fs::exists(tree.in + "/new"));
  CHECK_FALSE(refuses(gate, WayOut::kWriteFile, tree.in + "/good", FileMode::kWrite));
  CHECK(fs::file_size(tree.in + "/sub/deep") == 0);
  for (const char* name : {"/relative", "/absolute", "/dangling", "/folder/new", "/../out/new"})
    for (const FileMode mode : {FileMode::kWrite, FileMode::kAppend}) {
      INFO(name);
      CHECK(refuses(gate, WayOut::kWriteFile, tree.in + name, mode));
    }
  CHECK(fs::file_size(tree.out + "/secret") == 6);
  CHECK_FALSE(fs::exists(tree.out + "/new"));
  CHECK(opened(gate, tree.in + "/file") == "refused");
}

TEST_CASE("a granted folder stays the same one when its name is given to another", "[gate]") {
  const Tree tree;
  const Gate gate(Grants{{tree.in}, {}, false});
  fs::rename(tree.in, tree.in + "_old");
  fs::create_directory_symlink(tree.out, tree.in);
  CHECK(opened(gate, tree.in + "/secret") == "refused");
  CHECK(opened(gate, tree.in + "_old/file") == "inside");
}

TEST_CASE("the root of all files is granted by name only", "[gate]") {
  CHECK(opened(Gate().and_below("/"), "/etc/passwd") == "refused");
  CHECK(opened(Gate().and_below("/proc/self/root"), "/etc/passwd") == "refused");
  CHECK(opened(Gate().and_below("/etc"), "/etc/passwd") != "refused");
  CHECK(opened(Gate(Grants{{"/"}, {}, false}), "/etc/passwd") != "refused");
  CHECK(opened(Gate(Grants{{"/no/such/folder"}, {}, false}), "/no/such/folder/x") == "refused");
}

TEST_CASE("without the kernel's help no links are followed", "[gate]") {
  const Tree tree;
  const Folder folder(tree.in);
  const auto by_steps = [&](const std::string& rest) {
    const int fd = folder.open(rest, O_RDONLY, false);
    if (fd < 0) return errno;
    ::close(fd);
    return 0;
  };
  CHECK(by_steps("file") == 0);
  CHECK(by_steps("./sub//deep") == 0);
  CHECK(by_steps("sub/") == 0);
  CHECK(by_steps(".") == 0);
  CHECK(by_steps("none") == ENOENT);
  CHECK(by_steps("file/x") == ENOTDIR);
  for (const char* name :
       {"relative", "absolute", "good", "..", "sub/..", "../out/secret", "sub/../../out/secret"}) {
    INFO(name);
    CHECK(by_steps(name) == EXDEV);
  }
  CHECK(by_steps("folder/secret") != 0);
  CHECK(by_steps("/etc/passwd") == EXDEV);
}

TEST_CASE("a gate that only reads says where else it can be done", "[gate]") {
  const Gate gate = Gate::wide_open().reading_only();
  CHECK(opened(gate, "/etc/passwd") != "refused");
  try {
    gate.check(WayOut::kShell, "true");
    FAIL("it was let through");
  } catch (const Fault& fault) {
    CHECK(fault.message == "shell not permitted (nvm run --allow spawn)");
  }
}
