// Memory for machine code, shared by the plans of an engine: bounded, given back when a plan's code dies,
// never writable and executable through one address.
#pragma once

#include <asmjit/core.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>

#include "bytecode/plan/nest.h"
#include "vm/cpu/codegen/stage.h"
#include "vm/cpu/isa.h"
#include "vm/cpu/jit_dump.h"
#include "vm/cpu/perf.h"

namespace nvm::vm::cpu {

class CodeMemory {
 public:
  // `complaints`, if not null, is told once if names for perf cannot be written.
  CodeMemory(Isa isa, std::size_t limit, bool listings, Perf perf, std::FILE* complaints = nullptr);
  ~CodeMemory();
  CodeMemory(const CodeMemory&) = delete;
  CodeMemory& operator=(const CodeMemory&) = delete;

  [[nodiscard]] Isa isa() const { return isa_; }
  [[nodiscard]] std::size_t used() const { return used_.load(std::memory_order_relaxed); }
  // Machine code for `spec`. False with a reason if there is no room or asmjit refuses.
  [[nodiscard]] bool compile(const StageSpec& spec, const std::string& name, Stage& stage,
                             std::string& reason);
  // The same for a nest, in place of a stage's function.
  [[nodiscard]] bool compile(const plan::Nest& nest, const plan::NestStorage& storage,
                             const std::string& name, Stage& stage, std::string& reason);
  void release(Stage& stage);

 private:
  struct Unfinished;
  template <typename Compile>
  [[nodiscard]] bool add(const std::string& name, Stage& stage, std::string& reason, Compile compile);
  void compile_others(const StageSpec& spec, const std::string& name, Stage& stage);
  void complain(const std::string& path);
  void announce(const Stage& stage, const std::string& name);

  Isa isa_;
  std::size_t limit_;
  bool listings_;
  Perf perf_;
  std::FILE* complaints_;
  std::unique_ptr<JitDump> dump_;
  std::unique_ptr<asmjit::JitRuntime> runtime_;
  std::atomic<std::size_t> used_{0};
};

}  // namespace nvm::vm::cpu
