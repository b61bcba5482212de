#include "frontend/emit.h"

#include "frontend/flatten.h"

namespace nvm::frontend {

Emitted emit(const core::Program& program, const EmitOptions& options) {
  Flattener flattener(program, options);
  const flat::Program code = flattener.run();
  return {flat::to_stack_code(code, options), flattener.inputs()};
}

}  // namespace nvm::frontend
