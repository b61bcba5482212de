#include "frontend/prelude.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <set>

#include "frontend/environment.h"

using nvm::frontend::prelude_entries;
using nvm::frontend::PreludeEntry;

TEST_CASE("every form of the prelude is found with its name, line and terminator") {
  const auto& entries = prelude_entries();
  REQUIRE(entries.size() > 100);
  CHECK(entries.front().name == "first");
  for (const PreludeEntry& e : entries) {
    INFO(e.name << " on line " << e.line);
    CHECK(e.text.ends_with(";\n"));
    CHECK(!e.name.empty());
  }
}

TEST_CASE("a name of the prelude is defined once") {
  std::set<std::string_view> seen;
  for (const PreludeEntry& e : prelude_entries()) {
    INFO(e.name);
    CHECK((e.forward || seen.insert(e.name).second));
  }
}

TEST_CASE("forward declarations of the prelude are type cases with every case defined") {
  std::set<std::string_view> defined;
  for (const PreludeEntry& e : prelude_entries())
    if (!e.forward) defined.insert(e.name);
  int cases = 0;
  for (const PreludeEntry& e : prelude_entries()) {
    if (!e.forward) continue;
    INFO(e.name);
    CHECK(defined.count(e.name) == 0);
    CHECK(defined.count(std::string(e.name) + "__int") == 1);
    CHECK(defined.count(std::string(e.name) + "__float") == 1);
    ++cases;
  }
  CHECK(cases >= 5);
}

TEST_CASE("operators and variables of the prelude are named") {
  std::set<std::string_view> names;
  for (const PreludeEntry& e : prelude_entries()) names.insert(e.name);
  for (const char* name : {"^", "||", "@", "pi", "stream", "sort", "transpose"})
    CHECK(names.count(name) == 1);
}

TEST_CASE("every built-in name has the type that the language reference gives it") {
  nvm::frontend::Environment environment;
  std::ifstream rows(NVM_SOURCE_DIR "/tests/unit/frontend/prelude_names.tsv");
  int count = 0;
  for (std::string row; std::getline(rows, row); ++count) {
    const std::size_t tab = row.find('\t');
    const std::string name = row.substr(0, tab);
    INFO(name);
    const nvm::frontend::Binding* binding = environment.find(name);
    REQUIRE(binding != nullptr);
    CHECK(nvm::frontend::print_type(binding->type) == row.substr(tab + 1));
  }
  CHECK(count > 400);
  CHECK(environment.prelude_errors() == "");
}
