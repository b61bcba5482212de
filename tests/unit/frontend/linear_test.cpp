// What a program takes to be compiled is linear in its text: work is counted, in steps that ask the budget.
#include <catch2/catch.hpp>
#include <functional>

#include "bytecode/base/budget.h"
#include "frontend/emit.h"
#include "frontend/nesl/compile.h"
#include "frontend/nesl/parser.h"

using namespace nvm;
using namespace nvm::frontend;

namespace {

std::uint64_t steps_for(const std::string& text) {
  Environment environment;
  const Source source{"x.nesl", text};
  Diagnostics diagnostics("x.nesl", text);
  const std::uint64_t before = Budget::steps();
  Parser parser(source, diagnostics);
  while (!parser.at_end()) {
    auto form = parser.next_form();
    if (!form) continue;
    const auto compiled = compile_form(environment, std::move(*form), diagnostics);
    if (!compiled || !compiled->core) continue;
    (void)emit_vcode(*compiled->core, {"x.nesl"});
    (void)emit_ssa(*compiled->core, {"x.nesl"});
  }
  INFO(diagnostics.render());
  CHECK_FALSE(diagnostics.failed());
  return Budget::steps() - before;
}

std::string times(int n, const std::function<std::string(const std::string&, const std::string&)>& make) {
  std::string out;
  for (int i = 0; i < n; ++i) out += make(std::to_string(i), std::to_string(i + 1));
  return out;
}

using Make = std::string (*)(int n);

struct Case {
  const char* what;
  Make make;
};

// Each uses the one before it.
std::string chain(const char* first, int n, const std::string& before, const std::string& after) {
  return std::string("let x0 = ") + first + "; " +
         times(n, [&](const auto& i, const auto& j) { return "x" + j + " = " + before + "x" + i + after; }) +
         "in x" + std::to_string(n) + ";";
}

const Case kCases[] = {
    {"calls in a row",
     [](int n) {
       return "function g(x) = if x < 2 then x else g(x - 1) + g(x - 2); " + chain("rand(5)", n, "g(", "); ");
     }},
    {"inlined calls in a row",
     [](int n) { return "function g(x) = x * x + 1; " + chain("rand(5)", n, "g(", "); "); }},
    {"calls one in the other",
     [](int n) {
       return "function g(x) = if x < 2 then x else g(x - 1) + g(x - 2); " +
              times(n, [](const auto&, const auto&) { return "g("; }) + "rand(5)" +
              std::string(std::size_t(n), ')') + ";";
     }},
    {"functions that call the one before",
     [](int n) {
       return "function g0(x) = x + 1; " +
              times(n,
                    [](const auto& i, const auto& j) {
                      return "function g" + j + "(x) = if x < 2 then x else g" + i + "(x - 1) + g" + i +
                             "(x - 2); ";
                    }) +
              "g" + std::to_string(n) + "(rand(5));";
     }},
    {"records in records",
     [](int n) {
       return "datatype r0(int, int); " +
              times(n,
                    [](const auto& i, const auto& j) { return "datatype r" + j + "(r" + i + ", int); "; }) +
              times(n, [n](const auto& i,
                           const auto&) { return "r" + std::to_string(n - std::stoi(i)) + "("; }) +
              "r0(rand(5), 1)" + times(n, [](const auto& i, const auto&) { return ", " + i + ")"; }) + ";";
     }},
    {"records with parameters in records",
     [](int n) {
       return "datatype r0(a, int) :: (a in any); " +
              times(n,
                    [](const auto& i, const auto& j) {
                      return "datatype r" + j + "(r" + i + "(a), int) :: (a in any); ";
                    }) +
              "1;";
     }},
    {"pairs in pairs",
     [](int n) {
       return std::string(std::size_t(n), '(') + "rand(5)" +
              times(n, [](const auto& i, const auto&) { return ", " + i + ")"; }) + ";";
     }},
    {"conditionals one in the other",
     [](int n) {
       return "let x = rand(5) in " +
              times(n, [](const auto& i, const auto&) { return "if x == " + i + " then " + i + " else "; }) +
              "0;";
     }},
    {"conditionals in a row",
     [](int n) {
       return "let x0 = rand(5); " +
              times(n,
                    [](const auto& i, const auto& j) {
                      return "x" + j + " = if x" + i + " == " + i + " then x" + i + " + 3 else x" + i +
                             " - 2; ";
                    }) +
              "in x" + std::to_string(n) + ";";
     }},
    {"vectors with one",
     [](int n) {
       return "let w = dist(1, rand(5)); " +
              times(n,
                    [](const auto& i, const auto&) {
                      return "v" + i + " = {x + y : x in dist(" + i + ", rand(9)); y in w}; ";
                    }) +
              "in sum(" + times(n, [](const auto& i, const auto&) { return "v" + i + " ++ "; }) + "w);";
     }},
    {"ranges in ranges, by steps that come from ranges",
     [](int n) {
       return "let x0 = rand(5) + 1 in " + times(n, [](const auto&, const auto&) { return "sum({"; }) + "x" +
              std::to_string(n) +
              times(n,
                    [n](const auto& i, const auto&) {
                      const std::string in = std::to_string(n - std::stoi(i)),
                                        from = std::to_string(n - std::stoi(i) - 1);
                      return " : x" + in + " in [x" + from + ":9:x" + from + "]})";
                    }) +
              ";";
     }},
    {"sieves in a row", [](int n) { return chain("dist(1, rand(5))", n, "{x + 1 : x in ", " | x > 7}; "); }},
};

}  // namespace

TEST_CASE("compiling is linear in the program") {
  constexpr int kFew = 100;
  for (const Case& c : kCases) {
    const std::uint64_t one = steps_for(c.make(kFew)), two = steps_for(c.make(2 * kFew)),
                        four = steps_for(c.make(4 * kFew));
    INFO(c.what << ": " << one << ", " << two << ", " << four << " steps");
    CHECK(two > one);
    CHECK(four - two <= 2 * (two - one) + (two - one) / 10);
  }
}
