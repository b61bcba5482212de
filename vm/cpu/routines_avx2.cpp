#include "vm/cpu/routines_impl.h"

namespace nvm::vm::cpu {

const Routines& routines_avx2() { return kRoutines; }

}  // namespace nvm::vm::cpu
