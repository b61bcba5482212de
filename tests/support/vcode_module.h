// VCODE text as an optimised SSA module.
#pragma once

#include <catch2/catch.hpp>

#include "bytecode/ssa/passes.h"
#include "bytecode/text/reader.h"
#include "bytecode/verify/verify.h"

namespace nvm::test {

inline ssa::Module vcode_module(const char* text) {
  Diagnostics diagnostics("text", text);
  const Program program = read_vcode(text, diagnostics);
  const VerifyResult verified = verify(program, diagnostics);
  INFO(diagnostics.render());
  REQUIRE(verified.verdict == Verdict::kOk);
  ssa::Module module = ssa::lower(program, verified.verified, IntBits::k64);
  ssa::optimise(module, true);
  return module;
}

}  // namespace nvm::test
