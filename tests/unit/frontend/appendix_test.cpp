// Every name of the language has its documented type, and is visible to programs.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "frontend/environment.h"

using namespace nvm::frontend;

TEST_CASE("names and types of the function list") {
  std::ifstream table(NVM_SOURCE_DIR "/tests/unit/frontend/appendix.tsv");
  Environment environment;
  const std::vector<std::string> visible = environment.names();
  int rows = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.starts_with("#")) continue;
    const auto tab = line.find('\t');
    REQUIRE(tab != std::string::npos);
    const std::string name = line.substr(0, tab);
    const Binding* binding = environment.find(name);
    INFO(name);
    CHECK(std::binary_search(visible.begin(), visible.end(), name));
    REQUIRE(binding != nullptr);
    CHECK(print_type(binding->type) == line.substr(tab + 1));
    ++rows;
  }
  CHECK(rows > 200);
  CHECK(environment.prelude_errors() == "");
}
