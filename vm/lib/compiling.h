// The compiling tier of one run: engine, recorder and region cache, if the options want them.
#pragma once

#include <memory>

#include "vm/lib/nvm.hpp"
#include "vm/tier/jit.h"

namespace nvm::lib {

class Compiling {
 public:
  // `context` must outlive this.
  Compiling(const Options& options, const vm::PrimContext& context, vm::Observer* observer = nullptr,
            const std::atomic<vm::Stop>* stop = nullptr);
  ~Compiling();

  [[nodiscard]] vm::RegionHook* hook() const;  // null if switched off or no engine fits this machine
  // Adds counters and the explanation to the run.
  void report(const Program::Impl& program, Run& run) const;

 private:
  const Options& options_;
  std::unique_ptr<plan::Engine> engine_;
  std::unique_ptr<vm::Jit> jit_;
  std::unique_ptr<vm::Recorder> recorder_;
};

}  // namespace nvm::lib
