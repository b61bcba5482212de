#include "bytecode/load/load.h"

#include "bytecode/base/cancel.h"
#include "bytecode/ssa/passes.h"
#include "bytecode/text/reader.h"

namespace nvm {

Loaded load_vcode(std::string_view text, Diagnostics& diagnostics, const LoadOptions& options) {
  Program program = read_vcode(text, diagnostics);
  if (diagnostics.failed()) return {};
  return load_program(std::move(program), diagnostics, options);
}

Loaded load_program(Program program, Diagnostics& diagnostics, const LoadOptions& options) {
  Loaded loaded;
  check_cancelled(options.cancelled);
  const VerifyResult verified = verify(program, diagnostics, options.int_bits);
  check_cancelled(options.cancelled);
  loaded.verdict = verified.verdict;
  const bool runs = verified.verdict == Verdict::kOk;
  if (runs) loaded.module = ssa::lower(program, verified.verified, options.int_bits);
  loaded.module.prefix_lengths = options.prefix_lengths || program.legacy;
  if (runs) {
    if (options.checked) ssa::check(loaded.module);
    if (options.optimise) ssa::optimise(loaded.module, options.checked, options.cancelled);
  }
  loaded.program = std::move(program);
  return loaded;
}

Loaded load_module(ssa::Module module, const LoadOptions& options) {
  ssa::check(module);
  if (options.optimise) ssa::optimise(module, options.checked, options.cancelled);
  Loaded loaded;
  loaded.verdict = Verdict::kOk;
  loaded.program.file = module.file;
  loaded.program.origins = module.origins;
  loaded.module = std::move(module);
  return loaded;
}

}  // namespace nvm
