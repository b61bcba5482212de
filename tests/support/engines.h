// Engines for tests.
#pragma once

#include "bytecode/plan/engine.h"

namespace nvm::testing {

// Compiles nothing: every region is executed instruction by instruction.
class RefusingEngine final : public plan::Engine {
 public:
  [[nodiscard]] std::string name() const override { return "refusing"; }
  [[nodiscard]] std::unique_ptr<plan::Code> compile(const plan::Plan&, std::string& reason) override {
    reason = "this engine compiles nothing";
    return nullptr;
  }
  [[nodiscard]] bool calls_primitives() const override { return true; }
};

}  // namespace nvm::testing
