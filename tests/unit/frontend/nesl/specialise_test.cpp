#include <catch2/catch.hpp>

#include "frontend/nesl/compile.h"
#include "frontend/print_core.h"

using namespace nvm;
using namespace nvm::frontend;

namespace {

// The core code of the last form of `text`, functions of the prelude left out.
std::string core_of(const std::string& text) {
  Environment environment;
  const Source source{"x.nesl", text};
  Diagnostics diagnostics("x.nesl", text);
  Parser parser(source, diagnostics);
  std::string out;
  while (!parser.at_end()) {
    auto form = parser.next_form();
    if (!form) continue;
    const auto compiled = compile_form(environment, std::move(*form), diagnostics);
    if (!compiled || !compiled->core) continue;
    bind_result(environment, *compiled);
    out = core::print_core(*compiled->core);
  }
  return diagnostics.failed() ? diagnostics.render() : out;
}

std::string main_of(const std::string& text) {
  const std::string all = core_of(text);
  const auto begin = all.find(" = ");
  return begin == std::string::npos ? all : all.substr(begin + 3, all.find('\n') - begin - 3);
}

}  // namespace

TEST_CASE("functions are made once per argument type") {
  CHECK(core_of("function dbl(a) = a + a; (dbl(1), dbl(2), dbl(2.5));") ==
        "main#0(v0: unit): (int, (int, float)) = (dbl#1(1), (dbl#1(2), dbl#2(2.5)))\n"
        "dbl#1(v0: int): int = +(v0, v0)\n"
        "dbl#2(v0: float): float = +(v0, v0)\n");
  CHECK(core_of("function fact(n) = if n < 2 then 1 else n * fact(n - 1); fact(5);") ==
        "main#0(v0: unit): int = fact#1(5)\n"
        "fact#1(v0: int): int = (if <(v0, 2) then 1 else *(v0, fact#1(-(v0, 1))))\n");
}

TEST_CASE("patterns become projections") {
  CHECK(main_of("let (a, b, c) = (1, t, 2.0) in (c, a);") == "let v1 = (1, (t, 2.0)) in (v1.2.2, v1.1)");
  CHECK(main_of("{b : (a, b) in [(1, 2)]; _ in [3]};") == "{v1.2 : v1 in [(1, 2)]; v2 in [3]}");
}

TEST_CASE("records are their components") {
  CHECK(main_of("datatype pt(a, b) :: (a in any; b in any); let pt(x, y) = pt(1, 2.0) in y;") ==
        "let v1 = (1, 2.0) in v1.2");
}

TEST_CASE("functions are known where they are called; closures are what they captured") {
  CHECK(core_of("function app(g, x) = g(x); app('negate, 4);") ==
        "main#0(v0: unit): int = app#1((), 4)\n"
        "app#1(v0: (unit, int)): int = let v1 = v0.1 in negate(v0.2)\n");
  CHECK(core_of("let k = 3; m = 2.0 in (x => x + k)(1);") ==
        "main#0(v0: unit): int = let v1 = 3 in let v2 = 2.0 in lambda#1(v1, 1)\n"
        "lambda#1(v0: (int, int)): int = +(v0.2, v0.1)\n");
  CHECK(core_of("function hh2(g, n) = if n == 0 then g(0) else hh2(g, n - 1); hh2(x => x > 5, 3);") ==
        "main#0(v0: unit): bool = hh2#2((), 3)\n"
        "lambda#1(v0: int): bool = >(v0, 5)\n"
        "hh2#2(v0: (unit, int)): bool = (if ==(v0.2, 0) then lambda#1(0) else hh2#2(v0.1, -(v0.2, 1)))\n");
  CHECK(core_of("function ret(x) = (y => x + y); ret(3)(4);") ==
        "main#0(v0: unit): int = lambda#2(ret#1(3), 4)\n"
        "ret#1(v0: int): int = v0\n"
        "lambda#2(v0: (int, int)): int = +(v0.1, v0.2)\n");
  CHECK(main_of("closure('+, 3)(4);") == "let v1 = ((), 3) in let v2 = v1.1 in +(v1.2, 4)");
}

TEST_CASE("literal powers are products") {
  CHECK(main_of("2 ^ 3;") == "let v1 = 2 in *(*(v1, v1), v1)");
  CHECK(main_of("1.5 ^ 2;") == "let v1 = 1.5 in *(v1, v1)");
}

TEST_CASE("a sieve stays with its apply-to-each") {
  CHECK(main_of("{10 / x : x in [0, 1] | x /= 0};") == "{/(10, v1) : v1 in [0, 1] | /=(v1, 0)}");
  CHECK(main_of("{x in [0, 1] | x /= 0};") == "{v1 : v1 in [0, 1] | /=(v1, 0)}");
}

TEST_CASE("default arguments see no local variable of the caller") {
  CHECK(core_of("k = 1; function g(a, b := k) = a; let k = 2.0 in g(k);")
            .starts_with("main#0(v0: unit): float = let v1 = 2.0 in g#1(v1, input1)\n"));
}

TEST_CASE("variables of the session are inputs") {
  CHECK(main_of("(p, q) = (1, [2]); p + #q;") == "+(input1, #(input2))");
}

TEST_CASE("a redefinition with the same type is used by earlier functions") {
  CHECK(
      core_of("function g(x) = x + 1; function h(x) = g(x); function g(x) = x + 2; h(1);").find("+(v0, 2)") !=
      std::string::npos);
  CHECK(core_of("function g(x) = x + 1; function h(x) = g(x); function g(x) = t; h(1);").find("+(v0, 1)") !=
        std::string::npos);
}

TEST_CASE("polymorphic recursion through a declaration is an error") {
  CHECK(core_of("function p(x) : a -> int :: (a in any);"
                "function q(x) = p([x]);"
                "function p(x) : a -> int :: (a in any) = q(x);"
                "p(1);")
            .find("endlessly many versions") != std::string::npos);
}

TEST_CASE("prelude code has no lines, the user's has") {
  Environment environment;
  const std::string text = "\n\nreverse([1]);";
  const Source source{"x.nesl", text};
  Diagnostics diagnostics("x.nesl", text);
  Parser parser(source, diagnostics);
  const auto compiled = compile_form(environment, std::move(*parser.next_form()), diagnostics);
  REQUIRE(compiled);
  const auto& functions = compiled->core->functions;
  CHECK(functions[0].body->line == 3);
  REQUIRE(functions.size() > 1);
  CHECK(functions[1].builtin);
  CHECK(functions[1].body->line == 0);
}
