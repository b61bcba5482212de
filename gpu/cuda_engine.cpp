#include "gpu/cuda_engine.h"

#include "gpu/api/nvtx.h"
#include "gpu/compiler.h"
#include "gpu/launch.h"
#include "gpu/order_engine.h"

namespace nvm::gpu {

namespace {

using plan::RunStatus;
using State = Compilation::State;

class CudaCode final : public plan::Code {
 public:
  CudaCode(gpu::Code code, std::shared_ptr<OpenDevice> device, std::shared_ptr<const Compilation> compilation)
      : code_(std::move(code)), device_(std::move(device)), compilation_(std::move(compilation)) {}

  [[nodiscard]] RunStatus run(const plan::Run& run) const override {
    if (compilation_->state() != State::kLoaded) return RunStatus::kNotYet;
    if (device_->lost()) return RunStatus::kNoMemory;
    const NvtxRange range(code_.plan.name);
    CudaQueue queue(device_, compilation_->module());
    const RunStatus status = run_code(code_, run, queue);
    if (queue.error().empty()) return status;
    device_->lose(queue.error() + ", in " + code_.plan.name);
    return RunStatus::kNoMemory;
  }
  [[nodiscard]] std::string refusal() const override {
    return compilation_->state() == State::kFailed ? compilation_->reason() : std::string();
  }
  [[nodiscard]] std::string listing() const override { return code_.source; }
  [[nodiscard]] std::size_t code_bytes() const override {
    return compilation_->state() == State::kLoaded ? compilation_->bytes() : 0;
  }
  [[nodiscard]] bool resident() const override { return true; }

 private:
  gpu::Code code_;
  std::shared_ptr<OpenDevice> device_;
  std::shared_ptr<const Compilation> compilation_;
};

// Elements: fewer are in order before the kernels have been launched.
constexpr std::int64_t kWorthOrdering = 1 << 14;

class CudaEngine final : public plan::Engine {
 public:
  CudaEngine(const std::shared_ptr<OpenDevice>& device, Compiling compiling)
      : device_(device),
        compiler_(device, compiling == Compiling::kInBackground),
        orderer_(device, compiler_, compiling == Compiling::kInBackground ? kWorthOrdering : 0) {}

  [[nodiscard]] std::string name() const override { return "cuda " + device_->name(); }

  [[nodiscard]] std::unique_ptr<plan::Code> compile(const plan::Plan& plan, std::string& reason) override {
    if (device_->lost()) {
      reason = "the GPU failed while " + device_->failure();
      return nullptr;
    }
    for (const plan::Kernel& kernel : plan.kernels)
      if (kernel.repeat) {
        reason = "a loop of each iteration";
        return nullptr;
      }
    Code code = generate(plan, "");
    auto compilation = compiler_.compile(code.source);
    if (compilation->state() == State::kFailed) {
      reason = compilation->reason();
      return nullptr;
    }
    return std::make_unique<CudaCode>(std::move(code), device_, std::move(compilation));
  }

  [[nodiscard]] bool scatters() const override { return true; }
  [[nodiscard]] bool calls_primitives() const override { return true; }
  [[nodiscard]] Orderer* orderer() override { return &orderer_; }

 private:
  std::shared_ptr<OpenDevice> device_;
  Compiler compiler_;
  DeviceOrderer orderer_;
};

}  // namespace

std::unique_ptr<plan::Engine> make_engine(std::string& reason, Compiling compiling) {
  const auto device = shared_device(reason);
  return device == nullptr ? nullptr : std::make_unique<CudaEngine>(device, compiling);
}

}  // namespace nvm::gpu
