#include "bytecode/table/op_info.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

#include "bytecode/table/op_kind.h"
#include "bytecode/table/views.h"

namespace nvm {
namespace {

constexpr TypeWord kWords[] = {TypeWord::kNone, TypeWord::kInt,    TypeWord::kFloat,
                               TypeWord::kBool, TypeWord::kSegdes, TypeWord::kChar};

bool only(std::string_view text, std::string_view letters) {
  return text.find_first_not_of(letters) == std::string_view::npos;
}

std::string file_text(const std::string& path) {
  std::ifstream file(std::string(NVM_SOURCE_DIR) + "/" + path);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("every row is found by its text, and nothing else is") {
  for (const OpInfo& info : all_ops()) {
    CHECK(find_op(info.text) == info.op);
    CHECK(&op_info(info.op) == &info);
  }
  for (const char* text : {"", "FUNC", "FUSED", "MAIN", "INT", "T", "const", "+_REDUCE ", "RSEED"})
    CHECK_FALSE(find_op(text));
}

TEST_CASE("signatures use the letters of the legend, t only where a type word stands") {
  for (const OpInfo& info : all_ops()) {
    INFO(info.text);
    CHECK(only(info.operands, "IFBSPtifb*"));
    CHECK(only(info.results, "IFBSPtifb*"));
    const bool typed =
        info.operands.find('t') != std::string_view::npos || info.results.find('t') != std::string_view::npos;
    const bool word = info.words != Words::kNoWord && info.words != Words::kIntWord;
    CHECK(typed == word);
  }
}

TEST_CASE("type words: none or at least one, as the class says") {
  for (const OpInfo& info : all_ops()) {
    INFO(info.text);
    int allowed = 0;
    for (const TypeWord word : kWords) allowed += word_allowed(info.op, word) ? 1 : 0;
    CHECK(allowed == (info.words == Words::kNoWord    ? 1
                      : info.words == Words::kIntWord ? 1
                      : info.words == Words::kGeneral ? 3
                      : info.words == Words::kAny     ? 5
                                                      : 2));
    CHECK(word_allowed(info.op, TypeWord::kNone) == (info.words == Words::kNoWord));
  }
}

TEST_CASE("shapes: descriptors and only they have a total; single letters have length one") {
  for (const OpInfo& info : all_ops()) {
    INFO(info.text);
    const Shape& shape = op_shape(info.op);
    const std::string letters = std::string(info.operands) + std::string(info.results);
    if (shape.operands + shape.results == 0) continue;
    REQUIRE(static_cast<std::size_t>(shape.operands + shape.results) == letters.size());
    for (std::size_t i = 0; i < letters.size(); ++i) {
      const ShapeTerm& term = shape.terms[i];
      CHECK(only(std::string(1, term.length), "nmkew1_"));
      CHECK((term.total != 0) == (letters[i] == 'S'));
      if (letter_is_single(letters[i])) CHECK(term.length == '1');
      if (letters[i] == 'P' || letters[i] == '*') CHECK(term.length == '_');
    }
  }
}

TEST_CASE("elementwise rows agree with their scalar operation for every type word") {
  for (const OpInfo& info : all_ops()) {
    if (info.kind != OpKind::kMap) continue;
    INFO(info.text);
    const ScalarInfo& scalar = scalar_info(info.scalar);
    CHECK(scalar.operands == info.operands);
    CHECK(scalar.result == info.results[0]);
    CHECK(op_shape(info.op).terms[op_shape(info.op).operands].length == 'n');
  }
}

TEST_CASE("every scalar operation is used by some row and has a meaning") {
  for (const ScalarInfo& scalar : all_scalars()) {
    INFO(scalar.name);
    bool used = false;
    for (const OpInfo& info : all_ops()) used |= info.scalar == scalar.scalar;
    CHECK(used);
    CHECK_FALSE(scalar.doc.empty());
  }
}

TEST_CASE("the algebra of a scalar operation is that of its instruction") {
  std::size_t number = 0;
  for (const OpInfo& info : all_ops()) {
    if (info.kind != OpKind::kMap) {
      CHECK(map_algebra(info.op) == Algebra::kOther);
      continue;
    }
    INFO(info.text);
    CHECK(map_algebra(info.op) == scalar_info(info.scalar).algebra);
    CHECK(elementwise_op(info.scalar) == info.op);
    const bool relation = is_relation(info.scalar);
    CHECK(relation == (info.operands.size() == 2 && info.results == "B"));
    if (relation) CHECK(relation_number(info.scalar) == number++);
    if (is_bitwise(info.scalar)) CHECK(only(info.operands, "t"));
  }
  CHECK(number == 6);
}

TEST_CASE("relations, of two numbers either way round") {
  const auto holds = [](Scalar relation, int a, int b) {
    switch (relation) {
      case Scalar::kLt: return a < b;
      case Scalar::kLe: return a <= b;
      case Scalar::kGt: return a > b;
      case Scalar::kGe: return a >= b;
      case Scalar::kEq: return a == b;
      default: return a != b;
    }
  };
  for (const ScalarInfo& info : all_scalars()) {
    if (!is_relation(info.scalar)) continue;
    INFO(info.name);
    for (const int a : {1, 2, 3}) CHECK(holds(mirrored(info.scalar), 2, a) == holds(info.scalar, a, 2));
    CHECK(holds_below(info.scalar) == holds(info.scalar, 1, 2));
  }
}

TEST_CASE("forms of operands: of vectors only, and on condition only where the result has a form") {
  for (const OpInfo& info : all_ops()) {
    INFO(info.text);
    const OpViews& row = op_views(info.op);
    for (std::size_t i = 0; i < OpViews::kMostOperands; ++i) {
      const Forms forms = row.takes[i] | row.takes_with[i];
      if (forms.none()) continue;
      REQUIRE(i < info.operands.size());
      CHECK(only(info.operands.substr(i, 1), "tIFB"));
      CHECK_FALSE(row.takes[i].any(row.takes_with[i]));
      row.takes_with[i].each([&](Form form) { CHECK_FALSE(row.gives(form).none()); });
    }
    if (!row.leaves.none()) CHECK(only(info.results.substr(0, 1), "tIFB"));
  }
}

TEST_CASE("who leaves a form has a reader, and what is read in a form is left so by somebody") {
  Forms left, taken;
  for (const OpInfo& info : all_ops()) {
    left = left | op_views(info.op).leaves;
    for (std::size_t i = 0; i < OpViews::kMostOperands; ++i)
      taken = taken | op_views(info.op).takes[i] | op_views(info.op).takes_with[i];
  }
  CHECK(taken == Forms::all());
  CHECK(left == taken.without({Form::kUniform}));  // any result may turn out so
}

TEST_CASE("elementwise instructions read one repeated number if they have two operands") {
  for (const OpInfo& info : all_ops()) {
    if (info.kind != OpKind::kMap) continue;
    INFO(info.text);
    for (std::size_t i = 0; i < info.operands.size(); ++i) {
      CHECK(op_takes(info.op, i, Form::kUniform) == (info.operands.size() > 1));
      CHECK(op_views(info.op).takes_with[i].has(Form::kSlices) ==
            (is_total_map(info.op, TypeWord::kInt) || is_total_map(info.op, TypeWord::kFloat)));
      CHECK(op_views(info.op).takes_with[i].has(Form::kGrowing) ==
            (map_algebra(info.op) == Algebra::kLinear));
      CHECK(op_views(info.op).takes_with[i].has(Form::kSpread) ==
            (map_algebra(info.op) == Algebra::kRelation));
    }
  }
  CHECK_FALSE(op_takes(Op::kAdd, 2, Form::kUniform));
  CHECK_FALSE(op_takes(Op::kCall, 1000, Form::kUniform));
}

TEST_CASE("scans, reductions and combining scatters are of the same scalar operations and words") {
  int combining = 0;
  for (const OpInfo& scan : all_ops()) {
    combining += scan.kind == OpKind::kCombine ? 1 : 0;
    if (scan.kind != OpKind::kScan) continue;
    INFO(scan.text);
    const std::string operation(scan.text.substr(0, scan.text.find("_SCAN")));
    for (const auto& [suffix, kind] :
         {std::pair{"_REDUCE", OpKind::kReduce}, std::pair{"_DPERMUTE", OpKind::kCombine}}) {
      const auto other = find_op(operation + suffix);
      REQUIRE(other);
      CHECK(op_info(*other).scalar == scan.scalar);
      CHECK(op_info(*other).words == scan.words);
      CHECK(op_info(*other).kind == kind);
    }
    --combining;
  }
  CHECK(combining == 0);
}

TEST_CASE("identities are those of the legacy interpreter") {
  CHECK(int_identity(Scalar::kAdd, IntBits::k64) == 0);
  CHECK(int_identity(Scalar::kMul, IntBits::k32) == 1);
  CHECK(int_identity(Scalar::kMax, IntBits::k32) == -2147483648LL);
  CHECK(int_identity(Scalar::kMin, IntBits::k32) == 2147483647);
  CHECK(int_identity(Scalar::kMax, IntBits::k64) == std::numeric_limits<std::int64_t>::min());
  CHECK(int_identity(Scalar::kAnd, IntBits::k64) == -1);
  CHECK(int_identity(Scalar::kOr, IntBits::k64) == 0);
  CHECK(float_identity(Scalar::kMin) == 999999961690316245365415600208216064.0);
  CHECK(float_identity(Scalar::kMax) == -float_identity(Scalar::kMin));
  CHECK_FALSE(std::signbit(float_identity(Scalar::kAdd)));
  CHECK(bool_identity(Scalar::kAnd));
  CHECK_FALSE(bool_identity(Scalar::kXor));
}

TEST_CASE("letters stand for kinds") {
  CHECK(letter_type('i', TypeWord::kNone) == Type::kInt);
  CHECK(letter_type('t', TypeWord::kChar) == Type::kInt);
  CHECK(letter_type('t', TypeWord::kSegdes) == Type::kSegdes);
  CHECK(letter_type('P', TypeWord::kNone) == Type::kPair);
}

TEST_CASE("the golden case of all instructions writes every row with every word") {
  const std::string golden = file_text("tests/golden/text/all_instructions.case");
  for (const OpInfo& info : all_ops()) {
    if (info.op == Op::kConst || info.op == Op::kCall) continue;  // followed by a value, a name
    for (const TypeWord word : kWords) {
      if (!word_allowed(info.op, word)) continue;
      std::string line = "\n" + std::string(info.text);
      if (word != TypeWord::kNone) line += " " + std::string(type_word_text(word)) + "\n";
      INFO(line);
      CHECK(golden.find(line) != std::string::npos);
    }
  }
}

TEST_CASE("the reference manual has a row for every instruction") {
  const std::string manual = file_text("docs/vcode.md");
  for (const OpInfo& info : all_ops()) {
    INFO(info.text);
    CHECK(manual.find("\n| `" + std::string(info.text) + "`") != std::string::npos);
  }
}

}  // namespace nvm
