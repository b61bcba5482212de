#include "bytecode/base/suggest.h"

#include <array>
#include <catch2/catch.hpp>
#include <string>

using nvm::nearest_name;
using namespace std::string_view_literals;

TEST_CASE("nearest name: case first, then few edits") {
  const std::array names{"CONST"sv, "COPY"sv, "CPOP"sv, "POP"sv, "PERMUTE"sv, "BPERMUTE"sv, "MAKE_SEGDES"sv};
  CHECK(nearest_name("const", names) == "CONST");
  CHECK(nearest_name("CONTS", names) == "CONST");
  CHECK(nearest_name("PERMUT", names) == "PERMUTE");
  CHECK(nearest_name("MAKESEGDES", names) == "MAKE_SEGDES");
  CHECK(nearest_name("COPYY", names) == "COPY");
  CHECK(nearest_name("XQZW", names).empty());
  CHECK(nearest_name("P", names).empty());
  CHECK(nearest_name("OP", names).empty());
  CHECK(nearest_name("OP", names, 2) == "POP");
  CHECK(nearest_name("", names).empty());
  CHECK(nearest_name(std::string(500, 'P'), names).empty());
}
