// Calls of what another call uses, from a callback of that call or from another thread; and of what is gone.
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <streambuf>
#include <string>
#include <thread>
#include <vector>

#include "vm/lib/array.hpp"
#include "vm/lib/nesl.hpp"
#include "vm/lib/nvm.h"
#include "vm/lib/nvm.hpp"
#include "vm/lib/profile.hpp"
#include "vm/lib/remora.hpp"

using namespace nvm::lib;

namespace {

constexpr char kSays[] = "FUNC MAIN CONST CHAR \"x\" WRITE CHAR POP 1 0 CONST INT 7 RET";
constexpr char kForever[] =
    "FUNC MAIN CONST INT 0 CALL G RET\n"
    "FUNC G CONST INT 1 + INT COPY 1 0 CONST INT -1 = INT IF ELSE CALL G ENDIF RET";

Program load(const std::string& text) {
  auto program = Program::from_text(text, "t.vcode");
  if (!program) FAIL(program.failure().message);
  return *program;
}

// A file whose owner is called when something is written to it.
class Told {
 public:
  explicit Told(std::function<void()> then) : then_(std::move(then)) {
    cookie_io_functions_t calls{};
    calls.write = [](void* told, const char*, std::size_t n) {
      static_cast<Told*>(told)->then_();
      return static_cast<ssize_t>(n);
    };
    file_ = ::fopencookie(this, "w", calls);
  }
  ~Told() { std::fclose(file_); }
  Told(const Told&) = delete;
  Told& operator=(const Told&) = delete;
  [[nodiscard]] std::FILE* file() const { return file_; }

 private:
  std::function<void()> then_;
  std::FILE* file_;
};

// A stream in which the same happens.
class ToldStream final : public std::streambuf {
 public:
  explicit ToldStream(std::function<void()> then) : then_(std::move(then)) {}
  std::string text;

 protected:
  int overflow(int c) override {
    then_();
    if (c != traits_type::eof()) text += static_cast<char>(c);
    return traits_type::not_eof(c);
  }

 private:
  std::function<void()> then_;
};

bool says_busy(const std::string& why) { return why.starts_with("busy"); }

}  // namespace

TEST_CASE("a callback of a run finds the machine busy, and the run goes on", "[lib]") {
  const Program program = load(kSays);
  std::optional<Vm> vm;
  std::string said;
  const Told told([&] {
    const auto again = vm->run(program);
    said = again ? "ran" : again.failure().reason;
    vm->forbid_effects();  // of later runs
    static_cast<void>(vm->may_write(1));
  });
  Options options;
  options.out = options.err = told.file();
  vm.emplace(options);
  auto run = vm->run(program);
  REQUIRE(run);
  CHECK(run->values.back().int_at(0) == 7);
  CHECK(says_busy(said));
}

TEST_CASE("what a run uses may go meanwhile: it lives until the run has ended", "[lib]") {
  std::optional<Program> program = load(kSays);
  std::optional<Vm> vm;
  auto values = std::make_unique<std::vector<Value>>();
  const Told told([&] {
    vm.reset();
    program.reset();
    values.reset();
  });
  Options options;
  options.out = options.err = told.file();
  vm.emplace(options);
  auto run = vm->run(*program, *values);
  REQUIRE(run);
  CHECK(run->values.back().text() == "( 7 )\n");
}

TEST_CASE("limits may begin and end in a callback, in any order", "[lib]") {
  const Program program = load(kSays), forever = load(kForever);
  auto outer = std::make_unique<Limits>(0, 1000.0);
  std::unique_ptr<Limits> inner;
  const Told told([&] {
    inner = std::make_unique<Limits>(0, 0.05);
    outer.reset();
  });
  Options options;
  options.out = options.err = told.file();
  Vm vm(options);
  REQUIRE(vm.run(program));
  auto late = vm.run(forever);  // what was begun holds
  REQUIRE_FALSE(late);
  CHECK(late.failure().cause == Failure::Cause::kTime);
  inner.reset();
  CHECK(vm.run(program));
}

TEST_CASE("limits of C that do not end where they were begun", "[lib]") {
  const Program program = load(kSays);
  nvm_limits* outer = nvm_limits_begin(0, 1000);
  nvm_limits* inner = nullptr;
  const Told told([&] {
    if (outer == nullptr) return;
    CHECK(nvm_limits_end(outer) == 0);
    outer = nullptr;
    inner = nvm_limits_begin(0, 1000);
  });
  Options options;
  options.out = options.err = told.file();
  Vm vm(options);
  REQUIRE(vm.run(program));
  CHECK(nvm_limits_end(inner) == 0);
  CHECK(vm.run(program));
}

TEST_CASE("a watcher watches one run at a time", "[lib]") {
  const Program program = load(kSays);
  auto made = Profiler::make({});
  REQUIRE(made);
  Options watched;
  watched.watchers.push_back(*made);
  std::string said;
  const Told told([&] {
    Options quiet;
    quiet.watchers = watched.watchers;
    const auto other = Vm(quiet).run(program);
    said = other ? "ran" : other.failure().reason;
  });
  watched.out = watched.err = told.file();
  Vm vm(watched);
  CHECK(vm.run(program));
  CHECK(says_busy(said));
}

TEST_CASE("what is gone, or was not made, is refused", "[lib]") {
  Program program = load(kSays);
  Vm vm, other(std::move(vm));
  const auto moved = vm.run(program);  // NOLINT(bugprone-use-after-move): that is the question
  REQUIRE_FALSE(moved);
  CHECK(moved.failure().reason.find("moved") != std::string::npos);
  vm.cancel();
  vm.forbid_effects();
  CHECK_FALSE(vm.may_write(1));
  const Program gone = std::move(program);
  const auto again = other.run(program);  // NOLINT(bugprone-use-after-move): to move is to copy
  CHECK(again);
  const auto none = other.run(Program(nullptr));
  REQUIRE_FALSE(none);
  CHECK(none.failure().reason == "there is no program");
  ValueFile file("/dev/null"), elsewhere(std::move(file));
  CHECK(file.refuses(Kind::kInt).value_or("") != "");  // NOLINT(bugprone-use-after-move)
  CHECK(file.write(Value(nullptr)).value_or("") != "");
  CHECK(file.path().empty());
  CHECK_FALSE(elsewhere.refuses(Kind::kInt));
  const auto nothing = other.run(gone, std::vector{Value(nullptr)});
  REQUIRE_FALSE(nothing);
}

TEST_CASE("a file is written once", "[lib]") {
  ValueFile file("npy:/dev/null");
  const std::int64_t numbers[] = {1, 2};
  CHECK_FALSE(file.write(make_ints(numbers)));
  CHECK(file.write(make_ints(numbers)).value_or("") != "");
}

TEST_CASE("streams that are not there", "[lib]") {
  Options options;
  options.in = options.out = options.err = nullptr;
  Vm vm(options);
  static_cast<void>(vm.run(load(kSays)));
  static_cast<void>(vm.run(load("FUNC MAIN READ INT RET")));
  static_cast<void>(vm.run(load("FUNC MAIN CONST CHAR \"x\" CONST INT 1 FWRITE CHAR RET")));
  static_cast<void>(vm.run(load("FUNC MAIN CONST CHAR \"x\" CONST INT 2 FWRITE CHAR RET")));
  CHECK(vm.run(load("FUNC MAIN CONST INT 7 RET")));
}

TEST_CASE("all of a session is busy in its callbacks", "[lib]") {
  std::unique_ptr<Nesl> nesl;
  std::vector<std::string> free;  // what was not refused
  bool inside = false;
  ToldStream shown([&] {
    if (inside) return;
    inside = true;
    const auto expect = [&](const char* what, bool refused) {
      if (!refused) free.emplace_back(what);
    };
    const auto status = [&](const char* what, NeslStatus s) { expect(what, s == NeslStatus::kBusy); };
    const auto answer = [&](const char* what, const std::optional<std::string>& s) {
      expect(what, s && says_busy(*s));
    };
    status("run_file", nesl->run_file("/dev/null"));
    status("load_file", nesl->load_file("/dev/null"));
    status("run_script", nesl->run_script("1;", "s"));
    status("run_text", nesl->run_text("1;", "s"));
    status("run_typed", nesl->run_typed("1;", "s"));
    status("run_expression", nesl->run_expression("1"));
    status("check_file", nesl->check_file("/dev/null"));
    status("check_script", nesl->check_script("1;", "s"));
    answer("bind_file", nesl->bind_file("v", "1"));
    answer("bind_text", nesl->bind_text("v", "1"));
    answer("bind", nesl->bind("v", "int", std::vector<Value>{}));
    ValueFile file("/dev/null");
    answer("save_file", nesl->save_file("it", file));
    answer("refuses", nesl->refuses({}, "it", file));
    const auto defined = nesl->define("a = 1;", "s");
    expect("define", !defined && says_busy(defined.failure().reason));
    const auto called = nesl->call("sum", std::vector<NeslValue>{});
    expect("call", !called && says_busy(called.failure().reason));
    expect("length", !nesl->length("v"));
    expect("compile", !nesl->compile("1"));
    expect("listing", !nesl->listing("1", "a"));
    expect("prepare", !nesl->prepare("1"));
    expect("names", nesl->names().empty());
    expect("explanation", nesl->explanation().empty());
    expect("counters", nesl->counters().instructions == 0);
    nesl->compile_only();
    nesl->forbid_effects();
    nesl->machine().cancel();
  });
  std::ostream out(&shown), err(nullptr);
  nesl = std::make_unique<Nesl>(NeslOptions{}, out, err);
  CHECK(nesl->run_expression("{x * x : x in [1, 2, 3]}") == NeslStatus::kOk);
  CHECK(inside);
  CHECK(free.empty());
  for (const std::string& what : free) UNSCOPED_INFO(what);
  CHECK(shown.text == "it = [1, 4, 9] : [int]\n");
}

TEST_CASE("a session that goes in its own callback lives until the call has ended", "[lib]") {
  const auto close_in_callback = [](auto make, auto expression) {
    decltype(make(std::declval<std::ostream&>())) session;
    ToldStream shown([&] { session.reset(); });
    std::ostream out(&shown);
    session = make(out);
    auto* const plain = session.get();
    CHECK(plain->run_expression(expression) == NeslStatus::kOk);
    CHECK(session == nullptr);
    CHECK(shown.text.find('7') != std::string::npos);
  };
  std::ostream nowhere(nullptr);
  close_in_callback([&](std::ostream& out) { return std::make_unique<Nesl>(NeslOptions{}, out, nowhere); },
                    "[6, 7]");
  close_in_callback([&](std::ostream& out) { return std::make_unique<Remora>(NeslOptions{}, out, nowhere); },
                    "[6 7]");
}

TEST_CASE("threads that use one session of C: each call is done whole, or busy", "[lib]") {
  nvm_nesl* session = nvm_nesl_new(nullptr);
  REQUIRE(nvm_nesl_define(session, "function twice(x) = x + x;", 26, "d") == 0);
  std::atomic<int> wrong{0}, done{0};
  const auto work = [&](int seed) {
    for (int i = 0; i < 200; ++i) {
      if ((i + seed) % 3 == 0) {
        const std::string text =
            (i + seed) % 2 == 0 ? "function twice(x) = x + x;" : "function wrong(x) = y;";
        if (nvm_nesl_define(session, text.data(), text.size(), "d") != 0 && *nvm_error() == '\0') ++wrong;
        continue;
      }
      nvm_nesl_value* argument = nvm_nesl_int(21);
      nvm_nesl_value* result = nvm_nesl_call(session, "twice", &argument, 1);
      if (result != nullptr) {
        nvm_value* part = nvm_nesl_part(result, 0);
        if (nvm_value_int(part, 0) != 42) ++wrong;
        nvm_value_free(part);
        ++done;
      } else if (!says_busy(nvm_error_reason())) {
        ++wrong;
      }
      nvm_nesl_value_free(result);
      nvm_nesl_value_free(argument);
    }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back(work, t);
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(done > 0);
  nvm_nesl_free(session);
}

TEST_CASE("machines of one account may come and go while another one runs", "[lib]") {
  const Limits limits(std::uint64_t{200} << 20, 0);
  const Program program = load(
      "FUNC MAIN CONST INT 0 CONST INT 1 CONST INT 1000000 MAKE_SEGDES INDEX CONST INT 1000000 MAKE_SEGDES "
      "+_REDUCE INT RET");
  Vm used;
  std::optional<Vm> others[4];
  for (auto& other : others) other.emplace();
  std::thread ends([&] {
    for (auto& other : others) other.reset();
  });
  for (int i = 0; i < 20; ++i) CHECK(used.run(program));
  ends.join();
}
