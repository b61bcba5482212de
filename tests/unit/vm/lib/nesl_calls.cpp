// NESL functions as a host calls them, from C++ and from C.
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstring>
#include <limits>
#include <sstream>
#include <string>
#include <thread>

#include "tests/support/lent.h"
#include "vm/lib/nesl_call.hpp"
#include "vm/lib/nvm.h"

namespace {

using namespace nvm::lib;

struct Session {
  std::ostringstream out, err;
  Nesl nesl{{}, out, err};
  void define(const char* text) {
    const auto defined = nesl.define(text, "test");
    INFO((defined ? "" : defined.failure().message));
    REQUIRE(defined);
  }
};

using Ints = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("a function is called with each kind of argument and gives each kind of result") {
  Session s;
  s.define(
      "function same(x) = x;\n"
      "function ends(v) = (v[0], v[#v - 1]);\n"
      "function sums(m) = {sum(r) : r in m};\n"
      "function measure(s, k) = (#s, k + 1.5);");
  CHECK(*NeslFunction<std::int64_t(std::int64_t)>(s.nesl, "same")(std::numeric_limits<std::int64_t>::min()) ==
        std::numeric_limits<std::int64_t>::min());
  CHECK(*NeslFunction<bool(bool)>(s.nesl, "same")(true));
  CHECK(*NeslFunction<std::string(std::string)>(s.nesl, "same")("a\xff\"b") == "a\xff\"b");
  CHECK(NeslFunction<Ints(Ints)>(s.nesl, "same")({})->empty());
  const std::vector<Ints> nest = {{1, 2}, {}, {3}};
  CHECK(*NeslFunction<std::vector<Ints>(std::vector<Ints>)>(s.nesl, "same")(nest) == nest);
  CHECK(*NeslFunction<Ints(std::vector<Ints>)>(s.nesl, "sums")(nest) == Ints{3, 0, 3});
  const std::vector<std::pair<std::string, double>> named = {{"a", 1.5}, {"", -0.0}};
  using Named = std::vector<std::pair<std::string, double>>;
  CHECK(*NeslFunction<Named(Named)>(s.nesl, "same")(named) == named);
  CHECK(*NeslFunction<std::pair<double, double>(std::vector<double>)>(s.nesl, "ends")({2.0, 3.0}) ==
        std::pair(2.0, 3.0));
  using Measured = std::tuple<std::int64_t, double>;
  CHECK(*NeslFunction<Measured(std::string, double)>(s.nesl, "measure")("hello", 2.0) == Measured(5, 3.5));
  CHECK(*NeslFunction<std::int64_t(std::int64_t, std::int64_t)>(s.nesl, "max")(2, 7) == 7);
}

TEST_CASE("the last form of definitions needs no terminator and has a name, too") {
  Session s;
  auto defined = s.nesl.define("function one(x) = 1; function twice(x) = x + x", "test");
  REQUIRE(defined);
  CHECK(*defined == std::vector<std::string>{"one", "twice"});
}

TEST_CASE("records and constants of the session take part in calls") {
  Session s;
  s.define(
      "datatype point(float, float);\n"
      "scale = 2.0;\n"
      "function stretch(p) = let point(x, y) = p in point(x * scale, y * scale);");
  const std::vector<double> x = {1.0, 2.0}, y = {3.0, 4.0};
  const std::int64_t two = 2;
  const NeslValue points{"[point]", {*make_segdes({&two, 1}), make_floats(x), make_floats(y)}};
  auto stretched = s.nesl.call("v => {stretch(p) : p in v}", std::vector{points});
  if (!stretched) FAIL(stretched.failure().message);
  CHECK(stretched->type == "[point]");
}

TEST_CASE("elements are lent, and seen in the result without a copy") {
  Session s;
  s.define("function same(x) = x;");
  const nvm::test::Lent<double, 1000> x(0.5);
  auto value = s.nesl.call("same", std::vector{to_nesl(std::span<const double>(x.elements))});
  REQUIRE(value);
  CHECK(value->parts.at(1).data() == x.elements);
}

TEST_CASE("a definition that is made again is the one that is called") {
  Session s;
  s.define("function next(x) = x + 1;");
  const NeslFunction<std::int64_t(std::int64_t)> f(s.nesl, "next");
  CHECK(*f(1) == 2);
  s.define("function next(x) = x + 2;");
  CHECK(*f(1) == 3);
}

TEST_CASE("what does not compile, does not fit or fails says what and where") {
  Session s;
  const auto defined = s.nesl.define("function g(v) =\n  sum(v) + `a;", "mine");
  REQUIRE(!defined);
  REQUIRE(!defined.failure().messages.empty());
  CHECK(defined.failure().messages.front().file == "mine");
  CHECK(defined.failure().messages.front().line == 2);

  s.define("function at(v, i) =\n  v[i];");
  const auto failed = NeslFunction<std::int64_t(Ints, std::int64_t)>(s.nesl, "at")({1, 2, 3}, 3);
  REQUIRE(!failed);
  CHECK(failed.failure().cause == Failure::Cause::kIndex);
  CHECK(failed.failure().origin_line == 2);
  CHECK(failed.failure().reason.find("index 3") != std::string::npos);
  CHECK(*NeslFunction<std::int64_t(Ints, std::int64_t)>(s.nesl, "at")({1, 2, 3}, 2) == 3);

  CHECK(!NeslFunction<std::int64_t(std::string)>(s.nesl, "at")("too few"));
  CHECK(!s.nesl.call("there_is_none", {}));
  CHECK(!s.nesl.call("at", std::vector<NeslValue>{{"[int", {}}}));
  CHECK(!s.nesl.call("sum", std::vector<NeslValue>{{"[int]", {make_ints({})}}}));
  CHECK(!NeslFunction<double(Ints)>(s.nesl, "sum")({1}));
  CHECK(s.err.str().empty());
}

// Which function one is no vector says, and of a type that is open nobody knows the vectors.
TEST_CASE("only data comes into a session and leaves it") {
  Session s;
  s.define("function apply(f, x) = f(x); datatype holder(int -> int); datatype box(a) :: (a in any);");
  const std::int64_t one = 1;
  const std::vector<Value> parts = {make_ints({&one, 1})};
  for (const char* type :
       {"int -> int", "[int -> int]", "(int, int -> int)", "holder", "[holder]", "box(int -> int)", "a",
        "[a]", "box(a)", "int :: (a in any)", "a :: (a in number)", "int) ++ [] (int", "int); x = (1",
        "int); (int", "", "%", "int % a", "[int", "nothing"})
    for (std::size_t n = 0; n <= 1; ++n) {
      INFO(type);
      CHECK(s.nesl.bind("x", type, std::span(parts).first(n)).value_or("") != "");
      const auto called =
          s.nesl.call("x => 1", std::vector<NeslValue>{{type, {parts.begin(), parts.begin() + n}}});
      REQUIRE(!called);
      CHECK(called.failure().reason != "");
    }
  CHECK(s.nesl.run_text("x;", "in") == NeslStatus::kCompileError);
  CHECK(s.nesl.bind("x", "[int -> int]", parts) ==
        "a value of type [int -> int] has functions in it, which do not leave a session or come into it");
  const NeslFunction<double(std::int64_t)> closure(s.nesl, "x => (y => x)");
  CHECK(closure(1).failure().reason ==
        "a value of type a -> int :: (a in any) has functions in it, which do not leave a session or come "
        "into it");
  CHECK(!s.nesl.call("x => (x, apply)", std::vector<NeslValue>{{"int", parts}}));
  CHECK(!s.nesl.call("x => holder(y => y + x)", std::vector<NeslValue>{{"int", parts}}));
  CHECK(s.nesl.call("x => apply(y => y + x, x)", std::vector<NeslValue>{{"int", parts}}));
  // What a call gives, a call takes.
  for (const char* function : {"x => []", "x => [[], [x]]", "x => box(x)", "x => {box(i, []) : i in [0:x]}"})
    if (auto given = s.nesl.call(function, std::vector<NeslValue>{{"int", parts}})) {
      const auto taken = s.nesl.call("y => y", std::vector{*given});
      INFO(function << ": " << given->type << ": " << (taken ? "" : taken.failure().reason));
      CHECK(taken);
    }
}

TEST_CASE("values are bound to names that programs can write") {
  Session s;
  const std::int64_t one = 1;
  const Value parts[] = {make_ints({&one, 1})};
  for (const char* name : {"", "1a", "if", "T", "f", "a b", "a;", "a.b", "time", "+", "x\n", "\xc3\xa9"}) {
    INFO(name);
    CHECK(s.nesl.bind(name, "int", parts).has_value());
    CHECK(s.nesl.bind_text(name, "text").has_value());
    CHECK(s.nesl.bind_file(name, "1").has_value());
  }
  CHECK(s.nesl.bind_text("", "text") == "an empty text cannot name a variable");
  CHECK(!s.nesl.bind("A_1", "int", parts));
  CHECK(s.nesl.run_text("a_1;", "in") == NeslStatus::kOk);
}

TEST_CASE("what no session could be made for is no want of memory") {
  NeslOptions options;
  options.int_bits = 16;
  std::ostringstream out, err;
  Nesl nesl(options, out, err);
  const auto called = nesl.call("sum", {});
  REQUIRE(!called);
  CHECK(called.failure().reason.starts_with("there is no session"));
}

TEST_CASE("a definition that fails while it is computed says why and where") {
  Session s;
  const auto failed = s.nesl.define("function inverse(x) =\n  1 / x;\ny = 2;\nx = inverse(0);", "mine");
  REQUIRE(!failed);
  CHECK(failed.failure().kind == Failure::Class::kRuntime);
  CHECK(failed.failure().cause == Failure::Cause::kDivide);
  CHECK(failed.failure().reason == "division by zero in / at position 0");
  CHECK(failed.failure().origin_file == "mine");
  CHECK(failed.failure().origin_line == 2);
  CHECK(failed.failure().message ==
        "mine:2: run-time error: division by zero in / at position 0\n  1 / x;\n  in inverse\n");
  const auto ended = s.nesl.define("a = 1;\nexit; b = 2;", "yours");
  REQUIRE(!ended);
  CHECK(ended.failure().message == "yours:2: the definitions ended by exit\n");
  CHECK(ended.failure().origin_line == 2);
  CHECK(s.err.str().empty());
  CHECK(s.nesl.run_text("1 / 0;", "in") == NeslStatus::kRunError);
  CHECK(s.err.str().starts_with("in:1: run-time error: division by zero"));
}

TEST_CASE("a call is cancelled by the machine of its session") {
  Session s;
  s.define("function forever(x) = if x < 0 then 0 else forever(x + 1);");
  std::atomic<bool> ended{false};
  std::thread canceller([&] {
    while (!ended) {
      s.nesl.machine().cancel();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  const auto called = NeslFunction<std::int64_t(std::int64_t)>(s.nesl, "forever")(0);
  ended = true;
  canceller.join();
  REQUIRE(!called);
  CHECK(called.failure().cause == Failure::Cause::kInterrupted);
}

TEST_CASE("a call that ends by a check that fails says where") {
  Session s;
  s.define("function both(v, w) =\n  {a + b : a in v; b in w};");
  const auto called = NeslFunction<Ints(Ints, Ints)>(s.nesl, "both")({1, 2}, {1, 2, 3});
  REQUIRE(!called);
  CHECK(called.failure().origin_line == 2);
  CHECK(called.failure().origin_file == "test");
}

TEST_CASE("C: sequences, nests, tuples, texts and records go in and come out") {
  const char text[] =
      "datatype point(float, float);\n"
      "function abscissa(p) = let point(x, y) = p in x;\n"
      "function sums(m, k) = {sum(r) * k : r in m};\n"
      "function measure(p, s) = let (a, b) = p in (a, b, #s);";
  nvm_nesl* s = nvm_nesl_new(nullptr);
  const int wrong = nvm_nesl_define(s, text, std::strlen(text), "t.nesl");
  INFO(nvm_error());
  REQUIRE(wrong == 0);
  const std::int64_t elements[] = {1, 2, 3, 4, 5}, lengths[] = {2, 0, 3};
  nvm_value* v = nvm_foreign_ints(elements, 5, nullptr, nullptr);
  nvm_nesl_value* flat = nvm_nesl_sequence(v);
  nvm_nesl_value* nest = nvm_nesl_nest(flat, lengths, 3);
  CHECK(nvm_nesl_type(nest) == std::string("[[int]]"));
  nvm_nesl_value* two = nvm_nesl_int(2);
  nvm_nesl_value* arguments[] = {nest, two};
  nvm_nesl_value* sums = nvm_nesl_call(s, "sums", arguments, 2);
  REQUIRE(sums != nullptr);
  REQUIRE(nvm_nesl_part_count(sums) == 2);
  nvm_value* part = nvm_nesl_part(sums, 1);
  CHECK((nvm_value_int(part, 0) == 6 && nvm_value_int(part, 1) == 0 && nvm_value_int(part, 2) == 24));

  nvm_nesl_value* parts[] = {nvm_nesl_float(0.5), nvm_nesl_bool(1)};
  nvm_nesl_value* measured_arguments[] = {nvm_nesl_tuple(parts, 2), nvm_nesl_text("hello", 5)};
  nvm_nesl_value* measured = nvm_nesl_call(s, "measure", measured_arguments, 2);
  REQUIRE(measured != nullptr);
  CHECK(nvm_nesl_type(measured) == std::string("(float, bool, int)"));

  const double coordinates[] = {7.5, 8.5};
  nvm_value* components[] = {nvm_make_floats(coordinates, 1), nvm_make_floats(coordinates + 1, 1)};
  nvm_nesl_value* point = nvm_nesl_make("point", components, 2);
  nvm_nesl_value* x = nvm_nesl_call(s, "abscissa", &point, 1);
  REQUIRE(x != nullptr);
  nvm_value* px = nvm_nesl_part(x, 0);
  CHECK(nvm_value_float(px, 0) == 7.5);

  CHECK(nvm_nesl_call(s, "measure", arguments, 1) == nullptr);
  CHECK(nvm_nesl_part(x, 1) == nullptr);
  CHECK(nvm_nesl_nest(two, lengths, 3) == nullptr);
  CHECK(nvm_nesl_define(s, "f(x) =\n 1 +;", 12, "bad.nesl") == 1);
  CHECK(nvm_error_file() == std::string("bad.nesl"));
  CHECK(nvm_error_line() > 0);
  CHECK(nvm_error_reason() != std::string());
  const std::int64_t short_lengths[] = {1, 1};
  nvm_nesl_value* misfit[] = {nvm_nesl_nest(flat, short_lengths, 2), two};
  CHECK(nvm_nesl_call(s, "sums", misfit, 2) == nullptr);
  nvm_nesl_value* at[] = {flat, nvm_nesl_int(5)};
  CHECK(nvm_nesl_call(s, "(v, i) => v[i]", at, 2) == nullptr);
  CHECK(nvm_error_cause() == NVM_INDEX);

  for (nvm_nesl_value* value : {flat, nest, two, sums, parts[0], parts[1], measured_arguments[0],
                                measured_arguments[1], measured, point, x, misfit[0], at[1]})
    nvm_nesl_value_free(value);
  for (nvm_value* value : {v, part, px, components[0], components[1]}) nvm_value_free(value);
  nvm_nesl_free(s);
}
