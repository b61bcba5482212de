// find_lifted.
#include "bytecode/ssa/passes.h"

namespace nvm::ssa {

// Makes no claim yet: a function counts as lifted only if it is proved.
void find_lifted(Module& module) {
  for (Function& f : module.functions) f.lifted.lifted = false;
}

}  // namespace nvm::ssa
