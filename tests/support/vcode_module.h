// VCODE text as an SSA module, as lowered or optimised.
#pragma once

#include <catch2/catch.hpp>

#include "bytecode/ssa/passes.h"
#include "bytecode/text/reader.h"
#include "bytecode/verify/verify.h"

namespace nvm::test {

inline ssa::Module lowered_module(const char* text) {
  Diagnostics diagnostics("text", text);
  const Program program = read_vcode(text, diagnostics);
  const VerifyResult verified = verify(program, diagnostics);
  INFO(diagnostics.render());
  REQUIRE(verified.verdict == Verdict::kOk);
  return ssa::lower(program, verified.verified, IntBits::k64);
}

inline ssa::Module vcode_module(const char* text) {
  ssa::Module module = lowered_module(text);
  ssa::optimise(module, true);
  return module;
}

}  // namespace nvm::test
