#include "bytecode/program/builder.h"

#include <catch2/catch.hpp>
#include <string>

namespace nvm {
namespace {

Program finish_ok(ProgramBuilder& b) {
  Diagnostics diagnostics("t", "");
  Program p = b.finish(diagnostics);
  INFO(diagnostics.render());
  REQUIRE_FALSE(diagnostics.failed());
  return p;
}

std::string finish_bad(ProgramBuilder& b) {
  Diagnostics diagnostics("t", "");
  (void)b.finish(diagnostics);
  REQUIRE(diagnostics.failed());
  return diagnostics.render();
}

void empty_function(ProgramBuilder& b, const std::string& name, SourcePos pos = {}) {
  b.begin_function(name, pos);
  b.end_function();
}

}  // namespace

TEST_CASE("conditionals point at their ELSE and ENDIF, nested ones too") {
  ProgramBuilder b("t");
  b.begin_function("MAIN");
  b.emit(Op::kIf);     // 0
  b.emit(Op::kIf);     // 1
  b.emit(Op::kEndif);  // 2
  b.emit(Op::kElse);   // 3
  b.emit(Op::kIf);     // 4
  b.emit(Op::kElse);   // 5
  b.emit(Op::kEndif);  // 6
  b.emit(Op::kEndif);  // 7
  b.end_function();
  const auto code = finish_ok(b).functions[0].code;
  CHECK(code[0].a == 3);
  CHECK(code[1].a == 2);
  CHECK(code[3].a == 7);
  CHECK(code[4].a == 5);
  CHECK(code[5].a == 6);
  CHECK(code[8].op == Op::kRet);
}

TEST_CASE("calls may come before their function; of two of a name the last counts") {
  ProgramBuilder b("t");
  b.begin_function("A");
  b.call("B");
  b.end_function();
  empty_function(b, "B");
  empty_function(b, "B");
  Diagnostics diagnostics("t", "");
  const Program p = b.finish(diagnostics);
  CHECK_FALSE(diagnostics.failed());
  REQUIRE(diagnostics.all().size() == 2);
  CHECK(diagnostics.all()[0].severity == Severity::kWarning);
  CHECK(diagnostics.all()[1].severity == Severity::kNote);  // which definition it replaces
  CHECK(p.functions[0].code[0].a == 2);
}

TEST_CASE("the entry is MAIN, else the first function") {
  ProgramBuilder first("t");
  empty_function(first, "A");
  empty_function(first, "B");
  CHECK(finish_ok(first).entry == 0);
  ProgramBuilder named("t");
  empty_function(named, "A");
  empty_function(named, "MAIN");
  CHECK(finish_ok(named).entry == 1);
}

TEST_CASE("positions and NESL lines go to the instructions that follow") {
  ProgramBuilder b("t");
  b.begin_function("MAIN", {1, 6});
  b.at({2, 1});
  b.origin_line(7);
  b.const_int(3);
  b.emit(Op::kMakeSegdes);
  b.end_function({4, 1});
  const Program p = finish_ok(b);
  CHECK(p.functions[0].pos == SourcePos{1, 6});
  CHECK(p.functions[0].code[1].pos == SourcePos{2, 1});
  CHECK(p.functions[0].code[1].origin_line == 7);
  CHECK(p.functions[0].code[2].pos == SourcePos{4, 1});
}

TEST_CASE("what cannot be linked is reported, all of it") {
  ProgramBuilder none("t");
  CHECK(finish_bad(none).find("no function") != std::string::npos);

  ProgramBuilder b("t");
  b.begin_function("MAIN");
  b.call("HELPER_2");
  b.emit(Op::kElse);
  b.emit(Op::kIf);
  b.end_function();
  empty_function(b, "HELPER_1");
  empty_function(b, "MAIN");
  const std::string messages = finish_bad(b);
  CHECK(messages.find("unresolved identifier HELPER_2") != std::string::npos);
  CHECK(messages.find("did you mean HELPER_1?") != std::string::npos);
  CHECK(messages.find("ELSE without an open IF") != std::string::npos);
  CHECK(messages.find("has no ENDIF before RET") != std::string::npos);
  CHECK(messages.find("redefine MAIN") != std::string::npos);
}

}  // namespace nvm
