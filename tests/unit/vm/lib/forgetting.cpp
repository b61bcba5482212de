// Values, definitions and what was made of them are freed when nothing can refer to them any more.
#include <malloc.h>

#include <catch2/catch.hpp>

#include <sstream>
#include <string>
#include <vector>

#include "tests/support/lent.h"
#include "vm/lib/nesl.hpp"

using namespace nvm::lib;

namespace {

constexpr std::uint64_t kValue = 8 << 20;  // bytes of what the forms below make

// A session with room for a few such values.
struct Session {
  std::ostringstream out, err;
  Nesl nesl;
  explicit Session(bool interactive) : nesl(options(interactive), out, err) {}
  static NeslOptions options(bool interactive) {
    NeslOptions o;
    o.vm.memory = 6 * kValue;
    o.vm.threads = 1;
    o.interactive = interactive;
    return o;
  }
  bool run(const std::string& text) { return nesl.run_text(text, "in") == NeslStatus::kOk; }
  std::string shown(const std::string& text) {
    out.str("");
    CHECK(run(text));
    return out.str();
  }
};

const std::string kBig = "{float(i) : i in [0:1000000]}";

std::string repeated(int times, const std::string& text) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

}  // namespace

TEST_CASE("a value goes with the last name, function or form that can refer to it", "[lib]") {
  const std::string texts[] = {
      repeated(20, kBig + ";\n"),
      repeated(20, "x = " + kBig + ";\n"),
      repeated(20, "x = " + kBig + ";\n#x;\n"),
      repeated(20, "(x, y) = (" + kBig + ", 1);\n"),
      // The function means the newest x.
      "x = [1.0];\nfunction fn(i) = x[i];\n" + repeated(20, "x = " + kBig + ";\nfn(3);\n"),
      // With its function each of them goes, whatever type comes next.
      repeated(20, "x = " + kBig + ";\nfunction fn(i) = x[i];\nx = \"text\";\nfunction fn(i) = \"none\";\n"),
      repeated(20, "x = " + kBig + ";\nfunction fn(i) = x[i];\nfunction gn(i) = fn(i) + 1.0;\nx = 1;\n"),
      repeated(20, "z = let x = " + kBig + " in (i => x[i]);\nz(3);\n"),
      repeated(20, "function fn(i) : int -> float;\nx = " + kBig +
                       ";\nfunction gn(i) = if i == 0 then 0.0 else fn(i - 1);\n"
                       "function fn(i) = gn(i) + x[i];\nfn(3);\nx = 0;\n"),
  };
  for (const bool interactive : {true, false})
    for (const std::string& text : texts) {
      INFO(text.substr(0, 200));
      Session session(interactive);
      CHECK(session.run(text));
      INFO(session.err.str());
      CHECK(session.nesl.counters().peak_bytes > kValue);
    }
}

TEST_CASE("what can still be evaluated keeps its values", "[lib]") {
  for (const bool interactive : {true, false}) {
    Session s(interactive);
    CHECK(s.run("x = [1, 2, 3];\nfunction fn(i) = x[i];\nfunction gn(i) = fn(i) * 10;\nx = \"text\";\n"));
    CHECK(s.shown("gn(1);") == "it = 20 : int\n");
    CHECK(s.run("add = let y = [7, 8] in (a => a + y[1]);\nother = add;\nadd = 3;\n" + repeated(5, "1;\n")));
    CHECK(s.shown("other(1);") == "it = 9 : int\n");
    CHECK(s.run("function make(q) = (a => a - q + gn(0));\nm = make(2);\nfunction make(q) = q;\n"));
    CHECK(s.run(repeated(5, "fn = 1;\n2;\n")));
    CHECK(s.shown("m(5);") == "it = 13 : int\n");
    CHECK(s.run("job &= (a => a * 2);\n1;\nget job;\n"));
    CHECK(s.shown("job(21);") == "it = 42 : int\n");
    CHECK(s.shown("[4, 5];\nit ++ it;\n#it;\n") ==
          "it = [4, 5] : [int]\nit = [4, 5, 4, 5] : [int]\nit = 4 : int\n");
  }
}

TEST_CASE("a form that fails takes no earlier value with it", "[lib]") {
  Session s(false);
  CHECK(s.run("x = [1, 2];\nfunction fn(i) = x[i];\n"));
  CHECK_FALSE(s.run("x = [5];\n1 / 0;\nx = [6];\nx = 7;\n"));
  CHECK(s.shown("x;\nfn(0);\n") == "it = [5] : [int]\nit = 5 : int\n");
}

TEST_CASE("what was bound from outside is given back when its name is bound anew", "[lib]") {
  const nvm::test::Lent<double, 1000> lent(1.5);
  const auto release = [](void* user) { ++*static_cast<int*>(user); };
  int released = 0;
  const std::int64_t n = 1000;
  {
    Session s(true);
    for (int i = 0; i < 10; ++i) {
      const Value slots[] = {*make_segdes(std::span(&n, 1)), foreign(lent.elements, n, release, &released)};
      CHECK_FALSE(s.nesl.bind("x", "[float]", slots));
      CHECK(s.shown("y = x;\nsum(y);\n").ends_with("it = 1500.0 : float\n"));
    }
    CHECK(released == 9);  // the last one is also y
    CHECK(s.run("x = 1;\n1;\n"));
    CHECK(s.shown("#y;") == "it = 1000 : int\n");
    CHECK(released == 9);
    CHECK(s.run("y = 1;\n1;\n"));
    CHECK(released == 10);
  }
}

TEST_CASE("a session is as large after many forms as after a few", "[lib]") {
  const std::string forms[] = {
      "{i * 2 : i in [0:10]};\n",
      "[1, 2, 3];\n",
      "x = [[1], [2, 3]];\n#x;\n",
      "function fn(a) = a + 1;\nfunction gn(a) = fn(a) * 2;\ngn(3);\n",
      "function fn(a, b := 2) = a + b;\nfn(1);\n",
      "function fn(a) = undefined(a);\n1 / 0;\n",
  };
  for (const std::string& form : forms) {
    Session s(true);
    const auto after = [&](int times) {
      for (int i = 0; i < times; ++i) s.run(form);
      s.out.str("");
      s.err.str("");
      return ::mallinfo2().uordblks;
    };
    const std::size_t few = after(1100);  // texts have numbers up to 1023
    const std::size_t many = after(400);
    INFO(form);
    CHECK(many < few + 100'000);  // the texts of definitions are kept for `dump world`
  }
}
