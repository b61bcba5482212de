// The page to read: what happens to a program between lowering and its first instruction.
#include "bytecode/base/cancel.h"
#include "bytecode/ssa/passes.h"

namespace nvm::ssa {

const std::vector<Pass>& pipeline() {
  static const std::vector<Pass> kPasses = {
      {"inline_calls", inline_calls},  // legacy code calls a function for every `+`
      {"eliminate_common", eliminate_common},
      {"fold_constants", fold_constants},
      {"simplify_segdes", simplify_segdes},
      {"eliminate_dead", eliminate_dead},
      // What is left may have become equal, constant or small.
      {"inline_calls", inline_calls},
      {"eliminate_common", eliminate_common},
      {"fold_constants", fold_constants},
      {"simplify_segdes", simplify_segdes},
      {"fold_constants", fold_constants},
      {"eliminate_common", eliminate_common},
      {"simplify_segdes", simplify_segdes},
      {"fold_constants", fold_constants},
      {"eliminate_common", eliminate_common},
      {"pack_late", pack_late},
      {"eliminate_dead", eliminate_dead},
      {"find_lifted", find_lifted},
  };
  return kPasses;
}

void optimise(Module& module, bool checked, const std::atomic<bool>* cancelled) {
  if (checked) check(module);
  for (const Pass& pass : pipeline()) {
    check_cancelled(cancelled);
    pass.run(module);
    if (checked) check(module);
  }
}

}  // namespace nvm::ssa
