// Golden tool "ssa": the printed SSA of a file after some passes.
//   ssa FILE [PASS ...]     lowered, then these passes in order; "all" is the whole pipeline
// The form is checked after every pass. What find_lifted found out follows the text; "demand" in place of a
// pass adds what values may stay (bytecode/ssa/demand.h).
#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>

#include "bytecode/ssa/demand.h"
#include "bytecode/ssa/passes.h"
#include "bytecode/text/reader.h"
#include "bytecode/verify/verify.h"

namespace {

bool run(nvm::ssa::Module& module, const std::string& name) {
  if (name == "all") {
    nvm::ssa::optimise(module, true);
    return true;
  }
  const auto& passes = nvm::ssa::pipeline();
  const auto pass =
      std::find_if(passes.begin(), passes.end(), [&](const nvm::ssa::Pass& p) { return name == p.name; });
  if (pass == passes.end()) return false;
  pass->run(module);
  nvm::ssa::check(module);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  std::ifstream file(argv[1], std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  nvm::Diagnostics diagnostics(argv[1], text);
  const nvm::Program program = nvm::read_vcode(text, diagnostics);
  nvm::VerifyResult verified;
  if (!diagnostics.failed()) verified = nvm::verify(program, diagnostics);
  std::cerr << diagnostics.render();
  if (verified.verdict != nvm::Verdict::kOk) return 1;
  nvm::ssa::Module module = nvm::ssa::lower(program, verified.verified, nvm::IntBits::k64);
  nvm::ssa::check(module);
  bool demand = false;
  for (int i = 2; i < argc; ++i) {
    const bool asked = std::string_view(argv[i]) == "demand";
    demand = demand || asked;
    if (!asked && !run(module, argv[i])) return 2;
  }
  std::cout << nvm::ssa::print(module);
  for (const nvm::ssa::Function& f : module.functions)
    if (!f.removed && !f.lifted.refusal.empty())
      std::cout << f.name << " is not lifted: " << f.lifted.refusal << "\n";
  if (demand) std::cout << nvm::ssa::print_demand(module);
  return 0;
}
