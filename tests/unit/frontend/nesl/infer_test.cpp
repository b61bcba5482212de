#include <catch2/catch.hpp>

#include "frontend/nesl/compile.h"
#include "frontend/nesl/prelude.h"

using namespace nvm;
using namespace nvm::frontend;

namespace {

// A session that compiles and binds but runs nothing.
struct Session {
  Environment environment;

  struct Result {
    std::string lines;  // "name : type" per form
    std::string errors, warnings;
  };

  Result run(const std::string& text) {
    const Source source{"x.nesl", text};
    Diagnostics diagnostics("x.nesl", text);
    Parser parser(source, diagnostics);
    Result result;
    while (!parser.at_end()) {
      auto form = parser.next_form();
      if (!form) continue;
      const auto compiled = compile_form(environment, std::move(*form), diagnostics);
      if (!compiled) continue;
      if (!compiled->notice.empty()) result.lines += compiled->notice + "\n";
      result.lines += compiled->name + " : " + print_type(compiled->type) + "\n";
      if (compiled->core) bind_result(environment, *compiled);
    }
    result.errors = environment.prelude_errors();
    (diagnostics.failed() ? result.errors : result.warnings) += diagnostics.render();
    return result;
  }
};

std::string type_of(const std::string& text) {
  Session session;
  const Session::Result result = session.run(text);
  INFO(text << "\n" << result.errors);
  CHECK(result.errors.empty());
  const auto colon = result.lines.rfind(
      " : ", result.lines.find(" :: ", result.lines.rfind('\n', result.lines.size() - 2) + 1));
  return result.lines.empty() ? "" : result.lines.substr(colon + 3, result.lines.size() - colon - 4);
}

void fails(const std::string& text, const std::string& place, const std::string& message) {
  Session session;
  const Session::Result result = session.run(text);
  INFO(text << "\n" << result.errors << result.lines);
  CHECK(result.errors.find("x.nesl:" + place + ":") != std::string::npos);
  CHECK(result.errors.find(message) != std::string::npos);
}

}  // namespace

TEST_CASE("types of values") {
  CHECK(type_of("1;") == "int");
  CHECK(type_of("1, 2.0, t;") == "int, float, bool");
  CHECK(type_of("(1, 2), 3;") == "(int, int), int");
  CHECK(type_of("[1], (2, 3);") == "[int], int, int");
  CHECK(type_of("[(1, \"a\")];") == "[(int, [char])]");
  CHECK(type_of("[] (int, [bool]);") == "[(int, [bool])]");
  CHECK(type_of("{a, b : a in [1]; b in \"x\"};") == "[(int, char)]");
  CHECK(type_of("{a, b in [(1, t)] | b};") == "[(int, bool)]");
  CHECK(type_of("time(3);") == "int, float");
  CHECK(type_of("let (a, _) = (1, 2); (_, b) = (1.0, 2) in a + b;") == "int");
}

TEST_CASE("types of functions") {
  CHECK(type_of("function s3(x,y) = (x < y) and (x + y > x);") == "(a, a) -> bool :: (a in number)");
  CHECK(type_of("function s5(x) : int -> int = not(x) + 1;") == "int -> int");
  CHECK(type_of("function s6(a) = (sum(a), max_val(a));") == "[a] -> (a, a) :: (a in number)");
  CHECK(type_of("function app(g,x) = g(x);") == "(a -> b, a) -> b :: (a in any; b in any)");
  CHECK(type_of("function twice(g,x) = g(g(x));") == "(a -> a, a) -> a :: (a in any)");
  CHECK(type_of("function cmp(g,h) = (x => g(h(x)));") ==
        "(a -> b, c -> a) -> c -> b :: (a in any; b in any; c in any)");
  CHECK(type_of("function ret(x) = (y => x+y);") == "a -> a -> a :: (a in number)");
  CHECK(type_of("function loop(x) = loop(x);") == "a -> b :: (a in any; b in any)");
  CHECK(type_of("function append3(a,b,c) = a ++ b ++ c;") == "([a], [a], [a]) -> [a] :: (a in any)");
  CHECK(type_of("function qs(a) = if #a < 2 then a else let p = a[#a/2]; l = {e in a | e < p}; m = {e in a | "
                "e == p};"
                "g = {e in a | e > p}; r = {qs(v) : v in [l,g]} in r[0] ++ m ++ r[1];") ==
        "[a] -> [a] :: (a in ordinal)");
  CHECK(type_of("function hh2(g,n) = if n == 0 then g(0) else hh2(g, n-1);") ==
        "(int -> a, int) -> a :: (a in any)");
  CHECK(type_of("function papply(a,b) = {a(b):b};") == "(a -> b, [a]) -> [b] :: (a in any; b in any)");
  CHECK(
      type_of("function six(a,b,c,d,e,g) = a;") ==
      "(a0, a1, a2, a3, a4, a5) -> a0 :: (a0 in any; a1 in any; a2 in any; a3 in any; a4 in any; a5 in any)");
  CHECK(type_of("function rfn(rfn) = rfn + 1;") == "int -> int");
  CHECK(type_of("dist(sin, 3);") == "[float -> float]");
  CHECK(type_of("closure(max, 3);") == "int -> int");
  CHECK(type_of("'+(1, 2);") == "int");
}

TEST_CASE("datatypes") {
  const std::string pt = "datatype pt(a,b) :: (a in any; b in any);";
  CHECK(type_of(pt) == "(a, b) -> pt(a, b) :: (a in any; b in any)");
  CHECK(type_of(pt + "pt(pt(1,2),3);") == "pt(pt(int, int), int)");
  CHECK(type_of(pt + "function sw(pt(a,b)) = pt(b,a);") == "pt(a, b) -> pt(b, a) :: (a in any; b in any)");
  CHECK(type_of("datatype wrap int; let wrap(x) = wrap 3 in x + 1;") == "int");
  CHECK(type_of("datatype cx(float,float); {r : cx(r,i) in [cx(1.0,2.0)]};") == "[float]");
  fails("datatype num2(a,a) :: (a in number); num2(7, `a);", "1", "argument types do not match");
  fails("datatype tree(int,tree);", "1:19", "no type definition for tree");
  fails("datatype bad(a,b);", "1:14", "no type definition for a");
}

TEST_CASE("a signature binds both ways") {
  fails("function g(x) : a -> b :: (a in any; b in any) = x;", "1:50",
        "does not match the declared result type");
  fails("function g(x) : a -> int :: (a in any) = x;", "1:42", "does not match the declared result type");
  fails("function g(x) : a -> a :: (a in scalar) = x + x;", "1:43", "argument types do not match");
  fails("function g(x) : foo -> int = 1;", "1:17", "no type definition for foo");
  fails("function g(x) : a -> int :: (a in thing) = 1;", "1:30", "not a valid type-class");
  fails("function g(a, b) : int -> int = 1;", "1", "does not match the arguments");
  fails("function g(x) : int -> int = x + 1;\ng(2.5);", "2:1", "argument types do not match");
}

TEST_CASE("type errors") {
  fails("1;\n1 + 2.0;", "2:5", "expected a, a :: (a in number); argument 2: it is float, not int");
  fails("if 1 then 2 else 3;", "1:4", "must be of type bool, not int");
  fails("if t then 2 else 3.0;", "1:18", "THEN is int, ELSE is float");
  fails("if t then sin else cos;", "1:20", "different functions");
  fails("[sin, cos];", "1:7", "cannot be different functions");
  fails("[1, 2.5];", "1:5", "this one is float, those before it are int");
  fails("{x + 1 : x in 5};", "1:15", "must be a sequence, not int");
  fails("let (a, b) = 3 in a;", "1:6", "does not match a value of type int");
  fails("3(4);", "1:1", "is not a function");
  fails("sum [1, 2, 3];", "1", "sum is a function");
  fails("let id = (x => x) in (id(1), id(\"a\"));", "1:30", "argument types do not match");
  fails("function p(x) = if #x == 0 then 0 else p([x]);", "1:40", "argument types do not match");
  fails("function hh(g,n) = if n == 0 then g else hh(x => g(x)+1, n-1);", "1:47",
        "argument 1: it is another function");
  fails("function tw(g) = (g(1), g(\"a\"));", "1:25", "argument types do not match");
  fails("function bad(n) = if n == 0 then 0 else \"x\" ++ bad(n - 1);", "1", "ELSE is [char]");
  CHECK(type_of("function s4(x) = not(x) + 1;") == "int -> int");
  fails("let a = 1; (a,a) = (1,2) in a;", "1:15", "repeated");
  fails("function g(x, x) = x;", "1:15", "repeated");
  fails("{1 : x in [1]; x in [2]};", "1:16", "repeated");
}

TEST_CASE("what is in two classes, of which one type is in both, is of that type") {
  CHECK(type_of("function g(v) = (v and v) + v;") == "int -> int");
  CHECK(type_of("function g(v) = (v + v) and v;") == "int -> int");
  CHECK(type_of("function g(v, w) = (v < w) and (v xor w) == 0;") == "(int, int) -> bool");
  CHECK(type_of("function g(v) = sum({any(x) + 1 : x in v});") == "[[int]] -> int");
  fails("function g(v) : a -> a :: (a in logical) = (v and v) + v;", "1:47",
        "a is not known to be in the class number");
  fails("function g(v) = sqrt(v) and v;", "1:17", "float");
}

TEST_CASE("what is logical is in order, truth values among it") {
  CHECK(type_of("function g(v) = (not(v), v == v);") == "a -> (a, bool) :: (a in logical)");
  CHECK(type_of("function g(v) = (v == v, not(v));") == "a -> (bool, a) :: (a in logical)");
  CHECK(type_of("function g(v) = (sort(v), any(v));") == "[a] -> ([a], a) :: (a in logical)");
  CHECK(type_of("let h = x => (not(x), x == x) in h(t);") == "bool, bool");
  CHECK(type_of("let h = x => (not(x), x < x) in h(1);") == "int, bool");
  fails("function g(v) = (not(v), v == v); g([1]);", "1:35", "not in the class logical");
  fails("function g(v) : a -> bool :: (a in ordinal) = not(v) == v;", "1", "logical");
}

TEST_CASE("names") {
  fails("function mut1(x) = mut2(x);", "1:20", "MUT2 is undefined");
  fails("_ + 1;", "1:1", "_ is undefined");
  for (const char* text : {"function sort(x) = \"mine\"; sort(3);", "function sum(x) = \"mine\"; sum(3);",
                           "pi = \"mine\"; pi;", "(sort, n) = (\"mine\", 3); sort;"})
    CHECK(type_of(text) == "[char]");
  CHECK(type_of("sort = 3; median([1, 2]);") == "int");  // which sorts
  // The first definition of a built-in name is warned of, others are those of any name.
  for (const char* text :
       {"function sort(x) = x; function sort(x) = 3;", "sum = 3;", "datatype take(int, int);"}) {
    Session session;
    const std::string warnings = session.run(text).warnings;
    CHECK(warnings.find(" is built in; from here on") != std::string::npos);
    CHECK(warnings.find("warning", warnings.find("warning") + 1) == std::string::npos);
  }
  for (const char* text :
       {"mine = 3;", "let sort = 3 in sort;", "function reduce(x) = x;", "trace_string_depth = 9;"}) {
    Session session;
    CHECK(session.run(text).warnings.empty());
  }
  fails("let q(x) = 3 in x;", "1:5", "record type Q is undefined");
  fails("string__int(3);", "1:1", "STRING__INT is undefined");
  CHECK(type_of("let sum = 3 in sum + 1;") == "int");
  CHECK(type_of("let elt = 3 in \"abc\"[0];") == "char");
  CHECK(type_of("function sum(x) = \"mine\"; sum(3);") == "[char]");
}

TEST_CASE("default arguments") {
  const std::string g = "function g(a, b := 5) = a + b;";
  CHECK(type_of(g) == "(a, a) -> a :: (a in number)");
  CHECK(type_of(g + "g(1);") == "int");
  CHECK(type_of(g + "g(1, b := 7);") == "int");
  fails(g + "g(1, 7);", "1:31", "takes 1 argument ");
  fails(g + "g(1, c := 7);", "1:36", "invalid optional argument C");
}

TEST_CASE("forward declarations and redefinition") {
  Session session;
  auto result = session.run(
      "function even1(n) : int -> bool;"
      "function odd1(n) = if n == 0 then f else even1(n-1);"
      "function even1(n) : int -> bool = if n == 0 then t else odd1(n-1);"
      "even1(10);");
  CHECK(result.errors.empty());
  CHECK(result.lines == "even1 : int -> bool\nodd1 : int -> bool\neven1 : int -> bool\nit : bool\n");
  result = session.run("function even1(n) = 3;");
  CHECK(
      result.lines ==
      "Redefining EVEN1 with a new type.  Old calls will not be modified.\neven1 : a -> int :: (a in any)\n");
  result = session.run("function gone(x) : int -> int;\ngone(3);");
  CHECK(result.errors.find("x.nesl:2:1: error: no body for function GONE") != std::string::npos);
}

TEST_CASE("serial-only functions") {
  fails("{open_in_file(s) : s in [\"a\"]};", "1:2", "cannot call OPEN_IN_FILE in parallel");
  fails("function g(h, s) = {h(x) : x in s};\ng(open_in_file, [\"a\"]);", "1:1",
        "cannot call OPEN_IN_FILE in parallel");
  fails("function g(s) = open_in_file(s);\n{g(s) : s in [\"a\"]};", "2:2", "cannot call G in parallel");
}

TEST_CASE("a declared function needs a body") {
  Session session;
  session.run("function a(x) : int -> int; function b(x) : int -> int; function b(x) : int -> int = x;");
  Diagnostics diagnostics("x.nesl", "");
  check_bodies(session.environment, diagnostics);
  REQUIRE(diagnostics.errors() == 1);
  CHECK(diagnostics.all()[0].message.find("no body for function A") != std::string::npos);
}

TEST_CASE("every definition of the prelude type-checks") {
  Environment environment;
  for (const PreludeEntry& entry : prelude_entries()) {
    const Binding* binding = environment.find(entry.name, true);
    CHECK(binding != nullptr);
    if (binding != nullptr) environment.definition(binding);
  }
  CHECK(environment.prelude_errors() == "");
}
