#include "frontend/nesl/prelude.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <set>

#include "frontend/nesl/environment.h"

using nvm::frontend::prelude_entries;
using nvm::frontend::PreludeEntry;

TEST_CASE("every form of the prelude is found with its name, line and terminator") {
  const auto entries = prelude_entries();
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

TEST_CASE("forward declarations of the prelude are defined behind, whole or in every case of type") {
  std::set<std::string_view> defined;
  for (const PreludeEntry& e : prelude_entries())
    if (!e.forward) defined.insert(e.name);
  int cases = 0;
  for (const PreludeEntry& e : prelude_entries()) {
    if (!e.forward) continue;
    INFO(e.name);
    if (defined.count(e.name) == 1) continue;
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
  std::ifstream rows(NVM_SOURCE_DIR "/tests/unit/frontend/nesl/prelude_names.tsv");
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

TEST_CASE("the names of release 3.1 that are missing are those of the document, and no others") {
  nvm::frontend::Environment environment;
  std::map<std::string, std::string> typed;
  std::ifstream rows(NVM_SOURCE_DIR "/tests/unit/frontend/nesl/prelude_names.tsv");
  for (std::string row; std::getline(rows, row);) typed[row.substr(0, row.find('\t'))] = row;
  std::ifstream document(NVM_SOURCE_DIR "/docs/legacy.md");
  std::string line;
  while (std::getline(document, line) && line.find("begin: names of release 3.1") == line.npos) {
  }
  int missing = 0;
  while (std::getline(document, line) && line.find("end: names of release 3.1") == line.npos) {
    const std::string cell = line.substr(0, line.find('|', 1));
    for (std::size_t at = cell.find('`'); at != cell.npos; at = cell.find('`', at)) {
      const std::size_t end = cell.find('`', at + 1);
      const std::string name = cell.substr(at + 1, end - at - 1);
      INFO(name);
      CHECK(typed.count(name) == 0);
      if (!name.starts_with("prim_")) CHECK(environment.find(name) == nullptr);
      ++missing;
      at = end + 1;
    }
  }
  // 531 names can be written in NESL; `time` is a special form, and three are set when a session starts.
  CHECK(static_cast<int>(typed.size()) + missing + 4 == 531);
}
