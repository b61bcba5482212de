#include "vm/cpu/routines_impl.h"

namespace nvm::vm::cpu {

const Routines& routines_avx512() { return kRoutines; }

}  // namespace nvm::vm::cpu
