// The compiling tier: engine, recorder and region cache, if the options want them. What it has compiled
// serves all runs of one program.
#pragma once

#include <memory>
#include <vector>

#include "vm/lib/nvm.hpp"
#include "vm/split/split_engine.h"
#include "vm/tier/jit.h"
#include "vm/tier/masked_loops.h"
#include "vm/tier/nests.h"

namespace nvm::lib {

class Compiling {
 public:
  // All must outlive this. `told`: the last reason told why there is no CUDA engine, which is not told again.
  Compiling(const Options& options, const vm::Code& code, const std::atomic<vm::Stop>* stop,
            std::string& told, vm::Observer* observer = nullptr);
  ~Compiling();

  // Begins a run and gives the hook for it, which is good until the next begin; null if switched off or no
  // engine fits this machine.
  [[nodiscard]] vm::RegionHook* begin(const vm::PrimContext& context);
  // Of the engine; may be null.
  [[nodiscard]] Orderer* orderer() const { return engine_ == nullptr ? nullptr : engine_->orderer(); }
  // For block mode.
  [[nodiscard]] std::vector<vm::FunctionTier*> functions() const;
  // Adds this run's counters to it, and the explanation, which is of all runs so far.
  void report(const Program::Impl& program, Run& run) const;

 private:
  void report_devices(Counters& counters) const;

  const Options& options_;
  vm::Observer* observer_;
  vm::PrimContext context_;  // of the run under way
  vm::JitCounters before_;   // when it began
  vm::MaskedLoopCounters loops_before_;
  vm::NestCounters nests_before_;
  std::vector<vm::DeviceCounters> devices_before_;
  std::unique_ptr<plan::Engine> engine_;
  std::unique_ptr<vm::Devices> devices_;  // that share the kernels of regions; null: none
  std::unique_ptr<plan::Engine> split_;   // has them run those of engine_
  std::unique_ptr<vm::Jit> jit_;
  std::unique_ptr<vm::MaskedLoops> loops_;
  std::unique_ptr<vm::Nests> nests_;
  std::unique_ptr<vm::Recorder> recorder_;
};

}  // namespace nvm::lib
