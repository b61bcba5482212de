// The CUDA engine's code generator and launches without a device: sources are built with the host's compiler
// against tests/emu/cuda_emu.h and run in this process.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bytecode/plan/engine.h"
#include "gpu/codegen/code.h"

namespace nvm::testing {

// The shared object of an emulated source, built now or before; kernels are its emu_<name>(args, blocks,
// threads).
[[nodiscard]] void* load_emulated(const std::string& source);

class EmuEngine final : public plan::Engine {
 public:
  // Device memory starts `offset` bytes behind a multiple of 256.
  explicit EmuEngine(std::size_t offset = 0) : offset_(offset) {}
  [[nodiscard]] std::string name() const override { return "cuda emulation"; }
  [[nodiscard]] bool calls_primitives() const override { return true; }
  // Builds many plans as one source; compile() then finds them.
  void prepare(const std::vector<plan::Plan>& plans);
  [[nodiscard]] std::unique_ptr<plan::Code> compile(const plan::Plan& plan, std::string& reason) override;

 private:
  struct Built {
    std::shared_ptr<const gpu::Code> code;
    void* library = nullptr;
  };
  std::map<std::string, Built> built_;  // by printed plan
  std::size_t offset_;
};

}  // namespace nvm::testing
