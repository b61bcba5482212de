#include "vm/lib/nesl_session.h"

#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "tests/support/isas.h"
#include "vm/lib/nesl.hpp"

using namespace nvm;
using lib::NeslStatus;

namespace {

// A session whose output is kept.
struct Top {
  std::ostringstream out, err;
  lib::Nesl nesl;
  explicit Top(bool interactive = true) : nesl(options(interactive), out, err) {}
  static lib::NeslOptions options(bool interactive) {
    lib::NeslOptions o;
    o.interactive = interactive;
    o.show_all = true;
    o.vm.allow = {{"/"}, {"/"}, true};
    return o;
  }
  std::string operator()(const std::string& text) {
    out.str("");
    err.str("");
    status = nesl.run_text(text, "in");
    return out.str();
  }
  NeslStatus status = NeslStatus::kOk;
};

// A file that goes with its scope.
struct TemporaryFile {
  std::string path;
  explicit TemporaryFile(const std::string& ending, const std::string& text = "")
      : path("/tmp/nvm_session_" + std::to_string(::getpid()) + ending) {
    std::ofstream(path) << text;
  }
  ~TemporaryFile() { std::remove(path.c_str()); }
};

}  // namespace

TEST_CASE("no session has INTs of other widths") {
  for (const int bits : {0, 16, 31, 33, -1}) {
    lib::NeslOptions options;
    options.int_bits = bits;
    std::ostringstream out, err;
    lib::Nesl nesl(options, out, err);
    CHECK(err.str() == "nvm: INT of " + std::to_string(bits) + " bits: expected 32 or 64\n");
    CHECK(nesl.run_text("1;", "in") == NeslStatus::kRunError);
    CHECK(out.str().empty());
  }
}

TEST_CASE("long result lines are folded as the legacy top level folds them") {
  const auto fold = [](std::size_t n) { return vm::fold_result("it", std::string(n, 'v'), "[char]", 120); };
  const auto v = [](std::size_t n) { return std::string(n, 'v'); };
  CHECK(fold(106) == "it = " + v(106) + " : [char]");
  CHECK(fold(107) == "it\n = " + v(107) + " : [char]");
  CHECK(fold(109) == "it = \n  " + v(109) + " : [char]");
  CHECK(fold(112) == "it = " + v(112) + "\n      : [char]");
  CHECK(fold(116) == "it\n = " + v(116) + "\n    : [char]");
  CHECK(vm::fold_result("it", v(500), "[char]", 0) == "it = " + v(500) + " : [char]");
}

TEST_CASE("nothing of a text runs if something of it does not compile") {
  Top top(false);
  CHECK(top("1;\n2 + ;\n3 + `a;").empty());
  CHECK(top.status == NeslStatus::kCompileError);
  CHECK(top.err.str().find("in:2:") != std::string::npos);  // both errors are reported
  CHECK(top.err.str().find("in:3:") != std::string::npos);
}

TEST_CASE("a range that is too long is not just a negative length") {
  Top top;
  const auto said = [&](const std::string& text) {
    static_cast<void>(top(text));
    return top.err.str();
  };
  for (const char* text : {"#[-5:9223372036854775807];", "#[-9223372036854775807:9223372036854775807];",
                           "{#[i:9223372036854775807] : i in [1,-1]};"}) {
    INFO(text);
    CHECK(said(text).find(", or a range of more elements than INT can count\n") != std::string::npos);
  }
  CHECK(said("dist(1,-1);").find("negative length -1, sequence 0\n") != std::string::npos);
}

TEST_CASE("a run-time error names the innermost line of the user's text and ends it") {
  Top top(false);
  CHECK(top("1;\nfunction g(a) =\n a[5];\n\ng([1]) + 1;\n2;") ==
        "it = 1 : int\ng = fn : [a] -> a :: (a in any)\n");
  CHECK(top.status == NeslStatus::kRunError);
  CHECK(top.err.str().starts_with("in:3: run-time error"));
  Top check(false);
  check("\n\ntake([1], 2);");
  CHECK(check.err.str().starts_with("in:3: "));
}

TEST_CASE("variables keep their values, functions bound to variables their code") {
  Top top;
  top("x = [[1, 2], [] int]; inc = (a => a + 1);");
  CHECK(top("#x, flatten(x), inc(41);") == "it = (2, [1, 2], 42) : int, [int], int\n");
  CHECK(top("it;") == "it = (2, [1, 2], 42) : int, [int], int\n");
}

TEST_CASE("describe and apropos know the prelude, primitives and the session's functions") {
  Top top;
  CHECK(top("describe median;").find("kth_smallest(s, #s / 2)") != std::string::npos);
  CHECK(top("describe +;").find("*Primitive*") != std::string::npos);
  CHECK(top("describe +;").find("Sum.") != std::string::npos);
  CHECK(top("describe nosuch;") == "NOSUCH not found.\n");
  CHECK(top("apropos median;") == "median : [a] -> a :: (a in ordinal)\n");
  CHECK(top("apropos __;").empty());
  CHECK(top("describe prim_sqrt;").find("float -> float") != std::string::npos);
  for (const char* command : {"describe time;", "help time;"})
    CHECK(top(command).find("a -> (a, float) :: (a in any)") != std::string::npos);
}

TEST_CASE("traced functions say what they do until tracing is off") {
  Top top;
  top("function g(x) = let y = x + 1 in y * 2;");
  top("set trace g 1;");
  CHECK(top.err.str().empty());
  CHECK(top("show status;").find("traced: g") != std::string::npos);
  CHECK(top("g(1);") == "it = 4 : int\n");
  top("set trace off;");
  CHECK(top("show status;").find("traced") == std::string::npos);
  const auto refused = [&](const std::string& name) {
    return top("set trace " + name + " 1;"), top.err.str();
  };
  CHECK(refused("plusp").find("PLUSP is a primitive, it cannot be traced.") != std::string::npos);
  CHECK(refused("pi").find("PI is not a function.") != std::string::npos);
  CHECK(refused("no_such").find("NO_SUCH is not a function.") != std::string::npos);
}

TEST_CASE("built-in functions are traced where a user calls them, and are themselves again afterwards") {
  Top top;
  for (const char* form : {"set trace kth_smallest 2;", "set trace median 1;", "set profile sort on;"})
    top(form);
  CHECK(top.err.str().empty());
  CHECK(top("median([3,1,2]);") == "it = 2 : int\n");
  CHECK(top("kth_smallest([3,1,2], 0);") == "it = 1 : int\n");
  CHECK(top("sort([3.0,1.0]);") == "it = [1.0, 3.0] : [float]\n");
  CHECK(top("{median(s) : s in [[1.0],[7.0,2.0,3.0]]};") == "it = [1.0, 3.0] : [float]\n");
  CHECK(top("show status;").find("traced: median") != std::string::npos);
  for (const char* form : {"set trace off;", "set profile off;"}) top(form);
  CHECK(top("median([3,1,2]);") == "it = 2 : int\n");
  CHECK(top("describe median;").find("the upper of two") != std::string::npos);
  CHECK(top.err.str().empty());
}

TEST_CASE("an instrumented function prints its bindings and computes the same") {
  Diagnostics diagnostics("t", "function g(x) = let y = x + 1 in y * 2;");
  const std::string text = "function g(x) = let y = x + 1 in y * 2;";
  const frontend::Source source{"t", text, 1, false};
  frontend::Parser parser(source, diagnostics);
  const auto form = parser.next_form();
  REQUIRE(form);
  CHECK(vm::instrumented_text(*form, 0, false) == text);
  const std::string traced = vm::instrumented_text(*form, 4, false);
  CHECK(traced.find("Entering G") != std::string::npos);
  CHECK(traced.find("  Y = ") != std::string::npos);
  CHECK(vm::instrumented_text(*form, 0, true).find("time(") != std::string::npos);
}

TEST_CASE("load runs a file quietly, or shows its results if asked") {
  Top top;
  TemporaryFile file(".nesl", "#!/usr/bin/env -S nvm run\nk = 3;\nk + 1;\n");
  CHECK(top("load \"" + file.path + "\", verbose := f;").empty());
  CHECK(top("k;") == "it = 3 : int\n");
  CHECK(top("load \"" + file.path + "\", print := t, verbose := f;") == "k = 3 : int\nit = 4 : int\n");
  top("load \"/nonexistent\";");
  CHECK(top.err.str().find("does not exist") != std::string::npos);
}

TEST_CASE("the code of a function is shown as it is made, once or for many instances") {
  Top top;
  top("function g(v) = sum(v) + #v;");
  const std::string once = top("show compiled g f;"), many = top("show compiled g t;");
  CHECK(once.find("+_REDUCE INT") != std::string::npos);
  CHECK(many.find("+_REDUCE INT") != std::string::npos);
  CHECK(once != many);
  CHECK(top("show compiled g;") == once);
  CHECK(top("show compiled g x;").empty());
  CHECK(top.err.str().find("show compiled NAME t|f") != std::string::npos);
  CHECK(top("show compiled max_index t;").find("MAX_REDUCE INT") != std::string::npos);
  CHECK(top("show compiled map t;") == "MAP is compiled anew for every function that it is given.\n");
  CHECK(top("show compiled sum t;") == "SUM is a primitive.\n");
  CHECK(top("show compiled pi t;") == "PI is not a function definition.\n");
  CHECK(top("show compiled nosuch t;") == "Function NOSUCH not found.\n");
}

TEST_CASE("configurations are kept by name, and one of them is the current one") {
  Top top;
  CHECK(top("show configs;") == "local\n");
  top("defconfig far, machine_name := \"far.away\"; set memory_size 1000;");
  CHECK(top("show configs;") == "far\nlocal\n");
  CHECK(top("show config;") == "defconfig local\nmemory_size: 1000\n");
  top("set config far;");
  CHECK(top("show config;").starts_with("defconfig far, machine_name := \"far.away\"\n"));
  top("set config near;");
  CHECK(top.err.str().find("NEAR is not a valid configuration.") != std::string::npos);
}

TEST_CASE("the editor gets the file, which is then loaded, and none of the session's input") {
  Top top;
  TemporaryFile file("_it's.nesl", "k = 3;\n");
  top("set editor \"echo 'k = 4;' >\";");
  top("edit \"" + file.path + "\";");
  CHECK(top("k;") == "it = 4 : int\n");
  top("set editor \"cat\"; edit;");  // ends though nothing was loaded yet to edit: its input is empty
  top("set editor \"false\"; edit \"" + file.path + "\"; k + 1;");
  CHECK(top.out.str() == "The editor failed.\nit = 5 : int\n");
}

TEST_CASE("files come in as values and go out") {
  Top top;
  TemporaryFile table(".csv", "x,y\n1,2.5\n3,4\n"), text(".txt", "hi"), array(".npy");
  CHECK(!top.nesl.bind_file("m", table.path));
  CHECK(top("m;") == "it = [[1.0, 2.5], [3.0, 4.0]] : [[float]]\n");
  CHECK(!top.nesl.bind_file("s", text.path));
  CHECK(top("s;") == "it = \"hi\" : [char]\n");
  CHECK(!top.nesl.save_file("m", array.path));
  CHECK(!top.nesl.bind_file("n", array.path));
  CHECK(top("eql(m, n);") == "it = T : bool\n");
  CHECK(top.nesl.bind_file("z", "/nonexistent.npy").has_value());
  top("zeros = [0.0] ++ {-1.0 * a : a in [0.0, 0.5]};");
  CHECK(!top.nesl.save_file("zeros", table.path));
  std::ifstream saved(table.path);
  CHECK(std::string{std::istreambuf_iterator<char>(saved), {}} == "0.0\n-0.0\n-0.5\n");
  top("ragged = [[1], [2, 3]];");
  CHECK(top.nesl.save_file("ragged", array.path).has_value());
}

TEST_CASE("an expression compiles to a program with the values of its variables") {
  Top top(false);
  top.nesl.compile_only();
  top("k = [1, 2, 3]; function g(x) = x + #k; 1;");
  const auto vcode = top.nesl.compile("g(4)");
  REQUIRE(vcode);
  auto program = lib::Program::from_text(*vcode, "t");
  REQUIRE(program);
  lib::Vm vm;
  auto run = vm.run(*program);
  REQUIRE(run);
  CHECK(run->values.at(0).int_at(0) == 7);
  CHECK(!top.nesl.compile("nosuch").has_value());
}

TEST_CASE("what is written of a combining scatter means what it means where it is one instruction") {
  const std::string pairs = "function at(k, n) = {(rem(i * 7 + k, 5), i - 3) : i in [0:n]};";
  for (const std::string of : {"scatter_add(e, at(k, n))", "scatter_min(e, at(k, n))",
                               "scatter_max(e, at(k, n))", "bin_counts({i : (i, x) in at(k, n)}, 5)",
                               "scatter_add({float(x) : x in e}, {(i, float(x)) : (i, x) in at(k, n)})",
                               "scatter_or({x == 1 : x in e}, {(i, x == 2) : (i, x) in at(k, n)})"}) {
    const std::string all =
        "let e = [5, 0, -7, 2, 1] in string({" + of + " : k in [0, 1, 3]; n in [0, 1, 20]})";
    INFO(all);
    Top executed, written;
    const std::string want = executed(pairs + all + ";");
    written(pairs + "1;");
    const auto vcode = written.nesl.compile(all);
    REQUIRE(vcode);
    CHECK(vcode->find("_DPERMUTE") == std::string::npos);
    auto program = lib::Program::from_text(*vcode, "t");
    REQUIRE(program);
    lib::Vm vm;
    auto run = vm.run(*program);
    REQUIRE(run);
    std::string text;
    for (std::int64_t i = 0; i < run->values.back().size(); ++i)
      text += static_cast<char>(run->values.back().int_at(i));
    CHECK(want.find(text) != std::string::npos);
    CHECK(text.size() > 20);
  }
}

TEST_CASE("a check runs nothing and finds functions that are only declared") {
  Top top(false);
  TemporaryFile good(".nesl", "function g(x) = x + 1;\ng(1) / 0;\n");
  CHECK(top.nesl.check_file(good.path) == NeslStatus::kOk);
  CHECK(top.out.str() == "g : int -> int\nit : int\n");
  Top other(false);
  TemporaryFile bad("_bad.nesl", "function g(x) : int -> int;\nfunction h(x) = g(x);\n");
  CHECK(other.nesl.check_file(bad.path) == NeslStatus::kCompileError);
}

TEST_CASE("a terminal reads on until a form is whole") {
  CHECK(lib::Nesl::incomplete("let a = 1 in"));
  CHECK(lib::Nesl::incomplete("1 + 2"));
  CHECK(lib::Nesl::incomplete("% a comment"));
  CHECK(lib::Nesl::incomplete("function g(x) ="));
  CHECK(lib::Nesl::incomplete("function g(x"));
  CHECK(!lib::Nesl::incomplete("function f(x) ="));  // no more text makes this a name
  CHECK(!lib::Nesl::incomplete("1 + 2;"));
  CHECK(!lib::Nesl::incomplete("1 + + 2;"));
}

TEST_CASE("showing a long result can be given up") {
  std::atomic<bool> cancelled{false};
  struct Stop : std::stringbuf {
    std::atomic<bool>& flag;
    explicit Stop(std::atomic<bool>& f) : flag(f) {}
    std::streamsize xsputn(const char* text, std::streamsize n) override {
      flag = true;
      return std::stringbuf::xsputn(text, n);
    }
  } first_write(cancelled);
  std::ostream out(&first_write);
  std::ostringstream err;
  lib::NeslOptions options;
  options.print_length = 1000000;
  options.vm.cancelled = &cancelled;
  lib::Nesl nesl(options, out, err);
  CHECK(nesl.run_text("[0:100000];", "in") == NeslStatus::kRunError);
  CHECK(first_write.str().size() < 100000);
  CHECK(err.str() == "\nnvm: interrupted while a result was shown\n");
  CHECK(out.good());
  cancelled = false;
  CHECK(nesl.run_text("7;", "in") != NeslStatus::kCompileError);
}

TEST_CASE("a prepared expression runs on memory that was bound") {
  Top top(false);
  const std::vector<double> x{1.0, 2.0, 3.0};
  const std::int64_t three[] = {3}, lengths[] = {1, 2}, two[] = {2};
  const lib::Value parts[] = {*lib::make_segdes(three), lib::foreign(x.data(), 3, nullptr, nullptr)};
  CHECK(!top.nesl.bind("xs", "[float]", parts));
  const lib::Value nested[] = {*lib::make_segdes(two), *lib::make_segdes(lengths), parts[1]};
  CHECK(!top.nesl.bind("rows", "[[float]]", nested));
  CHECK(top("(sum(xs), {sum(r) : r in rows});") == "it = (6.0, [1.0, 5.0]) : float, [float]\n");
  top("function twice(v) = {2.0 * x : x in v};");
  const auto prepared = top.nesl.prepare("twice(xs)");
  REQUIRE(prepared);
  lib::Vm vm;
  for (int i = 0; i < 2; ++i) {
    auto run = vm.run(prepared->program, prepared->inputs);
    REQUIRE(run);
    CHECK(run->values.at(1).float_at(2) == 6.0);
  }
  CHECK(!vm.run(prepared->program, std::span(prepared->inputs).first(1)));
  const lib::Value swapped[] = {prepared->inputs[1], prepared->inputs[1]};
  CHECK(!vm.run(prepared->program, swapped));
  CHECK(top.nesl.bind("y", "[float]", nested) == "a value of type [float] has 2 parts, not 3");
  CHECK(top.nesl.bind("y", "nosuch", parts).has_value());
  CHECK(!top.nesl.prepare("twice(nosuch)"));
}

// Of memory that is bound nobody knows how long it is before it is looked at.
TEST_CASE("functions that are called on what was bound are lifted") {
  Top top(false);
  const std::vector<double> x(40, 3.0);
  const std::int64_t forty[] = {40};
  const lib::Value parts[] = {*lib::make_segdes(forty), lib::foreign(x.data(), 40, nullptr, nullptr)};
  REQUIRE(!top.nesl.bind("xs", "[float]", parts));
  top("function halve(x, n) = if x < 0.1 then n else halve(x / 2.0, n + 1);");
  const auto prepared = top.nesl.prepare("{halve(x, 0) : x in xs}");
  REQUIRE(prepared);
  lib::Options options;
  options.jit = lib::Jit::kAlways;
  lib::Vm vm(options);
  auto run = vm.run(prepared->program, prepared->inputs);
  REQUIRE(run);
  CHECK(run->values.at(1).int_at(39) == 5);
  if (!testing::isas().empty()) CHECK(run->counters.masked_loops == 1U);
}
