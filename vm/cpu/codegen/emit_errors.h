// What asmjit refuses, as exceptions.
#pragma once

#include <asmjit/x86.h>

#include <memory>
#include <string>

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

}  // namespace nvm::vm::cpu
