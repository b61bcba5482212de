#include "frontend/nesl/parser.h"

#include <catch2/catch.hpp>
#include <vector>

using namespace nvm;
using namespace nvm::frontend;

namespace {

struct Parsed {
  std::vector<std::string> forms;  // printed
  std::string errors;
  bool incomplete = false;
};

Parsed parse(const std::string& text) {
  const Source source{"x.nesl", text};
  Diagnostics diagnostics("x.nesl", text);
  Parser parser(source, diagnostics);
  Parsed result;
  while (!parser.at_end()) {
    if (const auto form = parser.next_form()) result.forms.push_back(print_ast(*form));
    result.incomplete |= parser.incomplete();
  }
  result.errors = diagnostics.render();
  return result;
}

std::string one(const std::string& text) {
  const Parsed parsed = parse(text + ";");
  INFO(text << "\n" << parsed.errors);
  CHECK(parsed.errors.empty());
  return parsed.forms.size() == 1 ? parsed.forms[0] : "?";
}

void fails(const std::string& text, const std::string& place, const std::string& message) {
  const Parsed parsed = parse(text);
  INFO(text << "\n" << parsed.errors);
  CHECK(parsed.errors.find("x.nesl:" + place + ":") != std::string::npos);
  CHECK(parsed.errors.find(message) != std::string::npos);
}

}  // namespace

TEST_CASE("quoted words are printed so that they are read again") {
  for (const std::string text : {"'+", "'#", "':", "'[(1)", "'if", "'t", "['in:'let:3]"})
    CHECK(one(text) == text);
  CHECK(one("'sum([1])") == "sum([1])");
}

TEST_CASE("precedence and associativity") {
  CHECK(one("-2^2") == "((-2) ^ 2)");
  CHECK(one("2^3^2") == "((2 ^ 3) ^ 2)");
  CHECK(one("2-3-4") == "((2 - 3) - 4)");
  CHECK(one("8/4/2") == "((8 / 4) / 2)");
  CHECK(one("#a + 1") == "((#a) + 1)");
  CHECK(one("-a[0]") == "(-a[0])");
  CHECK(one("@3 ++ \"x\"") == "((@3) ++ \"x\")");
  CHECK(one("\"ab\" || 5 ++ \"c\"") == "((\"ab\" || 5) ++ \"c\")");
  CHECK(one("t xor t or t") == "((t xor t) or t)");
  CHECK(one("a or b and c == d + e * g ^ h <- i -> j") ==
        "(a or (b and (c == (d + (e * (g ^ (h <- (i -> j))))))))");
  CHECK(one("a ++ d <- v") == "(a ++ (d <- v))");
  CHECK(one("d <- v ++ a") == "((d <- v) ++ a)");
  CHECK(one("a->i->j") == "(a -> (i -> j))");
  CHECK(one("--5") == "(-(-5))");
  CHECK(one("2--3") == "(2 - (-3))");
  CHECK(one("a nand b nor c") == "((a nand b) nor c)");
}

TEST_CASE("application and subscripts") {
  CHECK(one("inc 3 * 2") == "(inc(3) * 2)");
  CHECK(one("g h x") == "g(h)(x)");
  CHECK(one("abs -3") == "(abs - 3)");
  CHECK(one("sum [1,2]") == "sum[(1, 2)]");
  CHECK(one("not t and f") == "(not(t) and f)");
  CHECK(one("m[i][j]") == "m[i][j]");
  CHECK(one("'+(1,2)") == "(1 + 2)");
  CHECK(one("map('max, s)") == "map(max, s)");
  CHECK(one("g(1, b := 7)") == "g(1, b := 7)");
  CHECK(one("sum {x : x in a}") == "sum({x : x in a})");
}

TEST_CASE("if, let, lambda and tuples") {
  CHECK(one("if c then 1 else 2, 3") == "(if c then 1 else (2, 3))");
  CHECK(one("let a = 1, 2; b = 3; in a, b") == "(let a = (1, 2); b = 3 in (a, b))");
  CHECK(one("1 + if t then 2 else 3") == "(1 + (if t then 2 else 3))");
  CHECK(one("map(x => x+1, s)") == "map((x => (x + 1)), s)");
  CHECK(one("x => y => x+y") == "(x => (y => (x + y)))");
  CHECK(one("((a,b) => a+b)(1,2)") == "((a, b) => (a + b))(1, 2)");
  CHECK(one("closure(g,3)(4)") == "closure(g, 3)(4)");
  CHECK(one("let (_, p(_, x)) = y in x") == "(let (_, p(_, x)) = y in x)");
}

TEST_CASE("sequences and apply-to-each") {
  CHECK(one("[1,2,3]") == "[1, 2, 3]");
  CHECK(one("[] (int,[char])") == "[] (int, [char])");
  CHECK(one("[1:n]") == "[1:n:1]");
  CHECK(one("[1:n:2]") == "[1:n:2]");
  CHECK(one("{a,b : a in s; b in u | a > b}") == "{(a, b) : a in s; b in u | (a > b)}");
  CHECK(one("{s; v | v > 4}") == "{s in s; v in v | (v > 4)}");
  CHECK(one("{cx(r,i) in cs | r > 1.0}") == "{cx(r, i) in cs | (r > 1.0)}");
  CHECK(one("{* g(x) : x in s}") == "map((x => g(x)), {x : x in s})");
}

TEST_CASE("top-level forms") {
  CHECK(one("FUNCTION inc x = x+1") == "function inc x = (x + 1)");
  CHECK(one("function g(a, b := 5) : (int,int) -> int \"doc\" = a") ==
        "function g (a, b) : ((int, int) -> int) \"doc\" = a");
  CHECK(one("function even1(n) : int -> bool") == "function even1 n : (int -> bool)");
  CHECK(one("datatype pt(a,b) :: (a in any; b in any)") == "datatype pt (a, b) :: (a in any; b in any)");
  CHECK(parse("function g(x) : a -> a :: a in any; b in number = x $").forms.at(0) ==
        "function g x : (a -> a) :: (a in any; b in number) = x");
  CHECK(one("(p, q) = 1, 2") == "(p, q) = (1, 2)");
  CHECK(one("fv |= [1]") == "fv |= [1]");
  CHECK(one("job &= g(1), mem := 5") == "job &= g(1), mem := 5");
  CHECK(one("set print_length 5") == "set print_length 5");
  CHECK(one("load \"x\", print := t") == "load \"x\", print := t");
  CHECK(one("let set = 3 in set + 1") == "(let set = 3 in (set + 1))");
  CHECK(one("get = 3") == "get = 3");
  CHECK(one("dump vcode \"a\" 1 + 2") == "dump vcode \"a\" (1 + 2)");
}

TEST_CASE("literals at the edge") {
  CHECK(one("-9223372036854775808") == "-9223372036854775808");
  fails("9223372036854775808;", "1:1", "64 bits");
}

TEST_CASE("printing a tree and parsing it again gives the same tree") {
  for (const char* text : {"let (a,b) = x in {a+b : a in s | not t}", "if a then -b else c -> d, e",
                           "function g(cx(r,i), n) : (cx, int) -> [float] = {r*i : n in [0:n:2]}"}) {
    const std::string printed = one(text);
    CHECK(one(printed) == printed);
  }
}

TEST_CASE("errors say where and what was expected") {
  fails("if t 1 else 2;", "1:8", "expected THEN instead of ELSE");
  fails("let x 3 in x;", "1:7", "expected = instead of 3 after the pattern in a LET binding");
  fails("let [a, b] = [1, 2] in a;", "1:5", "square brackets cannot be used for pattern matching");
  fails("* 3;", "1:1", "* is missing its left argument");
  fails("x = 1;\n[1, 2;", "2:6", "expected a ] instead of ; to terminate a sequence");
  fails("(1, 2;", "1:6", "expected ) instead of ;");
  fails("sqrt();", "1:6", "unexpected )");
  fails("{x : x in };", "1:11", "unexpected }");
  fails("let s = [1, 2] in {x + 1 : s + 1};", "1:30", "invalid binding in an APPLY-TO-EACH");
  fails("function g(x) x + 1;", "1:15", "expected = or :");
  fails("function g(T) = 1;", "1:12", "special symbol");
  fails("function g(x, F := 2) = 1;", "1:15", "special symbol");
  fails("(x, t) = (1, 2);", "1:5", "special symbol");
  fails("{T : T in v};", "1:6", "special symbol");
  fails("function g(3) = 1;", "1:12", "not a valid variable name");
  fails("function g() = 3;", "1:12", "unexpected )");
  fails("function g(a)(b) = 3;", "1:14", "expected = or :");
  fails("function g(a,b) : int,int -> int = a;", "1:19", "not a function type");
  fails("1 2) 3;", "1:4", "nothing is open");
  fails("a[0:2];", "1:4", "expected a ]");
  fails("pair(1,2);", "1:1", "write a pair with a comma");
}

TEST_CASE("an unfinished last form") {
  const Parsed parsed = parse("1;\n(2 +");
  CHECK(parsed.forms == std::vector<std::string>{"1"});
  CHECK(parsed.errors.find("x.nesl:2:5: error: premature end of file") != std::string::npos);
  CHECK(parsed.incomplete);
  CHECK(parse("1 + 2").incomplete);
  CHECK(parse("\"abc").incomplete);
  CHECK_FALSE(parse("1 + ;").incomplete);
}

TEST_CASE("every faulty form is reported once and the good ones between are kept") {
  const Parsed parsed = parse("1 + ;\n2;\nlet x 3; y = 4 in x;\n3;\n[1, 2;\n4;\n(1;2);\n5;");
  CHECK(parsed.forms == std::vector<std::string>{"2", "3", "4", "5"});
  CHECK(parsed.errors.find("x.nesl:1:5") != std::string::npos);
  CHECK(parsed.errors.find("x.nesl:3:7") != std::string::npos);
  CHECK(parsed.errors.find("x.nesl:5:6") != std::string::npos);
  CHECK(parsed.errors.find("x.nesl:7:3") != std::string::npos);
}

TEST_CASE("deep nesting is an error, not a crash") {
  const std::size_t n = 200000;
  for (const char* open : {"(", "[", "-", "if ", "let a = ", "x => ", "a(", "a[", "{x in "}) {
    std::string text;
    for (std::size_t i = 0; i < n; ++i) text += open;
    CHECK(parse(text + "1;").errors.find("too deeply") != std::string::npos);
  }
  CHECK(parse(std::string(900, '(') + "1" + std::string(900, ')') + ";").errors.empty());
  std::string sum = "1";
  for (std::size_t i = 0; i < n; ++i) sum += "+1";
  CHECK(parse(sum + ";").errors.find("too deeply") != std::string::npos);
  CHECK(parse("[] " + std::string(n, '[') + ";").errors.find("too deeply") != std::string::npos);
}

TEST_CASE("long flat literals are fine") {
  std::string text = "[1";
  for (int i = 0; i < 300000; ++i) text += ",1";
  CHECK(parse(text + "];").errors.empty());
}
