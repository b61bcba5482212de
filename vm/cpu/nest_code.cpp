#include "vm/cpu/nest_code.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "bytecode/base/check.h"
#include "vm/cpu/codegen/emit_errors.h"
#include "vm/cpu/codegen/nest.h"
#include "vm/cpu/codegen/stage.h"

namespace nvm::vm::cpu {

namespace {

class MachineCode final : public plan::NestCode {
 public:
  explicit MachineCode(std::shared_ptr<Machine> machine) : machine_(std::move(machine)) {}
  ~MachineCode() override = default;

  bool compile(const plan::Nest& nest, const plan::NestStorage& storage, const std::string& /*name*/,
               std::string& reason) {
    asmjit::StringLogger logger;
    Throwing errors;
    asmjit::CodeHolder code;
    try {
      need(code.init(runtime_.environment()));
      const std::unique_ptr<asmjit::x86::Compiler> cc = attached_to(code);
      code.setErrorHandler(&errors);  // to attach may not throw
      emit_nest(*cc, machine_->memory.isa(), nest, storage);
      need(cc->finalize());
      need(runtime_.add(&stage_.function, &code));
    } catch (const EmitError& e) {
      reason = "asmjit: " + e.text;
      return false;
    }
    stage_.code_bytes = code.codeSize();
    if (getenv("NEST_DUMP")) { FILE* f = fopen(getenv("NEST_DUMP"), "wb"); fwrite(reinterpret_cast<void*>(stage_.function), 1, stage_.code_bytes, f); fclose(f); }
    return true;
  }
  [[nodiscard]] bool run(plan::NestLevel& level) const override {
    constexpr std::size_t kMost = 64;
    const std::size_t slots = level.lists.size() + level.targets.size();
    alignas(NestArgs) std::byte memory[sizeof(NestArgs) + kMost * sizeof(std::byte*)];
    NVM_CHECK(slots <= kMost, "a nest has few lists");
    auto* args = new (memory) NestArgs{level.first, level.last, level.next, 0, {}};
    std::copy(level.lists.begin(), level.lists.end(), args->slots);
    std::copy(level.targets.begin(), level.targets.end(), args->slots + level.lists.size());
    reinterpret_cast<NestFunction>(stage_.function)(args);
    level.next = args->next;
    return args->failed == 0;
  }
  [[nodiscard]] std::size_t code_bytes() const override { return stage_.code_bytes; }

 private:
  std::shared_ptr<Machine> machine_;
  asmjit::JitRuntime runtime_;
  Stage stage_;
};

}  // namespace

std::unique_ptr<plan::NestCode> compile_nest(const plan::Nest& nest, const plan::NestStorage& storage,
                                             const std::string& name, std::shared_ptr<Machine> machine,
                                             std::string& reason) {
  auto code = std::make_unique<MachineCode>(std::move(machine));
  if (!code->compile(nest, storage, name, reason)) return nullptr;
  return code;
}

}  // namespace nvm::vm::cpu
