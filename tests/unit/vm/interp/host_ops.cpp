#include "vm/interp/host_ops.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include <catch2/catch.hpp>

#include "fixture.h"
#include "vm/interp/elements.h"

using namespace nvm;
using namespace nvm::vm;

namespace {

// Runs host instructions over one table of streams.
struct HostRig {
  explicit HostRig(Gate granted = Gate::wide_open())
      : gate(std::move(granted)), host(options(gate), pool, IntBits::k64) {}
  static HostOptions options(const Gate& gate) {
    HostOptions o;
    o.gate = &gate;
    return o;
  }

  std::vector<Value> run(Op op, TypeWord word, std::vector<Value> operands) {
    std::vector<Value> results(op_info(op).results.size());
    host.run(op, word, {7, 1}, operands, results);
    return results;
  }
  Value chars(std::string_view s) { return make_text(pool, s); }

  Gate gate;
  Pool pool;
  Host host;
};

std::int64_t number(const Value& v) { return std::get<Vector>(v).scalar_int(); }
bool good(const std::vector<Value>& results) { return std::get<Vector>(results.back()).scalar_bool(); }
std::string error(const std::vector<Value>& results) {
  return text_of(std::get<Vector>(results[results.size() - 2]));
}
std::string show(const Value& v) {
  std::string out;
  append_value(out, v);
  return out;
}

struct TemporaryFile {
  char path[32] = "/tmp/nvm-test-XXXXXX";
  TemporaryFile() { ::close(::mkstemp(path)); }
  ~TemporaryFile() { ::unlink(path); }
};

}  // namespace

TEST_CASE("what is written to a file is read back", "[host_ops]") {
  HostRig w;
  const TemporaryFile file;
  auto opened = w.run(Op::kFopen, TypeWord::kNone, {w.chars(file.path), Vector::of_int(2)});
  REQUIRE(good(opened));
  CHECK(number(opened[0]) == 3);
  const Value slot = opened[0];
  CHECK(good(w.run(Op::kFwrite, TypeWord::kFloat, {Vector::of_float(0.5), slot})));
  CHECK(good(w.run(Op::kFwrite, TypeWord::kChar, {w.chars("ab"), slot})));
  CHECK(good(w.run(Op::kFclose, TypeWord::kNone, {slot})));
  REQUIRE(good(w.run(Op::kFopen, TypeWord::kNone, {w.chars(file.path), Vector::of_int(1)})));
  CHECK(show(w.run(Op::kFread, TypeWord::kFloat, {slot})[0]) == "( 5.00000000000000e-01 )\n");
  const auto rest = w.run(Op::kFreadChar, TypeWord::kNone, {w.chars("b"), Vector::of_int(-1), slot});
  CHECK(show(rest[0]) == "( 10 97 )\n");
  CHECK(number(rest[1]) == 'b');
  CHECK(number(w.run(Op::kFreadChar, TypeWord::kNone, {w.chars(""), Vector::of_int(0), slot})[1]) == -2);
  CHECK(number(w.run(Op::kFreadChar, TypeWord::kNone, {w.chars(""), Vector::of_int(5), slot})[1]) == -1);
}

TEST_CASE("the lowest free slot is taken", "[host_ops]") {
  HostRig w;
  const auto open = [&w] {
    return number(w.run(Op::kFopen, TypeWord::kNone, {w.chars("/dev/null"), Vector::of_int(1)})[0]);
  };
  CHECK(open() == 3);
  CHECK(open() == 4);
  CHECK(good(w.run(Op::kFclose, TypeWord::kNone, {Vector::of_int(3)})));
  CHECK(open() == 3);
  CHECK(open() == 5);
}

TEST_CASE("slots that are not open and the null stream are results, not faults", "[host_ops]") {
  HostRig w;
  const std::string bad = "vinterp: line 7: illegal VCODE file descriptor for ";
  CHECK(error(w.run(Op::kFwrite, TypeWord::kInt, {Vector::of_int(1), Vector::of_int(9)})) ==
        bad + "FWRITE: 9");
  CHECK(error(w.run(Op::kFread, TypeWord::kInt, {Vector::of_int(300)})) == bad + "FREAD: 300");
  CHECK(error(w.run(Op::kFread, TypeWord::kChar, {Vector::of_int(-1)})) == bad + "FREAD: -1");
  CHECK(error(w.run(Op::kFclose, TypeWord::kNone, {Vector::of_int(-7)})) == bad + "FCLOSE: -7");
  CHECK(error(w.run(Op::kFreadChar, TypeWord::kNone, {w.chars(""), Vector::of_int(1), Vector::of_int(8)})) ==
        "illegal VCODE file descriptor in FREAD");
  CHECK(good(w.run(Op::kFread, TypeWord::kFloat, {Vector::of_int(-1)})));
  CHECK(good(w.run(Op::kFclose, TypeWord::kNone, {Vector::of_int(-1)})));
  CHECK_FALSE(good(w.run(Op::kFwrite, TypeWord::kInt, {Vector::of_int(1), Vector::of_int(-1)})));
}

TEST_CASE("the system's refusals are results", "[host_ops]") {
  HostRig w;
  const auto missing = w.run(Op::kFopen, TypeWord::kNone, {w.chars("no-such-dir/x"), Vector::of_int(1)});
  CHECK(number(missing[0]) == -1);
  CHECK(error(missing) == "No such file or directory");
  CHECK(error(w.run(Op::kFopen, TypeWord::kNone, {w.chars(std::string(5000, 'a')), Vector::of_int(1)})) ==
        "file name too long");
  CHECK_THROWS_AS(w.run(Op::kFopen, TypeWord::kNone, {w.chars("x"), Vector::of_int(4)}), Fault);
  CHECK_THROWS_AS(w.run(Op::kFclose, TypeWord::kNone, {w.chars("xy")}), Fault);
}

TEST_CASE("what is not permitted is not done", "[host_ops]") {
  HostRig w{Gate()};
  const auto refusal = [&w](Op op, const std::vector<Value>& operands) -> std::string {
    try {
      (void)w.run(op, TypeWord::kNone, operands);
    } catch (const Fault& fault) {
      return fault.message;
    }
    return "";
  };
  const Value none = Vector::of_int(-1);
  CHECK(refusal(Op::kFopen, {w.chars("/dev/null"), Vector::of_int(1)}) ==
        "reading /dev/null not permitted (--allow read or read=DIR)");
  CHECK(refusal(Op::kFopen, {w.chars("/dev/null"), Vector::of_int(3)}) ==
        "writing /dev/null not permitted (--allow write or write=DIR)");
  CHECK(refusal(Op::kSpawn, {w.chars("true"), none, none, none}) == "SPAWN not permitted (--allow spawn)");
}

TEST_CASE("a process talks through pipes", "[host_ops]") {
  HostRig w;
  const Value none = Vector::of_int(-1);
  const auto cat = w.run(Op::kSpawn, TypeWord::kNone, {w.chars("cat  -"), none, none, none});
  REQUIRE(good(cat));
  CHECK(number(cat[0]) == 5);
  CHECK(number(cat[1]) == 4);
  CHECK(number(cat[2]) == 3);
  CHECK(good(w.run(Op::kFwrite, TypeWord::kChar, {w.chars("hello"), cat[2]})));
  CHECK(good(w.run(Op::kFclose, TypeWord::kNone, {cat[2]})));
  CHECK(show(w.run(Op::kFreadChar, TypeWord::kNone, {w.chars(""), Vector::of_int(-1), cat[1]})[0]) ==
        show(w.chars("hello")));
  CHECK_FALSE(good(w.run(Op::kSpawn, TypeWord::kNone, {w.chars("no-such-program-here"), none, none, none})));
  const auto bad = w.run(Op::kSpawn, TypeWord::kNone, {w.chars("true"), none, Vector::of_int(99), none});
  CHECK_FALSE(good(bad));
  CHECK(number(bad[1]) == -2);
}

TEST_CASE("what is written to a process that has ended is an error, not the end of this one", "[host_ops]") {
  HostRig w;
  const Value none = Vector::of_int(-1);
  const auto gone = w.run(Op::kSpawn, TypeWord::kNone, {w.chars("true"), none, none, none});
  REQUIRE(good(gone));
  while (::waitpid(-1, nullptr, 0) > 0) {
  }
  const auto sent = w.run(Op::kFwrite, TypeWord::kChar, {w.chars("hello"), gone[2]});
  CHECK_FALSE(good(sent));
  CHECK(error(sent) == "Broken pipe");
  CHECK_FALSE(good(w.run(Op::kFwrite, TypeWord::kInt, {Vector::of_int(1), gone[2]})));
  sigset_t held;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &held);
  CHECK(sigismember(&held, SIGPIPE) == 0);
}
