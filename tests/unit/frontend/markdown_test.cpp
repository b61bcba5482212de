#include "frontend/markdown.h"

#include <catch2/catch.hpp>

using namespace nvm::frontend;

namespace {

// The blocks of nesl, each in brackets.
std::string blocks(const std::string& text) {
  std::string out;
  for (const CodeBlock& b : code_blocks(text, "nesl"))
    out += "[" + text.substr(b.begin, b.end - b.begin) + "]";
  return out;
}

}  // namespace

TEST_CASE("fences as CommonMark has them") {
  CHECK(blocks("a\n```nesl\n1;\n2;\n```\nb\n~~~ nesl\n3;\n~~~\n") == "[1;\n2;\n][3;\n]");
  CHECK(blocks("``nesl\n1;\n``\n") == "");
  CHECK(blocks("    ```nesl\n1;\n    ```\n") == "");
  CHECK(blocks("   ```nesl\n1;\n   ```\n2;") == "[1;\n]");
  CHECK(blocks("```nesl\n1;\n    ```\n2;\n```\n") == "[1;\n    ```\n2;\n]");
  CHECK(blocks("````nesl\n```\n~~~~\n`````\n3;") == "[```\n~~~~\n]");
  CHECK(blocks("```nesl\n1;\n``` nesl\n2;\n``` \n3;\n") == "[1;\n``` nesl\n2;\n]");
  CHECK(blocks("~~~ nesl `a` ~~~\n1;\n~~~\n``` nesl `a`\n2;\n") == "[1;\n]");
  CHECK(blocks("```nesl\n1;") == "[1;]");
  CHECK(blocks("```nesl") == "[]");
  CHECK(blocks("```nesl\n```\n") == "[]");
}

TEST_CASE("the language is the first word, and a block of another one hides what is in it") {
  CHECK(blocks("```nesl title=\"x\"\n1;\n```\n```{.nesl #a}\n2;\n```\n```{nesl}\n3;\n```\n") ==
        "[1;\n][2;\n][3;\n]");
  CHECK(blocks("```neslx\n1;\n```\n```c nesl\n2;\n```\n```\n3;\n```\n") == "");
  CHECK(blocks("````markdown\n```nesl\n1;\n```\n````\n```nesl\n2;\n```\n") == "[2;\n]");
}

TEST_CASE("comments hide blocks, and begin no comment within one") {
  CHECK(blocks("<!--\n```nesl\n1;\n```\n-->\n```nesl\n2;\n```\n") == "[2;\n]");
  CHECK(blocks("<!-- a --> b\n```nesl\n<!--\n```\n```nesl\n2;\n```\n") == "[<!--\n][2;\n]");
  CHECK(blocks("a <!--\n```nesl\n1;\n```\n-->\n") == "[1;\n]");
}

TEST_CASE(
    "HTML hides blocks up to an empty line or the end of its element, a tag in a line of text does not") {
  CHECK(blocks("<div>\n```nesl\n1;\n```\n</div>\n\n```nesl\n2;\n```\n") == "[2;\n]");
  CHECK(blocks("<details><summary>a</summary>\n\n```nesl\n1;\n```\n</details>\n") == "[1;\n]");
  CHECK(blocks(" <PRE class=a>\n\n```nesl\n1;\n```\n\n</pre> b\n```nesl\n2;\n```\n") == "[2;\n]");
  CHECK(blocks("<?php\n```nesl\n1;\n```\n?>\n```nesl\n2;\n```\n") == "[2;\n]");
  CHECK(blocks("<!DOCTYPE html>\n```nesl\n1;\n```\n") == "[1;\n]");
  CHECK(blocks("<![CDATA[\n```nesl\n1;\n```\n]]>\n") == "");
  CHECK(blocks("<b>a</b> c\n```nesl\n1;\n```\n<divx>\n```nesl\n2;\n```\n<\n```nesl\n3;\n```\n") ==
        "[1;\n][2;\n][3;\n]");
  CHECK(blocks("```nesl\n<div>\n```\n```nesl\n1;\n```\n") == "[<div>\n][1;\n]");
}

TEST_CASE("a block that begins an item of a list ends with it") {
  CHECK(blocks("- ```sh\n  a\n  ```\n\n```nesl\n1;\n```\n") == "[1;\n]");
  CHECK(blocks("12. ```nesl\n    1;\n    ```\n\n```nesl\n2;\n```\n") == "[    1;\n][2;\n]");
  CHECK(blocks("- * ~~~ nesl\n\n    1;\ntext\n```nesl\n2;\n```\n") == "[\n    1;\n][2;\n]");
  CHECK(blocks("-```nesl\n1;\n1234567890. ```nesl\n2;\n-     ```nesl\n3;\n") == "");
}

TEST_CASE("byte order marks and ends of lines of all kinds") {
  CHECK(blocks("\xef\xbb\xbf```nesl\r\n1;\r\n```\r\n2;\r\n") == "[1;\r\n]");
}

TEST_CASE("what stands outside is blank, what stands inside stays where it was") {
  const std::string text = "\xc3\xa9 % \"\r\n```nesl\nx = \"%\";\n```\n% \"";
  const std::string code = only_blocks(text, code_blocks(text, "nesl"));
  CHECK(code == "       \n       \nx = \"%\";\n   \n   ");
  CHECK(code.size() == text.size());
}
