// A change reaches as far as it must, and no further.
#include <catch2/catch.hpp>

#include "frontend/edit/nesl_unit.h"

using namespace nvm;
using namespace nvm::edit;

namespace {

struct Program {
  NeslWorld world;
  NeslUnit unit;

  // Forms that were checked for a text.
  std::size_t check(const std::string& text, bool markdown = false) {
    unit.read(text, markdown, world);
    std::vector<frontend::Binding*> kept;
    unit.collect(kept);
    for (auto& [path, module] : world.modules) module.unit->collect(kept);
    world.environment.start_over(kept);
    world.blamed.clear();
    world.texts.clear();
    world.redefined.clear();
    world.files = {""};
    for (auto& [path, module] : world.modules) module.checked = false;
    const std::size_t before = world.checks;
    unit.check(world);
    return world.checks - before;
  }
  std::string errors() const {
    std::string all;
    for (const auto& chunk : unit.chunks())
      for (const auto* list : {&chunk->unread, &chunk->messages})
        for (const ChunkMessage& m : *list) all += m.text + "\n";
    return all;
  }
};

const std::string kText =
    "function inc(x) = x + 1;\n"
    "function inc_twice(x) = inc(inc(x));\n"
    "function total(v) = sum(v);\n"
    "a = inc_twice(3);\n"
    "total([a]);\n";

std::string with(const std::string& from, const std::string& to) {
  std::string text = kText;
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("a text is checked once", "[edit]") {
  Program p;
  CHECK(p.check(kText) == 5);
  CHECK(p.check(kText) == 0);
  CHECK(p.check("\n% moved %\n\n" + kText) <= 2);  // what follows the change begins with another chunk
  CHECK(p.errors().empty());
}

TEST_CASE("a function with another body is checked, and the code that it is in", "[edit]") {
  Program p;
  p.check(kText);
  CHECK(p.check(with("x + 1", "x + 2")) == 2);        // inc, and a, whose code has it
  CHECK(p.check(with("sum(v)", "sum(v) + 0")) == 4);  // and inc as it was, and a
  CHECK(p.errors().empty());
}

TEST_CASE("a function with another type is checked with those who use it", "[edit]") {
  Program p;
  p.check(kText);
  p.check(with("x + 1", "x + 1.0"));
  CHECK(p.errors().find("inc_twice") != std::string::npos);
  p.check(kText);
  CHECK(p.errors().empty());
}

TEST_CASE("a name that is gone is missed, and known again when it is back", "[edit]") {
  Program p;
  p.check(kText);
  p.check(with("function inc(x) = x + 1;\n", ""));
  CHECK(p.errors().find("INC is undefined") != std::string::npos);
  p.check(kText);
  CHECK(p.errors().empty());
  p.check(with("function inc(x) = x + 1;\n", "function inc(x = x + 1;\n"));  // at fault: its uses are not
  CHECK(p.errors().find("INC is undefined") == std::string::npos);
  CHECK(p.errors().find("expected )") != std::string::npos);
}

TEST_CASE("a redefinition means itself from where it stands", "[edit]") {
  Program p;
  p.check("x = 1;\ny = x + 1;\nx = 2.0;\nz = x + 1.0;\n");
  CHECK(p.errors().empty());
  CHECK(p.check("x = 1;\ny = x + 2;\nx = 2.0;\nz = x + 1.0;\n") <= 2);
  CHECK(p.errors().empty());
}

TEST_CASE("keystrokes leave nothing behind", "[edit]") {
  Program p;
  for (int k = 0; k < 300; ++k) p.check(with("x + 1", "x + " + std::to_string(k)));
  CHECK(p.errors().empty());
  p.check(kText);
  CHECK(p.errors().empty());
}

TEST_CASE("of a Markdown text a change of prose concerns the form behind it") {
  const std::string block = "```nesl\n", close = "```\n";
  Program p;
  const auto page = [&](const std::string& prose, const std::string& last) {
    return "# Sums\n" + block + kText + "\n" + close + prose + "\n" + block + last + "\n" + close;
  };
  CHECK(p.check(page("One.", "1 + 1"), true) == 6);
  CHECK(p.check(page("One, % and\n\"", "1 + 1"), true) == 1);
  CHECK(p.check(page("One, % and\n\"", "1 + 2"), true) == 1);
  CHECK(p.check(page("One, % and\n\"", "1 + 2") + "```nesl\n```\nEnd.\n", true) == 0);
  CHECK(p.errors().empty());
}

TEST_CASE("a module is checked once, whoever imports it, and again where it has changed") {
  Program p;
  std::map<std::string, std::string> files = {
      {"a.nesl", "import \"c\";\nfunction twice(x) = c.inc(c.inc(x));\n"},
      {"b.nesl", "import \"c\";\nfunction thrice(x) = c.inc(c.inc(c.inc(x)));\n"},
      {"c.nesl", "function inc(x) = x + 1;\nfunction other(x) = x;\n"}};
  p.world.read = [&](std::string& path, std::string&) -> std::optional<std::string> {
    path += path.ends_with(".nesl") ? "" : ".nesl";
    const auto found = files.find(path);
    return found == files.end() ? std::nullopt : std::optional(found->second);
  };
  const std::string text = "import \"a\";\nimport \"b\";\na.twice(1) + b.thrice(2);\n";
  const std::size_t imports = 4;  // which are looked at in every pass
  CHECK(p.check(text) == imports + 5);
  CHECK(p.errors().empty());
  CHECK(p.check(text) == imports);
  files["c.nesl"] = "function inc(x) = x + 2;\nfunction other(x) = x;\n";
  CHECK(p.check(text) == imports + 2);  // the function, and the expression that is made of it
  files["c.nesl"] = "function inc(x) = float(x);\nfunction other(x) = x;\n";
  p.check(text);
  CHECK(p.errors().find("a.nesl:2:") == 0);
}
