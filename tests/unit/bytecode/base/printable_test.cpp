#include "bytecode/base/printable.h"

#include <catch2/catch.hpp>

using nvm::printable;

TEST_CASE("control bytes are shown, text is as it was") {
  CHECK(printable("plain text\n\twith lines") == "plain text\n\twith lines");
  CHECK(printable("\x1b[2J\a\r") == "\\x1b[2J\\x07\\x0d");
  CHECK(printable(std::string("\0\x7f", 2)) == "\\x00\\x7f");
  CHECK(printable("gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80") ==
        "gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80");
  CHECK(printable("\x9b\x31m") == "\\x9b1m");           // CSI in one byte
  CHECK(printable("\xC2\x9b\x31m") == "\\xc2\\x9b1m");  // and in UTF-8
  CHECK(printable("\xC3") == "\\xc3");                  // a character that does not end
  CHECK(printable("\xC3\x1b[") == "\\xc3\\x1b[");       // or is cut off
}

TEST_CASE("a text may come in pieces") {
  const std::string text = "\xE2\x82\xAC\xC2\x9b\x1b";
  nvm::Printable shown;
  std::string out;
  for (const char c : text) out += shown({&c, 1});
  CHECK(out + shown.rest() == printable(text));
}
