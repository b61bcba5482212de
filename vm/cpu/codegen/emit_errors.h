// Machine code from what is emitted; what asmjit refuses, as exceptions.
#pragma once

#include <asmjit/x86.h>

#include <memory>
#include <string>

#include "vm/cpu/codegen/stage.h"

namespace nvm::vm::cpu {

struct EmitError {
  std::string text;
};

// What asmjit refuses ends here: it goes on with null pointers otherwise.
class Throwing final : public asmjit::ErrorHandler {
 public:
  void handleError(asmjit::Error, const char* message, asmjit::BaseEmitter*) override {
    throw EmitError{message};
  }
};

inline void need(asmjit::Error error) {
  if (error != asmjit::kErrorOk) throw EmitError{asmjit::DebugUtils::errorAsString(error)};
}

inline std::unique_ptr<asmjit::x86::Compiler> attached_to(asmjit::CodeHolder& code) {
  auto cc = std::make_unique<asmjit::x86::Compiler>();
  const asmjit::Error error = code.attach(cc.get());
  if (error != asmjit::kErrorOk)
    static_cast<void>(cc.release());  // asmjit cannot destroy what is half attached
  need(error);
  return cc;
}

// What emit(compiler) emits, in memory of `runtime`. False with a reason if asmjit refuses.
template <typename Emit>
[[nodiscard]] bool assemble(asmjit::JitRuntime& runtime, bool want_listing, Emit emit, Stage& stage,
                            std::string& reason) {
  asmjit::StringLogger logger;
  Throwing errors;
  asmjit::CodeHolder code;
  try {
    need(code.init(runtime.environment()));
    if (want_listing) code.setLogger(&logger);
    const std::unique_ptr<asmjit::x86::Compiler> cc = attached_to(code);
    code.setErrorHandler(&errors);  // to attach may not throw
    emit(*cc);
    need(cc->finalize());
    if (want_listing) stage.listing = logger.data();
    need(runtime.add(&stage.function, &code));
  } catch (const EmitError& e) {
    reason = "asmjit: " + e.text;
    return false;
  }
  stage.code_bytes = code.codeSize();  // nothing throws any more: who has a function has it counted
  return true;
}

}  // namespace nvm::vm::cpu
