// Sessions and machines with default options: nothing leaves the process.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/temp_folder.h"
#include "vm/lib/nesl.hpp"
#include "vm/lib/nvm.h"

using namespace nvm::lib;
namespace fs = std::filesystem;

namespace {

struct Place {
  nvm::test::TempFolder folder{"nvm_capabilities"};
  std::string inside = folder.name() + "/inside", outside = folder.name() + "/outside";
  std::string marker = outside + "/marker", secret = outside + "/secret.nesl", program = inside + "/p.nesl";
  Place() {
    fs::create_directories(inside);
    fs::create_directories(outside);
    std::ofstream(secret) << "s3cr3t = + ;\n";
    std::ofstream(inside + "/part.nesl") << "part = 5;\n";
  }
  [[nodiscard]] std::vector<std::string> texts() const {
    return {"shell \"touch " + marker + "\";",
            "set editor \"touch " + marker + " #\"; edit \"f\";",
            "dump world \"" + marker + "\";",
            "dump vcode \"" + marker + "\" 1 + 1;",
            "load \"" + secret + "\";",
            "load \"" + outside + "/secret\";",
            "y = write_string_to_file(\"a\", \"" + marker + "\");",
            "y = read_string_from_file(\"" + secret + "\"); y;",
            "y = shell_command(\"touch " + marker + "\", \"\");",
            "y = xps_make_ps_window(((0, 0), 9, 9), \"" + marker + "\");"};
  }
  [[nodiscard]] std::string fopen_text(int mode) const {
    return "FUNC MAIN CONST CHAR \"" + (mode == 1 ? secret : marker) + "\" CONST INT " +
           std::to_string(mode) + " FOPEN RET";
  }
};

struct Session {
  std::ostringstream out, err;
  Nesl nesl;
  explicit Session(const NeslOptions& options = {}) : nesl(options, out, err) {}
  [[nodiscard]] std::string said() const { return out.str() + err.str(); }
};

void check_held(const Place& place, const Session& session, const std::string& text) {
  INFO(text << "\n" << session.said());
  CHECK_FALSE(fs::exists(place.marker));
  CHECK(session.said().find("s3cr3t") == std::string::npos);
  CHECK(session.said().find("not permitted (--allow ") != std::string::npos);
}

}  // namespace

TEST_CASE("a session with default options does nothing outside", "[capabilities]") {
  const Place place;
  for (const std::string& text : place.texts()) {
    Session as_text;
    CHECK(as_text.nesl.run_text(text, "in") != NeslStatus::kOk);
    check_held(place, as_text, text);
    Session as_expression;
    CHECK(as_expression.nesl.run_expression(text) != NeslStatus::kOk);
    check_held(place, as_expression, text);
    std::ofstream(place.program) << text;
    Session as_file;
    CHECK(as_file.nesl.run_file(place.program) != NeslStatus::kOk);
    check_held(place, as_file, text);
  }
}

TEST_CASE("checking and compiling have no effects, whatever is allowed", "[capabilities]") {
  const Place place;
  NeslOptions all;
  all.vm.allow = {{"/"}, {"/"}, true};
  for (const std::string& text : place.texts()) {
    INFO(text);
    std::ofstream(place.program) << text << "\n1;\n";
    static_cast<void>(Session(all).nesl.check_file(place.program));
    std::vector<Message> messages;
    static_cast<void>(Session(all).nesl.check_file(place.program, &messages));
    Session compiling(all);
    compiling.nesl.compile_only();
    static_cast<void>(compiling.nesl.run_file(place.program));
    static_cast<void>(compiling.nesl.compile(""));
    Session looking(all);
    looking.nesl.forbid_effects();
    static_cast<void>(looking.nesl.run_file(place.program));
    CHECK_FALSE(fs::exists(place.marker));
  }
}

TEST_CASE("load reads below the program's folder", "[capabilities]") {
  const Place place;
  std::ofstream(place.program) << "load \"" + place.inside + "/part\"; part;\n";
  Session session;
  CHECK(session.nesl.run_file(place.program) == NeslStatus::kOk);
  CHECK(session.out.str() == "it = 5 : int\n");
  CHECK(session.nesl.run_text("load \"" + place.inside + "/part\";", "in") == NeslStatus::kRunError);
  NeslOptions options;
  options.vm.allow.read = {place.inside};
  CHECK(Session(options).nesl.run_text("load \"" + place.inside + "/part\";", "in") == NeslStatus::kOk);
  CHECK(Session(options).nesl.run_text("load \"" + place.secret + "\";", "in") == NeslStatus::kRunError);
}

TEST_CASE("what a user types is his own doing, what it loads is not", "[capabilities]") {
  const Place place;
  Session session;
  CHECK(session.nesl.run_typed("shell \"touch " + place.marker + "\";", "input") == NeslStatus::kOk);
  CHECK(fs::remove(place.marker));
  std::ofstream(place.program) << place.texts()[0];
  CHECK(session.nesl.run_typed("load \"" + place.program + "\";", "input") == NeslStatus::kRunError);
  CHECK(session.nesl.run_typed(place.texts()[6], "input") == NeslStatus::kRunError);
  CHECK(session.nesl.run_text(place.texts()[0], "input") == NeslStatus::kRunError);
  CHECK_FALSE(fs::exists(place.marker));
}

TEST_CASE("a machine with default options opens nothing, from C too", "[capabilities]") {
  const Place place;
  for (const int mode : {1, 2, 3}) {
    const std::string text = place.fopen_text(mode);
    auto program = Program::from_text(text, "t");
    REQUIRE(program);
    const auto run = Vm().run(*program);
    REQUIRE_FALSE(run);
    CHECK(run.failure().message.find("not permitted (--allow ") != std::string::npos);
    nvm_program* c_program = nvm_load_text(text.data(), text.size(), "t", nullptr);
    const nvm_options zero{};
    for (const nvm_options* options : {static_cast<const nvm_options*>(nullptr), &zero}) {
      nvm_vm* vm = nvm_new(options);
      CHECK(nvm_run(vm, c_program, nullptr, 0) == nullptr);
      CHECK(std::string(nvm_error()).find("not permitted (--allow ") != std::string::npos);
      nvm_free(vm);
    }
    nvm_program_free(c_program);
  }
  CHECK_FALSE(fs::exists(place.marker));
}

TEST_CASE("folders are granted from C", "[capabilities]") {
  const Place place;
  const char* folders[] = {place.outside.c_str()};
  nvm_options options{};
  options.allow.write = folders;
  options.allow.write_count = 1;
  nvm_vm* vm = nvm_new(&options);
  const std::string text = place.fopen_text(2), read = place.fopen_text(1);
  nvm_program* program = nvm_load_text(text.data(), text.size(), "t", nullptr);
  nvm_results* results = nvm_run(vm, program, nullptr, 0);
  CHECK(results != nullptr);
  CHECK(fs::exists(place.marker));
  nvm_results_free(results);
  nvm_program_free(program);
  program = nvm_load_text(read.data(), read.size(), "t", nullptr);
  CHECK(nvm_run(vm, program, nullptr, 0) == nullptr);
  nvm_program_free(program);
  nvm_free(vm);
  options.allow.write_count = -1;
  CHECK(nvm_new(&options) == nullptr);
}

TEST_CASE("checking runs nothing, not even what is evaluated in the background", "[capabilities]") {
  const Place place;
  std::ofstream(place.program)
      << "function forever(n) : int -> int = forever(n + 1);\nx &= forever(1);\nget x;\nx + 1;\n";
  Session session;
  CHECK(session.nesl.check_file(place.program) == NeslStatus::kOk);
}

TEST_CASE("an untrusted program gets nothing, and its limits", "[capabilities]") {
  Options options;
  options.untrusted = true;
  options.time_limit = 7;
  const Options limits = untrusted_limits(options);
  CHECK(limits.memory == std::uint64_t{1} << 30);
  CHECK(limits.time_limit == 7);
  CHECK(limits.fuel > 0);
  CHECK(limits.output_limit > 0);
  CHECK(untrusted_limits({}).fuel == 0);
  options.fuel = 1000;
  auto run = Vm(options).run(*Program::from_text("FUNC MAIN CALL MAIN RET", "t"));
  REQUIRE_FALSE(run);
  CHECK(run.failure().reason == "fuel used up: more work than allowed (--fuel)");
  options.allow.read = {"/"};
  run = Vm(options).run(*Program::from_text("FUNC MAIN CONST INT 1 RET", "t"));
  REQUIRE_FALSE(run);
  CHECK(run.failure().message.find("nothing can be allowed") != std::string::npos);
  NeslOptions session;
  session.vm.untrusted = true;
  session.arg_check = false;
  Session unchecked(session);
  CHECK(unchecked.nesl.run_text("[1, 2][7];", "in") == NeslStatus::kRunError);
  CHECK(unchecked.nesl.run_typed("shell \"true\";", "in") == NeslStatus::kRunError);
  CHECK(unchecked.nesl.run_text("set arg_check off;", "in") == NeslStatus::kRunError);
}

TEST_CASE("all runs of a machine share its fuel", "[capabilities]") {
  Options options;
  options.fuel = 3000;
  auto program =
      Program::from_text("FUNC MAIN CONST INT 5 CONST INT 1000 MAKE_SEGDES DIST INT RAND RET", "t");
  REQUIRE(program);
  Vm vm(options);
  int runs = 0;
  while (runs < 100 && vm.run(*program)) ++runs;
  CHECK(runs < 100);
  CHECK_FALSE(vm.run(*program));
}

TEST_CASE("results count as output", "[capabilities]") {
  NeslOptions options;
  options.vm.output_limit = 100;
  options.interactive = true;
  Session session(options);
  CHECK(session.nesl.run_text("{1 : i in [0:20]};", "in") == NeslStatus::kOk);
  CHECK(session.nesl.run_text("{1 : i in [0:20]};", "in") == NeslStatus::kRunError);
  CHECK(session.out.str().size() <= 100);
  CHECK(session.err.str().find("output limit") != std::string::npos);
}

TEST_CASE("a text that is no file loads what is in the current folder only where a folder is given",
          "[capabilities]") {
  const Place place;
  const fs::path before = fs::current_path();
  fs::current_path(place.outside);
  for (const char* text : {"load \"secret.nesl\";", "import \"secret\";"}) {
    Session session;
    CHECK(session.nesl.run_text(text, "in") != NeslStatus::kOk);
    CHECK(session.nesl.run_script(text, "in") != NeslStatus::kOk);
    check_held(place, session, text);
  }
  fs::current_path(place.inside);
  NeslOptions here;
  here.folder = ".";
  CHECK(Session(here).nesl.run_text("load \"part.nesl\";", "in") == NeslStatus::kOk);
  fs::current_path(before);
}
