#include <catch2/catch.hpp>

#include "bytecode/program/builder.h"
#include "bytecode/ssa/cfg.h"
#include "bytecode/ssa/passes.h"

using namespace nvm;

namespace {

EntryType plain(Type t) { return {t, {}}; }

// The instances are written out here, so that lowering is tested without the verifier.
ssa::Module lowered(ProgramBuilder& builder, std::vector<Instance> instances, IntBits bits = IntBits::k64) {
  Diagnostics diagnostics("test", "");
  const Program program = builder.finish(diagnostics);
  REQUIRE(!diagnostics.failed());
  for (Instance& i : instances)
    i.callees.resize(program.functions[static_cast<std::size_t>(i.function)].code.size(), -1);
  Verified verified{std::move(instances), 0};
  ssa::Module module = ssa::lower(program, verified, bits);
  ssa::check(module);
  return module;
}

}  // namespace

TEST_CASE("shuffles vanish, the deepest operand stays first", "[ssa][lower]") {
  ProgramBuilder b("t");
  b.begin_function("MAIN");
  b.const_int(10);
  b.const_int(3);
  b.copy(2, 0);
  b.emit(Op::kSub, TypeWord::kInt);
  b.cpop(1, 2);
  b.pop(1, 1);
  b.end_function();
  const auto m = lowered(b, {{0, {}, {plain(Type::kInt), plain(Type::kInt)}, true, {}}});
  CHECK(ssa::print(m) ==
        "func f0 entry MAIN -> Int Int\n"
        "b0:\n"
        "  %0: Int = CONST INT 10\n"
        "  %1: Int = CONST INT 3\n"
        "  %2: Int = - INT %0, %1\n"
        "  return %1, %0\n");
}

TEST_CASE("a shuffle of no entries may name any depth", "[ssa][lower]") {
  ProgramBuilder b("t");
  b.begin_function("MAIN");
  b.const_int(1);
  b.copy(0, 9);
  b.pop(0, 2);
  b.cpop(0, 7);
  b.end_function();
  const auto m = lowered(b, {{0, {}, {plain(Type::kInt)}, true, {}}});
  CHECK(m.functions[0].blocks[0].insts.size() == 1);
}

TEST_CASE("a conditional passes on only what differs", "[ssa][lower]") {
  ProgramBuilder b("t");
  b.begin_function("MAIN");
  b.const_int(1);
  b.const_int(2);
  b.const_bool(true);
  b.emit(Op::kIf);
  b.emit(Op::kNot, TypeWord::kInt);
  b.emit(Op::kEndif);
  b.end_function();
  const auto m = lowered(b, {{0, {}, {plain(Type::kInt), plain(Type::kInt)}, true, {}}});
  CHECK(ssa::print(m) ==
        "func f0 entry MAIN -> Int Int\n"
        "b0:\n"
        "  %0: Int = CONST INT 1\n"
        "  %1: Int = CONST INT 2\n"
        "  %2: Bool = CONST BOOL T\n"
        "  branch %2 b1 b2\n"
        "b1:\n"
        "  %3: Int = NOT INT %1\n"
        "  jump b3 %3\n"
        "b2:\n"
        "  jump b3 %1\n"
        "b3 %4: Int:\n"
        "  return %0, %4\n");
}

TEST_CASE("a branch that ends the program needs no balance", "[ssa][lower]") {
  for (const bool in_then : {true, false}) {
    ProgramBuilder b("t");
    b.begin_function("MAIN");
    b.const_bool(false);
    b.emit(Op::kIf);
    if (!in_then) b.const_int(7);
    if (!in_then) b.emit(Op::kElse);
    b.emit(Op::kExit);
    b.emit(Op::kAdd, TypeWord::kInt);  // never reached
    if (in_then) b.emit(Op::kElse);
    if (in_then) b.const_int(7);
    b.emit(Op::kEndif);
    b.end_function();
    const auto m = lowered(b, {{0, {}, {plain(Type::kInt)}, true, {}}});
    const std::string text = ssa::print(m);
    CAPTURE(text);
    CHECK(text.find("  stop\n") != std::string::npos);
    CHECK(text.find("+ INT") == std::string::npos);
    CHECK(text.substr(text.size() - 12) == "  return %1\n");
  }
}

TEST_CASE("a call that never returns ends its block", "[ssa][lower]") {
  ProgramBuilder b("t");
  b.begin_function("MAIN");
  b.call("STOP");
  b.emit(Op::kAdd, TypeWord::kInt);
  b.end_function();
  b.begin_function("STOP");
  b.emit(Op::kExit);
  b.end_function();
  const auto m = lowered(b, {{0, {}, {}, false, {1}}, {1, {}, {}, false, {}}});
  CHECK(ssa::print(m) ==
        "func f0 entry MAIN ->\n"
        "b0:\n"
        "  CALL f1 STOP\n"
        "  stop\n"
        "func f1 STOP ->\n"
        "b0:\n"
        "  stop\n");
}

TEST_CASE("pairs keep the types of their parts", "[ssa][lower]") {
  ProgramBuilder b("t");
  b.begin_function("MAIN");
  b.const_int(1);
  b.const_float(2.5);
  b.emit(Op::kPair);
  b.emit(Op::kUnpair);
  b.end_function();
  const auto m = lowered(b, {{0, {}, {plain(Type::kInt), plain(Type::kFloat)}, true, {}}});
  CHECK(ssa::print(m) ==
        "func f0 entry MAIN -> Int Float\n"
        "b0:\n"
        "  %0: Int = CONST INT 1\n"
        "  %1: Float = CONST FLOAT 2.5\n"
        "  %2: Pair = PAIR %0, %1\n"
        "  %3: Int, %4: Float = UNPAIR %2\n"
        "  return %3, %4\n");
}

TEST_CASE("constants are stored once, to the last bit, at the run's width", "[ssa][lower]") {
  ProgramBuilder b("t");
  b.begin_function("MAIN");
  b.const_int(4294967299);
  b.const_int(3);
  b.const_float(0.0);
  b.const_float(-0.0);
  b.constant({TypeWord::kChar, {3}, {}});
  b.end_function();
  std::vector<EntryType> results{plain(Type::kInt), plain(Type::kInt), plain(Type::kFloat),
                                 plain(Type::kFloat), plain(Type::kInt)};
  const auto narrow = lowered(b, {{0, {}, results, true, {}}}, IntBits::k32);
  CHECK(narrow.constants.size() == 3);
  CHECK(ssa::print(narrow).find("4294967299") == std::string::npos);
}

TEST_CASE("liveness names the last use of every value", "[ssa][liveness]") {
  ProgramBuilder b("t");
  b.begin_function("MAIN");
  b.const_int(1);  // %0
  b.copy(1, 0);
  b.emit(Op::kAdd, TypeWord::kInt);  // %1 = %0 + %0
  b.const_int(5);                    // %2
  b.const_bool(true);                // %3
  b.emit(Op::kIf);
  b.emit(Op::kAdd, TypeWord::kInt);  // %4 = %1 + %2
  b.emit(Op::kElse);
  b.pop(1, 0);
  b.emit(Op::kEndif);  // %5
  b.const_int(9);      // %6
  b.pop(1, 0);
  b.end_function();
  const auto m = lowered(b, {{0, {}, {plain(Type::kInt)}, true, {}}});
  const ssa::Liveness live = ssa::liveness(m.functions[0]);
  CHECK(live.dies[0] == std::vector<std::uint64_t>{0, 2, 0, 0, 1});
  CHECK(live.dies[1] == std::vector<std::uint64_t>{3, 1});
  CHECK(live.dead_on_entry[1].empty());
  CHECK(live.dead_on_entry[2] == std::vector<ssa::ValueId>{2});
  CHECK(live.unused[3] == std::vector<std::uint64_t>{1});
  CHECK(live.dies[3] == std::vector<std::uint64_t>{0, 1});
}

TEST_CASE("inputs of a run stay apart from constants and from each other", "[ssa][lower]") {
  ProgramBuilder b("t");
  b.begin_function("MAIN");
  b.constant({TypeWord::kInt, {}, {}, 1});
  b.constant({TypeWord::kInt, {}, {}, 0});
  b.constant({TypeWord::kInt, {}, {}, 1});
  b.constant({TypeWord::kInt, {}, {}});
  b.end_function();
  const auto ints = std::vector<EntryType>(4, plain(Type::kInt));
  const auto m = lowered(b, {{0, {}, ints, true, {}}});
  CHECK(m.constants.size() == 3);
  CHECK(ssa::print(m) ==
        "func f0 entry MAIN -> Int Int Int Int\n"
        "b0:\n"
        "  %0: Int = CONST INT input 1\n"
        "  %1: Int = CONST INT input 0\n"
        "  %2: Int = CONST INT input 1\n"
        "  %3: Int = CONST INT ()\n"
        "  return %0, %1, %2, %3\n");
}

TEST_CASE("a conditional that stops is a check, one that goes on is none", "[ssa][lower]") {
  const auto conditional = [](bool stops) {
    ProgramBuilder b("t");
    b.begin_function("MAIN");
    b.constant({TypeWord::kBool, {1}, {}});
    b.emit(Op::kIf);
    if (stops) b.emit(Op::kExit);
    b.emit(Op::kEndif);
    b.end_function();
    return lowered(b, {{0, {}, {}, true, {}}});
  };
  const auto check = conditional(true), choice = conditional(false);
  CHECK(ssa::is_check(check.functions[0], check.functions[0].blocks[0]));
  CHECK_FALSE(ssa::is_check(check.functions[0], check.functions[0].blocks[1]));
  CHECK_FALSE(ssa::is_check(choice.functions[0], choice.functions[0].blocks[0]));
}
