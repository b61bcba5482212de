#include "bytecode/verify/verify.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "bytecode/text/reader.h"

namespace nvm {
namespace {

const EntryType kI{Type::kInt, {}};
const EntryType kF{Type::kFloat, {}};
const EntryType kB{Type::kBool, {}};
const EntryType kS{Type::kSegdes, {}};
using Types = std::vector<EntryType>;

struct Judged {
  Program program;
  VerifyResult result;
  std::string messages;

  // The instances of the function named so.
  [[nodiscard]] std::vector<Instance> of(const std::string& name) const {
    std::vector<Instance> found;
    for (const Instance& i : result.verified.instances)
      if (program.functions[static_cast<std::size_t>(i.function)].name == name) found.push_back(i);
    return found;
  }
};

Judged judge(const std::string& text) {
  Diagnostics diagnostics("t.vcode", text);
  Judged j;
  j.program = read_vcode(text, diagnostics);
  INFO(diagnostics.render());
  REQUIRE_FALSE(diagnostics.failed());
  j.result = verify(j.program, diagnostics);
  j.messages = diagnostics.render();
  return j;
}

Judged judge_ok(const std::string& text) {
  Judged j = judge(text);
  INFO(j.messages);
  REQUIRE(j.result.verdict == Verdict::kOk);
  return j;
}

void check_bad(const std::string& text, const std::string& part) {
  const Judged j = judge(text);
  INFO(text);
  INFO(j.messages);
  CHECK(j.result.verdict == Verdict::kError);
  CHECK(j.messages.find(part) != std::string::npos);
}

void check_dynamic(const std::string& text, const std::string& part) {
  const Judged j = judge(text);
  INFO(text);
  INFO(j.messages);
  CHECK(j.result.verdict == Verdict::kDynamicStack);
  CHECK(j.messages.find(part) != std::string::npos);
  CHECK(j.messages.find("error") == std::string::npos);
}

std::string letter_constant(char letter) {
  switch (letter) {
    case 'F':
    case 'f': return "CONST FLOAT 1.0 ";
    case 'B':
    case 'b': return "CONST BOOL T ";
    case 'S': return "CONST SEGDES 1 ";
    case 'P': return "CONST INT 1 CONST FLOAT 1.0 PAIR ";
    default: return "CONST INT 1 ";
  }
}

}  // namespace

TEST_CASE("every row of the table: its signature is accepted, its results have the row's kinds") {
  constexpr TypeWord kWords[] = {TypeWord::kNone, TypeWord::kInt,    TypeWord::kFloat,
                                 TypeWord::kBool, TypeWord::kSegdes, TypeWord::kChar};
  for (const OpInfo& info : all_ops()) {
    if (info.kind == OpKind::kControl || info.kind == OpKind::kBlock) continue;
    for (const TypeWord word : kWords) {
      if (!word_allowed(info.op, word)) continue;
      const char typed = word == TypeWord::kNone          ? 'I'
                         : type_of(word) == Type::kFloat  ? 'F'
                         : type_of(word) == Type::kBool   ? 'B'
                         : type_of(word) == Type::kSegdes ? 'S'
                                                          : 'I';
      std::string body;
      for (const char letter : info.operands) body += letter_constant(letter == 't' ? typed : letter);
      body += std::string(info.text) + " " + std::string(type_word_text(word));
      const Judged j = judge_ok("FUNC MAIN " + body + " RET");
      Types results;
      for (const char letter : info.results) results.push_back({letter_type(letter, word), {}});
      CHECK(j.result.verified.instances[0].results == results);
    }
  }
}

TEST_CASE("every row of the table: one operand too few and each operand of a wrong kind are errors") {
  for (const OpInfo& info : all_ops()) {
    if (info.operands.empty()) continue;
    TypeWord word = TypeWord::kNone;
    if (info.words != Words::kNoWord) word = TypeWord::kInt;
    const std::string end = std::string(info.text) + " " + std::string(type_word_text(word)) +
                            (info.op == Op::kIf ? " ENDIF" : "");
    std::string fewer;
    for (std::size_t i = 1; i < info.operands.size(); ++i) fewer += letter_constant(info.operands[i]);
    check_bad("FUNC MAIN " + fewer + end + " RET",
              "values on stack; " + std::string(info.text) + " requires");
    for (std::size_t wrong = 0; wrong < info.operands.size(); ++wrong) {
      const char letter = info.operands[wrong];
      if (letter == '*') continue;
      std::string body;
      for (std::size_t i = 0; i < info.operands.size(); ++i)
        body += letter_constant(i != wrong ? info.operands[i] : letter == 'P' ? 'I' : 'P');
      check_bad("FUNC MAIN " + body + end + " RET", letter == 'P' ? "non-pair" : "Pair");
    }
  }
}

TEST_CASE("stack shuffles move kinds") {
  const Judged j = judge_ok(
      "FUNC MAIN CONST INT 1 CONST FLOAT 1.0 CONST BOOL T CONST SEGDES 1 COPY 2 1 CPOP 1 5 POP 1 1 "
      "POP 0 3 COPY 0 0 RET");
  CHECK(j.result.verified.instances[0].results == Types{kF, kB, kS, kF, kI});
}

TEST_CASE("operands are what a function touches, results what stands in their place") {
  const Judged j = judge_ok(
      "FUNC MAIN CONST FLOAT 1.0 CONST INT (1 2) CONST INT 2 MAKE_SEGDES CALL SUM RET\n"
      "FUNC SUM +_REDUCE INT COPY 1 1 RET");
  const auto sum = j.of("SUM");
  REQUIRE(sum.size() == 1);
  CHECK(sum[0].operands == Types{kF, kI, kS});
  CHECK(sum[0].results == Types{kF, kI, kF});
  CHECK(sum[0].returns);
  const Instance& main = j.result.verified.instances[static_cast<std::size_t>(j.result.verified.entry)];
  CHECK(main.operands.empty());
  CHECK(main.results == Types{kF, kI, kF});
  const auto callee = static_cast<std::size_t>(main.callees[4]);
  CHECK(j.result.verified.instances[callee].function == 1);
  CHECK(main.callees[0] == -1);
}

TEST_CASE("a function that only shuffles is typed per use") {
  const Judged j = judge_ok(
      "FUNC MAIN CONST INT 1 CONST FLOAT 1.0 CALL SWAP CALL SWAP CONST INT 2 CALL SWAP RET FUNC SWAP CPOP 1 "
      "1 RET");
  CHECK(j.of("SWAP").size() == 2);  // (Int Float) twice, (Float Int) once
  CHECK(j.of("SWAP")[0].results == Types{kF, kI});
  CHECK(j.of("SWAP")[1].results == Types{kI, kF});
}

TEST_CASE("recursion is typed by its base case") {
  const Judged j = judge_ok(
      "FUNC MAIN CONST INT 5 CALL FACT RET\n"
      "FUNC FACT COPY 1 0 CONST INT 0 = INT IF POP 1 0 CONST FLOAT 1.0 ELSE COPY 1 0 CONST INT 1 - INT CALL "
      "FACT "
      "CPOP 1 1 I_TO_F * FLOAT ENDIF RET");
  CHECK(j.of("FACT")[0].results == Types{kF});
  check_bad(
      "FUNC MAIN CONST INT 5 CALL G RET FUNC G COPY 1 0 CONST INT 0 = INT IF POP 1 0 CONST FLOAT 1.0 ELSE "
      "CALL G\n"
      "I_TO_F ENDIF RET",
      "t.vcode:2:1: error: type mismatch.  Stack[0] is Float, function I_TO_F expects Int");
}

TEST_CASE("mutual recursion, base case behind two calls") {
  const Judged j = judge_ok(
      "FUNC MAIN CONST INT 5 CALL EVEN RET\n"
      "FUNC EVEN COPY 1 0 CONST INT 0 = INT IF POP 1 0 CONST BOOL T ELSE CONST INT 1 - INT CALL ODD ENDIF "
      "RET\n"
      "FUNC ODD CALL EVEN NOT BOOL RET");
  CHECK(j.of("ODD")[0].operands == Types{kI});
  CHECK(j.of("ODD")[0].results == Types{kB});
}

TEST_CASE("paths that end in EXIT or never end need not balance") {
  const Judged j = judge_ok(
      "FUNC MAIN CONST INT 1 CONST BOOL T IF POP 1 0 CONST CHAR \"x\" WRITE CHAR EXIT ENDIF CALL DIE + INT "
      "RET\n"
      "FUNC DIE EXIT RET");
  CHECK_FALSE(j.of("DIE")[0].returns);
  const Instance& main = j.result.verified.instances[0];
  CHECK_FALSE(main.returns);
  CHECK(main.callees[8] >= 0);
  CHECK_FALSE(judge_ok("FUNC MAIN CALL MAIN RET").result.verified.instances[0].returns);
}

TEST_CASE("pairs are typed by their parts") {
  const Judged j = judge_ok(
      "FUNC MAIN CONST INT 1 CONST FLOAT 2.0 PAIR CONST SEGDES 3 PAIR COPY 1 0 UNPAIR CPOP 1 1 UNPAIR RET");
  const EntryType inner{Type::kPair, {kI, kF}};
  CHECK(j.result.verified.instances[0].results == Types{EntryType{Type::kPair, {inner, kS}}, kS, kI, kF});
}

TEST_CASE("errors name kinds, place and the way there") {
  check_bad("FUNC MAIN CONST INT 1 CONST FLOAT 1.0\n + INT RET",
            "t.vcode:2:2: error: type mismatch.  Stack[1] is Float, function + expects Int; + INT takes Int "
            "Int, found Int Float");
  check_bad("FUNC MAIN CONST INT 1 COPY 1 1 RET", "can't do a COPY 1 1; only 1 items on the stack.");
  check_bad("FUNC MAIN COPY 2147483647 2147483647 RET", "only 0 items on the stack.");
  check_bad("FUNC MAIN CONST INT 1 POP -1 0 RET", "negative argument: POP -1 0");
  check_bad("FUNC MAIN RET FUNC UNUSED COPY 1 -1 RET", "negative argument: COPY 1 -1");
  check_bad("FUNC MAIN CONST SEGDES -2 RET", "negative segment length -2");
  check_bad("FUNC MAIN CONST SEGDES (9223372036854775807 1) RET", "add up to more");
  check_bad("FUNC MAIN CONST INT 5 IF ENDIF RET", "IF: top of stack not bool scalar");
  check_bad("FUNC MAIN CONST INT 1 UNPAIR RET", "attempting to UNPAIR a non-pair (Int)");
  check_bad("FUNC MAIN CONST SEGDES 3 LENGTH INT RET", "applying LENGTH to a segment descriptor.");
  check_bad("FUNC MAIN CONST INT 3 LENGTHS RET", "applying LENGTHS to a non-segment descriptor");
  check_bad("FUNC MAIN CONST FLOAT 1.0 WRITE CHAR RET", "function WRITE expects Int");
  check_bad("FUNC MAIN CALL A RET\nFUNC A CALL B RET\nFUNC B CONST INT 1 I_TO_B I_TO_F RET",
            "note: A is called here, by MAIN");
  check_bad("FUNC MAIN CONST INT 1 CALL A RET\nFUNC A CALL B RET\nFUNC B\nPOP 1 3 RET",
            "t.vcode:4:1: note: the deepest of them is taken here, in B");
}

TEST_CASE("several errors come in one go, each once") {
  const Judged j =
      judge("FUNC MAIN CONST INT 1 CALL A CALL A CONST BOOL T I_TO_F + INT RET\nFUNC A NOT BOOL RET");
  CHECK(j.result.verdict == Verdict::kError);
  std::size_t errors = 0;
  for (std::size_t at = 0; (at = j.messages.find("error:", at)) != std::string::npos; ++at) ++errors;
  CHECK(errors == 3);  // NOT BOOL of Int, I_TO_F of Bool, + INT of Bool and Float
}

TEST_CASE("what depends on data is left to the stack machine") {
  check_dynamic(
      "FUNC MAIN CONST INT 5 CALL S RET FUNC S COPY 1 0 CONST INT 0 = INT IF ELSE COPY 1 0 CONST INT 1 - "
      "INT CALL S ENDIF RET",
      "depends on data");
  check_dynamic("FUNC MAIN CONST BOOL F IF CONST INT 5 ENDIF RET", "leave 0 entries and 1 entry");
  check_dynamic("FUNC MAIN CONST BOOL F IF CONST INT 5 ELSE CONST FLOAT 1.0 ENDIF RET",
                "different kinds: Int and Float at depth 0");
  check_dynamic("FUNC MAIN CONST FLOAT 1.5 WRITE INT RET", "WRITE INT of a Float");
  check_dynamic("FUNC MAIN CALL A RET FUNC A CALL B RET FUNC B CONST BOOL T IF CONST INT 1 ENDIF RET",
                "how many entries B leaves");
}

TEST_CASE("an error is an error even in a program that is otherwise dynamic") {
  check_bad("FUNC MAIN CONST INT 1 NOT BOOL CONST BOOL F IF CONST INT 5 ENDIF RET", "type mismatch");
}

TEST_CASE("functions that nothing calls are not typed") {
  const Judged j = judge_ok("FUNC MAIN RET FUNC UNUSED CONST INT 1 UNPAIR POP 9 9 RET");
  CHECK(j.result.verified.instances.size() == 1);
}

TEST_CASE("hostile programs cost little") {
  std::string chain;
  for (int i = 0; i < 30000; ++i)
    chain += "FUNC F" + std::to_string(i) + " CONST INT 1 CALL F" + std::to_string(i + 1) + " + INT RET\n";
  CHECK(judge_ok(chain + "FUNC F30000 CONST INT 1 RET").result.verified.instances.size() == 30001);

  std::string ring = "FUNC MAIN CONST INT 1 CALL F0 RET\n";
  for (int i = 0; i < 3000; ++i)
    ring += "FUNC F" + std::to_string(i) + " COPY 1 0 CONST INT 0 = INT IF ELSE CALL F" +
            std::to_string((i + 1) % 3000) + " ENDIF RET\n";
  (void)judge_ok(ring);

  std::string pairs = "FUNC MAIN CONST INT 1 ";
  std::string doubling = "FUNC MAIN CONST INT 1 ";
  for (int i = 0; i < 30; ++i) {
    pairs += "COPY 1 0 PAIR ";
    doubling += "COPY " + std::to_string(1 << i) + " 0 ";
  }
  check_dynamic(pairs + "RET", "a pair of more than 1000 parts");
  check_dynamic(doubling + "RET", "takes too long");
  check_dynamic("FUNC MAIN CONST INT 1 CALL P RET FUNC P COPY 1 0 PAIR CALL P RET", "a pair of more than");

  std::string calls = "FUNC MAIN CONST INT 1 CALL D60 RET FUNC D0 COPY 1 0 RET ";
  for (int i = 1; i <= 60; ++i) {
    const std::string callee = "CALL D" + std::to_string(i - 1) + " ";
    calls += "FUNC D" + std::to_string(i) + " " + callee + callee + "RET ";
  }
  check_dynamic(calls, "leaves on the stack");
  check_bad("FUNC MAIN CONST INT 1 CALL DIG RET FUNC DIG POP 1 0 CALL DIG RET", "CALL DIG requires");
}

}  // namespace nvm
