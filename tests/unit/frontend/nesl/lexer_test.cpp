#include "frontend/nesl/lexer.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

using namespace nvm;
using namespace nvm::frontend;

namespace {

struct Lexed {
  std::vector<Token> tokens;
  std::string errors;
};

Lexed lex(const std::string& text) {
  const Source source{"x.nesl", text};
  Diagnostics diagnostics("x.nesl", text);
  Lexer lexer(source, diagnostics);
  Lexed result;
  for (Token token = lexer.next(); token.kind != Tok::kEnd; token = lexer.next())
    result.tokens.push_back(token);
  result.errors = diagnostics.render();
  return result;
}

std::string texts(const std::string& text) {
  std::string out;
  for (const Token& token : lex(text).tokens) out += (out.empty() ? "" : " ") + token.text;
  return out;
}

}  // namespace

TEST_CASE("names fold to lower case and operators match longest") {
  CHECK(texts("FoO_1 bar") == "foo_1 bar");
  CHECK(texts("a<-b->c") == "a <- b -> c");
  CHECK(texts("a:=b::c|=d||e=>f&=g==h=i") == "a := b :: c |= d || e => f &= g == h = i");
  CHECK(texts("1++2/=3/4") == "1 ++ 2 /= 3 / 4");
}

TEST_CASE("comments separate tokens and may span lines") {
  CHECK(texts("a% x \n y %b") == "a b");
  CHECK(lex("1 % open").errors.find("x.nesl:1:3") != std::string::npos);
}

TEST_CASE("numbers") {
  const Lexed lexed = lex("007 1.5 1. .5 1e5 1E+5 1.5e-3 9223372036854775807");
  REQUIRE(lexed.errors.empty());
  CHECK(lexed.tokens[0].int_value == 7);
  CHECK(lexed.tokens[1].float_value == 1.5);
  CHECK(lexed.tokens[2].float_value == 1.0);
  CHECK(lexed.tokens[3].float_value == 0.5);
  CHECK(lexed.tokens[4].float_value == 1e5);
  CHECK(lexed.tokens[5].float_value == 1e5);
  CHECK(lexed.tokens[6].float_value == 1.5e-3);
  CHECK(lexed.tokens[7].int_value == INT64_MAX);
  CHECK(lexed.tokens[4].kind == Tok::kFloat);
}

TEST_CASE("numbers out of range are errors") {
  CHECK(lex("9223372036854775809").errors.find("64 bits") != std::string::npos);
  CHECK(lex(std::string(100000, '9')).errors.find("64 bits") != std::string::npos);
  CHECK(lex("1e999").errors.find("out of the range") != std::string::npos);
  CHECK(lex("1e+").errors.find("exponent") != std::string::npos);
  CHECK(lex("12abc").errors.find("must not follow a number") != std::string::npos);
}

TEST_CASE("characters take exactly one byte of any kind") {
  const Lexed lexed = lex("`a `` `% `\" `  `\n");
  REQUIRE(lexed.errors.empty());
  REQUIRE(lexed.tokens.size() == 6);
  CHECK(lexed.tokens[0].int_value == 'a');
  CHECK(lexed.tokens[1].int_value == '`');
  CHECK(lexed.tokens[2].int_value == '%');
  CHECK(lexed.tokens[3].int_value == '"');
  CHECK(lexed.tokens[4].int_value == ' ');
}

TEST_CASE("strings: escapes and newlines") {
  const Lexed lexed = lex("\"a\\\"b\\\\c\\n\nd\"");
  REQUIRE(lexed.tokens.size() == 1);
  CHECK(lexed.tokens[0].text == "a\"b\\c\n\nd");
  CHECK(lex("1 \"abc").errors.find("x.nesl:1:3") != std::string::npos);
}

TEST_CASE("quotes name operators") {
  const Lexed lexed = lex("'+ 'max");
  REQUIRE(lexed.tokens.size() == 2);
  CHECK(lexed.tokens[0].kind == Tok::kQuoted);
  CHECK(lexed.tokens[0].text == "+");
  CHECK(lexed.tokens[1].text == "max");
}

TEST_CASE("bytes that begin no token are reported where they stand") {
  CHECK(lex("a\n  \x01").errors.find("x.nesl:2:3") != std::string::npos);
  CHECK(lex("!x").errors.find("not supported") != std::string::npos);
}

TEST_CASE("escapes in strings") {
  CHECK(lex("\"a\\nb\\t\\r\\\"\\\\\"").tokens[0].text == "a\nb\t\r\"\\");
  CHECK(lex("\"\\0\"").tokens[0].text == std::string(1, '\0'));
  CHECK(lex("\"a\\\nb\"").tokens[0].text == "a\nb");  // a newline itself
  CHECK(lex("\"a\\nb\"").tokens[0].strange_escape.line == 0);
  const Token strange = lex("\"ab\\qc\\z\"").tokens[0];  // as in release 3.1, noted
  CHECK(strange.text == "abqcz");
  CHECK(strange.strange_escape.column == 4);
}
