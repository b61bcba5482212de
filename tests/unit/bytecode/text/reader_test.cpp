#include "bytecode/text/reader.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace nvm {
namespace {

Program read_ok(const std::string& text) {
  Diagnostics diagnostics("t.vcode", text);
  Program program = read_vcode(text, diagnostics);
  INFO(diagnostics.render());
  REQUIRE_FALSE(diagnostics.failed());
  return program;
}

std::string read_bad(const std::string& text) {
  Diagnostics diagnostics("t.vcode", text);
  (void)read_vcode(text, diagnostics);
  INFO(text);
  REQUIRE(diagnostics.failed());
  return diagnostics.render();
}

// The constants of a MAIN with this body, in order.
std::vector<Constant> constants(const std::string& body) {
  return read_ok("FUNC MAIN " + body + " RET").constants;
}
std::vector<std::int64_t> ints(const std::string& body) { return constants(body).at(0).ints; }
double real(const std::string& literal) {
  const auto c = constants("CONST FLOAT " + literal);
  REQUIRE(c.at(0).floats.size() == 1);
  return c[0].floats[0];
}
bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

}  // namespace

TEST_CASE("integer literals saturate at 64 bits") {
  using V = std::vector<std::int64_t>;
  CHECK(ints("CONST INT +7") == V{7});
  CHECK(ints("CONST INT 007") == V{7});
  CHECK(ints("CONST INT ( 1 -2 3)") == V{1, -2, 3});
  CHECK(ints("CONST INT ()").empty());
  CHECK(ints("CONST INT 4294967296") == V{4294967296});
  CHECK(ints("CONST INT (99999999999999999999 -99999999999999999999)") == V{kMax, kMin});
  CHECK(ints("CONST INT STDIN") == V{0});
  CHECK(ints("CONST INT NULL_STREAM") == V{-1});
  CHECK(ints("CONST SEGDES (3 0 2)") == V{3, 0, 2});
  CHECK(ints("CONST BOOL (T F T)") == V{1, 0, 1});
}

TEST_CASE("float literals are correctly rounded, with the spec's forms") {
  CHECK(real("1.") == 1.0);
  CHECK(real("+1.5") == 1.5);
  CHECK(real("01.50") == 1.5);
  CHECK(real("1.e5") == 1e5);
  CHECK(real("1.E+3") == 1e3);
  CHECK(real("-3.25e-5") == -3.25e-5);
  CHECK(real("0.1") == 0.1);
  CHECK(real("5.0e-324") == std::numeric_limits<double>::denorm_min());
  CHECK(real("1.7976931348623157e308") == std::numeric_limits<double>::max());
  CHECK(std::isinf(real("1.0E400")));
  CHECK(real("-1.0E400") == -std::numeric_limits<double>::infinity());
  CHECK(std::isinf(real("1.0E99999999999999999999999")));
  CHECK(same_bits(real("-1.0E-400"), -0.0));
  CHECK(same_bits(real("-0.0"), -0.0));
  CHECK(same_bits(real("0.0E999"), 0.0));
  CHECK(std::isinf(real("0.001E312")));
  CHECK(std::isinf(real(std::string(400, '9') + ".0")));
  CHECK(real("0." + std::string(400, '0') + "1") == 0.0);
}

TEST_CASE("strings have no escapes and signed bytes") {
  using V = std::vector<std::int64_t>;
  CHECK(ints("CONST CHAR \"ab\\{}\"") == V{97, 98, 92, 123, 125});
  CHECK(ints("CONST CHAR \"\xe9\n\"") == V{-23, 10});
  CHECK(ints("CONST CHAR \"\"").empty());
  CHECK(ints("CONST CHAR \"" + std::string(30000, 'x') + "\"").size() == 30000);
}

TEST_CASE("comments and any white space separate tokens") {
  const Program p = read_ok("\xEF\xBB\xBF{ c\n } FUNC{a}MAIN{b}CONST{c}INT(1 2)CONST\r\n\tINT\v5\fRET\r\n{}");
  REQUIRE(p.functions.size() == 1);
  CHECK(p.functions[0].code.size() == 3);
  CHECK(p.constants[1].ints == std::vector<std::int64_t>{5});
}

TEST_CASE("any word is a function name") {
  for (const char* name : {"++_11", "PRIM-DIST_9", "<=_1", "1.x", "12a", "1e5", "-x", ".5", "a=b!c", "1-2",
                           "1.5E", "inf", "const", "?e", "Int"}) {
    const std::string n(name);
    const Program p = read_ok("FUNC A CALL " + n + " RET FUNC " + n + " RET");
    CHECK(p.functions[1].name == n);
    CHECK(p.functions[0].code[0].a == 1);
  }
  CHECK(read_ok("FUNC A I INT FLOAT O SEGDES CHAR BOOL EXIT RET").functions[0].code.size() == 2);
  CHECK(read_ok("FUNC A I O RET").functions[0].code.size() == 1);
  CHECK(read_ok("FUNC " + std::string(5000, 'a') + " RET").functions[0].name.size() == 5000);
}

TEST_CASE("instructions keep words, counts and positions") {
  const Program p = read_ok("FUNC MAIN\n  CPOP 2 3\n  +\n INT POP 0 1 RET");
  const auto& code = p.functions[0].code;
  CHECK(code[0].op == Op::kCpop);
  CHECK(code[0].a == 2);
  CHECK(code[0].b == 3);
  CHECK(code[0].pos == SourcePos{2, 3});
  CHECK(code[1].op == Op::kAdd);
  CHECK(code[1].word == TypeWord::kInt);
  CHECK(code[1].pos == SourcePos{3, 3});
  CHECK(code[2].pos == SourcePos{4, 6});
}

TEST_CASE("every instruction is read with every word its row allows, and no other") {
  constexpr TypeWord kWords[] = {TypeWord::kNone, TypeWord::kInt,    TypeWord::kFloat,
                                 TypeWord::kBool, TypeWord::kSegdes, TypeWord::kChar};
  for (const OpInfo& info : all_ops()) {
    if (info.kind == OpKind::kControl || info.op == Op::kConst || info.op == Op::kCopy ||
        info.op == Op::kPop || info.op == Op::kCpop)
      continue;
    for (const TypeWord word : kWords) {
      const std::string text =
          "FUNC MAIN " + std::string(info.text) + " " + std::string(type_word_text(word)) + " RET";
      if (!word_allowed(info.op, word)) {
        CHECK(read_bad(text).find("expected") != std::string::npos);
        continue;
      }
      const Instr in = read_ok(text).functions[0].code[0];
      CHECK(in.op == info.op);
      CHECK(in.word == word);
    }
  }
}

TEST_CASE("annotations in comments") {
  const Program p = read_ok(
      "{nvm source my%20file.nesl}\nFUNC A_1 {nvm function qs%7d lifted tail}\n{nvm line 3} COPY 1 0 {nvm "
      "line "
      "4} POP 1 0 CONST INT {nvm char} (34 200) {nvm line bogus} {nvm} RET\nFUNC B CONST INT (1) RET");
  CHECK(p.origins.own == "my file.nesl");
  const Function& a = p.functions[0];
  CHECK(a.origin == "qs}");
  CHECK(a.lifted);
  CHECK(a.tail_parallel);
  CHECK(a.code[0].origin_line == 3);
  CHECK(a.code[1].origin_line == 4);
  CHECK(a.code[3].origin_line == 4);
  CHECK(p.constants[0].word == TypeWord::kChar);
  CHECK(p.functions[1].origin.empty());
  CHECK_FALSE(p.functions[1].lifted);
  CHECK(p.functions[1].code[0].origin_line == 0);
  CHECK(p.constants[1].word == TypeWord::kInt);
}

TEST_CASE("annotations of lines with columns, and what are none") {
  const Program p = read_ok(
      "{nvm source a.remora} FUNC G {nvm line 3:14} POP 1 0 {nvm line 3:9 b.remora} POP 1 0 {nvm line 3} POP "
      "1 0 "
      "{nvm line 4294967295:4294967295} POP 1 0 {nvm line 4194303:4294967295} POP 1 0 {nvm line 5:} POP 1 0 "
      "{nvm "
      "line 6:x} POP 1 0 {nvm line 7:8:9} POP 1 0 {nvm line :8} POP 1 0 {nvm line 7;8} POP 1 0 {nvm line "
      "0:8} "
      "POP 1 0 RET");
  const auto place = [&](std::size_t i) { return p.origins.place(p.functions[0].code[i].origin_line); };
  CHECK(place(0) == "a.remora:3:14");
  CHECK(place(1) == "b.remora:3:9");
  CHECK(place(2) == "a.remora:3");
  CHECK(p.functions[0].code[3].origin_line == 0);  // no room for the line
  for (const std::size_t same : {4U, 5U, 6U, 7U, 8U, 9U}) CHECK(place(same) == "a.remora:4194303:4294967295");
  CHECK(p.functions[0].code[10].origin_line == 0);
}

TEST_CASE("annotations of lines of several files") {
  const Program p = read_ok(
      "{nvm source a.nesl} FUNC G {nvm line 3 b%20c.nesl} POP 1 0 {nvm line 3} POP 1 0 {nvm line 4 a.nesl} "
      "POP "
      "1 0 {nvm line 7 d.nesl} POP 1 0 {nvm line 8 b%20c.nesl} POP 1 0 {nvm line 0} POP 1 0 {nvm line "
      "5000000 "
      "d.nesl} POP 1 0 RET");
  const auto place = [&](std::size_t i) { return p.origins.place(p.functions[0].code[i].origin_line); };
  CHECK(place(0) == "b c.nesl:3");
  CHECK(place(1) == "a.nesl:3");
  CHECK(place(2) == "a.nesl:4");
  CHECK(place(3) == "d.nesl:7");
  CHECK(place(4) == "b c.nesl:8");
  CHECK(p.functions[0].code[5].origin_line == 0);
  CHECK(p.functions[0].code[6].origin_line == 0);  // a number of this size has no room
  CHECK(p.origins.others == std::vector<std::string>{"b c.nesl", "d.nesl"});
}

TEST_CASE("entry, redefinition, resolution") {
  CHECK(read_ok("FUNC A RET FUNC MAIN RET").entry == 1);
  CHECK(read_ok("FUNC B RET FUNC A RET").entry == 0);
  const Program p = read_ok("FUNC MAIN CALL A RET FUNC A RET FUNC A EXIT RET");
  CHECK(p.functions[0].code[0].a == 2);
  CHECK(read_bad("FUNC MAIN RET FUNC MAIN RET").find("redefine") != std::string::npos);
}

TEST_CASE("errors name the place, the token and what was expected") {
  const auto has = [](const std::string& text, const std::string& part) {
    const std::string out = read_bad(text);
    INFO(out);
    CHECK(out.find(part) != std::string::npos);
  };
  has("FUNC MAIN\n  CONST INT (1 2.0)\nRET",
      "t.vcode:2:16: error: parse error: illegal type mixing in constant");
  has("FUNC MAIN CONST FLOAT 5 RET", "write 5.0");
  has("FUNC MAIN CONST INT .5 RET", "expected an integer or (");
  has("FUNC MAIN CONST INT (1 2 3\nRET",
      "t.vcode:2:1: error: syntax error: \"RET\": expected an integer or )");
  has("FUNC MAIN CONST INT (STDIN) RET", "expected an integer or )");
  has("FUNC MAIN CONST DOUBLE 1.5 RET", "expected INT, FLOAT, BOOL, SEGDES or CHAR after CONST");
  has("FUNC MAIN CONST CHAR abc RET", "string in double quotes");
  has("FUNC MAIN CONST CHAR \"abc RET", "string does not end");
  has("FUNC MAIN { RET", "comment does not end");
  has("FUNC MAIN } RET", "'}' without an open comment");
  has("FUNC MAIN \x01\x01 RET", "byte 0x01");
  has("FUNC MAIN + BOOL RET", "expected INT or FLOAT after +");
  has("FUNC MAIN % INT RET", "expected no type word after %");
  has("FUNC MAIN COPY 1 RET", "expected a depth");
  has("FUNC MAIN COPY 99999999999 0 RET", "at most 2147483647");
  has("FUNC MAIN CALL RET", "expected a function name after CALL");
  has("FUNC MAIN CALL twice RET FUNC Twice RET",
      "unresolved identifier twice: no function of this name; did you mean Twice?");
  has("FUNC MAIN const INT 1 RET", "did you mean CONST? VCODE words are upper case");
  has("FUNC MAIN CONTS INT 1 RET", "did you mean CONST?");
  has("FUNC MAIN FUSED 3 RET", "FUSED calls found in VCODE, but no fused library was provided with -l.");
  has("FUNC MAIN CONST INT 1", "end of file: expected RET, the end of FUNC MAIN");
  has("FUNC MAIN RET RET", "this RET closes no function");
  has("FUNC INDEX RET", "this word is a keyword");
  has("FUNC 42 RET", "expected a function name");
  has("FUNC I RET", "expected a function name");
  has("{ nothing }", "no function");
  has("", "no function");
  has("FUNC MAIN ENDIF RET", "improper IF nesting");
  has("FUNC MAIN IF ELSE ELSE ENDIF RET", "second ELSE");
  has("FUNC MAIN IF RET", "RETURN found in middle of IF...ENDIF");
}

TEST_CASE("reading goes on after an error, so that several come in one go") {
  const std::string text =
      "FUNC MAIN\nCONST INT x\nSHUFFLE INT 5\nCOPY 1\nCALL NOPE\nRET\nstray\nFUNC A\n% INT\nRET\n";
  Diagnostics diagnostics("t.vcode", text);
  (void)read_vcode(text, diagnostics);
  std::vector<std::uint32_t> lines;
  for (const Diagnostic& d : diagnostics.all()) lines.push_back(d.pos.line);
  CHECK(lines == std::vector<std::uint32_t>{2, 3, 5, 7, 9, 5});
}

TEST_CASE("long and deep inputs need no native stack") {
  std::string text = "FUNC MAIN ";
  for (int i = 0; i < 200000; ++i) text += "IF ";
  for (int i = 0; i < 200000; ++i) text += "ENDIF ";
  CHECK(read_ok(text + "RET").functions[0].code.size() == 400001);
  std::string vector = "FUNC MAIN CONST INT (";
  for (int i = 0; i < 1000000; ++i) vector += "7 ";
  CHECK(read_ok(vector + ") RET").constants[0].ints.size() == 1000000);
}

TEST_CASE("VCODE is told from NESL by its first word") {
  for (const char* text : {"FUNC MAIN RET", "\n\t{comment} {another}FUNC{x}MAIN",
                           "\xEF\xBB\xBF"
                           "FUNC A"})
    CHECK(looks_like_vcode(text));
  for (const char* text :
       {"", "FUNC", "FUNCTION f(x) = x $", "{x : x in [1]} $", "{", "func MAIN", "#!\nFUNC A", "1 $"})
    CHECK_FALSE(looks_like_vcode(text));
}

}  // namespace nvm
