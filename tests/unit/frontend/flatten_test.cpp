#include <catch2/catch.hpp>
#include <map>

#include "bytecode/text/reader.h"
#include "bytecode/text/writer.h"
#include "bytecode/verify/verify.h"
#include "frontend/compile.h"
#include "frontend/emit.h"

using namespace nvm;
using namespace nvm::frontend;

namespace {

// The program of the last expression of `text`; sound, and the same after a trip through text.
Program program_of(const std::string& text) {
  Environment environment;
  const Source source{"x.nesl", text};
  Diagnostics diagnostics("x.nesl", text);
  Parser parser(source, diagnostics);
  Program program;
  while (!parser.at_end()) {
    auto form = parser.next_form();
    if (!form) continue;
    const auto compiled = compile_form(environment, std::move(*form), diagnostics);
    if (!compiled || !compiled->core) continue;
    program = emit(*compiled->core, {"x.nesl"}).program;
  }
  INFO(diagnostics.render());
  CHECK_FALSE(diagnostics.failed());
  Diagnostics judged("x.vcode", "");
  CHECK(verify(program, judged).verdict == Verdict::kOk);
  INFO(judged.render());
  CHECK_FALSE(judged.failed());
  return program;
}

std::map<Op, int> counts_of(const std::string& text) {
  std::map<Op, int> counts;
  for (const Function& f : program_of(text).functions)
    for (const Instr& instr : f.code) ++counts[instr.op];
  return counts;
}

const Function* function_named(const Program& program, const std::string& origin, bool lifted) {
  for (const Function& f : program.functions)
    if (f.origin == origin && f.lifted == lifted) return &f;
  return nullptr;
}

}  // namespace

TEST_CASE("an elementwise body is its instructions") {
  auto counts = counts_of("function g(v) = if #v > 9 then g(v) else {a + 1 : a in v}; g([1, 2]);");
  CHECK(counts[Op::kAdd] == 1);
  CHECK(counts[Op::kDist] == 1);  // of the one
  CHECK(counts[Op::kBpermute] == 0);
  CHECK(counts[Op::kIndex] == 0);
  CHECK(counts[Op::kMakeSegdes] == 0);
}

TEST_CASE("what does not depend on the instance is evaluated once") {
  auto counts = counts_of("let xs = dist(1.5, 9) in {x / sum(xs) : x in xs};");
  CHECK(counts[Op::kAddReduce] == 1);
  CHECK(counts[Op::kBpermute] == 0);
  CHECK(counts[Op::kIndex] == 0);
}

TEST_CASE("a free sequence that is only indexed is not copied") {
  auto counts = counts_of("let v = [5, 6, 7] in {v[i] : i in [2, 0, 1]};");
  CHECK(counts[Op::kBpermute] == 1);
  CHECK(counts[Op::kDist] == 0);
  auto deeper = counts_of("let v = [5, 6, 7] in {{v[i] : i in r} : r in [[2, 0], [1]]};");
  CHECK(deeper[Op::kBpermute] == 1);
  CHECK(counts_of("let v = [5, 6, 7] in {#v + i : i in [2, 0]};")[Op::kBpermute] == 0);
}

TEST_CASE("a function that looks up a shared sequence gets it once") {
  const std::string text =
      "function bs(v, k, l, h) = if h - l < 2 then l else let m = (l + h) / 2 in "
      "if v[m] <= k then bs(v, k, m, h) else bs(v, k, l, m);"
      "let v = [1, 3, 5] in {bs(v, k, 0, #v) : k in [5, 1, 3]};";
  const Program program = program_of(text);
  int gathers = 0, indices = 0;
  for (const Function& f : program.functions)
    for (const Instr& instr : f.code) {
      if (instr.op == Op::kBpermute && f.origin == "bs") ++gathers;
      if (instr.op == Op::kIndex && f.name == "MAIN") ++indices;
    }
  CHECK(gathers > 0);
  CHECK(indices == 0);  // replication would number the copies' elements
}

TEST_CASE("cheap branches are selected from, others split and skipped") {
  auto cheap = counts_of("{if x < 3 then x * x else -x : x in [1, 5]};");
  CHECK(cheap[Op::kSelect] == 1);
  CHECK(cheap[Op::kIf] == 0);
  auto split = counts_of("{if x == 0 then 0 else 10 / x : x in [0, 5]};");
  CHECK(split[Op::kDpermute] == 1);
  CHECK(split[Op::kIf] == 3);  // any, all, merge
}

TEST_CASE("lifted functions are marked, those that share or print are not") {
  const Program program =
      program_of("function fa(n) = if n == 0 then 1 else n * fa(n - 1); (fa(3), {fa(i) : i in [1, 2]});");
  CHECK(function_named(program, "fa", false));
  CHECK(function_named(program, "fa", true));
  const Program prints = program_of(
      "function fa(n) = if n == 0 then 1 else (let d = print_string(\"x\") in fa(n - 1)); {fa(i) : i in [1, "
      "2]};");
  CHECK_FALSE(function_named(prints, "fa", true));
}

TEST_CASE("literals are built in linear time") {
  auto counts = counts_of("let x = rand(5) in [1, x, 3, 4, 5, 6];");
  CHECK(counts[Op::kReplace] == 1);
  CHECK(counts_of("[1, 2, 3, 4];")[Op::kConst] == 2);
  auto nested = counts_of("let x = rand(5) in [dist(x, 2), dist(x, 3), dist(x, 4)];");
  CHECK(nested[Op::kDpermute] == 3);
}

TEST_CASE("a chain of appends is one concatenation") {
  auto counts = counts_of("let v = dist(rand(9), 4) in v ++ [1] ++ v ++ v;");
  CHECK(counts[Op::kDpermute] == 4);
}

TEST_CASE("checks that cannot fail leave nothing, others know the line") {
  CHECK(counts_of("{x / 2.0 : x in [1.0]};")[Op::kIf] == 0);
  CHECK(counts_of("{rand(7) : x in [1.0]};")[Op::kExit] == 0);
  const Program program = program_of("\n\nlet y = float(rand(3)) in 1.0 / y;");
  bool exit_on_line = false;
  for (const Instr& instr : program.functions[0].code)
    exit_on_line = exit_on_line || (instr.op == Op::kExit && instr.origin_line == 3);
  CHECK(exit_on_line);
}

TEST_CASE("effects happen for every instance, in place") {
  auto counts = counts_of("{rand(10) : x in [1, 2, 3]};");
  CHECK(counts[Op::kRand] == 1);
  CHECK(counts[Op::kDist] == 1);  // the bound, before the draw
  const Program timed = program_of("let v = dist(rand(9), 5); (s, tm) = time(sum(v)) in s;");
  std::vector<Op> order;
  for (const Instr& instr : timed.functions[0].code)
    if (instr.op == Op::kStartTimer || instr.op == Op::kStopTimer || instr.op == Op::kAddReduce)
      order.push_back(instr.op);
  CHECK(order == std::vector<Op>{Op::kStartTimer, Op::kAddReduce, Op::kStopTimer});
}

TEST_CASE("names are legal VCODE and the entry comes first") {
  const Program program = program_of(
      "function f_x(n) = if n < 1 then n else f_x(n - 1); let s = {rem(x, 2) : x in [3]} in f_x(s[0] ^ 2);");
  CHECK(program.functions[0].name == "MAIN");
  for (const Function& f : program.functions)
    for (const char c : f.name) CHECK((std::isalnum(static_cast<unsigned char>(c)) || c == '_'));
}
