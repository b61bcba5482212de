#include "bytecode/text/writer.h"

#include <catch2/catch.hpp>
#include <limits>
#include <string>

#include "bytecode/program/builder.h"
#include "bytecode/text/reader.h"
#include "tests/support/same_program.h"

namespace nvm {
namespace {

Program finish(ProgramBuilder& b) {
  Diagnostics diagnostics("t", "");
  Program p = b.finish(diagnostics);
  INFO(diagnostics.render());
  REQUIRE_FALSE(diagnostics.failed());
  return p;
}

// Written, read and written again: the same program, the same bytes.
void check_round_trip(const Program& p) {
  const std::string text = write_vcode(p);
  Diagnostics diagnostics("t", text);
  const Program again = read_vcode(text, diagnostics);
  INFO(diagnostics.render());
  INFO(text);
  REQUIRE_FALSE(diagnostics.failed());
  CHECK(same_program(p, again));
  CHECK(write_vcode(again) == text);
}

Program with_constant(Constant c) {
  ProgramBuilder b("t");
  b.begin_function("MAIN");
  b.constant(std::move(c));
  b.end_function();
  return finish(b);
}

}  // namespace

TEST_CASE("layout: a line an instruction, conditionals indented, annotations in comments") {
  ProgramBuilder b("t.vcode");
  b.origins().own = "a b.nesl";
  b.begin_function("MAIN_1");
  b.current().origin = "qs";
  b.current().lifted = true;
  b.origin_line(3);
  b.const_bool(true);
  b.emit(Op::kIf);
  b.copy(1, 2);
  b.emit(Op::kAdd, TypeWord::kInt);
  b.origin_line(b.line_of("c d.nesl", 4));
  b.emit(Op::kElse);
  b.origin_line(b.line_of("c d.nesl", 4, 7));
  b.call("MAIN_1");
  b.emit(Op::kEndif);
  b.end_function();
  const Program p = finish(b);
  CHECK(write_vcode(p) ==
        "{nvm source a%20b.nesl}\n\nFUNC MAIN_1 {nvm function qs lifted}\n{nvm line 3}\nCONST BOOL T\nIF\n  "
        "COPY 1 2\n"
        "  + INT\n{nvm line 4 c%20d.nesl}\nELSE\n{nvm line 4:7 c%20d.nesl}\n  CALL MAIN_1\nENDIF\nRET\n");
  CHECK(write_vcode(p, {false, false}) ==
        "FUNC MAIN_1\nCONST BOOL T\nIF\nCOPY 1 2\n+ INT\nELSE\nCALL MAIN_1\nENDIF\nRET\n");
  check_round_trip(p);
}

TEST_CASE("constants of every type, and their extremes, survive") {
  using L = std::numeric_limits<double>;
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  check_round_trip(with_constant({TypeWord::kInt, {kMin, -1, 0, kMax}, {}}));
  check_round_trip(with_constant({TypeWord::kInt, {}, {}}));
  check_round_trip(with_constant({TypeWord::kInt, {-7}, {}}));
  check_round_trip(with_constant({TypeWord::kFloat,
                                  {},
                                  {0.0, -0.0, 1.0, 0.1, 1e20, -1e-7, 123456789.0, L::max(), L::min(),
                                   L::denorm_min(), L::infinity(), -L::infinity(), 1e22, 5e-5, 1.0 / 3}}));
  check_round_trip(with_constant({TypeWord::kFloat, {}, {-0.0}}));
  check_round_trip(with_constant({TypeWord::kBool, {1, 0, 1}, {}}));
  check_round_trip(with_constant({TypeWord::kSegdes, {3, 0, 2}, {}}));
  check_round_trip(with_constant({TypeWord::kSegdes, {}, {}}));
  check_round_trip(with_constant({TypeWord::kChar, {97, 10, 13, 0, 123, 125, 92, -1, -128}, {}}));
  check_round_trip(with_constant({TypeWord::kChar, {}, {}}));
  check_round_trip(with_constant({TypeWord::kChar, {34}, {}}));
  check_round_trip(with_constant({TypeWord::kChar, {128, 1000}, {}}));
  Constant many{TypeWord::kInt, {}, {}};
  for (int i = 0; i < 10000; ++i) many.ints.push_back(i * i);
  check_round_trip(with_constant(many));
}

TEST_CASE("names that a comment could not hold as they are") {
  ProgramBuilder b("t");
  b.origins() = {"{a}\n%\"b\".nesl", {"", "}{", "never seen"}};
  b.begin_function("++_11");
  b.current().origin = "}%7d{";
  b.origin_line(origin_number(2, 7));
  b.emit(Op::kExit);
  b.end_function();
  b.begin_function("1.x");
  b.current().tail_parallel = true;
  b.end_function();
  check_round_trip(finish(b));
}

TEST_CASE("redefinitions keep their meaning") {
  ProgramBuilder b("t");
  for (const char* name : {"A", "B", "B"}) {
    b.begin_function(name);
    b.call("B");
    b.end_function();
  }
  check_round_trip(finish(b));
}

TEST_CASE("without annotations characters that no string can hold are integers") {
  const Program p = with_constant({TypeWord::kChar, {-130}, {}});
  CHECK(write_vcode(p, {false, false}) == "FUNC MAIN\nCONST INT -130\nRET\n");
  CHECK(write_vcode(p) == "FUNC MAIN\nCONST INT {nvm char} -130\nRET\n");
}

TEST_CASE("descriptors of several segments and long texts are written as the legacy interpreter reads them") {
  const Program segdes = with_constant({TypeWord::kSegdes, {3, 0}, {}});
  CHECK(write_vcode(segdes) == "FUNC MAIN\nCONST INT {nvm segdes} (3 0) MAKE_SEGDES\nRET\n");
  CHECK(write_vcode(segdes, {false, false}) == "FUNC MAIN\nCONST INT (3 0)\nMAKE_SEGDES\nRET\n");
  check_round_trip(segdes);
  check_round_trip(with_constant({TypeWord::kSegdes, {3}, {}}));
  check_round_trip(with_constant({TypeWord::kChar, std::vector<std::int64_t>(97, 'a'), {}}));
  const Program text = with_constant({TypeWord::kChar, std::vector<std::int64_t>(98, 'a'), {}});
  CHECK(write_vcode(text).find("CONST INT {nvm char} (97 97 ") != std::string::npos);
  check_round_trip(text);
}

TEST_CASE("a constant with NaN in it is the difference of two") {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  Program p = with_constant({TypeWord::kFloat, {}, {0.0, 1.5, -0.0}});
  p.constants.at(0).floats[0] = kNan;  // a variable's value
  CHECK(write_vcode(p) ==
        "FUNC MAIN\nCONST FLOAT (1.0e999 1.5 -0.0)\nCONST FLOAT (1.0e999 0.0 0.0)\n- FLOAT\nRET\n");
  p.constants[0].floats = {kNan};
  CHECK(write_vcode(p) == "FUNC MAIN\nCONST FLOAT 1.0e999\nCONST FLOAT 1.0e999\n- FLOAT\nRET\n");
}

TEST_CASE("text is linear in the depth of IFs") {
  std::string text = "FUNC MAIN CONST INT 1";
  for (int i = 0; i < 10000; ++i) text += " CONST BOOL T IF";
  for (int i = 0; i < 10000; ++i) text += " ENDIF";
  Diagnostics diagnostics("t", "");
  const Program p = read_vcode(text + " RET", diagnostics);
  REQUIRE_FALSE(diagnostics.failed());
  CHECK(write_vcode(p).size() < 30000 * 256);
  check_round_trip(p);
}

TEST_CASE("an input of the run is shown, not written") {
  Constant c{TypeWord::kFloat, {}, {}};
  c.input = 2;
  CHECK(write_vcode(with_constant(c)) == "FUNC MAIN\nCONST FLOAT () {input 2}\nRET\n");
}

}  // namespace nvm
