// The checker on programs that are almost right, and on those that want too much.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "frontend/emit.h"
#include "frontend/remora/program.h"
#include "frontend/remora/translate.h"

using namespace nvm;
using namespace nvm::remora;

namespace {

// "KIND LINE:COLUMN" of the first error, or the type of the last form.
std::string answer(const std::string& text) {
  const Checked c = check_program(text);
  if (!c.errors.empty()) {
    const Error& e = c.errors[0];
    return e.kind + " " + std::to_string(e.pos.line) + ":" + std::to_string(e.pos.column);
  }
  if (c.program.forms.empty()) return "";
  return print(c.program.variables.resolved(c.program.forms.back().body->type), c.program.variables);
}

std::string repeated(const std::string& what, int n) {
  std::string out;
  for (int k = 0; k < n; ++k) out += what;
  return out;
}

// Begins of tokens, roughly: words, brackets.
std::vector<std::string> tokens_of(const std::string& text) {
  std::vector<std::string> out;
  const std::string alone = "()[]{}|";
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == ';') {
      at = std::min(text.find('\n', at), text.size());
    } else if (alone.find(text[at]) != std::string::npos) {
      out.emplace_back(1, text[at++]);
    } else if (text[at] == ' ' || text[at] == '\n') {
      ++at;
    } else {
      const std::size_t end = std::min(text.find_first_of(" \n" + alone, at), text.size());
      out.push_back(text.substr(at, end - at));
      at = end;
    }
  }
  return out;
}

// Every error has a kind, words, and a place inside of the text, also one of what cannot be run yet. All else
// becomes a program.
void check_located(const std::string& text) {
  Checked c = check_program(text);
  if (c.errors.empty()) try {
      const Translated made = translate(c.program);
      REQUIRE_FALSE(
          frontend::emit_ssa(made.program, {"p.remora", true, nullptr, 0, {}}).code.functions.empty());
    } catch (const Error& e) {
      REQUIRE((e.kind == "unsupported" || e.kind == "argument-type"));
      c.errors.push_back(e);
    }
  std::vector<std::size_t> lengths{0};
  for (const char ch : text)
    if (ch == '\n')
      lengths.push_back(0);
    else
      ++lengths.back();
  INFO(text);
  for (const Error& e : c.errors) {
    INFO(e.kind << " " << e.text);
    REQUIRE_FALSE(e.kind.empty());
    REQUIRE_FALSE(e.text.empty());
    REQUIRE(e.pos.line >= 1);
    REQUIRE(e.pos.line <= lengths.size());
    REQUIRE(e.pos.column >= 1);
    REQUIRE(e.pos.column <= lengths[e.pos.line - 1] + 1);
  }
}

// The first error, without its kind.
std::string said(const std::string& text) {
  const Checked c = check_program(text);
  return c.errors.empty() ? "" : c.errors[0].text;
}

}  // namespace

TEST_CASE("a part too many is what is at fault") {
  CHECK(answer("{(a 1 2 3)}") == "syntax 1:9");
  CHECK(answer("(fn ([f {(a int int)}]) f)") == "syntax 1:17");
  CHECK(answer("(boxes (n) [int n] [1] ((1) [1] [2]))") == "syntax 1:33");
  CHECK(answer("(box ((n 1 2)) [int n] [1])") == "syntax 1:12");
  CHECK(answer("(array [0] int int)") == "syntax 1:16");
  CHECK(answer("(frame [0] int int)") == "syntax 1:16");
  CHECK(answer("(lift [d 3 4] 1)") == "syntax 1:12");
  CHECK(answer("(let [x 1 2] 3)") == "syntax 1:11");
  CHECK(answer("(let [x : int 1 2] 3)") == "syntax 1:17");
  CHECK(answer("(fn ([x int int]) x)") == "syntax 1:13");
  CHECK(answer("(define (f [x int int]) : int x)") == "syntax 1:19");
  CHECK(answer("(array [0] (-> (int) int int))") == "syntax 1:26");
  CHECK(answer("(fn ([x (Arr int [2] [3])]) x)") == "syntax 1:22");
  CHECK(answer("(fn ([x (Sigma (n) int int)]) x)") == "syntax 1:24");
  CHECK(answer("(fn ([x [int (prod [2] [3])]]) x)") == "syntax 1:24");
  CHECK(answer("(let [x] 3)") == "syntax 1:6");
}

TEST_CASE("the type of an array is no element's type, however it is written") {
  CHECK(answer("(fn ([x [(Arr int []) 2]]) x)") == "kind 1:10");
  CHECK(answer("(array [0] (Arr int []))") == "kind 1:12");
  CHECK(answer("(define-type t [int])") == "kind 1:16");
  CHECK(answer("(define-type @t int) (fn ([x [@t 2]]) x)") == "kind 1:31");
  CHECK(answer("(define-type @t int) (fn ([x @t]) x)") == "(-> (int) int)");
}

TEST_CASE("messages tell indices apart, and what is not determined from what does not fit") {
  CHECK(said("(index [1 2] [0 0])").find("[int d d2 @cell] is expected") != std::string::npos);
  CHECK(said("(box (Sigma (n) [int 3]) [1 2 3])").starts_with("the content does not determine n:"));
  CHECK(said("(box (Sigma (n) [int 3]) [1 2])").find("which no index makes of") != std::string::npos);
  CHECK(answer("(+ 1 (array [4294967296 4294967296] 1))") == "sort 1:6");
  CHECK(said("(+ 1 (array [4294967296 4294967296] 1))") == "the array here is too large");
  CHECK(said("(+ 1 x\u00A0)") == "there is no x<U+00A0>");
}

TEST_CASE("types of small programs") {
  CHECK(answer("").empty());
  CHECK(answer("(+ 1 [1 2])") == "[int 2]");
  CHECK(answer("(+ [1 2] [1 2 3])") == "frame 1:10");
  CHECK(answer("(array [0 99999999999 99999999999] int)") == "[int 0 99999999999 99999999999]");
  CHECK(answer("(frame [99999999999 99999999999] 1)") == "sort 1:1");
  CHECK(answer("(define (f [x [int 9223372036854775807]]) x)") ==
        "(-> ([int 9223372036854775807]) [int 9223372036854775807])");
  CHECK(answer("(define-index n (* 4294967296 4294967296))") == "sort 1:17");
  CHECK(answer("λ") == "syntax 1:1");
}

TEST_CASE("a shape that stands twice in a type is one shape") {
  const std::string f = "(define (f{ | @s} [a [int @s @s]]) a)\n";
  CHECK(answer(f + "(f [1 2 3])") == "cell-shape 2:4");
  CHECK(answer(f + "(f [[1 2] [3 4]])") == "[int 2 2]");
  CHECK(answer(f + "(f [[1 2 3] [3 4 5]])") == "cell-shape 2:4");
  CHECK(answer("(box (Sigma (@s) [int @s @s]) [1 2 3])") == "box-type 1:31");
  CHECK(answer("(box (Sigma (@s) [int @s @s]) [[1 2] [3 4]])") == "(Sigma (@s1) [int @s1 @s1])");
}

TEST_CASE("of two unknown shapes the first takes all, also with a dimension between them") {
  const std::string f = "(define (f{t | @s @r} [a [t @s 2 @r]]) (reify-shape @s))\n";
  CHECK(answer(f + "(f [1 2])") == "(Sigma (d1) [int d1])");
  CHECK(answer(f + "(f [1 2 3])") == "cell-shape 2:4");
}

TEST_CASE("elements may be functions, and are matched as others") {
  CHECK(answer("(define (k{t | } [a t] [b t]) b) (k neg [abs sign])") == "[(-> (int) int) 2]");
  CHECK(answer("(define (k{t | n} [a t] [b [t n]]) b) (k neg [abs sign])") == "[(-> (int) int) 2]");
  CHECK(answer("(select #f [neg sign] [abs abs abs])") == "frame 1:23");
  CHECK(answer("(scatter-into [neg abs sign] [0 1] [abs])") == "cell-shape 1:36");
  CHECK(answer("(append [neg] [abs])") == "[(-> (int) int) 2]");
  CHECK(answer("(reduce (fn ([f (-> (int) int)] [g (-> (int) int)]) f) [neg abs])") == "(-> (int) int)");
}

TEST_CASE("dimensions that lack more than one unknown wait for what other arguments say") {
  const std::string f = "(define (f{t | n m} [a [t (+ n m)]] [b [t m]]) (reify-dimension n))\n";
  CHECK(answer(f + "(f [1 2 3] [1])") == "int");
  CHECK(answer(f + "(f [1 2 3] [1 2 3 4])") == "cell-shape 2:4");
  CHECK(answer("(define (f{ | n m} [a [int (* n m)]] [b [int n]]) (reify-dimension m)) (f [1 2 3] [1 2])") ==
        "cell-shape 1:75");
  CHECK(answer("(take [1 2 3])") == "ambiguous 1:2");
  CHECK(answer("(let [x : [int 2] (take [1 2 3])] x)") == "[int 2]");
  CHECK(answer("(let [x : [int 5] (take [1 2 3])] x)") == "cell-shape 1:25");
  CHECK(answer("(define (h{ | n m} [a [int (+ n m)]]) 1) (h [1 2])") == "ambiguous 1:43");
}

TEST_CASE("a shape that nothing says is ambiguous") {
  CHECK(answer("(+ iota 1)") == "ambiguous 1:2");
  CHECK(answer("(+ iota{ | 3} 1)") == "[int 3]");
}

TEST_CASE("the part that is too many is named, and the form that lacks one") {
  CHECK(answer("(if #t 1 2 3)") == "syntax 1:12");
  CHECK(answer("(if #t 1)") == "syntax 1:1");
  CHECK(answer("(reshape [1] 2 3)") == "syntax 1:16");
  CHECK(answer("(reify-dimension 1 2)") == "syntax 1:20");
  CHECK(answer("(view (a) {(a 1)} 3)") == "syntax 1:19");
  CHECK(answer("(box (Sigma (n) [int n]) [1] 2)") == "syntax 1:30");
  CHECK(answer("(box ((n 1)) [int n] [1] 2)") == "syntax 1:26");
  CHECK(answer("(define-type a int 3)") == "syntax 1:20");
  CHECK(answer("(define-index a 1 3)") == "syntax 1:19");
}

TEST_CASE("names that mean something else") {
  CHECK(answer("(unbox (iota1 [3]) (@v n) 3)") == "syntax 1:21");
  CHECK(answer("(define-type int float)") == "duplicate 1:14");
  CHECK(answer("(t-fn (bool) 1)") == "duplicate 1:8");
}

TEST_CASE("a lambda with another number of parameters, a path without fields") {
  CHECK(answer("(reduce (fn (a) a) [1 2])") == "argument-type 1:9");
  CHECK(answer("(fold (fn (a b c) a) 0 [1 2])") == "argument-type 1:7");
  CHECK(answer("(view () {(a 3)})") == "syntax 1:7");
}

TEST_CASE("functions have no equality") {
  CHECK(answer("(equal + +)") == "argument-type 1:8");
  CHECK(answer("(equal length length)") == "argument-type 1:8");
  CHECK(answer("(equal [{(f neg)}] [{(f abs)}])") == "argument-type 1:8");
  const std::string b = "(box ((n 1)) [(-> (int) int) n] [neg])";
  CHECK(answer("(equal " + b + " " + b + ")") == "argument-type 1:8");
}

TEST_CASE("one error does not hide another, and makes no others") {
  const Checked c = check_program("(define a (+ 1 #t))\n(+ a 1)\n(- nowhere 1)\n");
  REQUIRE(c.errors.size() == 2);
  CHECK(c.errors[0].kind == "argument-type");
  CHECK(c.errors[1].kind == "unbound-variable");
  CHECK(c.errors[1].pos == SourcePos{3, 4});
}

TEST_CASE("what is deep is refused or checked, wherever the depth comes from") {
  CHECK(answer(repeated("(+ 1 ", kMaxNesting) + "1" + repeated(")", kMaxNesting)) == "int");
  CHECK(answer("(let [x 1] " + repeated("(if #t ", 900) + "x" + repeated(" x)", 900) + ")") == "int");
  // A level for each definition of a body.
  CHECK(answer("(let [x 0]" + repeated(" (define x (+ x 1))", 20'000) + " x)") == "int");
  // Undetermined branches: each level would ask twice.
  CHECK(answer(repeated("(if #t (id ", 300) + "(fn (x) x)" + repeated(") 1)", 300)).starts_with("unbound"));
  CHECK(answer(repeated("(if #t (abs ", 300) + "((fn (x) x) 1)" + repeated(") 1)", 300))
            .starts_with("ambiguous"));
}

TEST_CASE("what doubles has a bound") {
  std::string types = "(define-type t0 int)", records = "(define v0 1)", dims = "(define-index n0 2)",
              shapes = "(define-index @s0 [2 2])";
  for (int k = 0; k < 70; ++k) {
    const std::string a = std::to_string(k), b = std::to_string(k + 1);
    types += "(define-type t" + b + " (-> (t" + a + ") t" + a + "))";
    records += "(define v" + b + " {(a v" + a + ") (b v" + a + ")})";
    dims += "(define-index n" + b + " (* n" + a + " n" + a + "))";
    shapes += "(define-index @s" + b + " (++ @s" + a + " @s" + a + "))";
  }
  for (const std::string& text : {types, records, dims, shapes}) CHECK(answer(text).starts_with("sort 1:"));
}

TEST_CASE("a field of what is no record") {
  CHECK(answer("(t-fn (@t) (fn ([x @t]) (set (a) 1 x)))") == "not-a-record 1:36");
  CHECK(answer("(t-fn (@t) (fn ([x @t]) (over (a) abs x)))") == "not-a-record 1:39");
}

TEST_CASE("functions that call each other twice do not double the code") {
  std::string text = "(define (f0 [x int]) (+ x 1))";
  for (int k = 0; k < 60; ++k) {
    const std::string a = std::to_string(k), b = std::to_string(k + 1);
    text += "(define (f" + b + " [x int]) (f" + a + " (f" + a + " x)))";
  }
  Checked c = check_program(text + "(f60 1)");
  REQUIRE(c.errors.empty());
  CHECK(translate(c.program).program.functions.size() < 100);
}

TEST_CASE("functions that call one another in a long chain can be run") {
  std::string text = "(define (f0 [x int]) (+ x 1))";
  for (int k = 1; k < 1500; ++k)
    text += "(define (f" + std::to_string(k) + " [x int]) (f" + std::to_string(k - 1) + " x))";
  Checked c = check_program(text + "(f1499 1)");
  REQUIRE(c.errors.empty());
  CHECK_FALSE(translate(c.program).program.functions.empty());
}

TEST_CASE("what cannot be run is named where it is called") {
  const auto refused = [](const std::string& text) -> std::string {
    Checked c = check_program(text);
    REQUIRE(c.errors.empty());
    try {
      (void)translate(c.program);
      return "";
    } catch (const Error& e) {
      return e.kind + " " + std::to_string(e.pos.line) + ":" + std::to_string(e.pos.column);
    }
  };
  CHECK(refused("(define (f{t | @s} [v [t @s]] [k int]) : int\n (if (= k 0) (rank v) (f [v v] (- k 1))))\n"
                "(f 1 3)") == "unsupported 2:23");
  CHECK(refused("(define (p [n int]) : (-> (int) int)\n (if (= n 0) (fn ([x int]) x)\n"
                "  (fn ([x int]) ((p (- n 1)) x))))\n((p 3) 5)") == "unsupported 3:17");
  CHECK(refused("(define (compose [f (-> (int) int)] [g (-> (int) int)]) : (-> (int) int) (fn ([x int]) (g "
                "(f x))))\n"
                "((scan compose [neg abs neg]) 4)") == "unsupported 2:2");
}

TEST_CASE("functions that grow from step to step are refused") {
  const std::string compose =
      "(define (compose [f (-> (int) int)] [g (-> (int) int)]) : (-> (int) int) (fn ([x int]) (g (f x))))";
  const auto kind_of = [](const std::string& text) -> std::string {
    Checked c = check_program(text);
    REQUIRE(c.errors.empty());
    try {
      (void)translate(c.program);
      return "";
    } catch (const Error& e) {
      return e.kind;
    }
  };
  CHECK(kind_of(compose + "((fold compose neg [neg abs neg]) 4)").empty());
  CHECK(kind_of(compose +
                "((fn ([n int]) ((iterate (fn ([f (-> (int) int)]) (compose f f)) neg n) 4)) [1 2])") ==
        "unsupported");
  CHECK(kind_of(compose +
                "(define (go [f (-> (int) int)] [n int]) : int (if (= n 0) (f n) (go (compose f f) (- n 1))))"
                "(go neg 3)") == "unsupported");
}

TEST_CASE("programs with one token deleted, repeated or replaced get located messages") {
  const std::filesystem::path folder = NVM_SOURCE_DIR "/tests/conformance/remora";
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".remora") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  REQUIRE(files.size() > 300);
  std::mt19937 random(1);
  std::vector<std::string> last{"("};
  for (const auto& file : files) {
    std::ifstream in(file);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const std::vector<std::string> tokens = tokens_of(text);
    if (tokens.empty()) continue;
    for (int mutant = 0; mutant < 6; ++mutant) {
      const std::size_t at = random() % tokens.size(), other = random() % last.size();
      std::string changed;
      for (std::size_t k = 0; k < tokens.size(); ++k) {
        if (k == at && mutant % 3 == 0) continue;
        changed += (k == at && mutant % 3 == 1 ? last[other] : tokens[k]) + (k % 12 == 11 ? "\n" : " ");
        if (k == at && mutant % 3 == 2) changed += tokens[k] + " ";
      }
      check_located(changed);
    }
    last = tokens;
  }
}
