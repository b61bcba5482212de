// Binds the values of a recorded region to a plan for one run, and takes the results back.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "bytecode/plan/engine.h"
#include "vm/data/pool.h"
#include "vm/interp/machine.h"
#include "vm/trace/recorder.h"

namespace nvm::vm {

class Binding final : public plan::Host {
 public:
  // `stop`, if not null, ends a run early.
  Binding(const plan::Plan& plan, const RecordedRegion& region, Pool& pool, const std::atomic<Stop>* stop);
  // For another run of the same plan, on other inputs of the region; after take(), or a run that failed.
  void bind();
  // Lets go of everything that a run holds, on a device too.
  void clear();

  // `context`: who makes what kernels leave to primitives. Tells `observer`, if there is one, of the kernels
  // of region `number`.
  void use(const PrimContext& context, Observer* observer, std::uint32_t number) {
    context_ = &context;
    observer_ = observer;
    number_ = number;
  }
  [[nodiscard]] plan::Run run(int threads);
  // Leaves copies of inputs that the engine has made on its device with their vectors; after any run.
  void keep_remotes();
  // The live variables as values; after a run that is done.
  void take(std::span<Value> outputs);
  // All of them, after a run that is done.
  [[nodiscard]] const std::vector<std::int64_t>& lengths() const { return lengths_; }

  void* allocate(plan::VarId var, Storage storage, std::int64_t length) override;
  [[nodiscard]] std::int64_t* allocate_offsets(plan::VarId desc, std::int64_t segments) override;
  void shrink(plan::VarId var, std::int64_t length) override;
  void release(plan::VarId var) override;
  [[nodiscard]] bool cancelled() const override { return asked(stop_); }
  [[nodiscard]] plan::RunStatus primitive(plan::PrimitiveStep& step) override;
  [[nodiscard]] std::optional<Draws> draws(std::size_t kernel) const override;
  void begin_kernel(std::size_t kernel) override;
  void end_kernel(std::size_t kernel) override;
  [[nodiscard]] bool wants_device_times() const override {
    return observer_ != nullptr && observer_->sees_device_times();
  }
  void device_kernel(std::size_t kernel, const DeviceTimes& times) override;
  void ran(plan::KernelWay way) override;
  void begin_share() override;
  void end_share() override;

 private:
  [[nodiscard]] KernelRun kernel_run(std::size_t kernel, std::span<const ssa::Inst* const> insts) const;
  [[nodiscard]] Value vector(std::size_t i);
  [[nodiscard]] Value segdes(std::size_t i);
  // What a kernel that is left to a primitive is for.
  [[nodiscard]] const soac::RegionInst& inst(std::size_t kernel) const;
  [[nodiscard]] Value operand(const plan::PrimitiveStep& step) const;
  [[nodiscard]] Value segments(const plan::PrimitiveStep& step) const;
  void keep(plan::VarId var, const Vector& made, plan::Array& array);
  void keep(plan::VarId var, const Segdes& made, plan::Desc& desc);

  const plan::Plan& plan_;
  const RecordedRegion& region_;
  Observer* observer_ = nullptr;
  std::uint32_t number_ = 0;
  Pool& pool_;
  const PrimContext* context_ = nullptr;
  const std::atomic<Stop>* stop_;
  std::vector<BufferRef>
      memory_;  // by VarId, of what the plan makes; outlives what stands for it on a device
  std::map<plan::VarId, BufferRef> offsets_;  // likewise, by descriptor
  std::vector<plan::Array> arrays_;
  std::vector<plan::Desc> descs_;
  std::vector<std::int64_t> lengths_;
  struct Made {
    Segdes segdes;
    std::vector<std::int64_t> offsets;  // if it is regular
  };
  bool holds_ = false;                // anything
  std::map<plan::VarId, Made> made_;  // descriptors of computed lengths
};

}  // namespace nvm::vm
