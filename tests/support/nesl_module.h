// A NESL text as an optimised module, for tests behind the front end.
#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "bytecode/ssa/passes.h"
#include "bytecode/verify/verify.h"
#include "frontend/emit.h"
#include "frontend/nesl/compile.h"

namespace nvm::test {

// Of the last expression of `text`.
inline ssa::Module nesl_module(const std::string& text, IntBits bits = IntBits::k64) {
  frontend::Environment environment;
  const frontend::Source source{"test.nesl", text};
  Diagnostics diagnostics("test.nesl", text);
  frontend::Parser parser(source, diagnostics);
  Program program;
  while (!parser.at_end()) {
    auto form = parser.next_form();
    if (!form) continue;
    const auto compiled = frontend::compile_form(environment, std::move(*form), diagnostics);
    if (compiled && compiled->core) program = frontend::emit(*compiled->core, {"test.nesl"}).program;
  }
  INFO(diagnostics.render());
  REQUIRE(!diagnostics.failed());
  Diagnostics judged("test.vcode", "");
  const VerifyResult verified = verify(program, judged);
  INFO(judged.render());
  REQUIRE(verified.verdict == Verdict::kOk);
  ssa::Module module = ssa::lower(program, verified.verified, bits);
  ssa::optimise(module, true);
  return module;
}

}  // namespace nvm::test
