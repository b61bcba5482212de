#include "vm/cpu/nest_code.h"

#include <algorithm>
#include <cstddef>
#include <new>
#include <utility>

#include "vm/cpu/codegen/nest.h"

namespace nvm::vm::cpu {

namespace {

constexpr std::size_t kMostSlots = 64;

class MachineCode final : public plan::NestCode {
 public:
  explicit MachineCode(std::shared_ptr<Machine> machine) : machine_(std::move(machine)) {}
  ~MachineCode() override { machine_->memory.release(stage_); }

  bool compile(const plan::Nest& nest, const plan::NestStorage& storage, const std::string& name,
               std::string& reason) {
    return machine_->memory.compile(nest, storage, name, stage_, reason);
  }
  [[nodiscard]] bool run(plan::NestLevel& level) const override {
    alignas(NestArgs) std::byte memory[sizeof(NestArgs) + kMostSlots * sizeof(std::byte*)];
    auto* args = new (memory) NestArgs{level.first, level.last, level.next, 0, level.records, level.own, {}};
    auto* to = reinterpret_cast<std::byte**>(memory + offsetof(NestArgs, slots));
    to = std::copy(level.lists.begin(), level.lists.end(), to);
    std::copy(level.targets.begin(), level.targets.end(), to);
    reinterpret_cast<NestFunction>(stage_.function)(args);
    level.next = args->next;
    level.records = args->records;
    level.own = args->own;
    return args->failed == 0;
  }
  [[nodiscard]] std::size_t code_bytes() const override { return stage_.code_bytes; }

 private:
  std::shared_ptr<Machine> machine_;
  Stage stage_;
};

}  // namespace

std::unique_ptr<plan::NestCode> compile_nest(const plan::Nest& nest, const plan::NestStorage& storage,
                                             const std::string& name, std::shared_ptr<Machine> machine,
                                             std::string& reason) {
  if (nest.lists.size() + nest.results.size() > kMostSlots) {
    reason = "it has too many lists";
    return nullptr;
  }
  auto code = std::make_unique<MachineCode>(std::move(machine));
  if (!code->compile(nest, storage, name, reason)) return nullptr;
  return code;
}

}  // namespace nvm::vm::cpu
