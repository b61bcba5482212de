#include "vm/profile/reasons.h"

#include <catch2/catch.hpp>
#include <string>

using nvm::vm::help_for;

TEST_CASE("every reason why a line was not recorded, fused or compiled says what would help") {
#define STOP(id, name, text) CHECK(!help_for(text).empty());
#include "vm/trace/stop.def"
#define REFUSE(id, text) \
  if (std::string(#id) != "kNone") CHECK(!help_for(text).empty());
#include "bytecode/soac/refuse.def"
#define REFUSE(id, text) CHECK(!help_for(text).empty());
#include "vm/cpu/refuse.def"
  CHECK(help_for("because").empty());
}
