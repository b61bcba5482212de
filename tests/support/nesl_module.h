// A NESL text as an optimised module, for tests behind the front end.
#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "bytecode/ssa/passes.h"
#include "frontend/emit.h"
#include "frontend/nesl/compile.h"

namespace nvm::test {

// Of the last expression of `text`.
inline ssa::Module nesl_module(const std::string& text, IntBits bits = IntBits::k64) {
  frontend::Environment environment;
  const frontend::Source source{"test.nesl", text};
  Diagnostics diagnostics("test.nesl", text);
  frontend::Parser parser(source, diagnostics);
  frontend::EmitOptions options{"test.nesl"};
  options.int_bits = bits;
  ssa::Module module;
  while (!parser.at_end()) {
    auto form = parser.next_form();
    if (!form) continue;
    const auto compiled = frontend::compile_form(environment, std::move(*form), diagnostics);
    if (compiled && compiled->core) module = frontend::emit_ssa(*compiled->core, options).code;
  }
  INFO(diagnostics.render());
  REQUIRE(!diagnostics.failed());
  ssa::optimise(module, true);
  return module;
}

}  // namespace nvm::test
