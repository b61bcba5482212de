#include "frontend/emit.h"

#include "frontend/flatten.h"

namespace nvm::frontend {

Emitted<ssa::Module> emit_ssa(const core::Program& program, const EmitOptions& options) {
  Flattener flattener(program, options);
  const flat::Program code = flattener.run();
  return {flat::to_ssa(code, options), flattener.inputs()};
}

Emitted<nvm::Program> emit_vcode(const core::Program& program, const EmitOptions& options) {
  Flattener flattener(program, options);
  flat::Program code = flattener.run();
  flat::expand_combining_scatters(code);
  flat::outline_deep_conditionals(code);
  return {flat::to_stack_code(code, options), flattener.inputs()};
}

std::string print_flat(const core::Program& program, const EmitOptions& options) {
  const flat::Program code = Flattener(program, options).run();
  std::string text;
  for (const flat::Function& f : code.functions) text += flat::print(f, code);
  return text;
}

}  // namespace nvm::frontend
