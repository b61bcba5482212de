// Sessions in Remora: arrays that a program hands to them, and what a session keeps.
#include "vm/lib/remora.hpp"

#include <catch2/catch.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "bytecode/base/budget.h"

namespace nvm::lib {
namespace {

using Ints = std::vector<std::int64_t>;
using Floats = std::vector<double>;

struct Session {
  std::ostringstream out, err;
  Remora remora{NeslOptions(), out, err};
  std::string bound(const std::string& type, const Value& atoms) {
    return remora.bind("x", type, atoms).value_or("");
  }
  std::string shown(const std::string& expression) {
    out.str("");
    CHECK(remora.run_expression(expression) == NeslStatus::kOk);
    return out.str();
  }
};

TEST_CASE("an array is bound with its type, a number without one") {
  Session s;
  CHECK(s.bound("[float 2 3]", make_floats(Floats{1, 2, 3, 4, 5, 6})).empty());
  CHECK(s.shown("(reduce +. x)") == "[5.0 7.0 9.0] : [float 3]\n");
  Session scalar;
  CHECK(scalar.bound("int", make_ints(Ints{7})).empty());
  CHECK(scalar.shown("(* x x)") == "49 : int\n");
  Session empty;
  CHECK(empty.bound("[bool 0 3]", make_bools({})).empty());
  CHECK(empty.shown("x") == "[] : [bool 0 3]\n");
  Session one;
  CHECK(one.bound("[char 1]", make_ints(Ints{'a'})).empty());
  CHECK(one.shown("x") == "\"a\" : [char 1]\n");
}

TEST_CASE("what is no array of the type is refused") {
  Session s;
  CHECK(s.bound("[float 2 3]", make_floats(Floats{1, 2, 3, 4, 5})) == "[float 2 3] has 6 atoms, not 5");
  CHECK(s.bound("[float 2]", make_ints(Ints{1, 2})) == "these are no atoms of type float");
  CHECK(s.bound("[int d]", make_ints(Ints{1, 2})) == "[int d]: there is no index d");
  CHECK(s.bound("[int", make_ints(Ints{1, 2})).find("[int: ") == 0);
  CHECK(s.bound("(-> (int) int)", make_ints(Ints{1})).find("files hold numbers") != std::string::npos);
  CHECK(s.bound("[int 4294967296 4294967296]", make_ints(Ints{1})) ==
        "[int 4294967296 4294967296] is too large");
  CHECK(s.bound("[int 1]", *make_segdes(Ints{1})) == "a descriptor has no atoms");
  CHECK(s.remora.bind("1", "int", make_ints(Ints{1})) == "1 cannot name a value");
  CHECK(s.bound("[int 2]", make_ints(Ints{1, 2})).empty());
  CHECK(s.shown("(+ x x)") == "[2 4] : [int 2]\n");
  CHECK_FALSE(s.bound("[int 2]", make_ints(Ints{1, 2})).empty());  // behind a text
}

constexpr std::uint64_t kValue = 8 << 20;  // bytes of what kBig makes
const std::string kBig = "(+. 1.0 (int->float iota{ | [1000000]}))";

// A session with room for a few such values.
struct Small {
  std::ostringstream out, err;
  Remora remora;
  explicit Small(std::uint64_t memory = 6 * kValue) : remora(options(memory), out, err) {}
  static LanguageOptions options(std::uint64_t memory) {
    LanguageOptions o;
    o.vm.memory = memory;
    o.vm.threads = 1;
    o.interactive = true;
    return o;
  }
  bool run(const std::string& text) { return remora.run_text(text, "in") == LanguageStatus::kOk; }
  std::string shown(const std::string& text) {
    out.str("");
    err.str("");
    run(text);
    return out.str() + err.str();
  }
};

using Texts = std::vector<std::string>;

TEST_CASE("a value of Remora goes with the last name, function or form that can refer to it") {
  const Texts rounds[] = {
      {"(define x " + kBig + ")"},
      {"(define x " + kBig + ")", "(reduce/zero +. 0.0 x)", "(index x [3])"},
      {"(define x " + kBig + ")", "(define y x)", "(define x (+. 1.0 y))"},
      {"(define x " + kBig + ")\n(define y (+. x 1.0))\n(define x 1)\n(define y 2)"},
      {"(define x (boxes (d) [float d] [] ((1000000) " + kBig + ")))"},
      // With its function each of them goes.
      {"(define x " + kBig + ")", "(define (f [i int]) (index x [i]))", "(f 3)", "(define x 1)",
       "(define (f [i int]) i)"},
      {"(define x " + kBig + ")", "(define (f [i int]) (index x [i]))", "(define (g [i int]) (+. 1.0 (f i)))",
       "(g 3)"},
      {"(define-type @row [float 1000000])", "(define x : @row " + kBig + ")"},
      {"(define r {(big " + kBig + ") (f (fn ([i int]) i))})", "(define r 1)"},
      {"(define x " + kBig + ") (+ 1 #t)"},
  };
  for (const Texts& round : rounds) {
    INFO(round[0]);
    Small session;
    for (int i = 0; i < 20; ++i)
      for (const std::string& text : round) {
        const bool fine = session.run(text);
        INFO(session.err.str());
        CHECK(fine != text.ends_with("#t)"));
      }
    CHECK(session.err.str().find("memory") == std::string::npos);
    CHECK(session.shown("(reduce/zero +. 0.0 " + kBig + ")") == "500000500000.0 : float\n");
  }
}

TEST_CASE("what can still be evaluated in Remora keeps its values") {
  Small s;
  CHECK(s.run("(define x [1 2 3])\n(define (f [i int]) (index x [i]))"));
  CHECK(s.run("(define (g [i int]) (* 10 (f i)))\n(define h g)"));
  CHECK(s.run("(define x \"text\")\n(define (f [i int]) 0)"));
  CHECK(s.shown("(g 1)") == "20 : int\n");
  CHECK(s.run("(define (g [i int]) i)"));
  CHECK(s.shown("(h 2)") == "30 : int\n");
  CHECK(s.shown("x") == "\"text\" : [char 4]\n");
  // Functions that call each other, of which one name goes.
  CHECK(
      s.run("(define (even [n int]) : bool (if (= n 0) #t (odd (- n 1))))\n"
            "(define (odd [n int]) : bool (if (= n 0) #f (even (- n 1))))"));
  CHECK(s.run("(define odd 5)"));
  CHECK(s.shown("(even 10)") == "#t : bool\n");
  // A record with a function in it is computed again, a box is not.
  CHECK(s.run("(define y [4 5])\n(define r {(a y) (f (fn ([i int]) (index y [i])))})\n(define y 1)"));
  CHECK(s.shown("((view (f) r) 1)") == "5 : int\n");
  CHECK(s.run("(define b (boxes (d) [int d] [2] ((1) [7]) ((2) [8 9])))"));
  CHECK(s.shown("(unbox b (c d) (reduce/zero + 0 c))") == "[7 17] : [int 2]\n");
  CHECK(s.run("(define-type @pair [int 2])\n(define-index n 3)\n(define-type @pair [int 4])"));
  CHECK(s.shown("(define p : @pair [1 2 3 4])") == "p : [int 4]\n");
  CHECK(s.shown("iota{ | [n]}") == "[0 1 2] : [int 3]\n");
}

TEST_CASE("a text of Remora that fails changes nothing") {
  Small s;
  CHECK(s.run("(define x [1 2])\n(define (f [i int]) (index x [i]))\n(define-type t int)"));
  CHECK_FALSE(s.run("(define x 5)\n(define-type t float)\n(define (f [i int]) i)\n(+ 1 #t)"));
  CHECK_FALSE(s.run("(define x 5)\n(define (f [i int]) i)\n(f (/ 1 (- x 5)))\n(index [1] [x])"));
  CHECK_FALSE(s.run("(define x 5"));
  CHECK(s.shown("x") == "[1 2] : [int 2]\n");
  CHECK(s.shown("(f 1)") == "2 : int\n");
  CHECK(s.shown("(define y : t 1)") == "y : int\n");
  CHECK(s.shown("(f 7)").find("in:2:21: error[bounds]") != std::string::npos);
  CHECK(s.shown("?f").find("defined at in:2:1") != std::string::npos);
  CHECK(s.shown("nowhere").find("in:1:1: error[unbound-variable]") != std::string::npos);
}

TEST_CASE("a text of Remora costs what it uses, not what was defined before") {
  const Texts forms = {
      "(define x (+ 1 2))", "(define y [1 k])", "(+ 1 k)", "(define (f [a int]) (+ a k))", "(f 2)",
      "(define g f)"};
  for (const std::string& form : forms) {
    INFO(form);
    Small s(std::uint64_t{1} << 30);
    CHECK(s.run("(define k 7)\n(define (f [a int]) (* a k))"));
    const auto steps_of = [&](int times) {
      const std::uint64_t before = Budget::steps();
      for (int i = 0; i < times; ++i) s.shown(form);
      return Budget::steps() - before;
    };
    CHECK(s.run(form));
    static_cast<void>(steps_of(20));
    const std::uint64_t few = steps_of(20);
    for (int i = 0; i < 200; ++i) {
      const std::string name = "v" + std::to_string(i);
      CHECK(s.run("(define " + name + " [1 2 3])\n(define (f" + name + " [a int]) (+ a " + name + "))"));
    }
    CHECK(steps_of(20) <= few + few / 50 + 20);
  }
}

}  // namespace
}  // namespace nvm::lib
