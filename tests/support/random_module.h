// A random program (tests/property/gen_program.h) as a module whose functions are not inlined, so that lifted
// ones remain.
#pragma once

#include <rapidcheck.h>

#include <vector>

#include "bytecode/ssa/passes.h"
#include "bytecode/verify/verify.h"
#include "tests/property/gen_program.h"

namespace nvm::test {

// What the choices of a program are made by.
inline std::vector<std::uint32_t> long_list() {
  using Numbers = std::vector<std::uint32_t>;
  return *rc::gen::resize(1500, rc::gen::container<Numbers>(rc::gen::resize(100, rc::gen::inRange(0U, ~0U))));
}

inline ssa::Module random_module() {
  Diagnostics diagnostics("random", "");
  const Program program = SegmentProgram(Choices(long_list())).make(diagnostics);
  Diagnostics more("random", "");
  const VerifyResult verified = verify(program, more);
  RC_ASSERT(verified.verdict == Verdict::kOk);
  ssa::Module module = ssa::lower(program, verified.verified, IntBits::k64);
  ssa::eliminate_common(module);
  ssa::simplify_segdes(module);
  ssa::eliminate_dead(module);
  ssa::find_lifted(module);
  return module;
}

}  // namespace nvm::test
