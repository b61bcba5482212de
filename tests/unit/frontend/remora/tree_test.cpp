#include "frontend/remora/tree.h"

#include <catch2/catch.hpp>
#include <limits>

using namespace nvm;
using namespace nvm::remora;

namespace {

// "KIND LINE:COLUMN" of the error that a text is, or "".
std::string error_of(const std::string& text) {
  try {
    (void)read_trees(text);
    return "";
  } catch (const Error& e) {
    return e.kind + " " + std::to_string(e.pos.line) + ":" + std::to_string(e.pos.column);
  }
}

std::string repeated(const std::string& what, int n) {
  std::string out;
  for (int k = 0; k < n; ++k) out += what;
  return out;
}

}  // namespace

TEST_CASE("an empty text, blanks and comments are no expressions") {
  CHECK(read_trees("").empty());
  CHECK(read_trees(" \t\r\n; all of it").empty());
  CHECK(read_trees("#| a |#\n#||#").empty());
  CHECK(error_of("1\n  #| open") == "syntax 2:3");
}

TEST_CASE("a byte order mark before a text is no part of it; what cannot be seen has a number") {
  const auto trees = read_trees("\xEF\xBB\xBF(f 1)");
  CHECK(trees.at(0).pos.column == 1);
  CHECK(visible("1\u00A02\uFEFF\f") == "1<U+00A0>2<U+FEFF><U+000C>");
  CHECK(visible("λ-é") == "λ-é");
}

TEST_CASE("integers have 64 bits") {
  CHECK(read_trees("9223372036854775807")[0].number == std::numeric_limits<std::int64_t>::max());
  CHECK(read_trees("-9223372036854775808")[0].number == std::numeric_limits<std::int64_t>::min());
  CHECK(error_of("9223372036854775808") == "syntax 1:1");
  CHECK(error_of("(f -9223372036854775809)") == "syntax 1:4");
}

TEST_CASE("floats need a point or an exponent") {
  CHECK(read_trees("1.")[0].real == 1);
  CHECK(read_trees("-.5")[0].real == -0.5);
  CHECK(read_trees("1e400")[0].real == std::numeric_limits<double>::infinity());
  CHECK(read_trees("1e-400")[0].real == 0);
  CHECK(read_trees("1e")[0].is(Tree::Kind::kName));
  CHECK(read_trees("-")[0].is(Tree::Kind::kName));
}

TEST_CASE("columns count code points") {
  const auto trees = read_trees("(λ é) \"日本\" x");
  CHECK(trees[0].kids[1].pos.column == 4);
  CHECK(trees[1].codes == std::vector<std::int32_t>{0x65E5, 0x672C});
  CHECK(trees[2].pos.column == 12);
  CHECK(error_of("\"日本\" )") == "syntax 1:6");
  CHECK(error_of("é \xFF") == "syntax 1:3");  // no UTF-8
  CHECK(error_of("; \xC3\n1") == "syntax 1:3");
}

TEST_CASE("brackets are closed, each by its own kind") {
  CHECK(error_of("(f [1 2)") == "syntax 1:8");
  CHECK(error_of("(f\n  [1 2") == "syntax 2:3");
  CHECK(error_of("1 ]") == "syntax 1:3");
  CHECK(error_of("()") == "syntax 1:1");
  CHECK(error_of("(f{int})") == "syntax 1:3");
  CHECK(error_of("|") == "syntax 1:1");
}

TEST_CASE("nesting has a bound, in brackets and in instances of instances") {
  const int most = kMaxNesting;
  CHECK(error_of(repeated("[", most) + repeated("]", most)).empty());
  CHECK(error_of(repeated("[", most + 1)) == "syntax 1:" + std::to_string(most + 1));
  CHECK(error_of(repeated("(", 1'000'000)) == "syntax 1:" + std::to_string(most + 1));
  CHECK(error_of("x" + repeated("{|}", most)).empty());
  CHECK(error_of("x" + repeated("{|}", 100'000)) == "syntax 1:1");
}

TEST_CASE("a brace that touches begins an instance") {
  const Tree touching = read_trees("f{int | 3}")[0];
  CHECK(touching.is(Tree::Kind::kInstance));
  CHECK(touching.bar == 2);
  CHECK(read_trees("f {}").size() == 2);
  CHECK(error_of("(f {int | 3} 1)") == "syntax 1:4");
  CHECK(error_of("{(a 1) | }") == "syntax 1:1");
}

TEST_CASE("strings and characters") {
  CHECK(read_trees(R"("\n\x41")")[0].codes == std::vector<std::int32_t>{10, 65});
  CHECK(read_trees(R"(#\space #\a #\))")[2].number == ')');
  CHECK(error_of(R"("\q")") == "syntax 1:2");
  CHECK(error_of("\"open") == "syntax 1:1");
  CHECK(error_of("\"\\x4") == "syntax 1:2");
  CHECK(error_of("#\\") == "syntax 1:1");
}

TEST_CASE("what cannot be read becomes blanks, up to the next line that begins with a bracket") {
  CHECK(readable("(f 1)\n(g\n(h)") == "(f 1)\n  \n(h)");
  CHECK(readable("(f 1)\n(g\n(h))\n") == "(f 1)\n(g\n(h))\n");
  CHECK(readable("(f]\n x)\n(h)") == "   \n   \n(h)");
  CHECK(readable("(h)\n; c\n#| (\n(g)") == "(h)\n   \n    \n(g)");
  CHECK(readable("(h)\n\"a\n b") == "(h)\n  \n  ");
  CHECK(readable(") 1\n(h)") == "   \n(h)");
  CHECK(readable("(f 1)\n(g)") == "(f 1)\n(g)");
}
