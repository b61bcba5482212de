#include "bytecode/base/diagnostic.h"

#include <catch2/catch.hpp>
#include <string>

namespace nvm {

TEST_CASE("a message shows its line and a caret under its column") {
  Diagnostics d("f", "one\n\ttwo three\nfour");
  d.error({2, 6}, "bad");
  d.note({3, 1}, "see");
  d.warning({}, "nowhere");
  CHECK(d.render() ==
        "f:2:6: error: bad\n  \ttwo three\n  \t    ^~~~~\nf:3:1: note: see\n  four\n  ^~~~\nf: warning: "
        "nowhere\n");
  CHECK(d.errors() == 1);
  CHECK(d.failed());
}

TEST_CASE("a long line is shown around its column; places beyond the text do no harm") {
  const std::string text = std::string(500, 'a') + "X" + std::string(500, 'b');
  Diagnostics d("f", text);
  d.error({1, 501}, "here");
  const std::string out = d.render();
  CHECK(out.size() < 300);
  const std::size_t line = out.find('\n') + 1;
  const std::size_t caret = out.find('\n', line) + 1;
  CHECK(out[line + out.substr(caret).find('^')] == 'X');
  d.error({9, 9}, "beyond");
  d.error({1, 5000}, "beyond");
  CHECK(d.render().find("f:9:9: error: beyond\n  \n  ^\n") != std::string::npos);
}

TEST_CASE("messages beyond the limit are counted, not kept") {
  Diagnostics d("f", "");
  for (int i = 0; i < Diagnostics::kMaxKept + 7; ++i) d.error({}, "bad");
  CHECK(d.errors() == Diagnostics::kMaxKept + 7);
  CHECK(d.all().size() == static_cast<std::size_t>(Diagnostics::kMaxKept));
  CHECK(d.render().find("7 more messages not shown") != std::string::npos);
}

}  // namespace nvm
