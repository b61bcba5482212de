// Limits on what the library does outside of runs.
#include <catch2/catch.hpp>

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "vm/lib/nesl.hpp"

using namespace nvm::lib;

namespace {

constexpr std::uint64_t kMega = 1 << 20;

std::string many(const std::string& before, const std::string& text, int times, const std::string& behind) {
  std::string all = before;
  for (int i = 0; i < times; ++i) all += text;
  return all + behind;
}

// NESL and VCODE that take some 300 MB, or some seconds, to be made into programs.
std::string long_nesl() { return many("x = [1", ",1", 1'000'000, "];\n"); }
std::string long_vcode() {
  return many("FUNC MAIN\nCONST INT 1\n", "CONST INT 1\n+ INT\n", 300'000, "RET\n");
}

}  // namespace

TEST_CASE("time that is up ends loading, compiling and files with a failure", "[lib]") {
  const std::string nesl_text = long_nesl(), vcode = long_vcode();
  std::ostringstream out, err;
  Nesl nesl(NeslOptions(), out, err);
  {
    const Limits limits(0, 1e-9);
    auto program = Program::from_text(vcode, "p");
    REQUIRE_FALSE(program);
    CHECK(program.failure().message.find("time limit reached") != std::string::npos);
    CHECK(nesl.run_text(nesl_text, "p") == NeslStatus::kRunError);
    CHECK(err.str().find("time limit reached") != std::string::npos);
  }
  err.str("");
  CHECK(nesl.run_text("x = 1;\n#[x, x];\n", "p") == NeslStatus::kOk);
  CHECK(err.str().empty());
  CHECK(Program::from_text("FUNC MAIN\nCONST INT 1\nRET\n", "p"));
}

TEST_CASE("a session's time is that of each call", "[lib]") {
  NeslOptions options;
  options.vm.time_limit = 0.2;
  std::ostringstream out, err;
  Nesl nesl(options, out, err);
  for (int i = 0; i < 2; ++i) {
    CHECK(nesl.run_text("function fn(i) = if i == 0 then 0 else fn(i);\nfn(1);\n", "p") ==
          NeslStatus::kRunError);
    CHECK(nesl.run_text("6 * 7;\n", "p") == NeslStatus::kOk);
  }
  CHECK(out.str() == "it = 42 : int\nit = 42 : int\n");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // whose heap tells no sizes
TEST_CASE("memory that is used up ends loading and compiling with a failure", "[lib]") {
  const std::string nesl_text = long_nesl(), vcode = long_vcode();
  const Limits limits(40 * kMega, 0);
  std::ostringstream out, err;
  Nesl nesl(NeslOptions(), out, err);
  CHECK(nesl.run_text(nesl_text, "p") == NeslStatus::kRunError);
  CHECK(err.str().find("out of memory") != std::string::npos);
  auto program = Program::from_text(vcode, "p");
  REQUIRE_FALSE(program);
  CHECK(program.failure().message.find("out of memory") != std::string::npos);
  err.str("");
  const NeslStatus status = nesl.run_text("x = 1;\n", "p");
  INFO(err.str());
  CHECK(status == NeslStatus::kOk);
}

TEST_CASE("memory that open calls use up is said to be theirs, whatever asks for the last of it", "[lib]") {
  for (const std::size_t mega : {150, 200, 256, 300, 400}) {
    INFO(mega << " MiB");
    const Limits limits(mega * kMega, 0);
    std::ostringstream out, err;
    Nesl nesl(NeslOptions(), out, err);
    CHECK(nesl.run_text("function r(x) : int -> int = r(x) + 1;\nr(1);\n", "p") == NeslStatus::kRunError);
    INFO(err.str());
    CHECK(err.str().find("recursion limit: open calls") != std::string::npos);
  }
}

TEST_CASE("what a failed call has given back is not held against the next one", "[lib]") {
  // So many free pieces that the C library takes long to say what is in use.
  std::vector<std::unique_ptr<char[]>> pieces;
  for (int i = 0; i < 100'000; ++i) pieces.push_back(std::make_unique<char[]>(2000));
  for (std::size_t i = 0; i < pieces.size(); i += 2) pieces[i].reset();
  const std::string text = long_nesl();
  const Limits limits(40 * kMega, 0);
  std::ostringstream out, err;
  Nesl nesl(NeslOptions(), out, err);
  for (int i = 0; i < 3; ++i) {
    CHECK(nesl.run_text(text, "p") == NeslStatus::kRunError);
    err.str("");
    const NeslStatus status = nesl.run_text(many("x = [1", ",1", 200, "];\n"), "p");
    INFO(err.str());
    CHECK(status == NeslStatus::kOk);
  }
}
#endif

TEST_CASE("machines made within limits share their memory", "[lib]") {
  const Limits limits(40 * kMega, 0);
  auto program = Program::from_text(
      "FUNC MAIN\nCONST FLOAT (1.5)\nCONST INT 3000000\nMAKE_SEGDES\nDIST FLOAT\nRET\n", "p");
  REQUIRE(program);
  Vm first, second;
  auto one = first.run(*program);
  REQUIRE(one);
  auto other = second.run(*program);
  CHECK_FALSE(other);
}

// What does not fit is told with what would have.
TEST_CASE("ranks as threads share the machine's memory", "[lib]") {
  const auto allowed = [](int ranks) {
    NeslOptions options;
    options.vm.ranks = ranks;
    std::ostringstream out, err;
    Nesl nesl(options, out, err);
    REQUIRE(nesl.run_text("sum({i * i : i in index(100000000000)}) $", "t.nesl") != NeslStatus::kOk);
    const std::string text = err.str();
    INFO(text);
    const std::size_t of = text.find(" of ", text.find("in use"));
    REQUIRE(of != std::string::npos);
    return std::stod(text.substr(of + 4));
  };
  CHECK(allowed(4) <= allowed(2) / 2 + 1);
}

TEST_CASE("more ranks than threads should be are refused", "[lib]") {
  NeslOptions options;
  options.vm.ranks = kMostRanks + 1;
  options.vm.threads = 1;
  std::ostringstream out, err;
  Nesl nesl(options, out, err);
  CHECK(nesl.run_text("rand(3) $", "t.nesl") != NeslStatus::kOk);
  CHECK(err.str().find("at most 256 ranks") != std::string::npos);
}
