// The load-time passes keep the form and the meaning: after each, check() holds and the interpreter gives the
// same results, or fails with the same kind of fault at the same place.
#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "bytecode/ssa/passes.h"
#include "bytecode/text/writer.h"
#include "bytecode/verify/verify.h"
#include "tests/property/gen_program.h"
#include "tests/support/bare_machine.h"
#include "tests/support/random_program.h"
#include "vm/interp/interp.h"
#include "vm/interp/text_io.h"

namespace nvm {
namespace {

using Numbers = std::vector<std::uint32_t>;

Numbers long_list() {
  return *rc::gen::resize(1500, rc::gen::container<Numbers>(rc::gen::resize(100, rc::gen::inRange(0U, ~0U))));
}

std::string run(const ssa::Module& module) {
  test::BareMachine bare(module, vm::Machine{}.max_depth, std::size_t{1} << 28);
  const vm::Outcome outcome = vm::Interp(bare.code, bare.machine).run();
  if (outcome.error)
    return "fault " + std::to_string(static_cast<int>(outcome.error->kind)) + " at " +
           std::to_string(outcome.error->at.pos.line) + " " + outcome.error->instruction;
  if (outcome.exited) return "exit";
  std::string text;
  for (const vm::Value& v : outcome.values) vm::append_value(text, v);
  return text;
}

// Positions that tell instructions apart, so that a fault's place can be compared.
void number(Program& program) {
  std::uint32_t line = 0;
  for (nvm::Function& f : program.functions)
    for (Instr& in : f.code) in.pos = {++line, 1};
}

ssa::Module lowered(Program& program, IntBits bits) {
  number(program);
  Diagnostics diagnostics("random", "");
  const VerifyResult verified = verify(program, diagnostics);
  RC_LOG() << write_vcode(program) << diagnostics.render();
  RC_ASSERT(verified.verdict == Verdict::kOk);
  ssa::Module module = ssa::lower(program, verified.verified, bits);
  ssa::check(module);
  return module;
}

void passes_keep_results(Program program, IntBits bits) {
  ssa::Module module = lowered(program, bits);
  const std::string before = run(module);
  RC_CLASSIFY(before.rfind("fault", 0) == 0, "fault");
  for (const ssa::Pass& pass : ssa::pipeline()) {
    const std::string form = ssa::print(module);
    pass.run(module);
    ssa::check(module);
    const std::string after = run(module);
    if (after != before)
      RC_LOG() << "before " << pass.name << "\n"
               << form << "after\n"
               << ssa::print(module) << before << "\n"
               << after;
    RC_ASSERT(after == before);
  }
}

bool touches_the_world(const Program& program) {
  for (const nvm::Function& f : program.functions)
    for (const Instr& in : f.code)
      if (op_info(in.op).kind == OpKind::kHost && in.op != Op::kSrand) return true;
  return false;
}

}  // namespace

TEST_CASE("passes keep the results of programs with segments") {
  for (const IntBits bits : {IntBits::k64, IntBits::k32})
    CHECK(rc::check("passes on segment programs", [bits] {
      Diagnostics diagnostics("random", "");
      Program program = test::SegmentProgram(test::Choices(long_list())).make(diagnostics);
      RC_ASSERT(!diagnostics.failed());
      passes_keep_results(std::move(program), bits);
    }));
}

TEST_CASE("passes keep the results, or the fault, of any typed program") {
  CHECK(rc::check("passes on typed programs", [] {
    Diagnostics diagnostics("random", "");
    std::vector<Type> results;
    Program program = test::TypedProgram(test::Choices(long_list())).make(diagnostics, results);
    RC_PRE(!touches_the_world(program));
    passes_keep_results(std::move(program), IntBits::k64);
  }));
}

}  // namespace nvm
