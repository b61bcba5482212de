#include "bytecode/verify/verify.h"

#include <string>

#include "bytecode/verify/effects.h"
#include "bytecode/verify/typing.h"

namespace nvm {

namespace {

void check_block(const Instr& in, Diagnostics& diagnostics) {
  if (in.a >= 0 && in.b >= 0) return;
  diagnostics.error(in.pos, "negative argument: " + std::string(op_info(in.op).text) + " " +
                                std::to_string(in.a) + " " + std::to_string(in.b) +
                                ": count and depth are 0 or more");
}

void check_segdes(const Constant& c, SourcePos pos, Diagnostics& diagnostics, IntBits bits) {
  std::int64_t total = 0;
  for (const std::int64_t length : c.ints) {
    if (length < 0) {
      diagnostics.error(pos, "negative segment length " + std::to_string(length) + " in CONST SEGDES");
      return;
    }
    total = length_of_both(total, length);
    if (total >= too_long(bits)) {
      diagnostics.error(pos, bits == IntBits::k32
                                 ? "the lengths in CONST SEGDES add up to more than INT of 32 bits can count"
                                 : "the lengths in CONST SEGDES add up to more than any memory can hold");
      return;
    }
  }
}

// What is wrong in any context, hence also in functions that nothing calls.
void check_immediates(const Program& program, Diagnostics& diagnostics, IntBits bits) {
  for (const Function& function : program.functions) {
    for (const Instr& in : function.code) {
      if (in.op == Op::kCopy || in.op == Op::kPop || in.op == Op::kCpop) check_block(in, diagnostics);
      if (in.op == Op::kConst && in.word == TypeWord::kSegdes)
        check_segdes(program.constants[static_cast<std::size_t>(in.a)], in.pos, diagnostics, bits);
    }
  }
}

}  // namespace

VerifyResult verify(const Program& program, Diagnostics& diagnostics, IntBits bits) {
  const int errors_before = diagnostics.errors();
  check_immediates(program, diagnostics, bits);
  const std::vector<StackEffect> effects = stack_effects(program);
  Typing typing(program, effects, diagnostics);
  typing.run();
  VerifyResult result;
  if (diagnostics.errors() > errors_before) return result;
  result.verdict = Verdict::kOk;
  if (typing.dynamic() || !typing.take(result.verified)) result.verdict = Verdict::kDynamicStack;
  return result;
}

}  // namespace nvm
