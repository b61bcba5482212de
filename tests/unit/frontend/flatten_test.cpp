#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <vector>

#include "bytecode/ssa/ssa.h"
#include "bytecode/text/reader.h"
#include "bytecode/text/writer.h"
#include "bytecode/verify/verify.h"
#include "frontend/core.h"
#include "frontend/emit.h"
#include "frontend/nesl/compile.h"

using namespace nvm;
using namespace nvm::frontend;

namespace {

// The code of the last expression of `text`.
template <typename Emit>
auto emitted(const std::string& text, Emit emit) {
  Environment environment;
  const Source source{"x.nesl", text};
  Diagnostics diagnostics("x.nesl", text);
  Parser parser(source, diagnostics);
  decltype(emit(core::Program(), EmitOptions()).code) code;
  while (!parser.at_end()) {
    auto form = parser.next_form();
    if (!form) continue;
    const auto compiled = compile_form(environment, std::move(*form), diagnostics);
    if (compiled && compiled->core) code = emit(*compiled->core, EmitOptions{"x.nesl"}).code;
  }
  INFO(diagnostics.render());
  CHECK_FALSE(diagnostics.failed());
  return code;
}

// As VCODE; sound, and the same after a trip through text.
Program program_of(const std::string& text) {
  Program program = emitted(text, emit_vcode);
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

// Of what is executed.
std::map<Op, int> executed_counts_of(const std::string& text) {
  std::map<Op, int> counts;
  for (const ssa::Function& f : emitted(text, emit_ssa).functions)
    for (const ssa::Block& block : f.blocks)
      for (const ssa::Inst& inst : block.insts) ++counts[inst.op];
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

TEST_CASE("a scatter that combines is one instruction, also for each of many, where it was a sort") {
  for (const auto& [text, op] :
       {std::pair{"let d = dist(0.5, 9) in scatter_add(d, {(i, 1.5) : i in [2, 0, 2]});", Op::kAddDpermute},
        std::pair{"{scatter_min(v, [(0, 1)]) : v in [[5, 6], [7]]};", Op::kMinDpermute},
        std::pair{"scatter_max([`a], [(0, `b)]);", Op::kMaxDpermute},
        std::pair{"scatter_or([f], [(0, t)]);", Op::kOrDpermute},
        std::pair{"{bin_counts(v, 3) : v in [[2, 0], [1]]};", Op::kAddDpermute}}) {
    INFO(text);
    auto counts = executed_counts_of(text);
    CHECK(counts[op] == 1);
    CHECK(counts[Op::kRankUp] == 0);
    CHECK(counts[Op::kPermute] == 0);
    auto written = counts_of(text);  // for the legacy interpreter, which has no such instruction
    CHECK(written[op] == 0);
    CHECK(written[Op::kRankUp] == 1);
  }
  auto grouped = executed_counts_of("buckets([(2, 5), (0, 6), (2, 7)], 3);");
  CHECK(grouped[Op::kAddDpermute] == 1);  // how many there are of each
  CHECK(grouped[Op::kRankUp] == 1);
  auto texts = executed_counts_of("scatter_max([\"a\"], [(0, \"b\")]);");
  CHECK(texts[Op::kMaxDpermute] == 1);  // of their places in order
  CHECK(texts[Op::kRankUp] > 0);
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

TEST_CASE("a branch that is there already is not computed") {
  const Program program =
      program_of("function fn(v) = if #v < 2 then v else fn(take(v, #v - 1)); {fn(index(i)) : i in [1, 5]};");
  std::map<Op, int> counts;
  for (const Instr& instr : function_named(program, "fn", true)->code) ++counts[instr.op];
  CHECK(counts[Op::kDpermute] == 4);  // lengths of those that recurred and of all, both kinds of elements
  CHECK(counts[Op::kAndReduce] == 1);
  CHECK(counts[Op::kOrReduce] == 2);  // of the check too
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

namespace {

// Instructions of a function's code: those that are executed whichever way its conditionals go, and all.
struct Counts {
  std::map<Op, int> outside, all;
};

Counts counts_in(const Function& function) {
  Counts counts;
  int depth = 0;
  for (const Instr& instr : function.code) {
    depth += (instr.op == Op::kIf ? 1 : 0) - (instr.op == Op::kEndif ? 1 : 0);
    ++counts.all[instr.op];
    if (depth == 0) ++counts.outside[instr.op];
  }
  return counts;
}

}  // namespace

TEST_CASE("a loop asks once in a step whether anybody leaves it, and never how long its sequences are") {
  const std::string loop =
      "function fill(v, i) = if i == #v then v else fill(rep(v, i, i), i + 1);"
      "{fill(v, 0) : v in [[1, 2], [3]]};";
  const Program program = program_of(loop);
  const Function* fill = function_named(program, "fill", false);
  REQUIRE(fill);
  Counts counts = counts_in(*fill);
  CHECK(counts.outside[Op::kOrReduce] == 1);
  CHECK(counts.outside[Op::kLengths] == 0);
  CHECK(counts.all[Op::kAndReduce] == 1);
  CHECK(counts.all[Op::kCall] == 2);
}

TEST_CASE("a loop in step asks nobody before the counter has come to the least number") {
  const auto told = [](const std::string& leaves, const std::string& next, const std::string& first = "") {
    const Program program =
        program_of("function fill(v, n, i) = " + first + "if " + leaves + " then v else fill(rep(v, i, i), " +
                   next + ", i + 1); {fill(v, n, 0) : v in [[1, 2], [3]]; n in [2, 1]};");
    const auto below =
        std::find_if(program.functions.begin(), program.functions.end(),
                     [](const Function& f) { return f.name.find("_BELOW") != std::string::npos; });
    Counts calls = counts_in(program.functions[0]);
    CHECK(calls.all[Op::kMinReduce] == (below == program.functions.end() ? 0 : 1));
    if (below == program.functions.end()) return false;
    Counts counts = counts_in(*below);
    CHECK(counts.outside[Op::kLt] == 1);
    CHECK(counts.all[Op::kCall] == 2);  // itself, and the loop that asks
    for (const Op op : {Op::kOrReduce, Op::kAndReduce, Op::kMinReduce, Op::kEq, Op::kGe})
      CHECK(counts.all[op] == 0);
    return true;
  };
  CHECK(told("i == #v", "n"));
  CHECK(told("i == n", "n"));
  CHECK(told("n == i", "n"));
  CHECK(told("i >= n", "n"));
  CHECK(told("n < i", "n"));
  CHECK(told("not(i < n)", "n"));
  CHECK_FALSE(told("i == n", "n - 1"));  // not the same numbers in the next step
  CHECK_FALSE(told("i + 9 < n", "n"));   // above the least number somebody may go round
  CHECK_FALSE(told("i /= n", "n"));
  CHECK_FALSE(told("i == n", "n", "let p = print_string(\"x\") in "));
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

TEST_CASE("bounds that follow from others are not checked") {
  const std::string v = "let v = dist(1, rand(9)) in ";
  for (const char* sure :
       {"subseq(v, 0, #v / 2);", "subseq(v, #v / 2, #v);", "bottop(v);", "reverse(v);", "take(v, #v);",
        "index(max(0, rand(9) - 5));", "index(#v - min(#v, rand(9)));", "even_elts(v);"}) {
    INFO(sure);
    CHECK(counts_of(v + sure)[Op::kExit] == 0);
  }
  for (const char* unsure : {"subseq(v, 1, #v);", "partition(v, [#v - 1, 2]);", "index(#v - 1);",
                             "subseq(v, 0, #v * 2);", "{subseq(v, i, #v) : i in [rand(9)]};"})
    CHECK(counts_of(v + unsure)[Op::kExit] == 1);
  // What was checked once is known from then on; what was checked for some instances only, is not.
  CHECK(counts_of(v + "let k = rand(9) in subseq(subseq(v, 0, k), 0, k);")[Op::kExit] == 1);
  CHECK(counts_of(v + "let k = rand(9) in ({subseq(v, 0, k) : i in v}, subseq(v, 0, k));")[Op::kExit] == 2);
}

TEST_CASE("a check is a conditional that writes and stops") {
  const Program program = program_of(
      "function fn(v, k) = if #v > 9 then fn(take(v, k), k) else {sqrt(x) / ln(x) : x in v}; {fn([2.0], i) : "
      "i "
      "in "
      "[1, 2]};");
  int checks = 0;
  for (const Function& f : program.functions)
    for (std::size_t i = 0; i < f.code.size(); ++i) {
      if (f.code[i].op != Op::kExit) continue;
      ++checks;
      CHECK(f.code[i - 1].op == Op::kWrite);
      CHECK((f.code[i + 1].op == Op::kElse || f.code[i + 1].op == Op::kEndif));
    }
  CHECK(checks >= 3);
}

TEST_CASE("arithmetic on constants is done when it is compiled, unless its result is no number") {
  CHECK(counts_of("{2.0 * pi * x / (1.5 + 0.25) : x in [0.5]};")[Op::kMul] == 1);
  auto counts =
      counts_of("(1.5 - 0.5, div_internal(1.0, 4.0), div_internal(1.0, 0.0), div_internal(0.0, 0.0));");
  CHECK(counts[Op::kSub] == 0);
  CHECK(counts[Op::kDiv] == 2);
}

TEST_CASE("maximum and minimum share the comparison, whichever way it was written") {
  CHECK(counts_of("let a = rand(5); b = rand(5) in max(a, b) - min(a, b);")[Op::kLt] == 1);
  CHECK(counts_of("let a = rand(5); b = rand(5) in (a > b, b > a, max(a, b), max(b, a));")[Op::kSelect] == 2);
}

TEST_CASE("out of what was picked is picked once") {
  const std::string v = "let v = {rand(i) : i in dist(9, 5)}; h = rand(5) in ";
  CHECK(counts_of(v + "reverse(subseq(v, 0, h));")[Op::kBpermute] == 1);
  auto rotated = counts_of(v + "subseq(v, h, #v) ++ subseq(v, 0, h);");
  CHECK(rotated[Op::kBpermute] == 1);
  CHECK(rotated[Op::kDpermute] == 0);
  // Unknown indices are checked against what they index.
  CHECK(counts_of(v + "subseq(v, 0, h) -> [h:h + 2];")[Op::kBpermute] == 2);
}

TEST_CASE("numbers at equal distances are counted, not computed") {
  auto counts = counts_of("let k = rand(5) in {{3 - (i * k + j) : i in [0:k]} : j in [0:4]};");
  CHECK(counts[Op::kIndex] == 2);  // of j, and of the results
  CHECK(counts_of("transpose([[1, 2], [3, rand(4)]]);")[Op::kMul] == 0);
}

TEST_CASE("sums of a known number over segments of a known length are known") {
  auto even = counts_of("let k = rand(5) in {sum({60000 : i in [0:9]}) + j : j in [0:k]};");
  CHECK(even[Op::kAddReduce] + even[Op::kMul] == 0);
  // Not where the lengths are not: what deals instances out sees them as sums.
  auto other = counts_of("let v = {rand(i) : i in dist(9, 5)} in {sum({2 : i in [0:x]}) : x in v};");
  CHECK(other[Op::kAddReduce] == 2);  // of lengths, of what is summed
  CHECK(other[Op::kMul] == 0);
}

TEST_CASE("all elements of a list are put together without taking them out") {
  auto counts = counts_of(
      "let v = {rand(i) : i in dist(9, 5)}; r = {reverse(x) : x in [v, take(v, 2)]} in r[0] ++ [7] ++ r[1];");
  CHECK(counts[Op::kBpermute] == 2);  // take, reverse
  CHECK(counts[Op::kDpermute] == 4);  // into the list, out of it
  CHECK(counts[Op::kAddScan] == 0);
}

TEST_CASE("effects happen for every instance, in place") {
  auto counts = counts_of("{rand(10) : x in [1, 2, 3]};");
  CHECK(counts[Op::kRand] == 1);
  CHECK(counts[Op::kDist] == 1);  // the bound, before the draw
}

TEST_CASE(
    "what time() measures is computed between its instructions, whatever was before and is wanted of it") {
  // Something computed before, needed or not, alone, in a function, nested, of an apply-to-each.
  for (const char* text :
       {"let v = dist(rand(9), 5); (s, tm) = time(sum(v)) in s;",
        "let v = dist(rand(9), 5); s = sum(v); (r, tm) = time(sum(v)) in (r, s);",
        "let v = dist(rand(9), 5); s = sum(v); (r, tm) = time(sum(v) - s) in tm;",
        "let v = dist(rand(9), 5); (r, tm) = time(sum(v)); s = sum(v) in (s, tm);",
        "function fn(v) = time(sum(v)); let v = dist(rand(9), 5); (s, tm) = fn(v) in tm + float(sum(v));",
        "let v = dist(rand(9), 5); ((s, inner), outer) = time(time(sum(v))) in outer;"}) {
    INFO(text);
    const Program program = program_of(text);
    int measured = 0;
    for (const Function& f : program.functions) {
      std::vector<Op> order;
      for (const Instr& instr : f.code)
        if (instr.op == Op::kStartTimer || instr.op == Op::kStopTimer || instr.op == Op::kAddReduce)
          order.push_back(instr.op);
      if (order == std::vector<Op>{Op::kStartTimer, Op::kAddReduce, Op::kStopTimer}) ++measured;
    }
    CHECK(measured == 1);
  }
}

TEST_CASE("names are legal VCODE and the entry comes first") {
  const Program program = program_of(
      "function f_x(n) = if n < 1 then n else f_x(n - 1); let s = {rem(x, 2) : x in [3]} in f_x(s[0] ^ 2);");
  CHECK(program.functions[0].name == "MAIN");
  for (const Function& f : program.functions)
    for (const char c : f.name) CHECK((std::isalnum(static_cast<unsigned char>(c)) || c == '_'));
}

namespace {

// Is every flavour of `fn` claimed to be tail-parallel?
bool claims_tail(const std::string& text) {
  bool found = false, all = true;
  for (const Function& f : program_of(text).functions) {
    found = found || f.origin == "fn";
    all = all && (f.origin != "fn" || f.tail_parallel);
  }
  CHECK(found);
  return all;
}

}  // namespace

TEST_CASE("recursion whose results are only concatenated is marked") {
  const std::string parts = "let a = {x in v | x < v[0]}; b = {x in v | x > v[0]} in ";
  const auto recursion = [&](const std::string& rest) {
    return claims_tail("function fn(v) = if #v < 2 then v else " + parts + rest + "; fn([3, 1, 2]);");
  };
  CHECK(recursion("let r = {fn(x) : x in [a, b]} in r[0] ++ [v[0]] ++ r[1]"));
  CHECK(recursion("flatten({fn(x) : x in [a, b]})"));
  CHECK(recursion("flatten([fn(a), v, fn(b)])"));
  CHECK(recursion("fn(a) ++ [v[0]] ++ fn(b)"));
  CHECK(recursion("let r = {fn(x) : x in [a, b]} in if #a > 3 then r[0] ++ b else a ++ r[1]"));
  CHECK(recursion("if #a == 0 then fn(b) else flatten({let c = x ++ x in c ++ fn(x) : x in [a, b]})"));
}

TEST_CASE("tail-parallel recursion in an apply-to-each is compiled once, lifted") {
  const auto flavours = [](const std::string& text) {
    std::string all;
    for (const Function& f : program_of(text).functions)
      if (f.origin == "fn") all += f.lifted ? "L" : "s";
    return all;
  };
  const std::string begin = "function fn(v) = if #v < 2 then v else let r = v[1]; a = {x in v | x < r}; ";
  CHECK(flavours(begin + "b = {x in v | x >= r}; in flatten({fn(p) : p in [a, b]}); fn([3, 1, 2]);") == "L");
  // Called by itself as serial code, too.
  CHECK(flavours(begin + "in fn(a) ++ [r]; fn([3, 1, 2]);") == "s");
  // Results that are computed with.
  CHECK(flavours("function fn(n) = if n < 2 then n else sum({fn(m) : m in [n - 1, n - 2]}); fn(5);") == "sL");
}

TEST_CASE("recursion whose results are used otherwise is not marked as tail-parallel") {
  const std::string parts = "let a = {x in v | x < v[0]}; b = {x in v | x > v[0]} in ";
  const auto recursion = [&](const std::string& rest) {
    return claims_tail("function fn(v) = if #v < 2 then v else " + parts + rest + "; fn([3, 1, 2]);");
  };
  CHECK_FALSE(recursion("let r = {fn(x) : x in [a, b]} in r[0] ++ r[0]"));        // twice
  CHECK_FALSE(recursion("let r = {fn(x) : x in [a, b]} in flatten(r) ++ r[1]"));  // twice
  CHECK_FALSE(recursion("let r = {fn(x) : x in [a, b]} in r[#a] ++ r[1]"));       // which one?
  CHECK_FALSE(recursion("let r = {fn(x) : x in [a, b]} in r[0] ++ [#r[1]]"));     // looked at
  CHECK_FALSE(recursion("reverse(fn(a)) ++ fn(b)"));
  CHECK_FALSE(recursion("{x + 1 : x in fn(a ++ b)}"));
  CHECK_FALSE(recursion("fn(fn(a) ++ b)"));
  CHECK_FALSE(recursion("if #fn(a) > 1 then fn(b) else fn(a)"));
  CHECK_FALSE(recursion("let r = fn(a) in flatten({r ++ fn(x) : x in [a, b]})"));
  CHECK_FALSE(claims_tail("function fn(n) = if n < 2 then n else fn(n - 1) + fn(n - 2); fn(5);"));
  CHECK_FALSE(claims_tail(
      "function g(v) : [int] -> [int]; function fn(v) = if #v < 2 then v else g(v) ++ fn(take(v, 1));"
      "function g(v) = if #v < 3 then fn(drop(v, 1)) else v; fn([3, 1, 2]);"));
}

TEST_CASE("the groups of a split taken one by one are packed, as a whole they are moved") {
  auto one_by_one = counts_of("let v = index(9); s = split(v, {x > 3 : x in v}) in (sum(s[0]), s[1]);");
  CHECK(one_by_one[Op::kPack] == 2);
  CHECK(one_by_one[Op::kPermute] == 0);
  CHECK(one_by_one[Op::kAddScan] == 0);
  auto whole = counts_of("let v = index(9) in {sum(g) : g in split(v, {x > 3 : x in v})};");
  CHECK(whole[Op::kPack] == 0);
  CHECK(whole[Op::kPermute] == 1);
  auto unused = counts_of("let v = [(1, 2.5), (3, 4.5)]; s = split(v, [t, f]) in {y : (x, y) in s[1]};");
  CHECK(unused[Op::kPermute] == 0);
  auto fields = counts_of(
      "let v = {(rand(i), float(i), [i], i > 3) : i in dist(9, 5)}; s = split(v, {b : (x, y, z, b) in v}) "
      "in ({(x, y) : (x, y, z, b) in s[0]}, {(x, y) : (x, y, z, b) in s[1]});");
  CHECK(fields[Op::kPack] == 4);  // two fields of each, and no permutation
  CHECK(fields[Op::kBpermute] == 0);
  auto inside = counts_of("{let s = split(v, {x > 3 : x in v}) in s[1] : v in [[1, 5], [7]]};");
  CHECK(inside[Op::kPack] == 1);
  CHECK(inside[Op::kBpermute] == 0);
}

TEST_CASE("what a split moves is moved before the host makes its descriptor") {
  const Program program = program_of("let v = index(9); s = split(v, {x > 3 : x in v}) in s[0] ++ s[1];");
  std::vector<Op> order;
  for (const Instr& instr : program.functions[0].code)
    if (instr.op == Op::kPermute || instr.op == Op::kReplace) order.push_back(instr.op);
  REQUIRE(order.size() >= 2);
  CHECK(order.front() == Op::kPermute);
}

TEST_CASE("parameters and results that nobody needs are not handed over") {
  const std::string rest = " in if s < 9 then fn(a + 1, b, c) else (a, c);";
  auto all = counts_of("function fn(a, b, c) = let s = a * b" + rest + "{fn(x, 2, float(x)) : x in [1, 2]};");
  auto some = counts_of("function fn(a, b, c) = let s = a * b" + rest +
                        "{let (y, z) = fn(x, 2, float(x)) in y : x in [1, 2]};");
  CHECK(all[Op::kPack] - some[Op::kPack] > 0);
  CHECK(all[Op::kDpermute] - some[Op::kDpermute] > 0);
}

TEST_CASE("division by a constant cannot fail, so it may be selected from") {
  CHECK(counts_of("{if x > 2 then x / 2 else x : x in [1, 5]};")[Op::kIf] == 0);
  CHECK(counts_of("{if x > 2.0 then 1.0 / 2.0 else x / 4.0 : x in [1.0, 5.0]};")[Op::kIf] == 0);
  CHECK(counts_of("{if x > 2 then x / 0 else x : x in [1, 5]};")[Op::kIf] > 0);
  CHECK(counts_of("{if x > 2 then 7 / x else x : x in [1, 5]};")[Op::kIf] > 0);
}

TEST_CASE("a sequence nested very deeply is no more work than its depth") {
  const auto literal = [](int depth) {
    const std::string open(static_cast<std::size_t>(depth), '['), close(static_cast<std::size_t>(depth), ']');
    return open + "1" + close + ";";
  };
  const auto size = [&](int depth) { return program_of(literal(depth)).functions[0].code.size(); };
  CHECK(size(300) - size(200) == size(200) - size(100));
  CHECK(size(900) > 0);
}
